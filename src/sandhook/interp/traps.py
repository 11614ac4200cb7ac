"""Traps: EXIT, ERR, DEBUG, RETURN, and signals (POSIX.1-2024 XCU 2.15 trap)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.kernel.signals import NAMES
from sandhook.state.control import ExitShell
from sandhook.state.state import State

if TYPE_CHECKING:
    from sandhook.interp.runtime import Runtime


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
        runtime.run_text(state, text)
        state.status = status
    finally:
        running.discard(name)
        state.line = line
        state.pipestatus = pipestatus
        state.tested = tested


def run_exit_trap(runtime: Runtime, state: State, status: int) -> int:
    """Run the EXIT trap, once; an ``exit`` inside decides the status."""
    text = state.traps.pop("EXIT", None)
    if not text:
        return status
    state.status = status
    state.extra["exit_status"] = status  # what exit without operand means in the trap
    state.tested = 0
    state.loops = 0
    try:
        runtime.run_text(state, text, line=1)
    except ExitShell as leaving:
        return leaving.status
    return status


def on_signal(runtime: Runtime, state: State, number: int) -> None:
    """Run the trap of a signal that came."""
    run_trap(runtime, state, NAMES[number])
