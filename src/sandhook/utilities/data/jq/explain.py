"""libjq's messages on a program with modules, with the author's line numbers; for both implementations."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.utilities.data.jq.linked import Linked, Part

_PLACE = " at <top-level>, line "


def explain(linked: Linked, compiled: Callable[[str], str]) -> str:
    """Return what libjq says of the first text that it does not accept; empty when it accepts all.

    Args:
        compiled: Compiles a program, and returns what libjq says of it.
    """
    for part in linked.parts:
        said = compiled(part.alone())
        if said:
            return _placed(said, part)
    return ""


def _placed(said: str, part: Part) -> str:
    """Return messages with the file and the line of a text, which was compiled one line further down."""
    assert part.text is not None
    lines = said.split("\n")
    original, blanked = part.original.split("\n"), part.text.blanked.split("\n")
    for index, line in enumerate(lines):
        head, place, rest = line.rpartition(_PLACE)
        digits = rest.partition(",")[0]
        if not place or not digits.isdigit():
            continue
        at = int(digits) - 2
        lines[index] = f"{head} at {part.name or '<top-level>'}, line {at + 1}{rest[len(digits) :]}"
        if 0 <= at < len(original) and lines[index + 1 : index + 2] == [f"    {blanked[at]}"]:
            lines[index + 1] = f"    {original[at]}"
    return "\n".join(lines)
