"""Assignments before a command (``x=1 command``): they last as long as the command runs.

Source: POSIX.1-2024 XCU 2.9.1; bash 5.2 reference manual 3.7.4.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.interp.compile.assignment import AssignedOf, compile_assignment
from sandhook.interp.compile.protocol import Compiler
from sandhook.state.assigned import Argument, Assigned
from sandhook.state.assignment import NEVER_ASSIGNED, assign, check_writable
from sandhook.state.control import ExitShell, ShellError
from sandhook.state.frame import Saved, TemporaryScope
from sandhook.state.references import refers_to_element
from sandhook.state.state import State
from sandhook.state.values import ARRAY, ASSOC, CAPITAL, DYNAMIC, EXPORT, INTEGER, LOWER, UPPER, Value
from sandhook.syntax.nodes import ArrayElement, ArrayLiteral, Assignment, Literal, Word, WordPart

#: The exit status of ``-c`` when an assignment ends the shell.
FATAL_STATUS = 127

#: Attributes that convert values: a temporary variable does not inherit them from the hidden one.
_CONVERTING = INTEGER | LOWER | UPPER | CAPITAL


#: Built-ins that run commands, which see the assignments before the built-in and may unset them.
_RUNNING_COMMANDS = frozenset(("eval", "source", ".", "command", "builtin", "unset"))

#: Special built-ins that unset, or run commands that do: ``x=1 unset x`` shows the variable that the assignment hides.
_UNSETTING = frozenset(("eval", "source", ".", "unset"))

#: Built-ins that run another one, which may keep the variables assigned before.
_PREFIXES = frozenset(("command", "builtin"))

#: Built-ins that assign to variables: such an assignment outlasts those before the built-in, as in ``x=1 let x=2``.
_ASSIGNING = frozenset(("cd", "getopts", "let", "popd", "printf", "pushd", "wait"))

#: Built-ins that may keep the variables assigned before them.
_DECLARATIONS = frozenset(("declare", "export", "local", "readonly", "typeset"))


def compile_temporary(compiler: Compiler, node: Assignment) -> AssignedOf:
    """Compile an assignment before a command. A list becomes its text: the environment has only scalars."""
    if not isinstance(node.value, ArrayLiteral):
        return compile_assignment(compiler, node)
    parts: list[WordPart] = []
    for element in node.value.elements:
        parts.append(Literal(" " if parts else "("))
        if isinstance(element, ArrayElement):
            operator = "]+=" if element.append else "]="
            parts += (Literal("["), *element.subscript.parts, Literal(operator), *element.value.parts)
        else:
            parts += element.parts
    parts.append(Literal(")" if parts else "()"))
    return compile_assignment(compiler, node._replace(value=Word(tuple(parts))))


def scope_temporaries(state: State, argv: Sequence[Argument], saved: dict[str, Saved]) -> None:
    """Set the scope of the assignments before a command by the kind of command.

    They are variables of a function's call; declarations may keep them; in POSIX mode they outlast a
    special built-in (XCU 2.9.1).
    """
    command = argv[0]
    if command in state.functions:
        state.pending_temporaries = saved
    elif state.options.posix and command in state.shell.commands.special:
        if command in _UNSETTING:
            state.temporary_scopes.append(TemporaryScope(len(state.frames), saved, lasts=True))
        else:
            saved.clear()
    elif command in _DECLARATIONS or (command in _PREFIXES and len(argv) > 1 and argv[1] in _DECLARATIONS):
        state.pending_temporaries = saved
    elif command in _RUNNING_COMMANDS or command in _ASSIGNING:
        scope = TemporaryScope(len(state.frames), saved)
        if command == "builtin" or command in _ASSIGNING or (len(argv) > 1 and argv[1] in _ASSIGNING):
            scope.values = {name: state.values.get(name) for name in saved}
        state.temporary_scopes.append(scope)


def undo_and_keep(state: State, saved: dict[str, Saved], values: dict[str, Value | None]) -> None:
    """Undo the assignments before a built-in, and assign what the built-in itself assigned to these variables."""
    for name, former in saved.items():
        current = state.values.get(name)
        state.restore(name, former)
        if isinstance(current, str) and current is not values[name]:
            try:
                state.set(name, current)
            except ShellError as error:
                state.shell.error(state, error.message)


def _ending_more(state: State, argv: Sequence[Argument], error: ShellError) -> ShellError:
    """Return the error of an assignment before a command in posix mode: it ends the unit, or the shell."""
    if argv[0] in state.shell.commands.special:
        return error.ending("shell", FATAL_STATUS)
    return error.ending("unit", 1)


def _hide(state: State, name: str, *, append: bool) -> Saved:
    """Hide a variable by a scalar for the command, with the present value for ``+=``; return what it hides."""
    dynamic = state.dynamics.get(name)
    if dynamic is not None and dynamic.unset is None and name not in state.unset_dynamics:
        return _hide_computed(state, name, append=append)
    hidden = state.save(name)
    if refers_to_element(state.namerefs, name):  # the command gets a variable with the name of the reference
        target = state.namerefs.pop(name)
        state.values[name] = target if append else ""
    elif state.attributes.get(name, 0) & (ARRAY | ASSOC):  # the command gets a scalar
        value = state.get(name)
        state.values.pop(name, None)
        if append and value is not None:
            state.values[name] = value
        state.attributes[name] &= ~(ARRAY | ASSOC)
    if not append and state.attributes.get(name, 0) & _CONVERTING:
        state.attributes[name] &= ~_CONVERTING
    return hidden


def _hide_computed(state: State, name: str, *, append: bool) -> Saved:
    """Hide a computed variable by a plain one without a value, or with its present value; return what it hides."""
    value = state.get(name) if append else None
    hidden = state.save(name)
    state.unset_dynamics = state.unset_dynamics | {name}
    state.values.pop(name, None)
    state.attributes.pop(name, None)
    if value is not None:
        state.values[name] = value
    return hidden._replace(attributes=hidden.attributes | DYNAMIC)


def assign_temporarily(
    state: State, assigned: Assigned, saved: dict[str, Saved], argv: Sequence[Argument]
) -> None:
    """Assign and export before a command, and save the old variable; without a command, just assign."""
    name, subscript, append, value = assigned
    lasting = not argv
    if lasting and state.instrumented:
        state.shell.trace_assigned(state, assigned)
    if (
        not (lasting or append)
        and subscript is None
        and value.__class__ is str
        and name not in saved
        and state.is_plain(name)
    ):  # ``IFS=: read`` and the like hide only a value
        saved[name] = tuple.__new__(Saved, (state.values.get(name), 0, None))
        state.set(name, value)
        state.attributes[name] = EXPORT
        if state.instrumented:
            state.shell.trace_assigned(state, assigned)
        return
    if not lasting and subscript is not None:  # bash reports the error, and still runs the command
        message = f"`{name}[{subscript}]': not a valid identifier"
        if state.options.posix:
            raise _ending_more(state, argv, ShellError(message))
        state.shell.error(state, message)
        return
    if not lasting and name in state.namerefs and not refers_to_element(state.namerefs, name):
        name = state.resolve(name)[0]
        assigned = assigned._replace(name=name)
    if not lasting and name in NEVER_ASSIGNED and name in state.dynamics and name not in state.unset_dynamics:
        return
    if not lasting and name not in saved:
        try:
            check_writable(state, name)
        except ShellError as error:  # outside POSIX mode the command still runs
            if state.options.posix:
                raise _ending_more(state, argv, error) from None
            state.shell.error(state, error.message)
            if state.options.errexit:
                raise ExitShell(1) from None
            return
        saved[name] = _hide(state, name, append=append)
    assign(state, assigned)
    if not lasting:
        if state.instrumented:  # as in bash, with the whole value
            state.shell.trace_assigned(state, Assigned(name, None, False, state.get(name) or ""))
        state.attributes[name] = state.attributes.get(name, 0) | EXPORT
