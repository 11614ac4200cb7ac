"""Virtual signals: their names, numbers and descriptions.

The numbers are those of Linux on every host, because scripts print them (``kill -l``, status 128 + n).
"""

from __future__ import annotations

NAMES: dict[int, str] = {
    1: "HUP", 2: "INT", 3: "QUIT", 4: "ILL", 5: "TRAP", 6: "ABRT", 7: "BUS", 8: "FPE",
    9: "KILL", 10: "USR1", 11: "SEGV", 12: "USR2", 13: "PIPE", 14: "ALRM", 15: "TERM",
    16: "STKFLT", 17: "CHLD", 18: "CONT", 19: "STOP", 20: "TSTP", 21: "TTIN", 22: "TTOU",
    23: "URG", 24: "XCPU", 25: "XFSZ", 26: "VTALRM", 27: "PROF", 28: "WINCH", 29: "IO",
    30: "PWR", 31: "SYS",
    34: "RTMIN", 64: "RTMAX",
    **{34 + n: f"RTMIN+{n}" for n in range(1, 16)},
    **{64 - n: f"RTMAX-{n}" for n in range(1, 15)},
}  # fmt: skip
NUMBERS: dict[str, int] = {name: number for number, name in NAMES.items()}

SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD = 1, 2, 3, 9, 13, 14, 15, 17

#: Their default action is to do nothing.
IGNORED_BY_DEFAULT = frozenset({17, 18, 23, 28})

#: Their default action stops a process; there is no terminal to continue it, so they do nothing.
STOPPING = frozenset({19, 20, 21, 22})

#: What bash prints for a job that a signal ended.
DESCRIPTIONS: dict[int, str] = {
    1: "Hangup", 2: "Interrupt", 3: "Quit", 4: "Illegal instruction", 5: "Trace/breakpoint trap",
    6: "Aborted", 7: "Bus error", 8: "Floating point exception", 9: "Killed",
    10: "User defined signal 1", 11: "Segmentation fault", 12: "User defined signal 2",
    13: "Broken pipe", 14: "Alarm clock", 15: "Terminated", 16: "Stack fault", 24: "CPU time limit exceeded",
    25: "File size limit exceeded", 26: "Virtual timer expired", 27: "Profiling timer expired",
    29: "I/O possible", 30: "Power failure", 31: "Bad system call",
    **{34 + n: f"Real-time signal {n}" for n in range(31)},
}  # fmt: skip


class UtilityTerminated(BaseException):
    """A signal ends the utility that a shell waits for, but not the shell.

    Args:
        pid: The process that the shell reports; 0 for a signal that the shell has a trap for.
    """

    def __init__(self, signal: int, pid: int = 0) -> None:
        super().__init__(signal)
        self.signal = signal
        self.pid = pid


class Terminated(BaseException):
    """A signal ends a process. Control flow, so neither an Exception nor a SandhookError."""

    def __init__(self, signal: int) -> None:
        super().__init__(signal)
        self.signal = signal


class BrokenPipe(BaseException):
    """A write to a pipe without readers: the writer gets SIGPIPE."""


def parse_signal(text: str) -> int | None:
    """Return the number of ``text`` ("TERM", "SIGTERM", "term", "15"), or None."""
    if text.isascii() and text.isdigit():
        number = int(text[:4])
        return number if number in NAMES else None
    return NUMBERS.get(text.upper().removeprefix("SIG"))
