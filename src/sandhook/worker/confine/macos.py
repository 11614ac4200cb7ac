"""macOS: a sandbox profile that denies everything; descriptors that are open remain usable."""

from __future__ import annotations

import ctypes

from sandhook.worker.confine.report import Report

#: Source: sandbox_init(3), which is deprecated and has no successor for programs without a bundle.
PROFILE = b"(version 1)\n(deny default)\n(allow sysctl-read)\n"


def confine(report: Report) -> None:
    """Put the profile in force."""
    try:
        libc = ctypes.CDLL("/usr/lib/libSystem.B.dylib")
        initialize = libc.sandbox_init
    except (OSError, AttributeError) as error:
        report.lacking("sandbox_init", str(error))
        return
    message = ctypes.c_char_p()
    initialize.argtypes = (ctypes.c_char_p, ctypes.c_uint64, ctypes.POINTER(ctypes.c_char_p))
    if initialize(PROFILE, 0, ctypes.byref(message)):
        report.lacking("sandbox_init", (message.value or b"it failed").decode("utf-8", "replace"))
        return
    report.enforced("sandbox_init", "files", "network", "programs", "processes", "signals")
