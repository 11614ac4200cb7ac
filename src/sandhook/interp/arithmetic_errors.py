"""Arithmetic of subscripts and of integer variables, and how far its errors reach."""

from __future__ import annotations

from sandhook.expand import arith
from sandhook.state.control import ShellError
from sandhook.state.state import State


def subscript(state: State, text: str) -> int:
    """Evaluate the subscript of an indexed array; an error in it ends what ``in_subscript`` says."""
    try:
        return arith.evaluate(state, text)
    except ShellError as error:
        raise in_subscript(state, error) from None


def in_subscript(state: State, error: ShellError) -> ShellError:
    """Return an error in the arithmetic of a subscript: it ends ``bash -c``, elsewhere the unit of the script."""
    error = error.within("subscript")
    if error.ends == "shell":
        return error
    return error.ending("shell" if state.invocation.input == "string" else "top", 1)


def integer(state: State, text: str) -> int:
    """Evaluate the value of an integer variable; an error in it ends what one in a subscript does.

    As in bash, the exit status is that of the command before if that failed, except for ``bash -c``.
    """
    try:
        return arith.evaluate(state, text)
    except ShellError as error:
        ending = in_subscript(state, error.within("integer"))
        raise ending.ending("top", state.status or 1) if ending.ends == "top" else ending from None
