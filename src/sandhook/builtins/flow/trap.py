"""trap: run a command when a signal arrives, the shell exits, or a command fails.

Source: POSIX.1-2024 XCU 2.15 trap; bash 5.2 reference manual 4.1.

A subshell shows its parent's traps until it sets one itself. The interpreter stores them in
``state.execution.inherited_traps``.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import builtin, misused, parse, print_error, show_usage, write
from sandhook.builtins.jobs.signals import all_names, full_name, listing, number_of, trap_name
from sandhook.kernel.signals import NUMBERS, SIGQUIT
from sandhook.state.state import State
from sandhook.state.values import held
from sandhook.text.quoting import single_quote

USAGE = "trap [-lp] [[arg] signal_spec ...]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 for an unknown signal; the other operands are still handled."""
    options, operands = parse(argv, "lp")
    letters = {option.letter for option in options}
    if "l" in letters:
        write(state, listing())
        return 0
    if "p" in letters or not operands:
        return _show(state, operands, whole="p" in letters)
    action, names = operands[0], operands[1:]
    if action.isascii() and action.isdigit() and trap_name(action) is not None:
        names, action = operands, "-"  # trap 2 3: numbers alone reset
    elif not names:
        if trap_name(action) is None or state.options.posix:
            show_usage(state, "trap", USAGE)
            return misused(state, "trap", usage=True)
        names, action = operands, "-"
    status = 0
    had_err_trap = "ERR" in state.traps
    for text in names:
        name = trap_name(text)
        if name is None:
            print_error(state, f"trap: {text}: invalid signal specification")
            status = 1
        else:
            set_trap(state, name, None if action == "-" else action)
    if status and not had_err_trap and not state.errexit_suppressed and "ERR" in state.traps:
        state.execution.skips_err_trap = True  # the trap was not set when this command began
    return status


def set_trap(state: State, name: str, action: str | None) -> None:
    """Set a trap: "" ignores the signal, None restores its default."""
    state.execution.inherited_traps = {}
    if name == "EXIT":
        state.execution.running_exit_trap = None
    number = NUMBERS.get(name)
    if number in state.invocation.ignored_signals:
        return  # signals that were ignored at the start of the shell stay ignored (XCU 2.15)
    if action is None:
        state.traps.pop(name, None)
        if name == "ERR":
            state.tracing.err_depth = None
    else:
        state.traps[name] = held(action, state.budget)
        if name == "ERR" and state.tracing.err_depth is None:
            state.tracing.err_depth = state.calls
    if action and not state.tracing.tracks_commands and _uses_bash_command(state, action):
        state.tracing.tracks_commands = True
        state.update_instrumented()
    if name == "DEBUG":
        state.update_instrumented()
    if number is None:
        return
    process = state.process
    if number != SIGQUIT or state.subshell:
        process.caught.discard(number)
    process.ignored.discard(number)
    if action:
        process.caught.add(number)
        process.on_signal = state.handle_signal
    elif action is not None:
        process.ignored.add(number)


def _uses_bash_command(state: State, action: str) -> bool:
    """Return True when the text of a trap, or of the function that it calls, contains BASH_COMMAND."""
    if "BASH_COMMAND" in action:
        return True
    function = state.functions.get((action.split(maxsplit=1) or [""])[0].rstrip(";"))
    if function is None:
        return False
    from sandhook.syntax.unparse import unparse

    return "BASH_COMMAND" in unparse(function.body)


def _show(state: State, operands: Sequence[str], *, whole: bool) -> int:
    """Print commands that restore traps: those of the operands, those that are set, or all (``trap -p`` in posix mode)."""
    posix = state.options.posix
    running = state.execution.running_exit_trap
    traps: dict[str, str] = {
        **state.execution.inherited_traps,
        **({} if running is None else {"EXIT": running}),
        **state.traps,
    }
    status = 0
    if operands:
        names = []
        for text in operands:
            name = trap_name(text)
            if name is None:
                print_error(state, f"trap: {text}: invalid signal specification")
                status = 1
            elif name in traps or posix:
                names.append(name)
    else:
        every = all_names() if posix and whole else ()
        names = sorted({*traps, *every}, key=number_of)
    for name in names:
        action = single_quote(traps[name]) if name in traps else "-"
        write(state, f"trap -- {action} {name if posix else full_name(name)}\n")
    return status
