"""Writes files of a repository: objects, and files that a lock protects.

All changes are made in the file system of the run, which never is the host's (``Shell(git_writes=True)``).
"""

from __future__ import annotations

import errno
import zlib

from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.store.access import Access
from sandhook.utilities.git.store.objects import ObjectStore, object_id
from sandhook.vfs.base import Device
from sandhook.vfs.path import VirtualPath

_LEVEL = 1  #: of compression: fast, as git's loose objects are
_BUSY = (
    "Another git process seems to be running in this repository, e.g.\n"
    "an editor opened by 'git commit'. Please make sure all processes\n"
    "are terminated then try again. If it still fails, a git process\n"
    "may have crashed in this repository earlier:\n"
    "remove the file manually to continue."
)


def make_parents(access: Access, path: str) -> None:
    """Make the directories above a path."""
    missing = []
    parent = path.rpartition("/")[0]
    while parent and not access.is_dir(parent):
        missing.append(parent)
        parent = parent.rpartition("/")[0]
    for each in reversed(missing):
        access.fs.mkdir(VirtualPath(each))


def write_new(access: Access, path: str, data: bytes, mode: int = 0o666) -> None:
    """Write a file that must not exist. Raises OSError, EEXIST among others."""
    access.charge(1 + (len(data) >> 10))
    handle = access.fs.open(VirtualPath(path), read=False, write=True, create=True, exclusive=True, mode=mode)
    if isinstance(handle, Device):
        raise OSError(errno.EINVAL, "Invalid argument", path)
    try:
        handle.write_at(0, data)
    except OSError:  # a part of an object, or a lock, would stand in the way of later calls
        access.fs.unlink(VirtualPath(path))
        raise
    finally:
        handle.close()


def replace_file(access: Access, path: str, data: bytes, expected: bytes | None = None) -> None:
    """Replace a file at once, by way of "PATH.lock", as git does.

    Args:
        expected: What the file must hold before that; None for anything.

    Raises:
        GitError: The lock exists, or the file cannot be written.
    """
    lock = f"{path}.lock"
    try:
        make_parents(access, path)
        write_new(access, lock, data)
    except FileExistsError:
        raise GitError(f"Unable to create '{lock}': File exists.\n\n{_BUSY}") from None
    except OSError as error:
        raise GitError(f"Unable to create '{lock}': {error.strerror}") from None
    try:
        if expected is not None and (access.read_or_none(path) or b"") != expected:
            raise GitError(f"'{path}' was changed by another process while git was running")
        access.fs.rename(VirtualPath(lock), VirtualPath(path))
    except OSError as error:
        access.fs.unlink(VirtualPath(lock))
        raise GitError(f"unable to write '{path}': {error.strerror}") from None
    except GitError:
        access.fs.unlink(VirtualPath(lock))
        raise


def remove_file(access: Access, path: str) -> None:
    """Remove a file, if it exists."""
    try:
        access.fs.unlink(VirtualPath(path))
    except FileNotFoundError:
        return
    except OSError as error:
        raise GitError(f"could not unlink '{path}': {error.strerror}") from None


def append_line(access: Access, path: str, line: bytes) -> None:
    """Add a line to a file, which is created if it does not exist."""
    try:
        make_parents(access, path)
        handle = access.fs.open(VirtualPath(path), read=False, write=True, create=True)
    except OSError as error:
        raise GitError(f"unable to append to '{path}': {error.strerror}") from None
    if isinstance(handle, Device):
        raise GitError(f"unable to append to '{path}': Invalid argument")
    try:
        handle.append(line)
    except OSError as error:
        raise GitError(f"unable to append to '{path}': {error.strerror}") from None
    finally:
        handle.close()


def write_object(store: ObjectStore, kind: str, data: bytes) -> str:
    """Store an object as a loose one, unless the repository has it; return its name."""
    access = store.access
    access.charge(1 + (len(data) >> 9))
    access.ctx.budget.check_fits(len(data) * 2)
    oid = object_id(kind, data)
    if store.has(oid) and oid not in _BUILT_IN:
        return oid
    path = f"{store.directory}/{oid[:2]}/{oid[2:]}"
    try:
        make_parents(access, path)
        write_new(access, path, zlib.compress(f"{kind} {len(data)}\0".encode() + data, _LEVEL), 0o444)
    except FileExistsError:
        pass  # objects are named by their contents
    except OSError as error:
        raise GitError(f"unable to write file {path}: {error.strerror}") from None
    return oid


#: Objects that git knows without a file; they are stored all the same.
_BUILT_IN = ("4b825dc642cb6eb9a060e54bf8d69288fbee4904", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")
