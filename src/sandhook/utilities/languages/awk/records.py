"""Division of input into records, and of records into fields: RS, FS, FPAT and FIELDWIDTHS.

Source: POSIX.1-2024 XCU 3, awk, "regular expressions as field separators"; gawk 5.2 manual, "Records" and "Fields".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sandhook.command.context import Reader
from sandhook.command.pieces import PIECE
from sandhook.lazy import lazily
from sandhook.limits import Budget
from sandhook.text.numbers import is_number
from sandhook.utilities.languages.awk.regex import COUNTED, Matching, Pattern, escape, pattern
from sandhook.utilities.languages.awk.values import Fatal

PIECE_BYTES = 64  #: memory for a short string and its place in a list
#: Charges for the pieces of a text, whose number is the argument, before there are so many.
CountPieces = Callable[[int], None]
Splitter = Callable[[str, CountPieces], list[str]]

#: Characters that str.split() may treat as blanks, unlike awk.
ODD = lazily(r"[^\t\n -~]")
_BLANKS = lazily(r"[ \t\n]+")
_WORD = lazily(r"\S+")
_MAX_WIDTH = 2**32 - 1


def piece_counter(budget: Budget) -> CountPieces:
    """Return a function that checks that so many pieces of a text fit, and charges steps for some of them."""

    def count_pieces(count: int) -> None:
        budget.check_fits(PIECE_BYTES * count)
        budget.charge(COUNTED)

    return count_pieces


class Source:
    """One input, divided into records. The separator may change between records.

    Attributes:
        lines: Records in memory; a record that is read is removed from the iterator.
        terminators: RT of each record of ``lines``; when it is exhausted, the remaining records end with RS.
    """

    def __init__(self, reader: Reader, separator: str, matching: Matching) -> None:
        self.reader = reader
        self.lines: Iterator[str] = iter(())
        self.terminators: Iterator[str] = iter(())
        self._blocks: Iterator[bytes] | None = None
        self._data = b""  #: input for a regular expression; the part before ``_at`` is used
        self._at = 0
        self._is_searched = self._at_end = self._has_content = False
        self.separator = separator
        self._matching = matching

    def close(self) -> None:
        self.reader.close()

    def set_separator(self, separator: str, matching: Matching) -> None:
        """Change RS for the input that was not returned as records yet."""
        if (separator, matching) == (self.separator, self._matching):
            return
        remaining = list(self.lines)
        terminators = list(self.terminators)
        self.reader.unread(self._data[self._at :])
        if remaining:
            delimiter = self.separator if len(self.separator) == 1 else ""
            terminators = terminators[-len(remaining) :] or [delimiter] * len(remaining)
            text = "".join([line + terminator for line, terminator in zip(remaining, terminators)])
            self.reader.unread(text.encode("utf-8", "surrogateescape"))
        self._data = b""
        self._at = 0
        self._is_searched = self._at_end = self._has_content = False
        self.lines = self.terminators = iter(())
        self._blocks = None
        self.separator = separator
        self._matching = matching

    def next(self) -> tuple[str, str] | None:
        """Return the next record and its RT, or None at the end."""
        while True:
            line = next(self.lines, None)
            if line is not None:
                return line, next(self.terminators, self.separator)
            if not self.more():
                return None

    def more(self) -> int:
        """Read a block into ``lines``; return the number of records, 0 at the end."""
        separator = self.separator
        if len(separator) == 1 and separator.isascii():
            return self._read_delimited(separator)
        return self._read_by_regex(separator)

    def _read_delimited(self, separator: str) -> int:
        delimiter = separator.encode()
        if self._blocks is None:
            self._blocks = self.reader.blocks(delimiter)
        block = next(self._blocks, None)
        if block is None:
            return 0
        text = self._decode(block)
        lines = text.split(separator)
        if not lines[-1]:
            lines.pop()
            self.terminators = iter(())
        else:  # the last record is not terminated
            terminators = [separator] * len(lines)
            terminators[-1] = ""
            self.terminators = iter(terminators)
        self.reader.charge(len(lines))
        self.lines = iter(lines)
        return len(lines)

    def _read_by_regex(self, separator: str) -> int:
        """Divide the input by a regular expression, or by empty lines; return the number of complete records."""
        regex = self._expression(separator).regex
        records: list[bytes] = []
        terminators: list[bytes] = []
        while not records:
            if (not self._data or self._is_searched) and not self._read_more():
                break
            data, at = self._data, self._at
            if not separator and not self._has_content:
                at = len(data) - len(data[at:].lstrip(b"\n"))
                self._has_content = at < len(data)
            self.reader.charge(1 + (len(data) - at >> 12))
            while at < len(data) and (match := regex.search(data, at)) is not None:
                start, end = match.span()
                if end == start or (end == len(data) and not self._at_end):
                    break  # more input may extend the match
                records.append(data[at:start])
                terminators.append(data[start:end])
                at = end
            self._at = at
            self._is_searched = True
        if not records and self._at < len(self._data):
            records.append(self._data[self._at :])
            terminators.append(b"")
            self._at = len(self._data)
            if not separator and records[0].endswith(b"\n"):
                records[0], terminators[0] = records[0][:-1], b"\n"
        self.reader.charge(len(records))
        self.lines = iter(list(map(self._decode, records)))
        self.terminators = iter(list(map(self._decode, terminators)))
        return len(records)

    def _decode(self, data: bytes) -> str:
        return data.decode("ascii" if self._matching.bytewise else "utf-8", "surrogateescape")

    def _read_more(self) -> bool:
        """Read at least as many bytes as are not divided yet; return False at the end."""
        if self._at_end:
            return False
        start = max(0, self._at - 4)  # for expressions that test the character before
        pieces = [self._data[start:]]
        size, target_size = len(pieces[0]), 2 * (len(self._data) - self._at)
        while True:
            piece = self.reader.read()
            self._at_end = not piece
            size += len(piece)
            self.reader.check_fits(size)
            pieces.append(piece)
            if self._at_end or size >= target_size or not self.reader.description.ready():
                break
        self._at -= start
        self._data = b"".join(pieces)
        self._is_searched = False
        return True

    def _expression(self, separator: str) -> Pattern:
        if not separator:
            return pattern("\n\n+")
        return pattern(escape(separator) if len(separator) == 1 else separator, self._matching)


# --------------------------------------------------------------------------- fields


def record_splitter(
    variable: str, text: str, matching: Matching, *, paragraphs: bool, empty_divides: bool
) -> Splitter:
    """Return a function that splits a record.

    Args:
        variable: "FS", "FPAT" or "FIELDWIDTHS".
        text: Its value.
        paragraphs: See ``splitter``.
        empty_divides: An empty FS divides into characters.
    """
    if variable == "FPAT":
        return by_content(pattern(text, matching))
    if variable == "FIELDWIDTHS":
        return by_widths(text)
    return splitter(text, matching, paragraphs) if text or empty_divides else _whole_record


def _whole_record(record: str, count_pieces: CountPieces) -> list[str]:
    return [record] if record else []


def splitter(separator: str, matching: Matching, paragraphs: bool) -> Splitter:
    """Return a function that splits a record by FS.

    Args:
        paragraphs: RS is empty, so a newline separates fields too.
    """
    if separator == " ":
        return split_blanks
    if paragraphs and len(separator) == 1 and separator != "\n":
        return by_pattern(pattern(f"{escape(separator)}|\n", matching))
    if len(separator) == 1 and separator != "\\":
        return by_character(separator)
    if not separator:
        return split_characters
    return by_pattern(pattern(escape(separator) if len(separator) == 1 else separator, matching))


def by_character(separator: str) -> Splitter:
    """Return a function that splits at a character."""

    def split(record: str, count_pieces: CountPieces) -> list[str]:
        if len(record) > PIECE:
            count_pieces(record.count(separator))
        return record.split(separator) if record else []

    return split


def split_characters(record: str, count_pieces: CountPieces) -> list[str]:
    """Split into characters."""
    if len(record) > PIECE:
        count_pieces(len(record) if not record.isascii() else len(record) >> 3)
    return list(record)


def split_blanks(record: str, count_pieces: CountPieces) -> list[str]:
    """Split at blanks and newlines; those at both ends are dropped."""
    if len(record) > PIECE:
        return _split_long(record, count_pieces)
    return _split_short(record)


def _split_long(record: str, count_pieces: CountPieces) -> list[str]:
    """Split a long record at blanks, a piece at a time: their number is not known before."""
    fields: list[str] = []
    start = 0
    while start < len(record):
        blank = _BLANKS.search(record, start + PIECE)
        end = blank.start() if blank is not None else len(record)
        count_pieces(len(fields))
        fields += _split_short(record[start:end])
        start = end
    count_pieces(len(fields))
    return fields


def _split_short(record: str) -> list[str]:
    if (record.isascii() and record.isprintable()) or ODD.search(record) is None:
        return record.split()
    record = record.strip(" \t\n")
    return _BLANKS.split(record) if record else []


def by_pattern(expression: Pattern) -> Splitter:
    """Return a function that splits at the matches of an expression."""
    return lambda record, count_pieces: expression.pieces(record, count_pieces) if record else []


def _width(digits: str) -> int | None:
    """Return a positive number of at most 32 bits; None for another text."""
    number = digits.removeprefix("+").lstrip("0")
    if not is_number(number) or len(number) > 10:
        return None
    return int(number) if int(number) <= _MAX_WIDTH else None


def by_widths(text: str) -> Splitter:
    """Return a function that splits by FIELDWIDTHS. Raises Fatal.

    Args:
        text: Widths in characters; ``skip:width`` skips characters before a field, "*" is the rest.
    """
    columns: list[tuple[int, int]] = []
    for match in _WORD.finditer(text):
        word = match[0]
        if columns and columns[-1][1] < 0:
            raise Fatal("`*' must be the last designator in FIELDWIDTHS")
        skip, colon, width = word.partition(":") if ":" in word else ("", "", word)
        skipped = _width(skip) if colon else 0
        size = -1 if width == "*" else _width(width)
        if skipped is None or size is None:
            rest = text[match.start() + (0 if skipped is None or not colon else len(skip) + 1) :]
            raise Fatal(f"invalid FIELDWIDTHS value, for field {len(columns) + 1}, near `{rest}'")
        columns.append((skipped, size))

    def split(record: str, count_pieces: CountPieces) -> list[str]:
        at = 0
        fields = []
        for skip, width in columns:
            if at >= len(record):
                break
            at += skip
            end = len(record) if width < 0 else at + width
            fields.append(record[at:end])
            at = end
        return fields

    return split


def by_content(expression: Pattern) -> Splitter:
    """Return a function that splits by FPAT: the matches are the fields."""
    return lambda record, count_pieces: by_content_parts(expression, record, count_pieces)[0]


def by_content_parts(
    expression: Pattern, record: str, count_pieces: CountPieces
) -> tuple[list[str], list[str]]:
    """Return the matches, and the texts around them."""
    data = record.encode("utf-8", "surrogateescape")
    fields: list[str] = []
    around: list[str] = []
    at = 0
    if not data:
        return [], [""]
    for match in expression.regex.finditer(data):
        start, end = match.spans[0]
        if end == start == at and fields:
            continue  # an empty field directly after another field does not count
        if len(fields) & COUNTED == COUNTED:
            count_pieces(2 * len(fields))
        around.append(expression.decode(data[at:start]))
        fields.append(expression.decode(data[start:end]))
        at = end
    around.append(expression.decode(data[at:]))
    return fields, around
