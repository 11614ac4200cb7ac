"""time: run a command and print how long it took (the keyword of the same name comes first in scripts).

Source: POSIX.1-2024 XCU 3, time. Oracle: GNU time 1.9. Divergence: L-TIMEUTIL-001, only the time that passed is
measured; what a real process would have used is 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, opt, option_set

PERMUTE = False
USAGE_STATUS = 125

_USUAL = (
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

    append: bool = opt("-a", "--append", help="with -o, add to the file")
    form: str | None = opt("-f", "--format", "FORMAT", "what to write: %e %E %U %S %C %x ...")
    output: str | None = opt("-o", "--output", "FILE", "write to this file")
    portable: bool = opt("-p", "--portability", help="the three lines that POSIX has")
    quiet: bool = opt("-q", "--quiet", help="say nothing of a status that is not 0")
    verbose: bool = opt("-v", "--verbose", help="refused: there is nothing more to print")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return the command's status; 125 when time itself fails."""
    if options.verbose:
        raise Failure("-v is not offered: nothing but time is measured")
    if not operands:
        raise UsageError("missing program to run")
    form = _POSIX if options.portable else options.form
    if form is None:
        form = ctx.environment.get("TIME", _USUAL)
    out = None
    if options.output is not None:
        try:
            out = ctx.create(options.output, append=options.append)
        except OSError as error:
            raise Failure(f"{options.output}: {reason(error)}") from None
    try:
        ctx.flush()
        before = ctx.budget.elapsed()
        status = ctx.run_command(operands)
        seconds = ctx.budget.elapsed() - before
        target = out or ctx.process.descriptor(2)
        if status and not options.quiet and not options.portable:
            target.write(f"Command exited with non-zero status {status}\n".encode())
        text = _filled(form, seconds, status, operands)
        target.write(f"{text}\n".encode("utf-8", "surrogateescape"))
    finally:
        if out is not None:
            out.release()
    return status


def _filled(form: str, seconds: float, status: int, operands: Sequence[str]) -> str:
    """Replace what stands after % in a format."""
    pieces: list[str] = []
    letters = iter(form)
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
            minutes, rest = divmod(seconds, 60)
            hours, minutes = divmod(int(minutes), 60)
            pieces.append(f"{hours}:{minutes:02}:{int(rest):02}" if hours else f"{minutes}:{rest:05.2f}")
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
