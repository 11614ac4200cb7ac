"""shuf: put lines into random order.

Oracle: GNU coreutils 9.1, also for the order that the bytes of --random-source produce.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat

from sandhook.command.context import Context, Failure
from sandhook.command.counts import bounded_number
from sandhook.command.operands import find, not_readable, reason
from sandhook.command.options import UsageError, opt, option_set
from sandhook.command.pieces import split
from sandhook.command.random_source import RandomSource, only_source
from sandhook.command.utility import WRITE_ERROR_TWICE
from sandhook.text.quoting import quote_odd

WRITE_ERROR = WRITE_ERROR_TWICE

_MAX = 1 << 63


@option_set
class Options:
    """shuf [OPTION]... [FILE]
      or:  shuf -e [OPTION]... [ARG]...
      or:  shuf -i LO-HI [OPTION]...

    Write the lines of FILE (standard input), the ARGs, or the numbers LO to HI in random order.
    """

    echo: bool = opt("-e", "--echo", help="the operands are the lines")
    range: tuple[str, ...] = opt(
        "-i", "--input-range", "LO-HI", "the numbers LO to HI are the lines", append=True
    )
    count: tuple[str, ...] = opt("-n", "--head-count", "COUNT", "write at most COUNT lines", append=True)
    outputs: tuple[str, ...] = opt("-o", "--output", "FILE", "write to FILE", append=True)
    source: tuple[str, ...] = opt("--random-source", "FILE", "read random bytes from FILE", append=True)
    repeat: bool = opt("-r", "--repeat", help="lines may be repeated")
    zero: bool = opt("-z", "--zero-terminated", help="lines end with NUL, not newline")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 after an error."""
    if options.echo and options.range:
        raise UsageError("cannot combine -e and -i options")
    if len(options.range) > 1:
        raise Failure("multiple -i options specified")
    if len(set(options.outputs)) > 1:
        raise Failure("multiple output files specified")
    source = only_source(options.source)
    counts = [bounded_number(text, "invalid line count:") for text in options.count]
    count = min(counts) if counts else None
    end = b"\0" if options.zero else b"\n"
    size, line = _lines(options, operands, end, ctx)
    draw = _Generator(source if size and count != 0 else None, ctx)
    try:
        if options.repeat:
            if not size and count != 0:
                raise Failure("no lines to repeat")
            pieces: Iterable[bytes] = (line(draw.below(size)) for _ in _turns(count))
        elif count is not None and source is not None and _is_stream(options, operands, ctx):
            pieces = map(line, _sample(size, count, draw, ctx))
        else:
            pieces = map(line, _draw_numbers(size, size if count is None else min(count, size), draw, ctx))
        if not options.outputs:
            for piece in pieces:
                ctx.charge()
                ctx.write(piece + end)
        else:
            data = b"".join(piece + end for piece in pieces)
            try:
                file = ctx.create(options.outputs[0])
            except OSError as error:
                raise Failure(f"{quote_odd(options.outputs[0])}: {reason(error)}") from None
            file.write(data)
            file.release()
    finally:
        draw.close()
    return 0


def _turns(count: int | None) -> Iterable[int]:
    return repeat(0) if count is None else range(count)


#: The largest number of a range, and its digits.
_LARGEST = (1 << 64) - 1
_DIGITS = 20


def _lines(
    options: Options, operands: Sequence[str], end: bytes, ctx: Context
) -> tuple[int, Callable[[int], bytes]]:
    """Return the number of lines, and a function that returns one of them."""
    if options.range:
        low, dash, high = options.range[0].partition("-")
        valid = all(part.isascii() and part.isdigit() for part in (low, high))
        for part in (low, high) if dash else ():
            if not (part.isascii() and part.isdigit()):
                break
            if len(part) > _DIGITS or int(part) > _LARGEST:
                raise Failure(f"invalid input range: '{part}': Value too large for defined data type")
        if not (dash and valid) or int(low) > int(high) + 1 or int(high) - int(low) == _LARGEST:
            invalid = (
                low
                if dash and not low.isdigit()
                else high
                if dash and not high.isdigit()
                else options.range[0]
            )
            raise Failure(f"invalid input range: '{invalid}'")
        if operands:
            raise UsageError(f"extra operand '{operands[0]}'")
        first = int(low)
        return int(high) - first + 1, lambda number: b"%d" % (first + number)
    if options.echo:
        arguments = [operand.encode("utf-8", "surrogateescape") for operand in operands]
        return len(arguments), arguments.__getitem__
    if len(operands) > 1:
        raise UsageError(f"extra operand '{operands[1]}'")
    name = operands[0] if operands else "-"
    try:
        with ctx.open(name) as reader:
            data = reader.read_all()
    except OSError as error:
        shown = "read error" if not_readable(error) else quote_odd(name)
        raise Failure(f"{shown}: {reason(error)}") from None
    ctx.budget.check_fits(2 * len(data) + 64 * data.count(end))
    lines = split(data, end, ctx.charge)
    if not lines[-1]:
        lines.pop()
    return len(lines), lines.__getitem__


def _is_stream(options: Options, operands: Sequence[str], ctx: Context) -> bool:
    """Return True if the lines come from a pipe or a device, whose end is not known in advance."""
    if options.echo or options.range:
        return False
    if not operands or operands[0] == "-":
        return not ctx.process.descriptor(0).seekable
    info = find(ctx, operands[0])
    return info is not None and not bits.S_ISREG(info.mode)


def _sample(size: int, count: int, draw: _Generator, ctx: Context) -> list[int]:
    """Return ``count`` different random numbers below ``size``, as GNU's program draws them while it reads a stream."""
    kept = list(range(min(size, count)))
    if 0 < count <= size:
        for number in range(count, size + 1):
            ctx.charge()
            place = draw.below(number + 1)
            if place < count and number < size:
                kept[place] = number
    return [kept[at] for at in _draw_numbers(len(kept), len(kept), draw, ctx)]


def _draw_numbers(size: int, count: int, draw: _Generator, ctx: Context) -> list[int]:
    """Return ``count`` different random numbers below ``size``.

    It is a Fisher-Yates shuffle whose dictionary holds only the elements that were moved.
    """
    displaced: dict[int, int] = {}
    result = []
    for position in range(count):
        ctx.charge()
        if position % 1024 == 0:
            ctx.budget.check_fits(200 * (position + 1024))
        other = position + draw.below(size - position)
        result.append(displaced.get(other, other))
        displaced[other] = displaced.get(position, position)
        displaced.pop(position, None)
    return result


class _Generator:
    """Random numbers from the host's entropy, or from the bytes of a file."""

    def __init__(self, name: str | None, ctx: Context) -> None:
        self._source = RandomSource(name, ctx) if name is not None else None
        self._system = None
        self._pool = self._most = 0
        if self._source is None:
            from random import SystemRandom

            self._system = SystemRandom()

    def below(self, limit: int) -> int:
        """Return a number from 0 to limit - 1; all are equally likely."""
        if limit <= 1:
            return 0
        if self._system is not None:
            return self._system.randrange(limit)
        # What one number leaves of the bytes' randomness serves the next one, as in GNU's program: the pool is a
        # random number from 0 to a known maximum.
        while True:
            while self._most < limit - 1:
                self._pool = (self._pool << 8) + self._byte()
                self._most = (self._most << 8) + 255
            numbers, beyond = divmod(self._most + 1, limit)
            if self._pool < numbers * limit:
                self._pool, result = divmod(self._pool, limit)
                self._most = numbers - 1
                return result
            self._pool -= numbers * limit
            self._most = beyond - 1

    def _byte(self) -> int:
        assert self._source is not None
        return self._source.read(1)[0]

    def close(self) -> None:
        if self._source is not None:
            self._source.close()
