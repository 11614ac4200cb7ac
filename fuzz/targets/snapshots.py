"""Any calls of the memory file system; a snapshot restores files, links and quota exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from stat import S_ISDIR, S_ISLNK, S_ISREG

from fuzz.pieces import Pieces, promise
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import VirtualPath

WORDS = ("\0", "\x01\x02", "\x05\x03", "\x07\x07")

PATHS = tuple(
    VirtualPath(path)
    for path in (
        "/a",
        "/b",
        "/a/b",
        "/a/b/c",
        "/l",
        "/l/b",
        "/d",
        "/d/e",
        "/d/e/f",
        "/",
        "/d/../a",
        "/g" * 20,
    )
)

TARGETS = ("a", "/d", "..", "l", "/l/../b", "", "x" * 300)

SIZES = (0, 1, 7, 900, 5000, 70_000)


def seeds() -> Iterable[bytes]:
    yield bytes([0, 0, 0, 3, 1, 2, 6, 0, 3, 2, 4, 4, 1, 0, 9, 5, 1, 0])
    yield bytes([0, 6, 0, 0, 7, 2, 3, 8, 1, 7, 0, 4, 4, 0, 3, 9, 2, 1, 6, 5, 5])
    yield bytes(range(60))


def target(data: bytes) -> None:
    fs = MemoryFileSystem(quota_bytes=20_000, quota_inodes=12, uid=0, bare=True)
    half = len(data) // 2
    act(fs, data[:half])
    saved = fs.snapshot()
    before = state(fs)
    act(fs, data[half:])
    changed = state(fs) != before
    promise(changed or not list(fs.diff(saved)), "a difference has a change", data)
    fs.restore(saved)
    promise(state(fs) == before, "a snapshot is restored exactly", data)
    promise(not list(fs.diff(saved)), "after restoring there is no difference", data)
    promise(fs.snapshot()._quota == saved._quota, "the quota is restored", data)


def act(fs: MemoryFileSystem, data: bytes) -> None:
    """Make the calls that the bytes choose; OSError is an answer."""
    pieces = Pieces(data)
    for _ in range(len(data) // 3):
        with suppress(OSError):
            pieces.choice(CALLS)(fs, pieces.choice(PATHS), pieces)


CALLS: tuple[Callable[[MemoryFileSystem, VirtualPath, Pieces], object], ...] = (
    lambda fs, path, pieces: fs.mkdir(path),
    lambda fs, path, pieces: fs.write_bytes(path, b"x" * pieces.choice(SIZES)),
    lambda fs, path, pieces: fs.write_bytes(path, b"y", parents=True),
    lambda fs, path, pieces: fs.symlink(pieces.choice(TARGETS), path),
    lambda fs, path, pieces: fs.link(pieces.choice(PATHS), path),
    lambda fs, path, pieces: fs.rename(pieces.choice(PATHS), path),
    lambda fs, path, pieces: fs.unlink(path),
    lambda fs, path, pieces: fs.rmdir(path),
    lambda fs, path, pieces: fs.chmod(path, pieces.number(0o1000)),
    lambda fs, path, pieces: fs.mkfifo(path),
    lambda fs, path, pieces: fs.realpath(path),
)


def state(fs: MemoryFileSystem) -> dict[str, object]:
    """Return every path with its kind, mode, links and contents."""
    found: dict[str, object] = {}
    pending = [VirtualPath("/")]
    while pending:
        directory = pending.pop()
        try:
            entries = fs.listdir(directory)
        except OSError:
            continue
        for entry in entries:
            path = VirtualPath(f"{directory.rstrip('/')}/{entry.name}")
            stat = fs.stat(path, follow=False)
            content: object = None
            if S_ISDIR(stat.mode) and path not in ("/dev", "/proc"):
                pending.append(path)
            elif S_ISLNK(stat.mode):
                content = fs.readlink(path)
            elif S_ISREG(stat.mode):
                content = contents(fs, path)
            found[path] = (stat.mode, stat.links, content)
    return found


def contents(fs: MemoryFileSystem, path: VirtualPath) -> bytes | None:
    """Return the contents of a file, None if its mode forbids that."""
    try:
        return fs.read_bytes(path)
    except OSError:
        return None
