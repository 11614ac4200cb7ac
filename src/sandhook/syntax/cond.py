"""[[ ... ]]: its own little grammar, by recursive descent.

Source: bash 5.2 reference manual 3.2.5.2 Conditional Constructs; bash 5.2 parse.y, cond_expr.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from sandhook.syntax.nodes import (
    CondAnd,
    CondBinary,
    CondGroup,
    Condition,
    CondNot,
    CondOr,
    CondUnary,
)
from sandhook.syntax.tokens import END, Token

if TYPE_CHECKING:
    from sandhook.syntax.lexer import Lexer

_UNARY = frozenset("-" + letter for letter in "abcdefghknoprstuvwxzGLNORS")
_BINARY = frozenset(["=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"])


def read_condition(lexer: Lexer) -> tuple[Condition, Token]:
    """Read the expression behind ``[[``; return it with the token of ``]]``."""
    lexer.enter()
    lexer.in_condition = True
    extglob = lexer.extglob
    start = lexer.position
    lexer.last = "COND_CMD"
    reader = _Conditions(lexer, start)
    reader.next()
    condition = reader.or_()
    end = reader.token
    if end.kind != "COND_END":
        reader.fail_at_end()
    lexer.in_condition = False
    lexer.extglob = extglob
    lexer.depth -= 1
    return condition, end


class _Conditions:
    def __init__(self, lexer: Lexer, start: int) -> None:
        self.lexer = lexer
        self.start = start
        self.token = Token("", "", start, start)

    def next(self) -> Token:
        self.token = self.lexer.next_in_condition()
        return self.token

    def skip_newlines(self) -> None:
        while self.token.kind == "NEWLINE":
            self.next()

    def next_line(self) -> None:
        self.next()
        self.skip_newlines()

    def or_(self) -> Condition:
        terms = [self.and_()]
        depth = self.lexer.depth
        while self.token.kind == "OR_OR":
            self.lexer.enter()
            self.next()
            terms.append(self.and_())
        self.lexer.depth = depth
        condition = terms.pop()
        while terms:  # bash groups to the right
            condition = CondOr(terms.pop(), condition)
        return condition

    def and_(self) -> Condition:
        terms = [self.term()]
        depth = self.lexer.depth
        while self.token.kind == "AND_AND":
            self.lexer.enter()
            self.next()
            terms.append(self.term())
        self.lexer.depth = depth
        condition = terms.pop()
        while terms:
            condition = CondAnd(terms.pop(), condition)
        return condition

    def term(self) -> Condition:
        self.skip_newlines()
        token = self.token
        kind = token.kind
        if kind == "LEFT_PAREN":
            self.next()
            condition: Condition = CondGroup(self.or_())
            if self.token.kind != "RIGHT_PAREN":
                self.fail_group()
            self.next_line()
            return condition
        if kind == "BANG" or (kind == "WORD" and token.text == "!"):
            return self.negation()
        if kind != "WORD":
            self.fail_at_token()
        if token.text in _UNARY:
            operand = self.next()
            if operand.kind != "WORD":
                self.fail_unary(operand)
            self.next_line()
            return CondUnary(token.text, operand.value)
        return self.binary(token)

    def negation(self) -> Condition:
        count = 0
        while self.token.kind == "BANG" or (self.token.kind == "WORD" and self.token.text == "!"):
            count += 1
            self.next()
            self.skip_newlines()
        self.lexer.enter()
        condition = self.term()
        self.lexer.depth -= 1
        return CondNot(condition) if count % 2 else condition  # two cancel out

    def binary(self, left: Token) -> Condition:
        operator = self.next()
        kind = operator.kind
        if (kind == "WORD" and operator.text in _BINARY) or kind == "LESS" or kind == "GREATER":
            lexer = self.lexer
            extglob = lexer.extglob
            lexer.in_regex = operator.text == "=~"
            lexer.extglob = extglob or operator.text in ("=", "==", "!=")
            right = self.next()
            lexer.in_regex = False
            lexer.extglob = extglob
            if right.kind != "WORD":
                self.fail_binary(right)
            self.next_line()
            return CondBinary(operator.text, left.value, right.value)
        if kind not in ("COND_END", "AND_AND", "OR_OR", "RIGHT_PAREN"):
            self.fail_operator(operator)
        return CondUnary("-n", left.value, True)

    # ------------------------------------------------------------------ bash's words for errors

    def fail(self, message: str, token: Token) -> NoReturn:
        incomplete = token.end >= self.lexer.length
        self.lexer.fail(message, (token.start, token.end), token=token.text, incomplete=incomplete)

    def fail_at_token(self) -> NoReturn:
        """Raise where an operand must stand."""
        token = self.token
        if token.kind == "COND_END":
            self.fail("syntax error near `]]'", token)
        text = "EOF" if token.kind == END else token.text
        self.fail(f"unexpected token `{text}' in conditional command", token)

    def fail_at_end(self) -> NoReturn:
        """Raise where "]]" must stand."""
        token = self.token
        if token.kind == END:
            self.fail("unexpected EOF while looking for `]]'", token)
        message = "syntax error in conditional expression"
        if token.kind not in ("WORD", "NUMBER"):
            message += f": unexpected token `{token.text}'"
        self.fail(message, token)

    def fail_group(self) -> NoReturn:
        self.fail(f"unexpected token `{self.token.text}', expected `)'", self.token)

    def fail_unary(self, token: Token) -> NoReturn:
        self.fail(f"unexpected argument `{token.text}' to conditional unary operator", token)

    def fail_binary(self, token: Token) -> NoReturn:
        self.fail(f"unexpected argument `{token.text}' to conditional binary operator", token)

    def fail_operator(self, token: Token) -> NoReturn:
        if token.kind in ("WORD", "NUMBER"):
            self.fail("conditional binary operator expected", token)
        self.fail(f"unexpected token `{token.text}', conditional binary operator expected", token)
