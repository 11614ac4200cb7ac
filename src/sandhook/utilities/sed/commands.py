"""Compiles the commands of a sed script to Python closures.

An action returns None to go on with the next command, the index of another one, or one of the
negative numbers below.

Source: POSIX.1-2024 XCU 3, sed. Oracle: GNU sed 4.9.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.pattern.posix import Regex
from sandhook.utilities._base import Failure
from sandhook.utilities.sed.fixed import everywhere, literal_of, substitute_text
from sandhook.utilities.sed.machine import Machine
from sandhook.utilities.sed.parser import Compile
from sandhook.utilities.sed.replacement import replacement
from sandhook.utilities.sed.script import Address, Command, Pattern, Program, ScriptError, Substitution

DELETE = -1  #: begin the next cycle without printing
RESTART = -2  #: run the script again without reading (D)
QUIT = -3  #: print, and end
QUIT_SILENT = -4  #: end
END = -5  #: print, and end because there is no more input

Action = Callable[[Machine], "int | None"]
Test = Callable[[Machine], bool]
Search = Callable[[Machine], Regex]

_PIECES = 4_096  #: pieces of a new pattern space that are kept before they are joined
_LARGE = 65_536  #: bytes; a space beyond this is checked against the memory limit before it grows
_NAMED = {7: b"\\a", 8: b"\\b", 9: b"\\t", 10: b"\\n", 11: b"\\v", 12: b"\\f", 13: b"\\r", 92: b"\\\\"}


class Compiled:
    """The closures of one script; immutable, shared by all runs of it."""

    __slots__ = ("actions", "files", "literals", "prelude", "ranges", "silent")

    def __init__(self, program: Program, compile_: Compile, *, wrap: int, quiet: bool, posix: bool) -> None:
        compiler = _Compiler(compile_, wrap, quiet or program.silent, posix)
        self.silent = quiet or program.silent
        self.files = program.files
        self.prelude = [
            str(command.argument)
            for command in program.commands
            if _is_line_zero(command.first, command.second)
        ]
        self.actions = [compiler.command(index, command) for index, command in enumerate(program.commands)]
        self.ranges = compiler.ranges
        found = [everywhere(command) for command in program.commands]
        #: Old and new text of each command when all do nothing but ``s/old/new/g``; else empty.
        self.literals = [] if self.silent or None in found else [pair for pair in found if pair]


def _is_line_zero(first: Address | None, second: Address | None) -> bool:
    return first is not None and first.kind == "line" and not first.number and second is None


class _Compiler:
    def __init__(self, compile_: Compile, wrap: int, silent: bool, posix: bool) -> None:
        self._compile = compile_
        self._wrap = wrap
        self._silent = silent
        self._posix = posix
        self.ranges = 0

    # ------------------------------------------------------------------ addresses

    def command(self, index: int, command: Command) -> tuple[Test | None, Action]:
        """Return when a command runs (None: always), and what it does."""
        if _is_line_zero(command.first, command.second):
            return (lambda m: False), _nothing
        slot = self.ranges
        test = self._test(command.first, command.second)
        if command.negated:
            test = _never if test is None else _opposite(test)
        if command.name == "{":
            return (_never if test is None else _opposite(test)), _jump(command.target)
        return test, self._action(command, slot)

    def _test(self, first: Address | None, second: Address | None) -> Test | None:
        if first is None:
            return None
        one = self._one(first)
        if second is None:
            return one
        slot = self.ranges
        self.ranges += 1
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

    def regex(self, pattern: Pattern) -> Search:
        """Return what gives the expression at run time, and remembers it as the last one."""
        if not pattern.text:
            return _last_regex
        compiled = self._compile(pattern)

        def use(m: Machine) -> Regex:
            m.last = compiled
            return compiled

        return use

    # ------------------------------------------------------------------ actions

    def _action(self, command: Command, slot: int) -> Action:
        name, argument = command.name, command.argument
        if name == "s" and isinstance(argument, Substitution):
            return self._substitute(argument)
        if name == "y" and isinstance(argument, tuple):
            return _transliterate(*argument)
        if name in ("b", "t", "T"):
            return {"b": _jump, "t": _jump_if_replaced, "T": _jump_unless_replaced}[name](command.target)
        if name in ("a", "i", "c"):
            text = str(argument).encode("utf-8", "surrogateescape")
            ranged = command.second is not None and not command.negated
            return (
                {"a": _append, "i": _insert}[name](text)
                if name != "c"
                else _change(text, slot if ranged else -1)
            )
        if name in ("q", "Q"):
            return _quit(int(str(argument)), QUIT if name == "q" else QUIT_SILENT)
        if name == "l":
            width = int(str(argument))
            return _list(self._wrap if width < 0 else width)
        if name in ("r", "R", "w", "W"):
            return {"r": _read_file, "R": _read_line, "w": _write, "W": _write_first}[name](str(argument))
        if name in ("n", "N"):
            return _next(self._silent, self._posix) if name == "n" else _append_next(self._posix)
        return _SIMPLE[name]

    def _substitute(self, what: Substitution) -> Action:
        search = self.regex(what.pattern)
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
                    budget.afford(size + len(space))
            if not (pieces or done):
                return None
            pieces = [*done, *pieces, space[at:]]
            if len(space) > 1_024 or len(pieces) > 1_024:
                size = sum(map(len, pieces))
                budget.charge(1 + (size >> 10))
                budget.afford(size)
            m.space = b"".join(pieces)
            m.replaced = True
            if show:
                m.print(m.space, m.ended)
            if file is not None:
                m.write_file(file, m.space, m.ended)
            return None

        return substitute if all_ or number > 1 else substitute_first


def _last_regex(m: Machine) -> Regex:
    if m.last is None:
        raise Failure("-e expression #1, char 0: no previous regular expression", 1)
    return m.last


def _never(m: Machine) -> bool:
    return False


def _nothing(m: Machine) -> None:
    return None


def _opposite(test: Test) -> Test:
    return lambda m: not test(m)


def _range(first: Address, begins: Test, second: Address, ends: Test, slot: int) -> Test:
    """Match from a line that ``first`` selects to one that ``second`` selects.

    A range that is open has its last line in ``m.ranges``, -1 while only ``ends`` can tell.
    """
    kind, number = second.kind, second.number
    from_zero = first.kind == "line" and first.number == 0

    def matches(m: Machine) -> bool:
        last = m.ranges[slot]
        if last is None:
            if from_zero and m.line == 1:
                m.ranges[slot] = -1
                last = -1
            elif not begins(m):
                return False
            else:
                line = m.line
                if kind == "line":
                    end = number
                elif kind == "plus":
                    end = line + number
                elif kind == "multiple":
                    end = (line // number + 1) * number if number else line
                elif kind == "last" and m.at_end():
                    end = line
                else:
                    m.ranges[slot] = -1
                    return True
                if end > line:
                    m.ranges[slot] = end
                return True
        if last == -1:
            if ends(m):
                m.ranges[slot] = None
            return True
        if m.line >= last:
            m.ranges[slot] = None
        return m.line <= last

    return matches


# --------------------------------------------------------------------------- the commands


def _jump(target: int) -> Action:
    return lambda m: target


def _jump_if_replaced(target: int) -> Action:
    def jump(m: Machine) -> int | None:
        if m.replaced:
            m.replaced = False
            return target
        return None

    return jump


def _jump_unless_replaced(target: int) -> Action:
    def jump(m: Machine) -> int | None:
        if m.replaced:
            m.replaced = False
            return None
        return target

    return jump


def _transliterate(source: str, target: str) -> Action:
    if source.isascii() and target.isascii():
        table = bytearray(range(256))
        for old, new in reversed(list(zip(source, target))):
            table[ord(old)] = ord(new)
        codes = bytes(table)

        def change(m: Machine) -> None:
            m.space = m.space.translate(codes)

        return change
    mapping = {ord(old): new for old, new in reversed(list(zip(source, target)))}

    def change_text(m: Machine) -> None:
        text = m.space.decode("utf-8", "surrogateescape").translate(mapping)
        m.space = text.encode("utf-8", "surrogateescape")

    return change_text


def _append(text: bytes) -> Action:
    return lambda m: m.queue.append(("text", text))


def _insert(text: bytes) -> Action:
    def insert(m: Machine) -> None:
        m.out.complete(m.delimiter)
        m.out.raw(text)

    return insert


def _change(text: bytes, slot: int) -> Action:
    def change(m: Machine) -> int:
        if slot < 0 or m.ranges[slot] is None:
            m.out.complete(m.delimiter)
            m.out.raw(text)
        return DELETE

    return change


def _quit(status: int, how: int) -> Action:
    def leave(m: Machine) -> int:
        m.status = max(status, 0)
        return how

    return leave


def _list(width: int) -> Action:
    """l: show the pattern space unambiguously, in lines of ``width`` columns (0: no folding)."""

    def show(m: Machine) -> None:
        m.budget.afford(8 * len(m.space))
        out: list[bytes] = []
        column = 0
        for byte in m.space:
            picture = _NAMED.get(byte) or (bytes((byte,)) if 32 <= byte < 127 else b"\\%03o" % byte)
            if width > 0 and column + len(picture) > width - 1:
                out.append(b"\\\n")
                column = 0
            out.append(picture)
            column += len(picture)
        out.append(b"$\n")
        m.out.complete(m.delimiter)
        m.out.raw(b"".join(out))

    return show


def _read_file(name: str) -> Action:
    return lambda m: m.queue.append(("file", name))


def _read_line(name: str) -> Action:
    return lambda m: m.queue_line(name)


def _write(name: str) -> Action:
    return lambda m: m.write_file(name, m.space, m.ended)


def _write_first(name: str) -> Action:
    def write(m: Machine) -> None:
        first, newline, _ = m.space.partition(m.delimiter)
        m.write_file(name, first, bool(newline) or m.ended)

    return write


def _next(silent: bool, posix: bool) -> Action:
    def read(m: Machine) -> int | None:
        if m.no_more():
            return QUIT_SILENT if posix else END
        if not silent:
            m.print(m.space, m.ended)
        return None if m.read() else QUIT_SILENT

    return read


def _append_next(posix: bool) -> Action:
    def read(m: Machine) -> int | None:
        if m.no_more():
            return QUIT_SILENT if posix else END
        before = m.space
        if not m.read():
            return QUIT_SILENT
        _grow(m, len(before) + len(m.space))
        m.space = before + m.delimiter + m.space
        return None

    return read


def _grow(m: Machine, size: int) -> None:
    """Check the size of a space before it is made."""
    if size > _LARGE:
        m.budget.afford(2 * size)
        m.budget.charge(size >> 10)


def _delete_first(m: Machine) -> int:
    _, newline, rest = m.space.partition(m.delimiter)
    if not newline:
        return DELETE
    m.space = rest
    return RESTART


def _get(m: Machine) -> None:
    m.space, m.ended = m.hold, m.hold_ended


def _get_append(m: Machine) -> None:
    _grow(m, len(m.space) + len(m.hold))
    m.space, m.ended = m.space + m.delimiter + m.hold, m.hold_ended


def _hold(m: Machine) -> None:
    m.hold, m.hold_ended = m.space, m.ended


def _hold_append(m: Machine) -> None:
    _grow(m, len(m.space) + len(m.hold))
    m.hold, m.hold_ended = m.hold + m.delimiter + m.space, m.ended


def _exchange(m: Machine) -> None:
    m.space, m.hold = m.hold, m.space
    m.ended, m.hold_ended = m.hold_ended, m.ended


def _print_first(m: Machine) -> None:
    first, newline, _ = m.space.partition(m.delimiter)
    m.print(first, bool(newline) or m.ended)


def _zap(m: Machine) -> None:
    m.space = b""


def _print_name(m: Machine) -> None:
    m.out.complete(m.delimiter)
    m.out.raw(m.name.encode("utf-8", "surrogateescape") + m.delimiter)


def _print_number(m: Machine) -> None:
    m.out.complete(m.delimiter)
    m.out.raw(b"%d%b" % (m.line, m.delimiter))


_SIMPLE: dict[str, Action] = {
    "d": lambda m: DELETE,
    "D": _delete_first,
    "g": _get,
    "G": _get_append,
    "h": _hold,
    "H": _hold_append,
    "p": lambda m: m.print(m.space, m.ended),
    "P": _print_first,
    "x": _exchange,
    "z": _zap,
    "F": _print_name,
    "=": _print_number,
    "v": _nothing,
}

__all__ = ["DELETE", "END", "QUIT", "QUIT_SILENT", "RESTART", "Compiled", "ScriptError"]
