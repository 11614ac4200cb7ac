"""seq: print numbers.

Source and oracle: GNU coreutils 9.1 (long double of x86-64). Values are computed exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError, opt, option_set
from sandhook.record import Record
from sandhook.text.longdouble import nearest, parse, render

PERMUTE = False
NEGATIVE = True
_BATCH = 2_048  #: numbers per write
_BATCH_CHARACTERS = (
    1 << 20
)  #: what they may have in all; a format can make each as long as the memory that is left
_LONG = 64  #: characters of a separator that is written alone
_DECIMAL = re.compile(r"[ \t\n]*([+-]?)(\d*)(?:\.(\d*))?", re.ASCII)
_FORMAT = re.compile(r"%([-+ #0']*+)(\d*+)(?:\.(\d*+))?L?([aefgAEFG])", re.ASCII)
_MAX_DIGITS = 4_000


@option_set
class Options:
    """seq [OPTION]... LAST
      or:  seq [OPTION]... FIRST LAST
      or:  seq [OPTION]... FIRST INCREMENT LAST

    Print numbers from FIRST (1) to LAST, in steps of INCREMENT (1).
    """

    format_: str | None = opt(
        "-f", "--format", "FORMAT", "print numbers as printf does with %a, %e, %f or %g"
    )
    separator: str = opt("-s", "--separator", "STRING", "print STRING between numbers", default="\n")
    equal: bool = opt("-w", "--equal-width", help="make numbers equally wide with leading zeros")


class Number(Record):
    """An operand: ``numerator / 10**scale``, or infinity with the sign of ``numerator``.

    ``precision`` is None unless the operand consists of plain decimal digits; ``width`` then counts its characters
    before the point.
    """

    numerator: int
    scale: int
    precision: int | None
    infinite: bool = False
    width: int = 0


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if not operands:
        raise UsageError("missing operand")
    if len(operands) > 3:
        raise UsageError(f"extra operand '{operands[3]}'")
    if options.format_ is not None:
        check_format(options.format_)
        if options.equal:
            raise UsageError("format string may not be specified when printing equal width strings")
    numbers = [read_number(text) for text in operands]
    last = numbers[-1]
    first = numbers[0] if len(numbers) > 1 else Number(1, 0, 0)
    step = numbers[1] if len(numbers) > 2 else Number(1, 0, 0)
    if not step.numerator and not step.infinite:
        raise UsageError(f"invalid Zero increment value: '{operands[1]}'")
    is_usual = options.format_ is None and not options.equal and len(options.separator) <= _LONG
    if is_usual and all(number.scale == 0 == number.precision for number in (first, step, last)):
        bound = last.numerator + (1 if step.numerator > 0 else -1)
        _print_integers(range(first.numerator, bound, step.numerator), options.separator, ctx)
        return 0
    print_numbers(texts(options, first, step, last, ctx), options.separator, ctx)
    return 0


def _print_integers(numbers: range, separator: str, ctx: Context) -> None:
    """Write numbers as ``print_numbers`` does, in half the time: one template converts a batch of them."""
    conversion = "%d" + separator.replace("%", "%%")
    template = ""
    at = 0
    while batch := tuple(numbers[at : at + _BATCH]):  # a range may have more numbers than len() can count
        ctx.charge(1 + (len(batch) >> 2))
        at += len(batch)
        if len(batch) == _BATCH:
            template = template or conversion * _BATCH
            text = template % batch
        else:
            text = conversion * len(batch) % batch
        if not numbers[at : at + 1]:
            text = text[: len(text) - len(separator)] + "\n"
        ctx.write(text.encode("utf-8", "surrogateescape"))


def print_numbers(pieces: Iterator[list[str]], separator: str, ctx: Context) -> None:
    """Write batches of numbers with the separator between them and a newline at the end."""
    started = False
    for piece in pieces:
        ctx.charge(1 + (len(piece) >> 2))
        if len(separator) > _LONG:
            _print_apart(piece, separator, started, ctx)
        else:
            text = separator.join(piece)
            ctx.write((separator + text if started else text).encode("utf-8", "surrogateescape"))
        started = True
    if started:
        ctx.write(b"\n")


def _print_apart(piece: list[str], separator: str, started: bool, ctx: Context) -> None:
    """Write numbers with a separator that is too long to be written with all of them at once."""
    data = separator.encode("utf-8", "surrogateescape")
    for number in piece:
        ctx.charge(1 + (len(data) >> 10))
        if started:
            ctx.write(data)
        ctx.write(number.encode())
        started = True


def read_number(text: str) -> Number:
    """Parse an operand. Raises UsageError."""
    match = _DECIMAL.fullmatch(text)
    if match and (match[2] or match[3]):
        digits = (match[2] + (match[3] or "")).lstrip("0") or "0"
        if len(digits) > _MAX_DIGITS:
            raise UsageError(f"invalid floating point argument: '{text}'")
        precision = len(match[3] or "")
        width = len(match[2]) + (match[1] == "-")
        return Number(-int(digits) if match[1] == "-" else int(digits), precision, precision, False, width)
    value, end, _ = parse(text)
    if not text or end < len(text):
        raise UsageError(f"invalid floating point argument: '{text}'")
    if value.special == "nan":
        raise UsageError(f"invalid 'not-a-number' argument: '{text}'")
    sign = -1 if value.negative else 1
    if value.special:
        return Number(sign, 0, None, True)
    return _from_binary(text, sign, value.mantissa, value.exponent)


def _from_binary(text: str, sign: int, mantissa: int, exponent: int) -> Number:
    """Return a number with an exponent; the exact value of the text if it is decimal."""
    match = re.fullmatch(r"[ \t\n]*+[+-]?(\d*+)\.?(\d*+)[eE]([+-]?\d{1,4})", text, re.ASCII)
    if match:
        scale = len(match[2]) - int(match[3])
        digits = int((match[1] + match[2])[:_MAX_DIGITS] or "0")
        return Number(sign * digits * 10 ** max(-scale, 0), max(scale, 0), max(scale, 0))
    if exponent >= 0:
        return Number(sign * (mantissa << exponent), 0, None)
    scale = min(-exponent, 5_000)
    return Number(sign * mantissa * 5**scale >> max(-exponent - scale, 0), scale, None)


def check_format(format_: str) -> None:
    """Check that a format has exactly one conversion, for floating-point numbers. Raises UsageError."""
    bare = format_.replace("%%", "")
    percent = bare.find("%")
    if percent < 0:
        raise UsageError(f"format '{format_}' has no % directive", hint=False)
    match = _FORMAT.match(bare, percent)
    if not match:
        directive = re.match(r"%[-+ #0']*+\d*+(?:\.\d*+)?L?(.?)", bare[percent:], re.DOTALL)
        if not directive or not directive[1]:
            raise UsageError(f"format '{format_}' ends in %", hint=False)
        raise UsageError(f"format '{format_}' has unknown %{directive[1]} directive", hint=False)
    if "%" in bare[match.end() :]:
        raise UsageError(f"format '{format_}' has too many % directives", hint=False)


def texts(options: Options, first: Number, step: Number, last: Number, ctx: Context) -> Iterator[list[str]]:
    """Yield the numbers as text, in batches."""
    if first.infinite:
        raise Failure("an infinite FIRST is not supported")
    if step.infinite:  # the first number is the only one
        step = Number(step.numerator * 10**9000, 0, 0)
    scale = max(first.scale, step.scale, 0 if last.infinite else last.scale)
    start = first.numerator * 10 ** (scale - first.scale)
    stride = step.numerator * 10 ** (scale - step.scale)
    if last.infinite:
        stop = None if (last.numerator > 0) == (stride > 0) else start - stride
    else:
        stop = last.numerator * 10 ** (scale - last.scale)
    plain = (
        first.precision is not None
        and step.precision is not None
        and (last.precision is not None or last.infinite)
    )
    precision = max(first.precision or 0, step.precision or 0)
    width = 0
    if options.equal and plain and not last.infinite:
        cut = 10 ** (scale - precision)
        width = max(len(_decimal(start // cut, precision)), len(_decimal((stop or 0) // cut, precision)))
        width = max(width, max(first.width, last.width) + (precision + 1 if precision else 0))
    current = start
    count = _BATCH if options.format_ is None else _fitting(options.format_)
    while stop is None or (current <= stop if stride > 0 else current >= stop):
        end = current + stride * count
        if stop is not None:
            end = min(end, stop + 1) if stride > 0 else max(end, stop - 1)
        values = range(current, end, stride)
        if options.format_ is not None:
            ctx.charge(len(values))
            yield [_format_number(options.format_, value, scale, ctx) for value in values]
        elif not plain:
            yield [_general(value, scale) for value in values]
        elif not precision and scale == 0:
            yield [f"{value:0{width}d}" for value in values] if width else list(map(str, values))
        else:
            cut = 10 ** (scale - precision)
            yield [_decimal(value // cut, precision).zfill(width) for value in values]
        current = values[-1] + stride


def _fitting(format_: str) -> int:
    """Return how many numbers of a format are made at once."""
    directive = _FORMAT.search(format_.replace("%%", ""))
    width, precision = (directive[2], directive[3]) if directive else ("", "")
    characters = len(format_) + int(width[:12] or 0) + int((precision or "")[:12] or 0)
    return max(1, min(_BATCH, _BATCH_CHARACTERS // characters))


def _decimal(value: int, precision: int) -> str:
    if not precision:
        return str(value)
    digits = str(abs(value)).zfill(precision + 1)
    return f"{'-' if value < 0 else ''}{digits[:-precision]}.{digits[-precision:]}"


def _general(value: int, scale: int) -> str:
    number = nearest(abs(value), 10**scale)[0]._replace(negative=value < 0)
    return render(number, "g", "", 0, None)


def _format_number(format_: str, value: int, scale: int, ctx: Context) -> str:
    number = nearest(abs(value), 10**scale)[0]._replace(negative=value < 0)

    def convert(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        width, precision = int(match[2][:12] or 0), None if match[3] is None else int(match[3][:12] or 0)
        ctx.budget.check_fits(width + (precision or 0))
        return render(number, match[4], match[1], width, precision)

    return re.sub(r"%%|" + _FORMAT.pattern, convert, format_, flags=re.ASCII)
