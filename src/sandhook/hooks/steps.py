"""The steps of a run as text: a line for each command, and below it what it changed and wrote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sandhook.hooks.text import neutralise
from sandhook.interp.steps import MOST_STEPS
from sandhook.text.quoting import single_quote

if TYPE_CHECKING:
    from sandhook.hooks.event import JsonObject
    from sandhook.interp.steps import Step

#: Characters of a line.
_WIDTH = 200


def lines_of(steps: Sequence[Step]) -> Iterator[str]:
    """Yield the lines; control characters in what the script wrote are made visible."""
    for step in steps:
        yield from _lines(step, steps[0].process)
    if len(steps) == MOST_STEPS:
        yield f"only the first {MOST_STEPS:,} commands are shown"


def step_json(step: Step) -> JsonObject:
    """Return a step as JSON values; bytes that are not UTF-8 are replaced."""
    return {
        "line": step.line,
        "source": step.source,
        "function": step.function,
        "text": step.text,
        "words": None if step.words is None else list(step.words),
        "process": step.process,
        "depth": step.depth,
        "status": step.status,
        "signal": step.signal,
        "variables": dict(step.variables),
        "stdout": step.output.decode("utf-8", "replace"),
        "stderr": step.errors.decode("utf-8", "replace"),
        "piped": step.piped.decode("utf-8", "replace"),
        "seconds": round(step.seconds, 6),
    }


def _lines(step: Step, shell: int) -> Iterator[str]:
    """Yield the lines of one command; ``shell`` is the process of the script itself."""
    place = f"{step.function or step.source}:{step.line}"
    inset = "  " * (step.depth + (step.process != shell))
    ended = f"ended by {step.signal}" if step.signal else "" if step.status is None else str(step.status)
    yield _cut(f"{place:<16} {ended:>3}  {inset}{_one_line(step.text)}")
    margin = " " * 22 + inset + "  "
    expanded = " ".join(map(_word, step.words or ()))
    if expanded and expanded != _one_line(step.text):
        yield _cut(f"{margin}+ {expanded}")
    for name, value in step.variables:
        yield _cut(f"{margin}{name} unset" if value is None else f"{margin}{name}={_word(value)}")
    for sign, data in (("|", step.piped), (">", step.output), ("!", step.errors)):
        for line in data.decode("utf-8", "replace").splitlines():
            yield _cut(f"{margin}{sign} {_one_line(line)}")


def _word(text: str) -> str:
    plain = text and all(letter.isalnum() or letter in "_-./:=,@%+" for letter in text)
    return text if plain else _one_line(single_quote(text))


def _one_line(text: str) -> str:
    return neutralise(text.replace("\n", "\u21b5"), limit=_WIDTH, lines=False)


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else line[: _WIDTH - 3] + "..."
