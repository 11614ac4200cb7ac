"""The commands of sed except s as closures over the machine.

An action returns None to go on with the next command, the index of another one, or one of the
negative numbers below.

Source: POSIX.1-2024 XCU 3, sed. Oracle: GNU sed 4.9.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from sandhook.record import Record
from sandhook.utilities.languages.sed.machine import Machine
from sandhook.utilities.languages.sed.script import (
    Append,
    Block,
    Change,
    Insert,
    Jump,
    Listing,
    Plain,
    Quit,
    ReadFile,
    ReadLine,
    Transliteration,
    Work,
    WriteFile,
    WriteFirstLine,
)

DELETE = -1  #: begin the next cycle without printing
RESTART = -2  #: run the script again without reading (D)
QUIT = -3  #: print, and end
QUIT_SILENT = -4  #: end
END = -5  #: print, and end because there is no more input

CLOSED = -2  #: in ``Machine.ranges``: a range that begins with a line number, and is over

Action = Callable[[Machine], "int | None"]

_LARGE = 65_536  #: bytes; a space beyond this is checked against the memory limit before it grows
_NAMED = {7: b"\\a", 8: b"\\b", 9: b"\\t", 10: b"\\n", 11: b"\\v", 12: b"\\f", 13: b"\\r", 92: b"\\\\"}


class Setting(Record):
    """What a command depends on in addition to its arguments.

    Attributes:
        slot: Index in ``Machine.ranges`` of the range that the command is for, -1 for no range or a negated one.
        wrap: Columns of a line that l prints.
        silent: Lines are not printed at the end of a cycle.
        posix: n and N print nothing when there is no next line.
    """

    slot: int
    wrap: int
    silent: bool
    posix: bool


def _nothing(m: Machine) -> None:
    return None


def _jump(node: Jump, setting: Setting) -> Action:
    target = node.target
    if node.when is None:
        return lambda m: target
    wanted = node.when == "replaced"

    def jump(m: Machine) -> int | None:
        replaced, m.replaced = m.replaced, False
        return target if replaced == wanted else None

    return jump


def _transliterate(node: Transliteration, setting: Setting) -> Action:
    source, target = node.source, node.target
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


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _append(node: Append, setting: Setting) -> Action:
    text = _encoded(node.text)
    return lambda m: m.queue.append(text)


def _insert(node: Insert, setting: Setting) -> Action:
    text = _encoded(node.text)
    bare = text[:-1]

    def insert(m: Machine) -> None:
        m.out.complete(m.delimiter)
        m.out.raw(bare + m.delimiter if text else text)

    return insert


def _change(node: Change, setting: Setting) -> Action:
    text, slot = _encoded(node.text), setting.slot
    bare = text[:-1]

    def change(m: Machine) -> int:
        if slot < 0 or m.ranges[slot] in (None, CLOSED):
            m.out.complete(m.delimiter)
            m.out.raw(bare + m.delimiter if text else text)
        return DELETE

    return change


def _quit(node: Quit, setting: Setting) -> Action:
    status, how = node.status, QUIT if node.prints else QUIT_SILENT

    def leave(m: Machine) -> int:
        m.status = max(status, 0) & 0xFF
        if how == QUIT_SILENT:
            m.queue.clear()
        return how

    return leave


def _list(node: Listing, setting: Setting) -> Action:
    """Return l; a width of 0 columns does not fold lines."""
    width = setting.wrap if node.width < 0 else node.width

    def show(m: Machine) -> None:
        m.budget.check_fits(8 * len(m.space))
        out: list[bytes] = []
        fold = b"\\" + m.delimiter
        column = 0
        for byte in m.space:
            picture = _NAMED.get(byte) or (bytes((byte,)) if 32 <= byte < 127 else b"\\%03o" % byte)
            if width > 0 and column + len(picture) > width - 1:
                out.append(fold)
                column = 0
            out.append(picture)
            column += len(picture)
        out.append(b"$" + m.delimiter)
        m.out.complete(m.delimiter)
        m.out.raw(b"".join(out))

    return show


def _read_file(node: ReadFile, setting: Setting) -> Action:
    name = node.name
    return lambda m: m.queue.append(name)


def _read_line(node: ReadLine, setting: Setting) -> Action:
    name = node.name
    return lambda m: m.queue_line(name)


def _write(node: WriteFile, setting: Setting) -> Action:
    name = node.name
    return lambda m: m.write_file(name, m.space, m.ended)


def _write_first(node: WriteFirstLine, setting: Setting) -> Action:
    name = node.name

    def write(m: Machine) -> None:
        first, newline, _ = m.space.partition(m.delimiter)
        m.write_file(name, first, bool(newline) or m.ended)

    return write


def _next(setting: Setting) -> Action:
    silent, posix = setting.silent, setting.posix

    def read(m: Machine) -> int | None:
        if m.no_more():
            return QUIT_SILENT if posix else END
        if not silent:
            m.print(m.space, m.ended)
        return None if m.read() else QUIT_SILENT

    return read


def _append_next(setting: Setting) -> Action:
    posix = setting.posix

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
    """Check that a space of ``size`` bytes fits before it is made."""
    if size > _LARGE:
        m.budget.check_fits(2 * size)
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
    m.out.raw(m.opened.encode("utf-8", "surrogateescape") + m.delimiter)


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


def _plain(node: Plain, setting: Setting) -> Action:
    if node.letter == "n":
        return _next(setting)
    return _append_next(setting) if node.letter == "N" else _SIMPLE[node.letter]


def _block(node: Block, setting: Setting) -> Action:
    """Return the jump past a block; the compiler runs it when the block is not selected."""
    target = node.target
    return lambda m: target


#: A function that compiles the nodes of one class, which is the key of the table.
_Compile: TypeAlias = Callable[[Any, Setting], Action]
_ACTIONS: Mapping[type[Work], _Compile] = {
    Transliteration: _transliterate,
    Block: _block,
    Jump: _jump,
    Append: _append,
    Insert: _insert,
    Change: _change,
    Quit: _quit,
    Listing: _list,
    ReadFile: _read_file,
    ReadLine: _read_line,
    WriteFile: _write,
    WriteFirstLine: _write_first,
    Plain: _plain,
}


def compile_work(work: Work, setting: Setting) -> Action:
    """Compile the work of any command but s."""
    return _ACTIONS[type(work)](work, setting)
