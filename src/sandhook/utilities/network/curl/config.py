"""curl's files of options (-K), as the words of a command line.

Source: curl's manual, "-K, --config"; oracle: curl 7.88.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from sandhook.command.pieces import free, split_lines
from sandhook.limits import check_clock

_LINE_ENDS = " \t\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_LOOK = 0xFF  #: a mask: lines, or letters of an argument, between two looks at the clock
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "v": "\v"}


def words(text: str) -> Iterator[tuple[int, str, str | None]]:
    """Yield the number of a line, the option in it, with its dashes, and its argument."""
    lines = chain.from_iterable(split_lines(text, free))
    for number, line in enumerate(lines, 1):
        if not number & _LOOK:
            check_clock()
        line = line.strip(_LINE_ENDS)
        if not line or line.startswith("#"):
            continue
        end = 0
        while end < len(line) and line[end] not in " \t=:":
            end += 1
        name = line[:end]
        rest = line[end:].lstrip(" \t")
        if rest[:1] in ("=", ":"):
            rest = rest[1:].lstrip(" \t")
        if not name.startswith("-"):
            name = f"--{name}"
        yield number, name, _argument(rest) if rest else None


def _argument(text: str) -> str:
    """Return an argument: in double quotes, or up to the next blank."""
    if not text.startswith('"'):
        return text.split()[0]
    letters: list[str] = []
    index = 1
    while index < len(text) and text[index] != '"':
        if text[index] == "\\" and index + 1 < len(text):
            index += 1
            letters.append(_ESCAPES.get(text[index], text[index]))
        else:
            letters.append(text[index])
        index += 1
        if not index & _LOOK:
            check_clock()
    return "".join(letters)
