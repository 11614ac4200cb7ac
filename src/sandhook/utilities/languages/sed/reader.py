"""The characters of a sed script, and the positions of errors.

Source: POSIX.1-2024 XCU 3, sed. Oracle: GNU sed 4.9, also for the positions in its messages.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.languages.sed.script import Chunk, ScriptError

BLANKS = " \t\v\f\r"
SPACE = BLANKS + "\n"
_MAX_NUMBER = 2**62


class ScriptReader:
    """Reads all chunks, joined by newlines, so that a command may continue in the next -e.

    Attributes:
        text: The whole script.
        at: Offset of the next character.
        chunk_ends: Offsets of the ends of the chunks.
    """

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self.text = "\n".join(chunk.text for chunk in chunks)
        self.chunk_ends: list[int] = []
        at = -1
        for chunk in chunks:
            at += len(chunk.text) + 1
            self.chunk_ends.append(at)
        self.at = 0

    def error(self, message: str) -> ScriptError:
        """Return an error at the last character that was read."""
        chunk, number, start, end = self._chunk_at(self.at - 1)
        place = min(self.at, end)
        if not chunk.file:
            position = len(self.text[start:place].encode("utf-8", "surrogateescape"))
            return ScriptError(f"-e expression #{number}, char {position}: {message}")
        line = self.text.count("\n", start, place) + 1
        if self.at and self.text[self.at - 1] == "\n" and self.at <= end:
            line -= 1
        return ScriptError(f"file {chunk.file} line {line}: {message}")

    def unmatched_error(self, place: int) -> ScriptError:
        """Return the error for a "{" before offset ``place`` that is not closed."""
        chunk, number, start, _ = self._chunk_at(place)
        if chunk.file:
            line = self.text.count("\n", start, place) + 1
            return ScriptError(f"file {chunk.file} line {line}: unmatched `{{'")
        return ScriptError(f"-e expression #{number}, char 0: unmatched `{{'")

    def end_place(self) -> str:
        """Return the position that messages at run time begin with."""
        chunk, number, _, _ = self._chunk_at(len(self.text))
        if chunk.file:
            return f"file {chunk.file} line {chunk.text.count(chr(10)) + 1}"
        return f"-e expression #{number}, char 0"

    def _chunk_at(self, place: int) -> tuple[Chunk, int, int, int]:
        """Return the chunk that contains an offset, its 1-based number, its beginning and its end."""
        start = 0
        for number, (chunk, end) in enumerate(zip(self._chunks, self.chunk_ends), 1):
            if place <= end or number == len(self.chunk_ends):
                return chunk, number, start, end
            start = end + 1
        raise AssertionError("a script without text")

    def next(self) -> str:
        """Return the next character and move past it; "" at the end."""
        letter = self.text[self.at : self.at + 1]
        self.at += len(letter)
        return letter

    def peek(self) -> str:
        """Return the next character, "" at the end."""
        return self.text[self.at : self.at + 1]

    def skip(self, letters: str = BLANKS) -> None:
        """Move past characters, by default blanks."""
        while self.peek() and self.peek() in letters:
            self.at += 1

    def at_digit(self) -> bool:
        """Return True when the next character is a digit."""
        return self.peek().isdecimal() and self.peek().isascii()

    def number(self) -> int:
        """Parse digits; a number that is too large becomes ``2**62``."""
        start = self.at
        while self.at_digit():
            self.at += 1
        digits = self.text[start : self.at].lstrip("0")
        return int(digits or "0") if len(digits) < 19 else _MAX_NUMBER

    def until_delimiter(self, delimiter: str, *, regex: bool) -> str | None:
        """Return the text up to the delimiter and move past it; None when there is no delimiter.

        In brackets of a regular expression the delimiter is an ordinary character. An escaped delimiter
        loses its backslash; ``\\n`` in a regular expression becomes a newline.
        """
        out: list[str] = []
        while True:
            letter = self.next()
            if not letter or letter == "\n":
                self.at -= len(letter)
                return None
            if letter == delimiter:
                return "".join(out)
            if letter == "\\":
                letter = self.next()
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
        """Return the bracket expression after its "[" and move past it; None when it is not closed."""
        out = ["["]
        if self.peek() == "^":
            out.append(self.next())
        if self.peek() == "]":
            out.append(self.next())
        while True:
            letter = self.next()
            if not letter or letter == "\n":
                return None
            if letter == "\\" and self.peek() == "n":
                self.at += 1
                letter = "\n"
            elif letter == "\\" and self.peek() == "\\":
                letter += self.next()
            elif letter == "[" and self.peek() and self.peek() in ":.=":
                end = self.text.find(self.peek() + "]", self.at + 1)
                if end < 0:
                    line_end = self.text.find("\n", self.at)
                    self.at = len(self.text) if line_end < 0 else line_end
                    return None
                letter += self.text[self.at : end + 2]
                self.at = end + 2
            out.append(letter)
            if letter == "]":
                return "".join(out)
