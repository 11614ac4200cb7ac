"""wc: count lines, words, characters and bytes.

Source: POSIX.1-2024 XCU 3, wc. Oracle: GNU coreutils 9.1 in C.UTF-8.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.operands import not_readable, shown_input
from sandhook.command.options import UsageError, opt, option_set
from sandhook.command.pieces import split
from sandhook.command.utility import WRITE_ERROR_CLOSED
from sandhook.text.locale import characters_are_bytes
from sandhook.text.quoting import quote_odd
from sandhook.vfs.errors import error_text

CLOSED_INPUT = "-"

WRITE_ERROR = WRITE_ERROR_CLOSED

_PIPE_WIDTH = 7  #: of numbers when a size is not known in advance
_INCOMPLETE = re.compile(rb"[\xc2-\xdf]\Z|[\xe0-\xef][\x80-\xbf]?\Z|[\xf0-\xf4][\x80-\xbf]{0,2}\Z")


@option_set
class Options:
    """wc [OPTION]... [FILE]...
      or:  wc [OPTION]... --files0-from=F

    Print the number of newlines, words and bytes of each FILE, and of all together.
    """

    bytes_: bool = opt("-c", "--bytes", help="print the number of bytes")
    characters: bool = opt("-m", "--chars", help="print the number of characters")
    lines: bool = opt("-l", "--lines", help="print the number of newlines")
    words: bool = opt("-w", "--words", help="print the number of words")
    longest: bool = opt("-L", "--max-line-length", help="print the width of the longest line")
    names: str | None = opt("--files0-from", "F", "count the files whose names, each ended by NUL, are in F")


class Counts:
    """lines, words, characters, bytes and the longest line of one input."""

    __slots__ = ("bytes_", "characters", "lines", "longest", "words")

    def __init__(self) -> None:
        self.lines = self.words = self.characters = self.bytes_ = self.longest = 0

    def add(self, other: Counts) -> None:
        self.lines += other.lines
        self.words += other.words
        self.characters += other.characters
        self.bytes_ += other.bytes_
        self.longest = max(self.longest, other.longest)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    names: Sequence[str] = operands
    source = options.names
    if options.names is not None:
        if operands:
            raise UsageError(
                f"extra operand '{operands[0]}'\nfile operands cannot be combined with --files0-from"
            )
        names = read_names(options.names, ctx)
    width_is_known = options.names is None or _regular_size(options.names, ctx) is not None
    if not (options.bytes_ or options.characters or options.lines or options.words or options.longest):
        options = Options(bytes_=True, lines=True, words=True)
    width = (
        number_width(options, names, ctx) if width_is_known else 1
    )  # GNU's reads the names from a pipe one by one
    total = Counts()
    by_bytes = (options.characters or options.words or options.longest) and characters_are_bytes(
        ctx.environment.get
    )
    for number, name in enumerate(names or (("-",) if source is None else ()), 1):
        if not name:
            place = "" if source is None else f"{source}:{number}: "
            ctx.fail(f"{place}invalid zero-length file name")
            continue
        try:
            with ctx.open(name) as reader:
                counts = count(reader, options, by_bytes)
        except OSError as error:
            ctx.fail(f"{quote_odd(name) if names else shown_input(name)}: {error_text(error)}")
            if not_readable(error):
                write(options, Counts(), name if names else "", width, ctx)
            continue
        total.add(counts)
        write(options, counts, name if names else "", width, ctx)
    if len(names) > 1:
        write(options, total, "total", width, ctx)
    return ctx.failed


def read_names(source: str, ctx: Context) -> list[str]:
    """Return the names listed in a file."""
    try:
        with ctx.open(source) as reader:
            data = reader.read_all()
    except OSError as error:
        if source == "-":
            raise Failure(f"-: read error: {error_text(error)}") from None
        raise Failure(f"cannot open '{source}' for reading: {error_text(error)}") from None
    names = split(data.removesuffix(b"\0"), b"\0", ctx.charge) if data else []
    return [name.decode("utf-8", "surrogateescape") for name in names]


def number_width(options: Options, names: Sequence[str], ctx: Context) -> int:
    """Return the width of printed numbers: that of the sum of the sizes, if they are known."""
    selected = [options.bytes_, options.characters, options.lines, options.words, options.longest]
    if len(names) <= 1 and sum(selected) == 1:
        return 1
    minimum = 1
    size = 0
    for name in names or ("-",):
        try:
            regular_size = _regular_size(name, ctx) if name else 0
        except OSError:
            continue
        if regular_size is not None:
            size += regular_size
        else:  # a pipe; bash passes here-documents in pipes, too
            minimum = _PIPE_WIDTH
    return max(minimum, len(str(size)))


def _regular_size(name: str, ctx: Context) -> int | None:
    """Return the size of an operand in bytes; None unless it is a regular file. Raises OSError."""
    if name == "-":
        handle = getattr(ctx.process.descriptor(0), "handle", None)
        info = None if handle is None else handle.stat()
    else:
        info = ctx.fs.stat(ctx.path(name))
    return info.size if info is not None and stat.S_ISREG(info.mode) else None


def count(reader: Reader, options: Options, by_bytes: bool = False) -> Counts:
    """Return the counts of one input; ``by_bytes`` is set in the C locale."""
    counts = Counts()
    decoded = options.characters or options.longest
    if not (options.words or decoded):
        for data in reader.chunks():
            counts.bytes_ += len(data)
            if options.lines:
                counts.lines += data.count(b"\n")
        return counts
    inside = False
    column = 0
    incomplete = b""
    for data in reader.chunks():
        counts.bytes_ += len(data)
        counts.lines += data.count(b"\n")
        if by_bytes:
            text = data.decode("ascii", "surrogateescape")
            counts.characters += len(data)
        else:
            match = _INCOMPLETE.search(data := incomplete + data)
            incomplete = match[0] if match else b""
            text = (data[: match.start()] if match else data).decode("utf-8", "surrogateescape")
            counts.characters += len(text) if text.isascii() else sum(map(_valid, text))
        if options.words:
            words, inside = count_words(text, inside)
            counts.words += words
        if options.longest:
            column = measure(text, column, counts)
    counts.longest = max(counts.longest, column)
    return counts


def _valid(character: str) -> bool:
    return not "\udc80" <= character <= "\udcff"


def count_words(text: str, inside: bool) -> tuple[int, bool]:
    """Return the number of words that begin in ``text``, and whether it ends inside one."""
    if not text:
        return 0, inside
    if text.isascii():
        text = text.translate(_NOT_PRINTED)
        if not text:
            return 0, inside
    else:
        # words consist of printable characters; characters that are neither printable nor space are ignored
        text = "".join([c if c.isprintable() or c.isspace() or c == "\u2060" else "" for c in text])
        text = text.translate(_NOT_SPACES)
        if not text:
            return 0, inside
    words = len(text.split())
    if inside and not text[0].isspace():
        words -= 1
    return words, not text[-1].isspace()


#: ASCII characters that are neither printable nor white space: no word consists of them.
_NOT_PRINTED = dict.fromkeys((*range(9), *range(14, 32), 127))

#: Python's white space that iswspace rejects in C.UTF-8; and U+2060, which GNU treats as a space.
_NOT_SPACES = {0x1C: "", 0x1D: "", 0x1E: "", 0x1F: "", 0x85: "", 0x2060: " "}


def measure(text: str, column: int, counts: Counts) -> int:
    """Return the column after ``text``, and update the longest line: tabs stop every eight columns."""
    pieces = re.split("([\n\r\f])", text)
    for piece in pieces:
        if piece in ("\n", "\r", "\f") and piece:
            counts.longest = max(counts.longest, column)
            column = 0
        elif piece.isascii() and piece.isprintable():
            column += len(piece)
        else:
            for character in piece:
                column += 8 - column % 8 if character == "\t" else char_width(character)
    return column


def char_width(character: str) -> int:
    """Return the number of columns that a character occupies: 0, 1 or 2."""
    if character.isascii():
        return 1 if character.isprintable() else 0
    from unicodedata import category, east_asian_width

    if category(character) in ("Mn", "Me", "Cc", "Cs", "Cf"):
        return 0
    return 2 if east_asian_width(character) in ("W", "F") else 1


def write(options: Options, counts: Counts, name: str, width: int, ctx: Context) -> None:
    """Print one line of numbers."""
    numbers = [
        number
        for selected, number in (
            (options.lines, counts.lines),
            (options.words, counts.words),
            (options.characters, counts.characters),
            (options.bytes_, counts.bytes_),
            (options.longest, counts.longest),
        )
        if selected
    ]
    line = " ".join([f"{number:{width}d}" for number in numbers])
    ctx.write_line(f"{line} {name}" if name else line)
