"""Canonical paths, for realpath, readlink -f and ln -r."""

from __future__ import annotations

import errno
import stat as bits
from typing import Literal, TypeAlias

from sandhook.command.context import Context
from sandhook.vfs.errors import fs_error
from sandhook.vfs.path import VirtualPath, normalize

#: The most symbolic links of one name, as on Linux.
_MAX_LINKS = 40


#: The components that need not exist.
Missing: TypeAlias = Literal["none", "last", "all"]


def resolve(ctx: Context, name: str, *, missing: Missing, follow: bool = True) -> str:
    """Return a name without links, "." and "..".

    Args:
        name: Relative to the working directory, or absolute.
        missing: The components that need not exist.
        follow: False resolves no links.

    Raises:
        OSError: A component is missing or not a directory, or the links form a loop.
    """
    if not name:
        raise fs_error(errno.ENOENT, name)
    return _Resolver(ctx, name, missing, follow).path()


class _Resolver:
    """Resolves the components of one name.

    Attributes:
        canonical: The canonical path so far, "" for the root.
        pending: The remaining components, the next one last.
        unknown: A component is missing, so the components below it cannot be checked.
    """

    def __init__(self, ctx: Context, name: str, missing: Missing, follow: bool) -> None:
        self._ctx = ctx
        self._name = name
        self._missing = missing
        self._follow = follow
        self._links = 0
        self.pending = [part for part in reversed(ctx.path(name).split("/")) if part]
        if name[-1:] == "/" and missing != "all":
            self.pending.insert(0, "")  # a final slash requires a directory, if the file exists
        self.canonical = ""
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
                    self.canonical = self.canonical.rpartition("/")[0]
                    self.unknown = (
                        self.unknown
                        and bool(self.canonical)
                        and not ctx.fs.exists(VirtualPath(self.canonical))
                    )
            elif self.unknown:
                self.canonical = f"{self.canonical}/{part}"
            elif not self._enter(f"{self.canonical}/{part}"):
                break
        return self.canonical or "/"

    def _enter(self, path: str) -> bool:
        """Resolve a component; return False when the rest need not be resolved."""
        ctx = self._ctx
        try:
            info = ctx.fs.stat(VirtualPath(path), follow=False)
        except OSError as error:
            last = not any(self.pending) and isinstance(error, FileNotFoundError)
            if self._missing != "all" and not (self._missing == "last" and last):
                raise
            self.unknown = True
            self.canonical = path
            return self._missing != "last"
        if not (self._follow and bits.S_ISLNK(info.mode)):
            self.canonical = path
            return True
        self._links += 1
        if self._links > _MAX_LINKS:
            if self._missing != "all":
                raise fs_error(errno.ELOOP, self._name)
            self.canonical = path
            return True
        target = ctx.fs.readlink(VirtualPath(path))
        self.pending += [part for part in reversed(target.split("/")) if part]
        if target[:1] == "/":
            self.canonical = ""
        return True

    def _need_directory(self) -> None:
        if self._missing != "all" and self.canonical and not self._ctx.fs.is_dir(VirtualPath(self.canonical)):
            raise fs_error(errno.ENOTDIR, self._name)


def relative_to(path: str, base: str) -> str:
    """Return an absolute path relative to another one, as text."""
    base_parts = [part for part in normalize(base).split("/") if part]
    parts = [part for part in normalize(path).split("/") if part]
    common = 0
    for base_part, right in zip(base_parts, parts):
        if base_part != right:
            break
        common += 1
    return "/".join([".."] * (len(base_parts) - common) + parts[common:]) or "."


def is_below(path: str, base: str) -> bool:
    """Return True if a canonical path is ``base`` or is below it."""
    return path == base or path.startswith(base.rstrip("/") + "/")


def leads_out(name: str, target: str) -> bool:
    """Return True if a link ``name`` in an archive would point outside of the extraction directory."""
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
