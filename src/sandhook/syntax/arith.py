"""Arithmetic text to a tree, as bash's expr.c reads it.

The text is what is left after the expansions of ``$(( ))``, ``(( ))``, ``let``, subscripts and
``${x:offset:length}``. Numbers are signed 64-bit integers that wrap.

Source: POSIX.1-2024 XCU 2.6.4; bash 5.2 reference manual 6.5 Shell Arithmetic, expr.c.
"""

from __future__ import annotations

from typing import NoReturn

from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.lazy import lazily
from sandhook.limits import check_clock, check_fits, timed_pieces
from sandhook.syntax.nodes import (
    Arith,
    ArithAssign,
    ArithBinary,
    ArithChain,
    ArithComma,
    ArithConditional,
    ArithLogical,
    ArithNumber,
    ArithParameter,
    ArithStep,
    ArithUnary,
    ArithVariable,
)
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import re

#: Operators may stand in each other this deep (levels of the tree).
MAX_DEPTH = 200
#: Operators in a row that become a tree; what follows is kept as a list.
_ROW = 50

BLANKS = " \t\n"
_BLANK_RUN = lazily(r"[ \t\n]+")

#: Tokens between two looks at the clock and the memory, and the bytes that the tree and its closures need for one.
_TOKENS_PER_LOOK = 64
_TOKEN_BYTES = 256
_NAME = lazily(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = lazily(r"[0-9][A-Za-z0-9#@_]*")
_OPERATOR = lazily(r"<<=?|>>=?|[=!<>]=|&&|\|\||\*\*|[*/%+\-&^|]=|[=<>+\-*/%!()&|^~?:,]")
_PARAMETER = lazily(r"(?a)\$(?:(\w+)|\{(\w+)\}|([@*#?\-$!])|\{([@*#?\-$!])\})")
ASSIGNMENTS = frozenset(["=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|="])
_STARTS_NAME = lazily(r"[ \t\n]*[A-Za-z_]")
_SUBSCRIPT_STOP = lazily(r"[\[\]\\'\"`]")

#: Binary operators, loosest first; all group to the left but "**".
PRECEDENCE = {
    operator: level
    for level, operators in enumerate(
        ("||", "&&", "|", "^", "&", "== !=", "<= >= < >", "<< >>", "+ -", "* / %", "**"), 1
    )
    for operator in operators.split()
}
POWER = PRECEDENCE["**"]


def parse_arithmetic(text: str, parameters: bool = False) -> Arith:
    """Parse an arithmetic expression; blank text is the number 0.

    Args:
        text: The expression after its expansions.
        parameters: Accept ``$name`` and ``${name}`` as operands of their own
            (ArithParameter). Where the parameter's text would join its neighbours
            (``1$x``, ``$x=1``, ``$x++``) that is a syntax error all the same.

    Raises:
        ShellSyntaxError: With bash's words, the expression in front, without the name of the
            command: ``1 +: syntax error: operand expected (error token is "+")``.
        LimitExceeded: More than MAX_DEPTH levels of operators or parentheses.
    """
    if not text.strip(BLANKS):
        return ArithNumber(0)
    try:
        return Parser(text, parameters).parse()
    except RecursionError:
        raise LimitExceeded("nesting", MAX_DEPTH, "arithmetic") from None


def parse_number(text: str) -> int:
    """Return an integer constant's value, wrapped: ``12``, ``012``, ``0x1F``, ``2#101``, ``64#@_``.

    Raises:
        ValueError: With bash's words, for example "value too great for base".
    """
    base, digits = 10, text
    if text[:2] in ("0x", "0X"):
        base, digits = 16, text[2:]
    elif text[0] == "0" and len(text) > 1:
        base, digits = 8, text[1:]
    if "#" in digits:
        if base != 10:
            raise ValueError("invalid number")
        prefix, _, digits = text.partition("#")
        base = _accumulate(prefix, 10)
        if not 2 <= base <= 64:
            raise ValueError("invalid arithmetic base")
        if not digits or digits[0] == "#":
            raise ValueError("invalid integer constant")
        if "#" in digits:
            _accumulate(digits.partition("#")[0], base)
            raise ValueError("invalid number")
    value = _accumulate(digits, base)
    return value - (1 << 64) if value >> 63 else value


def _accumulate(digits: str, base: int) -> int:
    value = 0
    for piece in timed_pieces(digits):
        for char in piece:
            if char.isdigit():
                digit = ord(char) - 48
            elif "a" <= char <= "z":
                digit = ord(char) - 87
            elif "A" <= char <= "Z":
                digit = ord(char) - (55 if base <= 36 else 29)
            else:
                digit = 62 if char == "@" else 63
            if digit >= base:
                raise ValueError("value too great for base")
            value = (value * base + digit) & 0xFFFFFFFFFFFFFFFF
    return value


def after_blanks(text: str, at: int) -> int:
    """Return the offset of the first character at or after ``at`` that is not blank."""
    match = _BLANK_RUN.match(text, at)
    return at if match is None else match.end()


class Parser:
    """One token ahead: ``kind`` is "", "name", "number", "parameter" or an operator's spelling;
    ``++`` and ``--`` are "pre" or "post" with the operator."""

    __slots__ = ("at", "depth", "kind", "last", "node", "parameters", "start", "text", "tokens")

    def __init__(self, text: str, parameters: bool) -> None:
        self.text = text
        self.parameters = parameters
        self.at = 0  # after the current token
        self.start = 0  # where the last token that was seen begins: bash's "error token"
        self.kind = ""
        self.last = ""  # kind of the token before
        self.node: Arith = ArithNumber(0)
        self.depth = 0
        self.tokens = 0

    def parse(self) -> Arith:
        self.next()
        value = self.comma()
        if self.kind:
            self.fail("syntax error in expression")
        return value

    def fail(self, message: str, end: int | None = None) -> NoReturn:
        expression = self.text[:end].lstrip(" \t")
        token = self.text[self.start : end]
        raise ShellSyntaxError(
            f'{expression}: {message} (error token is "{token}")',
            source=self.text,
            span=(self.start, len(self.text) if end is None else end),
            line=1,
            column=self.start + 1,
            token=token,
        )

    def deeper(self, levels: int = 1) -> None:
        self.depth += levels
        if self.depth > MAX_DEPTH:
            raise LimitExceeded("nesting", MAX_DEPTH, "arithmetic")

    # ------------------------------------------------------------------ tokens

    def next(self) -> None:
        text, at = self.text, self.at
        before, current = self.last, self.kind
        self.tokens += 1
        if not self.tokens % _TOKENS_PER_LOOK:
            check_clock()
            check_fits(self.tokens * _TOKEN_BYTES)
        if at < len(text) and text[at] in BLANKS:
            at = after_blanks(text, at)
        self.last = current
        if at >= len(text):
            self.kind, self.at = "", at
            return
        self.start = at
        match = _NAME.match(text, at)
        if match:
            self.read_variable(match[0], match.end())
            self.check_after_name()
        elif match := _NUMBER.match(text, at):
            self.kind, self.at = "number", match.end()
            self.node = ArithNumber(self.number(match))
        elif self.parameters and (match := _PARAMETER.match(text, at)):
            self.read_parameter(match)
        elif text.startswith(("++", "--"), at):
            self.read_step(before, current, text[at : at + 2], at)
        elif match := _OPERATOR.match(text, at):
            self.kind, self.at = match[0], match.end()
        else:
            operand = current in ("name", "number", "parameter")
            self.fail(f"syntax error: {'invalid arithmetic operator' if operand else 'operand expected'}")

    def number(self, match: re.Match[str]) -> int:
        try:
            return parse_number(match[0])
        except ValueError as error:
            self.start = match.start()
            self.fail(str(error), match.end())

    def check_after_name(self) -> None:
        """Report what is not a token after a name before the name is used, as bash does."""
        text, at = self.text, after_blanks(self.text, self.at)
        if match := _NUMBER.match(text, at):
            self.number(match)
        elif at < len(text) and not (_NAME.match(text, at) or _OPERATOR.match(text, at) or self.parameters):
            self.start = at
            self.fail("syntax error: invalid arithmetic operator")

    def read_variable(self, name: str, at: int) -> None:
        subscript = None
        if self.text.startswith("[", at):
            end = self.subscript_end(at + 1)
            if end < 0:
                self.fail("bad array subscript")
            subscript = self.text[at + 1 : end]
            at = end + 1
        self.joins(at)
        self.kind, self.at, self.node = "name", at, ArithVariable(name, subscript)

    def subscript_end(self, at: int) -> int:
        """Return the offset of the bracket that closes the subscript at ``at``, -1 for none."""
        open_ = 1
        stops = 0
        while match := _SUBSCRIPT_STOP.search(self.text, at):
            char, at = match[0], match.end()
            stops += 1
            if not stops % _TOKENS_PER_LOOK:
                check_clock()
            if char == "\\":
                at += 1
            elif char in "'\"`":
                at = self.text.find(char, at) + 1
                if not at:
                    return -1
            else:
                open_ += 1 if char == "[" else -1
                if not open_:
                    return at - 1
        return -1

    def read_parameter(self, match: re.Match[str]) -> None:
        name = next(group for group in match.groups() if group)
        end = match.end()
        if match[1] and name[0].isdigit():
            name, end = name[0], match.start() + 2
        before = self.text[: match.start()][-1:]
        if before.isalnum() or before in ("_", "#", "@", "]"):
            self.fail("syntax error: invalid arithmetic operator")
        self.joins(end)
        if self.text[end : end + 1].isalnum() or self.text[end : end + 1] in ("_", "#", "@", "["):
            self.fail("syntax error: invalid arithmetic operator")
        self.kind, self.at, self.node = "parameter", end, ArithParameter(name)

    def joins(self, at: int) -> None:
        """Raise for ``a$x``, whose text would be one name."""
        if self.parameters and self.text.startswith("$", at):
            self.fail("syntax error: invalid arithmetic operator")

    def read_step(self, before: str, current: str, spelling: str, at: int) -> None:
        self.at = at + 2
        if current == "name":
            self.kind = "post" + spelling
        elif current == "number" and before.startswith("pre"):
            self.fail(f"{spelling}: assignment requires lvalue")
        elif _STARTS_NAME.match(self.text, at + 2):
            self.kind = "pre" + spelling
        elif self.parameters and self.text.startswith("$", after_blanks(self.text, at + 2)):
            self.fail("syntax error: operand expected")  # the parameter may hold a name
        else:
            self.kind, self.at = spelling[0], at + 1

    # ------------------------------------------------------------------ grammar

    def comma(self) -> Arith:
        value = self.assignment()
        depth = self.depth
        while self.kind == ",":
            self.deeper()
            self.next()
            value = ArithComma(value, self.assignment())
        self.depth = depth
        return value

    def assignment(self) -> Arith:
        left = self.conditional()
        operator = self.kind
        if operator not in ASSIGNMENTS:
            return left
        if not isinstance(left, ArithVariable) or self.last != "name":
            self.fail("attempted assignment to non-variable")
        self.deeper()
        at = self.at
        self.next()
        if not self.kind:
            self.fail("syntax error: operand expected")
        value = self.assignment()
        self.depth -= 1
        return ArithAssign(operator, left, value, at)

    def conditional(self) -> Arith:
        test = self.binary(1)
        if self.kind != "?":
            return test
        self.deeper()
        self.next()
        if self.kind in ("", ":"):
            self.fail("expression expected")
        then = self.comma()
        if self.kind != ":":
            self.fail("`:' expected for conditional expression")
        self.next()
        if not self.kind:
            self.fail("expression expected")
        otherwise = self.conditional()
        self.depth -= 1
        self.last = "conditional"
        return ArithConditional(test, then, otherwise)

    def binary(self, lowest: int) -> Arith:
        """Climb: an operand and every operator that binds as tightly as ``lowest`` or tighter."""
        left = self.unary()
        depth = self.depth
        row: list[tuple[str, Arith, int]] = []  # what a long row goes on with
        while (level := PRECEDENCE.get(self.kind, 0)) >= lowest:
            operator, at = self.kind, self.at
            if self.depth < depth + _ROW or level <= 2:
                self.deeper()
            self.next()
            right = self.binary(level if level == POWER else level + 1)
            if level <= 2:
                left = ArithLogical(operator, ArithChain(left, tuple(row)) if row else left, right)
                row = []
            elif self.depth < depth + _ROW:
                left = ArithBinary(operator, left, right, at)
            else:
                row.append((operator, right, at))
            self.last = "number"
        self.depth = depth
        return ArithChain(left, tuple(row)) if row else left

    def unary(self) -> Arith:
        operators: list[str] = []
        while self.kind in ("!", "~", "-", "+"):
            operators.append(self.kind)
            self.next()
        self.deeper(len(operators))
        value = self.operand()
        self.depth -= len(operators)
        for operator in reversed(operators):
            value = ArithUnary(operator, value)
            self.last = "number"
        return value

    def operand(self) -> Arith:
        kind = self.kind
        if kind == "name":
            target = self.node
            assert isinstance(target, ArithVariable)
            self.next()
            if self.kind in ("post++", "post--"):
                step = ArithStep(self.kind[4:], target, False)
                self.kind = "number"
                self.next()
                return step
            return target
        if kind == "number" or kind == "parameter":
            value = self.node
            self.next()
            if kind == "parameter" and (self.kind in ASSIGNMENTS or self.kind.startswith("post")):
                self.fail("attempted assignment to non-variable")
            return value
        if kind == "(":
            self.deeper(2)  # it takes more of Python's stack than an operator
            self.next()
            value = self.comma()
            if self.kind != ")":
                self.fail("missing `)'")
            self.depth -= 2
            self.next()
            return value
        if kind not in ("pre++", "pre--"):
            self.fail("syntax error: operand expected")
        self.next()
        if self.kind != "name":
            self.fail("identifier expected after pre-increment or pre-decrement")
        target = self.node
        assert isinstance(target, ArithVariable)
        self.kind, self.last = "number", kind
        step = ArithStep(kind[3:], target, True)
        self.next()
        return step
