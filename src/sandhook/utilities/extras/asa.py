"""asa: interpret Fortran carriage control characters at the beginning of lines.

Source: POSIX.1-2024 XCU 3, asa.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.command.options import option_set


@option_set
class Options:
    """asa [FILE]...

    Copy each FILE. The first character of a line controls it: a blank begins a new line, 0 adds an empty line, 1 begins
    a page, and + overprints the previous line.
    """


def run(_: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file cannot be read."""
    has_output = False
    for name in operands or ("-",):
        try:
            with ctx.open(name) as reader:
                for line in reader.lines():
                    _line(line.removesuffix(b"\n"), has_output, ctx)
                    has_output = True
        except OSError as error:
            ctx.fail(f"{name}: {reason(error)}")
    if has_output:
        ctx.write(b"\n")
    return ctx.failed


def _line(line: bytes, has_output: bool, ctx: Context) -> None:
    control, text = line[:1], line[1:]
    if control == b"+":
        ctx.write((b"\r" if has_output else b"") + text)
        return
    ctx.write(b"\n" if has_output else b"")
    ctx.write({b"0": b"\n", b"1": b"\f"}.get(control, b"") + text)
