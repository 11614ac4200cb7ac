"""What GNU's printf does otherwise than the shell's: checked conversions, its messages, \\c in the format.

Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.text.quoting import quote_always
from sandhook.utilities.system.printf.common import (
    Caller,
    Formatter,
    character_code,
    parse_format,
    read_integer,
)

if TYPE_CHECKING:
    from sandhook.text.longdouble import LongDouble

_SPECIFICATION = re.compile(rb"%([-+ #0']*)(?:\*|[0-9]*)(\.(?:\*|[0-9]*))?[hjlLtz]*(.?)", re.DOTALL)
_TOKEN = re.compile(rb"\\.|%%|%", re.DOTALL)
_LETTERS = frozenset(b"diouxXaAeEfFgGcsbq")
#: What cannot stand after a flag.
_FORBIDDEN = {0x27: b"aAeEcosxX", 0x23: b"cdisu", 0x30: b"cs"}
_ANYTHING_BUT = re.compile(r"[A-Za-z0-9_@%+:,./-]+")
_UMAX = 2**64 - 1
_MAX = 2**63 - 1


def printf(format_: str, arguments: Sequence[str], ctx: Context) -> int:
    """Write the arguments in the format, which is used again while there are more; return the exit status."""
    data = format_.encode("utf-8", "surrogateescape")
    data, stops, broken = _usable(data)
    formatter = _Formatter(arguments, ctx)
    items = parse_format(data)
    while formatter.once(items):
        if broken is not None:
            ctx.write(b"".join(formatter.out))
            ctx.fail(f"{broken}: invalid conversion specification")
            return ctx.failed
        if stops or not formatter.more():
            break
    else:
        stops = True
    ctx.write(b"".join(formatter.out))
    if arguments and not formatter.index and not stops:
        ctx.error(f"warning: ignoring excess arguments, starting with {_quoted(arguments[0])}")
    return ctx.failed


def _usable(data: bytes) -> tuple[bytes, bool, str | None]:
    r"""Return a format as far as it can be used, whether \c ends it, and the conversion that breaks it."""
    at = 0
    while (found := _TOKEN.search(data, at)) is not None:
        at = found.end()
        if found[0] == b"\\c":
            return data[: found.start()], True, None
        if found[0] == b"%":
            specification = _SPECIFICATION.match(data, found.start())
            assert specification is not None
            at = specification.end()
            if not _allowed(specification):
                shown = specification[0].decode("utf-8", "surrogateescape")
                return data[: found.start()], False, shown
    return data, False, None


def _allowed(specification: re.Match[bytes]) -> bool:
    flags, precision, letter = specification.groups()
    if not letter or letter[0] not in _LETTERS:
        return False
    if letter in b"bq" and len(specification[0]) > 2:
        return False
    if letter == b"c" and precision is not None:
        return False
    return not any(letter in _FORBIDDEN.get(flag, b"") for flag in flags)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("\n", "\\n").replace("'", "\\'") + "'"


class _Formatter(Formatter):
    """The conversions, with GNU's words for text that is not a number."""

    def __init__(self, arguments: Sequence[str], ctx: Context) -> None:
        caller = Caller(ctx.fail, ctx.error, ctx.now, ctx.environment, ctx.budget.check_fits)
        super().__init__(arguments, caller)

    def text(self, letter: str, flags: str, width: int, precision: int) -> bool:
        """c, b and q."""
        if letter != "q":
            return super().text(letter, flags, width, precision)
        argument = self.next() or ""
        plain = argument if _ANYTHING_BUT.fullmatch(argument) else quote_always(argument)
        self.put(plain.encode("utf-8", "surrogateescape"))
        return True

    def number(self, text: str, *, unsigned: bool = False) -> int:
        """Read an integer, and report what follows it."""
        if text[:1] in ("'", '"') and len(text) > 1:
            self._character(text)
            return character_code(text)
        value, end = read_integer(text)
        low, high = (-_UMAX, _UMAX) if unsigned else (-_MAX - 1, _MAX)
        if not low <= value <= high:
            self.error(f"{_quoted(text)}: Numerical result out of range")
            return _UMAX if unsigned else low if value < 0 else high
        self._check(text, end)
        return value & _UMAX if unsigned else value

    def float(self) -> LongDouble:
        """Read a number with a point."""
        from sandhook.text.longdouble import LongDouble, from_int, parse

        argument = self.next()
        if argument is None:
            return LongDouble(False, 0, 0)
        if argument[:1] in ("'", '"') and len(argument) > 1:
            self._character(argument)
            return from_int(character_code(argument))
        value, end, range_error = parse(argument)
        if range_error:
            self.error(f"{_quoted(argument)}: Numerical result out of range")
        else:
            self._check(argument, end)
        return value

    def _check(self, text: str, end: int) -> None:
        if not end and text:
            self.error(f"{_quoted(text)}: expected a numeric value")
        elif end < len(text):
            self.error(f"{_quoted(text)}: value not completely converted")

    def _character(self, text: str) -> None:
        if len(text) > 2:
            ignored = text[2:]
            self.warning(f"warning: {ignored}: character(s) following character constant have been ignored")
