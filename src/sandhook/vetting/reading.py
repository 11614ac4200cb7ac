"""The commands of a script, also of one with syntax errors.

A shell runs each complete command before it reads the next, so an error hides nothing that comes before it. What comes
after an error is read, too: another shell, or an option that the script sets, may accept the line.
"""

from __future__ import annotations

from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.syntax import DEFAULT_OPTIONS, Parser, parse_cached
from sandhook.syntax.nodes import CommandList
from sandhook.syntax.options import ParseOptions

#: Errors after which a text is read on, and characters that are read more than once for that. Without the bounds, a
#: text whose every line opens a bracket would take time with the square of its length.
MAX_ERRORS, MAX_AGAIN = 100, 1 << 16

_EXTGLOB = ParseOptions(extglob=True)


def commands_of(text: str) -> tuple[tuple[CommandList, ...], ShellSyntaxError | LimitExceeded | None]:
    """Return the units of a text that parse, in order, and the first error."""
    try:
        return parse_cached(text), None
    except (ShellSyntaxError, LimitExceeded) as error:
        if isinstance(error, LimitExceeded) and error.limit != "nesting":
            return (), error
        first = error
    parser = Parser(text)
    units: list[CommandList] = []
    errors: list[ShellSyntaxError | LimitExceeded] = []
    again = 0
    while len(errors) < MAX_ERRORS and again < MAX_AGAIN:
        begin = parser.offset
        try:
            unit = parser.next_unit()
        except (ShellSyntaxError, LimitExceeded) as error:
            again += parser.offset - begin
            if (
                parser.options == DEFAULT_OPTIONS and "extglob" in text
            ):  # a script may turn it on in many ways
                parser.options = _EXTGLOB
                parser.continue_at(begin)
                continue
            errors.append(error)
            parser.continue_at(_next_line(text, begin))
            continue
        if unit is None:
            return tuple(units), errors[0] if errors else None
        units.append(unit)
    return tuple(units), first


def _next_line(text: str, offset: int) -> int:
    """Return the beginning of the line after the one that has the first character of a unit."""
    while text[offset : offset + 1].isspace():
        offset += 1
    return text.find("\n", offset) + 1 or len(text)
