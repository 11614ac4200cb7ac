"""test and [: evaluate an expression.

Source: POSIX.1-2024 XCU 3, test; Bash Reference Manual, Bash Conditional Expressions.
Oracle: bash 5.2's built-in for ``evaluate``; the program is in ``test_program``. The operators for the state of a shell (-v, -o, -R) use the ``Probe``, of which the shell
passes its own.
Divergence: L-TEST-001, more than 100 nested parentheses are an error.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import inform_alone, option_set
from sandhook.kernel.status import descriptor_status
from sandhook.utilities.system.test_operators import (
    BINARY,
    MAX_NESTING,
    OF_SHELLS,
    UNARY,
    Probe,
    TestError,
    is_integer,
    on_terminal,
)
from sandhook.vfs.base import Stat

RAW = True  # every argument is a part of the expression
INFORMS = False  # only "[ --help" and "[ --version" inform, without a closing "]"


@option_set
class Options:
    """test [EXPRESSION] | [ [EXPRESSION] ]

    Evaluate EXPRESSION, and return 0 if it is true. Expressions are joined by -a (and) and -o (or), negated by ! and
    grouped by parentheses.
    """


class FileProbe:
    """The Probe of a process without a shell, which has no shell variables or options."""

    __slots__ = ("_ctx",)

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    def stat(self, name: str, follow: bool = True) -> Stat | None:
        if not name:
            return None
        try:
            path = self._ctx.path(name)
            status = descriptor_status(self._ctx.process, path, follow=follow)
            return status or self._ctx.fs.stat(path, follow=follow)
        except OSError:
            return None

    def access(self, name: str, mask: int) -> bool:
        return bool(name) and self._ctx.fs.access(self._ctx.path(name), mask)

    def terminal(self, number: int) -> bool:
        description = self._ctx.process.descriptors.get(number)
        return description is not None and description.terminal

    def owner(self) -> tuple[int, int]:
        info = self.stat("/proc/self")
        return (info.uid, info.gid) if info is not None else (0, 0)

    def is_set(self, name: str) -> bool:
        return name in self._ctx.environment

    def option(self, name: str) -> bool:
        return False

    def is_nameref(self, name: str) -> bool:
        return False


def run(options: None, operands: Sequence[str], ctx: Context) -> int:
    """Return 0 (true), 1 (false) or 2 (no expression)."""
    bracket = ctx.program == "["
    if bracket:
        inform_alone(operands)
        if not operands or operands[-1] != "]":
            raise Failure("missing ']'", 2)
        operands = operands[:-1]
    from sandhook.utilities.system.test_program import evaluate_as_program

    try:
        return 0 if evaluate_as_program(operands, FileProbe(ctx)) else 1
    except TestError as error:
        raise Failure(str(error), 2) from None


def evaluate(arguments: Sequence[str], probe: Probe, *, bracket: bool = False) -> bool:
    """Evaluate an expression by the rules for its number of arguments.

    Args:
        arguments: Without the closing "]".
        bracket: There was a closing "]", which messages may mention.

    Raises:
        TestError: Exit status 2, with bash's message.
    """
    count = len(arguments)
    if count == 3:
        left, operator, right = arguments
        binary = BINARY.get(operator)
        if binary is not None:
            return binary(left, right, probe)
        if operator == "-a":
            return left != "" and right != ""
        if operator == "-o":
            return left != "" or right != ""
        if left == "!":
            return not _two(operator, right, probe)
        if left == "(" and right == ")":
            return operator != ""
        raise TestError(f"{operator}: binary operator expected")
    if count == 2:
        return _two(arguments[0], arguments[1], probe)
    if count < 2:
        return count == 1 and arguments[0] != ""
    if count == 4:
        if arguments[0] == "!":
            return not evaluate(arguments[1:], probe, bracket=bracket)
        if arguments[0] == "(" and arguments[3] == ")":
            return _two(arguments[1], arguments[2], probe)
    parser = Parser(arguments, probe, bracket)
    value = parser.disjunction(0)
    if parser.at < count:
        extra = arguments[parser.at]
        if extra[:1] == "-":
            raise TestError(f"syntax error: `{extra}' unexpected")
        raise TestError("too many arguments")
    return value


def _two(operator: str, operand: str, probe: Probe) -> bool:
    if operator == "!":
        return operand == ""
    unary = UNARY.get(operator)
    if unary is None:
        raise TestError(f"{operator}: unary operator expected")
    return unary(operand, probe)


class Parser:
    """Parses five arguments or more: -a has precedence over -o, and both operands are always evaluated."""

    __slots__ = ("_arguments", "_bracket", "_probe", "at")

    def __init__(self, arguments: Sequence[str], probe: Probe, bracket: bool) -> None:
        self._bracket = bracket
        self._arguments = arguments
        self._probe = probe
        self.at = 0

    def _skip(self) -> None:
        """Go to the next argument. Raises TestError without one."""
        self.at += 1
        if self.at >= len(self._arguments):
            raise TestError("argument expected")

    def _next_is(self, text: str) -> bool:
        return self.at < len(self._arguments) and self._arguments[self.at] == text

    def disjunction(self, depth: int) -> bool:
        """Evaluate terms joined by -a, and those joined by -o."""
        result = False
        while True:
            term = self._term(depth)
            while self._next_is("-a"):
                self.at += 1
                term = self._term(depth) and term
            result = term or result
            if not self._next_is("-o"):
                return result
            self.at += 1

    def _term(self, depth: int) -> bool:
        negated = False
        if self.at >= len(self._arguments):
            raise TestError("argument expected")
        while self._next_is("!"):
            self._skip()
            negated = not negated
        return self._primary(depth) is not negated

    def _primary(self, depth: int) -> bool:
        arguments, at = self._arguments, self.at
        if arguments[at] == "(":
            if depth >= MAX_NESTING:
                raise TestError("expression nested too deeply")
            self._skip()
            value = self.disjunction(depth + 1)
            if self.at >= len(arguments):
                raise TestError("`)' expected, found ]" if self._bracket else "`)' expected")
            if arguments[self.at] != ")":
                raise TestError(f"`)' expected, found {arguments[self.at]}")
            self.at += 1
            return value
        remaining = len(arguments) - at
        if remaining >= 3:
            binary = BINARY.get(arguments[at + 1])
            if binary is not None:
                self.at += 3
                return binary(arguments[at], arguments[at + 2], self._probe)
        if remaining >= 2:
            unary = UNARY.get(arguments[at])
            if unary is on_terminal and not is_integer(arguments[at + 1]):
                self.at += 1  # as in bash, only a number is its operand
                return False
            if unary is not None:
                self.at += 2
                return unary(arguments[at + 1], self._probe)
        self.at += 1
        return arguments[at] != ""


#: Of the program; the built-in has those of shells as well, and one page describes both.
OPERAND_WORDS = {
    "OPERATOR WORD": tuple(word for word in UNARY if word not in OF_SHELLS),
    "WORD OPERATOR WORD": tuple(word for word in BINARY if word not in OF_SHELLS),
    "EXPRESSION OPERATOR EXPRESSION": ("-a", "-o"),
}
