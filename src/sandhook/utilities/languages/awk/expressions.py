"""The grammar of awk's expressions.

Chains of operators are parsed by loops, so that Python's stack grows only with nesting, which is counted.

Source: POSIX.1-2024 XCU 3, awk, "grammar"; gawk 5.2 manual for its functions.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.utilities.languages.awk.lexer import Token
from sandhook.utilities.languages.awk.nodes import (
    LVALUES,
    And,
    Arithmetic,
    ArithmeticOperator,
    Assignment,
    BuiltinCall,
    Call,
    Comparison,
    Concatenation,
    Conditional,
    Element,
    Ere,
    Expression,
    ExpressionList,
    Field,
    Getline,
    Grouping,
    Increment,
    IndirectCall,
    Lvalue,
    Match,
    Membership,
    Name,
    Negation,
    Not,
    Number,
    Or,
    Relation,
    RuleKind,
    String,
    UnaryPlus,
)
from sandhook.utilities.languages.awk.scope import Scope
from sandhook.utilities.languages.awk.tokens import NESTING, Tokens
from sandhook.utilities.languages.awk.values import Fatal, Regexp

CHAIN = 200  #: operators of one kind in a row, except those that become one node

_RELATIONS: dict[str, Relation] = {"<": "<", "<=": "<=", "==": "==", "!=": "!=", ">": ">", ">=": ">="}
_ARITHMETIC: dict[str, ArithmeticOperator] = {"+": "+", "-": "-", "*": "*", "/": "/", "%": "%"}
_ASSIGNMENTS: dict[str, ArithmeticOperator] = {
    "+=": "+", "-=": "-", "*=": "*", "/=": "/", "%=": "%", "^=": "^",
}  # fmt: skip
#: Tokens that can begin an operand after another operand: concatenation.
_STARTS = frozenset(
    (
        "number", "string", "ere", "indirect", "call", "name", "builtin", "getline", "$", "!", "(", "++", "--",
        "-", "+",
    )
)  # fmt: skip
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
#: Built-in functions: positions of the arguments that are arrays.
_ARRAYS = {"split": (1, 3), "patsplit": (1, 3), "match": (2,), "asort": (0, 1), "asorti": (0, 1)}

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
_LEVELS |= dict.fromkeys(_RELATIONS, 4)
_LEVEL_COMPARE = 4
_LEVEL_PIPE = 5
_LEVEL_CONCAT = 6
_INCREMENTED = "cannot assign a value to the result of a field post-increment expression"


def constant(text: str) -> float:
    """Return the value of a number in a program; gawk reads C's octal and hexadecimal numbers too."""
    if text[:1] == "0" and len(text) > 1:
        if text[1] in "xX":
            digits = text[2:].lstrip("0")
            return float(int(digits or "0", 16)) if len(digits) <= 256 else float("inf")
        if text.isdigit() and not set(text) & {"8", "9"}:
            digits = text.lstrip("0")
            return float(int(digits or "0", 8)) if len(digits) <= 341 else float("inf")
    return float(text)


class ExpressionParser:
    """Parses expressions at the cursor.

    Attributes:
        redirects: ``>`` and ``|`` are redirections at the cursor, not a relation and the pipe of getline.
        rule_kind: The kind of the special rule that is parsed, "" in other rules and in functions.
    """

    def __init__(self, tokens: Tokens, scope: Scope, *, extensions: bool) -> None:
        self._tokens = tokens
        self._scope = scope
        self._extensions = extensions
        self._may_assign = True  #: the next operand may be assigned to: ``1 + x = 2`` is an error
        self.redirects = False
        self.rule_kind: RuleKind = ""

    # ------------------------------------------------------------------ operators

    def redirection(self) -> Expression:
        """Parse the target of a redirection of print: operands and getline, without relations and assignments."""
        self._may_assign = False
        return self._operations(self.unary(), _LEVEL_PIPE)

    def expressions(self, *, group: bool = False) -> list[Expression]:
        """Parse one or more expressions; with ``group`` a single ``(a, b)`` is allowed."""
        nodes = [self.expression(group=group)]
        if isinstance(nodes[0], ExpressionList) and self._tokens.kind == ",":
            self._tokens.fail_unexpected()
        while self._tokens.accept(","):
            self._tokens.skip_newlines()
            nodes.append(self.expression())
        return nodes

    def expression(self, *, group: bool = False) -> Expression:
        """Parse a conditional expression or an assignment."""
        tokens = self._tokens
        tokens.enter()
        node = self.binary(0)
        if tokens.accept("?"):
            tokens.skip_newlines()
            first = self.expression()
            tokens.expect(":")
            tokens.skip_newlines()
            node = Conditional(node, first, self.expression())
        tokens.leave()
        if isinstance(node, ExpressionList) and not group:
            tokens.fail_unexpected()
        return node

    def binary(self, least: int) -> Expression:
        """Parse operators of level ``least`` and of the levels that bind more tightly."""
        self._may_assign = least < _LEVEL_CONCAT
        return self._operations(self.unary(), least)

    def _operations(self, left: Expression, least: int) -> Expression:
        """Parse the operators after an operand."""
        tokens = self._tokens
        chain = 0
        while True:
            kind = tokens.kind
            level = _LEVELS.get(kind, -1)
            if kind in _STARTS and kind not in ("+", "-"):
                level = _LEVEL_CONCAT
            if level < least or (self.redirects and kind in (">", "|", "|&")):
                return left
            chain += 1
            if chain > CHAIN and kind not in ("||", "&&") and level != _LEVEL_CONCAT:
                tokens.fail(f"more than {CHAIN} operators in a row")
            if isinstance(left, ExpressionList):
                tokens.fail_unexpected()
            left = self._operator(left, kind, level)
            if kind == "in" and (tokens.kind in _STARTS or _LEVELS.get(tokens.kind, 0) > _LEVEL_CONCAT):
                tokens.fail_unexpected()
            if level == _LEVEL_COMPARE and tokens.kind in _RELATIONS:
                if tokens.kind == ">" and self.redirects:
                    return left
                tokens.fail_unexpected()

    def _operator(self, left: Expression, kind: str, level: int) -> Expression:
        tokens = self._tokens
        if level == _LEVEL_CONCAT:
            parts = [*(left.parts if isinstance(left, Concatenation) else (left,))]
            while tokens.kind in _STARTS and tokens.kind not in ("+", "-"):
                parts.append(self.binary(_LEVEL_CONCAT + 1))
            return Concatenation(tuple(parts))
        tokens.advance()
        if kind == "in":
            return Membership((left,), self.array_name())
        if kind in ("|", "|&"):
            tokens.expect("getline")
            return self._power(Getline("<|" if kind == "|" else "|&", self._optional_lvalue(), left))
        if kind in ("&&", "||"):
            node_class = And if kind == "&&" else Or
            tokens.skip_newlines()
            parts = [*(left.parts if isinstance(left, node_class) else (left,)), self.binary(level + 1)]
            while tokens.accept(kind):
                tokens.skip_newlines()
                parts.append(self.binary(level + 1))
            return node_class(tuple(parts))
        typed = level == _LEVELS["~"] and tokens.kind == "regexp"
        right = self.regexp() if typed else self.binary(level + 1)
        if isinstance(right, ExpressionList):
            tokens.fail_unexpected()
        if kind in ("~", "!~"):
            return Match(left, right, kind == "!~")
        if kind in _RELATIONS:
            return Comparison(_RELATIONS[kind], left, right)
        return Arithmetic(_ARITHMETIC[kind], left, right)

    def unary(self) -> Expression:
        """Parse an operand with its prefix operators."""
        kind = self._tokens.kind
        if kind not in ("-", "+", "!"):
            return self._power(self._postfix())
        self._tokens.enter()
        self._tokens.advance()
        self._may_assign = False
        operand = self.unary()
        self._tokens.leave()
        if kind == "!":
            return Not(operand)
        return Negation(operand) if kind == "-" else UnaryPlus(operand)

    def _power(self, left: Expression) -> Expression:
        if self._tokens.kind != "^":
            return left
        self._tokens.enter()
        self._tokens.advance()
        self._may_assign = False
        right = self.unary()  # includes further powers, because "^" is right-associative
        self._tokens.leave()
        return Arithmetic("^", left, right)

    def _parse_increment(self, node: Lvalue) -> Lvalue | Increment:
        """Parse a ``++`` or ``--`` after a variable."""
        kind = self._tokens.kind
        if kind not in ("++", "--"):
            return node
        self._tokens.advance()
        return Increment(node, 1.0 if kind == "++" else -1.0, False)

    def _postfix(self) -> Expression:
        tokens = self._tokens
        may_assign = self._may_assign
        is_field = tokens.kind == "$"
        node = self._primary()
        if is_field and isinstance(node, Increment):
            return self._incremented_field(node, may_assign)
        if not isinstance(node, LVALUES):
            return node
        incremented = self._parse_increment(node)
        if incremented is not node:
            return incremented
        kind = tokens.kind
        if may_assign and (kind == "=" or kind in _ASSIGNMENTS):
            tokens.advance()
            return Assignment(_ASSIGNMENTS.get(kind, ""), node, self._assigned(kind))
        return node

    def _assigned(self, kind: str) -> Expression:
        """Parse the value of an assignment."""
        if kind == "=" and self._tokens.kind == "regexp":
            return self.regexp()
        self._tokens.enter()
        value = self.expression()
        self._tokens.leave()
        return value

    def _incremented_field(self, node: Increment, may_assign: bool) -> Expression:
        """Return ``$x++``, which cannot be assigned to and not be incremented again."""
        tokens = self._tokens
        kind = tokens.kind
        if kind in ("++", "--"):
            tokens.fail(_INCREMENTED)
        if may_assign and (kind == "=" or kind in _ASSIGNMENTS):
            tokens.advance()
            self._assigned(kind)
            tokens.fail(_INCREMENTED)
        return node

    # ------------------------------------------------------------------ operands

    def _primary(self) -> Expression:
        kind = self._tokens.kind
        if kind == "name":
            return self.name()
        parse = _PRIMARIES.get(kind)
        return self._tokens.fail_unexpected() if parse is None else parse(self)

    def _number(self) -> Expression:
        text = self._tokens.advance().value
        return Number(constant(text) if self._extensions else float(text))

    def _string(self) -> Expression:
        return String(self._tokens.advance().value)

    def _ere(self) -> Expression:
        return Ere(self._tokens.advance().value)

    def regexp(self) -> Expression:
        """Parse ``@/re/``, which is a whole value: of an assignment, of an argument, or after ``~``."""
        node = String(Regexp(self._tokens.advance().value))
        kind = self._tokens.kind
        if kind in _STARTS or _LEVELS.get(kind, 0) >= _LEVEL_CONCAT:
            self._tokens.fail_unexpected()
        return node

    def _field(self) -> Expression:
        self._tokens.advance()
        self._tokens.enter()
        if self._tokens.kind == "getline":
            self._tokens.fail_unexpected()
        operand = self.unary() if self._tokens.kind in ("-", "+", "!") else self._primary()
        self._tokens.leave()
        return self._parse_increment(Field(operand))  # the nearest "$" takes it: "$$2++" changes $2

    def _increment(self) -> Expression:
        kind = self._tokens.advance().kind
        self._tokens.enter()
        token = self._tokens.current
        target = self._primary()
        self._tokens.leave()
        if token.kind == "$" and isinstance(target, Increment):
            self._tokens.fail(_INCREMENTED, self._tokens.previous)
        if not isinstance(target, LVALUES):
            self._tokens.fail("syntax error", token)
        return Increment(target, 1.0 if kind == "++" else -1.0, True)

    def _getline(self) -> Expression:
        token = self._tokens.advance()
        variable = self._optional_lvalue()
        if self.rule_kind in ("BEGINFILE", "ENDFILE") and self._tokens.kind != "<":
            raise Fatal(f"non-redirected `getline' invalid inside `{self.rule_kind}' rule", 1, token.line)
        if self._tokens.accept("<"):
            return Getline("<", variable, self.binary(_LEVEL_CONCAT + 1))
        return Getline("", variable, None)

    def _grouping(self) -> Expression:
        tokens = self._tokens
        tokens.enter()
        tokens.advance()
        nodes = self._inside()
        tokens.expect(")")
        tokens.leave()
        if len(nodes) > 1:
            if tokens.accept("in"):
                return Membership(tuple(nodes), self.array_name())
            return ExpressionList(tuple(nodes))
        if isinstance(nodes[0], (Concatenation, And, Or, *LVALUES)):
            return Grouping(nodes[0])
        return nodes[0]

    def _inside(self) -> list[Expression]:
        """Parse expressions inside brackets, where ``>`` is a relation."""
        outer, self.redirects = self.redirects, False
        nodes = self.expressions()
        self.redirects = outer
        return nodes

    # ------------------------------------------------------------------ names

    def name(self) -> Name | Element:
        """Parse a variable, or an element of an array."""
        tokens, scope = self._tokens, self._scope
        token = tokens.expect("name")
        scope.add_name(token.value, token.line)
        node: Name | Element = Name(token.value)
        depth = 0
        while tokens.kind == "[":
            depth += 1
            if depth > NESTING:
                tokens.fail_nesting()
            tokens.advance()
            subscripts = self.expressions()
            tokens.expect("]")
            scope.nests = scope.nests or depth > 1
            node = Element(self.as_array(node), tuple(subscripts))
        if not depth:
            scope.add_scalar_use(token.value)
        return node

    def as_array(self, node: Name | Element) -> Name | Element:
        """Record that a name is used as an array."""
        if isinstance(node, Name):
            self._scope.add_array(node.name)
        return node

    def array_name(self) -> Name | Element:
        """Parse the name of an array, or an element that is an array."""
        node = self.name()
        self._scope.drop_scalar_uses((node,))
        return self.as_array(node)

    def _optional_lvalue(self) -> Lvalue | None:
        if self._tokens.kind == "$":
            node = self._primary()
            if not isinstance(node, Field):
                self._tokens.fail(_INCREMENTED, self._tokens.previous)
            return node
        return self.name() if self._tokens.kind == "name" else None

    # ------------------------------------------------------------------ calls

    def _arguments(self) -> tuple[Expression, ...]:
        tokens = self._tokens
        tokens.expect("(")
        tokens.enter()
        outer, self.redirects = self.redirects, False
        nodes: list[Expression] = []
        while tokens.kind != ")" or nodes:
            nodes.append(self.regexp() if tokens.kind == "regexp" else self.expression())
            if not tokens.accept(","):
                break
            tokens.skip_newlines()
        self.redirects = outer
        tokens.expect(")")
        tokens.leave()
        return tuple(nodes)

    def _call(self) -> Expression:
        token = self._tokens.advance()
        arguments = self._arguments()
        self._scope.add_call(token, arguments)
        return Call(token.value, arguments)

    def _indirect_call(self) -> Expression:
        name = self._tokens.advance().value
        self._scope.add_name(name)
        return IndirectCall(Name(name), self._arguments())

    def _builtin_call(self) -> Expression:
        token = self._tokens.advance()
        name = token.value
        if name == "length" and self._tokens.kind != "(":
            return BuiltinCall(name, ())
        arguments = self._arguments()
        self._check_count(token, len(arguments))
        self._check_arrays(token, arguments)
        if name == "index" and self._tokens.token_before(2).kind in ("ere", "regexp"):
            raise Fatal("index: regexp constant as second argument is not allowed", line=token.line)
        if name in ("typeof", "isarray", "length"):
            self._scope.drop_scalar_uses(arguments)
        if name in ("typeof", "isarray"):
            first = arguments[0]
            if isinstance(first, Name) and self._scope.is_used_as_scalar(first.name):
                return BuiltinCall(name, (*arguments, Number(1.0)))
        if name in ("sub", "gsub") and len(arguments) > 2 and not _is_changeable(arguments[2]):
            self._tokens.fail(f"{name} third parameter is not a changeable object", self._tokens.previous)
        return BuiltinCall(name, arguments)

    def _check_count(self, token: Token, count: int) -> None:
        name = token.value
        least, most = ARITY[name]
        if count < least and name in ("and", "or", "xor", "sprintf"):
            few = "no arguments" if name == "sprintf" else "called with less than two arguments"
            raise Fatal(f"{name}: {few}", line=token.line)
        if not least <= count <= most:
            self._tokens.fail(f"{count} is invalid as number of arguments for {name}", self._tokens.previous)

    def _check_arrays(self, token: Token, arguments: tuple[Expression, ...]) -> None:
        for position in _ARRAYS.get(token.value, ()):
            if position < len(arguments):
                argument = arguments[position]
                if not isinstance(argument, (Name, Element)):
                    which = ("first", "second", "third", "fourth")[position]
                    raise Fatal(f"{token.value}: {which} argument is not an array", line=token.line)
                self._scope.drop_scalar_uses((argument,))
                self.as_array(argument)


_PRIMARIES: dict[str, Callable[[ExpressionParser], Expression]] = {
    "number": ExpressionParser._number,
    "string": ExpressionParser._string,
    "ere": ExpressionParser._ere,
    "indirect": ExpressionParser._indirect_call,
    "$": ExpressionParser._field,
    "++": ExpressionParser._increment,
    "--": ExpressionParser._increment,
    "(": ExpressionParser._grouping,
    "call": ExpressionParser._call,
    "builtin": ExpressionParser._builtin_call,
    "getline": ExpressionParser._getline,
}


def _is_changeable(node: Expression) -> bool:
    """Return True when sub accepts a node as its target; it ignores a constant."""
    return isinstance(node, (*LVALUES, String, Number))
