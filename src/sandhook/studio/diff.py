"""Differences of texts as rows, for a table of the page."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Literal

from sandhook.hooks.event import Json
from sandhook.record import Record

#: Characters of a text that is compared, and lines; what is longer is only said to differ.
MAX_TEXT = 400_000
MAX_LINES = 4_000

#: From so many lines on, frequent lines are no anchors: the comparison takes less time and finds more differences.
_MANY = 2_000

#: Equal lines that are shown around a difference.
_CONTEXT = 3

#: "gap" stands for equal lines that are left out.
RowKind = Literal["same", "add", "remove", "gap"]


class Row(Record):
    """One line of a difference; ``old`` and ``new`` are its numbers in both texts, from 1."""

    kind: RowKind
    old: int | None
    new: int | None
    text: str

    def json(self) -> Json:
        return {"kind": self.kind, "old": self.old, "new": self.new, "text": self.text}


def is_comparable(*texts: str) -> bool:
    """Return whether texts are short enough to be compared line by line."""
    return all(len(text) <= MAX_TEXT and text.count("\n") <= MAX_LINES for text in texts)


def difference(old: str, new: str, *, context: int = _CONTEXT) -> list[Row]:
    """Return the lines that differ with a few around them; [] for equal texts."""
    before, after = _lines(old), _lines(new)
    matcher = SequenceMatcher(None, before, after, autojunk=len(before) + len(after) > _MANY)
    rows: list[Row] = []
    last = 0
    for group in matcher.get_grouped_opcodes(context):
        if (skipped := group[0][1] - last) > 0:
            rows.append(Row("gap", None, None, _unchanged(skipped)))
        for tag, a, a_end, b, b_end in group:
            if tag == "equal":
                same = range(a_end - a)
                rows += [Row("same", a + at + 1, b + at + 1, _shown(before[a + at])) for at in same]
                continue
            rows += [Row("remove", at + 1, None, _shown(before[at])) for at in range(a, a_end)]
            rows += [Row("add", None, at + 1, _shown(after[at])) for at in range(b, b_end)]
        last = group[-1][2]
    if rows and (skipped := len(before) - last) > 0:
        rows.append(Row("gap", None, None, _unchanged(skipped)))
    return rows


def _lines(text: str) -> list[str]:
    """Return the lines with their ends, so that another end is a difference."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _shown(line: str) -> str:
    return line[:-1] if line.endswith("\n") else f"{line} (no line feed)"


def _unchanged(count: int) -> str:
    return f"{count} unchanged line{'' if count == 1 else 's'}"
