"""Operators, assignments, getline and calls of awk as closures over the Runtime.

Source: POSIX.1-2024 XCU 3, awk, "expressions in awk". Oracle: gawk 5.2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from sandhook.kernel.stack import deeper_than
from sandhook.utilities.awk import runtime as special
from sandhook.utilities.awk.expressions import ARITY, Node
from sandhook.utilities.awk.format import order
from sandhook.utilities.awk.operands import Operands
from sandhook.utilities.awk.program import ASSIGNING, BINARY, Run
from sandhook.utilities.awk.regex import pattern
from sandhook.utilities.awk.runtime import SPECIAL, Runtime
from sandhook.utilities.awk.values import Array, Fatal, Strnum, Value, to_number

DEEP = 220  #: Python frames on one stack before a call goes on with a fresh one


_TESTS: dict[str, Callable[[int], bool]] = {
    "<": lambda o: o == -1,
    "<=": lambda o: o in (-1, 0),
    "==": lambda o: o == 0,
    "!=": lambda o: o != 0,
    ">": lambda o: o == 1,
    ">=": lambda o: o in (0, 1),
}


class Compiler(Operands):
    """Compiles every expression."""

    # ------------------------------------------------------------------ operators

    def _bin(self, node: Node) -> Run:
        _, operator, first, second = node
        if operator in "/%" and first[0] == "num" and second == ("num", 0.0):
            raise Fatal("division by zero attempted" + (" in `%'" if operator == "%" else ""), 1)
        left, right = self.number(first), self.number(second)
        if operator == "+":
            return lambda rt: left(rt) + right(rt)
        if operator == "-":
            return lambda rt: left(rt) - right(rt)
        if operator == "*":
            return lambda rt: left(rt) * right(rt)
        apply = BINARY[operator]
        return lambda rt: apply(left(rt), right(rt))

    def _cmp(self, node: Node) -> Run:
        _, operator, first, second = node
        test = _TESTS[operator]
        left, right = self.value(first), self.value(second)

        def compare(rt: Runtime) -> float:
            a, b = left(rt), right(rt)
            if type(a) is str and type(b) is str and not rt.icase:
                return 1.0 if test((a > b) - (a < b)) else 0.0
            if rt.icase:
                a, b = folded(a), folded(b)
            return 1.0 if test(order(a, b, rt.convfmt)) else 0.0

        return compare

    def _cat(self, node: Node) -> Run:
        parts = [self.text(part) for part in node[1]]
        if len(parts) == 2:
            left, right = parts

            def pair(rt: Runtime) -> str:
                first = left(rt)
                second = right(rt)
                if len(first) + len(second) > special.LARGE:
                    rt.grow(len(first) + len(second))
                return str(first + second)

            return pair

        def cat(rt: Runtime) -> str:
            pieces = [part(rt) for part in parts]
            size = sum(map(len, pieces))
            if size > special.LARGE:
                rt.grow(size)
            return "".join(pieces)

        return cat

    def _neg(self, node: Node) -> Run:
        run = self.number(node[1])
        return lambda rt: -run(rt)

    def _pos(self, node: Node) -> Run:
        return self.number(node[1])

    def _not(self, node: Node) -> Run:
        test = self.condition(node[1])
        return lambda rt: 0.0 if test(rt) else 1.0

    def _and(self, node: Node) -> Run:
        tests = [self.condition(part) for part in node[1]]

        def all_(rt: Runtime) -> float:
            for test in tests:
                if not test(rt):
                    return 0.0
            return 1.0

        return all_

    def _or(self, node: Node) -> Run:
        tests = [self.condition(part) for part in node[1]]

        def any_(rt: Runtime) -> float:
            for test in tests:
                if test(rt):
                    return 1.0
            return 0.0

        return any_

    def _cond(self, node: Node) -> Run:
        test, first, second = self.condition(node[1]), self.value(node[2]), self.value(node[3])
        return lambda rt: first(rt) if test(rt) else second(rt)

    def regex(self, node: Node) -> Run:
        """Compile an operand that is an expression: what gives the Pattern."""
        if node[0] == "ere":
            source = node[1]
            plain = self.constant(source)
            return lambda rt: pattern(source, True) if rt.icase else plain
        text = self.text(node)
        return lambda rt: rt.pattern(text(rt))

    def _match(self, node: Node) -> Run:
        _, subject, expression, negated = node
        text, regex = self.text(subject), self.regex(expression)
        if negated:
            return lambda rt: 0.0 if regex(rt).test(text(rt)) else 1.0

        def match(rt: Runtime) -> float:
            subject = text(rt)
            return 1.0 if regex(rt).test(subject) else 0.0

        return match

    # ------------------------------------------------------------------ assignment

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

    def _update(self, target: Node, apply: Callable[[float, float], float], operand: Run, old: bool) -> Run:
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

    # ------------------------------------------------------------------ getline, calls

    def _getline(self, node: Node) -> Run:
        _, kind, target, source = node
        put = None if target is None else self.setter(target)
        name = None if source is None else self.text(source)

        def getline(rt: Runtime) -> float:
            rt.budget.charge(1)
            if name is None:
                found = rt.read_main()
            else:
                opened = rt.input(kind, name(rt))
                if opened is None:
                    return -1.0
                try:
                    found = opened.next()
                except OSError:
                    return -1.0
            if found is None:
                return 0.0
            record, terminator = found
            rt.g[special.RT] = terminator
            if name is None:
                rt.fnr += 1.0
                rt.nr += 1.0
            if put is None:
                rt.set_record(record)
            else:
                put(rt, Strnum(record))
            return 1.0

        return getline

    def _call(self, node: Node) -> Run:
        _, name, args = node
        function = self.program.functions[name]
        bodies = self.program.bodies
        made: list[Run] = []
        for param, arg in zip(function.params, args):
            is_array = param in function.arrays and arg[0] in ("name", "index")
            made.append(self.array(arg) if is_array else self.value(arg))
        own = [param in function.arrays for param in function.params[len(args) :]]
        start = len(args)

        def call(rt: Runtime) -> Value:
            frame: list[Value] = [arg(rt) for arg in made]
            frame += [Array() if is_array else None for is_array in own]
            rt.depth += 1
            if rt.depth > rt.budget.limits.call_depth:
                rt.budget.fail("call_depth")
            budget = rt.budget
            budget.fuel -= 1
            if budget.fuel < 0:
                budget.refuel()
            for value in frame:
                if isinstance(value, str) and len(value) > special.LARGE:
                    rt.keep(len(value))
            held, rt.frame = rt.frame, frame
            body = bodies[name]
            if deeper_than(DEEP):
                value = rt.ctx.kernel.scheduler.call_fresh(lambda: body(rt))
            else:
                value = body(rt)
            rt.frame = held
            rt.depth -= 1
            for at, local in enumerate(frame):
                if isinstance(local, str):
                    if len(local) > special.LARGE:
                        rt.keep(-len(local))
                elif at >= start and isinstance(local, Array) and local:
                    rt.clear(local)
            return value

        return call

    def _indirect(self, node: Node) -> Run:
        """``@name(...)``: the function is known when the call is made, and compiled then for each that is met."""
        _, variable, args = node
        name = self.text(variable)
        compiler = type(self)(self.program, self.functions)
        compiler.function = self.function

        @lru_cache(maxsize=16)
        def named(wanted: str) -> Run:
            return compiler._named_call(wanted, args)

        return lambda rt: named(name(rt))(rt)

    def _named_call(self, name: str, args: list[Node]) -> Run:
        function = self.program.functions.get(name)
        if function is not None:
            if len(args) > len(function.params):
                raise Fatal(f"function `{name}' called with more arguments than declared")
            return self._call(("call", name, args))
        if name not in self.functions:
            raise Fatal(f"`{name}' is not a function, so it cannot be called indirectly")
        least, most = ARITY[name]
        if not least <= len(args) <= most:
            raise Fatal(f"{len(args)} is invalid as number of arguments for {name}")
        return self._builtin(("builtin", name, args))

    def _builtin(self, node: Node) -> Run:
        return self.functions[node[1]](self, node[2])


def folded(value: Value) -> Value:
    """Return a value as IGNORECASE compares it."""
    return type(value)(value.lower()) if isinstance(value, str) else value
