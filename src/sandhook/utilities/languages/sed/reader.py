"""The characters of a sed script: reading them, and saying where an error stands.

Source: POSIX.1-2024 XCU 3, sed. Oracle: GNU sed 4.9, also for the positions in its messages.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.languages.sed.script import Chunk, ScriptError

BLANKS = " \t\v\f\r"
SPACE = BLANKS + "\n"
_MOST = 2**62


class ScriptReader:
    """Goes over all chunks, joined by newlines, so that a command may go on in the next -e."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._text = "\n".join(chunk.text for chunk in chunks)
        self._ends: list[int] = []
        at = -1
        for chunk in chunks:
            at += len(chunk.text) + 1
            self._ends.append(at)
        self._at = 0

    def error(self, message: str) -> ScriptError:
        """Return an error at the last character that was read."""
        chunk, number, start, end = self._chunk_at(self._at - 1)
        place = min(self._at, end)
        if not chunk.file:
            position = len(self._text[start:place].encode("utf-8", "surrogateescape"))
            return ScriptError(f"-e expression #{number}, char {position}: {message}")
        line = self._text.count("\n", start, place) + 1
        if self._at and self._text[self._at - 1] == "\n" and self._at <= end:
            line -= 1
        return ScriptError(f"file {chunk.file} line {line}: {message}")

    def unmatched(self, place: int) -> ScriptError:
        """Return the error for a "{" without its end, which stands before offset ``place``."""
        chunk, number, start, _ = self._chunk_at(place)
        if chunk.file:
            line = self._text.count("\n", start, place) + 1
            return ScriptError(f"file {chunk.file} line {line}: unmatched `{{'")
        return ScriptError(f"-e expression #{number}, char 0: unmatched `{{'")

    def end_place(self) -> str:
        """Return what stands before the message of an error that shows while the script runs."""
        chunk, number, _, _ = self._chunk_at(len(self._text))
        if chunk.file:
            return f"file {chunk.file} line {chunk.text.count(chr(10)) + 1}"
        return f"-e expression #{number}, char 0"

    def _chunk_at(self, place: int) -> tuple[Chunk, int, int, int]:
        """Return the chunk that an offset is in, its number from 1, and where it begins and ends."""
        start = 0
        for number, (chunk, end) in enumerate(zip(self._chunks, self._ends), 1):
            if place <= end or number == len(self._ends):
                return chunk, number, start, end
            start = end + 1
        raise AssertionError("a script without text")

    def _next(self) -> str:
        letter = self._text[self._at : self._at + 1]
        self._at += len(letter)
        return letter

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip(self, letters: str = BLANKS) -> None:
        while self._peek() and self._peek() in letters:
            self._at += 1

    def _digit(self) -> bool:
        return self._peek().isdecimal() and self._peek().isascii()

    def _number(self) -> int:
        start = self._at
        while self._digit():
            self._at += 1
        digits = self._text[start : self._at].lstrip("0")
        return int(digits or "0") if len(digits) < 19 else _MOST

    def _delimited(self, delimiter: str, *, regex: bool) -> str | None:
        """Read up to the delimiter, which is ordinary within brackets of a regular expression.

        A quoted delimiter loses its backslash, ``\\n`` in a regular expression becomes a newline.
        """
        out: list[str] = []
        while True:
            letter = self._next()
            if not letter or (letter == "\n" and regex):
                self._at -= len(letter)
                return None
            if letter == delimiter:
                return "".join(out)
            if letter == "\\":
                letter = self._next()
                if not letter:
                    return None
                if letter == "n" and regex and delimiter != "n":
                    letter = "\n"
                elif letter != delimiter or (letter == "&" and not regex):
                    out.append("\\")
                out.append(letter)
            elif letter == "[" and regex:
                inside = self._bracket()
                if inside is None:
                    return None
                out.append(inside)
            else:
                out.append(letter)

    def _bracket(self) -> str | None:
        """Read a bracket expression whose "[" has been read; None if it has no end."""
        out = ["["]
        if self._peek() == "^":
            out.append(self._next())
        if self._peek() == "]":
            out.append(self._next())
        while True:
            letter = self._next()
            if not letter or letter == "\n":
                return None
            if letter == "\\" and self._peek() == "n":
                self._at += 1
                letter = "\n"
            elif letter == "\\" and self._peek() == "\\":
                letter += self._next()
            elif letter == "[" and self._peek() and self._peek() in ":.=":
                end = self._text.find(self._peek() + "]", self._at + 1)
                if end >= 0:
                    letter += self._text[self._at : end + 2]
                    self._at = end + 2
            out.append(letter)
            if letter == "]":
                return "".join(out)
