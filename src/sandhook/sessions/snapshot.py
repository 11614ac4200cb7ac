"""The format of a stored session.

A line with the format and its version, a line with the SHA-256 of the rest, then two sections, each after a line
with its name and its size in bytes: ``state``, a JSON text, and ``files``, entries as ``vfs.delta`` encodes them.
The digest detects damage; it does not authenticate the writer. Nothing in a snapshot is ever executed.
"""

from __future__ import annotations

from hashlib import sha256
from json import dumps
from typing import TYPE_CHECKING

from sandhook.errors import SnapshotError
from sandhook.interp.beginning import Script
from sandhook.record import Record
from sandhook.sessions.files import read_files, write_files
from sandhook.sessions.reading import Cursor, parse
from sandhook.sessions.state import read_directory, read_state, write_state

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypedDict

    from sandhook.command.own import Utilities
    from sandhook.interp.one_run import Run, Sandbox
    from sandhook.interp.program import TreeStore
    from sandhook.kernel.settings import Restrictions
    from sandhook.limits import Limits
    from sandhook.net.network import Network
    from sandhook.sessions.reading import Json
    from sandhook.state.function import Function
    from sandhook.state.state import State
    from sandhook.vfs.memory import MemoryFileSystem
    from sandhook.vfs.path import VirtualPath

    class RestoreArguments(TypedDict, total=False):
        """The keyword arguments of ``Shell.restore``."""

        limits: Limits | None
        utilities: Utilities | None
        network: Network | None
        parse_cache: TreeStore | None
        start_files: bool
        git_writes: bool
        dispatches_scripts: bool
        restrictions: Restrictions | None
        crlf: bool


_MAGIC = b"sandhook session "
_VERSION = b"1"

#: Characters of a digest, with its newline.
_DIGEST = 65

#: The longest line before a section.
_LINE = 32

#: What a snapshot of one byte of a variable may need: "\\udc80".
_ESCAPED = 6


class Stored(Record):
    """What a snapshot has.

    Fields:
        cwd: The working directory of the shell; that of the session is in ``state``.
        env: The environment of the shell.
        start: The environment and the name that the session began with.
        state: See ``sessions.state``.
        files: See ``sessions.files``.
        entries: The entries of ``files``.
    """

    cwd: VirtualPath
    env: dict[str, str]
    start: Script
    state: Cursor
    files: Cursor
    entries: bytes

    def file_system(self, limits: Limits) -> MemoryFileSystem:
        """Return a new file system with the files. Raises SnapshotError."""
        return read_files(self.files, self.entries, limits)

    def begin(self, run: Run) -> State:
        """Return the state, as that of a run of the new shell. Raises SnapshotError."""
        return _restored(self.state, run, self.start)


def write_snapshot(shell: Sandbox, start: Script, state: State, limits: Limits) -> bytes:
    """Return a session as bytes. Raises SnapshotError for files that are not in memory.

    The functions must be within the limits for scripts.
    """
    about, entries = write_files(shell.fs)
    document: dict[str, Json] = {
        "shell": {"cwd": shell.cwd, "env": dict(shell.env)},
        "session": {"name": start.name, "env": None if start.env is None else dict(start.env)},
        "files": about,
        "state": write_state(state, limits),
    }
    text = dumps(document, separators=(",", ":")).encode("ascii")
    rest = b"".join((_line("state", text), text, _line("files", entries), entries))
    return b"".join((_MAGIC, _VERSION, b"\n", _digest(rest), rest))


def _line(name: str, data: bytes) -> bytes:
    return f"{name} {len(data)}\n".encode("ascii")


def _digest(rest: bytes) -> bytes:
    return sha256(rest).hexdigest().encode("ascii") + b"\n"


def read_snapshot(data: bytes, limits: Limits) -> Stored:
    """Return what a snapshot has; its state and files are checked when they are restored. Raises SnapshotError."""
    if not isinstance(data, bytes):
        raise TypeError(f"a snapshot must be bytes, not {type(data).__name__}")
    if not data.startswith(_MAGIC):
        raise SnapshotError("format", "this is not a snapshot of a session")
    version, newline, _ = data[len(_MAGIC) : len(_MAGIC) + _LINE].partition(b"\n")
    if version != _VERSION or not newline:
        raise SnapshotError(
            "format", f"version {version.decode('ascii', 'replace')!r} is not known; wanted 1"
        )
    start = len(_MAGIC) + len(version) + 1
    rest = data[start + _DIGEST :]
    if data[start : start + _DIGEST] != _digest(rest):
        raise SnapshotError("digest", "the snapshot is damaged")
    text, after = _section(rest, 0, b"state")
    if len(text) > _ESCAPED * limits.memory_bytes:
        raise SnapshotError(
            "state", f"{len(text)} bytes are more than memory_bytes allows ({limits.memory_bytes})"
        )
    entries, end = _section(rest, after, b"files")
    if end != len(rest):
        raise SnapshotError("format", "more follows the last section")
    return _stored(parse(text, "document"), entries)


def _section(data: bytes, start: int, name: bytes) -> tuple[bytes, int]:
    """Return a section and the offset after it."""
    line, newline, _ = data[start : start + _LINE].partition(b"\n")
    found, _, size = line.partition(b" ")
    if not newline or found != name or not size.isdigit():
        raise SnapshotError(name.decode(), "the section is missing")
    first = start + len(line) + 1
    end = first + int(size)
    if end > len(data) or str(int(size)).encode() != size:
        raise SnapshotError(name.decode(), "the section is cut")
    return data[first:end], end


def _stored(document: Cursor, entries: bytes) -> Stored:
    parts = document.fields("shell", "session", "files", "state")
    shell = parts["shell"].fields("cwd", "env")
    session = parts["session"].fields("name", "env")
    env = None if session["env"].is_null() else session["env"].text_map()
    start = Script("", env=env, name=session["name"].text())
    return Stored(
        read_directory(shell["cwd"]), shell["env"].text_map(), start, parts["state"], parts["files"], entries
    )


def _restored(
    document: Cursor, run: Run, start: Script, functions: Mapping[str, Function] | None = None
) -> State:
    state = run.new_session(start)
    read_state(document, state, functions)
    return state


def fork_state(state: State, run: Run, start: Script) -> State:
    """Return a copy of a state for a run of another shell; compiled functions are shared."""
    return _restored(Cursor(write_state(state), "state"), run, start, state.functions)
