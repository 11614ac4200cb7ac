"""Statements of rules over all records of a block. What they change is collected in ``Run.changes``.

Source: POSIX.1-2024 XCU 3, awk, "actions" and "output statements".
"""

from __future__ import annotations

import operator
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TypeAlias

from sandhook.lazy import lazily
from sandhook.utilities.languages.awk.block.columns import Columns, ToNumbers, ToTexts, ToTruths, Unsupported
from sandhook.utilities.languages.awk.block.rows import Numbers, Rows, Texts, Unfit
from sandhook.utilities.languages.awk.compile.failure import can_fail
from sandhook.utilities.languages.awk.compile.output import python_format
from sandhook.utilities.languages.awk.nodes import (
    RECORD,
    Assignment,
    Block,
    BuiltinCall,
    Element,
    Evaluation,
    Expression,
    Grouping,
    If,
    Increment,
    Located,
    Lvalue,
    Name,
    Next,
    Not,
    Number,
    Print,
    Printf,
    Rule,
    Statement,
    String,
)
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.special import LARGE, SPECIAL
from sandhook.utilities.languages.awk.symbols import Symbols
from sandhook.utilities.languages.awk.values import Array, to_number

#: Computes the columns of a statement for some records, and adds its changes.
BlockStep: TypeAlias = Callable[[Rows], None]
_Operation: TypeAlias = Callable[[float, float], float]
_UPDATES: Mapping[str, _Operation] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_WIDTH = lazily(r"[0-9]+")
_EXACT = 2.0**52  #: integers up to this are added without rounding


def written_names(rules: Sequence[Rule]) -> frozenset[str] | None:
    """Return the variables and arrays that the rules change; None when one is changed in two places, or read too."""
    written: Counter[str] = Counter()
    read: set[str] = set()
    for rule in rules:
        for part in (rule.first, rule.second, rule.action):
            _collect(part, written, read)
    return (
        None if read & written.keys() or any(count > 1 for count in written.values()) else frozenset(written)
    )


def _collect(node: object, written: Counter[str], read: set[str]) -> None:
    if isinstance(node, (Assignment, Increment)):
        target = node.target.array if isinstance(node.target, Element) else node.target
        if isinstance(target, Name):
            written[target.name] += 1
            parts: object = (
                node.target.subscripts if isinstance(node.target, Element) else (),
                node.value if isinstance(node, Assignment) else (),
            )
            return _collect(parts, written, read)
    if isinstance(node, Name):
        read.add(node.name)
    elif isinstance(node, (tuple, list)):
        for part in node:
            _collect(part, written, read)
    return None


class Steps:
    """Compiles the rules of one program."""

    def __init__(self, columns: Columns, symbols: Symbols) -> None:
        self._columns = columns
        self._symbols = symbols
        self._ranges = 0

    # ------------------------------------------------------------------ rules

    def rule(self, rule: Rule) -> BlockStep:
        """Compile a rule. Raises Unsupported."""
        action = self.statement(Print((), "", None) if rule.action is None else rule.action)
        if rule.first is None:
            return action
        test = self._condition(rule.first)
        if rule.second is not None:
            test = self._range(test, self._columns.test(rule.second))

        def run(rows: Rows) -> None:
            mask = test(rows)
            if True in mask:
                action(rows if False not in mask else rows.where(mask))

        return run

    def _range(self, first: ToTruths, second: ToTruths) -> ToTruths:
        at = self._ranges
        self._ranges += 1

        def test(rows: Rows) -> list[bool]:
            rt = rows.run.rt
            is_open = rt.ranges[at]
            mask = []
            for starts, ends in zip(first(rows), second(rows)):
                within = is_open or starts
                mask.append(within)
                is_open = within and not ends
            rows.run.changes.append(lambda: rt.ranges.__setitem__(at, is_open))
            return mask

        return test

    def _condition(self, node: Expression) -> ToTruths:
        """Compile a condition that is evaluated for all records that reach it; ``!seen[$0]++`` counts them."""
        if isinstance(node, Grouping):
            return self._condition(node.expression)
        if isinstance(node, Not) and isinstance(node.operand, Increment):
            return self._first_time(node.operand)
        return self._columns.test(node)

    def _first_time(self, node: Increment) -> ToTruths:
        if not isinstance(node.target, Element) or node.prefix or node.delta != 1.0:
            raise Unsupported
        slot, keys = self._columns.array(node.target.array), self._columns.key(node.target.subscripts)

        def test(rows: Rows) -> list[bool]:
            rt = rows.run.rt
            elements = rt.arrays[slot]
            texts = keys(rows)
            counts: Counter[str] = Counter()
            mask = []
            for key in texts:
                mask.append(key not in counts and key not in elements)
                counts[key] += 1
            if not all(_is_count(elements[key]) for key in counts.keys() & elements.keys()):
                raise Unfit
            rows.run.changes.append(lambda: _count(rt, elements, texts, 1.0))
            return mask

        return test

    # ------------------------------------------------------------------ statements

    def statement(self, node: Statement) -> BlockStep:
        """Compile a statement. Raises Unsupported."""
        match node:
            case Located():
                return self.statement(node.statement)
            case Block():
                return _sequence([self.statement(statement) for statement in node.statements])
            case Evaluation(Assignment() | Increment()):
                return self._update(node.expression)
            case Evaluation(BuiltinCall("sub" | "gsub" as name, (ere, replacement, *target))) if target in (
                [],
                [RECORD],
            ):
                return self._substitution(name == "sub", ere, replacement)
            case Print(redirection=""):
                return self._print(node)
            case Printf(redirection=""):
                return self._printf(node)
            case If():
                return self._if(node)
            case Next():
                return _next
        raise Unsupported

    def _if(self, node: If) -> BlockStep:
        arms = [(self._condition(test), self.statement(body)) for test, body in node.arms]
        otherwise = None if node.otherwise is None else self.statement(node.otherwise)

        def run(rows: Rows) -> None:
            for test, body in arms:
                mask = test(rows)
                if False not in mask:
                    return body(rows)
                if True in mask:
                    body(rows.where(mask))
                    rows = rows.where(list(map(operator.not_, mask)))
            if otherwise is not None:
                otherwise(rows)
            return None

        return run

    # ------------------------------------------------------------------ output

    def _print(self, node: Print) -> BlockStep:
        texts = [self._columns.text(argument, prints=True) for argument in node.arguments or (RECORD,)]

        def run(rows: Rows) -> None:
            rt = rows.run.rt
            end = rt.ors.decode("utf-8", "surrogateescape")
            if len(rt.ofs) + len(end) > LARGE >> 4:
                raise Unfit
            if len(texts) == 1:
                lines = texts[0](rows)
            else:
                lines = list(map(rt.ofs.join, zip(*[text(rows) for text in texts])))
            rows.run.pieces.append((rows.places, lines, end))

        return run

    def _printf(self, node: Printf) -> BlockStep:
        if not node.arguments:
            raise Unsupported
        format_, *arguments = node.arguments
        simple = python_format(format_.value) if isinstance(format_, String) else None
        if simple is None or not 0 < len(simple[1]) == len(arguments):
            raise Unsupported
        template, letters = simple
        columns = self._columns
        runs: list[ToTexts | ToNumbers] = [
            columns.text(argument) if letter == "s" else columns.number(argument)
            for letter, argument in zip(letters, arguments)
        ]
        columns.constants += len(template) + sum(map(int, _WIDTH.findall(template)))

        def run(rows: Rows) -> None:
            values = [run(rows) for run in runs]
            for letter, column in zip(letters, values):
                if letter != "s" and not _are_finite(column):
                    raise Unfit
            lines = [template % row for row in zip(*values)]
            rows.run.pieces.append((rows.places, lines, ""))

        return run

    # ------------------------------------------------------------------ records

    def _substitution(self, once: bool, ere: Expression, replacement: Expression) -> BlockStep:
        """Compile ``sub(/text/, "text")`` and ``gsub``, for rules that change every record."""
        literal, new = self._columns.substitution(ere, replacement)
        count = 1 if once else -1
        return lambda rows: rows.substitute(literal, new, count)

    # ------------------------------------------------------------------ updates

    def _update(self, node: Expression) -> BlockStep:
        """Compile ``s += x``, ``c++``, ``n[k] += x`` and ``x = y``."""
        if isinstance(node, Increment):
            return self._add(node.target, operator.add, Number(node.delta))
        assert isinstance(node, Assignment)
        if node.operator:
            if node.operator not in _UPDATES:
                raise Unsupported
            return self._add(node.target, _UPDATES[node.operator], node.value)
        slot = self._variable(node.target)
        values = self._columns.value(node.value)
        fails = can_fail(node.value)

        def assign(rows: Rows) -> None:
            rt = rows.run.rt
            value = values(rows if fails else rows.last())[-1]
            _check_plain(rt, slot)
            if isinstance(value, str) and len(value) > LARGE:
                raise Unfit
            rows.run.changes.append(lambda: rt.g.__setitem__(slot, value))

        return assign

    def _variable(self, target: Lvalue) -> int:
        """Return the slot of a variable of the program. Raises Unsupported for other targets."""
        slot = self._symbols.slots[target.name] if isinstance(target, Name) else -1
        if slot < len(SPECIAL) or slot in self._symbols.arrays:
            raise Unsupported
        return slot

    def _add(self, target: Lvalue, apply: _Operation, amount: Expression) -> BlockStep:
        constant = amount.value if isinstance(amount, Number) and apply is operator.add else None
        amounts = self._columns.amounts(amount)
        if isinstance(target, Element):
            return self._add_to_elements(target, apply, amounts, constant)
        slot = self._variable(target)
        digits = self._columns.digits(amount) if apply is operator.add else None

        def add(rows: Rows) -> None:
            rt = rows.run.rt
            _check_plain(rt, slot)
            total = to_number(rt.g[slot])
            texts = digits(rows) if digits is not None else None
            if constant in (1.0, -1.0) and total.is_integer() and abs(total) + len(rows) < _EXACT:
                total += constant * len(rows)
            elif texts is not None and (exact := _exact_sum(total, texts)) is not None:
                total = exact
            else:
                total = _fold(amounts(rows), apply, total)
                if total != total:  # the sign of a NaN depends on the order of the operands in machine code
                    raise Unfit
            rows.run.changes.append(lambda: rt.g.__setitem__(slot, total))

        return add

    def _add_to_elements(
        self,
        target: Element,
        apply: _Operation,
        amounts: Callable[[Rows], Iterable[float]],
        constant: float | None,
    ) -> BlockStep:
        slot, keys = self._columns.array(target.array), self._columns.key(target.subscripts)

        def add(rows: Rows) -> None:
            rt = rows.run.rt
            elements, texts = rt.arrays[slot], keys(rows)
            if constant is not None and abs(constant) == 1.0:
                delta = constant
                rows.run.changes.append(lambda: _count(rt, elements, texts, delta))
            else:
                numbers = list(amounts(rows))
                rows.run.changes.append(lambda: _update_elements(rt, elements, zip(texts, numbers), apply))

        return add


# --------------------------------------------------------------------------- effects


def _exact_sum(total: float, digits: Iterable[str]) -> float | None:
    """Add integers without a sign, in a third of the time of ``_fold``; None when additions of floats might round."""
    if not total.is_integer():
        return None
    exact = int(total) + sum(map(int, digits))
    return float(exact) if abs(total) < _EXACT > exact else None


def _fold(amounts: Iterable[float], apply: _Operation, total: float) -> float:
    """Apply an operation to a total and each amount in turn; sum() rounds otherwise since Python 3.12."""
    running = accumulate(amounts, None if apply is operator.add else apply, initial=total)
    return deque(running, maxlen=1).pop()


def _sequence(steps: Sequence[BlockStep]) -> BlockStep:
    def run(rows: Rows) -> None:
        for step in steps:
            step(rows)
            rows = rows.remaining()
            if not len(rows):
                return

    return run


def _next(rows: Rows) -> None:
    run = rows.run
    if run.ended is None:
        run.ended = bytearray(run.size)
    for place in rows.places:
        run.ended[place] = 1


def _count(rt: Runtime, elements: Array, keys: Texts, delta: float) -> None:
    """Add ``delta``, which is 1 or -1, to the element of each key."""
    for key, count in Counter(keys).items():
        value = elements.get(key)
        number = to_number(value)
        if not number.is_integer() or abs(number) + count >= _EXACT:
            for _ in range(count):
                number += delta
        else:
            number += delta * count
        _store(rt, elements, key, number)


def _update_elements(
    rt: Runtime, elements: Array, pairs: Iterable[tuple[str, float]], apply: _Operation
) -> None:
    for key, amount in pairs:
        value = elements.get(key)
        if type(value) is float:
            elements[key] = apply(value, amount)
        else:
            rt.store(elements, key, apply(to_number(value), amount))


def _store(rt: Runtime, elements: Array, key: str, number: float) -> None:
    if type(elements.get(key)) is float:
        elements[key] = number  # the memory that is charged does not change
    else:
        rt.store(elements, key, number)


def _check_plain(rt: Runtime, slot: int) -> None:
    """Raise Unfit when the value of a variable is charged by its length: the ordinary path releases it."""
    value = rt.g[slot]
    if isinstance(value, str) and len(value) > LARGE:
        raise Unfit


def _is_count(value: object) -> bool:
    return type(value) is float and value >= 1.0


def _are_finite(column: Numbers | Texts) -> bool:
    """Return True when all numbers of a column are finite; a sum that overflows counts as infinite."""
    total = sum(number for number in column if isinstance(number, float))
    return total - total == 0.0
