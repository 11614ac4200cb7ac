"""uuencode: encode a file as text that survives mail.

Source: POSIX.1-2024 XCU 3, uuencode. Oracle: GNU sharutils 4.15.
Divergence: L-UUENCODE-001, messages have the wording of other utilities.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.operands import reason, stat_of
from sandhook.command.options import UsageError, opt, option_set

PERMUTE = False
USAGE_STATUS = 64
OPTION_STATUS = 1
_NO_INPUT = 1
_LINE = 45  #: bytes in one line


@option_set
class Options:
    """uuencode [-m] [FILE] NAME

    Print FILE, or standard input, encoded. NAME is the file that uudecode creates (/dev/stdout: no file).
    """

    base64: bool = opt("-m", "--base64", help="encode in base64")
    encode_name: bool = opt("-e", "--encode-file-name", help="encode the name, too")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 when FILE cannot be read, 64 after a usage error."""
    if not operands:
        raise UsageError("missing operand")
    if len(operands) > 2:
        raise UsageError(f"extra operand '{operands[2]}'")
    mode = 0o666 & ~ctx.process.umask
    reader: Reader
    try:
        if len(operands) == 2 and operands[0] != "-":
            mode = stat_of(ctx, operands[0]).mode & 0o777
            reader = ctx.open(operands[0])
        else:
            reader = ctx.stdin_reader()
    except OSError as error:
        raise Failure(f"{operands[0]}: {reason(error)}", _NO_INPUT) from None
    name = operands[-1].encode("utf-8", "surrogateescape")
    kind = b"begin-base64" if options.base64 else b"begin"
    if options.encode_name:
        kind += b"-encoded"
        name = binascii.b2a_base64(name, newline=False)
    with reader:
        ctx.write(b"%s %o %s\n" % (kind, mode, name))
        try:
            for data in _groups(reader):
                ctx.write(_encode(data, options.base64))
        except OSError as error:
            raise Failure(f"{operands[0]}: {reason(error)}", _NO_INPUT) from None
    ctx.write(b"====\n" if options.base64 else b"`\nend\n")
    return 0


def _groups(reader: Reader) -> Iterator[bytes]:
    """Yield the input in pieces that fill whole lines of output, and the rest as the last piece."""
    buffer = b""
    for data in reader.chunks():
        buffer += data
        size = len(buffer) // _LINE * _LINE
        if size:
            yield buffer[:size]
            buffer = buffer[size:]
    if buffer:
        yield buffer


def _encode(data: bytes, base64: bool) -> bytes:
    pieces = (data[at : at + _LINE] for at in range(0, len(data), _LINE))
    if base64:
        return b"".join(map(binascii.b2a_base64, pieces))
    return b"".join(binascii.b2a_uu(piece, backtick=True) for piece in pieces)
