"""Pipes, and the poller that waits for pipes and for ends of children, for POSIX or Windows."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    from sandhook.host.winpipe import (
        Poller,
        adjoining,
        inbound,
        outbound,
        read_some,
        set_read_blocking,
        set_write_blocking,
        unread_bytes,
        write_some,
    )
else:
    from sandhook.host.pipes import (
        adjoining,
        inbound,
        outbound,
        read_some,
        set_read_blocking,
        set_write_blocking,
        unread_bytes,
        write_some,
    )
    from sandhook.host.readiness import Poller

__all__ = [
    "Poller",
    "adjoining",
    "inbound",
    "unread_bytes",
    "outbound",
    "read_some",
    "set_read_blocking",
    "write_some",
    "set_write_blocking",
]
