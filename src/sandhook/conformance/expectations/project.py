"""The project as the hooks of a case see it: a directory of the host in the sandbox, or a copy on this machine."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from sandhook.conformance.expectations.judge import ReadFile
from sandhook.errors import SandhookError
from sandhook.hooks.host import HostRunner
from sandhook.hooks.runner import Runner, SandboxRunner
from sandhook.record import Record
from sandhook.vfs.hostdir import HostDirectory
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.mounts import MountTable
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath

if TYPE_CHECKING:
    from sandhook.host.world import Host

#: Where the project is in the sandbox.
WORKSPACE = "/workspace"

#: The most that is copied of a project for hooks that run on this machine.
MAX_FILES, MAX_BYTES = 20_000, 256 << 20

#: Directories that are not copied: what tools install and build.
_NOT_COPIED = frozenset(
    {"node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache", ".ruff_cache"}
)


class ProjectError(SandhookError):
    """A project that hooks cannot be shown."""


class Project(Record):
    """One state of the project for one event.

    Attributes:
        directory: Its path as the hooks see it.
        runner: Runs hooks there.
        read: Returns the contents of a file after the event.
    """

    directory: str
    runner: Runner
    read: ReadFile


def namespace_of(directory: str, files: Mapping[str, str | None]) -> tuple[OverlayFileSystem, MountTable]:
    """Return the files of a project with changes in memory, and the namespace that shows them at WORKSPACE.

    Raises:
        ProjectError: The directory or a file cannot be shown.
    """
    try:
        overlay = OverlayFileSystem(HostDirectory(directory, False))
        for name, text in files.items():
            path = VirtualPath(f"/{name}")
            if text is None:
                if overlay.exists(path):
                    overlay.unlink(path)
            else:
                mode = 0o755 if text.startswith("#!") else 0o644
                overlay.write_bytes(path, text.encode("utf-8", "surrogateescape"), mode=mode, parents=True)
        namespace = MountTable(MemoryFileSystem())
        namespace.mount(VirtualPath(WORKSPACE), overlay)
    except OSError as error:
        raise ProjectError(f"{directory}: {error.filename or ''}: {error.strerror}") from None
    return overlay, namespace


def in_sandbox(directory: str, files: Mapping[str, str | None]) -> Project:
    """Return a project whose changes stay in memory."""
    overlay, namespace = namespace_of(directory, files)

    def read(name: str) -> str | None:
        path = VirtualPath(f"/{name}")
        return overlay.read_bytes(path).decode("utf-8", "replace") if overlay.exists(path) else None

    return Project(WORKSPACE, SandboxRunner(namespace), read)


@contextmanager
def on_host(directory: str, files: Mapping[str, str | None]) -> Iterator[Project]:
    """Provide a copy of a project on this machine."""
    with TemporaryDirectory(prefix="sandhook-", ignore_cleanup_errors=True) as place:
        root = Path(os.path.realpath(place)) / "project"
        try:
            _copy(Path(directory), root)
            for name, text in files.items():
                path = root / name
                if text is None:
                    path.unlink(missing_ok=True)
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode("utf-8", "surrogateescape"))
                if text.startswith("#!"):
                    path.chmod(0o755)
        except OSError as error:
            raise ProjectError(f"{directory}: {error.filename or ''}: {error.strerror}") from None

        def read(name: str) -> str | None:
            path = root / name
            return path.read_bytes().decode("utf-8", "replace") if path.is_file() else None

        text = root.as_posix()
        yield Project(text, HostRunner(_host(), select=lambda spec: True, workspace=text), read)


def _host() -> Host:
    from sandhook.host.world import Host

    return Host(subreaper=sys.platform == "linux")


def _copy(source: Path, target: Path) -> None:
    """Copy a project. Raises ProjectError for one that is too large."""
    count = size = 0
    for above, directories, names in os.walk(source):
        directories[:] = [name for name in directories if name not in _NOT_COPIED]
        for name in names:
            count += 1
            size += (Path(above) / name).lstat().st_size
        if count > MAX_FILES or size > MAX_BYTES:
            raise ProjectError(
                f"{source}: more than {MAX_FILES} files or {MAX_BYTES >> 20} MiB: too large to copy for hooks on"
                " this machine; name a smaller directory with the key project"
            )
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_COPIED))
