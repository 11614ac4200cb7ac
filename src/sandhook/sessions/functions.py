"""A stored function: its text must define exactly that function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.errors import LimitExceeded, ShellSyntaxError, SnapshotError
from sandhook.interp.compile import compile_unit
from sandhook.interp.program import reads_last_argument
from sandhook.sessions.reading import Cursor, shown
from sandhook.syntax.nodes import CommandList, FunctionDefinition, shift_lines
from sandhook.syntax.options import ParseOptions
from sandhook.syntax.unparse import function_text

if TYPE_CHECKING:
    from sandhook.limits import Limits
    from sandhook.state.function import Function
    from sandhook.state.state import State

#: How often a text is printed and parsed until it stays as it is; two are enough for all that were tried.
_ROUNDS = 5


def stored_text(function: Function, limits: Limits) -> str:
    """Return the definition of a function so that what it defines is printed alike.

    In a substitution, whether commands were on one line decides how they are printed, as in bash. Raises
    SnapshotError for a function that cannot be read again.
    """
    name, text = function.name, function_text(function.name, function.body, as_bash=False)
    for _ in range(_ROUNDS):
        former = text
        unit = _parsed(name, Cursor(former, f"document.state.functions.{shown(name)}"), limits)
        definition = unit.items[0].command
        assert isinstance(definition, FunctionDefinition)
        text = function_text(name, definition.body, as_bash=False)
        if text == former:
            return text
    raise SnapshotError(
        f"document.state.functions.{shown(name)}", "its definition changes whenever it is printed"
    )


def define(state: State, name: str, text: Cursor, line: int) -> Function:
    """Define a function in a new state, and return it. Only the definition runs, which refers to the body.

    Raises SnapshotError for a text that is not one definition of this name.
    """
    unit = _parsed(name, text, state.budget.limits)
    if line > 1:
        unit = shift_lines(unit, line - 1)
    compile_unit(unit, records_last_argument=reads_last_argument(text.text()))(state)
    function = state.functions.get(name)
    if function is None:
        text.refuse(f"'{shown(name)}' cannot be the name of a function")
    return function


def _parsed(name: str, text: Cursor, limits: Limits) -> CommandList:
    """Return the tree of a text that is one definition of this name; refuse other texts."""
    from sandhook.syntax.parser import Parser

    # What extglob adds is a syntax error without it, so each printed function can be read with it.
    options = ParseOptions(True, False, (), int(limits.nesting), int(limits.script_bytes), False)
    try:
        parser = Parser(text.text(), name, options)
        unit = parser.next_unit()
        rest = parser.next_unit() if unit is not None else None
    except ShellSyntaxError as error:
        text.refuse(f"the text does not parse: {shown(str(error))}")
    except LimitExceeded as error:
        text.refuse(f"more than {error.limit} allows ({error.maximum})")
    if unit is None or rest is not None or not _defines(unit, name):
        text.refuse(f"wanted one definition of '{shown(name)}' and nothing else")
    return unit


def _defines(unit: CommandList, name: str) -> bool:
    """Return True for one function definition in the foreground."""
    if len(unit.items) != 1 or unit.items[0].background:
        return False
    command = unit.items[0].command
    return isinstance(command, FunctionDefinition) and command.name == name
