"""time: run a command and print how long it took (in scripts, ``time`` is a keyword of the shell).

Source: POSIX.1-2024 XCU 3, time. Oracle: GNU time 1.9. Divergence: L-TIMEUTIL-001, only the elapsed time is measured;
the resources of the process are 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, opt, option_set

PERMUTE = False
USAGE_STATUS = 125

_DEFAULT = (
    "%Uuser %Ssystem %Eelapsed %PCPU (%Xavgtext+%Davgdata %Mmaxresident)k\n"
    "%Iinputs+%Ooutputs (%Fmajor+%Rminor)pagefaults %Wswaps"
)
_POSIX = "real %e\nuser %U\nsys %S"
_ZEROS = frozenset("DFIKMOPRWXckprstwZ")


@option_set
class Options:
    """time [-p] [-f FORMAT] [-o FILE [-a]] COMMAND [ARGUMENT]...

    Run COMMAND, and write to standard error how long it took.
    """

    append: bool = opt("-a", "--append", help="with -o, append to the file")
    format_: str | None = opt("-f", "--format", "FORMAT", "the output: %e %E %U %S %C %x ...")
    output: str | None = opt("-o", "--output", "FILE", "write to this file")
    portable: bool = opt("-p", "--portability", help="the three lines of POSIX")
    quiet: bool = opt("-q", "--quiet", help="do not report a status other than 0")
    verbose: bool = opt("-v", "--verbose", help="not available: only the time is measured")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return the command's status; 125 when time itself fails."""
    if options.verbose:
        raise Failure("-v is not offered: nothing but time is measured")
    if not operands:
        raise UsageError("missing program to run")
    format_ = _POSIX if options.portable else options.format_
    if format_ is None:
        format_ = ctx.environment.get("TIME", _DEFAULT)
    file = None
    if options.output is not None:
        try:
            file = ctx.create(options.output, append=options.append)
        except OSError as error:
            raise Failure(f"{options.output}: {reason(error)}") from None
    try:
        ctx.flush()
        start = ctx.budget.elapsed()
        status = ctx.run_command(operands)
        seconds = ctx.budget.elapsed() - start
        target = file or ctx.process.descriptor(2)
        if status and not options.quiet and not options.portable:
            target.write(f"Command exited with non-zero status {status}\n".encode())
        text = _expand(format_, seconds, status, operands)
        target.write(f"{text}\n".encode("utf-8", "surrogateescape"))
    finally:
        if file is not None:
            file.release()
    return status


def _expand(format_: str, seconds: float, status: int, operands: Sequence[str]) -> str:
    """Return a format with its % directives and escapes replaced."""
    pieces: list[str] = []
    letters = iter(format_)
    for letter in letters:
        if letter == "\\":
            following = next(letters, "\\")
            pieces.append({"t": "\t", "n": "\n", "\\": "\\"}.get(following, f"?\\{following}"))
            continue
        if letter != "%":
            pieces.append(letter)
            continue
        kind = next(letters, "%")
        if kind == "%":
            pieces.append("%")
        elif kind == "e":
            pieces.append(f"{seconds:.2f}")
        elif kind == "E":
            minutes, seconds_left = divmod(seconds, 60)
            hours, minutes = divmod(int(minutes), 60)
            pieces.append(
                f"{hours}:{minutes:02}:{int(seconds_left):02}" if hours else f"{minutes}:{seconds_left:05.2f}"
            )
        elif kind in "US":
            pieces.append("0.00")
        elif kind == "C":
            pieces.append(" ".join(operands))
        elif kind == "x":
            pieces.append(str(status))
        elif kind in _ZEROS:
            pieces.append("0%" if kind == "P" else "4096" if kind == "Z" else "0")
        else:
            pieces.append(f"?{kind}")
    return "".join(pieces)
