"""What the files of this package need of the compiler, which calls the one for each node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from sandhook.expand.word import WordCompiler
from sandhook.interp.redirect import Apply
from sandhook.state.state import State
from sandhook.syntax.nodes import Command, CommandList, Redirection

Run: TypeAlias = Callable[[State], int]


class Compiler(Protocol):
    """Compiles the parts of a node."""

    words: WordCompiler
    noting: bool  #: commands remember their last argument, for ``$_``
    returns: frozenset[int]  #: ids of the ``return`` commands that nothing of their function can follow

    def within(self, returns: frozenset[int]) -> Compiler:
        """Return the compiler of a function's body."""
        ...

    lasts: frozenset[int]  #: ids of the simple commands with which a subshell ends, whatever their status

    def ending(self, lasts: frozenset[int]) -> Compiler:
        """Return the compiler of a subshell's body."""
        ...

    def list(self, node: CommandList) -> Run:
        """Compile a list."""
        ...

    def condition(self, node: CommandList) -> Run:
        """Compile a list whose status is tested."""
        ...

    def command(self, node: Command) -> Run:
        """Compile any command, with its redirections."""
        ...

    def final(self, node: Command) -> Run:
        """Compile a command that is all that its process runs."""
        ...

    def negated(self, node: Command) -> Run:
        """Compile a command after ``!``."""
        ...

    def redirections(self, redirections: tuple[Redirection, ...]) -> Apply | None:
        """Compile redirections; None without redirections."""
        ...
