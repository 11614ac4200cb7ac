"""A line on a terminal that says how far something is; nothing anywhere else."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

#: Columns of the bar, and seconds between two drawings.
_WIDTH, _EVERY = 30, 0.1


def wanted() -> bool:
    """Tell whether somebody looks on: standard error is a terminal, and nobody asked for quiet."""
    return (
        sys.stderr is not None
        and sys.stderr.isatty()
        and not any(os.environ.get(name) for name in ("CI", "NO_COLOR"))
        and os.environ.get("TERM") != "dumb"
    )


@contextmanager
def progress(total: int) -> Iterator[Callable[[], None]]:
    """Give a function to call for each of ``total`` steps, and clear the line at the end."""
    if not wanted() or total <= 0:
        yield lambda: None
        return
    done = 0
    drawn = 0.0

    def step() -> None:
        nonlocal done, drawn
        done += 1
        now = monotonic()
        if now - drawn >= _EVERY:
            drawn = now
            full = _WIDTH * done // total
            sys.stderr.write(f"\r[{'#' * full}{'.' * (_WIDTH - full)}] {done}/{total}")
            sys.stderr.flush()

    try:
        yield step
    finally:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
