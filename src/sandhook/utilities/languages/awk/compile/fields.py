"""Fields of the record as closures: ``$1``, ``$NF``, ``$i`` and ``$0``.

Source: POSIX.1-2024 XCU 3, awk, "expressions in awk". Oracle: gawk 5.2.
"""

from __future__ import annotations

from sandhook.utilities.languages.awk.compile.protocol import Compiler
from sandhook.utilities.languages.awk.compile.variables import global_slot
from sandhook.utilities.languages.awk.nodes import RECORD, Expression, Field, Name, Number
from sandhook.utilities.languages.awk.program import Evaluate, ToNumber, ToText
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.special import MAX_FIELD
from sandhook.utilities.languages.awk.values import Strnum, Value, text_to_number

_EXACT = 300  #: digits that a float can hold without becoming infinite
_ABSENT = Strnum("")  #: the value of a field that the record does not have
_LAST = Field(Name("NF"))


def fixed_field(node: Expression) -> int:
    """Return the number of a field less one when it is a constant; -1 for $0 and other nodes."""
    if isinstance(node, Field) and isinstance(node.number, Number) and 1.0 <= node.number.value <= MAX_FIELD:
        return int(node.number.value) - 1
    return -1


def compile_field(compiler: Compiler, node: Field) -> Evaluate:
    """Compile a field for its value."""
    at = fixed_field(node)
    if at < 0:
        index = compiler.number(node.number)
        return lambda rt: rt.field_value(index(rt))

    def constant_field(rt: Runtime) -> Value:
        fields = rt.fields
        if fields is None:
            fields = rt.split()
        if at >= len(fields):
            return _ABSENT
        text = fields[at]
        return Strnum(text) if type(text) is str else str(text)

    return constant_field


def compile_field_number(compiler: Compiler, node: Field) -> ToNumber:
    """Compile a field for a number."""
    at = fixed_field(node)
    if at < 0:
        text = compile_field_text(compiler, node)
        return lambda rt: text_to_number(text(rt))

    def constant_field(rt: Runtime) -> float:
        # one call for the usual case: float() reads digits as awk does
        fields = rt.fields
        if fields is None:
            record = rt.record
            if record.isdigit() and len(record) < _EXACT and record.isascii() and rt.blanks:
                return 0.0 if at else float(record)  # the record is one number
            fields = rt.split()
        if at >= len(fields):
            return 0.0
        text = fields[at]
        if text.isdigit() and len(text) < _EXACT and text.isascii():
            return float(text)
        return text_to_number(text)

    return constant_field


def compile_field_text(compiler: Compiler, node: Field) -> ToText:
    """Compile a field for a string, which may be of a subclass of str."""
    if node == RECORD:
        return lambda rt: rt.rebuild() if rt.dirty else rt.record
    if node == _LAST:
        return _last_field
    at = fixed_field(node)
    if at >= 0:

        def constant_field(rt: Runtime) -> str:
            fields = rt.fields
            if fields is None:
                fields = rt.split()
            return fields[at] if at < len(fields) else ""

        return constant_field
    index = compiler.number(node.number)
    slot = global_slot(compiler, node.number)
    if slot >= 0:
        return _field_of_variable(slot, index)
    return lambda rt: rt.field(index(rt)) or ""


def _field_of_variable(slot: int, index: ToNumber) -> ToText:
    """Compile ``$i`` for a plain global variable."""

    def variable_field(rt: Runtime) -> str:
        number = rt.g[slot]
        if type(number) is not float or not 1.0 <= number <= MAX_FIELD:
            return rt.field(index(rt)) or ""
        fields = rt.fields
        if fields is None:
            fields = rt.split()
        position = int(number)
        return fields[position - 1] if position <= len(fields) else ""

    return variable_field


def _last_field(rt: Runtime) -> str:
    fields = rt.fields
    if fields is None:
        fields = rt.split()
    return fields[-1] if fields else rt.rebuild()


def compile_field_key(compiler: Compiler, node: Field) -> ToText:
    """Compile a field for the key of an element, which is a plain str."""
    at = fixed_field(node)
    if at >= 0:

        def constant_field(rt: Runtime) -> str:
            fields = rt.fields
            if fields is None:
                fields = rt.split()
            text = fields[at] if at < len(fields) else ""
            return text if type(text) is str else str(text)

        return constant_field
    text = compile_field_text(compiler, node)
    return lambda rt: str(text(rt))
