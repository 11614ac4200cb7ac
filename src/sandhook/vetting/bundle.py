"""The files that a hook may execute, by their paths relative to the bundle."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from hashlib import sha256
from typing import Literal

from sandhook.dispatch.operands import SHELLS, base_name
from sandhook.dispatch.shebang import READ, ShebangError, read_shebang
from sandhook.vetting.values import HOLE

#: What a file is.
Language = Literal["shell", "other", "binary"]


class Bundle:
    """Files, read once.

    Args:
        files: Contents by path, relative, with "/".
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)
        self._by_name: dict[str, list[str]] = {}
        for path in self.files:
            self._by_name.setdefault(posixpath.basename(path), []).append(path)

    def find(self, path: str) -> str | None:
        """Return the file of the bundle that a path in the notation of manifests names, or None.

        The bundle may be any part of the project, so a file whose path ends in the same names is that file.
        """
        relative = posixpath.normpath(path.rpartition(HOLE)[2].lstrip("~/$"))
        if relative in self.files:
            return relative
        parts = relative.split("/")
        candidates = [
            each
            for each in self._by_name.get(parts[-1], ())
            if f"/{relative}".endswith(f"/{each}") or f"/{each}".endswith(f"/{relative}")
        ]
        return candidates[0] if len(candidates) == 1 else None

    def text(self, path: str) -> str:
        """Return a file as text, without the NUL bytes, which shells drop."""
        text = self.files[path].decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
        return text.replace("\0", "")

    def digest(self, path: str) -> str:
        """Return the hash of a file."""
        return digest_of(self.files[path])


def digest_of(data: bytes) -> str:
    """Return the hash of bytes as manifests have it."""
    return f"sha256:{sha256(data).hexdigest()}"


def interpreters_of(data: bytes) -> list[str]:
    """Return the programs that the first line of a script names."""
    try:
        shebang = read_shebang(data[:READ])
    except ShebangError:
        return []
    if shebang is None:
        return []
    words = [shebang.interpreter, *(shebang.argument or "").split()]
    return [base_name(word) for word in words if word[:1] != "-" and "=" not in word]


def language_of(name: str, data: bytes) -> Language:
    """Return what a file is: "other" is a script of another language."""
    programs = interpreters_of(data)
    if programs:
        return "shell" if SHELLS.intersection(programs) else "other"
    if b"\0" in data[:1024]:
        return "binary"
    return (
        "other"
        if name.endswith((".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".ps1", ".lua", ".fish"))
        else "shell"
    )
