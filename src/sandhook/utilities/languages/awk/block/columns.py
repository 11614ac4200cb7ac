"""Expressions of rules over all records of a block: a column of numbers, of texts or of truths.

Only expressions without effects are compiled, so all records may be evaluated in any order, and a failure of one may be
left to the ordinary path.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import repeat
from typing import TypeAlias

from sandhook.utilities.languages.awk.arithmetic import power
from sandhook.utilities.languages.awk.block.rows import RECORD_AT, Numbers, Rows, Texts, Unfit
from sandhook.utilities.languages.awk.compile.conditions import RELATIONS, compare_values
from sandhook.utilities.languages.awk.compile.fields import fixed_field
from sandhook.utilities.languages.awk.compile.functions import substring, truncate
from sandhook.utilities.languages.awk.format import INTEGERS, number_to_text
from sandhook.utilities.languages.awk.nodes import (
    RECORD,
    And,
    Arithmetic,
    ArithmeticOperator,
    BuiltinCall,
    Comparison,
    Concatenation,
    Conditional,
    Ere,
    Expression,
    Field,
    Grouping,
    Match,
    Membership,
    Name,
    Negation,
    Not,
    Number,
    Or,
    String,
    UnaryPlus,
)
from sandhook.utilities.languages.awk.regex import pattern
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.special import COMPUTED, LARGE, NF, NR, SPECIAL_ARRAYS
from sandhook.utilities.languages.awk.symbols import Symbols
from sandhook.utilities.languages.awk.values import Strnum, Value, to_number, truth

Truths: TypeAlias = list[bool]
ToNumbers: TypeAlias = Callable[[Rows], Numbers]
ToTexts: TypeAlias = Callable[[Rows], Texts]
ToTruths: TypeAlias = Callable[[Rows], Truths]
ToValues: TypeAlias = Callable[[Rows], list[Value]]

#: Python's functions for operands with which they do what awk does; for others they raise ValueError or ArithmeticError.
_OPERATIONS: dict[ArithmeticOperator, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "%": math.fmod, "^": power,
}  # fmt: skip
_NUMERIC = (Number, Arithmetic, Negation, UnaryPlus, Comparison, Match, And, Or, Not, Membership, Ere)
_TRUE_OR_FALSE = (Comparison, Match, And, Or, Not, Membership, Ere)


#: Characters of OFMT and CONVFMT; a longer one can make texts of any length.
_LONGEST_CONVERSION = 6


class Unsupported(Exception):
    """A rule is not compiled for blocks."""


class Columns:
    """Compiles the expressions of one program.

    Attributes:
        last_field: The largest number of a field that is read; 0 when all fields are.
        nodes: Columns that may be in memory at once (a count).
        constants: Characters of the constants that may be copied for each record.
        copies: How often a record may be copied into one concatenation.
    """

    def __init__(self, symbols: Symbols, written: frozenset[str]) -> None:
        self._symbols = symbols
        self._written = written
        self._reads_all = False
        self._last_field = 1
        self._number_reads: Counter[int] = Counter()
        self.nodes = 0
        self.constants = 0
        self.copies = 0

    @property
    def last_field(self) -> int:
        return 0 if self._reads_all else self._last_field

    # ------------------------------------------------------------------ operands

    def _field(self, node: Expression) -> int | None:
        """Return the number of a field less one, ``RECORD_AT`` for $0, None for other nodes."""
        if node == RECORD:
            return RECORD_AT
        at = fixed_field(node)
        if at < 0:
            return None
        self._last_field = max(self._last_field, at + 1)
        return at

    def slot(self, name: str) -> int:
        """Return the slot of a variable that the rules only read. Raises Unsupported for others."""
        slot = self._symbols.slots[name]
        if name in self._written or slot in self._symbols.arrays:
            raise Unsupported
        return slot

    def array(self, node: Expression) -> int:
        """Return the slot of a global array of the program. Raises Unsupported for others."""
        if isinstance(node, Name):
            slot = self._symbols.slots[node.name]
            if slot in self._symbols.arrays and slot not in SPECIAL_ARRAYS:
                return slot
        raise Unsupported

    def _is_number(self, node: Expression) -> bool:
        if isinstance(node, Grouping):
            return self._is_number(node.expression)
        if isinstance(node, Name):
            return self._symbols.slots[node.name] in COMPUTED
        if isinstance(node, BuiltinCall):
            return node.name in ("length", "index", "int")
        return isinstance(node, _NUMERIC)

    # ------------------------------------------------------------------ numbers

    def number(self, node: Expression) -> ToNumbers:
        """Compile an expression for numbers. Raises Unsupported."""
        self.nodes += 1
        at = self._field(node)
        if at is not None:
            field = at
            self._number_reads[field] += 1
            return lambda rows: rows.numbers(field)
        match node:
            case Number():
                value = node.value
                return lambda rows: [value] * len(rows)
            case Grouping():
                return self.number(node.expression)
            case UnaryPlus():
                return self.number(node.operand)
            case Negation():
                operand = self.number(node.operand)
                return lambda rows: list(map(operator.neg, operand(rows)))
            case Arithmetic():
                return self._arithmetic(node)
            case Name():
                return self._variable_number(node.name)
            case BuiltinCall():
                return self._function(node)
            case Conditional():
                test, first, second = (
                    self.test(node.test), self.number(node.first), self.number(node.second),
                )  # fmt: skip
                return lambda rows: [
                    a if yes else b for yes, a, b in zip(test(rows), first(rows), second(rows))
                ]
        if isinstance(node, _TRUE_OR_FALSE):
            truths = self.test(node)
            return lambda rows: list(map(float, truths(rows)))
        texts = self.text(node)
        return lambda rows: list(map(to_number, texts(rows)))

    def amounts(self, node: Expression) -> Callable[[Rows], Iterable[float]]:
        """Compile an expression for numbers that are iterated once. Raises Unsupported."""
        numbers, at, reads = self.number(node), self._field(node), self._number_reads
        if at is None:
            return numbers
        field = at
        return lambda rows: rows.each_number(field) if reads[field] == 1 else rows.numbers(field)

    def digits(self, node: Expression) -> Callable[[Rows], Iterable[str] | None]:
        """Compile the texts of a field that is read once as a number, of rows in which they are digits; None for others."""
        at, reads = self._field(node), self._number_reads
        if at is None or at > 0:
            return lambda rows: None
        field = at
        return lambda rows: rows.records if reads[field] == 1 and rows.is_digits(field) else None

    def _arithmetic(self, node: Arithmetic) -> ToNumbers:
        apply, left = _OPERATIONS[node.operator], self.number(node.left)
        if isinstance(node.right, Number):
            constant = node.right.value
            return lambda rows: list(map(apply, left(rows), repeat(constant)))
        right = self.number(node.right)
        return lambda rows: list(map(apply, left(rows), right(rows)))

    def _variable_number(self, name: str) -> ToNumbers:
        slot = self.slot(name)
        if slot == NF:
            self._reads_all = True
            return lambda rows: list(map(float, map(len, rows.divided())))
        if slot in COMPUTED:
            return lambda rows: _counts(rows, rows.run.rt.nr if slot == NR else rows.run.rt.fnr)
        return lambda rows: [to_number(_constant(rows.run.rt, slot))] * len(rows)

    def _function(self, node: BuiltinCall) -> ToNumbers:
        arguments = node.arguments
        if node.name == "length" and len(arguments) <= 1:
            texts = self.text(arguments[0] if arguments else RECORD)
            return lambda rows: list(map(float, map(len, texts(rows))))
        if node.name == "int" and len(arguments) == 1:
            numbers = self.number(arguments[0])
            return lambda rows: list(map(truncate, numbers(rows)))
        if node.name == "index" and len(arguments) == 2:
            self.copies += 1
            subjects, needles = self.text(arguments[0]), self.text(arguments[1])
            return lambda rows: [
                float(subject.find(needle) + 1) for subject, needle in zip(subjects(rows), needles(rows))
            ]
        raise Unsupported

    # ------------------------------------------------------------------ texts

    def text(self, node: Expression, *, prints: bool = False) -> ToTexts:
        """Compile an expression for texts; ``prints``: OFMT converts numbers, not CONVFMT. Raises Unsupported."""
        self.nodes += 1
        at = self._field(node)
        if at is not None:
            field = at
            return lambda rows: rows.texts(field)
        if self._is_number(node):
            numbers = self.number(node)
            return lambda rows: _numbers_to_texts(
                numbers(rows), rows.run.rt.ofmt if prints else rows.run.rt.convfmt
            )
        match node:
            case String():
                value = node.value
                self.constants += len(value)
                return lambda rows: [value] * len(rows)
            case Grouping():
                return self.text(node.expression, prints=prints)
            case Concatenation():
                self.copies += len(node.parts)
                return _joined([self.text(part) for part in node.parts])
            case Field(Name("NF")):
                self._reads_all = True
                return lambda rows: [
                    fields[-1] if fields else record for fields, record in zip(rows.divided(), rows.records)
                ]
            case Name():
                slot = self.slot(node.name)
                return lambda rows: [_constant_text(rows.run.rt, slot, prints)] * len(rows)
            case BuiltinCall("tolower" | "toupper", (argument,)):
                return self._change_case(
                    self.text(argument), str.lower if node.name == "tolower" else str.upper
                )
            case BuiltinCall("substr", (subject, first, *rest)) if len(rest) <= 1:
                return self._substring(subject, first, rest[0] if rest else Number(1e9))
        raise Unsupported

    def _change_case(self, texts: ToTexts, change: Callable[[str], str]) -> ToTexts:
        self.copies += 1

        def run(rows: Rows) -> Texts:
            column = texts(rows)
            if not "".join(column).isascii():
                raise Unfit
            return list(map(change, column))

        return run

    def _substring(self, subject: Expression, first: Expression, size: Expression) -> ToTexts:
        self.copies += 1
        subjects, starts, sizes = self.text(subject), self.number(first), self.number(size)
        return lambda rows: list(map(substring, subjects(rows), starts(rows), sizes(rows)))

    # ------------------------------------------------------------------ values

    def value(self, node: Expression) -> ToValues:
        """Compile an expression for values, which are numbers or texts. Raises Unsupported."""
        self.nodes += 1
        if node == RECORD:
            return _records
        if self._field(node) is not None or node == Field(Name("NF")):
            texts = self.text(node)
            return lambda rows: list(map(Strnum, texts(rows)))
        match node:
            case Grouping():
                return self.value(node.expression)
            case Name() if not self._is_number(node):
                slot = self.slot(node.name)
                return lambda rows: [_constant(rows.run.rt, slot)] * len(rows)
        run: ToNumbers | ToTexts = self.number(node) if self._is_number(node) else self.text(node)
        return lambda rows: list(run(rows))

    # ------------------------------------------------------------------ records

    def substitution(self, ere: Expression, replacement: Expression) -> tuple[str, str]:
        """Return the texts of a substitution of constant text in records. Raises Unsupported for others."""
        literal = pattern(ere.source, self._symbols.matching).literal if isinstance(ere, Ere) else None
        if not literal or not isinstance(replacement, String):
            raise Unsupported
        new = str(replacement.value)
        if not (new.isascii() and new.isprintable() and set("&\\").isdisjoint(new)):
            raise Unsupported
        self.nodes += 1
        self.copies += 1 + len(new)
        return literal, new

    # ------------------------------------------------------------------ truths

    def test(self, node: Expression) -> ToTruths:
        """Compile an expression for truths. Raises Unsupported."""
        self.nodes += 1
        match node:
            case Grouping():
                return self.test(node.expression)
            case Comparison():
                return self._comparison(node)
            case Not():
                operand = self.test(node.operand)
                return lambda rows: list(map(operator.not_, operand(rows)))
            case And():
                return _combined([self.test(part) for part in node.parts], all)
            case Or():
                return _combined([self.test(part) for part in node.parts], any)
            case Ere():
                return self._matches(self.text(RECORD), node.source, negated=False)
            case Match():
                if not isinstance(node.pattern, Ere):
                    raise Unsupported
                return self._matches(self.text(node.subject), node.pattern.source, negated=node.negated)
            case Membership():
                return self._membership(node)
        if self._is_number(node):
            numbers = self.number(node)
            return lambda rows: [number != 0.0 for number in numbers(rows)]
        at = self._field(node)
        values = self.value(node)

        def test(rows: Rows) -> Truths:
            plain = None if at is None else rows.plain_numbers(at)
            return list(map(truth, values(rows))) if plain is None else [number != 0.0 for number in plain]

        return test

    def _matches(self, texts: ToTexts, source: str, *, negated: bool) -> ToTruths:
        compiled = pattern(source, self._symbols.matching)
        literal, found = compiled.literal, compiled.test
        if negated:
            return lambda rows: [not found(text) for text in texts(rows)]
        if literal is not None:
            return lambda rows: [literal in text for text in texts(rows)]
        return lambda rows: list(map(found, texts(rows)))

    def _membership(self, node: Membership) -> ToTruths:
        slot, keys = self.array(node.array), self.key(node.subscripts)
        if isinstance(node.array, Name) and node.array.name in self._written:
            raise Unsupported
        return lambda rows: [key in rows.run.rt.arrays[slot] for key in keys(rows)]

    def key(self, subscripts: tuple[Expression, ...]) -> ToTexts:
        """Compile subscripts to keys of elements. Raises Unsupported."""
        parts = [self.text(subscript) for subscript in subscripts]
        if len(parts) == 1:
            return parts[0]
        return lambda rows: list(map(rows.run.rt.subsep.join, zip(*[part(rows) for part in parts])))

    def _comparison(self, node: Comparison) -> ToTruths:
        compare, left, right = RELATIONS[node.relation], node.left, node.right
        if isinstance(right, String):
            texts, constant = self.text(left), right.value
            return lambda rows: list(map(compare, texts(rows), repeat(constant)))
        first, second = self._plain(left), self._plain(right)
        left_values, right_values = self.value(left), self.value(right)

        def test(rows: Rows) -> Truths:
            a, b = first(rows), second(rows)
            if a is not None and b is not None:
                return list(map(compare, a, b))
            rt = rows.run.rt
            return [compare_values(rt, compare, x, y) for x, y in zip(left_values(rows), right_values(rows))]

        return test

    def _plain(self, node: Expression) -> Callable[[Rows], Numbers | None]:
        """Compile an operand of a comparison: its column if all its values compare as numbers, else None."""
        if self._is_number(node):
            return self.number(node)
        at = self._field(node)
        if at is None:
            return lambda rows: None
        field = at
        self._number_reads[field] += 1
        return lambda rows: rows.plain_numbers(field)


# --------------------------------------------------------------------------- helpers


def _records(rows: Rows) -> list[Value]:
    if rows.run.substituted:  # strings and numbers
        raise Unfit
    return list(map(Strnum, rows.records))


def _counts(rows: Rows, before: float) -> Numbers:
    """Return NR or FNR of the records; ``before`` is its value before the block, an integer."""
    return list(map(float, map((int(before) + 1).__add__, rows.places)))


def _constant(rt: Runtime, slot: int) -> Value:
    """Return a variable that the rules do not change. Raises Unfit for a long text, which would be copied."""
    value = rt.g[slot]
    if isinstance(value, str) and len(value) > LARGE >> 4:
        raise Unfit
    return value


def _constant_text(rt: Runtime, slot: int, prints: bool) -> str:
    value = _constant(rt, slot)
    return number_to_text(value, rt.ofmt) if prints and isinstance(value, float) else rt.text(value)


def _numbers_to_texts(numbers: Numbers, conversion: str) -> Texts:
    if len(conversion) > _LONGEST_CONVERSION:
        raise Unfit
    integer = INTEGERS.get
    return [integer(number) or number_to_text(number, conversion) for number in numbers]


def _joined(parts: list[ToTexts]) -> ToTexts:
    if len(parts) == 2:
        left, right = parts
        return lambda rows: list(map(operator.add, left(rows), right(rows)))
    return lambda rows: list(map("".join, zip(*[part(rows) for part in parts])))


def _combined(tests: list[ToTruths], combine: Callable[[tuple[bool, ...]], bool]) -> ToTruths:
    return lambda rows: list(map(combine, zip(*[test(rows) for test in tests])))
