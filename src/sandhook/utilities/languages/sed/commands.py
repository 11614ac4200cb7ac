"""Compiles the commands of a sed script to Python closures.

Source: POSIX.1-2024 XCU 3, sed. Oracle: GNU sed 4.9.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.command.context import Failure
from sandhook.utilities.languages.sed.actions import CLOSED, Action, action_of
from sandhook.utilities.languages.sed.fixed import everywhere, literal_of, substitute_text
from sandhook.utilities.languages.sed.machine import Machine
from sandhook.utilities.languages.sed.parser import Compile
from sandhook.utilities.languages.sed.records import Expression
from sandhook.utilities.languages.sed.replacement import replacement
from sandhook.utilities.languages.sed.script import Address, Command, Pattern, Program, Substitution

Test = Callable[[Machine], bool]
Search = Callable[[Machine], Expression]

_PIECES = 4_096  #: pieces of a new pattern space that are kept before they are joined


class Compiled:
    """The closures of one script; immutable, shared by all runs of it."""

    __slots__ = ("actions", "files", "literals", "prelude", "ranges", "silent")

    def __init__(self, program: Program, compile_: Compile, *, wrap: int, quiet: bool, posix: bool) -> None:
        compiler = _Compiler(compile_, wrap, quiet or program.silent, posix, program.end)
        self.silent = quiet or program.silent
        self.files = program.files
        self.prelude = [
            str(command.argument)
            for command in program.commands
            if _is_line_zero(command.first, command.second)
        ]
        self.actions = [compiler.command(index, command) for index, command in enumerate(program.commands)]
        #: What is known of each range before the first line: 0,/re/ is open.
        self.ranges = tuple(compiler.ranges)
        found = [everywhere(command) for command in program.commands]
        #: Old and new text of each command when all do nothing but ``s/old/new/g``; else empty.
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

    def command(self, index: int, command: Command) -> tuple[Test | None, Action]:
        """Return when a command runs (None: always), and what it does."""
        if _is_line_zero(command.first, command.second):
            return (lambda m: False), lambda m: None
        slot = len(self.ranges)
        test = self._test(command.first, command.second)
        if command.negated:
            test = _never if test is None else _opposite(test)
        if command.name == "{":
            return (_never if test is None else _opposite(test)), lambda m: command.target
        argument = command.argument
        if command.name == "s" and isinstance(argument, Substitution):
            return test, self._substitute(argument)
        return test, action_of(command, slot, wrap=self._wrap, silent=self._silent, posix=self._posix)

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
        return lambda m: True  # "plus" and "multiple" are worked out by the range

    def regex(self, pattern: Pattern, groups: int = 0) -> Search:
        """Return what gives the expression at run time, and remembers it as the last one.

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
        """Return what gives the last expression that was used, which may lack groups."""
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
        build = replacement(what.parts)
        all_, number, show, file = what.everywhere, what.number, what.show, what.file
        literal = literal_of(what)
        if literal is not None:
            return substitute_text(search, literal, -1 if all_ else 1, show, file)

        def substitute_first(m: Machine) -> int | None:
            """The usual case without generators: the first match, in a short line."""
            space = m.space
            if len(space) > 1_024:
                return substitute(m)
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
                if len(pieces) > _PIECES:  # a list takes more than the text in it
                    done.append(b"".join(pieces))
                    pieces = []
                    size += len(done[-1])
                    budget.check_fits(size + len(space))
            if not (pieces or done):
                return None
            pieces = [*done, *pieces, space[at:]]
            if len(space) > 1_024 or len(pieces) > 1_024:
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

        return substitute if all_ or number > 1 else substitute_first


def _never(m: Machine) -> bool:
    return False


def _opposite(test: Test) -> Test:
    return lambda m: not test(m)


def _range(first: Address, begins: Test, second: Address, ends: Test, slot: int) -> Test:
    """Match from a line that ``first`` selects to one that ``second`` selects.

    A range that is open has its last line in ``m.ranges``, -1 while only ``ends`` can tell. One that begins
    with a number also begins after that line, when the line itself was never looked at, but only once.
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
