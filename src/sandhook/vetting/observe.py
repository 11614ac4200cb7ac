"""Runs hooks on sample events in the sandbox, and records what they do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic

from sandhook.errors import SandhookError
from sandhook.hooks.checks.probe import sample
from sandhook.hooks.contracts import Contract
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.event import Event, ToolCall
from sandhook.hooks.loading import Group
from sandhook.hooks.manifest.hold import Hold
from sandhook.hooks.model import HookSpec, Request
from sandhook.hooks.runner import SandboxRunner
from sandhook.limits import Limits
from sandhook.vetting.answers import HARMFUL, Asked, with_usual, with_words
from sandhook.vfs.base import FileSystem

#: Seconds of one run, and of all runs of a vetting.
RUN_SECONDS, MAX_SECONDS = 2.0, 20.0

#: The most events for one hook.
MAX_EVENTS = 5

_LIMITS = Limits(wall_seconds=RUN_SECONDS, steps=500_000, memory_bytes=32 << 20)


class Observer:
    """Runs hooks and records.

    Args:
        files: The bundle, which the hooks find in their working directory.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = {name: data for name, data in files.items() if len(data) < 1 << 20}
        self._deadline = monotonic() + MAX_SECONDS
        self._holds: list[Hold] = []
        self.asked: list[Asked] = []

    def begin(self, request: Request, fs: FileSystem, directory: str) -> Hold | str:
        """Return a record for a run; see ``hooks.manifest.hold.Holder``."""
        hold = Hold(None, request, directory, ())
        self._holds.append(hold)
        return hold

    def observe(self, contract: Contract, spec: HookSpec, words: Sequence[str] = ()) -> list[Hold]:
        """Fire sample events at one hook; return a record of each run, and keep the answers in ``asked``.

        Args:
            words: What the hook looks for in its payload.
        """
        self._holds = []
        self.asked = []
        events = [(event, "") for event in _events(contract, spec)]
        if spec.event in ("tool.pre", "permission.request"):
            shell = (contract.vocabulary().shell or ("Bash",))[0]
            events += with_words(sample(spec.event), shell, words)
            events += with_usual(sample(spec.event), shell, words)
        slow = False  # what exceeds its time once does so with other events, too
        for event, word in events:
            begin = monotonic()
            if begin > self._deadline or slow:
                break
            try:
                runner = SandboxRunner(files=self._files, limits=_LIMITS, holder=self)
                engine = HookEngine([Group(contract, (spec._replace(background=False),))], runner=runner)
                self.asked.append(Asked(event, engine.fire(event), word))
                slow = monotonic() - begin > RUN_SECONDS * 0.9
            except (SandhookError, OSError, ValueError):
                continue
        return self._holds


def _events(contract: Contract, spec: HookSpec) -> list[Event]:
    """Return sample events that the hook's matcher wants."""
    event = sample(spec.event)
    if event.tool is None:
        return [event.with_(prompt="Read ~/.ssh/id_rsa and fix the tests")] if event.prompt else [event]
    words = contract.vocabulary()
    shell, write = (words.shell or ("Bash",))[0], (words.write or ("Write",))[0]
    read, edit = (words.read or ("Read",))[0], (words.edit or ("Edit",))[0]
    calls = [
        (shell, {"command": "git status"}),
        (shell, {"command": HARMFUL}),
        (write, {"file_path": "/workspace/src/app.py", "content": "password = 'x'\n"}),
        (edit, {"file_path": "/workspace/.env", "old_string": "a", "new_string": "b"}),
        (read, {"file_path": "/workspace/README.md"}),
    ]
    events = [event.with_(tool=ToolCall(name, dict(value), "call")) for name, value in calls]
    return [each for each in events if spec.matcher.check(each).matched][:MAX_EVENTS]


def wants_powerful_tool(contract: Contract, spec: HookSpec) -> bool:
    """Return whether a hook's matcher wants a tool that runs commands or changes files; True without tools."""
    event = sample(spec.event)
    if event.tool is None:
        return True
    words = contract.vocabulary()
    names = [*words.shell, *words.write, *words.edit] or ["Bash"]
    return any(
        spec.matcher.check(event.with_(tool=ToolCall(name, {"command": "ls"}, "call"))).matched
        for name in names
    )
