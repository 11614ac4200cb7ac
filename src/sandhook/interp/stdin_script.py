"""A script on standard input: read a command at a time, so that its commands can read on from there."""

from __future__ import annotations

from sandhook.errors import ShellSyntaxError
from sandhook.interp.protocol import Runtime
from sandhook.kernel.descriptor import Description
from sandhook.state.state import State

#: In ``State.extra``: what takes the next command from standard input, for a shell that is interactive.
READER = "reader"


def run_stdin(runtime: Runtime, state: State) -> int:
    """Run the commands of standard input; nothing beyond the line that ends one is read before it runs."""
    status = 0
    line = 1
    take = state.extra.get(READER)
    interactive = take is not None
    take = take or _next_unit
    while True:
        description = state.process.descriptors.get(0)
        if description is None or not description.readable:
            return status
        text = take(runtime, state, description)
        if not text:
            return status
        status = runtime.run_units(state, text, "", line, main=True)
        error = state.extra.get("syntax_error")
        if error is not None and error.source == text and not interactive:  # its own, not one of eval's
            return status
        if "onecmd" in state.options.enabled:
            return status
        line += text.count("\n")


def _next_unit(runtime: Runtime, state: State, description: Description) -> str:
    """Take the lines of the next complete command, "" at the end; what was read beyond is given back."""
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


def read_line(state: State, description: Description) -> bytes:
    """Return the next line, b"" at the end; one that is too long for a script comes cut."""
    state.budget.charge(1)
    try:
        return description.read_until(b"\n", int(state.budget.limits.script_bytes) + 1)
    except OSError:  # a directory, say
        return b""


def end_of_unit(runtime: Runtime, state: State, text: str, *, ended: bool) -> int:
    """Return where the line ends that completes the first command (0-based), 0 when more is needed."""
    from sandhook.syntax.parser import Parser

    state.budget.charge(1 + (len(text) >> 8))
    parser = Parser(text, "", runtime.parse_options(state))
    try:
        unit = parser.next_unit()
    except ShellSyntaxError as error:
        return 0 if error.incomplete else len(text)
    end = parser.offset if unit is not None else len(text)
    if end < len(text) and text[end - 1 : end] != "\n":
        end = text.find("\n", end) + 1 or len(text)
    if not ended and end == len(text) and (parser.warnings or _continues(text)):
        return 0
    return end


def _continues(text: str) -> bool:
    """Tell whether the last line ends in a backslash that is not quoted by another one."""
    line = text.removesuffix("\n")
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1
