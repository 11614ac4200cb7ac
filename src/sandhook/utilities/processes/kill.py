"""kill: send a signal to processes of the run (xargs kill, env kill).

Source: POSIX.1-2024 XCU 3, kill. Oracle: procps 4.0. In scripts, kill is the shell's built-in, which also accepts jobs.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import OptionError, Syntax, UsageError, is_negative_number, opt, option_set
from sandhook.kernel.signals import NAMES, NUMBERS, SIGTERM
from sandhook.utilities.processes.signal_words import signal_number, split_signal

RAW = True  # -TERM is not a cluster of letters


@option_set
class Options:
    """kill [-s SIGNAL | -SIGNAL] PID... | kill -l [SIGNAL]

    Send a signal (TERM) to processes, or list the names of signals.
    """

    signal: str | None = opt(
        "-s", "-n", "--signal", "SIGNAL", "the signal to send, by name or number; -SIGNAL is short for it"
    )
    listing: str | None = opt(
        "-l", "--list", "SIGNAL", "list the names of signals, or translate SIGNAL", optional=True, const=""
    )


_SYNTAX = Syntax(Options, is_operand=is_negative_number)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a process does not exist."""
    words, signal = split_signal(arguments)
    try:
        options, operands = _SYNTAX.parse(words)
    except OptionError as error:
        if error.unknown and len(error.word) > 2:
            raise UsageError(f"unknown signal name {error.word[1:]}") from None
        raise
    if options.listing is not None:
        return _list(options.listing or "".join(operands[:1]), ctx)
    if options.signal is not None:
        signal = signal_number(options.signal)
        if signal is None:
            raise UsageError(f"unknown signal name {options.signal}")
    if not operands:
        raise UsageError("no process was named")
    ctx.flush()
    for word in operands:
        ctx.charge()
        _send(word, SIGTERM if signal is None else signal, ctx)
    return ctx.failed


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


def _list(word: str, ctx: Context) -> int:
    """Print the names of all signals, or translate one."""
    if not word:
        ctx.write_line(" ".join(NAMES[number] for number in sorted(NAMES) if number < 32))
        return 0
    number = int(word[:9]) if word.isascii() and word.isdigit() else None
    name = word.upper().removeprefix("SIG")
    if number in NAMES:
        ctx.write_line(NAMES[number])
    elif name in NUMBERS:
        ctx.write_line(str(NUMBERS[name]))
    else:
        raise Failure(f"unknown signal name {word}")
    return 0
