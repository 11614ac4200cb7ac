"""The name of the (virtual) machine."""

from __future__ import annotations

from sandhook.command.context import Context
from sandhook.vfs.path import VirtualPath


def host_name(ctx: Context) -> str:
    """Return the machine's name as /etc/hostname has it."""
    try:
        data = ctx.fs.read_bytes(VirtualPath("/etc/hostname"))
    except OSError:
        return "sandhook"
    return data.decode("utf-8", "surrogateescape").strip() or "sandhook"
