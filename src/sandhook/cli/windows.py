"""What the command line needs on Windows alone."""

from __future__ import annotations

import sys
from time import monotonic, sleep

#: Seconds between two polls of a pipe.
_POLL_SECONDS = 0.001


def has_input(descriptor: int, seconds: float) -> bool:
    """Wait until a pipe has input or ends; return True at once for anything else.

    Windows cannot wait for a pipe, so this polls.
    """
    if sys.platform != "win32":
        raise NotImplementedError
    import _winapi
    import msvcrt

    handle = msvcrt.get_osfhandle(descriptor)
    until = monotonic() + seconds
    while True:
        try:
            if _winapi.PeekNamedPipe(handle, 0)[0]:
                return True
        except OSError:
            return True
        if monotonic() >= until:
            return False
        sleep(_POLL_SECONDS)
