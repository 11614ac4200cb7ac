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
    pending = [part for part in reversed(ctx.path(name).split("/")) if part]
    if name[-1:] == "/" and missing != "all":
        pending.insert(0, "")  # a slash at the end wants a directory, which need not be there
    here = ""
    links = 0
    unknown = False  # nothing below a missing component can be looked at
    while pending:
        ctx.charge()
        part = pending.pop()
        if part in (".", ""):
            if not unknown:
                _need_directory(ctx, here, name, missing)
            continue
        if part == "..":
            if not unknown:
                _need_directory(ctx, here, name, missing)
            here = here.rpartition("/")[0]
            unknown = unknown and bool(here) and not ctx.fs.exists(VirtualPath(here))
            continue
        path = f"{here}/{part}"
        if unknown:
            here = path
            continue
        try:
            info = ctx.fs.stat(VirtualPath(path), follow=False)
        except OSError as error:
            rest = [each for each in pending if each]
            allowed = missing == "all" or (
                missing == "last" and not rest and isinstance(error, FileNotFoundError)
            )
            if not allowed:
                raise
            unknown = True
            here = path
            if missing == "last":
                break
            continue
        if follow and bits.S_ISLNK(info.mode):
            links += 1
            if links > _MAX_LINKS:
                if missing == "all":
                    here = path
                    continue
                raise fs_error(errno.ELOOP, name)
            target = ctx.fs.readlink(VirtualPath(path))
            pending += [each for each in reversed(target.split("/")) if each]
            if target[:1] == "/":
                here = ""
            continue
        here = path
    return here or "/"


def _need_directory(ctx: Context, here: str, name: str, missing: str) -> None:
    if missing != "all" and here and not ctx.fs.is_dir(VirtualPath(here)):
        raise fs_error(errno.ENOTDIR, name)


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
    """Tell whether a canonical path is ``base`` or lies below it."""
    return path == base or path.startswith(base.rstrip("/") + "/")


def leads_out(name: str, target: str) -> bool:
    """Tell whether a link called ``name`` in an archive would lead out of the directory it is extracted to."""
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
