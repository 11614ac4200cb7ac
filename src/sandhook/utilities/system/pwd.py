"""pwd: print the working directory, for ``env -C DIR pwd`` and ``xargs``; a shell has its own.

Source: POSIX.1-2024 XCU 3, pwd. Oracle: GNU coreutils 9.1, whose default is -P.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import also, opt, option_set
from sandhook.vfs.path import VirtualPath


@option_set
class Options:
    """pwd [-L | -P]

    Print the name of the working directory.
    """

    logical: bool = also(
        opt("-L", "--logical", help="$PWD, links and all, if it is right", const=True, default=False),
        opt("-P", "--physical", help="without links (default)", const=False),
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when the working directory has gone."""
    if operands:
        ctx.error("ignoring non-option arguments")
    name = ctx.environment.get("PWD", "")
    try:
        path = ctx.fs.realpath(ctx.process.cwd)
        here = ctx.fs.stat(path)
    except OSError as error:
        raise Failure(f"couldn't find directory entry: {reason(error)}") from None
    if options.logical and name[:1] == "/" and not {".", ".."} & set(name.split("/")):
        try:
            there = ctx.fs.stat(VirtualPath(name))
        except OSError:  # a $PWD that leads nowhere is not looked at
            there = None
        if there is not None and (here.device, here.inode) == (there.device, there.inode):
            path = VirtualPath(name)
    ctx.write_line(path)
    return 0
