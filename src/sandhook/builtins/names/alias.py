"""alias: define or show aliases.

Source: POSIX.1-2024 XCU 3 alias.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, builtin, parse, print_error, write
from sandhook.state.assigned import Assigned
from sandhook.state.state import State
from sandhook.state.values import held
from sandhook.text.quoting import single_quote

USAGE = "alias [-p] [name[=value] ... ]"
_NOT_IN_NAMES = frozenset(" \t\n()<>;&|\\'\"$`/=")


@builtin(USAGE)
def run(state: State, argv: Sequence[str | Assigned]) -> int:
    """Return 1 for an unknown or invalid name."""
    options, operands = parse([_text(word) for word in argv], "p")
    if options or not operands:
        write(state, "".join([_definition(state, name, bool(options)) for name in sorted(state.aliases)]))
    status = 0
    for operand in operands:
        name, equals, value = operand.partition("=")
        if equals and name:
            if not _NOT_IN_NAMES.isdisjoint(name):
                print_error(state, f"alias: `{name}': invalid alias name")
                status = 1
            else:
                state.aliases[held(name, state.budget)] = held(value, state.budget)
        elif operand in state.aliases:
            write(state, _definition(state, operand))
        else:
            print_error(state, f"alias: {operand}: not found")
            status = 1
    return status


def _text(word: str | Assigned) -> str:
    """Return an argument as text; an assignment in the source is a plain word here."""
    if isinstance(word, str):
        return word
    if isinstance(word.value, list):
        raise BuiltinError(f"`{word.name}': invalid alias name")
    name = word.name if word.subscript is None else f"{word.name}[{word.subscript}]"
    return f"{name}{'+' if word.append else ''}={word.value}"


def _definition(state: State, name: str, reusable: bool = False) -> str:
    """Return an alias as ``alias`` prints it, newline included; POSIX mode leaves out the command without ``-p``."""
    command = "" if state.options.posix and not reusable else "alias -- " if name[:1] == "-" else "alias "
    return f"{command}{name}={single_quote(state.aliases[name])}\n"
