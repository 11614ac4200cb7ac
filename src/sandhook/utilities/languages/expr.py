"""expr: evaluate an expression.

Source: POSIX.1-2024 XCU 3, expr. Oracle: GNU coreutils 9.1.
Divergence: L-EXPR-001, integers have at most 4,000 digits (GNU's have any length). L-EXPR-002, parentheses
and prefix operators nest up to 50 levels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError, option_set
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import compile_bre

RAW = True
USAGE_STATUS = 2
WRITE_STATUS = 3

_INTEGER = re.compile(r"-?[0-9]+", re.ASCII)
MAX_DIGITS = 4_000  #: of a number; Python itself refuses more than 4,300 in one text

#: Parentheses inside each other, and operators in a row.
MAX_NESTING = 50

_LEVELS: tuple[tuple[str, ...], ...] = (
    ("|",), ("&",), ("<", "<=", "=", "==", "!=", ">=", ">"), ("+", "-"), ("*", "/", "%"), (":",),
)  # fmt: skip


@option_set
class Options:
    """expr EXPRESSION

    Print the value of EXPRESSION. From weak to strong: | & < <= = != >= > + - * / % : ( ), and
    match STRING RE, substr STRING POSITION LENGTH, index STRING CHARACTERS, length STRING, + TOKEN.
    """


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 if the value is empty or zero, 2 for a wrong expression, 3 for a value too large."""
    words = list(arguments)
    if words[:1] == ["--"]:
        del words[0]
    if words in (["--help"], ["--version"]):
        ctx.write_line(f"Usage: {Options.__doc__}")
        return 0
    if not words:
        raise UsageError("missing operand")
    evaluator = _Evaluator(words, ctx)
    value = evaluator.level(0, True, 0)
    if evaluator.at < len(words):
        raise Failure(f"syntax error: unexpected argument '{words[evaluator.at]}'")
    ctx.write_line(value)
    return 1 if _is_null(value) else 0


def _is_null(value: str) -> bool:
    return not value or (_INTEGER.fullmatch(value) is not None and not value.strip("-0"))


def _integer(value: str) -> int:
    if not _INTEGER.fullmatch(value):
        raise Failure("non-integer argument")
    if len(value) > MAX_DIGITS:
        raise Failure(f"{value[:20]}...: Numerical result out of range", 3)
    return int(value)


def _bounded(value: int) -> int:
    if value.bit_length() > MAX_DIGITS * 3:  # a little less than the digits have: str() must not refuse it
        raise Failure("Numerical result out of range", 3)
    return value


class _Evaluator:
    """Reads and evaluates at once; what | and & skip is read only."""

    def __init__(self, words: list[str], ctx: Context) -> None:
        self.words = words
        self.at = 0
        self.ctx = ctx

    def level(self, number: int, active: bool, depth: int) -> str:
        """Return the value of the operators of one level and the stronger ones; all are left-associative."""
        if number == len(_LEVELS):
            return self._prefix(active, depth)
        left = self.level(number + 1, active, depth)
        while self.at < len(self.words) and self.words[self.at] in _LEVELS[number]:
            operator = self.words[self.at]
            self.at += 1
            self.ctx.charge()
            wanted = active
            if operator == "|":
                wanted = active and _is_null(left)
            elif operator == "&":
                wanted = active and not _is_null(left)
            right = self.level(number + 1, wanted, depth)
            if active:
                left = self._apply(operator, left, right)
        return left

    def _apply(self, operator: str, left: str, right: str) -> str:
        if operator == "|":
            return left if not _is_null(left) else right if not _is_null(right) else "0"
        if operator == "&":
            return left if not _is_null(left) and not _is_null(right) else "0"
        if operator == ":":
            return self._match(left, right)
        if operator in ("+", "-", "*", "/", "%"):
            return str(_calculate(operator, _integer(left), _integer(right)))
        if _INTEGER.fullmatch(left) and _INTEGER.fullmatch(right):
            return str(int(_compare(operator, _integer(left), _integer(right))))
        encoded = [text.encode("utf-8", "surrogateescape") for text in (left, right)]
        return str(int(_compare(operator, *encoded)))

    def _match(self, text: str, pattern: str) -> str:
        """Match at the beginning; give what \\( \\) took, or the number of characters."""
        try:
            regex = compile_bre(pattern)
        except PatternError as error:
            raise Failure(str(error)) from None
        data = text.encode("utf-8", "surrogateescape")
        found = regex.search(data, remaining=self.ctx.budget.remaining)
        if found is not None and found.start() == 0:
            if regex.groups:
                return (found.group(1) or b"").decode("utf-8", "surrogateescape")
            return str(len((found.group() or b"").decode("utf-8", "surrogateescape")))
        return "" if regex.groups else "0"

    def _next(self) -> str:
        if self.at >= len(self.words):
            raise Failure(f"syntax error: missing argument after '{self.words[self.at - 1]}'")
        self.at += 1
        return self.words[self.at - 1]

    def _prefix(self, active: bool, depth: int) -> str:
        """Evaluate match, substr, index, length and "+ TOKEN", or a plain operand."""
        if depth > MAX_NESTING:
            raise Failure(f"expressions nest over {MAX_NESTING} levels (L-EXPR-002)")
        word = self._next()
        if word == "(":
            value = self.level(0, active, depth + 1)
            if self.at >= len(self.words):
                raise Failure(f"syntax error: expecting ')' after '{self.words[self.at - 1]}'")
            if self.words[self.at] != ")":
                raise Failure(f"syntax error: expecting ')' instead of '{self.words[self.at]}'")
            self.at += 1
            return value
        if word == ")":
            raise Failure("syntax error: unexpected ')'")
        if word == "+":
            return self._next()
        if word in ("length", "match", "index", "substr") and self.at <= len(self.words):
            count = {"length": 1, "match": 2, "index": 2, "substr": 3}[word]
            values = [self._prefix(active, depth + 1) for _ in range(count)]
            return self._function(word, values) if active else ""
        return word

    def _function(self, name: str, values: list[str]) -> str:
        text = values[0]
        if name == "length":
            return str(len(text))
        if name == "match":
            return self._match(text, values[1])
        if name == "index":
            found = [at for at in map(text.find, set(values[1])) if at >= 0]
            return str(min(found) + 1) if found else "0"
        if not (_INTEGER.fullmatch(values[1]) and _INTEGER.fullmatch(values[2])):
            return ""
        start, size = _integer(values[1]), _integer(values[2])
        return text[start - 1 : start - 1 + size] if start > 0 and size > 0 else ""


Value = TypeVar("Value", int, bytes)


def _compare(operator: str, left: Value, right: Value) -> bool:
    if operator in ("=", "=="):
        return left == right
    if operator == "!=":
        return left != right
    less = left < right
    if operator == "<":
        return less
    if operator == "<=":
        return less or left == right
    return not less and left != right if operator == ">" else not less


def _calculate(operator: str, left: int, right: int) -> int:
    match operator:
        case "+":
            return _bounded(left + right)
        case "-":
            return _bounded(left - right)
        case "*":
            return _bounded(left * right)
    if not right:
        raise Failure("division by zero")
    quotient = abs(left) // abs(right)
    if (left < 0) != (right < 0):
        quotient = -quotient
    return _bounded(quotient if operator == "/" else left - quotient * right)
