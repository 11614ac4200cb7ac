"""The expressions of the programs test and [, which ``env test`` or ``find -exec test`` run.

Source: GNU coreutils 9.1 manual, test invocation. Oracle: GNU coreutils 9.1.
They differ from the built-in: integers have any length, ``-l STRING`` is a length, ``-v``, ``-o``, ``-R``, ``-a FILE``,
``<`` and ``>`` do not exist, and messages are others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sandhook.utilities.system.test_operators import BINARY, MAX_NESTING, OF_SHELLS, UNARY, Probe, TestError

_INTEGER = re.compile(r"[ \t\n\v\f\r]*([-+]?)([0-9]+)[ \t]*")

#: Comparisons of integers, by the sign of the difference.
_INTEGERS: dict[str, Callable[[int], bool]] = {
    "-eq": lambda sign: sign == 0,
    "-ne": lambda sign: sign != 0,
    "-lt": lambda sign: sign < 0,
    "-le": lambda sign: sign <= 0,
    "-gt": lambda sign: sign > 0,
    "-ge": lambda sign: sign >= 0,
}
_FILES = ("-nt", "-ot", "-ef")
_STRINGS = ("=", "==", "!=")


def evaluate_as_program(arguments: Sequence[str], probe: Probe) -> bool:
    """Evaluate an expression by the rules for its number of arguments.

    Args:
        arguments: Without the closing "]".

    Raises:
        TestError: Exit status 2, with the program's message.
    """
    if not arguments:
        return False
    expression = _Expression(arguments, probe)
    value = expression.of(len(arguments), 0)
    if expression.at < len(arguments):
        raise TestError(f"extra argument '{arguments[expression.at]}'")
    return value


def _is_binary(word: str) -> bool:
    return word in _INTEGERS or word in _FILES or word in _STRINGS


class _Expression:
    """Reads an expression from the left; ``at`` is the next argument."""

    __slots__ = ("_arguments", "_probe", "at")

    def __init__(self, arguments: Sequence[str], probe: Probe) -> None:
        self._arguments = arguments
        self._probe = probe
        self.at = 0

    def of(self, count: int, depth: int) -> bool:
        """Evaluate the next ``count`` arguments; more than four are a disjunction."""
        if count == 1:
            return self._one()
        if count == 2:
            return self._two()
        if count == 3:
            return self._three(depth)
        if count == 4:
            word = self._arguments[self.at]
            if word == "!":
                self.at += 1
                return not self._three(depth)
            if word == "(" and self._arguments[self.at + 3] == ")":
                return self._enclosed(self._two)
        return self._disjunction(depth)

    def _enclosed(self, inner: Callable[[], bool]) -> bool:
        self.at += 1
        value = inner()
        self.at += 1
        return value

    def _one(self) -> bool:
        self.at += 1
        return self._arguments[self.at - 1] != ""

    def _two(self) -> bool:
        word = self._arguments[self.at]
        if word == "!":
            self.at += 1
            return not self._one()
        if len(word) == 2 and word[0] == "-":
            return self._unary()
        raise self._end()

    def _three(self, depth: int) -> bool:
        first, operator, last = self._arguments[self.at : self.at + 3]
        if _is_binary(operator):
            return self._binary(length=False)
        if first == "!":
            self.at += 1
            return not self._two()
        if first == "(" and last == ")":
            return self._enclosed(self._one)
        if operator in ("-a", "-o"):
            return self._disjunction(depth)
        raise TestError(f"'{operator}': binary operator expected")

    def _end(self) -> TestError:
        return TestError(f"missing argument after '{self._arguments[-1]}'")

    def _next_is(self, text: str) -> bool:
        return self.at < len(self._arguments) and self._arguments[self.at] == text

    def _disjunction(self, depth: int) -> bool:
        value = self._conjunction(depth)
        while self._next_is("-o"):
            self.at += 1
            value = self._conjunction(depth) or value
        return value

    def _conjunction(self, depth: int) -> bool:
        value = self._term(depth)
        while self._next_is("-a"):
            self.at += 1
            value = self._term(depth) and value
        return value

    def _term(self, depth: int) -> bool:
        arguments = self._arguments
        negated = False
        while self._next_is("!"):
            self.at += 1
            negated = not negated
        left = len(arguments) - self.at
        if not left:
            raise self._end()
        word = arguments[self.at]
        if word == "(":
            value = self._group(depth)
        elif left >= 4 and word == "-l" and _is_binary(arguments[self.at + 2]):
            self.at += 1
            value = self._binary(length=True)
        elif left >= 3 and _is_binary(arguments[self.at + 1]):
            value = self._binary(length=False)
        elif len(word) == 2 and word[0] == "-":
            value = self._unary()
        else:
            value = self._one()
        return value is not negated

    def _group(self, depth: int) -> bool:
        """Evaluate parentheses; up to four arguments in them have the rules for their number."""
        if depth >= MAX_NESTING:
            raise TestError("expression nested too deeply")
        arguments = self._arguments
        self.at += 1
        if self.at == len(arguments):
            raise self._end()
        count, left = 1, len(arguments) - self.at
        while count < left and arguments[self.at + count] != ")":
            if count == 4:
                count = left
                break
            count += 1
        value = self.of(count, depth + 1)
        if self.at >= len(arguments):
            raise TestError("')' expected")
        if arguments[self.at] != ")":
            raise TestError(f"')' expected, found '{arguments[self.at]}'")
        self.at += 1
        return value

    def _unary(self) -> bool:
        operator = self._arguments[self.at]
        unary = UNARY.get(operator)
        if unary is None or operator in OF_SHELLS:
            raise TestError(f"'{operator}': unary operator expected")
        if self.at + 1 >= len(self._arguments):
            raise self._end()
        operand = self._arguments[self.at + 1]
        self.at += 2
        if operator == "-t":
            _integer(operand)
        return unary(operand, self._probe)

    def _binary(self, *, length: bool) -> bool:
        """Evaluate LEFT OPERATOR RIGHT; with ``length`` the left side is the length of a string."""
        arguments = self._arguments
        left, operator = arguments[self.at], arguments[self.at + 1]
        right_length = len(arguments) - self.at > 3 and arguments[self.at + 2] == "-l"
        if right_length and operator in _STRINGS:
            right_length = False
        right = arguments[self.at + 2 + right_length]
        self.at += 3 + right_length
        if operator in _STRINGS:
            return BINARY[operator](left, right, self._probe)
        if operator in _FILES:
            if length or right_length:
                raise TestError(f"{operator} does not accept -l")
            return BINARY[operator](left, right, self._probe)
        first = (False, str(_bytes(left))) if length else _integer(left)
        second = (False, str(_bytes(right))) if right_length else _integer(right)
        return _INTEGERS[operator](_compare(first, second))


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _integer(text: str) -> tuple[bool, str]:
    """Return the sign and the significant digits: conversion of very many digits would take long."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        raise TestError(f"invalid integer '{text}'")
    digits = match[2].lstrip("0") or "0"
    return match[1] == "-" and digits != "0", digits


def _compare(a: tuple[bool, str], b: tuple[bool, str]) -> int:
    """Return the sign of the difference."""
    if a[0] is not b[0]:
        return -1 if a[0] else 1
    left, right = (len(a[1]), a[1]), (len(b[1]), b[1])
    sign = (left > right) - (left < right)
    return -sign if a[0] else sign
