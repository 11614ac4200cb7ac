"""What the files beside ``runtime`` need of the runtime, which calls them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from sandhook.interp.lookup import Argument, Commands
from sandhook.state.state import State
from sandhook.syntax.options import ParseOptions

T = TypeVar("T")


class Runtime(Protocol):
    """The runtime's services to invocation, traps and nested shells."""

    commands: Commands

    def complain(self, state: State, text: str) -> None:
        """Write ``name: line N: text`` to standard error."""

    def write_error(self, state: State, text: str) -> None:
        """Write to standard error as it is."""

    def where(self, state: State) -> str:
        """Return what stands before every message."""
        ...

    def debug(self, state: State) -> bool:
        """Run the DEBUG trap before a command; tell whether the command is to be skipped."""
        ...

    def run_trap(self, state: State, name: str) -> int:
        """Run the commands of a trap."""
        ...

    def run_exit_trap(self, state: State, status: int) -> int:
        """Run the EXIT trap, if there is one, and return the exit status."""
        ...

    def count_call(self, state: State) -> None:
        """Count a nested call. Raises LimitExceeded."""

    def guard_stack(self, state: State, run: Callable[[], T]) -> T:
        """Run ``run``, on a fresh stack when this one has become deep."""
        ...

    def run_text(self, state: State, text: str, *, name: str | None = None, line: int | None = None) -> int:
        """Run eval's or a trap's text."""
        ...

    def source(self, state: State, path: str, arguments: list[str]) -> int:
        """Run a file in this shell. Raises OSError."""
        ...

    def run_main(self, state: State, text: str | None, label: str = "") -> int:
        """Run a whole script, None for the one on standard input, and its EXIT trap."""
        ...

    def run_units(
        self, state: State, text: str, label: str = "", line: int = 1, *, main: bool = False
    ) -> int:
        """Run a text unit by unit."""
        ...

    def parse_options(self, state: State) -> ParseOptions:
        """Return how the next input unit is to be read."""
        ...

    def call(self, state: State, argv: Sequence[Argument], *, functions: bool = True) -> int:
        """Run a simple command by argv."""
        ...

    def expand_text(self, state: State, text: str) -> str:
        """Expand text as a here-document's body."""
        ...
