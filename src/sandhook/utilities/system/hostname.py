"""hostname: print the name of the (virtual) machine.

Oracle: Debian's hostname 3.23. The name is in /etc/hostname of the file system, its address and aliases are in
/etc/hosts. Divergence: L-HOSTNAME-001, the name cannot be set (-b, -F), and the machine has no network of its own, so
-I and -A print an empty line.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.machine import host_name
from sandhook.command.operands import reason
from sandhook.command.options import VERSION, also, opt, option_set
from sandhook.vfs.path import VirtualPath

WRITE_ERROR = ""

OPTION_STATUS = 255
_OWN_ADDRESS = "127.0.0.1"


@option_set
class Options:
    """hostname [-s | -f | -d | -a | -i | -A | -I]

    Print the machine's name, or its address.
    """

    part: str = also(
        opt("-s", "--short", help="up to the first dot", const="short", default="all"),
        opt("-f", "--fqdn", "--long", help="with its domain", const="full"),
        opt("-d", "--domain", help="the domain", const="domain"),
        opt("-a", "--alias", help="its other names", const="alias"),
        opt("-i", "--ip-address", help="its address", const="address"),
        opt("-A", "--all-fqdns", help="the names of all addresses: an empty line", const="none"),
        opt("-I", "--all-ip-addresses", help="the addresses of its network: an empty line", const="none"),
        opt("-y", "--yp", "--nis", help="the NIS domain: an error, as no domain is set", const="nis"),
    )
    boot: bool = opt("-b", "--boot", help="set a missing name, which never happens", ignored="")
    file: str | None = opt("-F", "--file", "FILE", "set the name to that in FILE: an error")
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 for an operand or -F, because the name cannot be set."""
    if options.file is not None:
        try:
            with ctx.open(options.file):
                pass
        except OSError as error:
            raise Failure(reason(error)) from None
    if operands or options.file is not None:
        raise Failure("you must be root to change the host name")
    name = host_name(ctx)
    address, full, *aliases = _entry(name, ctx)
    match options.part:
        case "short":
            ctx.write_line(name.partition(".")[0])
        case "full":
            ctx.write_line(full)
        case "domain":
            ctx.write_line(full.partition(".")[2])
        case "alias":
            ctx.write_line(" ".join(aliases))
        case "address":
            ctx.write_line(address)
        case "none":
            ctx.write_line("")
        case "nis":
            raise Failure("Local domain name not set")
        case _:
            ctx.write_line(name)
    return 0


def _entry(name: str, ctx: Context) -> list[str]:
    """Return the words of the line with the name in /etc/hosts: an address, the full name, and aliases."""
    try:
        data = ctx.fs.read_bytes(VirtualPath("/etc/hosts"))
    except OSError:
        data = b""
    for line in data.decode("utf-8", "surrogateescape").splitlines():
        ctx.charge()
        words = line.partition("#")[0].split()
        if name in words[1:]:
            return words
    return [_OWN_ADDRESS, name]
