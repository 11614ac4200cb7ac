"""Assignments among the operands and the arguments of -v.

Source: POSIX.1-2024 XCU 3, awk, "operands"; oracle: gawk 5.2.
"""

from __future__ import annotations

from sandhook.utilities.languages.awk.lexer import BUILTINS, KEYWORDS, VARIABLE, unescape
from sandhook.utilities.languages.awk.symbols import Symbols
from sandhook.utilities.languages.awk.values import Array, Fatal, Value


def split_assignment(operand: str) -> tuple[str, str]:
    """Return the name and the text of ``name=value``; the name is "" if the operand is not an assignment."""
    name, equals, value = operand.partition("=")
    if not equals or not VARIABLE.fullmatch(name):
        return "", ""
    return name.removeprefix("awk::"), value


def target(name: str, symbols: Symbols, values: list[Value]) -> int | None:
    """Return the slot of a variable, None for one that the program does not use. Raises Fatal."""
    if name in BUILTINS or name in KEYWORDS:
        raise Fatal(f"cannot use gawk builtin `{name}' as variable name")
    if name in symbols.functions:
        raise Fatal(f"cannot use function `{name}' as variable name")
    slot = symbols.slots.get(name)
    if slot is not None and (slot in symbols.arrays or isinstance(values[slot], Array)):
        raise Fatal(f"cannot use array `{name}' as variable name")
    return slot


def assigned_text(value: str) -> str:
    """Return the text that an assignment stores: a backslash at the end escapes nothing."""
    if (len(value) - len(value.rstrip("\\"))) % 2:
        value = value[:-1]
    return unescape(value)
