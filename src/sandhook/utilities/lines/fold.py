"""fold: break lines that are too long.

Source: POSIX.1-2024 XCU 3, fold. Oracle: GNU coreutils 9.1, which counts bytes, not characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.counts import bounded_number
from sandhook.command.operands import reason
from sandhook.command.options import opt, option_set
from sandhook.command.pieces import PIECE
from sandhook.text.quoting import quote_odd

CLOSED_INPUT = "-"

#: ``-72`` is ``-w 72``.
NUMERIC = "width"
_CONTROLS = re.compile(rb"[\t\b\r]")  #: characters that do not occupy exactly one column
_QUICK = 10_000  #: up to this width one substitution breaks all lines of a block


def _columns(text: str) -> int:
    """Parse the argument of -w."""
    width = bounded_number(text, "invalid number of columns:", 1 << 64)
    if width >= 1 << 64:
        raise Failure(f"invalid number of columns: '{text}': Value too large for defined data type")
    width = min(width, 1 << 30)
    if not width:
        raise Failure(f"invalid number of columns: '{text}': Numerical result out of range")
    return width


@option_set
class Options:
    """fold [OPTION]... [FILE]...

    Print the lines of each FILE (standard input) in pieces of at most WIDTH columns.
    """

    bytes_: bool = opt("-b", "--bytes", "count bytes, not columns")
    spaces: bool = opt("-s", "--spaces", "break at spaces")
    width: int = opt("-w", "--width", "WIDTH", "columns of a line (80)", default=80, convert=_columns)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    width = options.width
    whole = re.compile(rb"[^\n]{%d}(?=[^\n])" % width) if width < _QUICK and not options.spaces else None
    for name in operands or ["-"]:
        try:
            with ctx.open(name) as reader:
                for block in reader.blocks():
                    if (
                        whole is not None
                        and len(block) <= 2 * PIECE
                        and (options.bytes_ or not _CONTROLS.search(block))
                    ):
                        ctx.charge(1 + (len(block) >> 9) + len(block) // (8 * width))
                        ctx.write(whole.sub(rb"\g<0>\n", block))
                        continue
                    lines = block.split(b"\n")
                    last = lines.pop()
                    for line in lines:
                        _fold(line + b"\n", width, options, ctx)
                    if last:
                        _fold(last, width, options, ctx)
        except OSError as error:
            ctx.fail(f"{quote_odd(name)}: {reason(error)}")
    return ctx.failed


def _fold(line: bytes, width: int, options: Options, ctx: Context) -> None:
    body = line.removesuffix(b"\n")
    plain = options.bytes_ or not any(control in body for control in (b"\t", b"\b", b"\r"))
    if plain and not options.spaces and len(body) > PIECE:
        _fold_long(body, width, ctx)
        ctx.write(line[len(body) :])
        return
    start = 0
    while True:
        end = _piece(body, start, width, plain, ctx)
        if end >= len(body):
            break
        if options.spaces:
            space = max(body.rfind(b" ", start, end), body.rfind(b"\t", start, end))
            end = space + 1 if space >= start else end
        ctx.charge()
        ctx.write(body[start:end] + b"\n")
        start = end
    ctx.write(line[start:])


def _fold_long(body: bytes, width: int, ctx: Context) -> None:
    """Write a line whose bytes all occupy one column, some columns at a time."""
    size = max(width, PIECE // width * width)
    for start in range(0, len(body), size):
        piece = body[start : start + size]
        ctx.charge(1 + (len(piece) >> 9) + len(piece) // (8 * width))
        ctx.write(b"\n".join([piece[at : at + width] for at in range(0, len(piece), width)]))
        if start + size < len(body):
            ctx.write(b"\n")


def _piece(body: bytes, start: int, width: int, plain: bool, ctx: Context) -> int:
    """Return the end of the piece that begins at ``start``; with ``plain``, every byte occupies one column."""
    if plain:
        return start + width
    column = 0
    for at in range(start, len(body)):
        byte = body[at]
        if not (at - start + 1) & 4095:
            ctx.charge(16)
        if byte == 9:
            column += 8 - column % 8
        elif byte == 8:
            column = max(0, column - 1)
        elif byte == 13:
            column = 0
        else:
            column += 1
        if column > width and at > start:
            return at
    return len(body)
