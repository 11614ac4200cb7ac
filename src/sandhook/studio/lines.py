"""Saves an edited text with the line ends and the byte order mark that its file has."""

from __future__ import annotations

from difflib import SequenceMatcher

_BOM = b"\xef\xbb\xbf"


def with_line_ends(old: bytes, text: str) -> bytes:
    """Return a text as bytes with the line ends of the file that it replaces.

    A line that stays keeps its own end. A new line gets that of the line before, or the first one of the file.

    Args:
        old: The file as it is.
        text: The new text, whose lines end in line feeds.
    """
    mark = _BOM if old.startswith(_BOM) else b""
    ends = _ends(old)
    if "\r\n" not in ends:
        return mark + text.encode("utf-8")
    lines = text.split("\n")
    if "\n" not in ends:
        return mark + "\r\n".join(lines).encode("utf-8")
    before = old.removeprefix(_BOM).decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    kept: dict[int, str] = {}
    for block in SequenceMatcher(None, before, lines, autojunk=False).get_matching_blocks():
        for at in range(block.size):
            if block.a + at < len(ends):
                kept[block.b + at] = ends[block.a + at]
    pieces, end = [], ends[0]
    for number, line in enumerate(lines[:-1]):
        end = kept.get(number, end)
        pieces.append(line + end)
    return mark + "".join([*pieces, lines[-1]]).encode("utf-8")


def _ends(data: bytes) -> list[str]:
    """Return the end of each line."""
    return ["\r\n" if line.endswith(b"\r") else "\n" for line in data.split(b"\n")[:-1]]
