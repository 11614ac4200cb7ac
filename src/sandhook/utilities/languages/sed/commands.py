"""Compiles a sed script: addresses and the s command as closures over the machine.

Source: POSIX.1-2024 XCU 3, sed. Oracle: GNU sed 4.9.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.command.context import Failure
from sandhook.utilities.languages.sed.actions import CLOSED, Action, Setting, compile_work
from sandhook.utilities.languages.sed.fixed import literal_of, literal_replacement, substitute_literal
from sandhook.utilities.languages.sed.machine import Machine
from sandhook.utilities.languages.sed.parser import Compile
from sandhook.utilities.languages.sed.records import Expression
from sandhook.utilities.languages.sed.replacement import Build, replacement
from sandhook.utilities.languages.sed.script import (
    Address,
    Block,
    Command,
    Language,
    Pattern,
    Program,
    ReadFile,
    Substitution,
)

Test = Callable[[Machine], bool]
Search = Callable[[Machine], Expression]

_PIECES = 4_096  #: pieces of a new pattern space that are collected before they are joined
_SHORT = 1_024  #: bytes of a line, or pieces, whose size is not checked


class CompiledScript:
    """The closures of one script. Immutable; runs share it.

    Attributes:
        silent: Lines are not printed at the end of a cycle.
        files: Names of the files that commands write to.
        actions: The test and the action of each command.
        ranges: The state of each range before the first line; 0,/re/ is open.
        literals: Old and new text of each command when all are ``s/old/new/g`` with literal text; else empty.
    """

    __slots__ = ("actions", "files", "literals", "ranges", "silent")

    def __init__(
        self, program: Program, compile_: Compile, *, wrap: int, quiet: bool, language: Language
    ) -> None:
        compiler = _Compiler(compile_, wrap, quiet or program.silent, language, program.end)
        self.silent = quiet or program.silent
        self.files = program.files
        self.actions = [compiler.command(command) for command in program.commands]
        self.ranges = tuple(compiler.ranges)
        pairs = [literal_replacement(command) for command in program.commands]
        self.literals = [] if self.silent or None in pairs else [pair for pair in pairs if pair]


def _is_line_zero(first: Address | None, second: Address | None) -> bool:
    return first is not None and first.kind == "line" and not first.number and second is None


class _Compiler:
    def __init__(self, compile_: Compile, wrap: int, silent: bool, language: Language, place: str) -> None:
        self._compile = compile_
        self._wrap = wrap
        self._silent = silent
        self._language = language
        self._place = place
        self.ranges: list[int | None] = []

    # ------------------------------------------------------------------ addresses

    def command(self, command: Command) -> tuple[Test | None, Action]:
        """Return the test that selects lines, None for all lines, and the action."""
        if _is_line_zero(command.first, command.second) and isinstance(command.work, ReadFile):
            name = command.work.name
            return (lambda m: m.line_number == 1), lambda m: m.copy_file(name)
        slot = len(self.ranges)
        test = self._test(command.first, command.second)
        if command.negated:
            test = _never if test is None else _negate(test)
        work = command.work
        if isinstance(work, Block):  # the action of a block is the jump past it
            test = _never if test is None else _negate(test)
        if isinstance(work, Substitution):
            return test, self._substitute(work)
        slot = slot if command.second is not None and not command.negated else -1
        return test, compile_work(work, Setting(slot, self._wrap, self._silent, self._language))

    def _test(self, first: Address | None, second: Address | None) -> Test | None:
        if first is None:
            return None
        first_test = self._address_test(first)
        if second is None:
            return first_test
        slot = len(self.ranges)
        self.ranges.append(-1 if first.kind == "line" and not first.number else None)
        return _range(first, first_test, second, self._address_test(second), slot)

    def _address_test(self, address: Address) -> Test:
        kind, number, step, pattern = address
        if kind == "line":
            return lambda m: m.line_number == number
        if kind == "last":
            return lambda m: m.at_end()
        if kind == "step":
            return lambda m: m.line_number >= number and (m.line_number - number) % step == 0
        if kind == "regex" and pattern is not None:
            search = self.regex(pattern)
            return lambda m: search(m).search(m.space, remaining=m.budget.remaining) is not None
        return lambda m: True  # the range computes "plus" and "multiple"

    def regex(self, pattern: Pattern, groups: int = 0) -> Search:
        """Return a closure that returns the expression, and records it as the last one.

        Args:
            groups: The highest group in the replacement.
        """
        if not pattern.text:
            return self._last_regex(groups)
        compiled = self._compile(pattern)

        def use(m: Machine) -> Expression:
            m.last_regex = compiled
            return compiled

        return use

    def _last_regex(self, groups: int) -> Search:
        """Return a closure that returns the last expression. It raises Failure when that one has too few groups."""
        place = self._place

        def use(m: Machine) -> Expression:
            if m.last_regex is None:
                raise Failure(f"{place}: no previous regular expression", 1)
            if groups > m.last_regex.groups:
                raise Failure(f"{place}: invalid reference \\{groups} on `s' command's RHS", 1)
            return m.last_regex

        return use

    # ------------------------------------------------------------------ s

    def _substitute(self, command: Substitution) -> Action:
        literal = literal_of(command)
        if literal is not None:
            regex = self._compile(command.pattern)
            count = -1 if command.is_global else 1
            return substitute_literal(regex, literal, count, command.prints, command.file)
        search = self.regex(command.pattern, max((part.group for part in command.parts), default=0))
        build = replacement(command.parts, bytewise=self._language.bytewise)
        general = _substitute_any(search, command, build)
        if command.is_global or command.number > 1:
            return general
        return _substitute_first(search, command, build, general)


def _substitute_first(search: Search, command: Substitution, build: Build, general: Action) -> Action:
    """Compile the usual case, the first match in a short line, without generators."""
    prints, file = command.prints, command.file

    def substitute(m: Machine) -> int | None:
        space = m.space
        if len(space) > _SHORT:
            return general(m)
        match = search(m).search(space, remaining=m.budget.remaining)
        if match is None:
            return None
        start, end = match.spans[0]
        pieces = [space[:start]]
        build(match, pieces)
        pieces.append(space[end:])
        m.store_substitution(b"".join(pieces), prints, file)
        return None

    return substitute


def _substitute_any(search: Search, command: Substitution, build: Build) -> Action:
    """Compile an s command with any flags."""
    is_global, number, prints, file = command.is_global, command.number, command.prints, command.file

    def substitute(m: Machine) -> int | None:
        space = m.space
        budget = m.budget
        pieces: list[bytes] = []
        blocks: list[bytes] = []
        at = count = size = 0
        for match in search(m).finditer(space, remaining=budget.remaining):
            count += 1
            budget.charge(1)
            if count < number:
                continue
            start, end = match.spans[0]
            pieces.append(space[at:start])
            build(match, pieces)
            at = end
            if not is_global:
                break
            if len(pieces) > _PIECES:  # a list of short pieces takes more memory than their text
                blocks.append(b"".join(pieces))
                pieces = []
                size += len(blocks[-1])
                budget.check_fits(size + len(space))
        if not (pieces or blocks):
            return None
        pieces = [*blocks, *pieces, space[at:]]
        if len(space) > _SHORT or len(pieces) > _SHORT:
            size = sum(map(len, pieces))
            budget.charge(1 + (size >> 10))
            budget.check_fits(size)
        m.store_substitution(b"".join(pieces), prints, file)
        return None

    return substitute


def _never(m: Machine) -> bool:
    return False


def _negate(test: Test) -> Test:
    return lambda m: not test(m)


def _range(first: Address, is_start: Test, second: Address, is_end: Test, slot: int) -> Test:
    """Return the test for a range from a line that ``first`` selects to one that ``second`` selects.

    ``m.ranges`` has the last line of an open range, -1 when ``is_end`` decides. A range that begins with a
    line number also begins after that line when the line was not tested, but only once.
    """
    kind, number = second.kind, second.number
    by_number = first.kind == "line"
    first_line = first.number
    closed_state = CLOSED if by_number else None

    def begin_range(m: Machine) -> bool:
        line = m.line_number
        if by_number:
            if line < first_line:
                return False
            if first_line < line and kind == "line" and line > number:
                m.ranges[slot] = CLOSED
                return False
        elif not is_start(m):
            return False
        if kind == "line":
            last_line = number
        elif kind == "plus":
            last_line = line + number
        elif kind == "multiple":
            last_line = (line // number + 1) * number if number else line
        elif kind != "regex" and is_end(m):  # "$" and first~step may be this very line
            last_line = line
        else:
            m.ranges[slot] = -1
            return True
        m.ranges[slot] = last_line if last_line > line else closed_state
        return True

    def matches(m: Machine) -> bool:
        last_line = m.ranges[slot]
        if last_line is None:
            return begin_range(m)
        if last_line == -1:
            if is_end(m):
                m.ranges[slot] = closed_state
            return True
        if last_line == CLOSED:
            return False
        if m.line_number >= last_line:
            m.ranges[slot] = closed_state
        return m.line_number <= last_line or kind != "line"

    return matches
