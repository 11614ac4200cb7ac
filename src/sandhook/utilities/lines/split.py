"""split: cut a file into pieces.

Source: POSIX.1-2024 XCU 3, split. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.counts import parse_count
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.kernel.descriptor import Description, Input
from sandhook.text.quoting import quote_always

READ_ERROR = "-: {}"

NUMERIC = "legacy"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_TOO_SMALL = "Numerical result out of range"
_CHUNKS = re.compile(r"(?:([lr])/)?(?:([0-9]+)/)?([0-9]+)", re.ASCII)


def _size(what: str, text: str) -> int:
    value = parse_count(text, what)
    if not value:
        raise Failure(f"invalid {what}: '{text}': {_TOO_SMALL}")
    return value


def _method(letter: str) -> Callable[[str], tuple[str, str]]:
    return lambda text: (letter, text)


def _separator(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    if text == "\\0":
        return b"\0"
    if not data:
        raise Failure("empty record separator")
    if len(data) > 1:
        raise Failure(f"multi-character separator '{text}'")
    return data


def _suffix(text: str) -> str:
    if "/" in text:
        raise UsageError(f"invalid suffix '{text}', contains directory separator")
    return text


def _suffix_length(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 6:
        raise Failure(f"invalid suffix length: '{text}'")
    return int(text)


def _start(base: int, text: str) -> tuple[int, int | None]:
    digits = "0123456789abcdef"[:base]
    if not text or any(letter not in digits for letter in text.lower()) or len(text) > 60:
        raise UsageError(
            f"'{text}': invalid start value for {'numerical' if base == 10 else 'hexadecimal'} suffix"
        )
    return base, int(text, base)


@option_set
class Options:
    """split [OPTION]... [FILE [PREFIX]]

    Write pieces of FILE (standard input) to PREFIXaa, PREFIXab and so on; PREFIX is x, and a piece has 1000 lines.
    """

    ways: tuple[tuple[str, str], ...] = also(
        opt("-l", "--lines", "NUMBER", "pieces of NUMBER lines", convert=_method("l"), append=True),
        opt("-b", "--bytes", "SIZE", "pieces of SIZE bytes", convert=_method("b"), append=True),
        opt("-C", "--line-bytes", "SIZE", "whole lines of at most SIZE bytes",
            convert=_method("C"), append=True),
        opt("-n", "--number", "CHUNKS", "N pieces; K/N prints the K-th; l/N whole lines, r/N lines in turn",
            convert=_method("n"), append=True),
    )  # fmt: skip
    length: int | None = opt(
        "-a", "--suffix-length", "N", "suffixes of N letters (2)", convert=_suffix_length
    )
    numbers: tuple[int, int | None] | None = also(
        opt("-d", help="numbers instead of letters", const=(10, None), default=None),
        opt("--numeric-suffixes", "FROM", "numbers, counted from FROM", optional=True, const=(10, None),
            convert=lambda text: _start(10, text)),
        opt("-x", help="hexadecimal numbers", const=(16, None)),
        opt("--hex-suffixes", "FROM", "hexadecimal numbers, counted from FROM", optional=True, const=(16, None),
            convert=lambda text: _start(16, text)),
    )  # fmt: skip
    additional_suffix: str = opt(
        "--additional-suffix", "SUFFIX", "names end in SUFFIX", convert=_suffix, default=""
    )
    no_empty: bool = opt("-e", "--elide-empty-files", help="with -n, make no empty pieces")
    filter: str | None = opt("--filter", "COMMAND", "pipe each piece to sh -c COMMAND; its name is $FILE")
    separator: bytes = opt(
        "-t", "--separator", "SEP", "lines end with SEP", convert=_separator, default=b"\n"
    )
    unbuffered: bool = opt("-u", "--unbuffered", ignored="")
    verbose: bool = opt("--verbose", help="print the name of each new file")
    legacy: str | None = None


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 after an error."""
    kind, size, chunks = _way(options)
    if len(operands) > 2:
        raise UsageError(f"extra operand '{operands[2]}'")
    name = operands[0] if operands else "-"
    output = _Output(options, operands[1] if len(operands) > 1 else "x", chunks.count if chunks else 0, ctx)
    try:
        reader = ctx.open(name)
    except OSError as error:
        if isinstance(error, IsADirectoryError):
            sized = "cannot determine file size: " if chunks is not None and chunks.kind != "r" else ""
            raise Failure(f"{name}: {sized}{reason(error)}") from None
        raise Failure(f"cannot open {quote_always(name)} for reading: {reason(error)}") from None
    with reader:
        try:
            if chunks is not None:
                _by_chunks(reader, chunks, options, output, ctx)
            elif kind == "l":
                _by_lines(reader, size, options.separator, output, ctx)
            elif kind == "b":
                _by_bytes(reader, size, output)
            else:
                _by_line_bytes(reader, size, options.separator, output, ctx)
            output.close()
        finally:
            output.abandon()
    return 0


def _way(options: Options) -> tuple[str, int, _Chunks | None]:
    """Return the letter of the method, the size of its pieces and the chunks of -n. Raises Failure, UsageError."""
    ways = [*options.ways, *([("l", options.legacy)] if options.legacy is not None else [])]
    kind, text = ways[0] if ways else ("l", "1000")
    chunks = _Chunks(text) if kind == "n" else None
    size = 0 if chunks else _size("number of lines" if kind == "l" else "number of bytes", text)
    if len(ways) > 1:  # GNU's reads the first before it sees the second
        raise UsageError("cannot split in more than one way")
    return kind, size, chunks


# --------------------------------------------------------------------------- the output


class _Output:
    """Creates the files, one after the other."""

    def __init__(self, options: Options, prefix: str, count: int, ctx: Context) -> None:
        self._options = options
        self._prefix = prefix
        self._ctx = ctx
        base, start = options.numbers or (26, None)
        self._digits = _LETTERS if base == 26 else "0123456789abcdef"[:base]
        self._next = start or 0
        length = options.length or 0
        self._grows = not length and not count and start is None
        if count:
            needed = _digits_for(
                count + (start or 0) - 1 if start is not None and start < count else count - 1, base
            )
            if length and length < needed:
                raise Failure(f"the suffix length needs to be at least {needed}")
            length = length or max(2, needed)
        self._length = max(length or 2, _digits_for(start, base) if start is not None else 0)
        self._file: Description | None = None
        self._pieces: list[bytes] = []
        self._size = 0
        self._name = ""
        self._open = False

    def start(self) -> None:
        """End the current piece and begin another."""
        self.close()
        self._name = f"{self._prefix}{self._suffix()}{self._options.additional_suffix}"
        self._ctx.charge()
        if self._options.filter is not None:
            if self._options.verbose:
                self._ctx.write_line(f"executing with FILE={quote_always(self._name)}")
            self._file = None
            self._pieces = []
            self._size = 0
            self._open = True
            return
        if self._options.verbose:
            self._ctx.write_line(f"creating file {quote_always(self._name)}")
        try:
            self._file = self._ctx.create(self._name)
        except OSError as error:
            raise Failure(f"{self._name}: {reason(error)}") from None
        self._open = True

    def write(self, data: bytes) -> None:
        """Add to the current piece; the first byte begins one."""
        if not self._open:
            self.start()
        if self._file is not None:
            self._file.write(data)
            return
        self._size += len(data)
        self._ctx.budget.check_fits(self._size)
        self._pieces.append(data)

    def close(self) -> None:
        """End the current piece."""
        if not self._open:
            return
        self._open = False
        if self._file is not None:
            self._file.release()
            self._file = None
            return
        self._ctx.flush()
        data = b"".join(self._pieces)
        self._pieces = []
        command = self._options.filter or ""
        environment = {**self._ctx.environment, "FILE": self._name}
        status = self._ctx.run_command(["sh", "-c", command], environment=environment, stdin=Input(data))
        if status:
            raise Failure(f"with FILE={self._name}, exit {status} from command: {command}", status)

    def abandon(self) -> None:
        """Release the file after an error."""
        if self._file is not None:
            self._file.release()
            self._file = None

    def _suffix(self) -> str:
        """Return the next suffix. After yz, suffixes get longer and begin with z: zaaa."""
        number, base, length = self._next, len(self._digits), self._length
        self._next += 1
        prefix = ""
        if self._grows:
            capacity = (base - 1) * base ** (length - 1)
            while number >= capacity:
                number -= capacity
                prefix += self._digits[-1]
                length += 1
                capacity = (base - 1) * base ** (length - 1)
        elif number >= base**length:
            raise Failure("output file suffixes exhausted")
        letters = []
        for _ in range(length):
            number, digit = divmod(number, base)
            letters.append(self._digits[digit])
        return prefix + "".join(reversed(letters))


def _digits_for(number: int, base: int) -> int:
    size = 1
    while number >= base:
        number //= base
        size += 1
    return size


# --------------------------------------------------------------------------- the ways to split


def _by_lines(reader: Reader, count: int, end: bytes, output: _Output, ctx: Context) -> None:
    remaining = 0
    for block in reader.chunks():
        ctx.charge(block.count(end) >> 3)
        at = 0
        while at < len(block):
            if not remaining:
                output.start()
                remaining = count
            stop = at
            while remaining and stop < len(block):
                position = block.find(end, stop)
                if position < 0:
                    stop = len(block)
                    break
                stop = position + 1
                remaining -= 1
            output.write(block[at:stop])
            at = stop


def _by_bytes(reader: Reader, size: int, output: _Output) -> None:
    remaining = 0
    for block in reader.chunks():
        at = 0
        while at < len(block):
            if not remaining:
                output.start()
                remaining = size
            piece = block[at : at + remaining]
            output.write(piece)
            remaining -= len(piece)
            at += len(piece)


def _by_line_bytes(reader: Reader, size: int, end: bytes, output: _Output, ctx: Context) -> None:
    remaining = 0
    for line in reader.lines(end):
        if len(line) > remaining and remaining < size:
            remaining = 0  # the line begins another piece
        at = 0
        while at < len(line):
            if not remaining:
                output.start()
                remaining = size
            piece = line[at : at + remaining]
            output.write(piece)
            remaining -= len(piece)
            at += len(piece)


class _Chunks:
    """The argument of -n.

    Attributes:
        kind: "" for bytes, "l" for whole lines, "r" for lines in turn.
        selected: The number of the only chunk that is printed; 0 for all.
    """

    def __init__(self, text: str) -> None:
        match = _CHUNKS.fullmatch(text)
        if match is None:
            kind, _, chunks = text.partition("/")
            chunks = chunks if kind in ("l", "r") else text
            first, slash, last = chunks.partition("/")
            if slash and first.isdigit():
                raise Failure(f"invalid number of chunks: '{last}'")
            raise Failure(
                f"invalid number of chunks: '{chunks}'" if not slash else f"invalid chunk number: '{first}'"
            )
        self.kind = match[1] or ""
        self.count = int(match[3][:19])
        self.selected = int(match[2][:19]) if match[2] else 0
        if not self.count:
            raise Failure(f"invalid number of chunks: '{match[3]}': {_TOO_SMALL}")
        if match[2] and not 1 <= self.selected <= self.count:
            raise Failure(f"invalid chunk number: '{match[2]}': {_TOO_SMALL}")
        if not match[2] and self.count > 1_000_000:
            raise Failure(f"invalid number of chunks: '{match[3]}': Value too large for defined data type")


def _by_chunks(reader: Reader, chunks: _Chunks, options: Options, output: _Output, ctx: Context) -> None:
    if chunks.kind == "r":
        _in_turn(reader, chunks, options, output, ctx)
        return
    data = reader.read_all()
    pieces = _equal(data, chunks) if not chunks.kind else _whole_lines(data, chunks.count, options.separator)
    for number, piece in enumerate(pieces, 1):
        ctx.charge()
        if chunks.selected:
            if number == chunks.selected:
                ctx.write(piece)
        elif piece or not options.no_empty:
            output.start()
            output.write(piece)


def _equal(data: bytes, chunks: _Chunks) -> Iterator[bytes]:
    """Yield pieces of equal size; the last one also has the remainder."""
    size = max(len(data) // chunks.count, 1)
    for number in range(chunks.count):
        stop = (number + 1) * size if number < chunks.count - 1 else len(data)
        yield data[number * size : stop]


def _whole_lines(data: bytes, count: int, end: bytes) -> Iterator[bytes]:
    """Yield pieces that end with the line in which an equal piece would end."""
    size = max(len(data) // count, 1)
    at = target = 0
    for number in range(count):
        target += size
        if number == count - 1:
            stop = len(data)
        elif at >= target:
            stop = at
        else:
            stop = data.find(end, target - 1) + 1 or len(data)
        yield data[at:stop]
        at = stop


def _in_turn(reader: Reader, chunks: _Chunks, options: Options, output: _Output, ctx: Context) -> None:
    pieces: list[list[bytes]] = [[] for _ in range(0 if chunks.selected else chunks.count)]
    size = 0
    for number, line in enumerate(reader.lines(options.separator)):
        turn = number % chunks.count
        if chunks.selected:
            if turn == chunks.selected - 1:
                ctx.write(line)
            continue
        size += len(line) + 64
        reader.check_fits(size)
        pieces[turn].append(line)
    for piece in pieces:
        ctx.charge()
        if piece or not options.no_empty:
            output.start()
            output.write(b"".join(piece))
