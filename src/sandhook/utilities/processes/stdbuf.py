"""stdbuf: run a command with other buffers, which virtual processes do not have.

Oracle: GNU coreutils 9.1. Divergence: L-STDBUF-001, the modes are checked, but have no effect.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import UsageError, opt, option_set
from sandhook.lazy import lazily

PERMUTE = False
USAGE_STATUS = 125
_SIZE = lazily(r"(?a)[ \t]*+\+?[0-9]{1,18}([kKMGTPEZY](B|iB)?)?")


def _mode(text: str) -> str:
    if text != "L" and _SIZE.fullmatch(text) is None:
        raise UsageError(f"invalid mode '{text}'", hint=False)
    return text


def _input_mode(text: str) -> str:
    if text == "L":
        raise UsageError("line buffering stdin is meaningless")
    return _mode(text)


@option_set
class Options:
    """stdbuf OPTION... COMMAND

    Run COMMAND. A MODE is L for lines, 0 for no buffer, or the size of the buffer.
    """

    input_: str | None = opt(
        "-i", "--input", "MODE", help="how standard input is buffered", convert=_input_mode, ignored=""
    )
    output: str | None = opt(
        "-o", "--output", "MODE", help="how standard output is buffered", convert=_mode, ignored=""
    )
    error: str | None = opt(
        "-e", "--error", "MODE", help="how standard error is buffered", convert=_mode, ignored=""
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return the command's status; 125 when stdbuf fails, 126 and 127 when it cannot be run or found."""
    if not operands:
        raise UsageError("missing operand")
    if not options.__dict__:
        raise UsageError("you must specify a buffering mode option")
    return ctx.run_command(operands, "failed to run command '{}'", in_place=True)
