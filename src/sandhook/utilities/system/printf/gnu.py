"""The differences of GNU's printf from the shell's: checked conversions, messages, \\c in the format.

Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.lazy import lazily
from sandhook.text.escapes import unescape_argument
from sandhook.text.quoting import quoted_name
from sandhook.typed import TYPE_CHECKING
from sandhook.utilities.system.printf.caller import Caller
from sandhook.utilities.system.printf.common import (
    Conversion,
    Formatter,
    character_code,
    parse_format,
    read_integer,
)

if TYPE_CHECKING:
    import re

    from sandhook.text.longdouble import LongDouble

_SPECIFICATION = lazily(rb"(?s)%([-+ #0'I]*+)(?:\*|[0-9]*+)(\.(?:\*|[0-9]*+))?[hjlLtz]*+(.?)")
_TOKEN = lazily(rb"(?s)\\.|%%|%")
_LETTERS = frozenset(b"diouxXaAeEfFgGcsbq")
#: The letters that a flag cannot be combined with.
_FORBIDDEN = {0x27: b"aAeEcosxX", 0x49: b"aAeEcosxX", 0x23: b"cdisu", 0x30: b"cs"}
#: An escape without the digits that it needs.
_MALFORMED = lazily(rb"\\(?:x(?![0-9A-Fa-f])|u(?![0-9A-Fa-f]{4})|U(?![0-9A-Fa-f]{8}))")
_UNIVERSAL = lazily(rb"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
_ESCAPE = lazily(rb"(?s)\\.")
_UMAX = 2**64 - 1
_MAX = 2**63 - 1


def printf(format_: str, arguments: Sequence[str], ctx: Context) -> int:
    """Write the arguments in the format, which is reused until all are written; return the exit status."""
    data = format_.encode("utf-8", "surrogateescape")
    data, stops, invalid = _usable_part(data)
    formatter = _Formatter(arguments, ctx)
    malformed = _before_malformed(data)
    if malformed is not None:
        data, stops, invalid = malformed[0], False, None
    items = parse_format(data)
    while formatter.expand(items) and malformed is None:
        if invalid is not None:
            ctx.write(b"".join(formatter.output))
            ctx.fail(f"{invalid}: invalid conversion specification")
            return ctx.failed
        if stops or not formatter.has_more():
            break
    else:
        stops = True
    ctx.write(b"".join(formatter.output))
    error = malformed[1] if malformed is not None and not formatter.malformed else formatter.malformed
    if error:
        ctx.fail(error)
        return ctx.failed
    if stops:
        return 0  # \c exits successfully, whatever went wrong before
    if arguments and not formatter.index:
        ctx.error(f"warning: ignoring excess arguments, starting with {_quote_argument(arguments[0])}")
    return ctx.failed


def _usable_part(data: bytes) -> tuple[bytes, bool, str | None]:
    r"""Return the usable part of a format, whether \c ends it, and the invalid conversion that ends it."""
    at = 0
    while (match := _TOKEN.search(data, at)) is not None:
        at = match.end()
        if match[0] == b"\\c":
            return data[: match.start()], True, None
        if match[0] == b"%":
            specification = _SPECIFICATION.match(data, match.start())
            assert specification is not None
            at = specification.end()
            if not _is_allowed(specification):
                text = specification[0].decode("utf-8", "surrogateescape")
                return data[: match.start()], False, text
    return data, False, None


def _before_malformed(data: bytes) -> tuple[bytes, str] | None:
    """Return the text before the first escape that is not valid, and its error; None if there is no such escape."""
    at = 0
    while (match := _ESCAPE.search(data, at)) is not None:
        before = data[: match.start()]
        if _MALFORMED.match(data, match.start()):
            return before, "missing hexadecimal number in escape"
        universal = _UNIVERSAL.match(data, match.start())
        if universal is not None:
            digits = universal[1] or universal[2]
            code = int(digits, 16)
            if (code < 0xA0 and code not in (0x24, 0x40, 0x60)) or 0xD800 <= code <= 0xDFFF:
                return (
                    before,
                    f"invalid universal character name {universal[0][:2].decode()}{code:0{len(digits)}x}",
                )
        at = match.end()
    return None


def _is_allowed(specification: re.Match[bytes]) -> bool:
    flags, precision, letter = specification.groups()
    if not letter or letter[0] not in _LETTERS:
        return False
    if letter in b"bq" and len(specification[0]) > 2:
        return False
    if letter == b"c" and precision is not None:
        return False
    return not any(letter in _FORBIDDEN.get(flag, b"") for flag in flags)


def _quote_argument(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("\n", "\\n").replace("'", "\\'") + "'"


class _Formatter(Formatter):
    """The conversions, with GNU's messages for text that is not a number."""

    def __init__(self, arguments: Sequence[str], ctx: Context) -> None:
        caller = Caller(ctx.fail, ctx.error, ctx.now, ctx.environment, ctx.budget.check_fits)
        super().__init__(arguments, caller)
        self.malformed = ""  #: the error of an escape in an argument of %b

    def text(self, letter: str, flags: str, width: int, precision: int) -> bool:
        """c, b and q."""
        if letter == "b" and self.index < len(self.arguments):
            argument = self.arguments[self.index].encode("utf-8", "surrogateescape")
            before = _before_malformed(argument)
            if before is not None:
                self.malformed = before[1]
                self.write(unescape_argument(before[0], self.warning)[0])
                return False
        if letter != "q":
            return super().text(letter, flags, width, precision)
        name = self.next() or ""
        quoted = quoted_name(name, "escape-shell")
        self.write(quoted.encode("utf-8", "surrogateescape"))
        return True

    def overflow(self, item: Conversion) -> bool:
        proceeds = super().overflow(item)
        self.error("write error")
        return proceeds

    def number(self, text: str, *, unsigned: bool = False) -> int:
        """Parse an integer, and report text after it."""
        if text[:1] in ("'", '"') and len(text) > 1:
            self._character(text)
            return character_code(text)
        value, end = read_integer(text)
        low, high = (-_UMAX, _UMAX) if unsigned else (-_MAX - 1, _MAX)
        if not low <= value <= high:
            self.error(f"{_quote_argument(text)}: Numerical result out of range")
            return _UMAX if unsigned else low if value < 0 else high
        self._check(text, end)
        return value & _UMAX if unsigned else value

    def float(self) -> LongDouble:
        """Return the next argument as a floating-point number."""
        from sandhook.text.longdouble import LongDouble, from_int, parse

        argument = self.next()
        if argument is None:
            return LongDouble(False, 0, 0)
        if argument[:1] in ("'", '"') and len(argument) > 1:
            self._character(argument)
            return from_int(character_code(argument))
        value, end, range_error = parse(argument)
        if range_error:
            self.error(f"{_quote_argument(argument)}: Numerical result out of range")
        else:
            self._check(argument, end)
        return value

    def _check(self, text: str, end: int) -> None:
        if not end and text:
            self.error(f"{_quote_argument(text)}: expected a numeric value")
        elif end < len(text):
            self.error(f"{_quote_argument(text)}: value not completely converted")

    def _character(self, text: str) -> None:
        if len(text) > 2:
            ignored = text[2:]
            self.warning(f"warning: {ignored}: character(s) following character constant have been ignored")
