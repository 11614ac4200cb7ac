"""History files: each line is a command, or several lines form one after a line ``#SECONDS``."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.interp.script import read_script
from sandhook.state.history import Entry
from sandhook.state.state import State


def read_file(state: State, name: str, skip: int) -> tuple[list[Entry], int]:
    """Return the entries after the first ``skip`` lines, and the number of lines of the file.

    Raises:
        OSError: The file cannot be read.
    """
    text = read_script(state, name)
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    state.budget.charge(1 + len(lines))
    has_stamps = bool(lines) and _is_stamp(lines[0])
    entries: list[Entry] = []
    time: int | None = None
    joined: list[str] = []
    for line in lines[skip:]:
        if _is_stamp(line):
            _finish(entries, joined, time)
            time = int(line[1:])
        elif has_stamps and time is not None:
            joined.append(line)
        elif line:
            entries.append(Entry(line, time))
    _finish(entries, joined, time)
    return entries, len(lines)


def _is_stamp(line: str) -> bool:
    return line[:1] == "#" and line[1:].isascii() and line[1:].isdigit() and len(line) < 20


def _finish(entries: list[Entry], joined: list[str], time: int | None) -> None:
    if joined:
        entries.append(Entry("\n".join(joined), time))
        joined.clear()


def _text(state: State, entries: Sequence[Entry]) -> bytes:
    has_stamps = state.get("HISTTIMEFORMAT") is not None
    pieces: list[str] = []
    for entry in entries:
        if has_stamps and entry.time is not None:
            pieces.append(f"#{entry.time}\n")
        pieces.append(entry.text + "\n")
    return "".join(pieces).encode("utf-8", "surrogateescape")


def write_file(state: State, name: str, entries: Sequence[Entry]) -> None:
    """Replace the content of the file with all entries. Raises OSError."""
    _write(state, name, _text(state, entries), append=False)


def append_file(state: State, name: str, entries: Sequence[Entry]) -> None:
    """Append entries to the file, which is created if necessary. Raises OSError."""
    _write(state, name, _text(state, entries), append=True)


def _write(state: State, name: str, data: bytes, *, append: bool) -> None:
    state.budget.charge(1 + (len(data) >> 10))
    description = state.process.open(
        name, read=False, write=True, create=True, truncate=not append, append=append
    )
    try:
        description.write(data)
    finally:
        description.release()
