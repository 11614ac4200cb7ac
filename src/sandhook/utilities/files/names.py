"""Questions about the names of files that several utilities of this group ask."""

from __future__ import annotations

import stat as bits

from sandhook.command.context import Context
from sandhook.command.operands import last_component, stat_of
from sandhook.vfs.path import VirtualPath


def parent_of(name: str) -> str:
    """Return the directory part of a name, "." for a name without slashes."""
    parent, slash, _ = name.rstrip("/").rpartition("/")
    return (parent or "/") if slash else "."


def is_link(ctx: Context, name: str) -> bool:
    """Return whether a name is a symbolic link."""
    try:
        return bits.S_ISLNK(stat_of(ctx, name, follow=False).mode)
    except OSError:
        return False


def is_root(ctx: Context, name: str) -> bool:
    """Return whether a name refers to the root directory."""
    path = ctx.path(name)
    return ctx.fs.is_dir(path) and ctx.fs.realpath(path) == "/"


def link_location(ctx: Context, name: str) -> tuple[VirtualPath, str]:
    """Return the real directory of a name and its last component, which identify one hard link. Raises OSError."""
    return ctx.fs.realpath(ctx.path(parent_of(name))), last_component(name)
