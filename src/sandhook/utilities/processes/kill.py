"""kill: send a signal to processes of the run (xargs kill, env kill).

Source: POSIX.1-2024 XCU 3, kill. Oracle: procps 4.0. In scripts, kill is the shell's built-in, which also accepts jobs.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import OptionError, Syntax, UsageError, is_negative_number, opt, option_set
from sandhook.kernel.signals import NAMES, SIGTERM
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
    table: bool = opt("-L", "--table", "list the numbers and names of signals")


#: The names that procps knows, which calls signal 29 by its other name.
_NAMES = {number: "POLL" if number == 29 else NAMES[number] for number in range(1, 32)}

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
    if options.table:
        return _print_table(ctx)
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
    if pid <= 0:
        targets = list(processes.values()) if pid == -1 else ctx.kernel.members(-pid or ctx.process.group)
        for process in targets:
            process.kill(signal, to_group=True)
        if targets:
            return
    target = processes.get(pid)
    if target is None:
        ctx.fail(f"({word}): No such process")
        return
    target.kill(signal)


def _list(word: str, ctx: Context) -> int:
    """Print the names of all signals, or translate one."""
    if not word:
        for start in (1, 17):
            ctx.write_line(" ".join(_NAMES[number] for number in range(start, min(start + 16, 32))))
        return 0
    number = int(word[:9]) if word.isascii() and word.isdigit() else None
    name = word.upper().removeprefix("SIG")
    known = next((value for value, text in _NAMES.items() if text == name), None)
    if number in _NAMES:
        ctx.write_line(_NAMES[number])
    elif known is not None:
        ctx.write_line(str(known))
    else:
        ctx.error(f"unknown signal name {word}")  # and procps succeeds
    return 0


def _print_table(ctx: Context) -> int:
    """Print numbers and names in seven columns; the last row ends with a blank, as procps writes it."""
    cells = [f"{number:2} {_NAMES[number]:<8}" for number in range(1, 32)]
    for at in range(0, 31, 7):
        row = "".join(cells[at : at + 7])
        ctx.write_line(row.rstrip() if at < 28 else row)
    return 0
