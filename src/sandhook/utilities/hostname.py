"""hostname: print the name of the (virtual) machine.

Oracle: Debian's hostname 3.23. The name stands in /etc/hostname of the file system.
Divergence: L-HOSTNAME-001, setting the name and asking a name service (-a -A -i -I -y) are not offered.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities._base import Context, Failure, also, opt, option_set
from sandhook.vfs.path import VirtualPath

OPTION_STATUS = 255


@option_set
class Options:
    """hostname [-s | -f | -d]

    Print the machine's name.
    """

    part: str = also(
        opt("-s", "--short", help="up to the first dot", const="short", default="all"),
        opt("-f", "--fqdn", "--long", help="with its domain", const="all"),
        opt("-d", "--domain", help="the domain", const="domain"),
    )


def host_name(ctx: Context) -> str:
    """Return the machine's name as /etc/hostname has it."""
    try:
        data = ctx.fs.read_bytes(VirtualPath("/etc/hostname"))
    except OSError:
        return "sandhook"
    return data.decode("utf-8", "surrogateescape").strip() or "sandhook"


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a name is given: it cannot be set."""
    if operands:
        raise Failure("you must be root to change the host name")
    name = host_name(ctx)
    if options.part == "short":
        name = name.partition(".")[0]
    elif options.part == "domain":
        name = name.partition(".")[2]
    ctx.write_line(name)
    return 0
