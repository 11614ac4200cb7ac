"""Loops that only count: many turns of ``for ((;;))`` at once, on integers that no variable holds meanwhile.

A turn whose commands are arithmetic on plain variables can be seen by nobody before the next poll of the run:
it prints nothing, calls nothing and cannot fail. So the turns up to this poll run on a dictionary of integers,
and the variables receive texts at its end. Everything else, also the turn that polls, is the loop's own matter.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from sandhook.errors import ShellSyntaxError
from sandhook.expand import operators
from sandhook.expand.numbers import NUMBERS, remember
from sandhook.expand.operators import MAX, MIN, wrap
from sandhook.limits import check_clock
from sandhook.state.state import State
from sandhook.state.values import LARGE
from sandhook.syntax.arith import parse_arithmetic
from sandhook.syntax.nodes import (
    Arith,
    ArithAssign,
    ArithBinary,
    ArithComma,
    ArithConditional,
    ArithLogical,
    ArithmeticCommand,
    ArithmeticExpansion,
    ArithmeticFor,
    ArithNumber,
    ArithStep,
    ArithUnary,
    ArithVariable,
    Command,
    Literal,
    SimpleCommand,
    Word,
)
from sandhook.typed import Any, TypeAlias

#: The values of the variables during the turns.
Numbers: TypeAlias = dict[str, int]
Value: TypeAlias = Callable[[Numbers], int]

#: Operators that accept every operand, unless it is a divisor.
_TOTAL = frozenset(("+", "-", "*", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&", "^", "|"))

#: Fewer turns than this gain nothing over the loop's own way.
_FEWEST = 8


class _Unsuitable(Exception):
    """An expression that may fail, or whose variables are not plain."""


class Turns:
    """The turns of a loop, compiled when it has turned a few times.

    Attributes:
        run: Runs turns up to the next poll of the run; receives and returns the last exit status. None if a turn may
            do more than count.
    """

    __slots__ = ("_left", "_node", "run")

    def __init__(self, node: ArithmeticFor) -> None:
        self._node = node
        self._left = _FEWEST
        self.run: Callable[[State, int], int] | None = self._wait

    def _wait(self, state: State, status: int) -> int:
        self._left -= 1
        if self._left < 0:
            try:
                self.run = _Turns(self._node).run
            except (_Unsuitable, ShellSyntaxError):
                self.run = None
        return status


class _Turns:
    """A loop that only counts.

    Attributes:
        names: The variables that are read or assigned.
        assigned: Those that are assigned.
        steps: What a turn charges.
    """

    __slots__ = ("assigned", "body", "condition", "names", "steps", "update")

    def __init__(self, node: ArithmeticFor) -> None:
        self.names: dict[str, None] = {}
        self.assigned: dict[str, None] = {}
        self.condition = self._value(_tree(node.condition))
        if self.assigned:
            raise _Unsuitable  # the loop evaluates the condition that ends it once more
        commands = [self._command(item.command) for item in node.body.items if not item.background]
        if len(commands) != len(node.body.items):
            raise _Unsuitable
        self.steps = len(commands)
        self.update = self._value(_tree(node.update))
        self.body = reduce(_both, commands)

    def _command(self, node: Command) -> Value:
        """Compile a command to its exit status."""
        if isinstance(node, ArithmeticCommand) and not node.redirections:
            value = self._value(_tree(node.expression))
            return lambda numbers: 0 if value(numbers) else 1
        if (
            isinstance(node, SimpleCommand)
            and not node.words
            and not node.redirections
            and len(node.assignments) == 1
        ):
            (assignment,) = node.assignments
            if isinstance(assignment.value, Word) and assignment.subscript is None and not assignment.append:
                parts = assignment.value.parts
                if len(parts) == 1 and isinstance(parts[0], ArithmeticExpansion):
                    target = ArithVariable(assignment.name)
                    assign = self._value(ArithAssign("=", target, _tree(parts[0].expression)))
                    return lambda numbers: assign(numbers) and 0
        raise _Unsuitable

    def _value(self, node: Arith) -> Any:
        """Compile a tree. Raises _Unsuitable."""
        check_clock()
        value = self._value
        match node:
            case ArithNumber(number):
                return lambda numbers: number
            case ArithVariable(name, None) if len(name) <= LARGE:
                self.names[name] = None
                return lambda numbers: numbers[name]
            case ArithUnary(operator, operand):
                return operators.unary(operator, value(operand))
            case ArithStep(operator, ArithVariable(name, None), prefix):
                return self._step(name, 1 if operator == "++" else -1, prefix)
            case ArithBinary("/" | "%" as operator, left, ArithNumber(divisor) as right) if divisor > 0:
                return operators.binary(operator, value(left), value(right))
            case ArithBinary(operator, left, ArithNumber(number)) if operator in operators.WITH_CONSTANT:
                return _with_constant(operator, left, number, value(left))
            case ArithBinary(operator, left, right) if operator in _TOTAL:
                return operators.binary(operator, value(left), value(right))
            case ArithLogical(operator, left, right):
                return operators.logical(operator, value(left), value(right))
            case ArithConditional(test, then, otherwise):
                return operators.conditional(value(test), value(then), value(otherwise))
            case ArithComma(left, right):
                return operators.comma(value(left), value(right))
            case ArithAssign(operator, ArithVariable(name, None), assigned):
                return self._assign(name, operator, assigned)
        raise _Unsuitable

    def _step(self, name: str, amount: int, prefix: bool) -> Value:
        self.names[name] = self.assigned[name] = None

        def step(numbers: Numbers) -> int:
            old = numbers[name]
            new = old + amount
            numbers[name] = new = new if MIN <= new <= MAX else wrap(new)
            return new if prefix else old

        return step

    def _assign(self, name: str, operator: str, assigned: Arith) -> Value:
        if operator != "=":  # what stands on the left is read first
            assigned = ArithBinary(operator[:-1], ArithVariable(name), assigned)
        value: Value = self._value(assigned)
        self.names[name] = self.assigned[name] = None

        def assign(numbers: Numbers) -> int:
            numbers[name] = new = value(numbers)
            return new

        return assign

    def run(self, state: State, status: int) -> int:
        """Run the turns up to the next poll of the run, or as many as there are; return the last exit status."""
        count = state.budget.slice_left // self.steps
        if count < _FEWEST or state.instrumented or state.options.allexport or not _ignores_failure(state):
            return status
        numbers: Numbers = {}
        values = state.values
        try:
            for name in self.names:
                if name in state.attributes or name in state.namerefs or name in state.dynamics:
                    return status
                numbers[name] = NUMBERS[values[name]]
        except KeyError:  # unset, or not a number yet
            return status
        condition, body, update = self.condition, self.body, self.update
        turns = 0
        while turns < count and condition(numbers):
            status = body(numbers)
            update(numbers)
            turns += 1
        if turns:
            state.budget.slice_left -= turns * self.steps
            for name in self.assigned:
                values[name] = text = str(numbers[name])
                remember(text, numbers[name])
            state.status = status
            state.pipestatus = None
        return status


def _tree(word: Word) -> Arith:
    """Return the tree of an expression. Raises _Unsuitable, ShellSyntaxError."""
    source = ""
    for part in word.parts:
        if not isinstance(part, Literal):
            raise _Unsuitable
        source += part.text
    if not source:
        raise _Unsuitable
    return parse_arithmetic(source)


def _both(first: Value, second: Value) -> Value:
    def run(numbers: Numbers) -> int:
        first(numbers)
        return second(numbers)

    return run


def _with_constant(operator: str, left: Arith, number: int, value: Any) -> Any:
    """``i < 10`` without a call for the variable."""
    if operator in "+-" or not isinstance(left, ArithVariable):
        return operators.binary_constant(operator, value, number)
    name, decide = left.name, operators.COMPARE[operator]
    return lambda numbers: 1 if decide(numbers[name], number) else 0


def _ignores_failure(state: State) -> bool:
    """Return True if a command's failure has no effect."""
    return bool(state.errexit_suppressed) or not (state.options.errexit or "ERR" in state.traps)
