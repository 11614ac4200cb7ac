"""Operators, assignments, getline and calls of awk as closures over the Runtime.

Source: POSIX.1-2024 XCU 3, awk, "expressions in awk". Oracle: gawk 5.2.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NoReturn

from sandhook.kernel.stack import stack_exceeds
from sandhook.utilities.languages.awk import runtime as special
from sandhook.utilities.languages.awk.assignments import Assignments
from sandhook.utilities.languages.awk.expressions import ARITY, Node
from sandhook.utilities.languages.awk.formats import Formats
from sandhook.utilities.languages.awk.program import BINARY, Run
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.values import Array, Fatal, Strnum, Value

DEEP = 220  #: Python frames on one stack before a call goes on with a fresh one


class Compiler(Assignments, Formats):
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

        if len(parts) == 3:
            left, middle, right = parts

            def triple(rt: Runtime) -> str:
                first, second, third = left(rt), middle(rt), right(rt)
                size = len(first) + len(second) + len(third)
                if size > special.LARGE:
                    rt.grow(size)
                return f"{first}{second}{third}"

            return triple

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

    def _cond(self, node: Node) -> Run:
        test, first, second = self.condition(node[1]), self.value(node[2]), self.value(node[3])
        return lambda rt: first(rt) if test(rt) else second(rt)

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
        function = self.program.functions.get(name)
        if function is None:
            return _undefined(name)
        bodies = self.program.bodies
        made: list[Run] = []
        for param, arg in zip(function.params, args):
            is_array = param in function.arrays and arg[0] in ("name", "index")
            made.append(self.array(arg) if is_array else self.value(arg))
        own = [param in function.arrays for param in function.params[len(args) :]]
        start = len(args)
        more = [self.value(arg) for arg in args[len(function.params) :]]  # worked out, and for nothing

        def call(rt: Runtime) -> Value:
            frame: list[Value] = [arg(rt) for arg in made]
            for arg in more:
                arg(rt)
            frame += [Array() if is_array else None for is_array in own]
            rt.depth += 1
            if rt.depth > rt.budget.limits.call_depth:
                rt.budget.fail("call_depth")
            budget = rt.budget
            budget.slice_left -= 1
            if budget.slice_left < 0:
                budget.next_slice()
            for value in frame:
                if isinstance(value, str) and len(value) > special.LARGE:
                    rt.keep(len(value))
            held, rt.frame = rt.frame, frame
            body = bodies[name]
            if stack_exceeds(DEEP):
                value = rt.ctx.kernel.scheduler.call_on_new_stack(lambda: body(rt))
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
            return self._call(("call", name, args))
        if name not in self.functions:
            raise Fatal(f"`{name}' is not a function, so it cannot be called indirectly")
        least, most = ARITY[name]
        if not least <= len(args) <= most:
            raise Fatal(f"{len(args)} is invalid as number of arguments for {name}")
        return self._builtin(("builtin", name, args))

    def _builtin(self, node: Node) -> Run:
        return self.functions[node[1]](self, node[2])


def _undefined(name: str) -> Run:
    """Return what fails when a function is called that there is none of; until then nobody minds."""

    def call(rt: Runtime) -> NoReturn:
        raise Fatal(f"function `{name}' not defined")

    return call
