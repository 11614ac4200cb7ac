"""macOS: a sandbox profile that denies everything; descriptors that are open remain usable."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence

from sandhook.worker.confine.report import Report

#: Source: sandbox_init(3), which is deprecated and has no successor for programs without a bundle.
PROFILE = "(version 1)\n(deny default)\n(allow sysctl-read)\n"


def profile(readable: Sequence[str]) -> bytes:
    """Return the profile: everything is denied but reading below some directories."""
    rules = [
        f'(allow file-read* (subpath "{os.path.realpath(directory)}"))\n'
        for directory in readable
        if not set(directory) & set('"\\\n')
    ]
    return os.fsencode(PROFILE + "".join(rules))


def confine(report: Report, readable: Sequence[str]) -> None:
    """Put the profile in force."""
    try:
        libc = ctypes.CDLL("/usr/lib/libSystem.B.dylib")
        initialize = libc.sandbox_init
    except (OSError, AttributeError) as error:
        report.lacking("sandbox_init", str(error))
        return
    message = ctypes.c_char_p()
    initialize.argtypes = (ctypes.c_char_p, ctypes.c_uint64, ctypes.POINTER(ctypes.c_char_p))
    if initialize(profile(readable), 0, ctypes.byref(message)):
        report.lacking("sandbox_init", (message.value or b"it failed").decode("utf-8", "replace"))
        return
    report.reads = bool(readable)
    report.enforced("sandbox_init", "files", "network", "programs", "processes", "signals")
