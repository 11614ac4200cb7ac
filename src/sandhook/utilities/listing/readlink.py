"""readlink: print the targets of symbolic links, or canonical names.

Source: POSIX.1-2024 XCU 3, readlink (-n, -f). Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.links import Missing, resolve
from sandhook.command.operands import locate, reason
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.text.quoting import quote_odd


@option_set
class Options:
    """readlink [OPTION]... FILE...

    Print the target of each symbolic link; with -f, -e or -m, the canonical name of each FILE.
    """

    canonical: Missing | None = also(
        opt(
            "-f",
            "--canonicalize",
            help="canonical name; the last part may be missing",
            const="last",
            default=None,
        ),
        opt("-e", "--canonicalize-existing", help="canonical name; all must exist", const="none"),
        opt("-m", "--canonicalize-missing", help="canonical name; all may be missing", const="all"),
    )
    no_newline: bool = opt("-n", "--no-newline", "no newline after a single name")
    verbose: bool = also(
        opt("-v", "--verbose", help="report errors", const=True, default=False),
        opt("-q", "-s", "--quiet", "--silent", help="report no errors (default)", const=False),
    )
    zero: bool = opt("-z", "--zero", "end each line with NUL instead of a newline")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a name could not be read."""
    if not operands:
        raise UsageError("missing operand")
    end = b"\0" if options.zero else b"\n"
    if options.no_newline:
        if len(operands) == 1:
            end = b""
        else:
            ctx.error("ignoring --no-newline with multiple arguments")
    status = 0
    for name in operands:
        ctx.charge()
        try:
            if options.canonical:
                text = resolve(ctx, name, missing=options.canonical)
            else:
                text = ctx.fs.readlink(locate(ctx, name))
        except OSError as error:
            status = 1
            if options.verbose:
                ctx.error(f"{quote_odd(name)}: {reason(error)}")
            continue
        ctx.write(text.encode("utf-8", "surrogateescape") + end)
    return status
