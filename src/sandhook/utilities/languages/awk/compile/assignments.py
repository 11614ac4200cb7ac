"""Assignments as closures: stores, ``=``, ``+=`` and the other operators, ``++`` and ``--``.

An assignment that is a statement is compiled for its effect alone, which is faster.

Source: POSIX.1-2024 XCU 3, awk, "expressions in awk".
"""

from __future__ import annotations

from sandhook.utilities.languages.awk.arithmetic import ASSIGNMENTS, Operation, add
from sandhook.utilities.languages.awk.compile.arrays import compile_array, compile_key
from sandhook.utilities.languages.awk.compile.protocol import Compiler
from sandhook.utilities.languages.awk.compile.variables import (
    compile_name,
    global_slot,
    is_array,
    local_slot,
    scalar_context_error,
    scalar_kind,
)
from sandhook.utilities.languages.awk.nodes import (
    RECORD,
    Assignment,
    Element,
    Expression,
    Field,
    Increment,
    Lvalue,
    Name,
    Number,
)
from sandhook.utilities.languages.awk.program import Evaluate, Step, Store, ToNumber, ToText
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.special import COMPUTED, LARGE, SPECIAL, WITH_EFFECTS
from sandhook.utilities.languages.awk.values import Fatal, ScalarContext, Value, to_number

# --------------------------------------------------------------------------- stores


def compile_store(compiler: Compiler, target: Lvalue) -> Store:
    """Compile a store into a variable, field or element."""
    if isinstance(target, Field):
        if target == RECORD:
            return lambda rt, value: rt.set_field(0.0, value)
        index = compiler.number(target.number)
        return lambda rt, value: rt.set_field(index(rt), value)
    if isinstance(target, Element):
        array, key = compile_array(compiler, target.array), compile_key(compiler, target.subscripts)

        def store_element(rt: Runtime, value: Value) -> None:
            elements = array(rt)
            rt.store(elements, key(rt), value)

        return store_element
    return _variable_store(compiler, target)


def _variable_store(compiler: Compiler, target: Name) -> Store:
    name = target.name
    if is_array(compiler, target):
        return _array_store(compiler, target)
    slot = local_slot(compiler, name)
    local = slot >= 0
    if not local:
        slot = compiler.program.symbols.slots[name]
        if slot in COMPUTED or slot in WITH_EFFECTS:
            line = compiler.line
            return lambda rt, value: rt.set_special(slot, value, line)

    def assign(rt: Runtime, value: Value) -> None:
        variables = rt.frame if local else rt.g
        if type(value) is not float and value is not None:
            if not isinstance(value, str):
                raise ScalarContext(value)
            if len(value) > LARGE:
                rt.charge_replacement(variables[slot], value)
        old = variables[slot]
        if type(old) is not float and old is not None:
            if not isinstance(old, str):
                raise ScalarContext(old)
            if len(old) > LARGE and (not isinstance(value, str) or len(value) <= LARGE):
                rt.charge_memory(-len(old))
        variables[slot] = value

    return assign


def _array_store(compiler: Compiler, target: Name) -> Store:
    """Return a store that raises Fatal because its target is an array."""
    run, name = compile_name(compiler, target), target.name
    kind = scalar_kind(compiler, name)

    def fail(rt: Runtime, value: Value) -> None:
        array = run(rt)
        if array:
            raise ScalarContext(array)
        raise Fatal(f"attempt to use {kind} `{name}' as an array")  # an empty one is not yet an array in gawk

    return fail


# --------------------------------------------------------------------------- for the value


def compile_assignment(compiler: Compiler, node: Assignment) -> Evaluate:
    """Compile an assignment for its value."""
    if node.operator:
        operand = compiler.number(node.value)
        return _update(compiler, node.target, ASSIGNMENTS[node.operator], operand, old=False)
    if isinstance(node.value, Name) and is_array(compiler, node.value):
        return scalar_context_error(compiler, node.value)
    store, run = compile_store(compiler, node.target), compiler.value(node.value)

    def assign(rt: Runtime) -> Value:
        value = run(rt)
        store(rt, value)
        return value

    return assign


def compile_increment(compiler: Compiler, node: Increment) -> ToNumber:
    """Compile ``x++``, ``++x`` and similar operators for the old or the new value."""
    delta = node.delta
    return _update(compiler, node.target, add, lambda rt: delta, old=not node.prefix)


def _update(
    compiler: Compiler, target: Lvalue, apply: Operation, operand: ToNumber, *, old: bool
) -> ToNumber:
    """Compile ``target OP= operand``; with ``old`` the result is the old value."""
    if isinstance(target, Element):
        return _update_element(compiler, target, apply, operand, old)
    if isinstance(target, Field):
        return _update_field(compiler, target, apply, operand, old)
    slot = global_slot(compiler, target)
    if slot < len(SPECIAL):
        return _update_special(compiler, target, apply, operand, old)
    store = compile_store(compiler, target)
    if apply is add:
        return _add_to_variable(slot, store, operand, old)

    def update(rt: Runtime) -> float:
        right = operand(rt)
        left = rt.g[slot]
        if type(left) is not float:
            left = to_number(left)
            result = apply(left, right)
            store(rt, result)
        else:
            result = rt.g[slot] = apply(left, right)
        return left if old else result

    return update


def _add_to_variable(slot: int, store: Store, operand: ToNumber, old: bool) -> ToNumber:
    """Compile counters and sums, the most frequent assignments."""

    def update(rt: Runtime) -> float:
        right = operand(rt)
        variables = rt.g
        left = variables[slot]
        if type(left) is float:
            result = variables[slot] = left + right
        else:
            left = to_number(left)
            result = left + right
            store(rt, result)
        return left if old else result

    return update


def _update_special(
    compiler: Compiler, target: Name, apply: Operation, operand: ToNumber, old: bool
) -> ToNumber:
    """Compile an update of a parameter or a special variable."""
    store, get = compile_store(compiler, target), compiler.value(target)

    def update(rt: Runtime) -> float:
        right = operand(rt)
        left = get(rt)
        if type(left) is not float:
            left = to_number(left)
        result = apply(left, right)
        store(rt, result)
        return left if old else result

    return update


def _update_element(
    compiler: Compiler, target: Element, apply: Operation, operand: ToNumber, old: bool
) -> ToNumber:
    array, key = compile_array(compiler, target.array), compile_key(compiler, target.subscripts)

    def update(rt: Runtime) -> float:
        elements, subscript = array(rt), key(rt)
        right = operand(rt)
        current = elements.get(subscript)
        left = current if type(current) is float else to_number(current)
        result = apply(left, right)
        if type(current) is float:
            elements[subscript] = result
        else:
            rt.store(elements, subscript, result)
        return left if old else result

    return update


def _update_field(
    compiler: Compiler, target: Field, apply: Operation, operand: ToNumber, old: bool
) -> ToNumber:
    index = compiler.number(target.number)

    def update(rt: Runtime) -> float:
        at = index(rt)
        right = operand(rt)
        left = to_number(rt.field_value(at))
        result = apply(left, right)
        rt.set_field(at, result)
        return left if old else result

    return update


# --------------------------------------------------------------------------- for the effect alone


def without_value(run: Evaluate) -> Step:
    """Return a step that evaluates an expression and drops its value."""

    def effect(rt: Runtime) -> None:
        run(rt)

    return effect


def increment_effect(compiler: Compiler, node: Increment) -> Step:
    """Compile ``x++``, ``++x`` and similar operators as a statement."""
    step = _change(compiler, node.target, add, Number(node.delta))
    return without_value(compiler.value(node)) if step is None else step


def assignment_effect(compiler: Compiler, node: Assignment) -> Step:
    """Compile an assignment as a statement."""
    target = node.target
    if node.operator:
        step = _change(compiler, target, ASSIGNMENTS[node.operator], node.value)
        return without_value(compiler.value(node)) if step is None else step
    if is_array(compiler, node.value):
        return without_value(compiler.value(node))
    if isinstance(target, Element):
        return _set_element(compiler, target, compiler.value(node.value))
    store, run = compile_store(compiler, target), compiler.value(node.value)
    return lambda rt: store(rt, run(rt))


def _set_element(compiler: Compiler, target: Element, run: Evaluate) -> Step:
    array, key = compile_array(compiler, target.array), compile_key(compiler, target.subscripts)

    def store_element(rt: Runtime) -> None:
        value = run(rt)
        elements, subscript = array(rt), key(rt)
        if type(value) is float and type(elements.get(subscript)) is float:
            elements[subscript] = value  # the memory that is charged does not change
        else:
            rt.store(elements, subscript, value)

    return store_element


def _change(compiler: Compiler, target: Lvalue, apply: Operation, amount: Expression) -> Step | None:
    """Compile ``s += x`` and ``n[k]++``, the most frequent updates; return None for other targets."""
    if isinstance(target, Element) and isinstance(target.array, Name):
        return _change_element(compiler, target, apply, amount)
    slot = global_slot(compiler, target)
    if slot < len(SPECIAL):
        return None
    operand, store = compiler.number(amount), compile_store(compiler, target)
    plus = apply is add

    def change(rt: Runtime) -> None:
        right = operand(rt)
        variables = rt.g
        left = variables[slot]
        if type(left) is not float:
            store(rt, apply(to_number(left), right))
        elif plus:
            variables[slot] = left + right
        else:
            variables[slot] = apply(left, right)

    return change


def _change_element(compiler: Compiler, target: Element, apply: Operation, amount: Expression) -> Step:
    array, key = compile_array(compiler, target.array), compile_key(compiler, target.subscripts)
    operand = compiler.number(amount)
    slot = global_slot(compiler, target.array)
    if slot >= 0 and isinstance(amount, Number) and apply is add:
        return _count_element(slot, key, amount.value)

    def change(rt: Runtime) -> None:
        elements, subscript = array(rt), key(rt)
        right = operand(rt)
        current = elements.get(subscript)
        if type(current) is float:
            elements[subscript] = apply(current, right)
        else:
            rt.store(elements, subscript, apply(to_number(current), right))

    return change


def _count_element(slot: int, key: ToText, delta: float) -> Step:
    """Compile ``n[k]++`` for a global array."""

    def count(rt: Runtime) -> None:
        elements = rt.arrays[slot]
        subscript = key(rt)
        current = elements.get(subscript)
        if type(current) is float:
            elements[subscript] = current + delta
        else:
            rt.store(elements, subscript, to_number(current) + delta)

    return count
