"""Compiles script text to closures, which are kept in a bounded cache.

Closures hold nothing of a run, so the cache is shared by every shell and thread of the host
process. The key is the text and the options that affect parsing.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable, Iterator, Sequence

from sandhook.errors import ShellSyntaxError
from sandhook.interp.compile import compile_unit
from sandhook.lazy import lazily
from sandhook.record import Record
from sandhook.state.state import State
from sandhook.syntax.nodes import CommandList, shift_lines
from sandhook.syntax.options import ParseOptions
from sandhook.typed import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from sandhook.syntax.parser import Parser
    from sandhook.syntax.reader import ReadWarning

Run: TypeAlias = Callable[[State], int]

_LAST_ARGUMENT = lazily(r"\$(?:_|\{[!#]?_)(?![A-Za-z0-9_])")
_LAST_ARGUMENT_STARTS = ("$_", "${_", "${!_", "${#_")
#: Characters; the trees of a longer text are not stored, and it is not parsed before it runs.
_LONG_TEXT = 65_536

#: Programs that are kept, and what they and the largest of them weigh; a weight of one is about 1 KB.
_MAX_PROGRAMS = 4_096
_MAX_WEIGHT = 65_536
_MAX_PROGRAM_WEIGHT = 32_768


class TreeStore(Protocol):
    """Stores parsed trees beyond the process; the command line has one on disk."""

    def load(self, text: str, options: ParseOptions) -> tuple[CommandList, ...] | None:
        """Return the units of a text that was stored, or None."""
        ...

    def save(self, text: str, options: ParseOptions, units: tuple[CommandList, ...]) -> None: ...


class Unit(Record):
    """A compiled input unit of a text.

    Fields:
        run: The closure; it raises ShellSyntaxError for a line that bash skips.
        end: Characters of the text up to its end; -1 if its tree was stored without.
        warnings: What bash prints when it reads the unit; lines are those of the text.
    """

    run: Run
    end: int
    warnings: tuple[ReadWarning, ...] = ()


class Unavailable(Exception):
    """The next unit of a program cannot be had from it: it is too large to keep, or another thread is reading it."""


class Program:
    """The compiled units of a text, read when they are first reached.

    Many threads may use one. Its units are those of the options that the text began with; a caller whose options change
    reads the rest itself.

    Attributes:
        error: The syntax error that follows the last unit, or None.
        last_warnings: Those of the text that has the error; see ``Unit.warnings``.
        key: The text, the options, and the number of the first line.
        weight: What it holds: tokens and pieces of words, which its memory grows with. The cache counts it.
    """

    __slots__ = (
        "_complete",
        "_lock",
        "_parser",
        "_records_last_argument",
        "_units",
        "error",
        "key",
        "last_warnings",
        "weight",
    )

    def __init__(self, text: str, options: ParseOptions, line: int) -> None:
        self.key = text, options, line
        self.error: ShellSyntaxError | None = None
        self.last_warnings: tuple[ReadWarning, ...] = ()
        self.weight = 1 + (len(text) >> 8)
        self._records_last_argument = reads_last_argument(text)
        self._units: list[Unit] = []
        self._complete = False
        self._lock = allocate_lock()
        self._parser: Parser | None = None

    def adopt(self, trees: tuple[CommandList, ...]) -> None:
        """Have the units of these trees, which were parsed without the number of the first line and without errors."""
        last = len(trees) - 1
        self._units = [Unit(self._compile(tree, index == last), -1) for index, tree in enumerate(trees)]
        self._complete = True
        self.weight += len(self.key[0]) // 3  # about as many as in scripts

    def unit(self, index: int) -> Unit | None:
        """Return a unit; None after the last one. Raises Unavailable."""
        complete = self._complete  # before the length: the last unit is added before this is set
        units = self._units
        if index < len(units):
            return units[index]
        if complete:
            return None
        if self.weight > _MAX_PROGRAM_WEIGHT or not self._lock.acquire(blocking=False):
            raise Unavailable
        try:
            while index >= len(units) and not self._complete:
                self._read()
        finally:
            self._lock.release()
        return units[index] if index < len(units) else None

    def end(self, count: int) -> int:
        """Return how many characters of the text the first ``count`` units are."""
        if not count:
            return 0
        end = self._units[count - 1].end
        return end if end >= 0 else self._parser_after(count).offset

    def _parser_after(self, count: int) -> Parser:
        """Return a parser that has read ``count`` units."""
        from sandhook.syntax.parser import Parser

        parser = Parser(self.key[0], "", self.key[1])
        for _ in range(count):
            try:
                parser.next_unit()
            except ShellSyntaxError:  # one that bash skips
                parser.skip_line()
        parser.warnings.clear()
        return parser

    def _read(self) -> None:
        """Read one more unit; the caller has the lock."""
        parser = self._parser or self._parser_after(len(self._units))
        self._parser = None  # an exception, such as a limit, leaves a parser that cannot go on
        run: Run
        try:
            tree = parser.next_unit()
        except ShellSyntaxError as error:
            if error.where != "array":
                self.error, self.last_warnings = error, tuple(parser.warnings)
                self._complete = True
                return
            parser.skip_line()  # bash skips this line alone
            run = _raising(error)
        else:
            if tree is None:
                self._complete = True
                return
            line = self.key[2]
            is_last = self.key[0].find("\n", parser.offset) in (-1, len(self.key[0]) - 1)
            run = self._compile(shift_lines(tree, line - 1) if line != 1 else tree, is_last)
        self._units.append(Unit(run, parser.offset, tuple(parser.warnings)))
        parser.warnings.clear()
        self._parser = parser
        _PROGRAMS.count(self, 1 + (len(self.key[0]) >> 8) + parser.pieces)

    def _compile(self, tree: CommandList, is_last: bool) -> Run:
        return compile_unit(tree, records_last_argument=self._records_last_argument, is_last=is_last)


def load_program(text: str, options: ParseOptions, store: TreeStore | None, line: int = 1) -> Program:
    """Return the program of a text.

    Args:
        text: The script.
        options: How it is parsed.
        store: The store of trees, which is read and written for texts that are not long.
        line: The number of its first line; eval and traps continue the count.
    """
    program = _PROGRAMS.get((text, options, line))
    if program is not None:
        return program
    program = Program(text, options, line)
    if store is not None and line == 1 and len(text) <= _LONG_TEXT:
        trees = store.load(text, options)
        if trees is None and (trees := _trees(text, options)) is not None:
            store.save(text, options, trees)
        if trees is not None:
            program.adopt(trees)
    return _PROGRAMS.add(program)


def _trees(text: str, options: ParseOptions) -> tuple[CommandList, ...] | None:
    """Return the trees of all units; None for a text with warnings or errors."""
    from sandhook.syntax.parser import Parser

    parser = Parser(text, "", options)
    trees: list[CommandList] = []
    try:
        while (tree := parser.next_unit()) is not None:
            trees.append(tree)
    except ShellSyntaxError:
        return None
    return None if parser.warnings else tuple(trees)


def reads_last_argument(text: str) -> bool:
    """Return True if a text has ``$_``; otherwise commands need not record their last argument."""
    if "_" not in text or not any(start in text for start in _LAST_ARGUMENT_STARTS):
        return False
    return _LAST_ARGUMENT.search(text) is not None


def _raising(error: ShellSyntaxError) -> Run:
    """Return a closure that raises the error of a line that does not parse."""

    def run(state: State) -> int:
        raise error.with_traceback(None)

    return run


class _ProgramCache:
    """Programs that were used; the oldest are dropped first.

    A text of 64 KB may need 30 MB of trees and closures, so a bound of the number of programs is not enough.
    The order of use would need a lock at every call.
    """

    def __init__(self) -> None:
        self._programs: dict[tuple[str, ParseOptions, int], Program] = {}
        self._lock = allocate_lock()
        self._weight = 0
        self.get = self._programs.get

    def add(self, program: Program) -> Program:
        """Keep a program; return the one that another thread may have added."""
        with self._lock:
            known = self._programs.setdefault(program.key, program)
            if known is program:
                self._weight += program.weight
                self._drop()
        return known

    def count(self, program: Program, weight: int) -> None:
        """Set the weight of a program that has grown; drop it if it is too large."""
        with self._lock:
            if self._programs.get(program.key) is program:
                self._weight += weight - program.weight
            program.weight = weight
            if weight > _MAX_PROGRAM_WEIGHT:
                self._remove(program)
            self._drop()

    def _drop(self) -> None:
        while len(self._programs) > _MAX_PROGRAMS or self._weight > _MAX_WEIGHT:
            self._remove(next(iter(self._programs.values())))

    def _remove(self, program: Program) -> None:
        if self._programs.get(program.key) is program:
            del self._programs[program.key]
            self._weight -= program.weight


_PROGRAMS = _ProgramCache()


def read_units(
    text: str,
    options_of: Callable[[], ParseOptions],
    line: int = 1,
    on_read: Callable[[str], None] | None = None,
    on_warning: Callable[[int, str], None] | None = None,
) -> Iterator[Run | ShellSyntaxError]:
    """Yield closures one input unit at a time; ``options_of`` is called before each.

    ``on_read`` receives the text of each unit, ``on_warning`` the line and text of what bash would warn
    of, before the closure is yielded. A syntax error comes last.
    """
    from sandhook.syntax.parser import Parser

    parser = Parser(text, "", options_of())
    records_last_argument = reads_last_argument(text)
    start = 0
    while True:
        parser.options = options_of()
        try:
            unit = parser.next_unit()
        except ShellSyntaxError as error:
            _pass_on(parser.warnings, line, on_warning)
            if error.where == "array":
                parser.skip_line()
                yield _raising(error)
                continue
            yield error
            return
        _pass_on(parser.warnings, line, on_warning)
        if on_read is not None:
            end = parser.offset
            on_read(text[start:end])
            start = end
        if unit is None:
            return
        yield compile_unit(
            shift_lines(unit, line - 1) if line != 1 else unit, records_last_argument=records_last_argument
        )


def _pass_on(warnings: list[ReadWarning], line: int, on_warning: Callable[[int, str], None] | None) -> None:
    """Empty the warnings of a parser."""
    if on_warning is not None:
        for warning in warnings:
            on_warning(warning.line + line - 1, warning.message(line))
    warnings.clear()


def print_warnings(state: State, warnings: Sequence[ReadWarning], line: int) -> None:
    """Print the warnings of a text that begins at ``line``."""
    for warning in warnings:
        print_warning(state, warning.line + line - 1, warning.message(line))


def print_warning(state: State, line: int, message: str) -> None:
    state.shell.write_error(state, f"{source_name(state)}: line {line}: warning: {message}\n")


def source_name(state: State) -> str:
    """Return the name that begins messages: the file of the current function or sourced text, or the script."""
    return next((frame.source for frame in reversed(state.frames)), state.source)
