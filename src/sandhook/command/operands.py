"""Shared by utilities that handle files: lookup of names, messages, confirmation."""

from __future__ import annotations

import errno
import stat as bits

from sandhook.command.context import Context
from sandhook.kernel.status import descriptor_status
from sandhook.text.quoting import quote_odd
from sandhook.vfs.base import Stat
from sandhook.vfs.errors import error_text, fs_error
from sandhook.vfs.path import VirtualPath


def locate(ctx: Context, name: str) -> VirtualPath:
    """Return an operand as an absolute path. Raises ENOENT for the empty name, as open(2) does."""
    if not name:
        raise fs_error(errno.ENOENT, name)
    return ctx.path(name)


def stat_of(ctx: Context, name: str, *, follow: bool = True) -> Stat:
    """Return the status of an operand, as by stat(2) or lstat(2). Raises OSError."""
    path = locate(ctx, name)
    status = descriptor_status(ctx.process, path) if follow else None
    return status or ctx.fs.stat(path, follow=follow)


def find(ctx: Context, name: str, *, follow: bool = True) -> Stat | None:
    """Return ``stat_of``, or None for ENOENT; other errors propagate."""
    try:
        return stat_of(ctx, name, follow=follow)
    except FileNotFoundError:
        return None


def is_directory(ctx: Context, name: str) -> bool:
    """Return True if an operand is a directory, also through links."""
    return bool(name) and ctx.fs.is_dir(ctx.path(name))


def beneath(directory: str, name: str) -> str:
    """Return ``directory/name`` with one slash between them."""
    return directory + name if directory[-1:] == "/" else f"{directory}/{name}"


def last_component(name: str) -> str:
    """Return the last component of an operand without trailing slashes; "/" for the root."""
    return name.rstrip("/").rpartition("/")[2] or name[:1]


def parent_of(name: str) -> str:
    """Return the directory part of an operand, "." for a name without slashes."""
    parent, slash, _ = name.rstrip("/").rpartition("/")
    return (parent or "/") if slash else "."


def is_link(ctx: Context, name: str) -> bool:
    """Return whether an operand is a symbolic link."""
    try:
        return bits.S_ISLNK(stat_of(ctx, name, follow=False).mode)
    except OSError:
        return False


def is_root(ctx: Context, name: str) -> bool:
    """Return whether an operand refers to the root directory."""
    path = ctx.path(name)
    return ctx.fs.is_dir(path) and ctx.fs.realpath(path) == "/"


def link_location(ctx: Context, name: str) -> tuple[VirtualPath, str]:
    """Return the real directory of an operand and its last component, which identify one hard link. Raises OSError."""
    return ctx.fs.realpath(ctx.path(parent_of(name))), last_component(name)


# --------------------------------------------------------------------------- messages


def not_readable(error: OSError) -> bool:
    """Return True if the operand was opened and cannot be read: a directory, or a closed standard input."""
    return error.errno in (errno.EISDIR, errno.EBADF)


def shown_input(name: str) -> str:
    """Return an operand as the programs show it that call standard input by its name."""
    return "'standard input'" if name == "-" else quote_odd(name)


def reason(error: OSError) -> str:
    """Return GNU's text of an error."""
    return error_text(error)


def confirm(ctx: Context, question: str) -> bool:
    """Print a question on standard error and read the reply; True if it begins with y or Y.

    False at the end of the input, or if standard input is closed.
    """
    ctx.write_error(f"{ctx.name}: {question} ")
    stdin = ctx.process.descriptors.get(0)
    if stdin is None:
        return False
    ctx.charge()
    return stdin.read_until(b"\n", 4096)[:1] in (b"y", b"Y")


_KINDS = {
    bits.S_IFDIR: "directory",
    bits.S_IFLNK: "symbolic link",
    bits.S_IFIFO: "fifo",
    bits.S_IFCHR: "character special file",
    bits.S_IFBLK: "block special file",
    bits.S_IFSOCK: "socket",
}


def kind_name(info: Stat) -> str:
    """Return the type of a file in GNU's words."""
    kind = bits.S_IFMT(info.mode)
    if kind == bits.S_IFREG:
        return "regular file" if info.size else "regular empty file"
    return _KINDS.get(kind, "weird file")
