"""Compiles script text to closures, which are kept in a bounded cache.

Closures hold nothing of a run, so the cache is shared by every shell and thread of the host
process. The key is the text and the options that affect parsing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Lock
from typing import Protocol, TypeAlias

from sandhook.errors import ShellSyntaxError
from sandhook.interp.compile import compile_unit
from sandhook.lazy import lazily
from sandhook.record import Record
from sandhook.state.state import State
from sandhook.syntax.nodes import CommandList, shift_lines
from sandhook.syntax.options import ParseOptions

Run: TypeAlias = Callable[[State], int]

#: A text with one of these words may change how the rest of it is parsed.
_CHANGES_READING = ("alias", "extglob", "posix")
#: ``set -v``, ``set -t`` and ``set -o history``, which act on the text of commands.
_SETS_READING = lazily(r"\bset\b[^\n;&|]{0,80}(?:[-+][A-Za-z]{0,20}[vt]|verbose|history|onecmd)")
_LAST_ARGUMENT = lazily(r"\$(?:_|\{[!#]?_)(?![A-Za-z0-9_])")
#: Programs that are kept, and their tokens and pieces of words together; one piece needs about 1 KB.
_MAX_PROGRAMS = 256
_MAX_PIECES = 65_536

_LONG_TEXT = 65_536  #: characters; a longer text is not kept, but read, run and forgotten one unit at a time


class TreeStore(Protocol):
    """Stores parsed trees beyond the process; the command line has one on disk."""

    def load(self, text: str, options: ParseOptions) -> tuple[CommandList, ...] | None:
        """Return the units of a text that was stored, or None."""
        ...

    def save(self, text: str, options: ParseOptions, units: tuple[CommandList, ...]) -> None: ...


class Program(Record):
    """A compiled text: the units before a syntax error, and the error.

    Fields:
        units: One closure for each input unit.
        error: The syntax error that follows them, or None.
        warnings: (line, text) of the warnings that bash prints.
    """

    units: tuple[Run, ...]
    error: ShellSyntaxError | None
    warnings: tuple[tuple[int, str], ...] = ()
    pieces: int = 0  #: tokens and pieces of words, which its memory grows with


def is_read_by_unit(text: str) -> bool:
    """Return True if a text is read one unit at a time: it is long, or changes how its own rest is read."""
    return (
        len(text) > _LONG_TEXT
        or any(word in text for word in _CHANGES_READING)
        or ("set " in text and _SETS_READING.search(text) is not None)
    )


def load_program(text: str, options: ParseOptions, store: TreeStore | None, line: int = 1) -> Program:
    """Return the compiled program of a text that is not read by unit.

    Args:
        text: The script.
        options: How it is parsed.
        store: The store of trees, which is read and written.
        line: The number of its first line; eval and traps continue the count.
    """
    if store is not None and line == 1:
        units = store.load(text, options)
        if units is not None:
            return _from_tree(units, text)
        program = _PROGRAMS.load(text, options, 1)
        if program.error is None and not program.warnings:
            parsed = _parse(text, options).units
            valid_units = tuple(unit for unit in parsed if not isinstance(unit, ShellSyntaxError))
            if len(valid_units) == len(parsed):
                store.save(text, options, valid_units)
        return program
    return _PROGRAMS.load(text, options, line)


def _from_tree(units: tuple[CommandList, ...], text: str) -> Program:
    uses_last_argument = _reads_last_argument(text)
    return Program(
        tuple(compile_unit(unit, records_last_argument=uses_last_argument) for unit in units), None
    )


def _reads_last_argument(text: str) -> bool:
    """Return True if a text has ``$_``; otherwise commands need not record their last argument."""
    return "$" in text and "_" in text and _LAST_ARGUMENT.search(text) is not None


class _Parsed(Record):
    """The units of a text; see ``Program``."""

    units: tuple[CommandList | ShellSyntaxError, ...]
    error: ShellSyntaxError | None
    warnings: tuple[tuple[int, str], ...]
    pieces: int


def _parse(text: str, options: ParseOptions) -> _Parsed:
    from sandhook.syntax.parser import Parser

    parser = Parser(text, "", options)
    units: list[CommandList | ShellSyntaxError] = []
    error = None
    while True:
        try:
            unit = parser.next_unit()
        except ShellSyntaxError as problem:
            if problem.where == "array":  # bash skips this line alone
                units.append(problem)
                parser.skip_line()
                continue
            error = problem
            break
        if unit is None:
            break
        units.append(unit)
    return _Parsed(tuple(units), error, tuple(parser.warnings), parser.pieces)


def _compile(text: str, options: ParseOptions, line: int) -> Program:
    units, error, warnings, pieces = _parse(text, options)
    if line > 1:
        units = shift_lines(units, line - 1)
    uses_last_argument = _reads_last_argument(text)
    runs = [
        _raising(unit)
        if isinstance(unit, ShellSyntaxError)
        else compile_unit(unit, records_last_argument=uses_last_argument)
        for unit in units
    ]
    return Program(tuple(runs), error, warnings, pieces)


def _raising(error: ShellSyntaxError) -> Run:
    """Return a closure that raises the error of a line that does not parse."""

    def run(state: State) -> int:
        raise error.with_traceback(None)

    return run


class _ProgramCache:
    """Compiled programs; the oldest are dropped first.

    A text of 64 KB may need 30 MB of trees and closures, so a bound of the number of programs is not enough.
    The order of use would need a lock at every call.
    """

    def __init__(self) -> None:
        self._programs: dict[tuple[str, ParseOptions, int], Program] = {}
        self._pieces = 0
        self._lock = Lock()

    def load(self, text: str, options: ParseOptions, line: int) -> Program:
        """Return the program of a text whose first line has the number ``line``."""
        key = (text, options, line)
        program = self._programs.get(key)
        if program is not None:
            return program
        program = _compile(text, options, line)
        with self._lock:
            if key not in self._programs:
                self._programs[key] = program
                self._pieces += program.pieces
            while len(self._programs) > _MAX_PROGRAMS or self._pieces > _MAX_PIECES:
                self._pieces -= self._programs.pop(next(iter(self._programs))).pieces
        return program


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
    records_last_argument = _reads_last_argument(text)
    start = 0
    while True:
        parser.options = options_of()
        try:
            unit = parser.next_unit()
        except ShellSyntaxError as error:
            if error.where == "array":
                parser.skip_line()
                yield _raising(error)
                continue
            yield error
            return
        if on_warning is not None:
            for at, warning in parser.warnings:
                on_warning(at + line - 1, warning)
            parser.warnings.clear()
        if on_read is not None:
            end = parser.offset
            on_read(text[start:end])
            start = end
        if unit is None:
            return
        yield compile_unit(
            shift_lines(unit, line - 1) if line > 1 else unit, records_last_argument=records_last_argument
        )
