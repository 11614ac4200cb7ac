"""Assignments of awk as closures over the Runtime: for their value, and for what they do alone.

Source: POSIX.1-2024 XCU 3, awk, "expressions in awk".
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.utilities.languages.awk import runtime as special
from sandhook.utilities.languages.awk.comparisons import Comparisons
from sandhook.utilities.languages.awk.expressions import Node
from sandhook.utilities.languages.awk.operands import misused
from sandhook.utilities.languages.awk.program import ASSIGNING, BINARY, Run
from sandhook.utilities.languages.awk.runtime import SPECIAL, Runtime
from sandhook.utilities.languages.awk.values import Array, Fatal, Value, to_number

Arithmetic = Callable[[float, float], float]


class Assignments(Comparisons):
    """Compiles what sets variables, fields and elements."""

    def setter(self, target: Node) -> Callable[[Runtime, Value], None]:
        """Compile a store into a variable, field or element."""
        kind = target[0]
        if kind == "field":
            if target[1] == ("num", 0.0):
                return lambda rt, value: rt.set_record(rt.text(value))
            index = self.number(target[1])
            return lambda rt, value: rt.set_field(index(rt), value)
        if kind == "index":
            array, key = self.array(target[1]), self.key(target[2])

            def put(rt: Runtime, value: Value) -> None:
                found = array(rt)
                rt.store(found, key(rt), value)

            return put
        name = target[1]
        slot = self.local(name)
        at = -1 if slot >= 0 else self.program.names[name]
        if self.is_array(target):
            return self._not_a_scalar(target)
        if at in special.COUNTED or at in special.HOOKED:
            return lambda rt, value: rt.set_special(at, value)
        local = slot >= 0
        where = slot if local else at

        def assign(rt: Runtime, value: Value) -> None:
            variables = rt.frame if local else rt.g
            if type(value) is not float and value is not None:
                if isinstance(value, Array):
                    raise Fatal(f"attempt to use array in a scalar context (assigned to `{name}')")
                if len(value) > special.LARGE:
                    rt.replaced(variables[where], value)
            old = variables[where]
            if type(old) is not float and old is not None:
                if isinstance(old, Array):
                    raise Fatal(f"attempt to use array `{name}' in a scalar context")
                if len(old) > special.LARGE and (
                    type(value) is float or value is None or len(value) <= special.LARGE
                ):
                    rt.keep(-len(old))
            variables[where] = value

        return assign

    def _not_a_scalar(self, target: Node) -> Callable[[Runtime, Value], None]:
        """Refuse a value for an array; one that has nothing yet would have become a scalar."""
        run, name = self._name(target), target[1]

        def refuse(rt: Runtime, value: Value) -> None:
            if run(rt):
                raise Fatal(f"attempt to use array `{name}' in a scalar context")
            raise Fatal(f"attempt to use scalar `{name}' as an array")

        return refuse

    def _assign(self, node: Node) -> Run:
        _, operator, target, expression = node
        if not operator and self.is_array(expression):
            return misused(expression[1])
        if not operator:
            put, run = self.setter(target), self.value(expression)

            def assign(rt: Runtime) -> Value:
                value = run(rt)
                put(rt, value)
                return value

            return assign
        operand = self.number(expression)
        return self._update(target, ASSIGNING.get(operator) or BINARY[operator], operand, False)

    def _incr(self, node: Node) -> Run:
        _, target, delta, prefix = node
        return self._update(target, BINARY["+"], lambda rt: delta, not prefix)

    def _update(self, target: Node, apply: Arithmetic, operand: Run, old: bool) -> Run:
        """Compile ``target OP= operand``; ``old`` says that the value before is the result."""
        kind = target[0]
        if kind == "index":
            array, key = self.array(target[1]), self.key(target[2])

            def element(rt: Runtime) -> float:
                found, subscript = array(rt), key(rt)
                right = operand(rt)
                before = found.get(subscript)
                left = before if type(before) is float else to_number(before)
                result = apply(left, right)
                if type(before) is float:
                    found[subscript] = result
                else:
                    rt.store(found, subscript, result)
                return left if old else result

            return element
        if kind == "field":
            index = self.number(target[1])

            def field(rt: Runtime) -> float:
                at = index(rt)
                right = operand(rt)
                left = to_number(rt.field_value(at))
                result = apply(left, right)
                rt.set_field(at, result)
                return left if old else result

            return field
        put, get = self.setter(target), self.value(target)
        slot = self.local(target[1])
        at = -1 if slot >= 0 else self.program.names[target[1]]
        plain = at >= len(SPECIAL)

        if plain and apply is BINARY["+"]:  # counters and sums: by far the most used

            def add(rt: Runtime) -> float:
                right: float = operand(rt)
                variables = rt.g
                left = variables[at]
                if type(left) is float:
                    result = variables[at] = left + right
                else:
                    left = to_number(left)
                    result = left + right
                    put(rt, result)
                return left if old else result

            return add

        def update(rt: Runtime) -> float:
            right = operand(rt)
            left = rt.g[at] if plain else get(rt)
            if type(left) is not float:
                left = to_number(left)
                result = apply(left, right)
                put(rt, result)
            else:
                result = apply(left, right)
                if plain:
                    rt.g[at] = result
                else:
                    put(rt, result)
            return left if old else result

        return update

    # ------------------------------------------------------------------ for the effect alone

    def effect(self, node: Node) -> Run:
        """Compile an expression whose value nobody wants: what stands as a statement of its own."""
        kind = node[0]
        if kind == "incr":
            return self._change(node[1], BINARY["+"], ("num", node[2])) or self._for_nothing(node)
        if kind == "assign" and node[1]:
            apply = ASSIGNING.get(node[1]) or BINARY[node[1]]
            return self._change(node[2], apply, node[3]) or self._for_nothing(node)
        if kind == "assign" and node[2][0] in ("name", "field") and not self.is_array(node[3]):
            put, run = self.setter(node[2]), self.value(node[3])
            return lambda rt: put(rt, run(rt))
        if kind == "assign" and node[2][0] == "index" and not self.is_array(node[3]):
            return self._set_element(node[2], self.value(node[3]))
        return self._for_nothing(node)

    def _set_element(self, target: Node, run: Run) -> Run:
        array, key = self.array(target[1]), self.key(target[2])

        def put(rt: Runtime) -> None:
            value = run(rt)
            found, subscript = array(rt), key(rt)
            if type(value) is float and type(found.get(subscript)) is float:
                found[subscript] = value  # nothing to count
            else:
                rt.store(found, subscript, value)

        return put

    def _for_nothing(self, node: Node) -> Run:
        run = self.value(node)

        def effect(rt: Runtime) -> None:
            run(rt)

        return effect

    def _change(self, target: Node, apply: Arithmetic, amount: Node) -> Run | None:
        """Compile ``s += x`` and ``n[k]++``, by far the most used in rules; None for other targets."""
        if target[0] == "index" and target[1][0] == "name":
            return self._change_element(target, apply, amount)
        at = self.global_slot(target) if target[0] == "name" else -1
        if at < len(SPECIAL):
            return None
        operand, put = self.number(amount), self.setter(target)
        plus = apply is BINARY["+"]

        def change(rt: Runtime) -> None:
            right: float = operand(rt)
            variables = rt.g
            left = variables[at]
            if type(left) is not float:
                put(rt, apply(to_number(left), right))
            elif plus:
                variables[at] = left + right
            else:
                variables[at] = apply(left, right)

        return change

    def _change_element(self, target: Node, apply: Arithmetic, amount: Node) -> Run:
        array, key, operand = self.array(target[1]), self.key(target[2]), self.number(amount)
        at = self.global_slot(target[1])
        if at >= 0 and amount[0] == "num" and apply is BINARY["+"]:
            return self._count_element(at, key, amount[1])

        def change(rt: Runtime) -> None:
            found, subscript = array(rt), key(rt)
            right = operand(rt)
            before = found.get(subscript)
            if type(before) is float:
                found[subscript] = apply(before, right)
            else:
                rt.store(found, subscript, apply(to_number(before), right))

        return change

    def _count_element(self, at: int, key: Run, delta: float) -> Run:
        def count(rt: Runtime) -> None:
            found: Array = rt.g[at]
            subscript = key(rt)
            before = found.get(subscript)
            if type(before) is float:
                found[subscript] = before + delta
            else:
                rt.store(found, subscript, to_number(before) + delta)

        return count
