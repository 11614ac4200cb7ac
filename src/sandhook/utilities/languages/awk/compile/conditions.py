"""Comparisons, matches and logical operators as closures: True or False as a condition, 1 or 0 as a value.

Source: POSIX.1-2024 XCU 3, awk, "expressions in awk". Oracle: gawk 5.2.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TypeAlias

from sandhook.utilities.languages.awk.compile.arrays import compile_array, compile_key
from sandhook.utilities.languages.awk.compile.fields import fixed_field
from sandhook.utilities.languages.awk.compile.protocol import Compiler
from sandhook.utilities.languages.awk.compile.variables import global_slot
from sandhook.utilities.languages.awk.format import fold_case, order
from sandhook.utilities.languages.awk.nodes import (
    And,
    Comparison,
    Ere,
    Expression,
    Match,
    Membership,
    Not,
    Number,
    Or,
    Relation,
    String,
)
from sandhook.utilities.languages.awk.program import Test, ToNumber
from sandhook.utilities.languages.awk.regex import Invalid, Pattern, pattern
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.values import Fatal, Value

#: A relation of Python's; both operands are numbers, or both are strings.
_Relation: TypeAlias = Callable[["float | str", "float | str"], bool]
RELATIONS: dict[Relation, _Relation] = {
    "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def compile_truth(compiler: Compiler, node: Expression) -> ToNumber:
    """Compile a node of ``CONDITIONS`` for its value, 1 or 0."""
    test = compiler.condition(node)
    return lambda rt: 1.0 if test(rt) else 0.0


# --------------------------------------------------------------------------- comparisons


def compile_comparison(compiler: Compiler, node: Comparison) -> Test:
    """Compile a relation; the kinds of the operands decide at run time whether numbers or strings are compared."""
    compare, first, second = RELATIONS[node.relation], node.left, node.right
    if isinstance(second, String):
        return _with_string(compiler, compare, first, second.value)
    if isinstance(second, Number):
        slot = global_slot(compiler, first)
        if fixed_field(first) >= 0:
            return _field_with_number(compiler, compare, first, second.value)
        if slot >= 0:
            return _variable_with_number(compare, slot, second.value)
    left, right = compiler.value(first), compiler.value(second)

    def test(rt: Runtime) -> bool:
        a, b = left(rt), right(rt)
        if type(a) is float and type(b) is float:
            return compare(a, b)
        return compare_values(rt, compare, a, b)

    return test


def _with_string(compiler: Compiler, compare: _Relation, first: Expression, constant: str) -> Test:
    """Compile ``$1 == "text"``: with a string constant, strings are compared."""
    text = compiler.text(first)

    def test(rt: Runtime) -> bool:
        subject = text(rt)
        return compare(subject.lower(), constant.lower()) if rt.icase else compare(subject, constant)

    return test


def _variable_with_number(compare: _Relation, slot: int, constant: float) -> Test:
    """Compile ``i < 10``, the condition of most loops."""

    def test(rt: Runtime) -> bool:
        value = rt.g[slot]
        return (
            compare(value, constant) if type(value) is float else compare_values(rt, compare, value, constant)
        )

    return test


def _field_with_number(compiler: Compiler, compare: _Relation, first: Expression, constant: float) -> Test:
    """Compile ``$1 > 10``: a field of digits is a number without further tests."""
    text, value = compiler.text(first), compiler.value(first)

    def test(rt: Runtime) -> bool:
        subject = text(rt)
        if type(subject) is str and subject.isdigit() and len(subject) < 16 and subject.isascii():
            return compare(float(subject), constant)
        return compare_values(rt, compare, value(rt), constant)

    return test


def compare_values(rt: Runtime, compare: _Relation, a: Value, b: Value) -> bool:
    """Compare two values, at least one of which is not a number."""
    if rt.icase:
        a, b = fold_case(a), fold_case(b)
    elif type(a) is str and type(b) is str:
        return compare(a, b)
    result = order(a, b, rt.convfmt)
    return compare(result, 0) if result < 2 else compare is operator.ne


# --------------------------------------------------------------------------- logical operators


def compile_not(compiler: Compiler, node: Not) -> Test:
    """Compile ``!x``."""
    test = compiler.condition(node.operand)
    return lambda rt: not test(rt)


def compile_and(compiler: Compiler, node: And) -> Test:
    """Compile a chain of ``&&``."""
    tests = [compiler.condition(part) for part in node.parts]
    if len(tests) == 2:
        first, second = tests
        return lambda rt: first(rt) and second(rt)

    def all_(rt: Runtime) -> bool:
        return all(test(rt) for test in tests)

    return all_


def compile_or(compiler: Compiler, node: Or) -> Test:
    """Compile a chain of ``||``."""
    tests = [compiler.condition(part) for part in node.parts]
    if len(tests) == 2:
        first, second = tests
        return lambda rt: first(rt) or second(rt)

    def any_(rt: Runtime) -> bool:
        return any(test(rt) for test in tests)

    return any_


def compile_membership(compiler: Compiler, node: Membership) -> Test:
    """Compile ``key in array``."""
    key, array = compile_key(compiler, node.subscripts), compile_array(compiler, node.array)
    return lambda rt: key(rt) in array(rt)


# --------------------------------------------------------------------------- matches


def constant_pattern(compiler: Compiler, source: str) -> Pattern:
    """Compile a regular expression constant. Raises Fatal with the status of an error in the program."""
    try:
        return pattern(source, compiler.program.symbols.matching)
    except Invalid as error:
        raise Fatal(error.reason, 1) from None


def compile_regex(compiler: Compiler, node: Expression) -> Callable[[Runtime], Pattern]:
    """Compile an operand that is used as a regular expression."""
    if isinstance(node, Ere):
        source = node.source
        compiled = constant_pattern(compiler, source)
        return lambda rt: rt.pattern(source) if rt.icase else compiled
    text, line = compiler.text(node), compiler.line
    return lambda rt: rt.pattern(text(rt), line)


def compile_match(compiler: Compiler, node: Match) -> Test:
    """Compile ``subject ~ pattern``."""
    text, regex = compiler.text(node.subject), compile_regex(compiler, node.pattern)
    if node.negated:
        return lambda rt: not regex(rt).test(text(rt))

    def match(rt: Runtime) -> bool:
        subject = text(rt)
        return regex(rt).test(subject)

    return match


def compile_record_match(compiler: Compiler, node: Ere) -> Test:
    """Compile ``/re/`` alone, which is matched against the record."""
    source = node.source
    compiled = constant_pattern(compiler, source)
    if compiled.literal:
        literal = compiled.literal
        return lambda rt: (
            literal in (rt.rebuild() if rt.dirty else rt.record)
            if not rt.icase
            else rt.pattern(source).test(rt.rebuild())
        )
    return lambda rt: (rt.pattern(source) if rt.icase else compiled).test(
        rt.rebuild() if rt.dirty else rt.record
    )
