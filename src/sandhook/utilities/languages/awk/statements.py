"""Statements and rules of awk as closures; a statement returns None, or what ends the block it stands in.

Source: POSIX.1-2024 XCU 3, awk, "actions".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NoReturn

from sandhook.utilities.languages.awk.comparisons import folded
from sandhook.utilities.languages.awk.compile import Compiler
from sandhook.utilities.languages.awk.expressions import Node
from sandhook.utilities.languages.awk.format import number_to_text, order
from sandhook.utilities.languages.awk.formats import scalar
from sandhook.utilities.languages.awk.functions import FUNCTIONS
from sandhook.utilities.languages.awk.lexer import GAWK, Dialect
from sandhook.utilities.languages.awk.parser import Parser
from sandhook.utilities.languages.awk.program import Program, Run
from sandhook.utilities.languages.awk.runtime import SPECIAL, SPECIAL_ARRAYS, Exit, Next, NextFile, Runtime
from sandhook.utilities.languages.awk.values import Fatal, Strnum, Value

BREAK, CONTINUE, NEXT, NEXTFILE, RETURN = 1, 2, 3, 4, 5
Step = Callable[[Runtime], "int | None"]


class Statements(Compiler):
    """Compiles statements too."""

    def statement(self, node: Node) -> Step:
        step: Step = getattr(self, "_do_" + node[0])(node)
        return step

    def _do_line(self, node: Node) -> Step:
        """A statement that stands alone: it says its line when it fails."""
        _, self.line, inner = node
        step = self.statement(inner)
        return located(step, node[1]) if can_fail(inner, self.function is not None or self.nests) else step

    def _do_block(self, node: Node) -> Step:
        if not node[1]:
            return lambda rt: None
        if len(node[1]) == 1:
            return self.statement(node[1][0])
        steps, lines = [], []
        for inner in node[1]:
            if inner[0] == "line":
                _, self.line, inner = inner
            lines.append(self.line)
            steps.append(self.statement(inner))

        def block(rt: Runtime) -> int | None:
            try:
                for step in steps:
                    left = step(rt)
                    if left is not None:
                        return left
            except Fatal as error:
                error.line = error.line or lines[steps.index(step)]
                raise
            return None

        return block

    def _do_expr(self, node: Node) -> Step:
        return self.effect(node[1])

    # ------------------------------------------------------------------ output

    def _do_print(self, node: Node) -> Step:
        _, args, redirect, target = node
        texts = [self.printed(arg) for arg in args] or [self.text(("field", ("num", 0.0)))]
        put = self._writer(redirect, target)
        if len(texts) == 1:
            only = texts[0]
            if target is None:
                return lambda rt: rt.ctx.write(only(rt).encode("utf-8", "surrogateescape") + rt.ors)
            return lambda rt: put(rt, only(rt).encode("utf-8", "surrogateescape") + rt.ors)

        if len(texts) == 2 and target is None:
            first, second = texts

            def pair(rt: Runtime) -> None:
                text = f"{first(rt)}{rt.ofs}{second(rt)}"
                rt.ctx.write(text.encode("utf-8", "surrogateescape") + rt.ors)

            return pair

        def print_(rt: Runtime) -> None:
            line = rt.ofs.join([text(rt) for text in texts])
            put(rt, line.encode("utf-8", "surrogateescape") + rt.ors)

        def shown(rt: Runtime) -> None:
            line = rt.ofs.join([text(rt) for text in texts])
            rt.ctx.write(line.encode("utf-8", "surrogateescape") + rt.ors)

        return shown if target is None else print_

    def printed(self, node: Node) -> Run:
        """Compile for output: numbers by OFMT."""
        if node[0] in ("field", "str", "cat") or self.is_array(node):
            return self.text(node)
        run = self.value(node)

        def text(rt: Runtime) -> str:
            value = run(rt)
            return number_to_text(value, rt.ofmt) if type(value) is float else rt.text(value)

        return text

    def _do_printf(self, node: Node) -> Step:
        _, args, redirect, target = node
        made = self.formatted(args)
        put = self._writer(redirect, target)
        return lambda rt: put(rt, made(rt).encode("utf-8", "surrogateescape"))

    def _writer(self, redirect: str, target: Node | None) -> Callable[[Runtime, bytes], None]:
        if target is None:
            return lambda rt, data: rt.ctx.write(data)
        name = self.text(target)
        return lambda rt, data: rt.output(redirect, name(rt)).write(data)

    # ------------------------------------------------------------------ control flow

    def _do_if(self, node: Node) -> Step:
        arms = [(self.condition(test), self.statement(body)) for test, body in node[1]]
        otherwise = None if node[2] is None else self.statement(node[2])

        def if_(rt: Runtime) -> int | None:
            for test, body in arms:
                if test(rt):
                    return body(rt)
            return None if otherwise is None else otherwise(rt)

        return if_

    def _do_while(self, node: Node) -> Step:
        return self._loop(None, node[1], None, node[2], False)

    def _do_do(self, node: Node) -> Step:
        return self._loop(None, node[2], None, node[1], True)

    def _do_for(self, node: Node) -> Step:
        _, start, test, step, body = node
        return self._loop(start, test, step, body, False)

    def _loop(
        self, first: Node | None, condition: Node | None, after: Node | None, inner: Node, late: bool
    ) -> Step:
        start = None if first is None else self.statement(first)
        test = None if condition is None else self.condition(condition)
        step = None if after is None else self.statement(after)
        body = self.statement(inner)

        def loop(rt: Runtime) -> int | None:
            budget = rt.budget
            if start is not None:
                start(rt)
            skip = late
            while skip or test is None or test(rt):
                skip = False
                budget.slice_left -= 1
                if budget.slice_left < 0:
                    budget.next_slice()
                left = body(rt)
                if left is not None and left != CONTINUE:
                    if left == BREAK:
                        break
                    return left
                if step is not None:
                    step(rt)
            return None

        return loop

    def _do_forin(self, node: Node) -> Step:
        _, variable, array, inner = node
        put, get, body = self.setter(variable), self.array(array), self.statement(inner)

        def loop(rt: Runtime) -> int | None:
            from sandhook.utilities.languages.awk.sorting import traversal

            budget = rt.budget
            found = get(rt)
            budget.charge(len(found) >> 4)
            for key in traversal(rt, found):
                budget.slice_left -= 1
                if budget.slice_left < 0:
                    budget.next_slice()
                put(rt, Strnum(key))
                left = body(rt)
                if left is not None and left != CONTINUE:
                    if left == BREAK:
                        break
                    return left
            return None

        return loop

    def _do_switch(self, node: Node) -> Step:
        _, subject, cases = node
        value = self.value(subject)
        labels: list[tuple[Callable[[Runtime, Value], bool] | None, int]] = []
        steps: list[Step] = []
        for label, body in cases:
            labels.append((None if label is None else self._case(label), len(steps)))
            steps += [self.statement(inner) for inner in body]

        def switch(rt: Runtime) -> int | None:
            found = scalar(rt, value(rt))
            start = len(steps)
            for test, at in labels:
                if test is not None and test(rt, found):
                    start = at
                    break
            else:
                start = next((at for test, at in labels if test is None), start)
            for step in steps[start:]:
                left = step(rt)
                if left == BREAK:
                    return None
                if left is not None:
                    return left
            return None

        return switch

    def _case(self, label: Node) -> Callable[[Runtime, Value], bool]:
        if label[0] == "ere":
            source = label[1]
            return lambda rt, value: rt.pattern(source).test(rt.text(value))
        run = self.value(label)

        def same(rt: Runtime, value: Value) -> bool:
            wanted = run(rt)
            if type(wanted) is str and type(value) is float:
                return False
            if rt.icase:
                wanted, value = folded(wanted), folded(value)
            return order(value, wanted, rt.convfmt) == 0

        return same

    def _do_break(self, node: Node) -> Step:
        return lambda rt: BREAK

    def _do_continue(self, node: Node) -> Step:
        return lambda rt: CONTINUE

    def _do_next(self, node: Node) -> Step:
        return self._leave(Next) if self.function is not None else lambda rt: NEXT

    def _do_nextfile(self, node: Node) -> Step:
        return self._leave(NextFile) if self.function is not None else lambda rt: NEXTFILE

    def _leave(self, how: type[Next | NextFile]) -> Step:
        """Compile next or nextfile inside of a function."""
        line = self.line

        def leave(rt: Runtime) -> NoReturn:
            raise how(line)

        return leave

    def _do_exit(self, node: Node) -> Step:
        status = None if node[1] is None else self.number(node[1])

        def exit_(rt: Runtime) -> None:
            if status is not None:
                number = status(rt)
                rt.status = int(number) & 0xFF if number - number == 0.0 else 0
            raise Exit

        return exit_

    def _do_return(self, node: Node) -> Step:
        value = None if node[1] is None else self.value(node[1])

        def return_(rt: Runtime) -> int:
            rt.value = None if value is None else scalar(rt, value(rt))
            return RETURN

        return return_

    def _do_delete(self, node: Node) -> Step:
        target = node[1]
        if target[0] == "name":
            whole = self.array(target)
            return lambda rt: rt.clear(whole(rt))
        array, key = self.array(target[1]), self.key(target[2])

        def delete(rt: Runtime) -> None:
            rt.forget(array(rt), key(rt))

        return delete


def located(step: Step, line: int) -> Step:
    """Let what fails in a step say the line."""

    def run(rt: Runtime) -> int | None:
        try:
            return step(rt)
        except Fatal as error:
            error.line = error.line or line
            raise

    return run


_FAILING = frozenset(("call", "indirect", "getline", "builtin", "printf", "forin", "delete", "switch"))


#: Setting these can fail.
_WATCHED = ("NF", "FS", "RS", "FPAT", "FIELDWIDTHS")


def can_fail(node: object, elements: bool = True) -> bool:
    """Return whether a statement may end the program: saying the line costs a call, which sums should not pay.

    Args:
        elements: An element of an array may be an array, or what should be one may be none.
    """
    if not isinstance(node, (tuple, list)) or not node:
        return False
    kind = node[0]
    if not isinstance(kind, str):
        return any(can_fail(part, elements) for part in node)
    if (
        kind in _FAILING
        or (kind == "index" and elements)
        or (kind in ("bin", "assign") and node[1] in ("/", "%"))
    ):
        return True
    if kind == "assign" and node[2][0] == "name" and node[2][1] in _WATCHED:
        return True
    if (kind == "field" and node[1][0] != "num") or (kind == "match" and node[2][0] != "ere"):
        return True
    if kind == "print" and node[2]:
        return True
    return any(can_fail(part, elements) for part in node if isinstance(part, (tuple, list)))


# --------------------------------------------------------------------------- programs


@lru_cache(maxsize=64)
def _kept(text: str, extensions: bool, posix: bool) -> Program:
    return _compiled(text, extensions, posix)


def compile_program(text: str, dialect: Dialect = GAWK) -> Program:
    """Compile a program, or return it from before. Raises ProgramError and Fatal."""
    return (_kept if len(text) <= 8_192 else _compiled)(text, *dialect)


def _compiled(text: str, extensions: bool, posix: bool) -> Program:
    parser = Parser(text, Dialect(extensions, posix)).parse()
    names = {name: slot for slot, name in enumerate(SPECIAL)}
    for name in sorted(parser.names | parser.arrays):
        names.setdefault(name, len(names))
    arrays = {names[name] for name in parser.arrays} | set(SPECIAL_ARRAYS)
    program = Program(parser.functions, names, arrays)
    compiler = Statements(program, FUNCTIONS)
    compiler.nests = parser.nests or "SYMTAB" in parser.names
    try:
        _fill(program, parser, compiler)
    except Fatal as error:
        error.line = error.line or compiler.line
        raise
    return program


def _fill(program: Program, parser: Parser, compiler: Statements) -> None:
    for name, function in parser.functions.items():
        compiler.function = function
        program.bodies[name] = _function(compiler.statement(function.body))
    compiler.function = None
    program.counts = bool(parser.names & {"NR", "FNR"}) or can_fail(parser.rules)
    program.terminators = "RT" in parser.names
    program.information = "PROCINFO" in parser.names
    program.symbols = bool(parser.names & {"SYMTAB", "FUNCTAB"})
    program.environment = "ENVIRON" in parser.names
    only = sum(not kind for kind, *_ in parser.rules) == 1
    for (kind, first, second, body), line in zip(parser.rules, parser.lines):
        compiler.line = line
        if kind:
            assert body is not None
            target = {"BEGIN": program.begin, "END": program.end, "BEGINFILE": program.begin_file}.get(
                kind, program.end_file
            )
            target.append(compiler.statement(body))
        else:
            if first is None and only:
                program.total = _total(compiler, body)
            action = compiler.statement(body or ("print", [], "", None))
            program.rules.append(_rule(compiler, first, second, action, line))


def _total(compiler: Statements, body: Node | None) -> tuple[int, int] | None:
    """Return what the only rule adds where, when it is ``{ s += $1 }``."""
    if body is None or len(body[1]) != 1 or body[1][0][0] != "line":
        return None
    kind, *rest = body[1][0][2]
    if kind != "expr" or rest[0][:2] != ("assign", "+"):
        return None
    target, amount = rest[0][2:]
    at = compiler.global_slot(target) if target[0] == "name" and not compiler.is_array(target) else -1
    if at < len(SPECIAL) or not compiler.is_fixed_field(amount):
        return None
    return at, int(amount[1][1]) - 1


def _function(body: Step) -> Run:
    def function(rt: Runtime) -> Value:
        rt.value = None
        if body(rt) != RETURN:
            return None
        value, rt.value = rt.value, None
        return value

    return function


def _rule(compiler: Statements, first: Node | None, second: Node | None, action: Step, line: int) -> Step:
    """Compile a pattern and its action."""
    if first is None:
        return action
    compiler.line = line
    step = _guarded(compiler, first, second, action)
    return located(step, line) if can_fail(first) or can_fail(second) else step


def _guarded(compiler: Statements, first: Node, second: Node | None, action: Step) -> Step:
    begins = compiler.condition(first)
    if second is None:
        return lambda rt: action(rt) if begins(rt) else None
    ends = compiler.condition(second)
    at = compiler.program.ranges
    compiler.program.ranges += 1

    def ranged(rt: Runtime) -> int | None:
        if not rt.ranges[at]:
            if not begins(rt):
                return None
            rt.ranges[at] = True
        if ends(rt):
            rt.ranges[at] = False
        return action(rt)

    return ranged
