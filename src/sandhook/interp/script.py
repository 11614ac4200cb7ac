"""Reading a script's text from the virtual file system."""

from __future__ import annotations

from sandhook.kernel.descriptor import CHUNK, Description
from sandhook.state.state import State


def read_script(state: State, path: str) -> str:
    """Return the text of a file, /dev/stdin and the like included. Raises OSError."""
    description = state.process.open(path)
    try:
        return read_text(state, description)
    finally:
        description.release()


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
