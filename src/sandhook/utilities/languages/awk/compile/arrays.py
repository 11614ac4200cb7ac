"""Arrays, their elements and subscripts as closures.

Source: POSIX.1-2024 XCU 3, awk, "expressions in awk"; gawk 5.2 manual, "Arrays of Arrays".
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.languages.awk.compile.fields import compile_field_key
from sandhook.utilities.languages.awk.compile.names import array_path
from sandhook.utilities.languages.awk.compile.protocol import Compiler
from sandhook.utilities.languages.awk.compile.variables import (
    compile_name,
    global_slot,
    is_array,
    local_slot,
    scalar_kind,
)
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


def compile_array(compiler: Compiler, node: Expression, message: str = "") -> ToArray:
    """Compile a name or an element that must be an array; ``message`` is the error for a scalar."""
    if isinstance(node, Element):
        return _array_in_array(compiler, node, message)
    assert isinstance(node, Name)
    name = node.name
    local = local_slot(compiler, name) >= 0
    if not local and is_array(compiler, node):
        slot = compiler.program.symbols.slots[name]
        return lambda rt: rt.arrays[slot]
    run = compile_argument(compiler, node)
    failure = message or f"attempt to use {scalar_kind(compiler, name)} `{name}' as an array"

    def array(rt: Runtime) -> Array:
        value = run(rt)
        if not isinstance(value, Array):
            raise Fatal(failure)
        return value

    return array


def array_argument(compiler: Compiler, function: str, arguments: Sequence[Expression], at: int) -> ToArray:
    """Compile the argument of a built-in function that must be an array."""
    which = ("first", "second", "third", "fourth")[at]
    return compile_array(compiler, arguments[at], f"{function}: {which} argument is not an array")


def compile_argument(compiler: Compiler, node: Expression) -> Evaluate:
    """Compile an argument that the function uses as an array; the use of a scalar fails there."""
    if isinstance(node, Element):
        return _inner_value(compiler, node)
    if not isinstance(node, Name):
        return compiler.value(node)
    if local_slot(compiler, node.name) < 0:
        symbols = compiler.program.symbols
        slot = symbols.slots[node.name]
        if slot in symbols.mixed:
            return lambda rt: _untyped_argument(rt, slot)
    return compile_name(compiler, node)


def _inner_value(compiler: Compiler, node: Element) -> Evaluate:
    outer_array, key = compile_array(compiler, node.array), compile_key(compiler, node.subscripts)
    return lambda rt: _inner_array(rt, outer_array(rt), key(rt))


def _inner_array(rt: Runtime, outer: Array, subscript: str) -> Value:
    """Return an element; one without a value becomes an array."""
    inner = outer.get(subscript)
    if inner is None:
        rt.delete_element(outer, subscript)
        rt.store(outer, subscript, None)
        inner = outer[subscript] = Array()
    return inner


def _untyped_argument(rt: Runtime, slot: int) -> Value:
    """Return a variable that becomes an array when it has no value and was not read."""
    value = rt.g[slot]
    if value is None and slot not in rt.read_untyped:
        value = rt.g[slot] = Array()
    return value


def _array_in_array(compiler: Compiler, node: Element, message: str) -> ToArray:
    outer_array, key = compile_array(compiler, node.array), compile_key(compiler, node.subscripts)

    def element(rt: Runtime) -> Array:
        outer, subscript = outer_array(rt), key(rt)
        inner = _inner_array(rt, outer, subscript)
        if not isinstance(inner, Array):
            path = array_path(rt, outer) or "?"
            raise Fatal(message or f'attempt to use scalar `{path}["{subscript}"]\' as an array')
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
