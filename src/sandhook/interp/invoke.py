"""Runs a command after its expansion (POSIX.1-2024 XCU 2.9.1.4): function, built-in, utility or file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from sandhook.interp import lookup, traps
from sandhook.kernel.stack import DEEP, stack_exceeds
from sandhook.lazy import lazy_module
from sandhook.state.assigned import Argument
from sandhook.state.control import Discard, ReturnFrom
from sandhook.state.frame import new_frame
from sandhook.state.locals import leave
from sandhook.state.state import Interpreter, State
from sandhook.state.values import FEW_PARAMETERS, LARGE, TRACE, Charge, HeldText
from sandhook.syntax.nodes import BraceGroup
from sandhook.text.numbers import decimal
from sandhook.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandhook.command import run
    from sandhook.interp import external, trace
    from sandhook.state.function import Function
else:  # for utilities and files, and for arrays on the command line
    external = lazy_module("sandhook.interp.external")
    run = lazy_module("sandhook.command.run")
    trace = lazy_module("sandhook.interp.trace")


def invoke(
    runtime: Interpreter,
    state: State,
    argv: Sequence[Argument],
    *,
    functions: bool = True,
    builtins: bool = True,
    utilities: bool = True,
    default_path: bool = False,
) -> int:
    """Run a command; report a name that is not found and return 127."""
    name = argv[0]
    if not isinstance(name, str):
        name = trace.assigned(name)
    if functions and name in state.functions:
        return call_function(runtime, state, state.functions[name], _texts(argv[1:]))
    commands = runtime.commands
    if builtins and name in commands.names and name not in state.disabled_builtins:
        builtin = commands.builtin(name)
        arguments = argv if name in commands.declarations else _texts(argv)
        if builtin is not None:
            return builtin(state, arguments)
        # a built-in of bash that is a utility here: its messages begin with the name of the shell and the line
        context = external.ShellContext(f"{runtime.where(state)}{name}", state, name)
        return run.run_utility(commands.utilities[name], _texts(arguments[1:]), context)
    if not utilities:
        runtime.error(state, f"{name}: not a shell builtin")
        return 1
    words = [name, *_texts(argv[1:])]
    path = lookup.STANDARD_PATH if default_path else state.get("PATH")
    return external.run_external(runtime, state, words, path, call_function)


def _texts(argv: Sequence[Argument]) -> list[str]:
    return [word if isinstance(word, str) else trace.assigned(word) for word in argv]


def _line_of_body(function: Function) -> int:
    """Return the line of the body as bash knows it: of the brace of a group, 0 for other bodies."""
    return function.body.line if isinstance(function.body, BraceGroup) else 0


def _hidden_traps(state: State, function: Function) -> dict[str, str] | None:
    """Remove and return the traps that a call does not inherit."""
    traced = state.options.functrace or bool(function.attributes & TRACE)
    return traps.suspend(state, {"ERR": state.options.errtrace, "DEBUG": traced, "RETURN": traced})


def run_redirected(state: State, argv: Any, run: Callable[[State, Any], int]) -> int:
    """Run a command that has redirections. Errexit ends the outermost such call before the EXIT trap runs."""
    execution = state.execution
    if argv[0] not in state.functions or execution.redirected_call is not None:
        return run(state, argv)
    execution.redirected_call = len(state.frames), state.positional
    try:
        return run(state, argv)
    finally:
        execution.redirected_call = None


def call_function(runtime: Interpreter, state: State, function: Function, arguments: list[str]) -> int:
    """Call a function with its own positional parameters and locals."""
    frames = state.frames
    if "FUNCNEST" in state.values:
        _check_nesting(runtime, state, function)
    state.calls = calls = state.calls + 1
    if calls > state.budget.call_depth:
        state.budget.fail("call_depth")
    line = state.line
    frame = new_frame(function.name, line, function.source, arguments)
    if state.pending_temporaries:
        frame.saved = state.pending_temporaries.copy()
        frame.temporary, frame.assigned_before = set(frame.saved), set(frame.saved)
        state.pending_temporaries.clear()
    positional, loops = state.positional, state.loops
    hidden = _hidden_traps(state, function) if state.traps else None
    state.positional = arguments
    frames.append(frame)
    state.loops = 0
    errexit_suppressed = state.errexit_suppressed
    returned = ended = True
    try:
        if state.instrumented:
            state.line = _line_of_body(function) or function.line
            runtime.debug(state)
        is_fourth = calls & 3 == 0
        if is_fourth:
            frame.charge = _charge_four(state, arguments, positional)
        # Three calls of shallow functions between two checks of the stack fit into the room above DEEP.
        if (is_fourth or not function.shallow) and stack_exceeds(DEEP):
            status = runtime.guard_stack(state, partial(function.run, state))
        else:
            run_body = function.run  # a slot that is called is read twice as fast in two steps
            status = run_body(state)
    except ReturnFrom as leaving:
        status = leaving.status
        state.errexit_suppressed = errexit_suppressed
        ended = False
    except BaseException:
        returned = False  # these leave all calls; a RETURN trap could return, and hide why
        raise
    finally:
        if state.traps and returned and "RETURN" in state.traps:
            if ended:  # otherwise the line is that of ``return``
                state.line = _line_of_body(function)
            _run_return_trap(runtime, state, errexit_suppressed)
        if hidden is not None and state.execution.abandoned_calls is None:  # errexit keeps them hidden
            traps.resume(state, hidden)
        state.calls -= 1
        frames.pop()
        state.line, state.positional, state.loops = line, positional, loops
        if state.traps and len(frames) == state.execution.base_calls and "EXIT" in state.traps:
            traps.keep_locals(state, arguments)  # only the trap follows the call
        elif (frame.saved or frame.options is not None) and not state.execution.keeps_locals:
            leave(state, frame)
    if state.traps:
        traps.note_return(state, status)
    state.last_argument = arguments[-1] if arguments else function.name
    state.status = status
    return status


def _run_return_trap(runtime: Interpreter, state: State, errexit_suppressed: int) -> None:
    """Run the RETURN trap of a call, whose commands are not a part of a condition around the call."""
    state.errexit_suppressed = 0
    runtime.run_trap(state, "RETURN")
    state.errexit_suppressed = errexit_suppressed


def _charge_four(state: State, arguments: list[str], positional: list[str]) -> Charge | None:
    """Charge four nested calls for a long list, and for large arguments that the caller does not have as well."""
    new = 8 * len(arguments) if len(arguments) > FEW_PARAMETERS else 0
    for text in arguments:
        if (
            len(text) > LARGE
            and text.__class__ is not HeldText
            and not any(text is other for other in positional)
        ):
            new += len(text)
    return Charge(4 * new, state.budget) if new else None


def _check_nesting(runtime: Interpreter, state: State, function: Function) -> None:
    """Report and end a call that exceeds FUNCNEST. Raises Discard."""
    nest = state.get("FUNCNEST")
    most = None if nest is None else decimal(nest)
    if most and sum(not frame.sourced for frame in state.frames) >= most:
        runtime.error(state, f"{function.name}: maximum function nesting level exceeded ({nest})")
        state.status = 1
        raise Discard(1)
