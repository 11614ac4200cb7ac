"""Canonical paths: what realpath, readlink -f and ln -r make of a name."""

from __future__ import annotations

import errno
import stat as bits

from sandhook.command.context import Context
from sandhook.vfs.errors import fs_error
from sandhook.vfs.path import VirtualPath, normalize

#: Symbolic links that one name may lead through, as Linux has it.
_MAX_LINKS = 40


def resolve(ctx: Context, name: str, *, missing: str, follow: bool = True) -> str:
    """Return a name without links, "." and "..".

    Args:
        name: Relative to the working directory, or absolute.
        missing: What need not exist: "none", "last" (the last component) or "all".
        follow: False resolves no links.

    Raises:
        OSError: Something on the way is missing, no directory, or a loop.
    """
    if not name:
        raise fs_error(errno.ENOENT, name)
    return _Resolving(ctx, name, missing, follow).path()


class _Resolving:
    """Goes through the components of one name.

    Attributes:
        here: The canonical path so far, "" for the root.
        pending: Components that are still to come, the next one last.
        unknown: A component is missing; nothing below it can be looked at.
    """

    def __init__(self, ctx: Context, name: str, missing: str, follow: bool) -> None:
        self._ctx = ctx
        self._name = name
        self._missing = missing
        self._follow = follow
        self._links = 0
        self.pending = [part for part in reversed(ctx.path(name).split("/")) if part]
        if name[-1:] == "/" and missing != "all":
            self.pending.insert(0, "")  # a slash at the end wants a directory, which need not be there
        self.here = ""
        self.unknown = False

    def path(self) -> str:
        ctx = self._ctx
        while self.pending:
            ctx.charge()
            part = self.pending.pop()
            if part in (".", "", ".."):
                if not self.unknown:
                    self._need_directory()
                if part == "..":
                    self.here = self.here.rpartition("/")[0]
                    self.unknown = (
                        self.unknown and bool(self.here) and not ctx.fs.exists(VirtualPath(self.here))
                    )
            elif self.unknown:
                self.here = f"{self.here}/{part}"
            elif not self._enter(f"{self.here}/{part}"):
                break
        return self.here or "/"

    def _enter(self, path: str) -> bool:
        """Go to a component; return False where nothing more needs to be looked at."""
        ctx = self._ctx
        try:
            info = ctx.fs.stat(VirtualPath(path), follow=False)
        except OSError as error:
            last = not any(self.pending) and isinstance(error, FileNotFoundError)
            if self._missing != "all" and not (self._missing == "last" and last):
                raise
            self.unknown = True
            self.here = path
            return self._missing != "last"
        if not (self._follow and bits.S_ISLNK(info.mode)):
            self.here = path
            return True
        self._links += 1
        if self._links > _MAX_LINKS:
            if self._missing != "all":
                raise fs_error(errno.ELOOP, self._name)
            self.here = path
            return True
        target = ctx.fs.readlink(VirtualPath(path))
        self.pending += [part for part in reversed(target.split("/")) if part]
        if target[:1] == "/":
            self.here = ""
        return True

    def _need_directory(self) -> None:
        if self._missing != "all" and self.here and not self._ctx.fs.is_dir(VirtualPath(self.here)):
            raise fs_error(errno.ENOTDIR, self._name)


def relative_to(path: str, base: str) -> str:
    """Return an absolute path relative to another one, as text."""
    here = [part for part in normalize(base).split("/") if part]
    there = [part for part in normalize(path).split("/") if part]
    common = 0
    for left, right in zip(here, there):
        if left != right:
            break
        common += 1
    return "/".join([".."] * (len(here) - common) + there[common:]) or "."


def is_below(path: str, base: str) -> bool:
    """Return whether a canonical path is ``base`` or lies below it."""
    return path == base or path.startswith(base.rstrip("/") + "/")


def leads_out(name: str, target: str) -> bool:
    """Return whether a link called ``name`` in an archive would lead out of the directory it is extracted to."""
    if target[:1] == "/":
        return True
    depth = name.count("/")
    for part in target.split("/"):
        if part == "..":
            depth -= 1
            if depth < 0:
                return True
        elif part not in ("", "."):
            depth += 1
    return False
