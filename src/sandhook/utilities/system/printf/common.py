"""The formatter of bash's printf, with widths and precisions in bytes.

Source: POSIX.1-2024 XCU 3, printf; Bash Reference Manual, printf. Oracle: bash 5.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.lazy import lazily
from sandhook.limits import check_clock, check_fits, timed_items
from sandhook.record import Record
from sandhook.text.escapes import unescape_argument, unescape_format
from sandhook.text.quoting import shell_quote
from sandhook.typed import TYPE_CHECKING
from sandhook.utilities.system.printf.caller import Caller, after, line_writer

if TYPE_CHECKING:
    from sandhook.text.longdouble import LongDouble

_FLAGS = frozenset(b"-+ #0'I")
_DIGITS = frozenset(b"0123456789")
_MODIFIERS = frozenset(b"hjlLtz")
_PARENTHESES = lazily(rb"[()]")
_INTEGERS = b"diouxX"
_FLOATS = b"aAeEfFgG"
_OTHERS = b"csbqQn"
_TIME_BUFFER = 128  #: bytes of a date of %(...)T; bash prints nothing for a longer one
_INT_MAX = 2**31 - 1
_MAX = 2**63 - 1
_UMAX = 2**64 - 1
_ITEM_BYTES = 256  #: what a conversion takes
_MAX_CACHED_FORMATS = 256
_MAX_CACHED_LENGTH = 1_024  #: a longer format is not cached

#: The times whose years the C library can represent; bash shows others as the epoch.
_FIRST_SECOND, _LAST_SECOND = -67_768_040_609_740_800, 67_768_036_191_676_799


class Conversion(Record):
    """One conversion specification; None stands for ``*`` in ``width`` and ``precision``."""

    flags: str
    width: int | None
    precision: int | None
    letter: str
    time_format: str = ""
    negative: str = ""  #: a constant precision with its minus, for example ``-1``


class Literal(Record):
    """Text between conversions, with the warnings about its escapes."""

    data: bytes
    warnings: tuple[str, ...] = ()


class InvalidConversion(Record):
    """A conversion that is not valid, where the output ends."""

    message: str


Item = Conversion | Literal | InvalidConversion
_ABSENT = -1  #: there is no precision

_FORMATS: dict[bytes, tuple[Item, ...]] = {}


def format_printf(format_: str, arguments: Sequence[str], caller: Caller) -> tuple[bytes, bool]:
    """Return the output of printf, and whether a ``\\c`` in an argument of %b ended it."""
    if format_ == "%s\n" and len(arguments) == 1:
        return arguments[0].encode("utf-8", "surrogateescape") + b"\n", False
    key = format_.encode("utf-8", "surrogateescape")
    items = _FORMATS.get(key)
    if items is None:
        items = parse_format(key)
        if len(key) <= _MAX_CACHED_LENGTH:
            if len(_FORMATS) >= _MAX_CACHED_FORMATS:
                _FORMATS.clear()
            _FORMATS[key] = items
    formatter = Formatter(arguments, caller)
    while formatter.expand(items) and formatter.has_more():
        pass
    return b"".join(formatter.output), formatter.stopped


def parse_format(data: bytes) -> tuple[Item, ...]:
    """Return the literal text and the conversions of a format."""
    items: list[Item] = []
    literal: list[bytes] = []

    def end_literal() -> None:
        if literal:
            warnings: list[str] = []
            items.append(Literal(unescape_format(b"".join(literal), warnings.append), tuple(warnings)))
            literal.clear()

    at = conversions = 0
    while True:
        percent = data.find(b"%", at)
        if percent < 0:
            literal.append(data[at:])
            break
        literal.append(data[at:percent])
        if data[percent + 1 : percent + 2] == b"%":
            literal.append(b"%")
            at = percent + 2
            continue
        end_literal()
        conversions += 1
        if not conversions & 255:
            check_clock()
            check_fits(len(items) * _ITEM_BYTES)
        at = _conversion(data, percent, items)
        if items and isinstance(items[-1], InvalidConversion):
            break
    end_literal()
    return tuple(items)


def _conversion(data: bytes, percent: int, items: list[Item]) -> int:
    """Parse the conversion at ``percent``; return the offset after it."""
    at = percent + 1
    at = _end(_FLAGS, data, at)
    flags = data[percent + 1 : at].decode()
    width, at = _count(data, at, 0)
    precision: int | None = _ABSENT
    negative = ""
    if data[at : at + 2] == b".-":
        precision, start = 0, at + 1
        at = _end(_DIGITS, data, at + 2)
        negative = data[start:at].decode()
    elif data[at : at + 1] == b".":
        precision, at = _count(data, at + 1, 0)
    at = _end(_MODIFIERS, data, at)
    if at >= len(data):
        items.append(
            InvalidConversion(f"`{data[percent:].decode('utf-8', 'replace')}': missing format character")
        )
        return at
    letter = data[at]
    if letter == 0x28:  # %(format)T
        end = _matching_parenthesis(data, at)
        if end and data[end : end + 1] == b"T":
            text = data[at + 1 : end - 1].decode("utf-8", "surrogateescape")
            items.append(Conversion(flags, width, precision, "T", text or "%X"))
            return end + 1
        letter_text = data[end : end + 1].decode("utf-8", "surrogateescape") if end else "\0"
        items.append(Literal(b"%(", (f"warning: `{letter_text}': invalid time format specification",)))
        return at + 1  # the text in the parentheses is part of the format, as in bash
    if letter in _INTEGERS or letter in _FLOATS or letter in _OTHERS:
        items.append(Conversion(flags, width, precision, chr(letter), negative=negative))
    else:
        items.append(
            InvalidConversion(
                f"`{data[at : at + 1].decode('utf-8', 'surrogateescape')}': invalid format character"
            )
        )
    return at + 1


def _matching_parenthesis(data: bytes, at: int) -> int:
    """Return the offset after the parenthesis that closes the one at ``at``, or 0."""
    depth = 0
    for number, match in enumerate(_PARENTHESES.finditer(data, at)):
        if number & 1023 == 1023:
            check_clock()
        depth += 1 if match[0] == b"(" else -1
        if not depth:
            return match.end()
    return 0


def _end(run: frozenset[int], data: bytes, at: int) -> int:
    size = len(data)
    while at < size and data[at] in run:
        at += 1
    return at


def _count(data: bytes, at: int, absent: int) -> tuple[int | None, int]:
    """Parse ``*`` (None) or digits; return the value and the offset after it."""
    if data[at : at + 1] == b"*":
        return None, at + 1
    end = _end(_DIGITS, data, at)
    return int(data[at:end].lstrip(b"0")[:15] or b"%d" % absent), end


class Formatter:
    """Writes conversions one after the other, each with the next arguments."""

    __slots__ = (
        "arguments",
        "assign",
        "check_fits",
        "doubles",
        "environment",
        "error",
        "index",
        "now",
        "output",
        "size",
        "started",
        "stopped",
        "warning",
    )  # fmt: skip

    def __init__(self, arguments: Sequence[str], caller: Caller) -> None:
        self.arguments = arguments
        self.output: list[bytes] = []
        (
            self.error, self.warning, self.now, self.environment, self.check_fits, self.started, self.assign,
            self.doubles, flush,
        ) = caller  # fmt: skip
        if flush is not None:
            flush_lines = line_writer(self.output, flush)
            self.error = after(flush_lines, self.error)
            self.warning = after(flush_lines, self.warning)
        self.index = 0
        self.size = 0
        self.stopped = False  #: by a \c

    def has_more(self) -> bool:
        """Return whether arguments remain, so that the format is reused."""
        return 0 < self.index < len(self.arguments)

    def next(self) -> str | None:
        """Return the next argument; None after the last."""
        index = self.index
        if index >= len(self.arguments):
            return None
        self.index = index + 1
        return self.arguments[index]

    def write(self, data: bytes) -> None:
        self.size += len(data)
        self.check_fits(self.size)
        self.output.append(data)

    def expand(self, items: Sequence[Item]) -> bool:
        """Write the format once; return False when the output ends here."""
        for item in timed_items(items):
            if isinstance(item, Literal):
                for message in item.warnings:
                    self.warning(message)
                self.write(item.data)
            elif isinstance(item, Conversion):
                if not self.convert(item):
                    return False
            else:
                self.error(item.message)
                return False
        return True

    def convert(self, item: Conversion) -> bool:
        flags, width, precision, letter, _, negative = item
        if max(width or 0, precision or 0) > _INT_MAX and letter not in "bqQnT":
            return self.overflow(item)
        if width is None:
            width = self.star()
            if width < 0:
                flags += "-"
                width = -width
        if precision is None:
            precision = max(self.star(), _ABSENT)
        self.check_fits(self.size + width + (0 if letter in "sbqQT" else max(precision, 0)))
        if negative and letter not in "bqQnT":
            self.write_undefined(letter, flags, width, negative)
            return True
        if letter == "s":
            argument = self.next()
            text = b"" if argument is None else argument.encode("utf-8", "surrogateescape")
        elif letter == "T":
            text = self.time(item.time_format)
        elif letter in "diouxX":
            self.write(self.integer(letter, flags, width, precision))
            return True
        elif letter in "aAeEfFgG":
            from sandhook.text.longdouble import render

            value = self.float()
            shown = render(
                value, letter, flags, width, None if precision < 0 else precision, double=self.doubles
            )
            self.write(shown.encode())
            return True
        elif letter == "n":
            return self.count_written()
        else:
            return self.text("q" if negative and letter == "Q" else letter, flags, width, precision)
        self.write(pad(text if precision < 0 else text[:precision], flags, width))
        return True

    def overflow(self, item: Conversion) -> bool:
        """Use the arguments of a conversion for which C's printf fails, so that bash prints nothing."""
        kept, size = len(self.output), self.size
        width = None if item.width is None else 0
        precision = None if item.precision is None else _ABSENT
        proceeds = self.convert(item._replace(width=width, precision=precision))
        del self.output[kept:]
        self.size = size
        return proceeds

    def write_undefined(self, letter: str, flags: str, width: int, negative: str) -> None:
        """Write a conversion with a precision such as ``-1``, which C does not define, as glibc prints it."""
        modifier = ""
        if letter in "diouxX":
            modifier = "l"
            if (argument := self.next()) is not None:
                self.number(argument, unsigned=letter not in "di")
        elif letter in "aAeEfFgG":
            modifier = "L"
            self.float()
        else:
            self.next()
        sign = "+" if "+" in flags else " " if " " in flags else ""
        side = "-" if "-" in flags else "0" if "0" in flags else ""
        kept = f"{'#' if '#' in flags else ''}{chr(39) if chr(39) in flags else ''}{sign}{side}{width or ''}"
        self.write(f"%{kept}.0{negative}{modifier}{letter}".encode())

    def text(self, letter: str, flags: str, width: int, precision: int) -> bool:
        """c, b, q and Q."""
        argument = self.next() or ""
        if letter == "c":
            data = argument.encode("utf-8", "surrogateescape")[:1] or b"\0"
            self.write(pad(data, flags, width))
            return True
        if letter == "b":
            data, self.stopped = unescape_argument(argument.encode("utf-8", "surrogateescape"), self.warning)
            self.write(pad(data if precision < 0 else data[:precision], flags, width))
            return not self.stopped
        if letter == "Q" and precision >= 0:
            data = argument.encode("utf-8", "surrogateescape")[:precision]
            argument = data.decode("utf-8", "surrogateescape")
            precision = _ABSENT
        data = shell_quote(argument).encode("utf-8", "surrogateescape")
        self.write(pad(data if precision < 0 else data[:precision], flags, width))
        return True

    def count_written(self) -> bool:
        """%n: assign the number of bytes so far to a variable."""
        if self.assign is None:
            self.error("`n': invalid format character")
            return False
        name = self.next()
        message = self.assign(name, str(self.size)) if name else None
        if message is not None:
            self.error(message)
        return message is None

    def time(self, format_: str) -> bytes:
        """%(...)T: -1 or no argument is the current time, -2 the start time of the shell."""
        from sandhook.dates.clock import strftime

        argument = self.next()
        seconds = -1 if argument is None else self.number(argument)
        if seconds == -1 or (seconds == -2 and self.started is None):
            seconds = int(self.now())
        elif seconds == -2 and self.started is not None:
            seconds = int(self.started)
        if not _FIRST_SECOND <= seconds <= _LAST_SECOND:
            seconds = 0
        text = strftime(format_, seconds, self.environment.get("TZ")).encode("utf-8", "surrogateescape")
        return text if len(text) < _TIME_BUFFER else b""

    def star(self) -> int:
        """Return the next argument as a width or precision."""
        argument = self.next()
        if argument is None:
            return 0
        value = self.number(argument)
        return max(-_INT_MAX, min(_INT_MAX, value))

    # ------------------------------------------------------------------ numbers

    def integer(self, letter: str, flags: str, width: int, precision: int) -> bytes:
        argument = self.next()
        if letter in "di":
            value = 0 if argument is None else self.number(argument)
            digits = str(abs(value))
            sign = "-" if value < 0 else "+" if "+" in flags else " " if " " in flags else ""
        else:
            value = 0 if argument is None else self.number(argument, unsigned=True)
            digits = format(value, "d" if letter == "u" else letter)
            sign = ""
            if "#" in flags and value:
                if letter == "o":
                    digits = "0" + digits
                elif letter in "xX":
                    sign = "0" + letter
        if precision >= 0:
            digits = (
                digits.rjust(precision, "0")
                if value or precision
                else "0"
                if "#" in flags and letter == "o"
                else ""
            )
        if len(sign) + len(digits) < width:
            if "-" in flags:
                digits = digits.ljust(width - len(sign))
            elif "0" in flags and precision < 0:
                digits = digits.rjust(width - len(sign), "0")
            else:
                return (sign + digits).rjust(width).encode()
        return (sign + digits).encode()

    def number(self, text: str, *, unsigned: bool = False) -> int:
        """Parse an integer as strtoimax with base 0 does, or the code of a quoted character."""
        if text.isdecimal() and text.isascii() and len(text) < 19 and text[0] != "0":
            return int(text)
        if text[:1] in ("'", '"'):
            return character_code(text)
        value, end = read_integer(text)
        if end < len(text):
            self.invalid(text)
        low, high = (-_UMAX, _UMAX) if unsigned else (-_MAX - 1, _MAX)
        if not low <= value <= high:
            self.warning(f"warning: {text}: Numerical result out of range")
            return _UMAX if unsigned else low if value < 0 else high
        return value & _UMAX if unsigned else value

    def float(self) -> LongDouble:
        from sandhook.text.longdouble import LongDouble, as_double, from_int, parse

        argument = self.next()
        if argument is None:
            return LongDouble(False, 0, 0)
        if argument[:1] in ("'", '"'):
            return from_int(character_code(argument))
        value, end, range_error = parse(argument)
        if self.doubles:
            value, out = as_double(value)
            range_error |= out
        if end < len(argument):
            self.invalid(argument)
        elif range_error:
            self.warning(f"warning: {argument}: Numerical result out of range")
        return value

    def invalid(self, text: str) -> None:
        kind = "octal " if text[:1] == "0" and text[1:2].isdigit() else "hex " if text[:2] == "0x" else ""
        self.error(f"{text}: invalid {kind}number")


def pad(data: bytes, flags: str, width: int) -> bytes:
    """Pad to ``width`` bytes, on the right with the flag "-"."""
    if len(data) >= width:
        return data
    return data.ljust(width) if "-" in flags else data.rjust(width)


def character_code(text: str) -> int:
    """Return the code of the character after a quote; 0 without one."""
    if len(text) < 2:
        return 0
    code = ord(text[1])
    return code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else code


def read_integer(text: str) -> tuple[int, int]:
    """Return a C integer (decimal, 0octal, 0xhex) and its end; a huge value is only approximate."""
    at = len(text) - len(text.lstrip(" \t\n\v\f\r"))
    negative = text[at : at + 1] == "-"
    if text[at : at + 1] in ("-", "+"):
        at += 1
    base, digit_set = 10, "0123456789"
    if text[at : at + 1] == "0":
        if text[at + 1 : at + 2] in ("x", "X") and text[at + 2 : at + 3] in tuple("0123456789abcdefABCDEF"):
            base, digit_set, at = 16, "0123456789abcdefABCDEF", at + 2
        else:
            base, digit_set = 8, "01234567"
    end = at
    while end < len(text) and text[end] in digit_set:
        end += 1
    if end == at:
        return 0, 0
    digits = text[at:end].lstrip("0")
    value = int(digits[:40] or "0", base)
    return -value if negative else value, end
