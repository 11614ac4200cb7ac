"""Traps: EXIT, ERR, DEBUG, RETURN, and signals (POSIX.1-2024 XCU 2.15 trap)."""

from __future__ import annotations

from sandhook.interp.protocol import Runtime
from sandhook.kernel.signals import NAMES
from sandhook.state.control import ExitShell, ReturnFrom
from sandhook.state.state import State

_PSEUDO = frozenset({"DEBUG", "ERR", "RETURN"})


def run_trap(runtime: Runtime, state: State, name: str) -> None:
    """Run a trap's commands, not from within the same trap; ``$?`` is kept."""
    running: set[str] = state.extra.setdefault("running_traps", set())
    text = state.traps.get(name)
    if not text or name in running:
        return
    status, line, pipestatus = state.status, state.line, state.pipestatus
    tested = state.tested
    running.add(name)
    try:
        # A signal's commands count their lines from 1; a pseudo-signal's stand at the command's line.
        runtime.run_text(state, text, line=None if name in _PSEUDO else 1)
        state.status = status
    finally:
        running.discard(name)
        state.line = line
        state.pipestatus = pipestatus
        state.tested = tested


def hide(state: State, kept: dict[str, bool]) -> dict[str, str] | None:
    """Take the traps that a function or sourced file does not inherit out of sight.

    Args:
        kept: The traps in question, and whether they are inherited.
    """
    traps = state.traps
    return {name: traps.pop(name) for name, keep in kept.items() if not keep and name in traps} or None


def bring_back(state: State, hidden: dict[str, str] | None) -> None:
    """Bring hidden traps back, unless others were set meanwhile."""
    if hidden is not None:
        state.traps = {**hidden, **state.traps}
        state.watched = state.options.xtrace or "DEBUG" in state.traps


def run_exit_trap(runtime: Runtime, state: State, status: int) -> int:
    """Run the EXIT trap, once; an ``exit`` inside decides the status."""
    text = state.traps.pop("EXIT", None)
    if not text:
        return status
    state.status = status
    state.extra["exit_status"] = status  # what exit without operand means in the trap
    state.tested = 0
    state.loops = 0
    running: set[str] = state.extra.setdefault("running_traps", set())
    running.add("EXIT")
    state.extra["trace_depth"] = -1  # its trace is that of the top level
    try:
        runtime.run_text(state, text, line=1)
    except (ExitShell, ReturnFrom) as leaving:
        return leaving.status
    return status


def on_signal(runtime: Runtime, state: State, number: int) -> None:
    """Run the trap of a signal that came."""
    run_trap(runtime, state, NAMES[number])
