"""Messages on standard error: syntax errors, deaths by signals, and times."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.errors import ShellSyntaxError
from sandhook.kernel.process import Process
from sandhook.kernel.signals import DESCRIPTIONS, NAMES, SIGINT, SIGPIPE, SIGTERM
from sandhook.lazy import lazily
from sandhook.state.state import Interpreter, State
from sandhook.syntax.nodes import Command, Pipeline
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import re

_TIME = lazily(r"(?s)%(?:%|([0-9]*)(l?)(.?))")


def report_syntax(runtime: Interpreter, state: State, error: ShellSyntaxError, label: str, line: int) -> None:
    """Report a syntax error as bash does, with the offending line.

    Args:
        label: The kind of text, for example "eval: ".
        line: The number of the first line of the text.
    """
    invocation = state.invocation
    if invocation.interactive is not None and invocation.input == "stdin" and not label:
        runtime.error(state, error.message)
        return
    name = next((frame.source for frame in reversed(state.frames)), state.source)
    start = f"{name}: {label}line {error.line + line - 1}: "
    runtime.write_error(state, f"{start}{error.message}\n")
    if error.repeats == "token":
        runtime.write_error(state, f"{start}syntax error: `{error.token}'\n")
    elif error.repeats == "end":
        end = len((error.source.removesuffix("\n") + "\n").split("\n")) + line - 1
        runtime.write_error(state, f"{name}: {label}line {end}: syntax error: unexpected end of file\n")
    elif error.repeats == "line" and error.token:
        if state.options.errexit and not state.errexit_suppressed:  # bash exits before it prints the line
            return
        lines = error.source.split("\n")
        if 0 < error.line <= len(lines):
            runtime.write_error(state, f"{start}`{lines[error.line - 1]}'\n")


def report_death(state: State, process: Process, node: Command) -> None:
    """Report that a signal ended a command which the shell waited for; bash does not report some signals."""
    from sandhook.syntax.unparse import unparse

    report_signal(state, process.pid, process.signal, lambda: unparse(node))


def report_pipeline(state: State, processes: Sequence[Process], node: Pipeline) -> None:
    """Report the end of each part of a pipeline, when a signal ended the part whose status counts.

    As in bash, a part with the status of the first one has no description.
    """
    from sandhook.syntax.unparse import unparse

    def lines() -> str:
        rows = []
        for index, (process, command) in enumerate(zip(processes, node.commands)):
            description = DESCRIPTIONS.get(process.signal) or (
                f"Exit {process.status}" if process.status else "Done"
            )
            if index and process.status == processes[0].status:
                rows.append(f"     {process.pid:5d}{'':<23}| {unparse(command)}")
            else:
                rows.append(
                    f"{'     ' * (index > 0)}{process.pid:5d} {description:<24}{'| ' * (index > 0)}{unparse(command)}"
                )
        return "\n".join(rows)

    status = processes[-1].status
    if state.options.pipefail:
        status = next((part.status for part in reversed(processes) if part.status), 0)
    decisive = next((part for part in reversed(processes) if part.status == status), processes[-1])
    if decisive.signal:
        report_signal(state, None, decisive.signal, lines)


def report_killed(state: State, node: Command) -> None:
    """Report the program that a signal has just ended, by the text of its command."""
    from sandhook.syntax.unparse import unparse

    killed, state.execution.killed = state.execution.killed, None
    if killed is not None and state.execution.replaced_shell != state.calls:  # else bash was replaced by it
        report_signal(state, *killed, lambda: unparse(node))


def report_signal(state: State, pid: int | None, signal: int, command: Callable[[], str]) -> None:
    """Report a process that a signal ended; SIGINT and SIGPIPE have no line.

    SIGTERM, and a signal that the shell traps, have a line without the place and the command.

    Args:
        pid: None when ``command`` returns the whole text.
    """
    if state.tracing.in_substitution:  # bash does not report deaths in a command substitution
        return
    if signal not in DESCRIPTIONS or signal in (SIGINT, SIGPIPE):
        return
    if signal == SIGTERM or NAMES.get(signal) in state.traps:
        state.shell.write_error(state, f"{DESCRIPTIONS[signal]}\n")
    else:
        text = command()
        state.shell.error(state, text if pid is None else f"{pid:5d} {DESCRIPTIONS[signal]:<24}{text}")


#: Formats of times without TIMEFORMAT: POSIX's own, and that of bash in posix mode for ``time`` alone.
_OF_POSIX, _ALONE = "real %2R\nuser %2U\nsys %2S", "user\t%2lU\nsys\t%2lS"


def print_times(runtime: Interpreter, state: State, times: tuple[float, float, float], form: str) -> None:
    """Print real, user and system seconds in the format of TIMEFORMAT, or of POSIX with ``-p``.

    Args:
        form: "-p", "alone" for ``time`` without a command, or "".
    """
    layout = _OF_POSIX if form == "-p" else state.get("TIMEFORMAT")
    if layout is None:
        alone = form == "alone" and state.options.posix
        layout = _ALONE if alone else "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS"
    if not layout:
        return
    text, invalid = times_text(layout, times)
    if invalid is not None:
        runtime.error(state, f"TIMEFORMAT: `{invalid}': invalid format character")
    else:
        runtime.write_error(state, f"{text}\n")


def times_text(layout: str, times: tuple[float, float, float]) -> tuple[str, str | None]:
    """Return the times in the format of TIMEFORMAT, and the first invalid character in that."""
    invalid: list[str] = []
    real, user, system = times

    def format_one(match: re.Match[str]) -> str:
        digits, long, letter = match.groups()
        if letter is None or match[0] == "%":
            return "%"
        precision = min(int(digits[:4]), 3) if digits else 3
        if letter == "P":
            return f"{100.0 * (user + system) / real if real else 0.0:.{precision if digits else 2}f}"
        if not letter or letter not in "RUS":
            invalid.append(letter or "\0")
            return ""
        value = {"R": real, "U": user, "S": system}[letter]
        value = int(value * 10**precision) / 10**precision  # truncated, as in bash
        if long:
            minutes, value = divmod(value, 60)
            return f"{int(minutes)}m{value:.{precision}f}s"
        return f"{value:.{precision}f}"

    text = _TIME.sub(format_one, layout)
    return text, invalid[0] if invalid else None
