"""A progress bar on standard error, where that is a terminal; nothing anywhere else."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from sandhook.cli.output import is_terminal

#: Seconds between two drawings.
_INTERVAL = 0.1


@contextmanager
def progress(total: int) -> Iterator[Callable[[], None]]:
    """Yield a function to call after each of ``total`` steps, and erase the bar at the end.

    Nothing is drawn under continuous integration (CI is set), whose log would keep every drawing.
    """
    if total <= 0 or os.environ.get("CI") or not is_terminal(sys.stderr):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    # The caller starts threads and processes: rich's own thread would draw between their messages.
    with Progress(
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as bar:
        task = bar.add_task("", total=total)
        drawn = 0.0

        def step() -> None:
            nonlocal drawn
            now = monotonic()
            bar.advance(task)
            if now - drawn >= _INTERVAL:
                drawn = now
                bar.refresh()

        yield step
