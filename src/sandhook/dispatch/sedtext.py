"""Whether a program of sed starts programs: GNU sed's command ``e``, and the flag ``e`` of ``s``.

Source: POSIX.1-2024 XCU 3, sed; the manual of GNU sed 4.9, sections 3 and 4.
"""

from __future__ import annotations

#: Commands with a file name, a text or a comment up to the end of the line.
_TO_LINE_END = "aicrRwW#"

#: Commands with a label, which ends at white space or a semicolon.
_LABELS = "btT:v"

#: Commands with at most a number.
_PLAIN = "dDgGhHnNpPqQlLxzF="


def runs_commands(text: str) -> bool:
    """Return True if a program starts others, and for a text that is not understood.

    A delimiter in brackets ends an expression in sed 4.8 and does not in sed 4.9: both are tried.
    """
    return any(_runs(text, brackets) for brackets in (True, False) if brackets or "[" in text)


def _runs(text: str, brackets: bool) -> bool:
    try:
        return _Program(text, brackets).runs()
    except IndexError:  # an end where more was expected
        return True


class _Program:
    def __init__(self, text: str, brackets: bool) -> None:
        self._text = text
        self._at = 0
        self._brackets = brackets

    def runs(self) -> bool:
        """Read commands up to the end of the text."""
        while True:
            self._skip(" \t\n;{}")
            if self._at >= len(self._text):
                return False
            self._addresses()
            letter = self._text[self._at]
            self._at += 1
            if letter == "s" and self._substitution():
                return True
            if letter == "y":
                self._two_parts()
            elif letter in _TO_LINE_END:
                self._line(continued=letter in "aic")
            elif letter in _LABELS:
                self._skip(" \t")
                while self._text[self._at : self._at + 1].strip("; \t\n"):
                    self._at += 1
            elif letter in _PLAIN:
                self._skip(" \t0123456789")
            elif letter not in "s{}":
                return True  # e, and what is not known

    def _skip(self, letters: str) -> None:
        while self._text[self._at : self._at + 1] and self._text[self._at] in letters:
            self._at += 1

    def _addresses(self) -> None:
        while self._text[self._at] in "0123456789$/\\,~+!IM \t":
            letter = self._text[self._at]
            if letter == "\\":
                self._at += 1
            if letter in "/\\":
                self._delimited()
            else:
                self._at += 1

    def _substitution(self) -> bool:
        self._two_parts()
        start = self._at
        self._skip("gpiImMe0123456789")
        if "e" in self._text[start : self._at]:
            return True
        if self._text[self._at : self._at + 1] == "w":
            self._line(continued=False)
        return False

    def _two_parts(self) -> None:
        """Read the parts of s and y, which share the delimiter in their middle."""
        self._delimited()
        self._at -= 1
        brackets, self._brackets = self._brackets, False
        self._delimited()
        self._brackets = brackets

    def _delimited(self) -> None:
        """Read from a delimiter to the next one, and stop after it."""
        end = self._text[self._at]
        if end in "\n\\":
            raise IndexError
        self._at += 1
        while self._text[self._at] != end:
            if self._text[self._at] == "[" and self._brackets:
                self._bracket()
            else:
                self._at += 2 if self._text[self._at] == "\\" else 1
        self._at += 1

    def _bracket(self) -> None:
        """Read a bracket expression."""
        self._at += 1
        self._at += self._text[self._at] == "^"
        self._at += self._text[self._at] == "]"
        while self._text[self._at] != "]":
            inner = self._text[self._at : self._at + 2]
            if inner in ("[:", "[.", "[="):
                self._at = self._text.find(inner[1] + "]", self._at + 2)
                if self._at < 0:
                    raise IndexError
                self._at += 2
            else:
                self._at += 1
        self._at += 1

    def _line(self, *, continued: bool) -> None:
        """Read to the end of the line; of the first one without a backslash before it, when lines continue."""
        while True:
            end = self._text.find("\n", self._at)
            self._at = len(self._text) if end < 0 else end
            if end < 0 or not continued or self._text[end - 1] != "\\":
                return
            self._at += 1
