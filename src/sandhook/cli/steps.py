"""The steps of a run as text: a line for each command, and below it what it changed and wrote."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sandhook.hooks.text import neutralise
from sandhook.text.quoting import single_quote

if TYPE_CHECKING:
    from sandhook.interp.steps import Step, Steps

#: Characters of a line.
_WIDTH = 200


def lines_of(steps: Steps) -> Iterator[str]:
    """Yield the lines; control characters in what the script wrote are made visible."""
    found = steps.steps
    shell = found[0].process if found else 0
    for step in found:
        yield from _lines(step, shell)
    if steps.dropped:
        yield f"{steps.dropped} more commands"


def _lines(step: Step, shell: int) -> Iterator[str]:
    """Yield the lines of one command; ``shell`` is the process of the script itself."""
    place = f"{step.function or step.source}:{step.line}"
    inset = "  " * (step.depth + (step.process != shell))
    ended = f"ended by {step.signal}" if step.signal else "" if step.status is None else str(step.status)
    yield _cut(f"{place:<16} {ended:>3}  {inset}{_one_line(step.text)}")
    margin = " " * 22 + inset + "  "
    expanded = " ".join(step.words or ())
    if step.words and expanded != step.text:
        yield _cut(f"{margin}+ {' '.join(map(_word, step.words))}")
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
