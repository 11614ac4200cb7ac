"""The grammar of awk's statements, rules and functions.

Source: POSIX.1-2024 XCU 3, awk, "grammar"; gawk 5.2 manual for its statements.
"""

from __future__ import annotations

from sandhook.utilities.languages.awk.expressions import (
    LEVEL_CONCAT,
    SPECIAL_RULES,
    Expressions,
    Function,
    Node,
)
from sandhook.utilities.languages.awk.runtime import SPECIAL
from sandhook.utilities.languages.awk.values import Fatal


class Parser(Expressions):
    """One use: ``Parser(text).parse()`` fills ``rules``, ``functions`` and ``arrays``."""

    # ------------------------------------------------------------------ program

    def parse(self) -> Parser:
        while True:
            while self.token.kind in ("newline", ";"):
                self.advance()
            if self.token.kind == "end":
                break
            self.item()
        self._resolve()
        return self

    def item(self) -> None:
        kind, line = self.token.kind, self.token.line
        if kind == "function":
            self.define()
        elif kind in SPECIAL_RULES:
            self.advance()
            if self.token.kind in ("newline", "end"):
                raise Fatal(f"{kind} blocks must have an action part", 1, line)
            if self.token.kind != "{":
                self.unexpected()
            self.special_rule = kind
            self.rules.append((kind, None, None, self.block()))
            self.lines.append(line)
            self.special_rule = ""
        else:
            first = second = None
            if kind != "{":
                first = self.expression()
                if self.take(","):
                    self.newlines()
                    second = self.expression()
            body = self.block() if self.token.kind == "{" else None
            if body is None and self.token.kind not in ("newline", ";", "end"):
                self.unexpected()
            self.rules.append(("", first, second, body))
            self.lines.append(line)

    def define(self) -> None:
        self.advance()
        if self.token.kind == "builtin":
            self.fail(f"`{self.token.value}' is a built-in function, it cannot be redefined")
        if self.token.kind not in ("name", "call"):
            self.unexpected()
        token = self.advance()
        self.expect("(")
        params: list[str] = []
        self.newlines()
        while self.token.kind == "name":
            name = self.advance().value
            if name in params:
                raise Fatal(
                    f"function `{token.value}': parameter #{len(params) + 1}, `{name}',"
                    f" duplicates parameter #{params.index(name) + 1}",
                    1,
                    token.line,
                )
            if name == token.value:
                raise Fatal(f"function `{name}': cannot use function name as parameter name", 1, token.line)
            if name in SPECIAL:
                raise Fatal(
                    f"function `{token.value}': cannot use special variable `{name}' as a function parameter",
                    1,
                    token.line,
                )
            params.append(name)
            if not self.take(","):
                break
            self.newlines()
            if self.token.kind != "name":
                self.unexpected()
        self.newlines()
        self.expect(")")
        self.newlines()
        if token.value in self.functions or token.value in self.names or token.value in SPECIAL:
            raise Fatal(f"function name `{token.value}' previously defined", 1, token.line)
        function = self.functions[token.value] = Function(token.value, params)
        self.function = function
        function.body = self.block()
        self.function = None

    def _resolve(self) -> None:
        """Check calls, and find which variables and parameters are arrays, through calls too."""
        for name in sorted(self.names & self.functions.keys()):
            raise Fatal(
                f"function `{name}' called with space between name and `(',\nor used as a variable or an array",
                1,
                self.used.get(name, 1),
            )
        for name, locals_, token in self._called:
            if name not in self.functions and (name in self.names or name in locals_):
                raise Fatal(f"attempt to use non-function `{name}' in function call", 1, token.line)
        changed = True
        while changed:
            changed = False
            for scope, name, callee, position in self._passed:
                target = self.functions.get(callee)
                arrays = self._scope(scope, name)
                if target is None or position >= len(target.params):
                    continue  # a call that will fail, or one argument too many
                if target.params[position] in target.arrays and name not in arrays:
                    arrays.add(name)
                    changed = True

    # ------------------------------------------------------------------ statements

    def block(self) -> Node:
        self.expect("{")
        self.deeper()
        found: list[Node] = []
        while True:
            while self.token.kind in ("newline", ";"):
                self.advance()
            if self.take("}"):
                break
            found.append(self.statement())
        self.depth -= 1
        return ("block", found)

    def body(self) -> Node:
        """The statement after a condition; ";" alone is an empty one."""
        self.newlines()
        if self.take(";"):
            return ("block", [])
        self.deeper()
        node = self.statement()
        self.depth -= 1
        return node

    def loop_body(self) -> Node:
        self.loops += 1
        node = self.body()
        self.loops -= 1
        return node

    def statement(self) -> Node:
        """Parse one; what is no block says its line: ``("line", number, node)``."""
        kind, line = self.token.kind, self.token.line
        if kind == "{":
            return self.block()
        compound = _COMPOUND.get(kind)
        if compound is not None:
            return ("line", line, compound(self))
        node = self.simple()
        self.end_statement()
        return ("line", line, node)

    def end_statement(self) -> None:
        if self.token.kind in ("newline", ";"):
            self.advance()
        elif self.token.kind != "}":
            self.unexpected()

    def simple(self) -> Node:
        kind = self.token.kind
        if kind in ("print", "printf"):
            return self.print()
        if kind == "delete":
            self.advance()
            node = self.postfix_name()
            return ("delete", self.array(node))
        if kind in ("break", "continue"):
            if not (self.loops or (kind == "break" and self.switches)):
                raise Fatal(
                    f"`{kind}' is not allowed outside a loop{' or switch' if kind == 'break' else ''}",
                    1,
                    self.token.line,
                )
            self.advance()
            return (kind,)
        if kind in ("next", "nextfile"):
            if self.special_rule and (kind, self.special_rule) != ("nextfile", "BEGINFILE"):
                raise Fatal(f"`{kind}' used in {self.special_rule} action", 1, self.token.line)
            self.advance()
            return (kind,)
        if kind in ("exit", "return"):
            token = self.advance()
            if kind == "return" and self.function is None:
                self.fail("`return' used outside function context", token)
            value = None if self.token.kind in ("newline", ";", "}", "end") else self.expression()
            return (kind, value)
        return ("expr", self.expression())

    def print(self) -> Node:
        kind, line = self.token.kind, self.token.line
        self.advance()
        args: list[Node] = []
        self.no_greater = True
        if self.token.kind not in ("newline", ";", "}", ">", ">>", "|", "|&", "end"):
            args = self.expressions(group=True)
            if len(args) == 1 and args[0][0] == "group":
                args = args[0][1]
        self.no_greater = False
        if kind == "printf" and not args:
            raise Fatal("printf: no arguments", line=line)
        redirect = ""
        target: Node | None = None
        if self.token.kind in (">", ">>", "|", "|&"):
            redirect = self.advance().kind
            self.no_greater = True
            target = self.binary(LEVEL_CONCAT)
            self.no_greater = False
        return (kind, args, redirect, target)

    def if_(self) -> Node:
        arms: list[tuple[Node, Node]] = []
        otherwise: Node | None = None
        while True:
            self.advance()
            condition = self.condition()
            arms.append((condition, self.body()))
            mark = self.at
            self.newlines()
            if self.token.kind != "else":
                self.at = mark
                self.token = self.tokens[mark]
                break
            self.advance()
            self.newlines()
            if self.token.kind != "if":
                otherwise = self.body()
                break
        return ("if", arms, otherwise)

    def condition(self) -> Node:
        self.expect("(")
        node = self.expression()
        self.expect(")")
        return node

    def while_(self) -> Node:
        self.advance()
        condition = self.condition()
        if self.take(";"):
            return ("while", condition, ("block", []))
        return ("while", condition, self.loop_body())

    def do(self) -> Node:
        self.advance()
        body = self.loop_body()
        while self.token.kind in ("newline", ";"):
            self.advance()
        self.expect("while")
        condition = self.condition()
        self.end_statement()
        return ("do", body, condition)

    def for_(self) -> Node:
        self.advance()
        self.expect("(")
        if self.token.kind == "name" and self.tokens[self.at + 1].kind == "in":
            mark = self.at
            variable = self.postfix_name()
            self.advance()
            if self.token.kind == "name":
                array = self.postfix_name()
                if self.take(")"):
                    return ("forin", variable, self.array(array), self.loop_body())
            self.at = mark
            self.token = self.tokens[mark]
        start = None if self.token.kind == ";" else self.simple()
        self.expect(";")
        self.newlines()
        condition = None if self.token.kind == ";" else self.expression()
        self.expect(";")
        self.newlines()
        step = None if self.token.kind == ")" else self.simple()
        self.expect(")")
        return ("for", start, condition, step, self.loop_body())

    def empty(self) -> Node:
        self.advance()
        return ("block", [])

    def switch(self) -> Node:
        self.advance()
        subject = self.condition()
        self.newlines()
        self.expect("{")
        self.deeper()
        self.switches += 1
        cases: list[tuple[Node | None, list[Node]]] = []
        while True:
            while self.token.kind in ("newline", ";"):
                self.advance()
            if self.take("}"):
                break
            label: Node | None = None
            if self.take("case"):
                label = self.unary()
            else:
                self.expect("default")
            self.expect(":")
            body: list[Node] = []
            while True:
                while self.token.kind in ("newline", ";"):
                    self.advance()
                if self.token.kind in ("case", "default", "}"):
                    break
                body.append(self.statement())
            cases.append((label, body))
        self.switches -= 1
        self.depth -= 1
        return ("switch", subject, cases)


_COMPOUND = {
    "if": Parser.if_, "while": Parser.while_, "do": Parser.do, "for": Parser.for_, "switch": Parser.switch,
    ";": Parser.empty,
}  # fmt: skip
