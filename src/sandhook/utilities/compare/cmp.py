"""cmp: compare two files byte by byte.

Source: POSIX.1-2024 XCU 3, cmp. Oracle: GNU diffutils 3.8.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.counts import read_count
from sandhook.command.operands import reason
from sandhook.command.options import VERSION, UsageError, opt, option_set
from sandhook.text.locale import messages_are_posix

READ_ERROR = "-: {}"

WRITE_ERROR = {"": "standard output: {}", "large": "write failed", "EBADF": ""}
IGNORED_WRITE_STATUS = 1  # it has found a difference

USAGE_STATUS = 2
NAMED_HINT = True
_SIZE = 65_536
_MAX_SIZE = 2**63 - 1


def _number(text: str, name: str) -> int:
    try:
        return read_count(name, text)
    except Failure:
        raise UsageError(f"invalid {name} value '{text}'") from None


def _skip(text: str) -> tuple[int, int]:
    first, colon, second = text.partition(":")
    count = _number(first, "--ignore-initial")
    return count, _number(second, "--ignore-initial") if colon else count


@option_set
class Options:
    """cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]

    Compare FILE1 and FILE2 (standard input), and name the first difference.
    """

    show: bool = opt("-b", "-c", "--print-bytes", help="show the bytes that differ")
    skips: tuple[tuple[int, int], ...] = opt(
        "-i",
        "--ignore-initial",
        "SKIP",
        "skip SKIP bytes of both, or SKIP1:SKIP2",
        convert=_skip,
        append=True,
    )
    all_: bool = opt("-l", "--verbose", help="show every difference: number, and both bytes in octal")
    limits: tuple[int, ...] = opt(
        "-n",
        "--bytes",
        "LIMIT",
        "compare at most LIMIT bytes",
        convert=lambda text: _number(text, "--bytes"),
        append=True,
    )
    silent: bool = opt("-s", "--quiet", "--silent", help="print nothing; only set the exit status")
    version: bool = opt("-v", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0 when the files are the same, 1 when they differ, 2 after an error."""
    if not operands:
        raise UsageError(f"missing operand after '{ctx.name}'")
    if options.all_ and options.silent:
        raise UsageError("options -l and -s are incompatible")
    names = [operands[0], operands[1] if len(operands) > 1 else "-"]
    skips = [max(counts) for counts in zip((0, 0), *options.skips)]
    for index, text in enumerate(operands[2:4]):
        skips[index] = max(skips[index], _number(text, "--ignore-initial"))
    if len(operands) > 4:
        raise UsageError(f"extra operand '{operands[4]}'")
    limit = min(options.limits, default=None)
    readers: list[Reader] = []
    try:
        for name in names:
            try:
                readers.append(ctx.open(name))
            except OSError as error:
                if not options.silent or not isinstance(error, FileNotFoundError):
                    ctx.error(f"{name}: {reason(error)}")
                return 2
        if names[0] == names[1] and skips[0] == skips[1]:
            return 0
        return _Comparison(names, options, ctx).run(readers, skips, limit)
    finally:
        for reader in readers:
            reader.close()


def visible(byte: int) -> str:
    """Return a byte in the notation of cat -v."""
    if byte >= 128:
        return "M-" + visible(byte - 128)
    return f"^{chr(byte ^ 64)}" if byte < 32 or byte == 127 else chr(byte)


class _Comparison:
    """Compares two inputs, which are read in step."""

    def __init__(self, names: Sequence[str], options: Options, ctx: Context) -> None:
        self.names = names
        self.options = options
        self.ctx = ctx
        self.offset = 0
        self.newlines = 0
        self.last_byte = 10
        self.differs = False

    def run(self, readers: Sequence[Reader], skips: Sequence[int], limit: int | None) -> int:
        for reader, skip in zip(readers, skips):
            while skip and (data := reader.read(min(skip, _SIZE))):
                skip -= len(data)
        buffers = [b"", b""]
        sizes = [limit] if limit is not None else []
        if self.options.all_:
            sizes += [size for size in map(_remaining_size, readers) if size is not None]
        width = len(str(min(sizes, default=_MAX_SIZE)))
        while limit is None or limit > 0:
            chunk_size = _SIZE if limit is None else min(limit, _SIZE)
            for index, reader in enumerate(readers):
                if not buffers[index]:
                    buffers[index] = reader.read(chunk_size)
            size = min(len(buffers[0]), len(buffers[1]), chunk_size)
            if not size:
                return self._end(buffers)
            first, second = buffers[0][:size], buffers[1][:size]
            if first != second:
                self.differs = True
                if not self._report(first, second, width):
                    return 1
            else:
                self.newlines += first.count(b"\n")
            self.last_byte = first[-1]
            self.offset += size
            buffers = [buffers[0][size:], buffers[1][size:]]
            if limit is not None:
                limit -= size
        return 1 if self.differs else 0

    def _report(self, first: bytes, second: bytes, width: int) -> bool:
        """Print the differences of two chunks; return whether to continue."""
        if self.options.silent:
            return False
        for offset, (left, right) in enumerate(zip(first, second)):
            if left == right:
                continue
            self.ctx.charge()
            number = self.offset + offset + 1
            if not self.options.all_:
                line = self.newlines + first.count(b"\n", 0, offset) + 1
                unit = (
                    "char"
                    if messages_are_posix(self.ctx.environment.get) and not self.options.show
                    else "byte"
                )
                text = f"{self.names[0]} {self.names[1]} differ: {unit} {number}, line {line}"
                if self.options.show:
                    text += f" is {left:3o} {visible(left)} {right:3o} {visible(right)}"
                self.ctx.write_line(text)
                return False
            if self.options.show:
                self.ctx.write_line(
                    f"{number:{width}} {left:3o} {visible(left):<4} {right:3o} {visible(right)}"
                )
            else:
                self.ctx.write_line(f"{number:{width}} {left:3o} {right:3o}")
        return True

    def _end(self, buffers: Sequence[bytes]) -> int:
        if not buffers[0] and not buffers[1]:
            return 1 if self.differs else 0
        if not self.options.silent:
            name = self.names[0 if not buffers[0] else 1]
            if not self.offset:
                self.ctx.error(f"EOF on {name} which is empty")
            elif self.options.all_:
                self.ctx.error(f"EOF on {name} after byte {self.offset}")
            elif self.last_byte == 10:
                self.ctx.error(f"EOF on {name} after byte {self.offset}, line {self.newlines}")
            else:
                self.ctx.error(f"EOF on {name} after byte {self.offset}, in line {self.newlines + 1}")
        return 1


def _remaining_size(reader: Reader) -> int | None:
    """Return how many bytes of a file are still unread; None for a source without a size."""
    from sandhook.kernel.descriptor import File

    source = reader.description
    return max(source.handle.size() - source.tell(), 0) if isinstance(source, File) else None
