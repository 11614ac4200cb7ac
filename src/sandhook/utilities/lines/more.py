"""more: show files page by page. Without a terminal, it copies them below their names.

Source: POSIX.1-2024 XCU 3, more. Oracle: util-linux 2.38.
Divergence: L-MORE-001, options that change the display are accepted and have no effect.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import opt, option_set
from sandhook.utilities.lines.cat import plain_copy
from sandhook.vfs.errors import error_text

_RULE = b"::::::::::::::\n"


@option_set
class Options:
    """more [OPTION]... [FILE]...

    Copy each FILE below a heading with its name, or standard input.
    """

    silent: bool = opt("-d", "--silent", ignored="")
    logical: bool = opt("-f", "--logical", ignored="")
    no_pause: bool = opt("-l", "--no-pause", ignored="")
    print_over: bool = opt("-c", "--print-over", ignored="")
    clean_print: bool = opt("-p", "--clean-print", ignored="")
    exit_on_eof: bool = opt("-e", "--exit-on-eof", ignored="")
    squeeze: bool = opt("-s", "--squeeze", ignored="")
    plain: bool = opt("-u", "--plain", ignored="")
    lines: str | None = opt("-n", "--lines", "NUMBER", help="accepted, without effect")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, even when a file could not be read, as more does."""
    names = [name for name in operands if name[:1] != "+"]
    if not names:
        with ctx.open("-") as reader:
            plain_copy(reader, ctx)
        return 0
    for name in names:
        try:
            with ctx.open(name if name != "-" else "./-") as reader:
                ctx.write(_RULE + name.encode("utf-8", "surrogateescape") + b"\n" + _RULE)
                plain_copy(reader, ctx)
        except OSError as error:
            text = error_text(error)
            if text == "Is a directory":
                ctx.write(f"\n*** {name}: directory ***\n\n".encode("utf-8", "surrogateescape"))
            else:
                ctx.error(f"cannot open {name}: {text}")
    return 0
