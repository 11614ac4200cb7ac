"""realpath: print canonical names.

Source: POSIX.1-2024 XCU 3, realpath. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.links import Missing, is_below, relative_to, resolve
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.text.quoting import quote_odd
from sandhook.vfs.path import normalize


@option_set
class Options:
    """realpath [OPTION]... FILE...

    Print the absolute name of each FILE without links, "." and "..".
    """

    missing: Missing = also(
        opt("-e", "--canonicalize-existing", help="all must exist", const="none", default="last"),
        opt("-m", "--canonicalize-missing", help="all may be missing", const="all"),
    )
    links: str = also(
        opt("-L", "--logical", help="resolve .. before links", const="logical", default="physical"),
        opt("-P", "--physical", help="resolve links in order (default)", const="physical"),
        opt("-s", "--strip", "--no-symlinks", help="resolve no links", const="none"),
    )
    quiet: bool = opt("-q", "--quiet", "report no errors")
    relative_to: str | None = opt("--relative-to", "DIR", "print names relative to DIR")
    relative_base: str | None = opt("--relative-base", "DIR", "print names below DIR relative")
    zero: bool = opt("-z", "--zero", "end each line with NUL instead of a newline")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a name could not be resolved."""
    if not operands:
        raise UsageError("missing operand")
    to, base = _base(options, options.relative_to, ctx), _base(options, options.relative_base, ctx)
    if base is not None and to is None:
        to = base
    elif base is not None and to is not None and not is_below(to, base):
        base, to = None, None
    status = 0
    for name in operands:
        ctx.charge()
        try:
            path = _resolve(options, name, ctx)
        except OSError as error:
            status = 1
            if not options.quiet:
                ctx.error(f"{quote_odd(name)}: {reason(error)}")
            continue
        if to is not None and (base is None or is_below(path, base)):
            path = relative_to(path, to)
        ctx.write(path.encode("utf-8", "surrogateescape") + (b"\0" if options.zero else b"\n"))
    return status


def _base(options: Options, name: str | None, ctx: Context) -> str | None:
    if name is None:
        return None
    try:
        path = _resolve(options, name, ctx)
        if options.missing == "none" and not ctx.fs.is_dir(ctx.path(path)):
            raise NotADirectoryError(20, "Not a directory")
        return path
    except OSError as error:
        raise Failure(f"{quote_odd(name)}: {reason(error)}") from None


def _resolve(options: Options, name: str, ctx: Context) -> str:
    if options.links == "logical" and name:
        # ".." is removed first, as text; the rest is resolved as usual
        logical = resolve(ctx, name, missing=options.missing, follow=False)
        return resolve(ctx, normalize(logical), missing=options.missing)
    if options.links != "none":
        return resolve(ctx, name, missing=options.missing)
    # as with GNU's, no directory is looked up
    missing: Missing = "all" if options.missing == "last" else options.missing
    path = resolve(ctx, name, missing=missing, follow=False)
    try:
        ctx.fs.stat(ctx.path(path))
    except OSError as error:
        if options.missing == "none" or (options.missing == "last" and error.errno == errno.ELOOP):
            raise
    return path
