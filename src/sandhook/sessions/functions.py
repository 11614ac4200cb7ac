"""A stored function: its text must define exactly that function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.interp.compile import compile_unit
from sandhook.interp.program import reads_last_argument
from sandhook.sessions.reading import Cursor
from sandhook.syntax.nodes import CommandList, FunctionDefinition, shift_lines
from sandhook.syntax.options import ParseOptions

if TYPE_CHECKING:
    from sandhook.state.state import Function, State


def define(state: State, name: str, text: Cursor, line: int) -> Function:
    """Define a function in a new state, and return it. Only the definition runs, which refers to the body.

    Raises SnapshotError for a text that is not one definition of this name.
    """
    source = text.text()
    limits = state.budget.limits
    # What extglob adds is a syntax error without it, so each printed function can be read with it.
    options = ParseOptions(True, False, (), int(limits.nesting), int(limits.script_bytes), False)
    from sandhook.syntax.parser import Parser

    parser = Parser(source, name, options)
    try:
        unit = parser.next_unit()
        rest = parser.next_unit() if unit is not None else None
    except ShellSyntaxError as error:
        text.refuse(f"the text does not parse: {error}")
    except LimitExceeded as error:
        text.refuse(f"more than {error.limit} allows ({error.maximum})")
    if unit is None or rest is not None or not _defines(unit, name):
        text.refuse(f"wanted one definition of {name!r} and nothing else")
    if line > 1:
        unit = shift_lines(unit, line - 1)
    compile_unit(unit, records_last_argument=reads_last_argument(source))(state)
    function = state.functions.get(name)
    if function is None:
        text.refuse(f"{name!r} cannot be the name of a function")
    return function


def _defines(unit: CommandList, name: str) -> bool:
    """Return True for one function definition in the foreground."""
    if len(unit.items) != 1 or unit.items[0].background:
        return False
    command = unit.items[0].command
    return isinstance(command, FunctionDefinition) and command.name == name
