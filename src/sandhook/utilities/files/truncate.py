"""truncate: set the size of files.

Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.counts import parse_count
from sandhook.command.operands import reason, stat_of
from sandhook.command.options import UsageError, opt, option_set
from sandhook.text.quoting import quote_always
from sandhook.vfs.base import Device

_BLOCK = 4096


@option_set
class Options:
    """truncate OPTION... FILE...

    Shrink or extend each FILE to SIZE bytes. A sign before SIZE makes it relative: + adds, - subtracts,
    < means at most, > at least, / rounds down to a multiple, % rounds up.
    """

    no_create: bool = opt("-c", "--no-create", help="do not create files")
    blocks: bool = opt("-o", "--io-blocks", help="SIZE is a number of blocks of 4096 bytes")
    reference: str | None = opt("-r", "--reference", "RFILE", "the size of this file")
    sizes: tuple[str, ...] = opt(
        "-s", "--size", "SIZE", "the size, with K, M, kB ... as multipliers", append=True
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when the size of a file could not be set."""
    sign, count = "" if options.sizes else "+", 0
    for text in options.sizes:  # the sign of an earlier one holds
        sign, count = _size(text, sign)
    if not options.sizes and options.reference is None:
        raise UsageError("you must specify either '--size' or '--reference'")
    if options.reference is not None and options.sizes and not sign:
        raise UsageError("you must specify a relative '--size' with '--reference'")
    if options.blocks and not options.sizes:
        raise UsageError("'--io-blocks' was specified but '--size' was not")
    if not operands:
        raise UsageError("missing file operand")
    count *= _BLOCK if options.blocks else 1
    base = None
    if options.reference is not None:
        try:
            base = stat_of(ctx, options.reference).size
        except OSError as error:
            raise Failure(f"cannot stat {quote_always(options.reference)}: {reason(error)}") from None
    for name in operands:
        ctx.charge()
        _resize(name, sign, count, base, options, ctx)
    return ctx.failed


def _size(text: str, sign: str) -> tuple[str, int]:
    stripped = text.lstrip(" \t")
    own_sign = stripped[:1] if stripped[:1] in ("<", ">", "/", "%") else ""
    number = stripped[len(own_sign) :].lstrip(" \t")
    sign = own_sign or sign
    if number[:1] in ("+", "-"):
        if sign:
            raise UsageError("multiple relative modifiers specified")
        sign, number = number[0], number[1:]
    if not number[:1].isdigit():
        raise Failure(f"Invalid number: {quote_always(number if own_sign else text)}")
    try:
        count = parse_count(number, "number")
    except Failure as error:
        raise Failure(f"I{str(error)[1:]}") from None
    if sign in ("/", "%") and not count:
        raise Failure("division by zero")
    return sign, count


def _resize(name: str, sign: str, count: int, base: int | None, options: Options, ctx: Context) -> None:
    try:
        path = ctx.path(name)
        handle = ctx.fs.open(
            path, read=False, write=True, create=not options.no_create, mode=0o666 & ~ctx.process.umask
        )
    except OSError as error:
        if not (options.no_create and isinstance(error, FileNotFoundError)):
            ctx.fail(f"cannot open {quote_always(name)} for writing: {reason(error)}")
        return
    if isinstance(handle, Device):
        ctx.fail(f"failed to truncate {quote_always(name)} at {count} bytes: Invalid argument")
        return
    try:
        size = max(0, _target(sign, count, handle.size() if base is None else base))
        handle.truncate(size)
    except OSError as error:
        ctx.fail(f"failed to truncate {quote_always(name)} at {size} bytes: {reason(error)}")
    finally:
        handle.close()


def _target(sign: str, count: int, size: int) -> int:
    match sign:
        case "+":
            return size + count
        case "-":
            return size - count
        case "<":
            return min(size, count)
        case ">":
            return max(size, count)
        case "/":
            return size // count * count
        case "%":
            return -(-size // count) * count
    return count
