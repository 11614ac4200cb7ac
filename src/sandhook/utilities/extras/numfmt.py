"""numfmt: convert numbers from and to human-readable units.

Oracle: GNU coreutils 9.1. Divergence: L-NUMFMT-001, --debug is not offered, and --grouping has no effect,
as in the C locale.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import (
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    ROUND_UP,
    Decimal,
)
from decimal import (
    Context as Arithmetic,
)

from sandhook.command.choices import one_of
from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError, opt, option_set
from sandhook.command.pieces import PIECE
from sandhook.command.ranges import Range, parse_list

READ_ERROR = "error reading input: {}"

_UNITS = "KMGTPEZY"
_ROUNDINGS = {
    "up": ROUND_CEILING, "down": ROUND_FLOOR, "from-zero": ROUND_UP, "towards-zero": ROUND_DOWN,
    "nearest": ROUND_HALF_UP,
}  # fmt: skip
_NUMBER = re.compile(r"(-?)([0-9]*)(?:(\.)([0-9]*))?", re.ASCII)
_FORMAT = re.compile(r"((?>[^%]++|%%)*+)%([0' -]*+)([0-9]*+)(?:\.([0-9]*+))?f((?>[^%]++|%%)*+)", re.DOTALL)
_WORD = re.compile(r"([ \t]*+)([^ \t]*+)")
_EXACT = Arithmetic(prec=60)
_MAX_DIGITS = 18  #: digits of a number that is printed without a unit
_MAX_INPUT_DIGITS = 33  #: digits of an input number
_MAX_WIDTH = 10_000
_WORD_BYTES = 150  #: memory for a word, its blanks and their places in lists


def _unit(text: str) -> int:
    digits = text.rstrip("KMGTPEZYi")
    suffix = text[len(digits) :]
    is_known = suffix == "" or (suffix[0] in _UNITS and suffix[1:] in ("", "i"))
    if (
        not (digits == "" or (digits.isascii() and digits.isdigit()))
        or not is_known
        or not text
        or len(digits) > 18
    ):
        raise UsageError(f"invalid unit size: '{text}'", hint=False)
    power = _UNITS.index(suffix[0]) + 1 if suffix else 0
    size: int = int(digits or "1") * (1024 if suffix[1:] == "i" else 1000) ** power
    if not size:
        raise UsageError(f"invalid unit size: '{text}'", hint=False)
    return size


def _count(name: str) -> Callable[[str], int]:
    def read(text: str) -> int:
        bare = text.removeprefix("-") if name == "padding" else text
        if not (bare.isascii() and bare.isdigit() and len(bare) < 6 and int(bare)):
            raise UsageError(f"invalid {name} value '{text}'", hint=False)
        return int(text)

    return read


@option_set
class Options:
    """numfmt [--from=UNIT] [--to=UNIT] [--field=LIST] [-d X] [--format=FORMAT] [--padding=N] [NUMBER]...

    Convert each NUMBER, or those in the fields of standard input.
    """

    source: str = opt(
        "--from",
        "UNIT",
        "none, auto, si, iec, iec-i: the units of the input",
        convert=one_of("--from", "none", "auto", "si", "iec", "iec-i"),
        default="none",
    )
    target: str = opt(
        "--to",
        "UNIT",
        "none, si, iec, iec-i: the units of the output",
        convert=one_of("--to", "none", "si", "iec", "iec-i"),
        default="none",
    )
    from_unit: int = opt("--from-unit", "N", "the size of the input unit", convert=_unit, default=1)
    to_unit: int = opt("--to-unit", "N", "the size of the output unit", convert=_unit, default=1)
    fields: str = opt("--field", "LIST", "convert these fields (1), in the syntax of cut", default="1")
    delimiter: str | None = opt("-d", "--delimiter", "X", "the separator of fields, instead of blanks")
    form: str | None = opt("--format", "FORMAT", "like printf's %f: width, precision, text around")
    padding: int | None = opt(
        "--padding", "N", "width of the output; to the left if negative", convert=_count("padding")
    )
    rounding: str = opt(
        "--round",
        "METHOD",
        "up, down, from-zero (default), towards-zero, nearest",
        convert=one_of("--round", *_ROUNDINGS),
        default="from-zero",
    )
    suffix: str = opt("--suffix", "SUFFIX", "text after each number, removed from the input", default="")
    header: int = opt(
        "--header",
        "N",
        "copy the first N lines (1) unchanged",
        convert=_count("header"),
        optional=True,
        const=1,
        default=0,
    )
    invalid: str = opt(
        "--invalid",
        "MODE",
        "abort, fail, warn or ignore for text that is not a number",
        convert=one_of("--invalid", "abort", "fail", "warn", "ignore"),
        default="abort",
    )
    grouping: bool = opt("--grouping", help="group digits, which the C locale does not")
    zero: bool = opt("-z", "--zero-terminated", help="lines end with NUL")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 2 for text that is not a number, depending on --invalid."""
    try:
        ranges = parse_list("1-" if options.fields == "-" else options.fields, True)
    except UsageError as error:
        raise UsageError(str(error)) from None
    if options.delimiter is not None and len(options.delimiter) > 1:
        raise UsageError("the delimiter must be a single character", hint=False)
    if options.grouping and options.form is not None:
        raise UsageError("--grouping cannot be combined with --format", hint=False)
    if options.grouping and options.target != "none":
        raise UsageError("grouping cannot be combined with --to", hint=False)
    converter = _Converter(options, ranges, ctx)
    end = "\0" if options.zero else "\n"
    for text in operands:
        ctx.charge()
        converter.line(text, end)
    if not operands:
        with ctx.stdin_reader() as reader:
            for number, raw in enumerate(reader.lines(end.encode())):
                text = raw.decode("utf-8", "surrogateescape")
                line_end = end if text[-1:] == end else ""
                text = text[:-1] if line_end else text
                if options.zero:  # a newline is a blank, which is printed as a space
                    text = text.replace("\n", " ")
                if number < options.header:
                    ctx.write(raw)
                else:
                    converter.line(text, line_end)
    return ctx.failed


class _Invalid(Exception):
    """A text is not a number, or the number is not allowed."""


class _Converter:
    def __init__(self, options: Options, ranges: list[Range], ctx: Context) -> None:
        self.options = options
        self.ranges = ranges
        self.ctx = ctx
        self.prefix = self.suffix_text = ""
        self.width = abs(options.padding) if options.padding else 0
        self.left_aligned = bool(options.padding and options.padding < 0)
        self.zeros = False
        self.precision: int | None = None
        if options.form is not None:
            self._read_format(options.form)

    def _read_format(self, text: str) -> None:
        match = _FORMAT.fullmatch(text)
        if match is None:
            if "%" not in text.replace("%%", ""):
                raise UsageError(f"format '{text}' has no % directive", hint=False)
            unescaped = text.replace("%%", "")
            if re.fullmatch("[^%]*+%[0'-]*+[0-9]*+(?:[.][0-9]*+)?", unescaped):
                raise UsageError(f"format '{text}' ends in %", hint=False)
            if re.search("%[0'-]*+[0-9]*+(?:[.][0-9]*+)?f[^%]*+%", unescaped, re.DOTALL):
                raise UsageError(f"format '{text}' has too many % directives", hint=False)
            raise UsageError(f"invalid format '{text}', directive must be %[0]['][-][N][.][N]f", hint=False)
        prefix, flags, width, precision, suffix_text = match.groups()
        self.prefix, self.suffix_text = prefix.replace("%%", "%"), suffix_text
        if width:
            self.width = int(width[:6])
            self.left_aligned = self.left_aligned or "-" in flags
            self.zeros = "0" in flags and not self.left_aligned
        if self.width > _MAX_WIDTH or (precision and int(precision[:6]) > _MAX_WIDTH):
            raise UsageError(f"invalid precision in format '{text}'", hint=False)
        if precision is not None:
            self.precision = int(precision or "0")

    def line(self, text: str, end: str) -> None:
        """Convert the selected fields of a line, and print it."""
        delimiter = "\0" if self.options.delimiter == "" else self.options.delimiter
        pieces: list[str] = []
        if len(text) > PIECE:
            self.ctx.charge(len(text) >> 5)
            self.ctx.budget.check_fits(_WORD_BYTES * (1 + sum(map(text.count, delimiter or " \t"))))
        if delimiter:
            words = text.split(delimiter)
            spaces = [""] + [delimiter] * (len(words) - 1)
        else:
            words, spaces = _words(text)
        for number, (space, word) in enumerate(zip(spaces, words), 1):
            self.ctx.charge(1)
            if not any(first <= number <= last for first, last in self.ranges):
                pieces += (space, word)
                continue
            width = 0
            if not delimiter and not self.width and space and number > 1 and len(space) > 1:
                width = len(space) - 1 + len(word)
                space = space[0]
            elif not delimiter and not self.width and number == 1 and space:
                width, space = len(space) + len(word), ""
            elif not delimiter and self.width:
                space = space[:1] if number > 1 else ""
            converted = self._field(word)
            pieces += (space, converted if converted is not None else word)
            if width and converted is not None:
                pieces[-1] = converted.rjust(width)
            elif converted is None and width:
                pieces[-1] = word.rjust(width)
        self.ctx.write(("".join(pieces) + end).encode("utf-8", "surrogateescape"))

    def _field(self, word: str) -> str | None:
        """Return a converted number, or None for invalid text that --invalid allows."""
        try:
            return self._format(self._value(word))
        except _Invalid as error:
            mode = self.options.invalid
            if mode == "abort":
                raise Failure(str(error), 2) from None
            if mode != "ignore":
                self.ctx.error(str(error))
            if mode == "fail":
                self.ctx.failed = 2
            return None

    def _value(self, word: str) -> tuple[Decimal, int]:
        """Parse a number; return it, and the number of its digits after the point."""
        options = self.options
        text = word.removesuffix(options.suffix) if options.suffix else word
        text = text.lstrip(" \t")
        match = _NUMBER.match(text)
        if match is None or not (match[2] or match[4]):
            raise _Invalid(f"invalid number: '{text}'")
        if len(match[2].lstrip("0")) > _MAX_INPUT_DIGITS:
            raise _Invalid(f"value too large to be converted: '{text}'")
        rest = text[match.end() :]
        if match[3] and not match[4]:
            raise _Invalid(f"invalid number: '{text}'")
        value = Decimal(f"{match[1]}{match[2] or 0}.{(match[4] or '0')[:_MAX_INPUT_DIGITS]}")
        scale = self._scale(text, rest.strip(" \t") if not rest.strip(" \t") else rest)
        value = _EXACT.multiply(value, Decimal(scale * options.from_unit)) if value else Decimal(0)
        return value, len(match[4] or "") if scale == 1 else 0

    def _scale(self, text: str, rest: str) -> int:
        source = self.options.source
        if not rest:
            if source == "iec-i":  # 9.1 also wants the letter after a number without a unit
                raise _Invalid(f"missing 'i' suffix in input: '{text}' (e.g Ki/Mi/Gi)")
            return 1
        letter = rest[0]
        if letter not in _UNITS:
            raise _Invalid(f"invalid suffix in input: '{text}'")
        if source == "none":
            raise _Invalid(f"rejecting suffix in input: '{text}' (consider using --from)")
        power = _UNITS.index(letter) + 1
        base = 1000 if source in ("si", "auto") else 1024
        suffix = rest[1:]
        if source in ("auto", "iec-i") and suffix[:1] == "i":
            base, suffix = 1024, suffix[1:]
        elif source == "iec-i":
            raise _Invalid(f"missing 'i' suffix in input: '{text}' (e.g Ki/Mi/Gi)")
        if suffix:
            raise _Invalid(f"invalid suffix in input '{text}': '{suffix}'")
        return int(base**power)

    def _format(self, number: tuple[Decimal, int]) -> str:
        options = self.options
        value, digits = number
        unit = ""
        if options.to_unit != 1:
            value, digits = _EXACT.divide(value, Decimal(options.to_unit)), 0
        if options.target == "none":
            if len(str(abs(int(value)))) > _MAX_DIGITS + 1:
                raise _Invalid(
                    f"value too large to be printed: '{_exponential(value)}' (consider using --to)"
                )
            places = digits if self.precision is None else self.precision
            if places + len(str(abs(int(value)))) > _MAX_DIGITS + 1:
                raise _Invalid(
                    f"value/precision too large to be printed: '{_exponential(value)}/{places}' (consider using --to)"
                )
            text = f"{self._round(value, places):.{places}f}"
        else:
            text, unit = self._in_units(value)
        if self.zeros:
            sign = "-" if text[:1] == "-" else ""
            text = sign + text[len(sign) :].rjust(self.width - len(sign), "0")
        text += unit + options.suffix
        text = text.ljust(self.width) if self.left_aligned else text.rjust(self.width)
        return self.prefix + text + self.suffix_text

    def _in_units(self, value: Decimal) -> tuple[str, str]:
        target = self.options.target
        base = Decimal(1000 if target == "si" else 1024)
        power = 0
        while abs(value) >= base and power < len(_UNITS):
            value = _EXACT.divide(value, base)
            power += 1
        places = self.precision if self.precision is None else min(self.precision, _MAX_DIGITS)
        if places is None:
            places = 1 if power and abs(self._round(value, 1)) < 10 else 0
        if not power:
            return f"{value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN):f}", ""
        value = self._round(value, places)
        if abs(value) >= base and power < len(_UNITS):
            value, power = _EXACT.divide(value, base), power + 1
            places = 1 if self.precision is None else places
            value = self._round(value, places)
        unit = _UNITS[power - 1] if power else ""
        return f"{value:.{places}f}", unit + ("i" if unit and target == "iec-i" else "")

    def _round(self, value: Decimal, places: int) -> Decimal:
        step = Decimal(1).scaleb(-min(places, _MAX_DIGITS))
        return value.quantize(step, rounding=_ROUNDINGS[self.options.rounding], context=Arithmetic(prec=90))


def _exponential(value: Decimal) -> str:
    return f"{float(value):g}"


def _words(text: str) -> tuple[list[str], list[str]]:
    """Return the words of a line, and the blanks before each."""
    words: list[str] = []
    spaces: list[str] = []
    for match in _WORD.finditer(text):
        if not match[0] and words:
            break
        spaces.append(match[1])
        words.append(match[2])
    return words, spaces
