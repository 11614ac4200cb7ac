"""A progress bar on standard error, if that is a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from sandhook.cli.arguments import color
from sandhook.cli.output import is_terminal

#: Seconds between two drawings.
_INTERVAL = 0.1


@contextmanager
def progress(total: int) -> Iterator[Callable[[], None]]:
    """Yield a function to call after each of ``total`` steps, and erase the bar at the end.

    Nothing is drawn if CI is set: the log of a build server would contain every drawing.
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
        console=Console(stderr=True, no_color=True if color() == "never" else None),
        transient=True,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    ) as bar:
        task = bar.add_task("", total=total)
        last_refresh = 0.0

        def step() -> None:
            nonlocal last_refresh
            now = monotonic()
            bar.advance(task)
            if now - last_refresh >= _INTERVAL:
                last_refresh = now
                bar.refresh()

        yield step
