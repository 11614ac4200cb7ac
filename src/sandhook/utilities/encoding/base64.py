"""base64: encode bytes as text, or decode them.

Source: RFC 4648, section 4. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import binascii
from collections.abc import Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.operands import not_readable, reason
from sandhook.command.options import UsageError, opt, option_set
from sandhook.command.utility import WRITE_ERROR_TWICE
from sandhook.text.quoting import quote_odd
from sandhook.utilities.encoding.wrapping import wrap_size, write_wrapped

WRITE_ERROR = WRITE_ERROR_TWICE

_ALPHABET = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")


@option_set
class Options:
    """base64 [OPTION]... [FILE]

    Encode FILE (standard input), or decode it with -d.
    """

    decode: bool = opt("-d", "--decode", "decode")
    ignore: bool = opt("-i", "--ignore-garbage", "when decoding, skip characters outside the alphabet")
    wrap: int = opt(
        "-w", "--wrap", "COLUMNS", "length of the lines, 0 for one line (76)", default=76, convert=wrap_size
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when the input is not base64."""
    if len(operands) > 1:
        raise UsageError(f"extra operand '{operands[1]}'")
    name = operands[0] if operands else "-"
    try:
        with ctx.open(name) as reader:
            if options.decode:
                _decode(reader, options.ignore, ctx)
            else:
                _encode(reader, options.wrap, ctx)
    except OSError as error:
        unreadable = not_readable(error)
        raise Failure(
            f"read error: {reason(error)}" if unreadable else f"{quote_odd(name)}: {reason(error)}"
        ) from None
    return 0


def _encode(reader: Reader, width: int, ctx: Context) -> None:
    rest = b""
    column = 0
    for data in reader.chunks():
        data = rest + data
        size = len(data) // 3 * 3
        rest = data[size:]
        column = write_wrapped(binascii.b2a_base64(data[:size], newline=False), column, width, ctx)
    column = write_wrapped(binascii.b2a_base64(rest, newline=False), column, width, ctx)
    if width and column:
        ctx.write(b"\n")


def _decode(reader: Reader, ignore: bool, ctx: Context) -> None:
    """Decode in groups of four; write everything before the first invalid group."""
    rest = b""
    for data in reader.chunks():
        data = rest + (bytes(filter(_ALPHABET.__contains__, data)) if ignore else data.replace(b"\n", b""))
        size = len(data) // 4 * 4
        rest = data[size:]
        _groups(data[:size], ctx)
    if rest:
        _write_valid_prefix(rest, ctx)
        raise Failure("invalid input")


def _write_valid_prefix(group: bytes, ctx: Context) -> None:
    """Write the bytes of the valid letters at the beginning of an invalid group."""
    letters = 0
    while letters < len(group) and _is_alphabet(group[letters : letters + 1]):
        letters += 1
    if letters > 1:
        ctx.write(binascii.a2b_base64(group[:letters] + b"=" * (4 - letters)))


def _is_alphabet(data: bytes) -> bool:
    return b"=" not in data and all(byte in _ALPHABET for byte in data)


def _groups(data: bytes, ctx: Context) -> None:
    if _is_alphabet(data):
        ctx.write(binascii.a2b_base64(data))
        return
    for at in range(0, len(data), 4):
        ctx.charge()
        group = data[at : at + 4]
        body = group.rstrip(b"=")
        if len(body) < 2 or not _is_alphabet(body):
            _write_valid_prefix(group, ctx)
            raise Failure("invalid input")
        ctx.write(binascii.a2b_base64(group))
