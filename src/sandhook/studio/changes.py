"""What each hook changes in the file system, noted while it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from stat import filemode
from typing import TYPE_CHECKING, Literal

from sandhook.hooks.event import Json
from sandhook.record import Record
from sandhook.studio.diff import Row, difference, is_comparable
from sandhook.vfs.changes import CREATED, DELETED, Change, ChangeKind

if TYPE_CHECKING:
    from sandhook.hooks.model import HookSpec, Request, RunResult
    from sandhook.hooks.runner import SandboxRunner
    from sandhook.isolation.arguments import Isolation
    from sandhook.vfs.base import FileSystem
    from sandhook.vfs.overlay import OverlayFileSystem

#: Changes of one hook that are shown.
MAX_CHANGES = 200

#: Why a change has no lines: "" when it has.
Unshown = Literal["", "directory", "link", "binary", "large", "special file"]


class FileChange(Record):
    """One path that a hook changed.

    Attributes:
        path: Relative to the project, or absolute outside of it.
        kind: See ``vfs.changes.Change``.
        mode: As ``ls -l`` has it.
        why: See Unshown.
        rows: The lines that differ.
    """

    path: str
    kind: ChangeKind
    mode: str
    why: Unshown = ""
    rows: tuple[Row, ...] = ()

    def json(self) -> Json:
        return {
            "path": self.path,
            "change": self.kind,
            "mode": self.mode,
            "why": self.why,
            "rows": [row.json() for row in self.rows],
        }


class Layer(Record):
    """Changes over some files.

    Attributes:
        prefix: What paths are shown with: "" for the project, "/" for the root.
        overlay: The changes.
    """

    prefix: str
    overlay: OverlayFileSystem


class _State(Record):
    """A changed path at one moment; ``digest`` of its contents."""

    kind: ChangeKind
    mode: int
    digest: bytes
    data: bytes


class Recorder:
    """A runner that notes what each hook changes.

    It runs one hook at a time, so each change belongs to one hook.

    Args:
        runner: Runs the hooks.
        layers: Returns the changes that hooks of a source make.

    Attributes:
        changes: What each hook changed, by the id of the hook.
    """

    concurrent = False

    def __init__(self, runner: SandboxRunner, layers: Callable[[str], Sequence[Layer]]) -> None:
        self._runner = runner
        self._layers = layers
        self.fs: FileSystem = runner.fs
        self.files_of = runner.files_of
        self.resolve = runner.resolve
        self.changes: dict[str, list[FileChange]] = {}

    def isolation_of(self, spec: HookSpec) -> Isolation | None:
        return self._runner.isolation_of(spec)

    def __call__(self, request: Request) -> RunResult:
        """Run a request and note its changes."""
        self.files_of(request.source)  # makes the layers of this source
        before = [_states(layer) for layer in self._layers(request.source)]
        ran = self._runner(request)
        noted = self.changes.setdefault(request.spec.id, [])
        for layer, old in zip(self._layers(request.source), before, strict=True):
            noted += _compared(layer, old, MAX_CHANGES - len(noted))
        return ran


def _states(layer: Layer) -> dict[str, _State]:
    return {str(change.path): _state(change) for change in layer.overlay.changes()}


def _state(change: Change) -> _State:
    data = b"" if change.kind == DELETED else change.content()
    return _State(change.kind, change.mode, sha256(data).digest(), data)


def _compared(layer: Layer, before: dict[str, _State], most: int) -> list[FileChange]:
    changes: list[FileChange] = []
    for change in layer.overlay.changes():
        state = _state(change)
        known = before.get(str(change.path))
        if known is not None and (known.kind, known.mode, known.digest) == (
            state.kind,
            state.mode,
            state.digest,
        ):
            continue
        if len(changes) >= most:
            break
        changes.append(_change(layer, change, known, state))
    return changes


def _change(layer: Layer, change: Change, known: _State | None, state: _State) -> FileChange:
    old = known.data if known is not None else _below(layer, change)
    kind = change.kind
    if known is not None and kind == CREATED:
        kind = "modified"  # an earlier hook created it
    path = f"{layer.prefix}{str(change.path).lstrip('/')}"
    mode = filemode(change.mode)
    if change.is_dir:
        return FileChange(path, kind, mode, "directory")
    if change.is_link:
        return FileChange(path, kind, mode, "link")
    if not change.is_file:
        return FileChange(path, kind, mode, "special file")
    if b"\0" in old[:8192] or b"\0" in state.data[:8192]:
        return FileChange(path, kind, mode, "binary")
    before, after = old.decode("utf-8", "replace"), state.data.decode("utf-8", "replace")
    if not is_comparable(before, after):
        return FileChange(path, kind, mode, "large")
    return FileChange(path, kind, mode, "", tuple(difference(before, after)))


def _below(layer: Layer, change: Change) -> bytes:
    if change.kind == CREATED:
        return b""
    try:
        return layer.overlay.lower.read_bytes(change.path)
    except OSError:
        return b""
