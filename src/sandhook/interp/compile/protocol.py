"""The interface of the compiler that the modules of this package use to compile the parts of a node."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.expand.word import WordCompiler
from sandhook.interp.redirect import Apply
from sandhook.state.state import State
from sandhook.syntax.nodes import Command, CommandList, Redirection
from sandhook.typed import Protocol, TypeAlias

Run: TypeAlias = Callable[[State], int]
Mark: TypeAlias = Callable[[Run], Run]


class Compiler(Protocol):
    """Compiles the parts of a node."""

    words: WordCompiler
    records_last_argument: bool  #: commands record their last argument, for ``$_``
    returns: frozenset[int]  #: ids of the ``return`` commands that end their function

    def for_function(self, returns: frozenset[int]) -> Compiler:
        """Return the compiler of a function's body."""
        ...

    last_commands: frozenset[
        int
    ]  #: ids of the simple commands with which a subshell ends, whatever their status

    ends: Mark  #: the mark of the closure of those commands

    def for_subshell(self, last_commands: frozenset[int], *, ends: Mark = ...) -> Compiler:
        """Return the compiler of a list with these last commands."""
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
        """Compile the only command of a process."""
        ...

    def negated(self, node: Command) -> Run:
        """Compile a command after ``!``."""
        ...

    def redirections(self, redirections: tuple[Redirection, ...]) -> Apply | None:
        """Compile redirections; return None for an empty tuple."""
        ...
