"""The commands of sed except s, as closures over the machine.

An action returns None to continue with the next command, the index of another command, or one of the
negative numbers below.

Source: POSIX.1-2024 XCU 3, sed. Oracle: GNU sed 4.9.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from sandhook.command.pieces import pieces
from sandhook.record import Record
from sandhook.utilities.languages.sed.machine import Machine
from sandhook.utilities.languages.sed.script import (
    Append,
    Block,
    Change,
    Insert,
    Jump,
    Language,
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
END = -5  #: print, and begin the next cycle, if another file has lines

CLOSED = -2  #: in ``Machine.ranges``: a range that begins with a line number, and is over

Action = Callable[[Machine], "int | None"]

_LARGE = 65_536  #: bytes; a space beyond this is checked against the memory limit before it grows
_LISTED = 4_096  #: bytes that l prints at a time
_ESCAPES = {7: b"\\a", 8: b"\\b", 9: b"\\t", 10: b"\\n", 11: b"\\v", 12: b"\\f", 13: b"\\r", 92: b"\\\\"}


class Setting(Record):
    """The context of a command, in addition to its arguments.

    Attributes:
        slot: Index in ``Machine.ranges`` of the command's range, -1 for no range or a negated one.
        wrap: Columns of a line that l prints.
        silent: Lines are not printed at the end of a cycle.
        language: With ``posix``, n and N print nothing when there is no next line.
    """

    slot: int
    wrap: int
    silent: bool
    language: Language


def _no_operation(m: Machine) -> None:
    return None


def _jump(node: Jump, setting: Setting) -> Action:
    target = node.target
    if node.when is None:
        return lambda m: target
    jump_if_replaced = node.when == "replaced"

    def jump(m: Machine) -> int | None:
        has_replaced, m.has_replaced = m.has_replaced, False
        return target if has_replaced == jump_if_replaced else None

    return jump


def _transliterate(node: Transliteration, setting: Setting) -> Action:
    source, target = node.source, node.target
    if source.isascii() and target.isascii():
        table = bytearray(range(256))
        for old, new in reversed(list(zip(source, target))):
            table[ord(old)] = ord(new)
        codes = bytes(table)

        def change(m: Machine) -> None:
            if len(m.space) > _LARGE:
                m.budget.charge(len(m.space) >> 10)
            m.space = m.space.translate(codes)

        return change
    mapping = {ord(old): new for old, new in reversed(list(zip(source, target)))}

    codec = "ascii" if setting.language.bytewise else "utf-8"

    def change_text(m: Machine) -> None:
        text = m.space.decode(codec, "surrogateescape")
        if len(text) > _LARGE:
            _grow(m, 4 * len(text))
            text = "".join([piece.translate(mapping) for piece in pieces(text, m.budget.charge)])
        else:
            text = text.translate(mapping)
        m.space = text.encode("utf-8", "surrogateescape")

    return change_text


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _append(node: Append, setting: Setting) -> Action:
    text = _encode(node.text)
    return lambda m: m.queue.append(text)


def _insert(node: Insert, setting: Setting) -> Action:
    text = _encode(node.text)
    bare = text[:-1]

    def insert(m: Machine) -> None:
        m.out.end_line(m.delimiter)
        m.out.write(bare + m.delimiter if text else text)

    return insert


def _change(node: Change, setting: Setting) -> Action:
    text, slot = _encode(node.text), setting.slot
    bare = text[:-1]

    def change(m: Machine) -> int:
        if slot < 0 or m.ranges[slot] in (None, CLOSED):
            m.out.end_line(m.delimiter)
            m.out.write(bare + m.delimiter if text else text)
        return DELETE

    return change


def _quit(node: Quit, setting: Setting) -> Action:
    status, outcome = node.status, QUIT if node.prints else QUIT_SILENT

    def leave(m: Machine) -> int:
        m.status = max(status, 0) & 0xFF
        if outcome == QUIT_SILENT:
            m.queue.clear()
        return outcome

    return leave


def _list(node: Listing, setting: Setting) -> Action:
    """Compile l; with a width of 0 columns, lines are not folded."""
    width = setting.wrap if node.width < 0 else node.width

    def show(m: Machine) -> None:
        fold = b"\\" + m.delimiter
        column = 0
        m.out.end_line(m.delimiter)
        for piece in pieces(m.space, m.ctx.charge, _LISTED):
            m.ctx.charge(len(piece) >> 6)
            out: list[bytes] = []
            for byte in piece:
                picture = _ESCAPES.get(byte) or (bytes((byte,)) if 32 <= byte < 127 else b"\\%03o" % byte)
                if width > 0 and column + len(picture) > width - 1:
                    out.append(fold)
                    column = 0
                out.append(picture)
                column += len(picture)
            m.out.write(b"".join(out))
        m.out.write(b"$" + m.delimiter)

    return show


def _read_file(node: ReadFile, setting: Setting) -> Action:
    name = node.name
    return lambda m: m.queue.append(name)


def _read_line(node: ReadLine, setting: Setting) -> Action:
    name = node.name
    return lambda m: m.queue_line(name)


def _write(node: WriteFile, setting: Setting) -> Action:
    name = node.name
    return lambda m: m.write_file(name, m.space, m.has_newline)


def _write_first(node: WriteFirstLine, setting: Setting) -> Action:
    name = node.name

    def write(m: Machine) -> None:
        first, newline, _ = m.space.partition(m.delimiter)
        m.write_file(name, first, bool(newline) or m.has_newline)

    return write


def _next(setting: Setting) -> Action:
    silent = setting.silent

    def read(m: Machine) -> int | None:
        if m.at_end():  # with -s, the last line of any file
            return END
        if not silent:
            m.print(m.space, m.has_newline)
        return None if m.read() else QUIT_SILENT

    return read


def _append_next(setting: Setting) -> Action:
    posix = setting.language.posix

    def read(m: Machine) -> int | None:
        if m.at_end():
            if posix:
                return QUIT_SILENT if m.at_input_end() else DELETE
            return END
        previous = m.space
        if not m.read():
            return QUIT_SILENT
        _grow(m, len(previous) + len(m.space))
        m.space = previous + m.delimiter + m.space
        return None

    return read


def _grow(m: Machine, size: int) -> None:
    """Check that a space of ``size`` bytes fits, and charge steps for copying it."""
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
    m.space, m.has_newline = m.hold, m.hold_has_newline


def _get_append(m: Machine) -> None:
    _grow(m, len(m.space) + len(m.hold))
    m.space, m.has_newline = m.space + m.delimiter + m.hold, m.hold_has_newline


def _hold(m: Machine) -> None:
    m.hold, m.hold_has_newline = m.space, m.has_newline


def _hold_append(m: Machine) -> None:
    _grow(m, len(m.space) + len(m.hold))
    m.hold, m.hold_has_newline = m.hold + m.delimiter + m.space, m.has_newline


def _exchange(m: Machine) -> None:
    m.space, m.hold = m.hold, m.space
    m.has_newline, m.hold_has_newline = m.hold_has_newline, m.has_newline


def _print_first(m: Machine) -> None:
    first, newline, _ = m.space.partition(m.delimiter)
    m.print(first, bool(newline) or m.has_newline)


def _zap(m: Machine) -> None:
    m.space = b""


def _print_name(m: Machine) -> None:
    m.out.end_line(m.delimiter)
    m.out.write(m.input_name.encode("utf-8", "surrogateescape") + m.delimiter)


def _print_number(m: Machine) -> None:
    m.out.end_line(m.delimiter)
    m.out.write(b"%d%b" % (m.line_number, m.delimiter))


_SIMPLE: dict[str, Action] = {
    "d": lambda m: DELETE,
    "D": _delete_first,
    "g": _get,
    "G": _get_append,
    "h": _hold,
    "H": _hold_append,
    "p": lambda m: m.print(m.space, m.has_newline),
    "P": _print_first,
    "x": _exchange,
    "z": _zap,
    "F": _print_name,
    "=": _print_number,
    "v": _no_operation,
}


def _plain(node: Plain, setting: Setting) -> Action:
    if node.letter == "n":
        return _next(setting)
    return _append_next(setting) if node.letter == "N" else _SIMPLE[node.letter]


def _block(node: Block, setting: Setting) -> Action:
    """Compile the jump past a block, for lines that the block does not select."""
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
