"""The operands of awk's expressions as closures over the Runtime: constants, variables, fields, elements.

Every expression can be compiled four ways, by what its user wants: a value, a number, a text, a truth.

Source: POSIX.1-2024 XCU 3, awk, "expressions in awk". Oracle: gawk 5.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from sandhook.utilities.languages.awk import runtime as special
from sandhook.utilities.languages.awk.expressions import Function, Node
from sandhook.utilities.languages.awk.format import INTEGERS, number_to_text
from sandhook.utilities.languages.awk.program import Program, Run
from sandhook.utilities.languages.awk.regex import Invalid, Pattern, pattern
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.values import Array, Fatal, Strnum, Value, text_to_number, to_number

_EXACT = 300  #: digits that a float can hold without becoming infinite


def misused(name: str) -> Run:
    """Return what refuses an array where a value is needed."""

    def refuse(rt: Runtime) -> NoReturn:
        raise Fatal(f"attempt to use array `{name}' in a scalar context")

    return refuse


def _last(rt: Runtime) -> str:
    """$NF"""
    fields = rt.fields
    if fields is None:
        fields = rt.split()
    return fields[-1] if fields else rt.rebuild()


_ABSENT = Strnum("")  #: a field that is not there


class Operands:
    """Compiles the expressions of one program.

    Attributes:
        function: The one whose body is compiled. line: Of the statement that is compiled.
        nests: The program has arrays of arrays.
    """

    def __init__(self, program: Program, functions: Mapping[str, Callable[[Any, list[Node]], Run]]) -> None:
        self.program = program
        self.functions = functions
        self.function: Function | None = None
        self.line = 0
        self.nests = False

    # ------------------------------------------------------------------ what the user wants

    def is_array(self, node: Node) -> bool:
        """Return whether a node names what the whole program uses as an array."""
        if node[0] != "name":
            return False
        slot = self.local(node[1])
        if slot >= 0:
            return self.function is not None and node[1] in self.function.arrays
        return self.program.names[node[1]] in self.program.arrays

    def value(self, node: Node) -> Run:
        """Compile for a value."""
        run: Run = getattr(self, "_" + node[0])(node)
        return run

    def number(self, node: Node) -> Run:
        """Compile for a float."""
        kind = node[0]
        if kind == "num":
            return self.value(node)
        if kind == "paren":
            return self.number(node[1])
        if kind == "field":
            return self._field_number(node)
        if self.is_array(node):
            return misused(node[1])
        if kind == "name":
            return self._name_number(node)
        run = self.value(node)
        if kind in ("bin", "neg", "pos", "incr", "cmp", "and", "or", "not", "match", "in", "ere", "getline"):
            return run

        def number(rt: Runtime) -> float:
            value = run(rt)
            return value if type(value) is float else to_number(value)

        return number

    def text(self, node: Node) -> Run:
        """Compile for a str."""
        kind = node[0]
        if kind == "str" or kind == "cat":
            return self.value(node)
        if kind == "paren":
            return self.text(node[1])
        if kind == "field":
            if node[1] == ("num", 0.0):
                return lambda rt: rt.rebuild() if rt.dirty else rt.record
            if node[1] == ("name", "NF"):
                return _last
            if self.is_fixed_field(node):
                at = int(node[1][1]) - 1

                def fixed(rt: Runtime) -> str:
                    fields = rt.fields
                    if fields is None:
                        fields = rt.split()
                    return fields[at] if at < len(fields) else ""

                return fixed
            index = self.number(node[1])
            at = self.global_slot(node[1]) if node[1][0] == "name" else -1
            if at >= 0:

                def varying(rt: Runtime) -> str:
                    number = rt.g[at]
                    if type(number) is not float or not 1.0 <= number <= special.MAX_FIELD:
                        return rt.field(index(rt)) or ""
                    fields = rt.fields
                    if fields is None:
                        fields = rt.split()
                    place = int(number)
                    return fields[place - 1] if place <= len(fields) else ""

                return varying
            return lambda rt: rt.field(index(rt)) or ""
        if self.is_array(node):
            return misused(node[1])
        if kind == "name" and (at := self.global_slot(node)) >= 0:

            def variable(rt: Runtime) -> str:
                value = rt.g[at]
                return value if type(value) is str else rt.text(value)

            return variable
        run = self.value(node)

        def text(rt: Runtime) -> str:
            value = run(rt)
            return value if type(value) is str else rt.text(value)

        return text

    def is_fixed_field(self, node: Node) -> bool:
        """Return whether a node is a field whose number the program says, except $0."""
        return bool(node[0] == "field" and node[1][0] == "num" and node[1][1] >= 1.0)

    def global_slot(self, node: Node) -> int:
        """Return where a name is kept that reading needs no more for, -1 for other names."""
        if self.local(node[1]) >= 0:
            return -1
        at = self.program.names[node[1]]
        return -1 if at in special.COUNTED else at

    def _name_number(self, node: Node) -> Run:
        at = self.global_slot(node)
        if at < 0:
            run = self._name(node)

            def number(rt: Runtime) -> float:
                value = run(rt)
                return value if type(value) is float else to_number(value)

            return number

        def variable(rt: Runtime) -> float:
            value = rt.g[at]
            return value if type(value) is float else to_number(value)

        return variable

    # ------------------------------------------------------------------ constants, variables

    def _num(self, node: Node) -> Run:
        value = node[1]
        return lambda rt: value

    _str = _num

    def _paren(self, node: Node) -> Run:
        return self.value(node[1])

    def constant(self, source: str) -> Pattern:
        """Compile an expression that the program holds. Raises Fatal with the status of an error in the text."""
        try:
            return pattern(source)
        except Invalid as error:
            raise Fatal(str(error), 1) from None

    def _matcher(self, source: str) -> Run:
        plain = self.constant(source)
        if plain.literal:
            literal = plain.literal
            return lambda rt: (
                literal in (rt.rebuild() if rt.dirty else rt.record)
                if not rt.icase
                else rt.pattern(source).test(rt.rebuild())
            )
        return lambda rt: (pattern(source, True) if rt.icase else plain).test(
            rt.rebuild() if rt.dirty else rt.record
        )

    def local(self, name: str) -> int:
        """Return the slot of a parameter of the current function, or -1."""
        function = self.function
        return function.params.index(name) if function is not None and name in function.params else -1

    def _name(self, node: Node) -> Run:
        slot = self.local(node[1])
        if slot >= 0:
            return lambda rt: rt.frame[slot]
        at = self.program.names[node[1]]
        if at == special.NR:
            return lambda rt: rt.nr
        if at == special.NF:
            return lambda rt: float(len(rt.fields if rt.fields is not None else rt.split()))
        if at in special.COUNTED:
            return lambda rt: rt.special(at)
        return lambda rt: rt.g[at]

    def array(self, node: Node) -> Run:
        """Compile a name or an element that is an array."""
        if node[0] == "index":
            inner, key = self.array(node[1]), self.key(node[2])
            shown = node[1][1] if node[1][0] == "name" else "?"

            def element(rt: Runtime) -> Array:
                outer, subscript = inner(rt), key(rt)
                found = outer.get(subscript)
                if found is None:
                    rt.forget(outer, subscript)
                    rt.store(outer, subscript, None)
                    found = outer[subscript] = Array()
                if not isinstance(found, Array):
                    raise Fatal(f'attempt to use scalar `{shown}["{subscript}"]\' as an array')
                return found

            return element
        run = self._name(node)
        name = node[1]
        if self.local(name) < 0 and self.is_array(node):
            return run  # nothing but an array is ever kept there
        kind = "scalar parameter" if self.local(name) >= 0 else "scalar"

        def array(rt: Runtime) -> Array:
            found = run(rt)
            if not isinstance(found, Array):
                raise Fatal(f"attempt to use {kind} `{name}' as an array")
            return found

        return array

    def key(self, subscripts: list[Node]) -> Run:
        """Compile subscripts to the text that they make together."""
        if len(subscripts) > 1:
            parts = [self.text(subscript) for subscript in subscripts]
            return lambda rt: rt.subsep.join([part(rt) for part in parts])
        if subscripts[0][0] in ("str", "cat"):
            return self.text(subscripts[0])
        if subscripts[0][0] == "field":
            return self._field_key(subscripts[0])
        if subscripts[0][0] == "num":
            constant = number_to_text(subscripts[0][1], "%.6g")
            if subscripts[0][1].is_integer():
                return lambda rt: constant
        at = self.global_slot(subscripts[0]) if subscripts[0][0] == "name" else -1
        if at >= 0:

            def variable(rt: Runtime) -> str:
                value = rt.g[at]
                if type(value) is float:
                    return INTEGERS.get(value) or number_to_text(value, rt.convfmt)
                return value if type(value) is str else str(rt.text(value))

            return variable
        run = self.value(subscripts[0])

        def key(rt: Runtime) -> str:
            value = run(rt)
            if type(value) is float:
                return INTEGERS.get(value) or number_to_text(value, rt.convfmt)
            return str(rt.text(value))

        return key

    def _field_key(self, node: Node) -> Run:
        if self.is_fixed_field(node):
            at = int(node[1][1]) - 1

            def fixed(rt: Runtime) -> str:
                fields = rt.fields
                if fields is None:
                    fields = rt.split()
                found = fields[at] if at < len(fields) else ""
                return found if type(found) is str else str(found)

            return fixed
        text = self.text(node)
        return lambda rt: str(text(rt))

    def _index(self, node: Node) -> Run:
        array, key = self.array(node[1]), self.key(node[2])

        def index(rt: Runtime) -> Value:
            found = array(rt)
            subscript = key(rt)
            try:
                return found[subscript]
            except KeyError:
                rt.store(found, subscript, None)
                return None

        return index

    def _field(self, node: Node) -> Run:
        if self.is_fixed_field(node):
            at = int(node[1][1]) - 1

            def fixed(rt: Runtime) -> Value:
                fields = rt.fields
                if fields is None:
                    fields = rt.split()
                if at >= len(fields):
                    return _ABSENT
                found = fields[at]
                return Strnum(found) if type(found) is str else str(found)

            return fixed
        index = self.number(node[1])
        return lambda rt: rt.field_value(index(rt))

    def _field_number(self, node: Node) -> Run:
        if self.is_fixed_field(node):
            at = int(node[1][1]) - 1

            def fixed(rt: Runtime) -> float:
                """The usual case in one call: whole fields that float() reads as awk does."""
                fields = rt.fields
                if fields is None:
                    record = rt.record
                    if record.isdigit() and len(record) < _EXACT and record.isascii() and rt.blanks:
                        return 0.0 if at else float(record)  # a record that is one number
                    fields = rt.split()
                if at >= len(fields):
                    return 0.0
                text = fields[at]
                if text.isdigit() and len(text) < _EXACT and text.isascii():
                    return float(text)
                return text_to_number(text)

            return fixed
        text = self.text(node)
        return lambda rt: text_to_number(text(rt))
