"""What a formatter gets from its printf: the utility, or the built-in of the shell."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sandhook.record import Record


class Caller(Record):
    """The functions and values that a formatter gets from its printf."""

    error: Callable[[str], None]  #: reports a message, and makes the exit status 1
    warning: Callable[[str], None]  #: reports a message
    now: Callable[[], float]  #: the time in seconds since the epoch, for ``%(...)T``
    environment: Mapping[str, str]  #: where TZ is looked up
    check_fits: Callable[[int], None]  #: raises an error for a size in bytes over the memory limit
    started: float | None = None  #: the start of the shell, for ``%(...)T`` with -2; None for now
    assign: Callable[[str, str], str | None] | None = (
        None  #: sets a variable for ``%n`` or returns an error; None if ``%n`` is invalid
    )
    doubles: bool = False  #: fractions are ``double``, not ``long double``
    flush: Callable[[bytes], None] | None = None  #: writes the lines before a message; None if they wait


def line_writer(output: list[bytes], flush: Callable[[bytes], None]) -> Callable[[], None]:
    """Return a closure that writes the whole lines of an output, and leaves the rest in it."""
    searched = 0  # the pieces that have no newline

    def flush_lines() -> None:
        nonlocal searched
        if any(b"\n" in piece for piece in output[searched:]):
            lines, newline, rest = b"".join(output).rpartition(b"\n")
            flush(lines + newline)
            output[:] = [rest]
        searched = len(output)

    return flush_lines


def after(before: Callable[[], None], report: Callable[[str], None]) -> Callable[[str], None]:
    """Return ``report`` with another action before each message."""

    def reported(message: str) -> None:
        before()
        report(message)

    return reported
