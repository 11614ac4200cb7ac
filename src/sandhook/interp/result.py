"""Result: the result of one run of the shell."""

from __future__ import annotations

from sandhook.errors import LimitName, ShellSyntaxError

#: Exit status of a run that a limit ended: that of timeout(1) for time, that of SIGKILL for the rest.
TIMED_OUT, KILLED = 124, 137

#: Exit status of a run that a defect of sandhook ended (EX_SOFTWARE of sysexits.h).
DEFECT = 70


class Result:
    """The result of one run.

    Attributes:
        stdout_bytes, stderr_bytes: The output, up to ``Limits.output_bytes`` together.
        exit_status: 0 to 255; never 0 when a limit ended the run.
        limit: The field of Limits that ended the run; "cancelled" when the caller ended it; else None.
        truncated: Output was cut off.
        stdout_truncated: Standard output was cut off, or either stream when they share a bound.
        duration: Seconds that the run took, without virtual sleeps.
        interrupted: The watchdog ended the run, some time after its deadline: a fault of sandhook, which
            did not look at the clock. ``limit`` is "wall_seconds" then.
        syntax_error: The error that ended parsing; None when the whole script was parsed.
        not_started: Why the command whose status is the exit status, 126 or 127, could not be started; None
            when a script exits with such a status itself.
        outermost: The command of ``not_started`` is one of the script itself, not of a program that it runs.
        script_status: The status with which the script ended, if a child of it kept an output open for more than half a
            second after that; None otherwise.
        signal: Name of the signal that ended the script, or the command whose status it has; else None.
        notes: Faults in scripts that a shell on the host tolerated, for their authors; temporary files and variables
            of a session that could not be set.
        failure: Why a worker process that the run needed died or did not start; the status is then 137. None otherwise.
        defect: An exception that escaped the interpreter: a fault of sandhook, not of the script.
            The run ended there, with status 70. None otherwise.
    """

    __slots__ = (
        "defect",
        "duration",
        "exit_status",
        "failure",
        "interrupted",
        "limit",
        "not_started",
        "notes",
        "outermost",
        "script_status",
        "signal",
        "stderr_bytes",
        "stdout_bytes",
        "stdout_truncated",
        "syntax_error",
        "truncated",
    )

    def __init__(
        self,
        stdout_bytes: bytes,
        stderr_bytes: bytes,
        exit_status: int,
        *,
        limit: LimitName | None = None,
        truncated: bool = False,
        stdout_truncated: bool = False,
        duration: float = 0.0,
        syntax_error: ShellSyntaxError | None = None,
        not_started: str | None = None,
        outermost: bool = False,
        signal: str | None = None,
        defect: Exception | None = None,
        failure: str | None = None,
        notes: tuple[str, ...] = (),
        interrupted: bool = False,
        script_status: int | None = None,
    ) -> None:
        self.stdout_bytes = stdout_bytes
        self.stderr_bytes = stderr_bytes
        self.exit_status = exit_status
        self.interrupted = interrupted
        self.script_status = script_status
        self.limit = limit
        self.notes = notes
        self.truncated = truncated
        self.stdout_truncated = stdout_truncated
        self.duration = duration
        self.syntax_error = syntax_error
        self.not_started = not_started
        self.outermost = outermost
        self.signal = signal
        self.defect = defect
        self.failure = failure

    @property
    def stdout(self) -> str:
        """Standard output as text; bytes that are not UTF-8 are kept as surrogate escapes."""
        return self.stdout_bytes.decode("utf-8", "surrogateescape")

    @property
    def stderr(self) -> str:
        """Standard error as text; bytes that are not UTF-8 are kept as surrogate escapes."""
        return self.stderr_bytes.decode("utf-8", "surrogateescape")

    def __repr__(self) -> str:
        ended = f", limit={self.limit!r}" if self.limit else ""
        return f"Result(exit_status={self.exit_status}, stdout={self.stdout[:60]!r}, stderr={self.stderr[:60]!r}{ended})"
