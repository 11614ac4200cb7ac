"""What a run must leave alone: the state of the host process, and secrets that it must not see."""

from __future__ import annotations

import gc
import locale
import os
import random
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

#: Value of a host variable and content of host files; it must never come out of a script.
CANARY = "canary-7f3a91c2"


#: Whether the system lists the children of a process, which spares a look at all processes.
_LISTED = Path(f"/proc/self/task/{threading.get_native_id()}/children").exists()


def host_state() -> dict[str, Any]:
    """Return everything of the process that a script could change, ready to be compared."""
    umask = os.umask(0o077)
    os.umask(umask)
    return {
        "directory": os.getcwd(),
        "environment": dict(os.environ),
        "umask": umask,
        "signal handlers": {number: signal.getsignal(number) for number in signal.valid_signals()},
        "alarm": signal.getitimer(signal.ITIMER_REAL) if hasattr(signal, "getitimer") else None,
        "recursion limit": sys.getrecursionlimit(),
        "digits limit": sys.get_int_max_str_digits(),
        "switch interval": sys.getswitchinterval(),
        "trace": (sys.gettrace(), sys.getprofile()),
        "locale": locale.setlocale(locale.LC_ALL),
        "time zone": time.tzname,
        "random": hash(random.getstate()),
        "path": list(sys.path),
        "gc": (gc.isenabled(), gc.get_threshold()),
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "descriptors": descriptors(),
        "children": sorted(children()),
    }


def descriptors() -> int:
    """Return the number of open descriptors; 0 where the system has no exact number."""
    process = psutil.Process()
    return int(process.num_fds()) if hasattr(process, "num_fds") else 0


def children() -> list[int]:
    """Return the numbers of this process's children, and of theirs."""
    if not _LISTED:
        return [child.pid for child in psutil.Process().children(recursive=True)]
    found = [os.getpid()]
    for parent in found:
        for listed in Path(f"/proc/{parent}/task").glob("*/children"):
            with suppress(OSError):  # it has ended
                found += map(int, listed.read_text().split())
    return found[1:]


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return what changed, without the values of variables."""
    return [
        name if name == "environment" else f"{name}: {before[name]!r} became {after[name]!r}"
        for name in before
        if before[name] != after[name]
    ]
