"""Runs a script from standard input, one command at a time, so that its commands can read the lines after them."""

from __future__ import annotations

from sandhook.interp.script import end_of_unit, read_line
from sandhook.kernel.descriptor import Description
from sandhook.state.state import Interpreter, State


def run_stdin(runtime: Interpreter, state: State) -> int:
    """Run the commands of standard input; each runs before the lines after it are read."""
    status = 0
    line = 1
    interactive = state.invocation.interactive is not None
    read_command = _next_unit
    if interactive:
        from sandhook.interp.interactive import next_command as read_command
    while True:
        description = state.process.descriptors.get(0)
        if description is None or not description.readable:
            return status
        text = read_command(runtime, state, description)
        if not text:
            return status
        status = runtime.run_units(state, text, "", line, main=True)
        error = state.execution.syntax_error
        if (
            error is not None and error.source == text and not interactive
        ):  # an error of this text, not of eval
            return status
        if "onecmd" in state.options.enabled:
            return status
        line += text.count("\n")


def _next_unit(runtime: Interpreter, state: State, description: Description) -> str:
    """Read the lines of the next complete command, "" at the end; push back the lines after it."""
    limit = int(state.budget.limits.script_bytes)
    lines: list[bytes] = []
    size = 0
    missing_lines = 1
    ended = False
    while True:
        while missing_lines and not ended:
            line = read_line(state, description)
            ended = not line.endswith(b"\n")
            if line:
                lines.append(line)
                size += len(line)
                missing_lines -= 1
            if size > limit:
                state.budget.fail("script_bytes")
        text = b"".join(lines).replace(b"\0", b"").decode("utf-8", "surrogateescape")
        end = end_of_unit(runtime, state, text, at_end_of_input=ended)
        if end:
            used = text.count("\n", 0, end) if end < len(text) else len(lines)
            description.unread(b"".join(lines[used:]))
            return text[:end]
        if ended:
            return text
        missing_lines = len(lines)  # twice as many: a long command is parsed only a few times
