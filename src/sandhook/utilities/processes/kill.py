"""kill: send a signal to processes of the run (xargs kill, env kill).

Source: POSIX.1-2024 XCU 3, kill. Oracle: procps 4.0. In scripts, kill is the shell's built-in, which also accepts jobs.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import Inform, Syntax, UsageError, opt, option_set
from sandhook.kernel.signals import NAMES, NUMBERS, SIGTERM, parse_signal

RAW = True  # -TERM is not a cluster of letters


@option_set
class Options:
    """kill [-s SIGNAL | -SIGNAL] PID... | kill -l [SIGNAL]

    Send a signal (TERM) to processes, or list the names of signals.
    """

    signal: str = opt(
        "-s", "-n", "--signal", "SIGNAL", "the signal to send, by name or number; -SIGNAL is short for it"
    )
    listing: bool = opt("-l", "--list", help="list the names of signals, or translate SIGNAL")


_SYNTAX = Syntax(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a process does not exist."""
    words = list(arguments)
    signal = SIGTERM
    option = _option(words[0]) if words else ""
    if words[:1] == ["--help"]:
        raise Inform("help")
    if option == "listing":
        return _list(words[1:], ctx)
    if option == "signal":
        if len(words) < 2:
            raise UsageError(f"option requires an argument -- '{words[0].lstrip('-')[0]}'")
        signal = _signal(words[1])
        words = words[2:]
    elif words and words[0][:1] == "-" and words[0] != "--" and len(words[0]) > 1:
        signal = _signal(words[0][1:])
        words = words[1:]
    if words[:1] == ["--"]:
        words = words[1:]
    if not words:
        raise UsageError("no process was named")
    ctx.flush()
    for word in words:
        ctx.charge()
        _send(word, signal, ctx)
    return ctx.failed


def _option(word: str) -> str:
    """Return the field of an option, "" for another word, such as -TERM."""
    names = _SYNTAX.long if word[:2] == "--" else _SYNTAX.short
    option = names.get(word.removeprefix("-").removeprefix("-")) if word[:1] == "-" else None
    return option.field if option is not None else ""


def _signal(text: str) -> int:
    number = 0 if text == "0" else parse_signal(text)
    if number is None:
        raise UsageError(f"unknown signal name {text}")
    return number


def _send(word: str, signal: int, ctx: Context) -> None:
    digits = word.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 9:
        raise Failure(f"failed to parse argument: '{word}'")
    pid = int(word)
    processes = ctx.kernel.processes
    if pid == 0 or (pid < 0 and (pid == -1 or -pid in processes)):  # the run is one process group
        for process in list(processes.values()):
            process.kill(signal)
        return
    target = processes.get(pid)
    if target is None:
        ctx.fail(f"({word}): No such process")
        return
    target.kill(signal)


def _list(words: Sequence[str], ctx: Context) -> int:
    if not words:
        ctx.write_line(" ".join(NAMES[number] for number in sorted(NAMES) if number < 32))
    for word in words:
        if word.isascii() and word.isdigit():
            number = int(word[:9])
            if number not in NAMES:
                raise Failure(f"unknown signal name {word}")
            ctx.write_line(NAMES[number])
            continue
        name = word.upper().removeprefix("SIG")
        if name not in NUMBERS:
            raise Failure(f"unknown signal name {word}")
        ctx.write_line(str(NUMBERS[name]))
    return 0
