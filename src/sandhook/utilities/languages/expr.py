"""expr: evaluate an expression.

Source: POSIX.1-2024 XCU 3, expr. Oracle: GNU coreutils 9.1.
Divergences: L-EXPR-001, integers have at most 4,000 digits (GNU's have any length); L-EXPR-002, parentheses
and prefix operators nest up to 50 levels.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import Inform, UsageError, option_set
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import compile_bre
from sandhook.text.locale import as_bytes, characters_are_bytes

RAW = True  # a word with a dash is a value
USAGE_STATUS = 2
WRITE_STATUS = 3

_INTEGER = re.compile(r"-?[0-9]+", re.ASCII)
MAX_DIGITS = 4_000  #: of a number; Python itself converts at most 4,300 digits

#: Parentheses inside each other, and operators in a row.
MAX_NESTING = 50

_LEVELS: tuple[tuple[str, ...], ...] = (
    ("|",), ("&",), ("<", "<=", "=", "==", "!=", ">=", ">"), ("+", "-"), ("*", "/", "%"), (":",),
)  # fmt: skip


@option_set
class Options:
    """expr EXPRESSION
      or:  expr OPTION

    Print the value of EXPRESSION. From weak to strong: | & < <= = != >= > + - * / % : ( ), and
    match STRING RE, substr STRING POSITION LENGTH, index STRING CHARACTERS, length STRING, + TOKEN.
    """


def _quoted(word: str) -> str:
    """Return a word as GNU's messages about syntax quote it."""
    escaped = word.replace("\\", "\\\\")
    return f"'{escaped}'"


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 if the value is empty or zero, 2 for an invalid expression, 3 for a value that is too large."""
    words = list(arguments)
    if words[:1] == ["--"]:
        del words[0]
    if words in (["--help"], ["--version"]):
        raise Inform(words[0][2:])
    if not words:
        raise UsageError("missing operand")
    bytewise = characters_are_bytes(ctx.environment.get)
    if bytewise:
        words = list(map(as_bytes, words))
    evaluator = _Evaluator(words, bytewise, ctx)
    value = evaluator.level(0, True, 0)
    if evaluator.at < len(words):
        raise Failure(f"syntax error: unexpected argument {_quoted(words[evaluator.at])}")
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


def _check_size(value: int) -> int:
    if (
        value.bit_length() > MAX_DIGITS * 3
    ):  # fewer bits than MAX_DIGITS digits have, so that str() accepts the value
        raise Failure("Numerical result out of range", 3)
    return value


class _Evaluator:
    """Parses and evaluates in one pass; the operands that | and & skip are only parsed."""

    def __init__(self, words: list[str], bytewise: bool, ctx: Context) -> None:
        self.words = words
        self.bytewise = bytewise
        self.codec = "ascii" if bytewise else "utf-8"
        self.at = 0
        self.ctx = ctx

    def level(self, number: int, active: bool, depth: int) -> str:
        """Return the value of the operators of one level and the stronger ones; all are left-associative."""
        if number == len(_LEVELS):
            return self._prefix(active, depth)
        left = self.level(number + 1, active, depth)
        while self.at < len(self.words) and self.words[self.at] in _LEVELS[number]:
            name = self.words[self.at]
            self.at += 1
            self.ctx.charge()
            is_active = active
            if name == "|":
                is_active = active and _is_null(left)
            elif name == "&":
                is_active = active and not _is_null(left)
            right = self.level(number + 1, is_active, depth)
            if active:
                left = self._apply(name, left, right)
        return left

    def _apply(self, name: str, left: str, right: str) -> str:
        if name == "|":
            return left if not _is_null(left) else right if not _is_null(right) else "0"
        if name == "&":
            return left if not _is_null(left) and not _is_null(right) else "0"
        if name == ":":
            return self._match(left, right)
        calculate = _ARITHMETIC.get(name)
        if calculate is not None:
            return str(_check_size(calculate(_integer(left), _integer(right))))
        compare = _RELATIONS[name]
        if _INTEGER.fullmatch(left) and _INTEGER.fullmatch(right):
            return str(int(compare(_integer(left), _integer(right))))
        operands = [text.encode("utf-8", "surrogateescape") for text in (left, right)]
        return str(int(compare(*operands)))

    def _match(self, text: str, pattern: str) -> str:
        """Match at the beginning; return the text of \\( \\), or the number of characters."""
        try:
            regex = compile_bre(pattern, bytewise=self.bytewise)
        except PatternError as error:
            raise Failure(str(error)) from None
        data = text.encode("utf-8", "surrogateescape")
        match = regex.search(data, remaining=self.ctx.budget.remaining)
        if match is not None and match.start() == 0:
            if regex.groups:
                return (match.group(1) or b"").decode(self.codec, "surrogateescape")
            return str(len((match.group() or b"").decode(self.codec, "surrogateescape")))
        return "" if regex.groups else "0"

    def _next(self) -> str:
        if self.at >= len(self.words):
            raise Failure(f"syntax error: missing argument after {_quoted(self.words[self.at - 1])}")
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
        if word in _FUNCTIONS:
            count, function = _FUNCTIONS[word]
            values = [self._prefix(active, depth + 1) for _ in range(count)]
            return function(self, values) if active else ""
        return word

    def _length(self, values: list[str]) -> str:
        return str(len(values[0]))

    def _match_function(self, values: list[str]) -> str:
        return self._match(values[0], values[1])

    def _index(self, values: list[str]) -> str:
        positions = [at for at in map(values[0].find, set(values[1])) if at >= 0]
        return str(min(positions) + 1) if positions else "0"

    def _substr(self, values: list[str]) -> str:
        text, first, count = values
        if not (_INTEGER.fullmatch(first) and _INTEGER.fullmatch(count)):
            return ""
        start, size = _integer(first), _integer(count)
        return text[start - 1 : start - 1 + size] if start > 0 and size > 0 else ""


#: The functions: the number of arguments, and the method that evaluates them.
_FUNCTIONS: dict[str, tuple[int, Callable[[_Evaluator, list[str]], str]]] = {
    "length": (1, _Evaluator._length), "match": (2, _Evaluator._match_function), "index": (2, _Evaluator._index),
    "substr": (3, _Evaluator._substr),
}  # fmt: skip


def _quotient(left: int, right: int) -> int:
    """Divide, truncated towards zero. Raises Failure for a divisor of 0."""
    if not right:
        raise Failure("division by zero")
    quotient = abs(left) // abs(right)
    return -quotient if (left < 0) != (right < 0) else quotient


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": _quotient,
    "%": lambda left, right: left - _quotient(left, right) * right,
}  # fmt: skip
#: The relations, of integers or of bytes.
_RELATIONS: dict[str, Callable[[int | bytes, int | bytes], bool]] = {
    "<": operator.lt, "<=": operator.le, "=": operator.eq, "==": operator.eq, "!=": operator.ne,
    ">=": operator.ge, ">": operator.gt,
}  # fmt: skip
