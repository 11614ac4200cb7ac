"""[[ ... ]]: its own little grammar, by recursive descent.

Source: bash 5.2 reference manual 3.2.5.2 Conditional Constructs; bash 5.2 parse.y, cond_expr.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.record import new_record
from sandhook.syntax.context import Context
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
from sandhook.syntax.words import WordReader
from sandhook.typed import NoReturn

_UNARY = frozenset("-" + letter for letter in "abcdefghknoprstuvwxzGLNORS")
_BINARY = frozenset(["=", "==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"])


def read_condition(
    reader: WordReader, context: Context, next_token: Callable[[], Token]
) -> tuple[Condition, Token]:
    """Read the expression after ``[[``.

    Args:
        reader: The text.
        context: What the lexer remembers; the parser sets in it what the next token may be.
        next_token: Reads the next token of the text.

    Returns:
        The expression, and the token of ``]]``.
    """
    reader.enter()
    context.in_condition = True
    extglob = reader.extglob
    start = reader.position
    context.last = "COND_CMD"
    conditions = _Conditions(reader, context, next_token, start)
    conditions.next()
    condition = conditions.or_()
    end = conditions.token
    if end.kind != "COND_END":
        conditions.fail_at_end()
    context.in_condition = False
    reader.extglob = extglob
    reader.depth -= 1
    return condition, end


class _Conditions:
    def __init__(
        self, reader: WordReader, context: Context, next_token: Callable[[], Token], start: int
    ) -> None:
        self.reader = reader
        self.context = context
        self.next_token = next_token
        self.start = start
        self.token = Token("", "", start, start)

    def next(self) -> Token:
        self.token = self.next_token()
        return self.token

    def skip_newlines(self) -> None:
        while self.token.kind == "NEWLINE":
            self.next()

    def next_line(self) -> None:
        self.next()
        self.skip_newlines()

    def or_(self) -> Condition:
        terms = [self.and_()]
        depth = self.reader.depth
        while self.token.kind == "OR_OR":
            self.reader.enter()
            self.next()
            terms.append(self.and_())
        self.reader.depth = depth
        condition = terms.pop()
        while terms:  # bash groups to the right
            condition = CondOr(terms.pop(), condition)
        return condition

    def and_(self) -> Condition:
        terms = [self.term()]
        depth = self.reader.depth
        while self.token.kind == "AND_AND":
            self.reader.enter()
            self.next()
            terms.append(self.term())
        self.reader.depth = depth
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
        self.reader.enter()
        condition = self.term()
        self.reader.depth -= 1
        return CondNot(condition) if count % 2 else condition  # two cancel out

    def binary(self, left: Token) -> Condition:
        operator = self.next()
        kind = operator.kind
        if (kind == "WORD" and operator.text in _BINARY) or kind == "LESS" or kind == "GREATER":
            reader = self.reader
            extglob = reader.extglob
            self.context.in_regex = operator.text == "=~"
            reader.extglob = extglob or operator.text in ("=", "==", "!=")
            right = self.next()
            self.context.in_regex = False
            reader.extglob = extglob
            if right.kind != "WORD":
                self.fail_binary(right, operator)
            self.next_line()
            return new_record(CondBinary, (operator.text, left.value, right.value))
        if kind not in ("COND_END", "AND_AND", "OR_OR", "RIGHT_PAREN"):
            self.fail_operator(operator)
        return CondUnary("-n", left.value, True)

    # ------------------------------------------------------------------ bash's words for errors

    def fail(self, message: str, token: Token, line: int | None = None) -> NoReturn:
        incomplete = token.end >= self.reader.length
        self.reader.fail(
            message, (token.start, token.end), token=token.text, incomplete=incomplete, line=line
        )

    def fail_at_token(self) -> NoReturn:
        """Raise where an operand must stand."""
        token = self.token
        if token.kind == "COND_END":
            self.fail("syntax error near `]]'", token)
        text = "EOF" if token.kind == END else token.text
        self.fail(f"unexpected token `{text}' in conditional command", token)

    def fail_at_end(self) -> NoReturn:
        """Raise where "]]" must stand. As in bash, the line is that of "[["."""
        token, line = self.token, self.reader.line_at(self.start)
        if token.kind == END:
            self.fail("unexpected EOF while looking for `]]'", token, line)
        message = "syntax error in conditional expression"
        if token.kind not in ("WORD", "NUMBER"):
            message += f": unexpected token `{token.text}'"
        self.fail(message, token, line)

    def fail_group(self) -> NoReturn:
        self.fail(f"unexpected token `{self.token.text}', expected `)'", self.token)

    def fail_unary(self, token: Token) -> NoReturn:
        self.fail(f"unexpected argument `{token.text}' to conditional unary operator", token)

    def fail_binary(self, token: Token, operator: Token) -> NoReturn:
        if operator.text == "=~" and token.text in ("&", ";", "<", ">", ")"):
            self.fail(f"syntax error in conditional expression: unexpected token `{token.text}'", token)
        self.fail(f"unexpected argument `{token.text}' to conditional binary operator", token)

    def fail_operator(self, token: Token) -> NoReturn:
        if token.kind in ("WORD", "NUMBER"):
            self.fail("conditional binary operator expected", token)
        self.fail(f"unexpected token `{token.text}', conditional binary operator expected", token)
