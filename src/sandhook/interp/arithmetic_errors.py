"""Arithmetic of subscripts and of integer variables, and how far its errors reach."""

from __future__ import annotations

from sandhook.expand import arith
from sandhook.state.control import ShellError
from sandhook.state.state import State


def subscript(state: State, text: str) -> int:
    """Evaluate the subscript of an indexed array; an error in it ends ``bash -c``."""
    try:
        return arith.evaluate(state, text)
    except ShellError as error:
        raise in_subscript(state, error) from None


def in_subscript(state: State, error: ShellError) -> ShellError:
    """Return an error in the arithmetic of a subscript, changed so that it ends ``bash -c``."""
    error = error.within("subscript")
    if error.ends != "shell" and state.invocation.input == "string":
        return error.ending("shell", 1)
    return error


def integer(state: State, text: str) -> int:
    """Evaluate the value of an integer variable; an error ends ``bash -c``, elsewhere the input unit."""
    try:
        return arith.evaluate(state, text)
    except ShellError as error:
        raise in_subscript(state, error.within("integer")).ending_unit() from None
