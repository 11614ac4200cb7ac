"""Approved files in a run on this machine: what was approved is what runs, whatever happens to the files meanwhile.

The approved bytes are compared with the files, and written to a private directory. Our shell reads them from
there under the names of the files, so ``$0`` and ``BASH_SOURCE`` are as usual. Another interpreter gets the
path of the copy. The copies stand in directories like the originals, with links to all their neighbours.
A file that is too large to be kept is approved by its hash. In the project it is copied, too. Anywhere else it is
read before the run and runs in its place, because an interpreter finds its own files from there.
Windows has no such links for every user. There the files are held open, so that nobody can change them.

Paths are those of the shell, also on Windows: /c/work/x. There one file has several, for example
/d/work/C:/work/x. They are compared by the path that the system's name leads to, without regard to case.
"""

# pathlib costs the command line 10 ms.
# ruff: noqa: PTH103, PTH110, PTH112, PTH116, PTH120, PTH123, PTH208, PTH211
from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import BinaryIO, Self

from sandhook.dispatch.model import Interpreter, Program
from sandhook.dispatch.operands import executed_files
from sandhook.errors import SandhookError
from sandhook.host.files import WINDOWS, HostFileSystem
from sandhook.host.hashing import hash_of, pieces_of
from sandhook.pattern.glob import Pattern, compile_pattern, has_magic, quote
from sandhook.record import Record
from sandhook.vfs.base import Device, FileHandle
from sandhook.vfs.errors import fs_error
from sandhook.vfs.hostwindows import open_unshared
from sandhook.vfs.path import VirtualPath, join, normalize

#: The most neighbours of approved files that are linked in one run.
MAX_LINKS = 4_096


class NotAsApproved(SandhookError):
    """A file differs from what was approved, or exists although it did not."""


class _Large(Record):
    """A file that is approved by its hash.

    Attributes:
        sha256: The hash, in hexadecimal.
        place: Its native path, without links.
        identity: What the system knew of it when it was opened.
        copied: Its copy runs, and is compared when it is made.
    """

    sha256: str
    place: str
    identity: tuple[int, ...]
    copied: bool

    def is_read_from(self, file: BinaryIO, copy: Callable[[bytes], object] | None = None) -> bool:
        """Return whether the rest of a file has the hash."""
        hashed = hash_of(pieces_of(file), copy=copy)
        return hashed is not None and hashed[0] == self.sha256

    def is_copied_to(self, copy: BinaryIO) -> bool:
        """Copy the file; return whether the copy has the hash."""
        with open(open_unshared(self.place), "rb") as file:
            return self.is_read_from(file, copy.write)


class ApprovedFiles:
    """The approved files of one run; a context, which removes the copies.

    Args:
        snapshot: Paths, relative to one of ``bases`` or absolute, and the approved bytes.
        absent: Patterns of paths, as in ``snapshot``, which must match no further file.
        bases: Absolute native directories.
        links: Paths, as in ``snapshot``, and where each must lead.
        hashed: Paths, as in ``snapshot``, and the SHA-256 of the approved bytes in hexadecimal.

    Attributes:
        notes: What the copies lack, for the report of the run.

    Raises:
        NotAsApproved: A file is not as it was approved.
    """

    def __init__(
        self,
        snapshot: Iterable[tuple[str, bytes]],
        absent: Iterable[str],
        bases: Sequence[str],
        links: Iterable[tuple[str, str]] = (),
        hashed: Iterable[tuple[str, str]] = (),
    ) -> None:
        self.notes: tuple[str, ...] = ()
        self._files = HostFileSystem(bases[0] if bases else "")
        places = map(self._files.virtual, bases) if WINDOWS else bases
        self._bases = list(dict.fromkeys(base.rstrip("/") or "/" for base in places))
        self._resources = ExitStack()
        self._data: dict[str, bytes | _Large] = {}
        self._copies: dict[str, str] = {}
        self._links: dict[str, str] = {}
        self._absent: list[Pattern] = []
        self._written: set[str] = set()
        self._top = ""  # the directory of the copies
        try:
            for path, target in links:
                self._compare_link(path, target)
            for name, data in snapshot:
                self._compare(name, data)
            for name, sha256 in hashed:
                self._compare(name, sha256)
            for pattern in absent:
                self._check_absent(pattern)
        except BaseException:
            self._resources.close()
            raise

    def __enter__(self) -> Self:
        if not WINDOWS:
            top = self._resources.enter_context(
                TemporaryDirectory(prefix="sandhook-", ignore_cleanup_errors=True)
            )
            try:
                self._copy(top)
            except BaseException:
                self._resources.close()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._resources.close()

    # For the run.

    def without_links(self, path: str) -> str:
        """Return a path with the places where links led when they were compared: they may change during the run."""
        for _ in self._links:
            folded = _folded(path)
            link = max((each for each in self._links if _is_at(folded, _folded(each))), key=len, default="")
            if not link or self._links[link] == link:
                break
            path = self._links[link] + path[len(link) :]
        return path

    def resolved(self, path: str) -> str | None:
        """Return where a compared directory led, None for any other path."""
        place = self.without_links(self._place(path))
        return place if place in self._links.values() else None

    def copy_of(self, path: str) -> str | None:
        """Return the copy of an approved file, None for any other path.

        Raises:
            OSError: ENOENT for a path that has to be absent, EINVAL for a name that is impossible on Windows.
        """
        place = _folded(self._place(path))
        if place in self._written:
            return None
        copy = self._copies.get(place) or self._copies.get(_folded(self.without_links(place)))
        if copy is None and any(pattern.matches(place) for pattern in self._absent):
            raise fs_error(errno.ENOENT, path)
        return copy

    def write(self, path: str) -> None:
        """Record that the script writes a file, whose contents are its own from now on."""
        self._written.add(_folded(self._place(path)))

    def bind(self, plan: Program | Interpreter, cwd: VirtualPath, script: str) -> Program | Interpreter:
        """Return a plan with the copies in place of the approved files that it executes.

        Args:
            script: The file that the plan is for, as it stands in the arguments of an interpreter.
        """
        argv = list(plan.argv)
        places = set(executed_files(argv))
        if isinstance(plan, Interpreter) and script in argv[1:]:
            places.add(argv.index(script, 1))
        for index in places - {0}:
            argv[index] = self._for_program(argv[index], cwd)
        executable = self._to_start(join(cwd, plan.executable)) or plan.executable
        return plan._replace(executable=executable, argv=tuple(argv))

    def _to_start(self, path: str) -> str | None:
        """Return the path by which an approved file is executed, None for any other file.

        Raises:
            NotAsApproved: It has changed since it was compared.
        """
        place = _folded(self._place(path))
        large = self._data.get(place) or self._data.get(_folded(self.without_links(place)))
        if isinstance(large, _Large) and not large.copied:
            if not WINDOWS and _identity(large.place) != large.identity:
                raise NotAsApproved(f"{path}: changed after the run began")
            return large.place
        return self.copy_of(path)

    def _for_program(self, word: str, cwd: VirtualPath) -> str:
        """Return the path by which a program opens a file; a file that has to be absent has no copy."""
        path = join(cwd, word)
        try:
            return self._to_start(path) or word
        except OSError:
            return f"{self._top}{self._place(path)}" if self._top else word

    # Comparing.

    def _compare(self, name: str, approved: bytes | str) -> None:
        """Compare a file with its bytes or its hash, in every directory where the hook may name it."""
        failure: OSError | None = None
        before = len(self._data)
        for path in self._places(name):
            try:
                found = self._as_approved(path, approved)
            except OSError as error:
                failure = error
                self._absent.append(compile_pattern(quote(path), nocase=WINDOWS))
                continue
            if found is None:
                raise NotAsApproved(f"{name}: has changed since it was approved")
            self._data[_folded(path)] = found
            self._pin_directories(path)
        if len(self._data) == before and failure is not None:
            raise NotAsApproved(f"{name}: was approved and cannot be read: {failure.strerror}")

    def _pin_directories(self, path: str) -> None:
        """Keep where the directories of an approved file lead."""
        above = os.path.dirname(path)
        self._links.setdefault(above, self._resolved(self._native(above)))
        while self._is_inside(above := os.path.dirname(above)):
            self._links.setdefault(above, self._resolved(self._native(above)))

    def _compare_link(self, name: str, target: str) -> None:
        """Compare where a path leads, in every directory where it exists."""
        for base in self._bases:
            native = self._native(_below(base, name))
            if not os.path.lexists(native):
                continue
            places = (_below(base, target), _below(self._resolved(self._native(base)), target))
            resolved = self._resolved(native)
            if _folded(resolved) not in map(_folded, places):
                raise NotAsApproved(f"{name}: leads to another place since it was approved")
            self._links[self._place(_below(base, name))] = resolved

    def _resolved(self, native: str) -> str:
        place = os.path.realpath(native)
        return self._files.virtual(place) if WINDOWS else place

    def _as_approved(self, path: str, approved: bytes | str) -> bytes | _Large | None:
        """Return a file that is as it was approved, None for another; on Windows it stays open, so that it cannot change."""
        native = self._native(path)
        place = os.path.realpath(native)  # before it is read: a link may lead to another place afterwards
        fd = open_unshared(native if isinstance(approved, bytes) else place)
        if WINDOWS:
            self._resources.callback(os.close, fd)
            fd = os.dup(fd)
        with open(fd, "rb") as file:
            if isinstance(approved, bytes):
                return approved if file.read(len(approved) + 1) == approved else None
            copied = not WINDOWS and self._is_of_project(place)
            large = _Large(approved, place, _identity(fd), copied)
            return large if copied or large.is_read_from(file) else None

    def _check_absent(self, pattern: str) -> None:
        for whole in self._places(pattern, quoted=True):
            self._absent.append(compile_pattern(whole, nocase=WINDOWS))
            for path in self._matching(whole):
                if _folded(path) not in self._data:
                    shown = path.removeprefix(f"{self._bases[0]}/")
                    raise NotAsApproved(f"{shown}: was absent when the hook was approved, and exists now")

    def _matching(self, pattern: str) -> list[str]:
        """Return the paths of files that an absolute pattern matches; a directory is not executed."""
        first, *parts = pattern.split("/")
        bases = [first]
        for part in parts:
            if not has_magic(part):
                bases = [f"{base}/{compile_pattern(part).literal_text}" for base in bases]
                continue
            test, names = compile_pattern(part, nocase=WINDOWS), []
            for base in bases:
                with suppress(OSError):
                    listed = os.listdir(self._native(base or "/"))
                    names += [f"{base}/{name}" for name in listed if test.matches(name)]
            bases = names
        return [path for path in bases if self._is_file(path)]

    # Names.

    def _native(self, path: str) -> str:
        return self._files.native(path) if WINDOWS else path

    def _is_file(self, path: str) -> bool:
        try:
            native = self._native(path)
        except OSError:
            return False
        return os.path.exists(native) and not os.path.isdir(native)

    def _place(self, path: str) -> str:
        """Return the one path of a file without ".." in it.

        Raises:
            OSError: EINVAL for a name that is impossible on Windows.
        """
        if WINDOWS:
            return self._files.virtual(os.path.normpath(self._native(path)))
        return self._physical(path)

    def _physical(self, path: str) -> str:
        """Return an absolute path without "..", which leads to the directory above the target of a link."""
        parts = path.split("/")
        if ".." not in parts:
            return normalize(path)
        place = ""
        for part in parts:
            if part == "..":
                target = self.without_links(place or "/")
                known = target in self._links.values()
                place = os.path.dirname(target if known else os.path.realpath(target)).rstrip("/")
            elif part not in ("", "."):
                place = f"{place}/{part}"
        return place or "/"

    def _places(self, name: str, *, quoted: bool = False) -> list[str]:
        """Return the absolute paths of a name, or of a pattern, whose directories are quoted then."""
        paths = [name]
        if name[:1] != "/":
            bases = [base.rstrip("/") for base in self._bases]
            paths = [f"{quote(base) if quoted else base}/{name}" for base in bases]
        if not WINDOWS:
            return paths
        return [self._place_of_pattern(path) if quoted else self._place(path) for path in paths]

    def _place_of_pattern(self, pattern: str) -> str:
        """Return a pattern with the one path of its directories; on Windows they have several."""
        parts = pattern.split("/")
        count = next((index for index, part in enumerate(parts) if has_magic(part)), len(parts))
        literal = compile_pattern("/".join(parts[:count])).literal_text or "/"
        try:
            place = self._place(literal)
        except OSError:  # there is no such file
            return pattern
        return "/".join((quote(place.rstrip("/")), *parts[count:]))

    # Copies.

    def _copy(self, top: str) -> None:
        """Write the copies, and link their neighbours."""
        self._top = top
        shown: dict[str, None] = {}
        for path, data in self._data.items():
            copy = f"{top}{path}"
            os.makedirs(os.path.dirname(copy), mode=0o700, exist_ok=True)
            mode = 0o500 if os.access(path, os.X_OK) else 0o400
            if isinstance(data, _Large) and not data.copied:
                continue
            fd = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with open(fd, "wb") as file:
                if isinstance(data, bytes):
                    file.write(data)
                elif not data.is_copied_to(file):
                    raise NotAsApproved(f"{path}: has changed since it was approved")
            self._copies[path] = copy
            self._copies.setdefault(os.path.realpath(path), copy)
            above = os.path.dirname(path)
            shown.setdefault(above)
            while self._is_inside(above):
                above = os.path.dirname(above)
                shown.setdefault(above)
        links = 0
        for directory in shown:
            names = os.listdir(directory) if os.path.isdir(directory) else []
            for name in names:
                path = f"{directory.rstrip('/')}/{name}"
                if os.path.lexists(f"{top}{path}") or any(each.matches(path) for each in self._absent):
                    continue
                if links == MAX_LINKS:
                    self.notes = (f"a copy of approved scripts has only {MAX_LINKS} of their neighbours",)
                    return
                with suppress(OSError):
                    os.symlink(path, f"{top}{path}")
                links += 1

    def _is_of_project(self, place: str) -> bool:
        return any(_is_at(place, os.path.realpath(base).rstrip("/")) for base in self._bases)

    def _is_inside(self, directory: str) -> bool:
        return any(directory != base and directory.startswith(f"{base.rstrip('/')}/") for base in self._bases)


def _below(base: str, name: str) -> str:
    return name if name[:1] == "/" else f"{base.rstrip('/')}/{name}"


def _identity(file: str | int) -> tuple[int, ...]:
    """Return what changes with a file, or when another takes its place."""
    info = os.stat(file)
    return (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)


def _is_at(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")


def _folded(path: str) -> str:
    """Return what the names of one file have in common: on Windows all but their case."""
    return path.lower() if WINDOWS else path


class ApprovedFileSystem(HostFileSystem):
    """The machine's files, with the approved bytes where a script reads an approved file."""

    def __init__(self, working: str, approved: ApprovedFiles) -> None:
        super().__init__(working)
        self._approved = approved

    def open(
        self,
        path: VirtualPath,
        *,
        read: bool = True,
        write: bool = False,
        create: bool = False,
        exclusive: bool = False,
        truncate: bool = False,
        mode: int = 0o666,
    ) -> FileHandle | Device:
        if write:
            self._approved.write(path)
        else:
            path = VirtualPath(self._approved.copy_of(path) or self._approved.without_links(path))
        return super().open(
            path, read=read, write=write, create=create, exclusive=exclusive, truncate=truncate, mode=mode
        )

    def to_run(self, path: str) -> str:
        """Return the native path to execute a file by."""
        return self._approved.copy_of(path) or super().to_run(self._approved.without_links(path))

    def realpath(self, path: VirtualPath) -> VirtualPath:
        known = self._approved.resolved(path)
        if known is not None and super().is_dir(known):
            return VirtualPath(known)
        return super().realpath(VirtualPath(self._approved.without_links(path)))
