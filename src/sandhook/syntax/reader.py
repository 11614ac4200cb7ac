"""The text that is parsed, the position in it, and errors with their place."""

from __future__ import annotations

import re
from bisect import bisect_right
from operator import itemgetter

from sandhook.errors import ErrorPlace, LimitExceeded, Repeats, ShellSyntaxError
from sandhook.limits import check_clock, check_fits
from sandhook.syntax.options import ParseOptions
from sandhook.typed import NoReturn

_START = itemgetter(0)
_CONTINUATIONS = re.compile(r"(?>\\\n)++")
_BLANK = re.compile(r"(?>[ \t]++|\\\n)++")
_BLANK_CR = re.compile(r"(?>[ \t]++|\\\r?\n|\r(?=\n))++")

#: Tokens, or pieces of a word, between two looks at the clock of the run; one costs 1 to 10 microseconds.
PIECES = 64

#: Bytes that the tree and the closures need for a token or a piece of a word.
_PIECE_BYTES = 512

#: Characters that replacements in one text may move: each moves the whole rest of the text.
MAX_MOVED = 1 << 28


#: Levels of nesting, whatever the options allow. The compiled parser needs up to 1.8 KB of stack for one, and a thread
#: may have half a megabyte.
MAX_NESTING = 200


class ReadWarning:
    """What bash prints without failing when it reads a text.

    Attributes:
        line: The 1-based line that was read last.
        text: What is wrong.
        document: The line of the here-document that it is about; 0 for another warning.
    """

    __slots__ = ("document", "line", "text")

    def __init__(self, line: int, text: str, document: int = 0) -> None:
        self.line = line
        self.text = text
        self.document = document

    def message(self, first: int) -> str:
        """Return the words of a warning in a text that begins at the line ``first``."""
        return (
            f"here-document at line {self.document + first - 1} {self.text}" if self.document else self.text
        )


class Reader:
    """A text with a position.

    Attributes:
        text: The text, always ending in a newline.
        length: Characters of ``text``.
        newline_added: The source does not end in a newline.
        position: 0-based offset of the next character to read.
        depth: Brackets, quotes and compound commands now open.
        deepest: The most that were open at once in the unit, or in the command substitution that is read.
        warnings: What bash would print without failing, in order.
        splices: What aliases replaced, in order: (start, end) in the text, (start, end) in the source.
    """

    def __init__(self, text: str, name: str, options: ParseOptions) -> None:
        size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if size > options.max_bytes:
            raise LimitExceeded("script_bytes", options.max_bytes, name)
        self.source = text
        self.name = name
        self.options = options
        self.use_source(0)
        self.depth = self.deepest = 0
        self.carriage_returns = options.tolerate_cr and "\r\n" in text
        self.warnings: list[ReadWarning] = []
        self._blank = (_BLANK_CR if self.carriage_returns else _BLANK).match
        self._newlines: list[int] | None = None
        self.splices: list[tuple[int, int, int, int]] = []
        self._moved = 0
        self.piece_count = 0  # of the present unit

    def count_piece(self) -> None:
        """Count a token or a piece of a word. Raises LimitExceeded after the deadline, and when the tree does not fit."""
        self.piece_count += 1
        if not self.piece_count % PIECES:
            self.check_pieces()

    def check_pieces(self) -> None:
        """Raise LimitExceeded after the deadline, and when the tree of what was read does not fit."""
        check_clock()
        check_fits(self.piece_count * _PIECE_BYTES)

    def forget_piece(self) -> None:
        """Forget pieces that left nothing in the tree; looks at the clock go on."""
        self.piece_count %= PIECES

    def use_source(self, position: int) -> None:
        """Read the source itself from ``position`` on."""
        source = self.source
        self.newline_added = not source.endswith("\n")
        self.text = source + "\n" if self.newline_added else source
        self.length = len(self.text)
        self.position = position

    def skip_blanks(self) -> int:
        """Move ``position`` past blanks and line continuations, and return it."""
        match = self._blank(self.text, self.position)
        if match:
            self.position = match.end()
        return self.position

    def line_at(self, offset: int) -> int:
        """Return the 1-based line in the source of an offset in the text."""
        newlines = self._newlines
        if newlines is None:
            newlines = self._newlines = []
            at = self.source.find("\n")
            while at >= 0:
                newlines.append(at)
                at = self.source.find("\n", at + 1)
            if not self.source.endswith("\n"):
                newlines.append(len(self.source))
        if self.splices:
            offset = self.in_source(offset, False)
        if not newlines or offset <= newlines[0]:
            return 1
        return bisect_right(newlines, offset - 1) + 1

    def after_continuations(self, at: int) -> int:
        """Return the offset after blanks and line continuations, and after those that follow an operator of one character."""
        text = self.text
        match = self._blank(text, at)
        at = match.end() if match else at
        following = _CONTINUATIONS.match(text, at + 1) if text[at : at + 1] in ("|", "&", ";") else None
        return at if following is None else following.end()

    def is_divided(self, start: int, end: int) -> bool:
        """Return True if a span of the text has more than one line of the source."""
        if self.splices:
            return self.line_at(start) != self.line_at(end)
        return self.text.find("\n", start, end) >= 0

    def in_source(self, offset: int, end: bool) -> int:
        """Return the offset in the source of one in the text.

        Args:
            offset: 0-based.
            end: It is the end of a span, so that one within an alias' value means the end of
                the alias' name.
        """
        index = bisect_right(self.splices, offset, key=_START) - 1
        if index < 0:
            return offset
        text_start, text_end, source_start, source_end = self.splices[index]
        if offset >= text_end:
            return offset - text_end + source_end
        return source_end if end and offset > text_start else source_start

    def splice(self, start: int, end: int, value: str) -> None:
        """Replace the text from ``start`` to ``end`` by ``value``."""
        change = len(value) - (end - start)
        self.text = self.text[:start] + value + self.text[end:]
        self.length += change
        index = bisect_right(self.splices, start, key=_START)
        source = self.in_source(start, False), self.in_source(end, True)
        later = [(s + change, e + change, first, last) for s, e, first, last in self.splices[index:]]
        if index and start < self.splices[index - 1][1]:  # within a value, which only grows
            index -= 1
            text_start, text_end, source_start, source_end = self.splices[index]
            merged = (text_start, max(text_end, end) + change, source_start, max(source_end, source[1]))
        else:
            merged = (start, start + len(value), *source)
        self.splices[index:] = [merged, *later]

    def charge_move(self, change: int, what: str) -> None:
        """Raise LimitExceeded when replacing made the text too long, or moved too much of it."""
        self._moved += len(self.text)
        limit = self.options.max_bytes
        if self.length + change > limit or self._moved > MAX_MOVED:
            raise LimitExceeded("script_bytes", limit, what)

    def leave_splices(self) -> None:
        """Return to the source itself, after what was read."""
        if self.splices:
            position = self.in_source(self.position, True)
            self.splices.clear()
            self.use_source(position)

    def unfold(self, at: int) -> None:
        """Remove the line continuations at ``at`` from the text, so that a token continues after them."""
        match = _CONTINUATIONS.match(self.text, at)
        if match:
            self.charge_move(0, "line continuations")
            # the newline that ends every text stays, also after a backslash at the end of the source
            self.splice(at, match.end(), "" if match.end() < self.length else "\n")

    def enter(self) -> None:
        """Count one more level of nesting; the caller subtracts it from ``depth`` afterwards.

        Raises:
            LimitExceeded: More than ``options.nesting`` levels, or ``MAX_NESTING``.
        """
        self.depth += 1
        if self.depth > self.deepest:
            self.check_nesting(self.depth)

    def check_nesting(self, depth: int) -> None:
        """Record that so many levels are open at once. Raises LimitExceeded for too many."""
        self.deepest = max(depth, self.deepest)
        limit = min(self.options.nesting, MAX_NESTING)
        if depth > limit:
            where = f"{self.name or 'line'}:{self.line_at(self.position)}"
            raise LimitExceeded("nesting", limit, where)

    def fail(
        self,
        message: str,
        span: tuple[int, int],
        *,
        token: str = "",
        line: int | None = None,
        incomplete: bool = False,
        where: ErrorPlace = "",
        repeats: Repeats = "",
    ) -> NoReturn:
        """Raise ShellSyntaxError; ``line`` is the line that bash names, if not the span's."""
        start, end = self.in_source(span[0], False), self.in_source(span[1], True)
        line = self.line_at(span[0]) if line is None else line
        start, end = min(start, len(self.source)), min(end, len(self.source))
        raise ShellSyntaxError(
            message,
            source=self.source,
            span=(start, end),
            line=line,
            column=start - (self.source.rfind("\n", 0, start) + 1) + 1,
            token=token,
            name=self.name,
            incomplete=incomplete,
            where=where,
            repeats=repeats,
        )

    def unmatched(self, wanted: str, start: int, where: ErrorPlace = "") -> NoReturn:
        """Raise for a quote or bracket opened at ``start`` and never closed."""
        self.fail(
            f"unexpected EOF while looking for matching `{wanted}'",
            (start, self.length),
            incomplete=True,
            where=where or "quote",
        )
