"""Declares a list while the words of a declaration are expanded, as bash does.

Source: bash 5.2 for the order: ``declare a=(1) b=$a`` gives b the value 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from sandhook.state.assigned import Argument, Assigned
from sandhook.state.control import Discard
from sandhook.state.locals import function_frame
from sandhook.state.state import State
from sandhook.state.values import READONLY

_DECLARATIONS = frozenset(("declare", "export", "local", "readonly", "typeset"))

#: Options with which a declaration does not assign the list, or not in the usual way.
_UNUSUAL = frozenset("fFnp")


def declare_list(state: State, before: Sequence[Argument], assigned: Assigned) -> Argument:
    """Declare one list with the options before it.

    Args:
        before: The command's words up to the list.
        assigned: The list.

    Returns:
        The name alone, which the declaration then only gives its attributes; the list itself if the declaration
        has to assign it.

    Raises:
        Discard: The list cannot be assigned. The message is written.
    """
    words = [word for word in before if isinstance(word, str)]
    while words and words[0] in ("command", "builtin"):
        del words[0]
    if not words or words[0] not in _DECLARATIONS or words[0] in state.functions:
        return assigned
    in_function = function_frame(state) is not None
    if words[0] == "local" and not in_function:
        return assigned
    if (
        in_function and state.attributes.get(assigned.name, 0) & READONLY
    ):  # the declaration reports it and goes on
        return assigned
    options = [*takewhile(lambda word: word[:1] in ("-", "+") and word != "--", words[1:])]
    if not _UNUSUAL.isdisjoint("".join(options)):
        return assigned
    if state.instrumented:
        state.shell.trace_assigned(state, assigned)
    status = state.shell.call(state, [words[0], *options, assigned], functions=False, utilities=False)
    if status:
        raise Discard(status)
    return assigned.name
