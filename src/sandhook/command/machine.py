"""The name of the (virtual) machine."""

from __future__ import annotations

from sandhook.command.context import Context
from sandhook.vfs.path import VirtualPath


def host_name(ctx: Context) -> str:
    """Return the name of the machine from /etc/hostname."""
    try:
        data = ctx.fs.read_bytes(VirtualPath("/etc/hostname"))
    except OSError:
        return "sandhook"
    return data.decode("utf-8", "surrogateescape").strip() or "sandhook"
