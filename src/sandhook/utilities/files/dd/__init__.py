"""dd: copy a file in blocks, and convert it.

Source: POSIX.1-2024 XCU 3, dd. Oracle: GNU coreutils 9.1.
Divergence: L-DD-001, conversions to and from EBCDIC are not offered.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import option_set
from sandhook.kernel.descriptor import Description, File, Null, NullInput, Zero
from sandhook.text.quoting import quote_always
from sandhook.utilities.files.dd.operands import (
    CONVERSIONS,
    INPUT_FLAGS,
    OPERANDS,
    OUTPUT_FLAGS,
    Request,
    parse,
)
from sandhook.vfs.errors import error_text, fs_error

CLOSED_INPUT = "closing input file 'standard input'"

OPERAND_WORDS = {
    "Operands": tuple(f"{name}={value}" for name, value in OPERANDS.items()),
    "Conversions": CONVERSIONS,
    "Flags of the input": INPUT_FLAGS,
    "Flags of the output": OUTPUT_FLAGS,
}


@option_set
class Options:
    """dd [OPERAND]...
      or:  dd OPTION

    Copy standard input to standard output. BYTES and N may have the suffixes c w b k K M G T and their decimal forms
    (kB, MB), and be products (2x512). N is a number of blocks, or of bytes with the suffix B. LIST is separated by
    commas.
    """


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 after an error; the number of copied records is printed on standard error."""
    request = parse(operands)
    ctx.budget.check_fits(2 * (request.input_block + request.output_block))
    start = ctx.now()
    source = _source(request, ctx)
    try:
        try:
            target = _target(request, ctx)
        except _CannotSeek as error:  # GNU's reports it after it has skipped input
            copier = _Copier(request, source, Null(), ctx)
            copier.skip()
            ctx.fail(str(error))
            copier.report(ctx.now() - start)
            return ctx.failed
        try:
            copier = _Copier(request, source, target, ctx)
            try:
                if isinstance(source, NullInput) and ctx.fs.is_dir(ctx.path(request.source or "/dev/null")):
                    copier.activity = f"reading {quote_always(request.source or '')}"
                    raise fs_error(errno.EISDIR)
                copier.run()
                _synchronize(request, target, ctx)
            except OSError as error:
                ctx.fail(f"error {copier.activity}: {reason(error)}")
                if ctx.read_closed:
                    return ctx.failed
            copier.report(ctx.now() - start)
        finally:
            target.release()
    finally:
        source.release()
    return ctx.failed


class _CannotSeek(Failure):
    """The output is not seekable."""


def _source(request: Request, ctx: Context) -> Description:
    if request.source is None:
        return ctx.stdin_reader().description
    try:
        return ctx.process.open(request.source)
    except IsADirectoryError:
        return NullInput()  # reading it will report the error
    except OSError as error:
        raise Failure(f"failed to open {quote_always(request.source)}: {reason(error)}") from None


def _target(request: Request, ctx: Context) -> Description:
    """Open the output, truncate it at the start of the written data, and seek there."""
    conversions = request.conversions
    offset = request.seek.bytes(request.output_block, "seek_bytes" in request.output_flags)
    if request.target is None:
        descriptor = ctx.process.descriptor(1)
        if offset:
            if not isinstance(descriptor, File):
                raise _CannotSeek("'standard output': cannot seek: Illegal seek")
            ctx.flush()
            descriptor.seek(descriptor.tell() + offset)
        descriptor.retain()
        return descriptor
    try:
        file = ctx.process.open(
            request.target,
            read=False,
            write=True,
            append="append" in request.output_flags,
            create="nocreat" not in conversions,
            exclusive="excl" in conversions,
            truncate=not offset and "notrunc" not in conversions,
        )
    except OSError as error:
        raise Failure(f"failed to open {quote_always(request.target)}: {reason(error)}") from None
    if offset:
        if not isinstance(file, File):
            return file
        try:
            if "notrunc" not in conversions:
                file.handle.truncate(offset)
        except OSError as error:
            file.release()
            text = f"failed to truncate to {offset} bytes in output file {quote_always(request.target)}"
            raise Failure(f"{text}: {error_text(error)}") from None
        file.seek(offset)
    return file


def _synchronize(request: Request, target: Description, ctx: Context) -> None:
    """Report that conv=fsync and conv=fdatasync fail for a pipe."""
    if isinstance(target, File):
        return
    title = quote_always("standard output" if request.target is None else request.target)
    for conversion in ("fdatasync", "fsync"):
        if conversion in request.conversions:
            ctx.flush()
            ctx.fail(f"{conversion} failed for {title}: Invalid argument")
            return


class _Copier:
    """Copies blocks and counts them.

    Attributes:
        activity: The current operation, for messages.
    """

    def __init__(self, request: Request, source: Description, target: Description, ctx: Context) -> None:
        self._request = request
        self._source = source
        self._target = target
        self._ctx = ctx
        self._full = "fullblock" in request.input_flags or isinstance(source, Zero)
        self._direct = request.whole and not request.conversions & {
            "swab",
            "lcase",
            "ucase",
            "block",
            "unblock",
        }
        self._records = _Records(request)
        self._odd_byte = b""
        self._buffer = bytearray()
        self._read = [0, 0]
        self._written = [0, 0]
        self._bytes = 0
        self.activity = ""

    def skip(self) -> None:
        """Skip the input before the copied data."""
        from_name = "standard input" if self._request.source is None else self._request.source
        self.activity = f"reading {quote_always(from_name)}"
        self._skip(from_name)

    def run(self) -> None:
        """Copy the requested blocks."""
        request = self._request
        self.skip()
        remaining = None
        if request.count is not None:
            counts_bytes = request.count.in_bytes or "count_bytes" in request.input_flags
            remaining = request.count.bytes(request.input_block, counts_bytes)
            blocks = None if counts_bytes else request.count.number
        else:
            blocks = None
        while (remaining is None or remaining > 0) and blocks != 0:
            size = (
                request.input_block
                if remaining is None or blocks is not None
                else min(request.input_block, remaining)
            )
            data = self._block(size)
            if not data:
                break
            self._read[len(data) < request.input_block] += 1
            if remaining is not None:
                remaining -= len(data)
            if blocks is not None:
                blocks -= 1
            if "sync" in request.conversions and len(data) < request.input_block:
                pad = b" " if request.conversions & {"block", "unblock"} else b"\0"
                data += pad * (request.input_block - len(data))
            self._convert(data)
        self._finish()

    def _skip(self, name: str) -> None:
        """Skip blocks of the input."""
        request = self._request
        offset = request.skip.bytes(request.input_block, "skip_bytes" in request.input_flags)
        source = self._source
        if offset and isinstance(source, File):
            size = source.handle.size()
            if source.tell() + offset > size:
                source.seek(size)
                self._short(name)
            else:
                source.seek(source.tell() + offset)
            return
        while offset:
            data = self._block(min(offset, 65_536))
            if not data:
                self._short(name)
                return
            offset -= len(data)

    def _short(self, name: str) -> None:
        if self._request.status == "none":
            return
        title = quote_always(name) if " " in name else name
        self._ctx.error(f"{title}: cannot skip to specified offset")

    def _block(self, size: int) -> bytes:
        """Return the next input block; one read of a pipe may return less than a block."""
        data = self._source.read(size)
        self._ctx.charge(1 + (len(data) >> 10))
        if not self._full or len(data) == size:
            return data
        pieces = [data]
        length = len(data)
        while data and length < size:
            data = self._source.read(size - length)
            self._ctx.charge(1 + (len(data) >> 10))
            length += len(data)
            pieces.append(data)
        return b"".join(pieces)

    # ------------------------------------------------------------------ output

    def _convert(self, data: bytes) -> None:
        conversions = self._request.conversions
        if self._direct:
            self._write(data)
            return
        if "swab" in conversions:
            data = self._odd_byte + data
            self._odd_byte = data[len(data) & ~1 :]
            swapped = bytearray(data[: len(data) & ~1])
            swapped[::2], swapped[1::2] = swapped[1::2], swapped[::2]
            data = bytes(swapped)
        if "lcase" in conversions:
            data = data.lower()
        elif "ucase" in conversions:
            data = data.upper()
        self._gather(self._records.convert(data))

    def _gather(self, data: bytes) -> None:
        self._ctx.budget.check_fits(len(self._buffer) + len(data))
        self._buffer += data
        size = self._request.output_block
        complete = len(self._buffer) // size * size
        for at in range(0, complete, size):
            self._write(bytes(self._buffer[at : at + size]))
        del self._buffer[:complete]

    def _finish(self) -> None:
        if self._direct:
            return
        if self._odd_byte:
            odd_byte, self._odd_byte = self._odd_byte, b""
            if "ucase" in self._request.conversions:
                odd_byte = odd_byte.upper()
            self._gather(self._records.convert(odd_byte))
        self._gather(self._records.finish())
        if self._buffer:
            self._write(bytes(self._buffer))

    def _write(self, data: bytes) -> None:
        request = self._request
        activity = self.activity
        self.activity = (
            f"writing {quote_always('standard output' if request.target is None else request.target)}"
        )
        self._ctx.charge(1 + (len(data) >> 10))
        self._target.write(data)
        self.activity = activity
        self._written[len(data) < request.output_block] += 1
        self._bytes += len(data)

    def report(self, seconds: float) -> None:
        """Print the amount of copied data."""
        if self._request.status == "none":
            return
        lines = [
            f"{self._read[0]}+{self._read[1]} records in\n{self._written[0]}+{self._written[1]} records out\n"
        ]
        if self._records.truncated:
            count = self._records.truncated
            lines.append(f"{count} truncated record{'s' if count != 1 else ''}\n")
        if self._request.status != "noxfer":
            lines.append(self._speed(max(seconds, 1e-6)))
        self._ctx.process.write_error("".join(lines).encode())

    def _speed(self, seconds: float) -> str:
        count = self._bytes
        text = f"{count} byte{'s' if count != 1 else ''}"
        if count >= 1000:
            units = [format_size(count, 1000)]
            if count >= 1024:
                units.append(format_size(count, 1024))
            text += f" ({', '.join(units)})"
        rate = count / seconds
        power = 0
        while power < 1 or (rate / 1000**power >= 999.95 and power < 8):
            power += 1
        scaled_rate = rate / 1000**power
        figure = f"{scaled_rate:.0f}" if scaled_rate >= 99.95 else f"{scaled_rate:.1f}"
        return f"{text} copied, {seconds:.6g} s, {figure} {'kMGTPEZY'[power - 1]}B/s\n"


def format_size(count: int, base: int) -> str:
    """Return a number of bytes with a unit: 2.1 MB, 10 MiB; one decimal below ten."""
    power = 0
    unit = 1
    while count >= unit * base and power < 8:
        unit *= base
        power += 1
    tenths = (count * 10 * 2 + unit) // (2 * unit)
    figure = f"{tenths // 10}.{tenths % 10}" if tenths < 100 else str((count * 2 + unit) // (2 * unit))
    letter = "kMGTPEZY"[power - 1] if base == 1000 else "KMGTPEZY"[power - 1] + "i"
    return f"{figure} {letter}B"


class _Records:
    """conv=block and conv=unblock: lines to records of cbs bytes, and back."""

    def __init__(self, request: Request) -> None:
        self._size = request.record
        self._conversion = ""
        if self._size:
            self._conversion = (
                "block"
                if "block" in request.conversions
                else "unblock"
                if "unblock" in request.conversions
                else ""
            )
        self._pending = b""
        self.truncated = 0

    def convert(self, data: bytes) -> bytes:
        """Return the complete records, or lines."""
        if not self._conversion:
            return data
        data = self._pending + data
        pieces = []
        if self._conversion == "block":
            *lines, self._pending = data.split(b"\n")
            pieces = [self._record(line) for line in lines]
            if len(self._pending) > self._size:  # the rest would be truncated anyway
                self._pending = self._pending[: self._size + 1]
        else:
            complete = len(data) // self._size * self._size
            pieces = [
                data[at : at + self._size].rstrip(b" ") + b"\n" for at in range(0, complete, self._size)
            ]
            self._pending = data[complete:]
        return b"".join(pieces)

    def finish(self) -> bytes:
        """Return the last, incomplete record or line."""
        pending, self._pending = self._pending, b""
        if not self._conversion or not pending:
            return b""
        return self._record(pending) if self._conversion == "block" else pending.rstrip(b" ") + b"\n"

    def _record(self, line: bytes) -> bytes:
        self.truncated += len(line) > self._size
        return line[: self._size].ljust(self._size)
