"""What the commands of a sed script do, apart from s: functions of the running machine.

An action returns None to go on with the next command, the index of another one, or one of the
negative numbers below.

Source: POSIX.1-2024 XCU 3, sed. Oracle: GNU sed 4.9.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.utilities.languages.sed.machine import Machine
from sandhook.utilities.languages.sed.script import Command

DELETE = -1  #: begin the next cycle without printing
RESTART = -2  #: run the script again without reading (D)
QUIT = -3  #: print, and end
QUIT_SILENT = -4  #: end
END = -5  #: print, and end because there is no more input

CLOSED = -2  #: in ``Machine.ranges``: a range that begins with a number, and has been

Action = Callable[[Machine], "int | None"]

_LARGE = 65_536  #: bytes; a space beyond this is checked against the memory limit before it grows
_NAMED = {7: b"\\a", 8: b"\\b", 9: b"\\t", 10: b"\\n", 11: b"\\v", 12: b"\\f", 13: b"\\r", 92: b"\\\\"}


def action_of(command: Command, slot: int, *, wrap: int, silent: bool, posix: bool) -> Action:
    """Return what a command other than s does.

    Args:
        command: The command.
        slot: Where ``Machine.ranges`` has what is known of its range.
        wrap: Columns of a line that l prints.
        silent: Lines are not printed at the end of a cycle.
        posix: n and N print nothing when there is no next line.
    """
    name, argument = command.name, command.argument
    if name == "y" and isinstance(argument, tuple):
        return _transliterate(*argument)
    if name in ("b", "t", "T"):
        return {"b": _jump, "t": _jump_if_replaced, "T": _jump_unless_replaced}[name](command.target)
    if name in ("a", "i", "c"):
        text = str(argument).encode("utf-8", "surrogateescape")
        if name == "c":
            return _change(text, slot if command.second is not None and not command.negated else -1)
        return {"a": _append, "i": _insert}[name](text)
    if name in ("q", "Q"):
        return _quit(int(str(argument)), QUIT if name == "q" else QUIT_SILENT)
    if name == "l":
        width = int(str(argument))
        return _list(wrap if width < 0 else width)
    if name in ("r", "R", "w", "W"):
        return {"r": _read_file, "R": _read_line, "w": _write, "W": _write_first}[name](str(argument))
    if name in ("n", "N"):
        return _next(silent, posix) if name == "n" else _append_next(posix)
    return _SIMPLE[name]


def _nothing(m: Machine) -> None:
    return None


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
    bare = text[:-1]

    def insert(m: Machine) -> None:
        m.out.complete(m.delimiter)
        m.out.raw(bare + m.delimiter if text else text)

    return insert


def _change(text: bytes, slot: int) -> Action:
    bare = text[:-1]

    def change(m: Machine) -> int:
        if slot < 0 or m.ranges[slot] in (None, CLOSED):
            m.out.complete(m.delimiter)
            m.out.raw(bare + m.delimiter if text else text)
        return DELETE

    return change


def _quit(status: int, how: int) -> Action:
    def leave(m: Machine) -> int:
        m.status = max(status, 0) & 0xFF
        if how == QUIT_SILENT:
            m.queue.clear()
        return how

    return leave


def _list(width: int) -> Action:
    """l: show the pattern space unambiguously, in lines of ``width`` columns (0: no folding)."""

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
