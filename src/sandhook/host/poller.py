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
        reads_wait,
        unread_bytes,
        write_some,
        writes_wait,
    )
else:
    from sandhook.host.pipes import (
        adjoining,
        inbound,
        outbound,
        read_some,
        reads_wait,
        unread_bytes,
        write_some,
        writes_wait,
    )
    from sandhook.host.readiness import Poller

__all__ = [
    "Poller",
    "adjoining",
    "inbound",
    "unread_bytes",
    "outbound",
    "read_some",
    "reads_wait",
    "write_some",
    "writes_wait",
]
