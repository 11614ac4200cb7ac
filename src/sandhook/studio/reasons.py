"""Why a hook decided as it did: the step that decided, the calls that led to it, and the texts of the steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sandhook.hooks.report import step_json
from sandhook.record import Record

if TYPE_CHECKING:
    from sandhook.hooks.event import Json, JsonObject
    from sandhook.hooks.model import Outcome, RunResult
    from sandhook.interp.steps import Step

#: Steps that the page receives: the first ones and the last ones.
MAX_FIRST, MAX_LAST = 2_000, 1_000

#: Texts of scripts, and bytes of one.
_MOST_SOURCES, _MAX_SOURCE = 32, 1 << 20


class Reason(Record):
    """What decided.

    Attributes:
        step: Number of the step.
        calls: Numbers of the steps that called the function or script in which it is, outermost first.
        why: "status" when its exit status is that of the hook, "output" when it wrote the output.
    """

    step: int
    calls: tuple[int, ...]
    why: str


def reason_of(run: RunResult) -> Reason | None:
    """Return the step whose exit status, or whose output, is that of the hook; None if no step is.

    Of a script with more commands than are noted, the one that decided is not known.
    """
    from sandhook.interp.steps import MOST_STEPS

    steps = run.steps
    if not steps or len(steps) >= MOST_STEPS:
        return None
    if run.exit_status:
        ended = [each for each in steps if each.status == run.exit_status]
        exits = [each for each in ended if each.words and each.words[0] in ("exit", "return")]
        # what a nested script exits with becomes the status of the command that ran it, so the last exit decided
        deciding = exits[-1] if exits else ended[-1] if ended else None
        why = "status"
    else:
        deciding = next((each for each in reversed(steps) if each.output), None)
        why = "output"
    if deciding is None:
        return None
    return Reason(deciding.number, _calls(steps, deciding), why)


def _calls(steps: Sequence[Step], last: Step) -> tuple[int, ...]:
    """Return the steps that are still running when another one runs."""
    calls = []
    depth = last.depth
    for step in reversed(steps[: last.number]):
        if step.depth < depth:
            calls.append(step.number)
            depth = step.depth
    return tuple(reversed(calls))


def steps_json(outcome: Outcome, read: Callable[[str], bytes | None]) -> JsonObject:
    """Return the steps of a hook, the texts that they are lines of, and what decided.

    Args:
        read: Returns a file as the hook saw it.
    """
    from sandhook.interp.steps import MOST_STEPS

    run = outcome.run
    assert run is not None
    steps = run.steps
    kept = [*steps[:MAX_FIRST], *steps[MAX_FIRST:][-MAX_LAST:]]
    deciding = reason_of(run)
    return {
        "steps": [{"number": step.number, **step_json(step)} for step in kept],
        "steps_total": len(steps),
        "steps_end": len(steps) < MOST_STEPS,
        "sources": _sources(outcome, kept, read),
        "decided_by": None
        if deciding is None
        else {"step": deciding.step, "calls": list(deciding.calls), "why": deciding.why},
    }


def _sources(outcome: Outcome, steps: Sequence[Step], read: Callable[[str], bytes | None]) -> Json:
    """Return the texts by the names that steps have for them."""
    texts: dict[str, Json] = {"main": outcome.spec.executor.text}
    for name in dict.fromkeys(step.source for step in steps):
        if name in texts or len(texts) >= _MOST_SOURCES:
            continue
        data = read(name)
        if data is not None:
            texts[name] = data[:_MAX_SOURCE].decode("utf-8", "replace").replace("\r\n", "\n")
    return texts
