"""Loops that only count: many turns of ``for`` and ``while`` at once, on integers that no variable holds meanwhile.

A turn whose commands are arithmetic on plain variables can be seen by nobody before the next poll of the run: it
prints nothing, calls nothing and cannot fail. So the turns up to this poll run on a dictionary of integers, and the
variables receive texts at its end. Everything else is the loop's own matter: a turn that polls, the first turns of a
loop, and one that meets a text that is no plain number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import islice

from sandhook.errors import ShellSyntaxError
from sandhook.expand import counters, operators
from sandhook.expand.integer import only_compares
from sandhook.expand.numbers import NUMBERS, remember
from sandhook.expand.operators import MAX, MIN, wrap
from sandhook.expand.reference import subscript_of
from sandhook.limits import check_clock
from sandhook.state.state import State
from sandhook.state.values import LARGE, IndexedArray
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
    ArithParameter,
    ArithStep,
    ArithUnary,
    ArithVariable,
    Command,
    For,
    Literal,
    ParameterExpansion,
    SimpleCommand,
    While,
    Word,
)
from sandhook.text.names import is_ordinary
from sandhook.typed import Any, TypeAlias

#: The values of the variables during the turns, and the elements of the arrays.
Numbers: TypeAlias = dict[str, Any]
Value: TypeAlias = Callable[[Numbers], int]

#: Operators that accept every operand, unless it is a divisor.
_TOTAL = frozenset(("+", "-", "*", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&", "^", "|"))

#: Fewer turns than this gain nothing over the loop's own way.
_FEWEST = 8

#: Turns of the loop's own way after one that the other way could not run.
_PAUSE = 16

#: Characters of a number that is surely in range.
_DIGITS = 18


_Loop: TypeAlias = "ArithmeticFor | For | While"


class _Unsuitable(Exception):
    """A loop that does more than count."""


class _NotPlain(Exception):
    """A text that is no plain number: the loop's own way runs this turn."""


class Turns:
    """The turns of a loop, compiled when it has turned a few times.

    Attributes:
        run: Runs turns up to the next poll of the run, and returns how many (a count); it receives the values of the
            variable of ``for name in`` with the place of the next. None if the loop does more than count.
        advance: Does what ``i++`` and ``i < 10`` of a ``for ((;;))`` do that does more than count, and returns
            whether there is another turn, None if it did nothing. None for other loops and expressions.
    """

    __slots__ = ("_left", "_node", "advance", "run")

    def __init__(self, node: _Loop) -> None:
        self._node = node
        self._left = _FEWEST
        self.run: Callable[[State, Sequence[str], int], int] | None = self._wait
        self.advance: Callable[[State], bool | None] | None = None

    def _wait(self, state: State, values: Sequence[str] = (), at: int = 0) -> int:
        self._left -= 1
        if self._left < 0:
            try:
                self.run = _Turns(self._node).run
            except (_Unsuitable, ShellSyntaxError):
                self.run = None
                self.advance = _advance(self._node)
        return 0


class _Turns:
    """A loop that only counts.

    Attributes:
        name: The variable of ``for name in``, "" for ``for ((;;))``.
        names: The variables that are read or assigned.
        assigned: Those that are assigned.
        arrays: The arrays that are read.
        fails: A turn can meet a text that is no plain number.
        steps: What a turn charges.
        pause: Turns that are left to the loop's own way.
    """

    __slots__ = (
        "arrays",
        "assigned",
        "body",
        "condition",
        "fails",
        "name",
        "names",
        "pause",
        "steps",
        "update",
    )

    def __init__(self, node: _Loop) -> None:
        self.names: dict[str, None] = {}
        self.assigned: dict[str, None] = {}
        self.arrays: dict[str, None] = {}
        self.fails = False
        self.pause = 0
        self.name = ""
        self.steps = len(node.body.items)
        if isinstance(node, For):
            self.name = node.name
            self.assigned[node.name] = None
            if len(node.name) > LARGE:
                raise _Unsuitable
        else:
            self.condition = self._condition(node)
        self.body = reduce(_both, [self._command(item.command) for item in node.body.items])
        self.update = self._expression(node.update) if isinstance(node, ArithmeticFor) else _nothing
        if any(item.background for item in node.body.items):
            raise _Unsuitable

    # ------------------------------------------------------------------ compiling

    def _condition(self, node: ArithmeticFor | While) -> Value:
        if isinstance(node, ArithmeticFor):
            word = node.condition
        else:
            item = node.condition.items[0]
            command = item.command
            if node.until or item.background or len(node.condition.items) > 1:
                raise _Unsuitable
            if not isinstance(command, ArithmeticCommand) or command.redirections:
                raise _Unsuitable
            word = command.expression
            self.steps += 1
        value = self._expression(word)
        if self.assigned:
            raise _Unsuitable  # the loop evaluates the condition that ends it once more
        return value

    def _command(self, node: Command) -> Value:
        """Compile a command to its exit status."""
        if isinstance(node, ArithmeticCommand) and not node.redirections:
            value = self._expression(node.expression)
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
                    assign = self._assign(assignment.name, self._expression(parts[0].expression))
                    return lambda numbers: assign(numbers) and 0
        raise _Unsuitable

    def _expression(self, word: Word) -> Value:
        """Compile the text of an expression. Raises _Unsuitable, ShellSyntaxError."""
        source = ""
        leaves: list[Value] = []
        for part in word.parts:
            if isinstance(part, Literal):
                source += part.text
            else:
                source += f"${{{len(leaves)}}}"
                leaves.append(self._parameter(part))
        if leaves and not only_compares(source):  # expansions come before every assignment
            raise _Unsuitable
        if not source:
            raise _Unsuitable
        value: Value = self._value(parse_arithmetic(source, parameters=bool(leaves)), leaves)
        return value

    def _parameter(self, part: object) -> Value:
        """Compile ``$name`` or ``${#name[@]}``."""
        if (
            not isinstance(part, ParameterExpansion)
            or part.operator is not None
            or not is_ordinary(part.name)
        ):
            raise _Unsuitable
        name = part.name
        if part.prefix == "#" and subscript_of(part.subscript):
            self.arrays[name] = None
            return lambda numbers: len(numbers[name])
        if part.prefix or part.subscript is not None:
            raise _Unsuitable
        self.names[name] = None
        self.fails = True

        def read(numbers: Numbers) -> int:
            value: int = numbers[name]
            if value < 0:  # its sign is an operator
                raise _NotPlain
            return value

        return read

    def _value(self, node: Arith, leaves: Sequence[Value] = ()) -> Any:
        """Compile a tree."""
        check_clock()

        def value(part: Arith) -> Any:
            return self._value(part, leaves)

        match node:
            case ArithNumber(number):
                return lambda numbers: number
            case ArithParameter(index):
                return leaves[int(index)]
            case ArithVariable(name, subscript) if len(name) <= LARGE:
                if subscript is not None:
                    return self._element(name, value(parse_arithmetic(subscript, parameters=bool(leaves))))
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
            case ArithAssign(operator, ArithVariable(name, None) as target, assigned):
                if operator != "=":  # what stands on the left is read first
                    assigned = ArithBinary(operator[:-1], target, assigned)
                return self._assign(name, value(assigned))
        raise _Unsuitable

    def _element(self, name: str, index_of: Value) -> Value:
        self.arrays[name] = None
        self.fails = True

        def read(numbers: Numbers) -> int:
            text = numbers[name].get(index_of(numbers))
            try:
                return NUMBERS[text]
            except KeyError:
                return _number(text)

        return read

    def _step(self, name: str, amount: int, prefix: bool) -> Value:
        self.names[name] = self.assigned[name] = None

        def step(numbers: Numbers) -> int:
            old: int = numbers[name]
            new = old + amount
            numbers[name] = new = new if MIN <= new <= MAX else wrap(new)
            return new if prefix else old

        return step

    def _assign(self, name: str, value: Value) -> Value:
        if len(name) > LARGE:
            raise _Unsuitable
        self.names[name] = self.assigned[name] = None

        def assign(numbers: Numbers) -> int:
            numbers[name] = new = value(numbers)
            return new

        return assign

    # ------------------------------------------------------------------ running

    def run(self, state: State, values: Sequence[str], at: int) -> int:
        """Run the turns up to the next poll, as many as there are and are plain; return how many they were."""
        if self.pause:
            self.pause -= 1
            return 0
        count = state.budget.slice_left // self.steps
        if count < _FEWEST or state.instrumented or state.options.allexport or not _ignores_failure(state):
            return 0
        self.pause = _PAUSE
        try:
            numbers = self._numbers(state)
        except (KeyError, _NotPlain):
            return 0
        if self.name:
            turns, numbers, status = self._over(numbers, islice(values, at, at + count))
        else:
            turns, numbers, status = self._while(numbers, count)
        if turns:
            self.pause = 0
            state.budget.slice_left -= turns * self.steps
            for name in self.assigned:
                state.values[name] = text = str(numbers[name])
                remember(text, numbers[name])
            state.status = status
            state.pipestatus = None
        return turns

    def _numbers(self, state: State) -> Numbers:
        """Return the values of the variables. Raises KeyError, _NotPlain."""
        numbers: Numbers = {}
        values = state.values
        for name in (*self.names, *self.assigned):
            if name in state.attributes or name in state.namerefs or name in state.dynamics:
                raise _NotPlain
        for name in self.arrays:
            array: Any = values[name]
            if array.__class__ is not IndexedArray or name in state.namerefs or name in state.dynamics:
                raise _NotPlain
            numbers[name] = array.items
        for name in self.names:
            numbers[name] = NUMBERS[values[name]]
        return numbers

    def _while(self, numbers: Numbers, count: int) -> tuple[int, Numbers, int]:
        """Run at most ``count`` turns while the condition holds; return how many, the values and the last status."""
        condition, body, update, fails = self.condition, self.body, self.update, self.fails
        turns = status = 0
        before: Numbers | None = None
        try:
            while turns < count and condition(numbers):
                if fails:
                    before = numbers.copy()
                last = body(numbers)
                update(numbers)
                status, before = last, None
                turns += 1
        except _NotPlain:
            numbers = before or numbers
        return turns, numbers, status

    def _over(self, numbers: Numbers, texts: Iterable[str]) -> tuple[int, Numbers, int]:
        """Run a turn for each value of the variable; return how many, the values and the last status."""
        name, body, fails = self.name, self.body, self.fails
        turns = status = 0
        before: Numbers | None = None
        try:
            for text in texts:
                number = NUMBERS[text] if text in NUMBERS else _number(text)
                if fails:
                    before = numbers.copy()
                numbers[name] = number
                status, before = body(numbers), None
                turns += 1
        except _NotPlain:
            numbers = before or numbers
        return turns, numbers, status


def _advance(node: _Loop) -> Callable[[State], bool | None] | None:
    """Compile the end of a turn of ``for ((…; i < 10; i++))``; None for other expressions."""
    if not isinstance(node, ArithmeticFor):
        return None
    try:
        match parse_arithmetic(_literal(node.update)), parse_arithmetic(_literal(node.condition)):
            case (
                ArithStep(step, ArithVariable(name, None)),
                ArithBinary(compare, ArithVariable(same, None), ArithNumber(last)),
            ) if name == same and is_ordinary(name) and len(name) <= LARGE and compare in operators.COMPARE:
                return counters.advance(name, 1 if step == "++" else -1, operators.COMPARE[compare], last)
    except ShellSyntaxError:
        pass
    return None


def _literal(word: Word) -> str:
    """Return the text of an expression, "" if it has expansions."""
    return word.parts[0].text if len(word.parts) == 1 and isinstance(word.parts[0], Literal) else ""


def _number(text: str | None) -> int:
    """Return the value of a plain decimal text. Raises _NotPlain."""
    try:
        if text is not None and len(text) <= _DIGITS and str(number := int(text)) == text:
            remember(text, number)
            return number
    except ValueError:
        pass
    raise _NotPlain


def _nothing(numbers: Numbers) -> int:
    return 0


def _both(first: Value, second: Value) -> Value:
    def run(numbers: Numbers) -> int:
        first(numbers)
        return second(numbers)

    return run


def _with_constant(operator: str, left: Arith, number: int, value: Any) -> Any:
    """``i < 10`` without a call for the variable."""
    if operator in "+-" or not isinstance(left, ArithVariable) or left.subscript is not None:
        return operators.binary_constant(operator, value, number)
    name, decide = left.name, operators.COMPARE[operator]
    return lambda numbers: 1 if decide(numbers[name], number) else 0


def _ignores_failure(state: State) -> bool:
    """Return True if a command's failure has no effect."""
    return bool(state.errexit_suppressed) or not (state.options.errexit or "ERR" in state.traps)
