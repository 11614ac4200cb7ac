"""The grammar of awk: tokens to a tree of tuples, each with its kind first.

Loops stand in for recursion where operators chain; what nests is counted.

Source: POSIX.1-2024 XCU 3, awk, "grammar"; gawk 5.2 manual for its statements and functions.
"""

from __future__ import annotations

from typing import Any, NoReturn

from sandhook.utilities.awk.lexer import ProgramError, Token, tokenize
from sandhook.utilities.awk.values import Fatal

Node = tuple[Any, ...]
NESTING = 100  #: levels of braces and prefix operators; a parenthesis counts as two
CHAIN = 200  #: operators of one kind that group from the left without being flattened

_ASSIGN = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "^="))
_COMPARE = frozenset(("<", "<=", "==", "!=", ">", ">="))
#: Tokens that can begin an operand behind another one: concatenation.
_STARTS = frozenset(
    ("number", "string", "ere", "call", "name", "builtin", "$", "!", "(", "++", "--", "-", "+")
)
_LVALUES = ("name", "field", "index")
_SPECIAL_RULES = ("BEGIN", "END", "BEGINFILE", "ENDFILE")
#: Built-in functions: least and most arguments.
ARITY = {
    "length": (0, 1), "substr": (2, 3), "index": (2, 2), "split": (2, 4), "sub": (2, 3), "gsub": (2, 3),
    "gensub": (3, 4), "match": (2, 3), "tolower": (1, 1), "toupper": (1, 1), "sprintf": (1, 1_000_000),
    "sin": (1, 1), "cos": (1, 1), "atan2": (2, 2), "exp": (1, 1), "log": (1, 1), "sqrt": (1, 1), "int": (1, 1),
    "rand": (0, 0), "srand": (0, 1), "strftime": (0, 3), "systime": (0, 0), "mktime": (1, 2), "asort": (1, 3),
    "asorti": (1, 3), "and": (2, 1_000), "or": (2, 1_000), "xor": (2, 1_000), "lshift": (2, 2), "rshift": (2, 2),
    "compl": (1, 1), "strtonum": (1, 1), "isarray": (1, 1), "typeof": (1, 1), "close": (1, 2), "fflush": (0, 1),
    "system": (1, 1), "patsplit": (2, 4), "mkbool": (1, 1),
}  # fmt: skip
#: Which arguments of them are arrays.
ARRAYS = {"split": (1, 3), "patsplit": (1, 3), "match": (2,), "asort": (0, 1), "asorti": (0, 1)}


def constant(text: str) -> float:
    """Return what a number in a program means: gawk reads C's octal and hexadecimal ones too."""
    if text[:1] == "0" and len(text) > 1:
        if text[1] in "xX":
            digits = text[2:].lstrip("0")
            return float(int(digits or "0", 16)) if len(digits) <= 256 else float("inf")
        if text.isdigit() and not set(text) & {"8", "9"}:
            digits = text.lstrip("0")
            return float(int(digits or "0", 8)) if len(digits) <= 341 else float("inf")
    return float(text)


class Function:
    """A user's function: parameters, and later its body and which parameters are arrays."""

    def __init__(self, name: str, params: list[str]) -> None:
        self.name = name
        self.params = params
        self.body: Node = ("block", [])
        self.arrays: set[str] = set()


class Parser:
    """One use: ``Parser(text).parse()`` fills ``rules``, ``functions`` and ``arrays``.

    Attributes:
        rules: (kind, first pattern, second pattern, body or None); kind is "" for a pattern.
        functions: By name.
        arrays: Names of global arrays.
        names: Every global name that is used.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.at = 0
        self.token = self.tokens[0]
        self.depth = 0
        self.no_greater = False
        self.no_in = False
        self.loops = 0
        self.switches = 0
        self.special_rule = ""
        self.function: Function | None = None
        self.functions: dict[str, Function] = {}
        self.rules: list[tuple[str, Node | None, Node | None, Node | None]] = []
        self.arrays: set[str] = set()
        self.names: set[str] = set()
        self._passed: list[tuple[Function | None, str, str, int]] = []
        self._called: list[tuple[str, int, Token]] = []

    # ------------------------------------------------------------------ tokens

    def advance(self) -> Token:
        token = self.token
        self.at += 1
        if self.at < len(self.tokens):
            self.token = self.tokens[self.at]
        return token

    def take(self, kind: str) -> bool:
        if self.token.kind == kind:
            self.advance()
            return True
        return False

    def expect(self, kind: str) -> Token:
        if self.token.kind != kind:
            self.unexpected()
        return self.advance()

    def unexpected(self) -> NoReturn:
        kind = self.token.kind
        message = "unexpected newline or end of string" if kind in ("newline", "end") else "syntax error"
        raise ProgramError(message, self.token.line, self.token.at)

    def fail(self, message: str, token: Token | None = None) -> NoReturn:
        token = token or self.token
        raise ProgramError(message, token.line, token.at)

    def newlines(self) -> None:
        while self.token.kind == "newline":
            self.advance()

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > NESTING:
            self.fail(f"program nests deeper than {NESTING} levels")

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
        kind = self.token.kind
        if kind == "function":
            self.define()
        elif kind in _SPECIAL_RULES:
            self.advance()
            if self.token.kind != "{":
                self.fail(f"{kind} blocks must have an action part")
            self.special_rule = kind
            self.rules.append((kind, None, None, self.block()))
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

    def define(self) -> None:
        self.advance()
        if self.token.kind not in ("name", "call"):
            self.unexpected()
        token = self.advance()
        self.expect("(")
        params: list[str] = []
        self.newlines()
        while self.token.kind == "name":
            name = self.advance().value
            if name in params:
                self.fail(
                    f"function `{token.value}': parameter #{len(params) + 1}, `{name}', duplicates parameter"
                )
            if name == token.value:
                raise Fatal(f"function `{name}': cannot use function name as parameter name", 1)
            params.append(name)
            if not self.take(","):
                break
            self.newlines()
        self.newlines()
        self.expect(")")
        self.newlines()
        if token.value in self.functions:
            self.fail(f"function name `{token.value}' previously defined", token)
        function = self.functions[token.value] = Function(token.value, params)
        self.function = function
        function.body = self.block()
        self.function = None

    def _resolve(self) -> None:
        """Check calls, and find which variables and parameters are arrays, through calls too."""
        for name, count, token in self._called:
            if name not in self.functions:
                raise Fatal(f"function `{name}' not defined")
            if count > len(self.functions[name].params):
                self.fail(f"function `{name}' called with more arguments than declared", token)
        changed = True
        while changed:
            changed = False
            for scope, name, callee, position in self._passed:
                target = self.functions[callee]
                arrays = self._scope(scope, name)
                if target.params[position] in target.arrays and name not in arrays:
                    arrays.add(name)
                    changed = True

    def _scope(self, function: Function | None, name: str) -> set[str]:
        return function.arrays if function is not None and name in function.params else self.arrays

    def array(self, node: Node) -> Node:
        """Note that a name is used as an array."""
        if node[0] == "name":
            self._scope(self.function, node[1]).add(node[1])
        elif node[0] != "index":
            self.unexpected()
        return node

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
        """The statement behind a condition; ";" alone is an empty one."""
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
        kind = self.token.kind
        if kind == "{":
            return self.block()
        compound = _COMPOUND.get(kind)
        if compound is not None:
            return compound(self)
        node = self.simple()
        self.end_statement()
        return node

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
                self.fail(f"`{kind}' is not allowed outside a loop{' or switch' if kind == 'break' else ''}")
            self.advance()
            return (kind,)
        if kind in ("next", "nextfile"):
            if self.special_rule and (kind, self.special_rule) != ("nextfile", "BEGINFILE"):
                raise Fatal(f"`{kind}' used in {self.special_rule} action", 1)
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
        kind = self.advance().kind
        args: list[Node] = []
        self.no_greater = True
        if self.token.kind not in ("newline", ";", "}", ">", ">>", "|", "end"):
            args = self.expressions(group=True)
            if len(args) == 1 and args[0][0] == "group":
                args = args[0][1]
        self.no_greater = False
        if kind == "printf" and not args:
            self.fail("printf: no format given" if self.token.kind == "end" else "syntax error")
        redirect = ""
        target: Node | None = None
        if self.token.kind in (">", ">>", "|"):
            redirect = self.advance().kind
            self.no_greater = True
            target = self.binary(_LEVEL_CONCAT)
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
            while self.token.kind in ("newline", ";"):
                self.advance()
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

    # ------------------------------------------------------------------ expressions

    def expressions(self, *, group: bool = False) -> list[Node]:
        found = [self.expression(group=group)]
        while self.take(","):
            self.newlines()
            found.append(self.expression())
        return found

    def expression(self, *, group: bool = False) -> Node:
        """Parse a ternary expression or an assignment."""
        self.deeper()
        condition = self.binary(0)
        if self.take("?"):
            self.newlines()
            first = self.expression()
            self.newlines()
            self.expect(":")
            self.newlines()
            condition = ("cond", condition, first, self.expression())
        self.depth -= 1
        if condition[0] == "group" and not group:
            self.unexpected()
        return condition

    def binary(self, least: int) -> Node:
        """Parse operators that bind at least as tightly as level ``least``."""
        left = self.unary()
        chain = 0
        while True:
            kind = self.token.kind
            level = _LEVELS.get(kind, -1)
            if kind in _STARTS and kind not in ("+", "-"):
                level = _LEVEL_CONCAT
            if level < least or (kind == ">" and self.no_greater) or (kind == "in" and self.no_in):
                return left
            if kind == "|" and self.tokens[self.at + 1].kind != "getline":
                return left
            chain += 1
            if chain > CHAIN and kind not in ("||", "&&") and level != _LEVEL_CONCAT:
                self.fail(f"more than {CHAIN} operators in a row")
            if left[0] == "group":
                self.unexpected()
            left = self.operator(left, kind, level)
            if level == _LEVEL_COMPARE and self.token.kind in _COMPARE:
                if self.token.kind == ">" and self.no_greater:
                    return left
                self.unexpected()

    def operator(self, left: Node, kind: str, level: int) -> Node:
        if level == _LEVEL_CONCAT:
            right = self.binary(_LEVEL_CONCAT + 1)
            return (
                ("cat", [*left[1], right], 0)
                if left[0] == "cat" and left[2] == 0
                else ("cat", [left, right], 0)
            )
        self.advance()
        if kind == "in":
            return ("in", [left], self.array(self.postfix_name()))
        if kind == "|":
            self.advance()
            return ("getline", "command", self.optional_lvalue(), left)
        if kind in ("&&", "||"):
            self.newlines()
            right = self.binary(level + 1)
            name = "and" if kind == "&&" else "or"
            return (name, [*left[1], right]) if left[0] == name else (name, [left, right])
        right = self.binary(level + 1)
        if right[0] == "group":
            self.unexpected()
        if kind in ("~", "!~"):
            return ("match", left, right, kind == "!~")
        return ("cmp" if kind in _COMPARE else "bin", kind, left, right)

    def unary(self) -> Node:
        kind = self.token.kind
        if kind in ("-", "+", "!"):
            self.deeper()
            self.advance()
            operand = self.unary()
            self.depth -= 1
            if kind == "!":
                return ("not", operand)
            return ("neg" if kind == "-" else "pos", operand)
        return self.power()

    def power(self) -> Node:
        left = self.postfix()
        if self.token.kind != "^":
            return left
        self.deeper()
        self.advance()
        right = self.unary()  # right-associative: it takes further powers
        self.depth -= 1
        return ("bin", "^", left, right)

    def postfix(self) -> Node:
        node = self.primary()
        if node[0] in _LVALUES:
            kind = self.token.kind
            if kind in ("++", "--"):
                self.advance()
                return ("incr", node, 1.0 if kind == "++" else -1.0, False)
            if kind in _ASSIGN:
                self.advance()
                self.newlines()
                self.deeper()
                held = self.no_in
                value = self.expression()
                self.no_in = held
                self.depth -= 1
                return ("assign", kind[:-1], node, value)
        return node

    def primary(self) -> Node:
        token = self.token
        kind = token.kind
        if kind == "number":
            self.advance()
            text = token.value
            return ("num", constant(text))
        if kind == "string":
            self.advance()
            return ("str", token.value)
        if kind == "ere":
            self.advance()
            return ("ere", token.value)
        if kind == "$":
            self.advance()
            self.deeper()
            if self.token.kind in ("++", "--", "-", "+", "!"):
                operand = self.unary() if self.token.kind in ("-", "+", "!") else self.primary()
            else:
                operand = self.primary()
            self.depth -= 1
            return ("field", operand)
        if kind in ("++", "--"):
            self.advance()
            self.deeper()
            target = self.primary()
            self.depth -= 1
            if target[0] not in _LVALUES:
                self.unexpected()
            return ("incr", target, 1.0 if kind == "++" else -1.0, True)
        if kind == "(":
            return self.grouping()
        if kind == "name":
            return self.postfix_name()
        if kind == "call":
            return self.call()
        if kind == "builtin":
            return self.builtin()
        if kind == "getline":
            self.advance()
            variable = self.optional_lvalue()
            if self.take("<"):
                return ("getline", "file", variable, self.primary())
            return ("getline", "main", variable, None)
        return self.unexpected()

    def grouping(self) -> Node:
        self.deeper()
        self.advance()
        held = self.no_greater, self.no_in
        self.no_greater = self.no_in = False
        found = self.expressions()
        self.no_greater, self.no_in = held
        self.expect(")")
        self.depth -= 1
        if len(found) > 1:
            if self.token.kind == "in" and not self.no_in:
                self.advance()
                return ("in", found, self.array(self.postfix_name()))
            return ("group", found)
        if found[0][0] in ("cat", *_LVALUES, "and", "or"):
            return ("paren", found[0])
        return found[0]

    def postfix_name(self) -> Node:
        """A variable, or an element of an array, of arrays too."""
        if self.token.kind != "name":
            self.unexpected()
        name = self.advance().value
        if self.function is None or name not in self.function.params:
            self.names.add(name)
        node: Node = ("name", name)
        depth = 0
        while self.token.kind == "[":
            depth += 1
            if depth > NESTING:
                self.fail(f"program nests deeper than {NESTING} levels")
            self.advance()
            held = self.no_greater, self.no_in
            self.no_greater = self.no_in = False
            subscripts = self.expressions()
            self.no_greater, self.no_in = held
            self.expect("]")
            node = ("index", self.array(node), subscripts)
        return node

    def optional_lvalue(self) -> Node | None:
        if self.token.kind == "$":
            return self.primary()
        return self.postfix_name() if self.token.kind == "name" else None

    def arguments(self) -> list[Node]:
        self.expect("(")
        self.deeper()
        held = self.no_greater, self.no_in
        self.no_greater = self.no_in = False
        self.newlines()
        found = [] if self.token.kind == ")" else self.expressions()
        self.newlines()
        self.expect(")")
        self.no_greater, self.no_in = held
        self.depth -= 1
        return found

    def call(self) -> Node:
        token = self.advance()
        args = self.arguments()
        self._called.append((token.value, len(args), token))
        for position, arg in enumerate(args):
            if arg[0] == "name":
                self._passed.append((self.function, arg[1], token.value, position))
        return ("call", token.value, args)

    def builtin(self) -> Node:
        token = self.advance()
        name = token.value
        if name == "length" and self.token.kind != "(":
            return ("builtin", name, [])
        args = self.arguments()
        least, most = ARITY[name]
        if not least <= len(args) <= most:
            self.fail(f"{len(args)} is invalid as number of arguments for {name}", token)
        for position in ARRAYS.get(name, ()):
            if position < len(args):
                self.array(args[position])
        return ("builtin", name, args)


_COMPOUND = {
    "if": Parser.if_, "while": Parser.while_, "do": Parser.do, "for": Parser.for_, "switch": Parser.switch,
    ";": Parser.empty,
}  # fmt: skip

_LEVELS = {"||": 0, "&&": 1, "in": 2, "~": 3, "!~": 3, "|": 5, "+": 7, "-": 7, "*": 8, "/": 8, "%": 8}
_LEVELS |= dict.fromkeys(_COMPARE, 4)
_LEVEL_COMPARE = 4
_LEVEL_CONCAT = 6
