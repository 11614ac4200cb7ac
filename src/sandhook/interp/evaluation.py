"""Arithmetic of subscripts and of integer variables: what an error in it ends."""

from __future__ import annotations

from sandhook.expand import arith
from sandhook.state.control import ShellError
from sandhook.state.state import State


def subscript(state: State, text: str) -> int:
    """Evaluate the subscript of an indexed array; an error in it ends ``bash -c``."""
    try:
        return arith.evaluate(state, text)
    except ShellError as error:
        raise subscript_error(state, error) from None


def subscript_error(state: State, error: ShellError) -> ShellError:
    """Return the error of a subscript's arithmetic in the form in which it is raised."""
    error.in_subscript = True
    if not error.fatal and state.invocation.input == "string":
        error.fatal, error.status = True, 1
    return error


def integer(state: State, text: str) -> int:
    """Evaluate the value of an integer variable; an error in it ends as much as a bad subscript does."""
    try:
        return arith.evaluate(state, text)
    except ShellError as error:
        error.in_builtin = not error.message.endswith(": unbound variable")
        error.in_subscript = True
        if not error.fatal and state.invocation.input == "string":
            error.fatal, error.status = True, 1
        elif not error.fatal:
            error.discard = True
        raise
