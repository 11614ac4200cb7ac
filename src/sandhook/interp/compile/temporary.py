"""Assignments before a command (``x=1 command``): made for it, and undone after it.

Source: POSIX.1-2024 XCU 2.9.1; bash 5.2 reference manual 3.7.4.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.interp.lookup import Argument
from sandhook.state.assignment import Assigned, assign
from sandhook.state.control import ExitShell, ShellError
from sandhook.state.state import Saved, State
from sandhook.state.values import ARRAY, ASSOC, EXPORT

#: What ``-c`` text exits with when an assignment ends the shell.
FATAL_STATUS = 127


def hand_over(state: State, command: Argument, saved: dict[str, Saved]) -> None:
    """Let assignments before a command be what the command makes of them.

    A function has them as variables of its call; export and readonly may keep them; those before
    a special built-in stay in POSIX mode (XCU 2.9.1).
    """
    if command in state.functions:
        state.handed = saved
    elif state.options.posix and command in state.shell.commands.special:
        saved.clear()
    elif command in ("export", "readonly"):
        state.handed = saved


def assign_temporarily(
    state: State, assigned: Assigned, saved: dict[str, Saved], argv: Sequence[Argument]
) -> None:
    """Assign before a command: exported, and undone afterwards unless no command came of it."""
    name, subscript, append, value = assigned
    lasting = not argv
    if state.watched:
        state.shell.trace_assigned(state, assigned)
    if (
        not (lasting or append)
        and subscript is None
        and value.__class__ is str
        and name not in state.attributes
        and name not in saved
        and name not in state.namerefs
        and name not in state.dynamics
    ):  # ``IFS=: read`` and the like: nothing but a value is hidden
        saved[name] = tuple.__new__(Saved, (state.values.get(name), 0, None))
        state.set(name, value)
        state.attributes[name] = EXPORT
        return
    if not lasting and subscript is not None:  # bash complains, and runs the command all the same
        state.shell.complain(state, f"`{name}[{subscript}]': not a valid identifier")
        return
    if not lasting and name in state.namerefs:
        name = state.resolve(name)[0]
        assigned = assigned._replace(name=name)
    if not lasting and name not in saved:
        try:
            state.check_writable(name)
        except ShellError as error:  # likewise, outside POSIX mode
            if state.options.posix:
                error.fatal = argv[0] in state.shell.commands.special
                error.status = FATAL_STATUS if error.fatal else 1
                error.discard = True
                raise
            state.shell.complain(state, error.message)
            if state.options.errexit:
                raise ExitShell(1) from None
            return
        saved[name] = state.save(name)
        if state.attributes.get(name, 0) & (ARRAY | ASSOC):  # the command gets a scalar
            state.values.pop(name, None)
            state.attributes[name] &= ~(ARRAY | ASSOC)
    assign(state, assigned)
    if not lasting:
        state.attributes[name] = state.attributes.get(name, 0) | EXPORT
