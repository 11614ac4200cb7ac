"""libjq's messages about a program with modules, with the line numbers of the source; for both implementations."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.text.numbers import is_number
from sandhook.utilities.data.jq.linked import Linked, Part

_PLACE = " at <top-level>, line "


def explain(linked: Linked, compile_text: Callable[[str], str]) -> str:
    """Return libjq's messages for the first text that does not compile; empty when all compile.

    Args:
        compile_text: Compiles a program and returns libjq's messages.
    """
    for part in linked.parts:
        messages = compile_text(part.compilable_text())
        if messages:
            return _with_positions(messages, part)
    return ""


def _with_positions(messages: str, part: Part) -> str:
    """Correct file and line in messages about a text, which was compiled one line further down."""
    assert part.text is not None
    lines = messages.split("\n")
    original, blanked = part.original.split("\n"), part.text.blanked_text.split("\n")
    for index, line in enumerate(lines):
        head, place, rest = line.rpartition(_PLACE)
        digits = rest.partition(",")[0]
        if not place or not is_number(digits):
            continue
        at = int(digits) - 2
        lines[index] = f"{head} at {part.name or '<top-level>'}, line {at + 1}{rest[len(digits) :]}"
        if 0 <= at < len(original) and lines[index + 1 : index + 2] == [f"    {blanked[at]}"]:
            lines[index + 1] = f"    {original[at]}"
    return "\n".join(lines)
