"""Evidence of hooks over files of a dictionary."""

from __future__ import annotations

import posixpath
from hashlib import sha256
from typing import Any

from sandhook.hooks.evidence import Evidence, examine
from sandhook.hooks.model import Executor, HookSpec


class Files:
    """A machine with the files of a dictionary; links by path and target."""

    def __init__(self, files: dict[str, str] | None = None, links: dict[str, str] | None = None) -> None:
        self.files = {path: text.encode() for path, text in (files or {}).items()}
        self.links = links or {}
        self.opened: list[str] = []

    def read(self, path: str) -> bytes | None:
        self.opened.append(path)
        return self.files.get(self.links.get(path, path))

    def hashed(self, path: str, most: int) -> tuple[str, int] | None:
        data = self.files.get(self.links.get(path, path))
        return None if data is None or len(data) > most else (sha256(data).hexdigest(), len(data))

    def names(self, path: str) -> list[str] | None:
        prefix = path.rstrip("/") + "/"
        names = {each.removeprefix(prefix).split("/")[0] for each in self.files if each.startswith(prefix)}
        return sorted(names) or None

    def resolve(self, path: str) -> str:
        return posixpath.normpath(self.links.get(path, path))


def looked(
    text: str = "", files: dict[str, str] | Files | None = None, argv: tuple[str, ...] = (), **more: Any
) -> Evidence:
    spec = HookSpec("h", "tool.pre", "PreToolUse", Executor("argv" if argv else "bash", text, argv), **more)
    machine = files if isinstance(files, Files) else Files(files)
    return examine(spec, "crush", "/p", "/home/me", machine)


def paths(evidence: Evidence) -> list[str]:
    return [file.path for file in evidence.files]
