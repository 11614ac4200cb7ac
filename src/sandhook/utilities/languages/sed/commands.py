"""Compiles a sed script: addresses and the s command as closures over the machine.

Source: POSIX.1-2024 XCU 3, sed. Oracle: GNU sed 4.9.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.command.context import Failure
from sandhook.utilities.languages.sed.actions import CLOSED, Action, Setting, compile_work
from sandhook.utilities.languages.sed.fixed import everywhere, literal_of, substitute_text
from sandhook.utilities.languages.sed.machine import Machine
from sandhook.utilities.languages.sed.parser import Compile
from sandhook.utilities.languages.sed.records import Expression
from sandhook.utilities.languages.sed.replacement import replacement
from sandhook.utilities.languages.sed.script import (
    Address,
    Block,
    Command,
    Pattern,
    Program,
    ReadFile,
    Substitution,
)

Test = Callable[[Machine], bool]
Search = Callable[[Machine], Expression]

_PIECES = 4_096  #: pieces of a new pattern space that are collected before they are joined
_SHORT = 1_024  #: bytes of a line, or pieces, whose size is not checked


class Compiled:
    """The closures of one script. Immutable; runs share it.

    Attributes:
        silent: Lines are not printed at the end of a cycle.
        files: Names of the files that commands write to.
        prelude: Files that are printed before the first line: 0r.
        actions: The test and the action of each command.
        ranges: The state of each range before the first line; 0,/re/ is open.
        literals: Old and new text of each command when all are ``s/old/new/g`` with literal text; else empty.
    """

    __slots__ = ("actions", "files", "literals", "prelude", "ranges", "silent")

    def __init__(self, program: Program, compile_: Compile, *, wrap: int, quiet: bool, posix: bool) -> None:
        compiler = _Compiler(compile_, wrap, quiet or program.silent, posix, program.end)
        self.silent = quiet or program.silent
        self.files = program.files
        self.prelude = [
            command.work.name
            for command in program.commands
            if _is_line_zero(command.first, command.second) and isinstance(command.work, ReadFile)
        ]
        self.actions = [compiler.command(command) for command in program.commands]
        self.ranges = tuple(compiler.ranges)
        found = [everywhere(command) for command in program.commands]
        self.literals = [] if self.silent or None in found else [pair for pair in found if pair]


def _is_line_zero(first: Address | None, second: Address | None) -> bool:
    return first is not None and first.kind == "line" and not first.number and second is None


class _Compiler:
    def __init__(self, compile_: Compile, wrap: int, silent: bool, posix: bool, place: str) -> None:
        self._compile = compile_
        self._wrap = wrap
        self._silent = silent
        self._posix = posix
        self._place = place
        self.ranges: list[int | None] = []

    # ------------------------------------------------------------------ addresses

    def command(self, command: Command) -> tuple[Test | None, Action]:
        """Return the test that selects lines, None for all lines, and the action."""
        if _is_line_zero(command.first, command.second):
            return (lambda m: False), lambda m: None
        slot = len(self.ranges)
        test = self._test(command.first, command.second)
        if command.negated:
            test = _never if test is None else _opposite(test)
        work = command.work
        if isinstance(work, Block):  # its action is the jump past it
            test = _never if test is None else _opposite(test)
        if isinstance(work, Substitution):
            return test, self._substitute(work)
        slot = slot if command.second is not None and not command.negated else -1
        return test, compile_work(work, Setting(slot, self._wrap, self._silent, self._posix))

    def _test(self, first: Address | None, second: Address | None) -> Test | None:
        if first is None:
            return None
        one = self._one(first)
        if second is None:
            return one
        slot = len(self.ranges)
        self.ranges.append(-1 if first.kind == "line" and not first.number else None)
        return _range(first, one, second, self._one(second), slot)

    def _one(self, address: Address) -> Test:
        kind, number, step, pattern = address
        if kind == "line":
            return lambda m: m.line == number
        if kind == "last":
            return lambda m: m.at_end()
        if kind == "step":
            return lambda m: m.line >= number and (m.line - number) % step == 0
        if kind == "regex" and pattern is not None:
            search = self.regex(pattern)
            return lambda m: search(m).search(m.space, remaining=m.budget.remaining) is not None
        return lambda m: True  # the range computes "plus" and "multiple"

    def regex(self, pattern: Pattern, groups: int = 0) -> Search:
        """Return a closure that returns the expression, and records it as the last one.

        Args:
            pattern: As written.
            groups: The highest group that the replacement names.
        """
        if not pattern.text:
            return self._last(groups)
        compiled = self._compile(pattern)

        def use(m: Machine) -> Expression:
            m.last = compiled
            return compiled

        return use

    def _last(self, groups: int) -> Search:
        """Return a closure that returns the last expression; it raises Failure when that lacks groups."""
        place = self._place

        def use(m: Machine) -> Expression:
            if m.last is None:
                raise Failure(f"{place}: no previous regular expression", 1)
            if groups > m.last.groups:
                raise Failure(f"{place}: invalid reference \\{groups} on `s' command's RHS", 1)
            return m.last

        return use

    # ------------------------------------------------------------------ s

    def _substitute(self, what: Substitution) -> Action:
        search = self.regex(what.pattern, max((part.group for part in what.parts), default=0))
        literal = literal_of(what)
        if literal is not None:
            return substitute_text(search, literal, -1 if what.everywhere else 1, what.show, what.file)
        general = _substitute_any(search, what)
        return general if what.everywhere or what.number > 1 else _substitute_first(search, what, general)


def _substitute_first(search: Search, what: Substitution, general: Action) -> Action:
    """Compile the usual case without generators: the first match in a short line."""
    build, show, file = replacement(what.parts), what.show, what.file

    def substitute(m: Machine) -> int | None:
        space = m.space
        if len(space) > _SHORT:
            return general(m)
        found = search(m).search(space, remaining=m.budget.remaining)
        if found is None:
            return None
        start, end = found.spans[0]
        pieces = [space[:start]]
        build(found, pieces)
        pieces.append(space[end:])
        m.space = b"".join(pieces)
        m.replaced = True
        if show:
            m.print(m.space, m.ended)
        if file is not None:
            m.write_file(file, m.space, m.ended)
        return None

    return substitute


def _substitute_any(search: Search, what: Substitution) -> Action:
    """Compile an s command with any flags."""
    build = replacement(what.parts)
    all_, number, show, file = what.everywhere, what.number, what.show, what.file

    def substitute(m: Machine) -> int | None:
        space = m.space
        budget = m.budget
        pieces: list[bytes] = []
        done: list[bytes] = []
        at = count = size = 0
        for found in search(m).finditer(space, remaining=budget.remaining):
            count += 1
            if count < number:
                continue
            start, end = found.spans[0]
            pieces.append(space[at:start])
            build(found, pieces)
            at = end
            if not all_:
                break
            budget.charge(1)
            if len(pieces) > _PIECES:  # a list of short pieces takes more memory than their text
                done.append(b"".join(pieces))
                pieces = []
                size += len(done[-1])
                budget.check_fits(size + len(space))
        if not (pieces or done):
            return None
        pieces = [*done, *pieces, space[at:]]
        if len(space) > _SHORT or len(pieces) > _SHORT:
            size = sum(map(len, pieces))
            budget.charge(1 + (size >> 10))
            budget.check_fits(size)
        m.space = b"".join(pieces)
        m.replaced = True
        if show:
            m.print(m.space, m.ended)
        if file is not None:
            m.write_file(file, m.space, m.ended)
        return None

    return substitute


def _never(m: Machine) -> bool:
    return False


def _opposite(test: Test) -> Test:
    return lambda m: not test(m)


def _range(first: Address, begins: Test, second: Address, ends: Test, slot: int) -> Test:
    """Return the test for a range from a line that ``first`` selects to one that ``second`` selects.

    ``m.ranges`` holds the last line of an open range, -1 when ``ends`` decides. A range that begins with a
    line number also begins after that line when the line was not tested, but only once.
    """
    kind, number = second.kind, second.number
    numbered = first.kind == "line"
    begin = first.number
    closed = CLOSED if numbered else None

    def start(m: Machine) -> bool:
        line = m.line
        if numbered:
            if line < begin:
                return False
            if begin < line and kind == "line" and line > number:
                m.ranges[slot] = CLOSED
                return False
        elif not begins(m):
            return False
        if kind == "line":
            end = number
        elif kind == "plus":
            end = line + number
        elif kind == "multiple":
            end = (line // number + 1) * number if number else line
        elif kind != "regex" and ends(m):  # "$" and first~step may be this very line
            end = line
        else:
            m.ranges[slot] = -1
            return True
        m.ranges[slot] = end if end > line else closed
        return True

    def matches(m: Machine) -> bool:
        last = m.ranges[slot]
        if last is None:
            return start(m)
        if last == -1:
            if ends(m):
                m.ranges[slot] = closed
            return True
        if last == CLOSED:
            return False
        if m.line >= last:
            m.ranges[slot] = closed
        return m.line <= last or kind != "line"

    return matches
