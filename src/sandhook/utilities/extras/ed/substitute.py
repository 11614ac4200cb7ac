"""The command s of ed."""

from __future__ import annotations

from sandhook.limits import Budget
from sandhook.pattern.posix import Regex
from sandhook.utilities.extras.ed.buffer import Buffer, EdError
from sandhook.utilities.extras.ed.parse import Compile, Parser, Part, fill

_PIECES = 4_096  #: pieces of a new line that are collected before they are joined


class Substitution:
    """The arguments of the last s command, which the next one may repeat."""

    def __init__(self, buffer: Buffer, parser: Parser, compile_: Compile, budget: Budget) -> None:
        self._buffer = buffer
        self._parser = parser
        self._compile = compile_
        self._budget = budget
        self._regex: Regex | None = None
        self._replacement: tuple[Part, ...] | None = None
        self._everywhere = False
        self._number = 1
        self._letters = b""

    def read(self) -> None:
        """Parse the arguments of an s command. Raises EdError."""
        parser = self._parser
        delimiter = parser.peek()
        if not delimiter or delimiter in b"glnpr0123456789":
            self._repeat()
            return
        if delimiter == b" ":
            raise EdError("Invalid pattern delimiter")
        parser.next()
        pattern_state = parser.state()
        regex = parser.pattern(delimiter, ends=True)
        replacement, closed = parser.replacement(delimiter, self._replacement)
        self._everywhere, self._number, self._letters = False, 1, b""
        icase = self._flags() if closed else False
        if not closed:
            self._letters = b"p"
        if icase:
            end_state = parser.state()
            parser.restore(pattern_state)
            text, _ = parser.until(delimiter)
            parser.restore(end_state)
            if text:
                regex = parser.regex = self._compile(text.decode("utf-8", "surrogateescape"), icase=True)
        self._regex, self._replacement = regex, replacement

    def _flags(self) -> bool:
        """Parse flags; return True when one is I. Raises EdError."""
        parser = self._parser
        icase = False
        while letter := parser.peek():
            if letter.isdigit():
                number = parser.number() or 0
                if not number:
                    raise EdError("Invalid command suffix")
                self._number = number
                continue
            parser.next()
            if letter == b"g":
                self._everywhere = True
            elif letter in b"iI":
                icase = True
            elif letter in b"lnp":
                self._letters += letter
            else:
                raise EdError("Invalid command suffix")
        return icase

    def _repeat(self) -> None:
        """Parse the suffixes of an s without pattern: g and p toggle, r means the last pattern. Raises EdError."""
        parser = self._parser
        if self._replacement is None:
            raise EdError("No previous substitution")
        while letter := parser.peek():
            if letter.isdigit():
                self._number, self._everywhere = max(parser.number() or 1, 1), False
                continue
            parser.next()
            if letter == b"g":
                self._everywhere = not self._everywhere
            elif letter == b"p":
                self._letters = b"" if self._letters else b"p"
            elif letter in b"ln":
                self._letters += letter
            elif letter == b"r":
                self._regex = parser.regex
            else:
                raise EdError("Invalid command suffix")

    def run(self, first: int, last: int, *, anywhere: bool) -> bytes:
        """Substitute in lines; return the letters l, n and p that print the last one. Raises EdError.

        Args:
            anywhere: A missing match is not an error, because a global command tries many lines.
        """
        assert self._regex is not None
        changed = False
        number, end = first, last
        while number <= end:
            self._budget.charge(1)
            text = self._substitute(self._buffer.text(number))
            if text is not None:
                lines = text.split(b"\n")
                self._buffer.replace(number, lines)
                changed = True
                number += len(lines) - 1
                end += len(lines) - 1
            number += 1
        if not changed:
            if not anywhere:
                raise EdError("No match")
            return b""
        return self._letters

    def _substitute(self, text: bytes) -> bytes | None:
        assert self._regex is not None
        assert self._replacement is not None
        pieces: list[bytes] = []
        blocks: list[bytes] = []
        at = 0
        size = 0
        for count, match in enumerate(self._regex.finditer(text, remaining=self._budget.remaining), 1):
            self._budget.charge(1)
            if count < self._number:
                continue
            start, end = match.span()
            replacement = fill(self._replacement, match)
            size += start - at + len(replacement)
            self._budget.check_fits(size)
            pieces += [text[at:start], replacement]
            if len(pieces) > _PIECES:  # a list of short pieces takes more memory than their text
                blocks.append(b"".join(pieces))
                pieces = []
            at = end
            if not self._everywhere:
                break
        if not pieces and not blocks:
            return None
        return b"".join([*blocks, *pieces, text[at:]])
