"""Arithmetic, concatenation and the conditional expression as closures.

Source: POSIX.1-2024 XCU 3, awk, "expressions in awk". Oracle: gawk 5.2.
"""

from __future__ import annotations

from sandhook.utilities.languages.awk.arithmetic import OPERATIONS
from sandhook.utilities.languages.awk.compile.protocol import Compiler
from sandhook.utilities.languages.awk.nodes import (
    Arithmetic,
    Concatenation,
    Conditional,
    Grouping,
    Negation,
    Number,
    UnaryPlus,
)
from sandhook.utilities.languages.awk.program import Evaluate, Test, ToNumber, ToText
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.special import LARGE
from sandhook.utilities.languages.awk.values import Fatal

_ZERO = Number(0.0)


def compile_arithmetic(compiler: Compiler, node: Arithmetic) -> ToNumber:
    """Compile an arithmetic operator. Raises Fatal for a constant divided by zero."""
    operator = node.operator
    if operator in "/%" and isinstance(node.left, Number) and node.right == _ZERO:
        raise Fatal("division by zero attempted" + (" in `%'" if operator == "%" else ""), 1)
    left, right = compiler.number(node.left), compiler.number(node.right)
    if operator == "+":
        return lambda rt: left(rt) + right(rt)
    if operator == "-":
        return lambda rt: left(rt) - right(rt)
    if operator == "*":
        return lambda rt: left(rt) * right(rt)
    apply = OPERATIONS[operator]
    return lambda rt: apply(left(rt), right(rt))


def compile_negation(compiler: Compiler, node: Negation) -> ToNumber:
    """Compile ``-x``."""
    run = compiler.number(node.operand)
    return lambda rt: -run(rt)


def compile_unary_plus(compiler: Compiler, node: UnaryPlus) -> ToNumber:
    """Compile ``+x``: a new number, also where x is a value of mkbool, which is known by its identity."""
    run = compiler.number(node.operand)
    return lambda rt: run(rt) * 1.0


def compile_conditional(compiler: Compiler, node: Conditional) -> Evaluate:
    """Compile ``test ? first : second``."""
    test, first, second = (
        compiler.condition(node.test), compiler.value(node.first), compiler.value(node.second),
    )  # fmt: skip
    return lambda rt: first(rt) if test(rt) else second(rt)


# --------------------------------------------------------------------------- parentheses


def compile_grouping(compiler: Compiler, node: Grouping) -> Evaluate:
    """Compile an expression in parentheses for its value."""
    return compiler.value(node.expression)


def compile_grouping_number(compiler: Compiler, node: Grouping) -> ToNumber:
    """Compile an expression in parentheses for a number."""
    return compiler.number(node.expression)


def compile_grouping_text(compiler: Compiler, node: Grouping) -> ToText:
    """Compile an expression in parentheses for a string."""
    return compiler.text(node.expression)


def compile_grouping_condition(compiler: Compiler, node: Grouping) -> Test:
    """Compile an expression in parentheses for its truth."""
    return compiler.condition(node.expression)


# --------------------------------------------------------------------------- concatenation


def compile_concatenation(compiler: Compiler, node: Concatenation) -> ToText:
    """Compile a concatenation; a large result is charged before it is allocated."""
    parts = [compiler.text(part) for part in node.parts]
    if len(parts) == 2:
        return _pair(*parts)
    if len(parts) == 3:
        return _triple(*parts)

    def concatenation(rt: Runtime) -> str:
        pieces = [part(rt) for part in parts]
        size = sum(map(len, pieces))
        if size > LARGE:
            rt.grow(size)
        return "".join(pieces)

    return concatenation


def _pair(left: ToText, right: ToText) -> ToText:
    def pair(rt: Runtime) -> str:
        first = left(rt)
        second = right(rt)
        if len(first) + len(second) > LARGE:
            rt.grow(len(first) + len(second))
        return str(first + second)

    return pair


def _triple(left: ToText, middle: ToText, right: ToText) -> ToText:
    def triple(rt: Runtime) -> str:
        first, second, third = left(rt), middle(rt), right(rt)
        size = len(first) + len(second) + len(third)
        if size > LARGE:
            rt.grow(size)
        return f"{first}{second}{third}"

    return triple
