"""What the tests of the table contracts share: the way back, and problems with their lines."""

from __future__ import annotations

from typing import Any

from sandhook.hooks import Decision, Event, HookEngine, RunResult
from sandhook.hooks.contracts import get
from tests.hooks.hooktools import Scripted, said


def back(name: str, config: Any, event: Event, **decided: Any) -> Decision:
    """Return what an agent makes of the answer that its contract gives for a decision."""
    answer = get(name).answer(Decision(event.kind, **decided), event)
    ran = RunResult(answer.exit_status, answer.stdout, answer.stderr)
    return HookEngine.load(config, name, runner=Scripted(ran)).fire(event)


def fired(name: str, config: Any, event: Event, ran: RunResult, **options: Any) -> Decision:
    """Return the decision when every hook of a configuration ended this way."""
    return HookEngine.load(config, name, runner=Scripted(ran), **options).fire(event)


def faults(name: str, text: str, file: str) -> list[tuple[str, str]]:
    """Return each problem's place, "FILE:LINE", and its path."""
    made = HookEngine.load(get(name).parse(text, file, {}), name, runner=Scripted(said()))
    return [tuple(str(problem).split(": ")[:2]) for problem in made.problems]  # type: ignore[misc]


def paths(name: str, cwd: str, env: dict[str, str], platform: str = "linux") -> list[str]:
    """Return the files that an agent looks for, each after its layer."""
    return [f"{layer.name} {layer.path}" for layer in get(name).layers(cwd, env, platform)]
