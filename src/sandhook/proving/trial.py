"""One try of one guard: the hook, its event, and what is broken around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from sandhook.errors import SandhookError
from sandhook.hooks.contracts import Contract
from sandhook.hooks.event import Event
from sandhook.hooks.model import HookSpec, RunResult
from sandhook.record import Record

#: What a disk does: everything, no write at all, or no byte more.
Disk = Literal["sound", "read-only", "full"]


def unchanged(data: bytes) -> bytes:
    """Return a payload as it is."""
    return data


class Trial(Record):
    """One try of a guard.

    Attributes:
        contract: The agent's contract.
        spec: The guard.
        event: The event that it should refuse.
        scripts: The files that it executes or sources: paths in the sandbox, and contents.
        programs: Names of the programs that it and its scripts start.
        stdin: The payload that it reads; b"" if it reads none.
        lacking: Names of the programs that it starts, and that the sandbox does not have.
        outer: The hook that calls ``sandhook hook``, which runs it with its own shell and utilities; None for others.
        replaced: New contents of scripts; None for one that is gone.
        mode: New permissions of all scripts, or None.
        before: Shell text that runs first, in the process of the hook: it changes the environment.
        inside: Shell text that runs first in the hook's own script, which ``sandhook hook`` may run.
        payload: Changes the payload.
        without: Names of programs that are missing.
        ended: Names of programs that the system kills.
        disk: What the disk does.
        failure: Why nothing could be started, or "".
        missing: The program of an argv that the agent does not find, or "".
    """

    contract: Contract
    spec: HookSpec
    event: Event
    scripts: Mapping[str, bytes]
    programs: tuple[str, ...]
    stdin: bytes
    lacking: tuple[str, ...]
    outer: HookSpec | None = None
    replaced: Mapping[str, bytes | None] = {}
    mode: int | None = None
    before: str = ""
    inside: str = ""
    payload: Callable[[bytes], bytes] = unchanged
    without: frozenset[str] = frozenset()
    ended: frozenset[str] = frozenset()
    disk: Disk = "sound"
    failure: str = ""
    missing: str = ""

    @property
    def through_sandhook(self) -> bool:
        """Whether ``sandhook hook`` runs it."""
        return self.outer is not None

    @property
    def unstarted(self) -> RunResult | None:
        """The result of a try in which nothing starts, None for any other."""
        if self.missing:
            return RunResult(exit_status=127, missing=f"{self.missing}: not found", spawned=False)
        return RunResult(failure=self.failure) if self.failure else None


class NotTriedError(SandhookError):
    """A try that is impossible here; the message has the reason."""
