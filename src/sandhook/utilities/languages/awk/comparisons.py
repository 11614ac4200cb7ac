"""Comparisons, matches and what joins them as closures over the Runtime: as a truth for conditions, as 1 or 0 elsewhere.

Source: POSIX.1-2024 XCU 3, awk, "expressions in awk". Oracle: gawk 5.2.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from sandhook.utilities.languages.awk.expressions import Node
from sandhook.utilities.languages.awk.format import order
from sandhook.utilities.languages.awk.operands import Operands
from sandhook.utilities.languages.awk.program import Run
from sandhook.utilities.languages.awk.regex import pattern
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.values import Value, truth

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_TRUTHS = frozenset(("cmp", "match", "and", "or", "not", "in", "ere"))
_NUMBERS = frozenset(("num", "bin", "neg", "pos", "incr", "getline"))


class Comparisons(Operands):
    """Compiles what is true or false."""

    def condition(self, node: Node) -> Run:
        """Compile for a truth."""
        kind = node[0]
        if kind == "paren":
            return self.condition(node[1])
        if kind == "ere":
            return self._matcher(node[1])
        if kind in _TRUTHS:
            made: Run = getattr(self, "_test_" + kind)(node)
            return made
        run = self.value(node)
        if kind in _NUMBERS:
            return lambda rt: run(rt) != 0.0
        return lambda rt: truth(run(rt))

    def _truth(self, node: Node) -> Run:
        """Compile for a value that is 1 or 0."""
        test = self.condition(node)
        return lambda rt: 1.0 if test(rt) else 0.0

    _cmp = _match = _and = _or = _not = _in = _ere = _truth

    def _test_cmp(self, node: Node) -> Run:
        _, name, first, second = node
        compare = _OPERATORS[name]
        if second[0] == "str":
            return self._with_text(compare, first, second[1])
        if second[0] == "num" and self.is_fixed_field(first):
            return self._field_with_number(compare, first, second[1])
        if second[0] == "num" and first[0] == "name" and self.global_slot(first) >= 0:
            return self._variable_with_number(compare, self.global_slot(first), second[1])
        left, right = self.value(first), self.value(second)

        def test(rt: Runtime) -> bool:
            a, b = left(rt), right(rt)
            if type(a) is float and type(b) is float:
                return compare(a, b)
            return _compared(rt, compare, a, b)

        return test

    def _with_text(self, compare: Callable[[str, str], bool], first: Node, constant: str) -> Run:
        """``$1 == "text"``: a string constant makes it a comparison of strings."""
        text = self.text(first)

        def test(rt: Runtime) -> bool:
            found = text(rt)
            return compare(found.lower(), constant.lower()) if rt.icase else compare(found, constant)

        return test

    def _variable_with_number(self, compare: Callable[[float, float], bool], at: int, constant: float) -> Run:
        """``i < 10``, what most loops ask."""

        def test(rt: Runtime) -> bool:
            value = rt.g[at]
            return (
                compare(value, constant) if type(value) is float else _compared(rt, compare, value, constant)
            )

        return test

    def _field_with_number(
        self, compare: Callable[[float, float], bool], first: Node, constant: float
    ) -> Run:
        """``$1 > 10``: a field of digits needs no closer look at what kind of value it is."""
        text, value = self.text(first), self.value(first)

        def test(rt: Runtime) -> bool:
            found = text(rt)
            if type(found) is str and found.isdigit() and len(found) < 16 and found.isascii():
                return compare(float(found), constant)
            return _compared(rt, compare, value(rt), constant)

        return test

    def _test_not(self, node: Node) -> Run:
        test = self.condition(node[1])
        return lambda rt: not test(rt)

    def _test_and(self, node: Node) -> Run:
        tests = [self.condition(part) for part in node[1]]
        if len(tests) == 2:
            first, second = tests
            return lambda rt: first(rt) and second(rt)

        def all_(rt: Runtime) -> bool:
            return all(test(rt) for test in tests)

        return all_

    def _test_or(self, node: Node) -> Run:
        tests = [self.condition(part) for part in node[1]]
        if len(tests) == 2:
            first, second = tests
            return lambda rt: first(rt) or second(rt)

        def any_(rt: Runtime) -> bool:
            return any(test(rt) for test in tests)

        return any_

    def _test_in(self, node: Node) -> Run:
        key, array = self.key(node[1]), self.array(node[2])
        return lambda rt: key(rt) in array(rt)

    # ------------------------------------------------------------------ matches

    def regex(self, node: Node) -> Run:
        """Compile an operand that is an expression: what gives the Pattern."""
        if node[0] == "ere":
            source = node[1]
            plain = self.constant(source)
            return lambda rt: pattern(source, True) if rt.icase else plain
        text = self.text(node)
        return lambda rt: rt.pattern(text(rt))

    def _test_match(self, node: Node) -> Run:
        _, subject, expression, negated = node
        text, regex = self.text(subject), self.regex(expression)
        if negated:
            return lambda rt: not regex(rt).test(text(rt))

        def match(rt: Runtime) -> bool:
            subject = text(rt)
            found: bool = regex(rt).test(subject)
            return found

        return match


def _compared(rt: Runtime, compare: Callable[[Any, Any], bool], a: Value, b: Value) -> bool:
    """Compare two values of which one at least is no number."""
    if rt.icase:
        a, b = folded(a), folded(b)
    elif type(a) is str and type(b) is str:
        return compare(a, b)
    result = order(a, b, rt.convfmt)
    return compare(result, 0) if result < 2 else compare is operator.ne


def folded(value: Value) -> Value:
    """Return a value as IGNORECASE compares it."""
    return type(value)(value.lower()) if isinstance(value, str) else value
