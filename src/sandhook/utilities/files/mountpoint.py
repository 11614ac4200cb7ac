"""mountpoint: check whether a file system is mounted on a directory.

Oracle: util-linux 2.38. Divergence: L-MOUNTPOINT-001, /, /dev, /proc and /sys are the only mount points of the virtual file system;
there are no block devices for -x.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.operands import reason, stat_of
from sandhook.command.options import UsageError, opt, option_set

_NOT_A_MOUNT_POINT = 32
_MOUNTED = {"/": 1, "/dev": 2, "/proc": 3, "/sys": 4}


@option_set
class Options:
    """mountpoint [-qd] DIRECTORY | mountpoint -x DEVICE

    Print whether DIRECTORY is a mount point.
    """

    quiet: bool = opt("-q", "--quiet", help="print nothing")
    no_follow: bool = opt("--nofollow", help="a symbolic link is not a mount point")
    number: bool = opt("-d", "--fs-devno", help="print the numbers of the file system's device")
    device: bool = opt("-x", "--devno", help="print the numbers of a block device, which do not exist here")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0 for a mount point, 32 for another file, 1 after an error."""
    if len(operands) != 1:
        raise UsageError("bad usage")
    name = operands[0]
    try:
        info = stat_of(ctx, name, follow=not options.no_follow)
    except OSError as error:
        if not options.quiet:
            ctx.error(f"{name}: {reason(error)}")
        return 1
    if options.device:
        if not options.quiet:
            ctx.error(f"{name}: not a block device")
        return _NOT_A_MOUNT_POINT
    path = str(ctx.fs.realpath(ctx.path(name))) if bits.S_ISDIR(info.mode) else ""
    is_mounted = path in _MOUNTED
    if is_mounted and options.number and not options.quiet:
        ctx.write_line(f"0:{_MOUNTED[path]}")
    elif not options.quiet:
        ctx.write_line(f"{name} is {'' if is_mounted else 'not '}a mountpoint")
    return 0 if is_mounted else _NOT_A_MOUNT_POINT
