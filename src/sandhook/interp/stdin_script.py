"""A script on standard input: read a command at a time, so that its commands can read on from there."""

from __future__ import annotations

from sandhook.interp.script import end_of_unit, read_line
from sandhook.kernel.descriptor import Description
from sandhook.state.state import Interpreter, State


def run_stdin(runtime: Interpreter, state: State) -> int:
    """Run the commands of standard input; nothing beyond the line that ends one is read before it runs."""
    status = 0
    line = 1
    interactive = state.invocation.interactive is not None
    take = _next_unit
    if interactive:
        from sandhook.interp.interactive import next_command as take
    while True:
        description = state.process.descriptors.get(0)
        if description is None or not description.readable:
            return status
        text = take(runtime, state, description)
        if not text:
            return status
        status = runtime.run_units(state, text, "", line, main=True)
        error = state.execution.syntax_error
        if error is not None and error.source == text and not interactive:  # its own, not one of eval's
            return status
        if "onecmd" in state.options.enabled:
            return status
        line += text.count("\n")


def _next_unit(runtime: Interpreter, state: State, description: Description) -> str:
    """Read the lines of the next complete command, "" at the end; push back what was read beyond it."""
    limit = int(state.budget.limits.script_bytes)
    lines: list[bytes] = []
    size = 0
    wanted = 1
    ended = False
    while True:
        while wanted and not ended:
            line = read_line(state, description)
            ended = not line.endswith(b"\n")
            if line:
                lines.append(line)
                size += len(line)
                wanted -= 1
            if size > limit:
                state.budget.fail("script_bytes")
        text = b"".join(lines).replace(b"\0", b"").decode("utf-8", "surrogateescape")
        end = end_of_unit(runtime, state, text, ended=ended)
        if end:
            used = text.count("\n", 0, end) if end < len(text) else len(lines)
            description.unread(b"".join(lines[used:]))
            return text[:end]
        if ended:
            return text
        wanted = len(lines)  # twice as many: a long command is parsed a few times only
