"""Arrays, their elements and subscripts as closures.

Source: POSIX.1-2024 XCU 3, awk, "expressions in awk"; gawk 5.2 manual, "Arrays of Arrays".
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.languages.awk.compile.fields import compile_field_key
from sandhook.utilities.languages.awk.compile.protocol import Compiler
from sandhook.utilities.languages.awk.compile.variables import compile_name, global_slot, is_array, local_slot
from sandhook.utilities.languages.awk.format import INTEGERS, number_to_text
from sandhook.utilities.languages.awk.nodes import (
    Concatenation,
    Element,
    Expression,
    Field,
    Name,
    Number,
    String,
)
from sandhook.utilities.languages.awk.program import Evaluate, ToArray, ToText
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.values import Array, Fatal, Value


def compile_array(compiler: Compiler, node: Expression) -> ToArray:
    """Compile a name or an element that must be an array."""
    if isinstance(node, Element):
        return _array_in_array(compiler, node)
    assert isinstance(node, Name)
    name = node.name
    local = local_slot(compiler, name) >= 0
    if not local and is_array(compiler, node):
        slot = compiler.program.symbols.slots[name]
        return lambda rt: rt.arrays[slot]
    run = compile_name(compiler, node)
    kind = "scalar parameter" if local else "scalar"

    def array(rt: Runtime) -> Array:
        value = run(rt)
        if not isinstance(value, Array):
            raise Fatal(f"attempt to use {kind} `{name}' as an array")
        return value

    return array


def _array_in_array(compiler: Compiler, node: Element) -> ToArray:
    outer_array, key = compile_array(compiler, node.array), compile_key(compiler, node.subscripts)
    outer_name = node.array.name if isinstance(node.array, Name) else "?"

    def element(rt: Runtime) -> Array:
        outer, subscript = outer_array(rt), key(rt)
        inner = outer.get(subscript)
        if inner is None:
            rt.delete_element(outer, subscript)
            rt.store(outer, subscript, None)
            inner = outer[subscript] = Array()
        if not isinstance(inner, Array):
            raise Fatal(f'attempt to use scalar `{outer_name}["{subscript}"]\' as an array')
        return inner

    return element


def compile_element(compiler: Compiler, node: Element) -> Evaluate:
    """Compile an element for its value; an absent one is created."""
    array, key = compile_array(compiler, node.array), compile_key(compiler, node.subscripts)

    def element(rt: Runtime) -> Value:
        elements = array(rt)
        subscript = key(rt)
        try:
            return elements[subscript]
        except KeyError:
            rt.store(elements, subscript, None)
            return None

    return element


# --------------------------------------------------------------------------- subscripts


def compile_key(compiler: Compiler, subscripts: Sequence[Expression]) -> ToText:
    """Compile subscripts to the key of an element, which is a plain str."""
    if len(subscripts) > 1:
        parts = [compiler.text(subscript) for subscript in subscripts]
        return lambda rt: rt.subsep.join([part(rt) for part in parts])
    only = subscripts[0]
    if isinstance(only, (String, Concatenation)):
        return compiler.text(only)
    if isinstance(only, Field):
        return compile_field_key(compiler, only)
    if isinstance(only, Number) and only.value.is_integer():
        constant = number_to_text(only.value, "%.6g")
        return lambda rt: constant
    slot = global_slot(compiler, only)
    if slot >= 0:
        return _key_of_variable(slot)
    run = compiler.value(only)

    def key(rt: Runtime) -> str:
        value = run(rt)
        if type(value) is float:
            return INTEGERS.get(value) or number_to_text(value, rt.convfmt)
        return str(rt.text(value))

    return key


def _key_of_variable(slot: int) -> ToText:
    def variable(rt: Runtime) -> str:
        value = rt.g[slot]
        if type(value) is float:
            return INTEGERS.get(value) or number_to_text(value, rt.convfmt)
        return value if type(value) is str else str(rt.text(value))

    return variable
