"""``.`` and ``source``: the text of a file run in the present shell."""

from __future__ import annotations

from sandhook.interp import record, traps
from sandhook.interp.protocol import Runtime
from sandhook.interp.script import read_script
from sandhook.state.control import ReturnFrom
from sandhook.state.state import PARAMETERS_SET, Frame, State


def run_sourced(runtime: Runtime, state: State, path: str, arguments: list[str]) -> int:
    """Run a file's text in this state. Raises OSError when it cannot be read."""
    text = read_script(state, path)
    frame = Frame("source", state.line, path, sourced=True)
    positional = state.positional
    outer_source = state.source
    hidden = traps.hide(state, {"DEBUG": state.options.functrace})
    if arguments:
        state.positional = frame.arguments = list(arguments)
    outer_set = state.extra.pop(PARAMETERS_SET, False)
    depth = state.extra.get("trace_depth", 0)
    state.extra["trace_depth"] = depth + 1
    recording = state.extra.get(record.RECORDING)
    if recording:
        state.extra[record.RECORDING] = False
    runtime.count_call(state)
    state.frames.append(frame)
    state.source = path
    try:
        status = runtime.guard_stack(state, lambda: runtime.run_units(state, text))
    except ReturnFrom as leaving:
        status = leaving.status
    finally:
        traps.bring_back(state, hidden)
        state.extra["trace_depth"] = depth
        if recording:
            state.extra[record.RECORDING] = True
        state.calls -= 1
        state.frames.pop()
        state.source = outer_source
        if arguments and not state.extra.get(PARAMETERS_SET):
            state.positional = positional
        if outer_set:
            state.extra[PARAMETERS_SET] = True
    if state.traps:
        traps.came_back(state, status)
    if "RETURN" in state.traps:
        runtime.run_trap(state, "RETURN")
    state.status = status
    return status
