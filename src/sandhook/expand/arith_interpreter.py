"""Interprets an arithmetic expression with a syntax error up to that error, as bash's expr.c does.

Valid expressions are parsed whole before they are evaluated. Bash evaluates while it parses: ``i++ + )``
increments i, and ``x y`` reads both names, also under ``set -u``, before the error is reported. Only text
with a known error is interpreted here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sandhook.errors import LimitExceeded
from sandhook.lazy import lazily
from sandhook.limits import Budget, check_clock
from sandhook.syntax.arith import ASSIGNMENTS, MAX_DEPTH, POWER, PRECEDENCE, Parser, after_blanks
from sandhook.syntax.nodes import Arith, ArithAssign, ArithBinary, ArithNumber, ArithUnary, ArithVariable

_NEXT_NAME = lazily(r"[ \t\n]+[A-Za-z_][A-Za-z0-9_]*")

#: Evaluates a small tree; may raise.
Evaluate: TypeAlias = Callable[[Arith], int]

#: Evaluates the subscript of a name, if that has effects; returns the name with the index.
Settle: TypeAlias = Callable[[ArithVariable], ArithVariable]


def evaluate_until_error(text: str, evaluate: Evaluate, settle: Settle, budget: Budget) -> None:
    """Evaluate an expression with a syntax error up to the error.

    Raises:
        ShellSyntaxError: The error is reached.
        ShellError: A name before the error is unset under ``set -u``, or readonly.
        OperandError: The expression divides by zero before the error, or has a negative exponent.
    """
    try:
        _Interpreter(text, evaluate, settle, budget).parse()
    except RecursionError:
        raise LimitExceeded("nesting", MAX_DEPTH, "arithmetic") from None


class _Interpreter(Parser):
    """A parser whose trees are numbers: it evaluates each name as soon as it has parsed it.

    Attributes:
        target: The name that was parsed last.
        skipping: Above 0 where nothing is evaluated: after ``0 &&`` and similar operators.
    """

    __slots__ = ("budget", "checked_to", "evaluate", "settle", "skipping", "target")

    def __init__(self, text: str, evaluate: Evaluate, settle: Settle, budget: Budget) -> None:
        super().__init__(text, False)
        self.evaluate = evaluate
        self.settle = settle
        self.budget = budget
        self.skipping = 0
        self.checked_to = 0  # the offset up to which the text after names was checked
        self.target = ArithVariable("_", None)

    def number_of(self, node: Arith) -> ArithNumber:
        return ArithNumber(0 if self.skipping else self.evaluate(node))

    def next(self) -> None:
        self.budget.charge(1)
        super().next()

    def check_after_name(self) -> None:
        super().check_after_name()
        offset = self.at
        names = 0
        while offset >= self.checked_to and (match := _NEXT_NAME.match(self.text, self.at)):
            names += 1
            if not names & 63:
                check_clock()
            self.at = match.end()  # the text after all names in a row is checked first
            super().check_after_name()
        self.checked_to, self.at = max(self.checked_to, self.at), offset
        assert isinstance(self.node, ArithVariable)
        self.target = self.node
        at = after_blanks(self.text, self.at)
        following = self.text[at : at + 2]
        is_assigned = following[:1] == "=" and following != "==" and self.last[:3] != "pre"
        if is_assigned:
            self.node = ArithNumber(0)
            return
        if not self.skipping:  # the same element may be assigned after it is read
            self.target = self.settle(self.target)
        self.node = self.number_of(self.target)

    def assign(self, value: Arith) -> ArithNumber:
        """Assign ``value`` to the name in ``target``."""
        return self.number_of(ArithAssign("=", self.target, value, self.at))

    # ------------------------------------------------------------------ grammar

    def comma(self) -> Arith:
        value = self.assignment()
        while self.kind == ",":
            self.next()
            value = self.assignment()
        return value

    def assignment(self) -> Arith:
        left = self.conditional()
        operator = self.kind
        if operator not in ASSIGNMENTS:
            return left
        if self.last != "name":
            self.fail("attempted assignment to non-variable")
        self.deeper()
        target, offset = self.target, self.at
        self.next()
        if not self.kind:
            self.fail("syntax error: operand expected")
        value = self.assignment()
        self.depth -= 1
        if operator != "=":
            value = self.number_of(ArithBinary(operator[:-1], left, value, offset))
        self.target = target
        return self.assign(value)

    def conditional(self) -> Arith:
        test = self.binary(1)
        if self.kind != "?":
            return test
        is_true = _is_true(test)
        self.deeper()
        self.skipping += not is_true
        self.next()
        if self.kind in ("", ":"):
            self.fail("expression expected")
        then = self.comma()
        self.skipping -= not is_true
        if self.kind != ":":
            self.fail("`:' expected for conditional expression")
        self.skipping += is_true
        self.next()
        if not self.kind:
            self.fail("expression expected")
        alternative = self.conditional()
        self.skipping -= is_true
        self.depth -= 1
        self.last = "conditional"
        return then if is_true else alternative

    def binary(self, lowest: int) -> Arith:
        left = self.unary()
        while (level := PRECEDENCE.get(self.kind, 0)) >= lowest:
            operator, offset = self.kind, self.at
            skips_right = (operator == "&&" and not _is_true(left)) or (operator == "||" and _is_true(left))
            self.skipping += skips_right
            self.next()
            self.deeper()
            right = self.binary(level if level == POWER else level + 1)
            self.depth -= 1
            self.skipping -= skips_right
            if operator in ("&&", "||"):
                left = ArithNumber(int(_is_true(left if skips_right else right)))
            else:
                left = self.number_of(ArithBinary(operator, left, right, offset))
            self.last = "number"
        return left

    def unary(self) -> Arith:
        operators: list[str] = []
        while self.kind in ("!", "~", "-", "+"):
            operators.append(self.kind)
            self.next()
        value = self.operand()
        for operator in reversed(operators):
            value = self.number_of(ArithUnary(operator, value))
            self.last = "number"
        return value

    def operand(self) -> Arith:
        kind, value, target = self.kind, self.node, self.target
        if kind == "name":
            self.next()
            if self.kind in ("post++", "post--"):
                self.target = target
                self.assign(ArithBinary(self.kind[4], value, ArithNumber(1), self.at))
                self.kind = "number"
                self.next()
            return value
        if kind not in ("pre++", "pre--"):
            return super().operand()
        self.next()
        if self.kind != "name":
            self.fail("identifier expected after pre-increment or pre-decrement")
        value = self.assign(ArithBinary(kind[3], self.node, ArithNumber(1), self.at))
        self.kind, self.last = "number", kind
        self.next()
        return value


def _is_true(node: Arith) -> bool:
    assert isinstance(node, ArithNumber)
    return node.value != 0
