"""curl's files of options (-K), as the words of a command line.

Source: curl's manual, "-K, --config"; oracle: curl 7.88.1.
"""

from __future__ import annotations

from collections.abc import Iterator

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "v": "\v"}


def words(text: str) -> Iterator[tuple[int, str, str | None]]:
    """Yield the number of a line, the option in it, with its dashes, and its argument."""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip(" \t\r")
        if not line or line.startswith("#"):
            continue
        at = 0
        while at < len(line) and line[at] not in " \t=:":
            at += 1
        name = line[:at]
        rest = line[at:].lstrip(" \t")
        if rest[:1] in ("=", ":"):
            rest = rest[1:].lstrip(" \t")
        if not name.startswith("-"):
            name = f"--{name}"
        yield number, name, _argument(rest) if rest else None


def _argument(text: str) -> str:
    """Return an argument: in double quotes, or up to the next blank."""
    if not text.startswith('"'):
        return text.split()[0]
    made: list[str] = []
    at = 1
    while at < len(text) and text[at] != '"':
        if text[at] == "\\" and at + 1 < len(text):
            at += 1
            made.append(_ESCAPES.get(text[at], text[at]))
        else:
            made.append(text[at])
        at += 1
    return "".join(made)
