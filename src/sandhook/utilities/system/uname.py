"""uname: print the name of the (virtual) system.

Source: POSIX.1-2024 XCU 3, uname. Oracle: GNU coreutils 9.1. The names come from /proc/sys/kernel of the file system,
not from the host.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.machine import host_name
from sandhook.command.options import UsageError, opt, option_set
from sandhook.vfs.path import VirtualPath


@option_set
class Options:
    """uname [OPTION]...

    Print names of the system; without an option, like -s.
    """

    all_: bool = opt("-a", "--all", "everything except unknown parts")
    kernel: bool = opt("-s", "--kernel-name", "the kernel's name")
    node: bool = opt("-n", "--nodename", "the machine's name")
    release: bool = opt("-r", "--kernel-release", "the kernel's release")
    version: bool = opt("-v", "--kernel-version", "the kernel's version")
    machine: bool = opt("-m", "--machine", "the machine's hardware")
    processor: bool = opt("-p", "--processor", "the processor, which is unknown")
    platform: bool = opt("-i", "--hardware-platform", "the platform, which is unknown")
    system: bool = opt("-o", "--operating-system", "the operating system")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if operands:
        raise UsageError(f"extra operand '{operands[0]}'")
    everything = options.all_
    parts = [
        (options.kernel, _read(ctx, "ostype", "Linux")),
        (options.node, host_name(ctx)),
        (options.release, _read(ctx, "osrelease", "6.1.0")),
        (options.version, "#1 sandhook"),
        (options.machine, "x86_64"),
        (options.system, "GNU/Linux"),
    ]
    words = [text for is_selected, text in parts if is_selected or everything]
    unknown = ["unknown"] * (0 if everything else options.processor + options.platform)
    if options.system or everything:
        words[-1:-1] = unknown
    else:
        words += unknown
    ctx.write_line(" ".join(words or [parts[0][1]]))
    return 0


def _read(ctx: Context, name: str, default: str) -> str:
    try:
        data = ctx.fs.read_bytes(VirtualPath(f"/proc/sys/kernel/{name}"))
    except OSError:
        return default
    return data.decode("utf-8", "surrogateescape").strip() or default
