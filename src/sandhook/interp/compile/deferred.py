"""Parts of commands that are compiled when a run first reaches them: most branches of a hook never run."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.interp.compile.protocol import Run
from sandhook.state.state import State


class Deferred:
    """A part that may not run. ``(part.run or part.first)(state)`` runs it.

    Attributes:
        run: The closure; None before the first run.
    """

    __slots__ = ("_compile", "run")

    def __init__(self, compile_: Callable[[], Run]) -> None:
        self._compile = compile_
        self.run: Run | None = None

    def compiled(self, state: State) -> Run:
        """Return the closure. Two threads may compile it at the same time, to equal closures."""
        run = self.run
        if run is None:
            run = self.run = state.shell.guard_stack(state, self._compile)
        return run

    def first(self, state: State) -> int:
        """Compile the part, and run it."""
        return self.compiled(state)(state)
