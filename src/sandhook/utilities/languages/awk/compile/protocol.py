"""The interface of the compiler for the modules of this package, which use it to compile the parts of a node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, TypeVar

from sandhook.utilities.languages.awk.nodes import Expression, Function, Statement
from sandhook.utilities.languages.awk.program import Evaluate, Program, Step, Test, ToNumber, ToText

Closure = TypeVar("Closure")


class Compiler(Protocol):
    """Compiles the parts of a node. An expression can be compiled for a value, a number, a text or a truth.

    Attributes:
        program: The program that is compiled.
        function: The function whose body is compiled, None outside of functions.
        line: 1-based line of the statement that is compiled.
        nests: The program has arrays of arrays.
    """

    program: Program
    function: Function | None
    line: int
    nests: bool

    def value(self, node: Expression) -> Evaluate:
        """Compile an expression for its value."""
        ...

    def number(self, node: Expression) -> ToNumber:
        """Compile an expression for a number."""
        ...

    def text(self, node: Expression) -> ToText:
        """Compile an expression for a string."""
        ...

    def condition(self, node: Expression) -> Test:
        """Compile an expression for its truth."""
        ...

    def effect(self, node: Expression) -> Step:
        """Compile an expression whose value is not used."""
        ...

    def statement(self, node: Statement) -> Step:
        """Compile a statement."""
        ...

    def for_function(self, function: Function | None) -> Compiler:
        """Return the compiler of a function's body."""
        ...


#: A function that compiles the nodes of one class, which is the key of its table.
Compile: TypeAlias = Callable[[Compiler, Any], Closure]
