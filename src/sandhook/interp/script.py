"""Reading a script's text from the virtual file system."""

from __future__ import annotations

from sandhook.kernel.descriptor import CHUNK, Description
from sandhook.state.state import State
from sandhook.vfs.path import join


def read_script(state: State, path: str) -> str:
    """Return the text of a file, /dev/stdin and the like included. Raises OSError."""
    description = state.process.open(path)
    try:
        return read_text(state, description)
    finally:
        description.release()


def is_binary(state: State, path: str) -> bool:
    """Tell whether a regular file is no script: ELF, or a NUL in its first line."""
    absolute = join(state.process.cwd, path)
    try:
        if state.process.kernel.fs.stat(absolute).mode & 0o170000 != 0o100000:
            return False
        data = state.process.kernel.fs.read_bytes(absolute)[:128]
    except OSError:
        return False
    return data[:4] == b"\x7fELF" or b"\0" in data.partition(b"\n")[0]


def read_text(state: State, description: Description) -> str:
    """Return the rest of a description as script text, without NULs."""
    pieces: list[bytes] = []
    size = 0
    while data := description.read(CHUNK):
        size += len(data)
        if size > state.budget.limits.script_bytes:
            state.budget.fail("script_bytes")
        pieces.append(data)
    return b"".join(pieces).replace(b"\0", b"").decode("utf-8", "surrogateescape")
