"""Splitting a line that read has read: for some variables, the last of which takes the rest, or for an array.

Source: POSIX.1-2024 XCU 3 read, 2.6.5. ``escaped`` holds the offsets of characters that a backslash protects.
"""

from __future__ import annotations

WHITE = " \t\n"


class Splitter:
    """Takes fields off a line, one after the other; escaped characters never separate."""

    __slots__ = ("_escaped", "_ifs", "_text", "_white", "at")

    def __init__(self, text: str, escaped: frozenset[int], ifs: str) -> None:
        self._text = text
        self._escaped = escaped
        self._ifs = ifs
        self._white = "".join(letter for letter in ifs if letter in WHITE)
        self.at = 0
        self._skip_white()

    def _separates(self, index: int, letters: str) -> bool:
        return self._text[index] in letters and index not in self._escaped

    def _skip_white(self) -> None:
        text = self._text
        while self.at < len(text) and self._separates(self.at, self._white):
            self.at += 1

    def more(self) -> bool:
        return self.at < len(self._text)

    def field(self) -> str:
        """Return the next field, and skip the delimiter after it."""
        text = self._text
        start = self.at
        end = start
        while end < len(text) and not self._separates(end, self._ifs):
            end += 1
        self.at = end
        self._skip_white()
        if self.more() and self._separates(self.at, self._ifs) and not self._separates(self.at, self._white):
            if self.at > end and text[self.at] > "\x7f":
                return text[start:end]  # a character of several bytes is a delimiter apart from blanks
            self.at += 1
            self._skip_white()
        return text[start:end]

    def rest(self) -> str:
        """Return the rest: one field without its delimiter, or several with those between."""
        start = self.at
        only = self.field()
        if not self.more():
            return only
        end = len(self._text)
        while end > start and self._separates(end - 1, self._white):
            end -= 1
        self.at = len(self._text)
        return self._text[start:end]


def split_into(text: str, escaped: frozenset[int], ifs: str, count: int) -> list[str]:
    """Split a line for ``count`` variables; the last one takes what is left, missing ones are ""."""
    if not ifs:
        return [text] + [""] * (count - 1)
    if not escaped:
        quick = _split_quickly(text, ifs, count)
        if quick is not None:
            return quick
    splitter = Splitter(text, escaped, ifs)
    values = []
    for _ in range(count - 1):
        values.append(splitter.field() if splitter.more() else "")
    values.append(splitter.rest() if splitter.more() else "")
    return values


def _split_quickly(text: str, ifs: str, count: int) -> list[str] | None:
    """Split with the methods of str, which know two kinds of IFS: blanks alone, or one other character."""
    if ifs == WHITE:
        if "\t" in text or "\n" in text:
            return None
        text = text.strip(" ")
        if "  " in text:
            values: list[str] = []
            while len(values) < count - 1:
                field, _, text = text.partition(" ")
                values.append(field)
                text = text.lstrip(" ")
            return [*values, text]
        values = text.split(" ", count - 1)
    elif len(ifs) == 1 and ifs not in WHITE:
        values = text.split(ifs, count - 1)
        if len(values) == count and values[-1].find(ifs) == len(values[-1]) - 1:
            values[-1] = values[-1][:-1]  # one field, and its delimiter
    else:
        return None
    return values + [""] * (count - len(values))


def split_all(text: str, escaped: frozenset[int], ifs: str) -> list[str]:
    """Split a line into all its fields (read -a)."""
    if not ifs:
        return [text] if text else []
    if not escaped:
        if ifs == WHITE and "\t" not in text and "\n" not in text:
            return [field for field in text.split(" ") if field]
        if len(ifs) == 1 and ifs not in WHITE:
            fields = text.split(ifs)
            return fields if fields[-1] else fields[:-1]
    splitter = Splitter(text, escaped, ifs)
    values = []
    while splitter.more():
        values.append(splitter.field())
    return values
