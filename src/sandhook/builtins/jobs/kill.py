"""kill: send a virtual signal to processes of this run.

Source: POSIX.1-2024 XCU 3 kill; bash 5.2 reference manual 7.2.
Divergence: L-KILL-001, signals that stop a process do nothing, because no terminal could continue it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sandhook.builtins.base import (
    USAGE_STATUS,
    BuiltinError,
    HelpWanted,
    builtin,
    numeric,
    print_error,
    show_usage,
    write_unchecked,
)
from sandhook.builtins.jobs.jobspec import find_job
from sandhook.builtins.jobs.signals import EVENTS, listing, names_on_one_line, number_of, trap_name
from sandhook.kernel.outside import Outside
from sandhook.kernel.signals import NAMES, NUMBERS, SIGTERM
from sandhook.state.state import State
from sandhook.vfs.errors import error_text

USAGE = "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]"


class _Target(Protocol):
    """A process that can be sent a signal."""

    def kill(self, signal: int, *, to_group: bool = False) -> None: ...


class _Request:
    """The options and operands of ``kill``.

    Attributes:
        signal: Its number, 0 to test for existence only, None when there is no such signal.
        named: The signal as the arguments spell it.
        listing: ``-l``.
        operands: The words after the options.
    """

    __slots__ = ("_posix", "listing", "named", "operands", "signal")

    def __init__(self, words: list[str], posix: bool) -> None:
        self._posix = posix
        self.signal: int | None = SIGTERM
        self.named = ""
        self.listing = False
        self.operands = words

    def name(self, text: str) -> None:
        """Choose the signal."""
        self.named = text
        self.signal = _signal(text, self._posix)


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 0 when a signal was sent to any of the operands, else 1."""
    if list(argv[1:2]) == ["--help"]:
        raise HelpWanted
    request = _parse(list(argv[1:]), state.options.posix)
    if request is not None and request.listing:
        return _list(state, request.operands)
    if request is not None and request.signal is None:
        raise BuiltinError(f"{request.named}: invalid signal specification")
    if request is None or request.signal is None or not request.operands:
        show_usage(state, "kill", USAGE)
        return USAGE_STATUS
    sent = False
    for operand in request.operands:
        sent = _send(state, operand, request.signal) or sent
    if sent:
        state.status = 0  # for the handler, which runs now
    if state.process.pending:
        if state.execution.defers_signals:
            state.execution.defers_signals = False
        else:
            state.process.deliver()
    return 0 if sent else 1


def _parse(words: list[str], posix: bool) -> _Request | None:
    """Parse the options; None for ``-?``. Only the first ``-NAME`` is one."""
    request = _Request(words, posix)
    has_signal = False
    while words:
        word = words[0]
        if word in ("-l", "-L"):
            request.listing = True
        elif word in ("-s", "-n"):
            if len(words) == 1:
                raise BuiltinError(f"{word}: option requires an argument")
            words.pop(0)
            request.name(words[0])
        elif (word[:2] == "-s" and word[2:3].isalpha()) or (word[:2] == "-n" and word[2:3].isdigit()):
            request.name(word[2:])
        elif word == "--":
            words.pop(0)
            break
        elif word == "-?":
            return None
        elif word[:1] == "-" and not has_signal:
            has_signal = True
            request.name(word[1:])
        else:
            break
        words.pop(0)
    return request


def _send(state: State, operand: str, signal: int) -> bool:
    """Send a signal to the processes of an operand; return True when one received it."""
    try:
        targets = _targets(state, operand)
    except BuiltinError as error:
        print_error(state, f"kill: {error.message}")
        return False
    sent = False
    to_group = operand[:1] == "-" or operand == "0"
    for process in targets:
        try:
            process.kill(signal, to_group=to_group)
        except BuiltinError as error:
            print_error(state, f"kill: {error.message}")
        else:
            sent = True
    shell = state.process
    if shell in targets and shell.pending and signal not in shell.caught:
        shell.deliver()  # a fatal signal ends the shell before the next operand
    return sent


def _signal(text: str, posix: bool) -> int | None:
    """Return the number of a signal, 0 to test for existence only, None when there is no such signal.

    In posix mode a name has no prefix SIG.
    """
    if posix and text[:3].upper() == "SIG":
        return None
    name = "EXIT" if text == "0" else trap_name(text)
    return 0 if name == "EXIT" else NUMBERS.get(name or "")


def _targets(state: State, word: str) -> Sequence[_Target]:
    """Return the processes that an operand denotes. Raises BuiltinError."""
    if word[:1] == "%":
        return [process for process in find_job(state, word).processes if not process.done]
    if not word:
        raise BuiltinError("`': not a pid or valid job spec")
    pid = numeric(word)
    if pid is None:
        raise BuiltinError(
            f"{word}: arguments must be process or job IDs" if word else "`': not a pid or valid job spec"
        )
    kernel = state.process.kernel
    processes = kernel.processes
    if pid == -1:
        return list(processes.values())
    if pid <= 0 and (members := kernel.members(-pid or state.process.group)):
        return members
    target = processes.get(pid)
    if target is None:
        host = kernel.outside
        if host is None:
            raise BuiltinError(f"({pid}) - No such process")
        return [_Foreign(host, pid)]
    return [target]


class _Foreign:
    """A process of the host that does not belong to this run."""

    __slots__ = ("_host", "_pid")

    def __init__(self, host: Outside, pid: int) -> None:
        self._host = host
        self._pid = pid

    def kill(self, signal: int, *, to_group: bool = False) -> None:
        """Send a signal. Raises BuiltinError."""
        try:
            self._host.kill(self._pid, signal)
        except OSError as error:
            raise BuiltinError(f"({self._pid}) - {error_text(error)}") from None


def _list(state: State, words: Sequence[str]) -> int:
    """kill -l: the table, or names for numbers and numbers for names."""
    if not words:
        write_unchecked(state, names_on_one_line() if state.options.posix else listing())
        return 0
    status = 0
    for word in words:
        number = numeric(word)
        if number is not None and number > 128:
            number -= 128
        if number == 0:
            write_unchecked(state, "EXIT\n")
        elif number is not None and number in NAMES:
            write_unchecked(state, NAMES[number] + "\n")
        else:
            name = trap_name(word) if number is None else None
            prefixed = word[:3].upper() == "SIG" and (state.options.posix or name in EVENTS)
            if name is None or prefixed:
                print_error(state, f"kill: {word}: invalid signal specification")
                status = 1
            else:
                write_unchecked(state, f"{number_of(name)}\n")
    return status
