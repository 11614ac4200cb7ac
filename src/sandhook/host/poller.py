"""Wait for pipes and for ends of children, in the thread of the run; and the pipes themselves."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    from sandhook.host.winpipe import Poller, inbound, left_over, outbound, read_some, write_some
else:
    from sandhook.host.pipes import inbound, left_over, outbound, read_some, write_some
    from sandhook.host.readiness import Poller

__all__ = ["Poller", "inbound", "left_over", "outbound", "read_some", "write_some"]
