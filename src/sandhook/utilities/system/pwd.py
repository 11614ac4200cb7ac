"""pwd: print the working directory, for ``env -C DIR pwd`` and ``xargs``. In a shell, pwd is a built-in.

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
    """pwd [OPTION]...

    Print the name of the working directory.
    """

    logical: bool = also(
        opt(
            "-L", "--logical", help="$PWD, which may contain links, if it is valid", const=True, default=False
        ),
        opt("-P", "--physical", help="without links (default)", const=False),
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when the working directory does not exist any more."""
    if operands:
        ctx.error("ignoring non-option arguments")
    name = ctx.environment.get("PWD", "")
    try:
        path = ctx.fs.realpath(ctx.process.cwd)
        info = ctx.fs.stat(path)
    except OSError as error:
        raise Failure(f"couldn't find directory entry: {reason(error)}") from None
    if options.logical and name[:1] == "/" and not {".", ".."} & set(name.split("/")):
        try:
            logical_info = ctx.fs.stat(VirtualPath(name))
        except OSError:  # ignore a $PWD that does not exist
            logical_info = None
        if logical_info is not None and (info.device, info.inode) == (
            logical_info.device,
            logical_info.inode,
        ):
            path = VirtualPath(name)
    ctx.write_line(path)
    return 0
