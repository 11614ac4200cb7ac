"""dc: a calculator that keeps its numbers on a stack.

Oracle: GNU dc 1.4.1 (of bc 1.07.1). Divergence: L-DC-001, "!" runs no command, and numbers have at most 100,000 digits.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import Inform, also, opt, option_set
from sandhook.utilities.extras.dc.commands import run_text
from sandhook.utilities.extras.dc.machine import Machine

READ_ERROR = "error reading input: {}"

WRITE_ERROR = "error writing to stdout: {}"


@option_set
class Options:
    """dc [-e EXPRESSION] [-f FILE] [FILE]...

    Evaluate EXPRESSIONs and FILEs, or standard input, in reverse Polish notation.
    """

    sources: tuple[tuple[str, str], ...] = also(
        opt(
            "-e",
            "--expression",
            "EXPRESSION",
            "evaluate EXPRESSION",
            convert=lambda text: ("e", text),
            append=True,
        ),
        opt("-f", "--file", "FILE", "evaluate FILE", convert=lambda text: ("f", text), append=True),
    )
    help_: bool = opt("-h", help="show this help")
    version: bool = opt("-V", help="show the version")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file ends with q. An error is reported, and evaluation continues."""
    if options.help_ or options.version:
        raise Inform("help" if options.help_ else "version")
    machine = Machine(ctx)
    sources = [*options.sources, *(("f", name) for name in operands)]
    for kind, text in sources or [("f", "-")]:
        if kind == "f":
            try:
                with ctx.open(text) as reader:
                    text = reader.read_all().decode("utf-8", "surrogateescape")
            except OSError as error:
                if text == "-":
                    raise
                if not isinstance(error, IsADirectoryError):
                    ctx.error(f"Could not open file {text}")
                    continue
                ctx.error(f"Will not attempt to process directory {text}")
                continue
        if not run_text(machine, text):
            return 1 if kind == "f" else 0
    return 0
