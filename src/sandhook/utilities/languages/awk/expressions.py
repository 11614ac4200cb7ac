"""The grammar of awk's expressions: tokens to a tree of tuples, each with its kind first.

Loops stand in for recursion where operators chain; what nests is counted.

Source: POSIX.1-2024 XCU 3, awk, "grammar"; gawk 5.2 manual for its statements and functions.
"""

from __future__ import annotations

from typing import Any, NoReturn

from sandhook.utilities.languages.awk.lexer import GAWK, Dialect, ProgramError, Token, tokenize
from sandhook.utilities.languages.awk.values import Fatal, Regexp

Node = tuple[Any, ...]
NESTING = 100  #: levels of braces and prefix operators; a parenthesis counts as two
CHAIN = 200  #: operators of one kind that group from the left without being flattened

_ASSIGN = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "^="))
_COMPARE = frozenset(("<", "<=", "==", "!=", ">", ">="))
#: Tokens that can begin an operand after another one: concatenation.
_STARTS = frozenset(
    (
        "number",
        "string",
        "ere",
        "regexp",
        "indirect",
        "call",
        "name",
        "builtin",
        "$",
        "!",
        "(",
        "++",
        "--",
        "-",
        "+",
    )
)
_LVALUES = ("name", "field", "index")
SPECIAL_RULES = ("BEGIN", "END", "BEGINFILE", "ENDFILE")
#: Built-in functions: least and most arguments.
ARITY = {
    "length": (0, 1), "substr": (2, 3), "index": (2, 2), "split": (2, 4), "sub": (2, 3), "gsub": (2, 3),
    "gensub": (3, 4), "match": (2, 3), "tolower": (1, 1), "toupper": (1, 1), "sprintf": (1, 1_000_000),
    "sin": (1, 1), "cos": (1, 1), "atan2": (2, 2), "exp": (1, 1), "log": (1, 1), "sqrt": (1, 1), "int": (1, 1),
    "rand": (0, 0), "srand": (0, 1), "strftime": (0, 3), "systime": (0, 0), "mktime": (1, 2), "asort": (1, 3),
    "asorti": (1, 3), "and": (2, 1_000), "or": (2, 1_000), "xor": (2, 1_000), "lshift": (2, 2), "rshift": (2, 2),
    "compl": (1, 1), "strtonum": (1, 1), "isarray": (1, 1), "typeof": (1, 1), "close": (1, 2), "fflush": (0, 1),
    "system": (1, 1), "patsplit": (2, 4), "mkbool": (1, 1), "inplace::begin": (2, 2), "inplace::end": (2, 2),
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


_LEVELS = {
    "||": 0,
    "&&": 1,
    "in": 2,
    "~": 3,
    "!~": 3,
    "|": 5,
    "|&": 5,
    "+": 7,
    "-": 7,
    "*": 8,
    "/": 8,
    "%": 8,
}
_LEVELS |= dict.fromkeys(_COMPARE, 4)
_LEVEL_COMPARE = 4
LEVEL_CONCAT = 6


class Function:
    """A user's function: parameters, and later its body and which parameters are arrays."""

    def __init__(self, name: str, params: list[str]) -> None:
        self.name = name
        self.params = params
        self.body: Node = ("block", [])
        self.arrays: set[str] = set()


class Expressions:
    """What the parser knows, and its half for expressions.

    Attributes:
        rules: (kind, first pattern, second pattern, body or None); kind is "" for a pattern.
        lines: Where each rule begins.
        functions: By name.
        arrays: Names of global arrays.
        may_assign: The next operand may be the target of an assignment: ``1 + x = 2`` is an error.
        nests: There are arrays of arrays.
        names: Every global name that is used. used: The line where each was first used.
    """

    def __init__(self, text: str, dialect: Dialect = GAWK) -> None:
        self.text = text
        self.dialect = dialect
        self.tokens = tokenize(text, dialect)
        self.at = 0
        self.token = self.tokens[0]
        self.depth = 0
        self.no_greater = False
        self.no_in = False
        self.may_assign = True
        self.nests = False
        self.loops = 0
        self.switches = 0
        self.special_rule = ""
        self.function: Function | None = None
        self.functions: dict[str, Function] = {}
        self.rules: list[tuple[str, Node | None, Node | None, Node | None]] = []
        self.lines: list[int] = []
        self.arrays: set[str] = set()
        self.names: set[str] = set()
        self.used: dict[str, int] = {}
        self._scalars: dict[str, int] = {}
        self._passed: list[tuple[Function | None, str, str, int]] = []
        self._called: list[tuple[str, list[str], Token]] = []

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

    def _scope(self, function: Function | None, name: str) -> set[str]:
        return function.arrays if function is not None and name in function.params else self.arrays

    def array(self, node: Node) -> Node:
        """Note that a name is used as an array."""
        if node[0] == "name":
            self._scope(self.function, node[1]).add(node[1])
        elif node[0] != "index":
            self.unexpected()
        return node

    # ------------------------------------------------------------------ expressions

    def expressions(self, *, group: bool = False) -> list[Node]:
        found = [self.expression(group=group)]
        if found[0][0] == "group" and self.token.kind == ",":
            self.unexpected()
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
        self.may_assign = least < LEVEL_CONCAT
        left = self.unary()
        chain = 0
        while True:
            kind = self.token.kind
            level = _LEVELS.get(kind, -1)
            if kind in _STARTS and kind not in ("+", "-"):
                level = LEVEL_CONCAT
            if level < least or (kind == ">" and self.no_greater) or (kind == "in" and self.no_in):
                return left
            if kind in ("|", "|&") and self.tokens[self.at + 1].kind != "getline":
                return left
            chain += 1
            if chain > CHAIN and kind not in ("||", "&&") and level != LEVEL_CONCAT:
                self.fail(f"more than {CHAIN} operators in a row")
            if left[0] == "group":
                self.unexpected()
            left = self.operator(left, kind, level)
            if kind == "in" and (
                self.token.kind in _STARTS or _LEVELS.get(self.token.kind, 0) > LEVEL_CONCAT
            ):
                self.unexpected()
            if level == _LEVEL_COMPARE and self.token.kind in _COMPARE:
                if self.token.kind == ">" and self.no_greater:
                    return left
                self.unexpected()

    def operator(self, left: Node, kind: str, level: int) -> Node:
        if level == LEVEL_CONCAT:
            right = self.binary(LEVEL_CONCAT + 1)
            return (
                ("cat", [*left[1], right], 0)
                if left[0] == "cat" and left[2] == 0
                else ("cat", [left, right], 0)
            )
        self.advance()
        if kind == "in":
            return ("in", [left], self.array(self.postfix_name()))
        if kind in ("|", "|&"):
            self.advance()
            return ("getline", "<|" if kind == "|" else kind, self.optional_lvalue(), left)
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
            self.may_assign = False
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
        self.may_assign = False
        right = self.unary()  # right-associative: it takes further powers
        self.depth -= 1
        return ("bin", "^", left, right)

    def postfix(self) -> Node:
        may_assign = self.may_assign
        node = self.primary()
        if node[0] in _LVALUES:
            kind = self.token.kind
            if kind in ("++", "--"):
                self.advance()
                return ("incr", node, 1.0 if kind == "++" else -1.0, False)
            if kind in _ASSIGN and may_assign:
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
            return ("num", constant(text) if self.dialect.extensions else float(text))
        if kind == "string":
            self.advance()
            return ("str", token.value)
        if kind == "ere":
            self.advance()
            return ("ere", token.value)
        if kind == "regexp":
            self.advance()
            return ("str", Regexp(token.value))
        if kind == "indirect":
            return self.indirect()
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
            if self.special_rule in ("BEGINFILE", "ENDFILE") and self.token.kind != "<":
                raise Fatal(
                    f"non-redirected `getline' invalid inside `{self.special_rule}' rule", 1, token.line
                )
            if self.take("<"):
                return ("getline", "<", variable, self.primary())
            return ("getline", "", variable, None)
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
        token = self.advance()
        name = token.value
        if self.function is None or name not in self.function.params:
            self.names.add(name)
            self.used.setdefault(name, token.line)
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
            self.nests = self.nests or depth > 1
            node = ("index", self.array(node), subscripts)
        if not depth:
            key = self._used_as(name)
            self._scalars[key] = self._scalars.get(key, 0) + 1
        return node

    def _used_as(self, name: str) -> str:
        """Return a key for a variable: parameters of functions have names of their own."""
        function = self.function
        return f"{function.name}({name}" if function is not None and name in function.params else name

    def _unused(self, args: list[Node]) -> None:
        """Take back that names are used as scalars: nobody knows yet what those in ``args`` are."""
        for arg in args:
            if arg[0] == "name":
                self._scalars[self._used_as(arg[1])] -= 1

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
        self._unused(args)
        self._called.append((token.value, self.function.params if self.function else [], token))
        for position, arg in enumerate(args):
            if arg[0] == "name":
                self._passed.append((self.function, arg[1], token.value, position))
        return ("call", token.value, args)

    def indirect(self) -> Node:
        """A call of the function that a variable names."""
        name = self.advance().value
        if self.function is None or name not in self.function.params:
            self.names.add(name)
        return ("indirect", ("name", name), self.arguments())

    def builtin(self) -> Node:
        token = self.advance()
        name = token.value
        if name == "length" and self.token.kind != "(":
            return ("builtin", name, [])
        args = self.arguments()
        least, most = ARITY[name]
        if len(args) < least and name in ("and", "or", "xor", "sprintf"):
            few = "no arguments" if name == "sprintf" else "called with less than two arguments"
            raise Fatal(f"{name}: {few}", line=token.line)
        if not least <= len(args) <= most:
            self.fail(f"{len(args)} is invalid as number of arguments for {name}", self.tokens[self.at - 1])
        for position in ARRAYS.get(name, ()):
            if position < len(args):
                if args[position][0] not in ("name", "index"):
                    which = ("first", "second", "third", "fourth")[position]
                    raise Fatal(f"{name}: {which} argument is not an array", line=token.line)
                self.array(args[position])
        if name in ("typeof", "isarray"):
            self._unused(args)
            if args[0][0] == "name" and self._scalars[self._used_as(args[0][1])]:
                return ("builtin", name, [*args, ("num", 1.0)])
        if name in ("sub", "gsub") and len(args) > 2 and not _changeable(args[2]):
            self.fail(f"{name} third parameter is not a changeable object", self.tokens[self.at - 1])
        return ("builtin", name, args)


def _changeable(node: Node) -> bool:
    """Return whether sub may store into a node; it passes constants over in silence."""
    while node[0] == "paren":
        node = node[1]
    return node[0] in (*_LVALUES, "str", "num")
