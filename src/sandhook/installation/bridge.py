"""Hooks of one agent for another one, without a change of their scripts: one hook for each event runs the whole file."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from sandhook.hooks.contracts import Contract
from sandhook.hooks.conversion import Conversion, as_written
from sandhook.hooks.matcher import ALWAYS
from sandhook.hooks.model import Executor, HookSpec

#: Seconds that the start of sandhook may take in addition to the hooks.
_START_SECONDS = 5.0


def bridge(specs: Sequence[HookSpec], source: Contract, target: Contract, file: str) -> Conversion:
    """Return a configuration of ``target`` that fires every event of these hooks at their file.

    Matchers, timeouts and the composition of the hooks are then those of the file.
    """
    by_event: dict[str, list[HookSpec]] = {}
    for spec in specs:
        by_event.setdefault(spec.event, []).append(spec)
    names = {kind: native for native, kind in reversed(list(target.events.items()))}
    hooks = [
        HookSpec(
            id=event,
            event=event,
            native_event=names.get(event, event),
            executor=Executor("bash", _command(names.get(event, event), source, target, file)),
            matcher=ALWAYS,
            timeout=sum(spec.timeout for spec in several) + _START_SECONDS,
            env_policy="inherit",
        )
        for event, several in by_event.items()
    ]
    value, lost = target.render(hooks)
    return Conversion(as_written(value, target), lost, ())


def _command(native: str, source: Contract, target: Contract, file: str) -> str:
    words = ["sandhook", "fire", native, "--as-hook", target.name, "--hooks", file, "--contract", source.name]
    return " ".join(map(shlex.quote, [*words, "--host", "--fail-closed"]))
