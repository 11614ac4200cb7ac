"""The steps of a run as bytes: a worker notes what each command does, and its host reads that."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps, loads
from typing import TYPE_CHECKING

from sandhook.interp.steps import MOST_STEPS, Step
from sandhook.isolation.wire import MOST_STEP_BYTES

if TYPE_CHECKING:
    from sandhook.interp.steps import Steps

#: Characters of the text of a shortened step.
_SHORT_TEXT = 200


def encode(steps: Steps) -> bytes:
    """Return the steps of a run, a line for each, and how many there were beyond them.

    All steps are there, because the last one is often the one that decided. Beyond ``MOST_STEP_BYTES``, they are short.
    """
    lines = [str(steps.dropped)]
    left = MOST_STEP_BYTES
    for step in steps.steps:
        line = dumps(_fields(step))
        left -= len(line)
        lines.append(line if left >= 0 else dumps(_fields(_shortened(step))))
    return "\n".join(lines).encode("ascii")


def _shortened(step: Step) -> Step:
    return step._replace(
        text=step.text[:_SHORT_TEXT], words=None, variables=(), output=b"", errors=b"", piped=b""
    )


def decode(data: bytes) -> tuple[Sequence[Step], int]:
    """Return the steps that a worker sent, and how many commands it only counted. Raises ValueError, TypeError, KeyError."""
    first, *lines = data.decode("ascii").split("\n")
    if len(lines) > MOST_STEPS:
        raise ValueError("more steps than a run notes")
    return [_step(line) for line in lines], int(first)


def _fields(step: Step) -> dict[str, object]:
    return {
        name: value.decode("latin-1") if isinstance(value, bytes) else value
        for name, value in zip(Step._fields, step, strict=True)
    }


def _step(line: str) -> Step:
    try:
        fields = loads(line)
    except RecursionError:
        raise ValueError("a step is too deep") from None
    words, status, signal = fields["words"], fields["status"], fields["signal"]
    variables = [(str(name), None if value is None else str(value)) for name, value in fields["variables"]]
    return Step(
        number=int(fields["number"]),
        line=int(fields["line"]),
        source=str(fields["source"]),
        function=str(fields["function"]),
        text=str(fields["text"]),
        words=None if words is None else tuple(map(str, words)),
        process=int(fields["process"]),
        depth=int(fields["depth"]),
        status=None if status is None else int(status),
        signal=None if signal is None else str(signal),
        variables=tuple(variables),
        output=str(fields["output"]).encode("latin-1"),
        errors=str(fields["errors"]).encode("latin-1"),
        piped=str(fields["piped"]).encode("latin-1"),
        seconds=float(fields["seconds"]),
    )
