"""``.`` and ``source``: run the text of a file in the current shell."""

from __future__ import annotations

from sandhook.interp import traps
from sandhook.interp.script import CRLF, has_crlf, note, read_script
from sandhook.state.control import ReturnFrom
from sandhook.state.frame import Frame
from sandhook.state.state import Interpreter, State


def run_sourced(runtime: Interpreter, state: State, path: str, arguments: list[str]) -> int:
    """Run the text of a file in this state. Raises OSError when it cannot be read."""
    text = read_script(state, path)
    if runtime.crlf and has_crlf(text):
        note(state, [f"{path}: {CRLF}"])
    frame = Frame.of_script(state.line, path)
    positional = state.positional
    outer_source = state.source
    hidden = traps.suspend(state, {"DEBUG": state.options.functrace})
    if arguments:
        state.positional = frame.arguments = list(arguments)
    else:
        frame.arguments = (path,)
    execution = state.execution
    outer_positional_set, execution.positional_set = execution.positional_set, False
    state.frames.append(frame)
    state.source = path
    line, command = state.line, state.tracing.command
    try:
        status = runtime.run_text(state, text, line=1)
        state.line, state.tracing.command = line, command
    except ReturnFrom as leaving:
        status = leaving.status
        state.line, state.tracing.command = line, command
    except BaseException:
        _restore(state, positional, bool(arguments), outer_positional_set)
        raise
    finally:
        traps.resume(state, hidden)
        state.frames.pop()
        state.source = outer_source
    try:
        if state.traps:
            traps.note_return(state, status)
        if "RETURN" in state.traps:  # its commands see the arguments of the file
            state.line = line
            traps.run_return_of_script(runtime, state)
    finally:
        _restore(state, positional, bool(arguments), outer_positional_set)
    state.status = status
    return status


def _restore(state: State, positional: list[str], replaced: bool, outer_set: bool) -> None:
    """Restore the positional parameters, unless the file has set them; ``outer_set``: what surrounds it has."""
    execution = state.execution
    if replaced and not execution.positional_set:
        state.positional = positional
    execution.positional_set |= outer_set
