"""tar -x and -t: read members, and create files below one directory and nowhere else."""

from __future__ import annotations

import errno
import stat
from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.command.links import leads_out
from sandhook.command.operands import reason
from sandhook.text.quoting import quote_escaped
from sandhook.utilities.archive.tar import format as tar
from sandhook.utilities.archive.tar.programs import feed
from sandhook.utilities.archive.tar.reading import members
from sandhook.vfs.errors import fs_error
from sandhook.vfs.names import MAX_PATH
from sandhook.vfs.path import VirtualPath

if TYPE_CHECKING:
    from collections.abc import Callable

    from sandhook.utilities.archive.tar.job import Job

#: The most prefixes of names that are reported.
_MAX_PREFIXES = 1_000

#: The failed action of an error message, by the type of the member; {} is the target of a link.
_VERBS = {
    tar.FILE: "open",
    tar.DIRECTORY: "mkdir",
    tar.SYMBOLIC_LINK: "create symlink to {}",
    tar.HARD_LINK: "hard link to {}",
    tar.FIFO: "mkfifo",
}


class Extractor:
    """Lists or extracts the members of an archive."""

    def __init__(self, job: Job, ctx: Context, error: Callable[[str], None]) -> None:
        self._job = job
        self._ctx = ctx
        self._error = error
        self._prefixes: set[tuple[str, str]] = set()
        self._directories: list[tuple[str, int, int]] = []
        self._root = str(ctx.fs.realpath(ctx.process.cwd))

    def run(self, stream: tar.Stream) -> None:
        """List or extract the members that the operands select."""
        for member in members(
            stream,
            self._error,
            warn=self._ctx.error,
            at_end=self._job.listing.print_end,
            past_end=self._job.zeros,
        ):
            self._ctx.charge(1 + (len(member.name) >> 6))
            if self._job.mode == "label":
                if member.kind == tar.LABEL:
                    self._ctx.write_line(member.name)
                return
            selected = self._job.selection.selects(member.name)
            if not self._job.absolute and member.kind != tar.LABEL:
                member.name = self._without_prefix(member.name, "member name", strip=False)
                if member.kind == tar.HARD_LINK:
                    member.link = self._without_prefix(member.link, "hard link target", strip=True)
            if member.kind == tar.LABEL and self._job.extract:
                continue
            if selected and not self._job.extract:
                self._job.print(member)
            if selected and self._job.extract:
                self._extract(member, stream)
            else:
                for _ in stream.pieces(member.size):
                    pass
            tar.skip_padding(stream, member.size)
        for name, mode, mtime in reversed(self._directories):
            self._finish_directory(name, mode, mtime)

    def _finish_directory(self, name: str, mode: int, mtime: int) -> None:
        """Set the time and the mode of a directory, last: the mode may forbid to write into it."""
        path = self._ctx.path(name)
        try:
            if not self._job.touch:
                self._ctx.fs.utime(path, mtime * 10**9, mtime * 10**9)
            self._ctx.fs.chmod(path, mode)
        except OSError as error:  # a later member replaced it
            self._error(f"{self._job.quote_name(name)}: Cannot change mode to {mode:04o}: {reason(error)}")

    def _without_prefix(self, name: str, what: str, *, strip: bool) -> str:
        """Report what GNU tar removes from the beginning of a name, once for each prefix.

        Args:
            strip: Return the name without the prefix; otherwise only an empty name is replaced.
        """
        prefix = _unsafe_prefix(name)
        if prefix and (what, prefix) not in self._prefixes and len(self._prefixes) < _MAX_PREFIXES:
            self._prefixes.add((what, prefix))
            self._ctx.error(f"Removing leading `{prefix}' from {what}s")
        if not name[len(prefix) :] and not (prefix and not strip):
            self._ctx.error(f"Substituting `.' for empty {what}")
            return "."
        return name[len(prefix) :] if strip else name

    def _extract(self, member: tar.Member, stream: tar.Stream) -> None:
        remaining = member.size
        name = self._target(member.name)
        try:
            if name is None:
                return
            self._job.print(member, name)
            if self._job.command is not None:
                if member.kind in (tar.FILE, tar.HARD_LINK) or member.kind not in _VERBS:
                    remaining = 0
                    feed(self._job.command, member, name, stream, self._job, self._ctx)
                return
            if self._job.to_stdout:
                for piece in stream.pieces(remaining):
                    remaining -= len(piece)
                    self._ctx.write(piece)
                return
            self._make_parents(name)
            if member.kind == tar.SPARSE:
                self._error(f"{self._job.quote_name(member.name)}: sparse member; not extracted (L-TAR-001)")
            elif member.kind == tar.CONTINUED:
                continued = "Cannot extract -- file is continued from another volume"
                self._error(f"{self._job.quote_name(member.name)}: {continued}")
            elif member.kind not in _VERBS and member.kind not in (tar.CHARACTER, tar.BLOCK_DEVICE):
                kind = member.kind.decode("latin-1")
                unknown = f"Unknown file type {quote_escaped(kind)}, extracted as normal file"
                self._ctx.error(f"{self._job.quote_name(member.name)}: {unknown}")
                remaining = self._file(name, member, stream, remaining)
            elif member.kind == tar.FILE:
                remaining = self._file(name, member, stream, remaining)
            else:
                self._special(name, member)
        except OSError as error:
            action = _VERBS.get(member.kind, "create").replace("{}", quote_escaped(member.link))
            self._error(f"{self._job.quote_name(member.name)}: Cannot {action}: {reason(error)}")
        finally:
            for piece in stream.pieces(remaining):
                remaining -= len(piece)

    def _target(self, name: str) -> str | None:
        """Return the name to create, relative to the directory; None to skip the member."""
        if self._job.rename is not None:
            name = self._job.rename(name)
        bare = name.lstrip("/")
        if self._job.absolute and bare != name and _within(name, self._root):
            bare = name[len(self._root) :].lstrip("/")
        elif self._job.absolute and bare != name:
            self._error(
                f"{self._job.quote_name(name)}: leads out of the directory; not extracted (L-TAR-001)"
            )
            return None
        parts = [part for part in bare.split("/") if part not in ("", ".")]
        if ".." in parts:
            self._error(f"{name}: Member name contains '..'")
            return None
        if not parts and not self._job.strip:
            return "."
        parts = parts[self._job.strip :]
        if parts and self._job.top and parts[0] != self._job.top:
            parts.insert(0, self._job.top)
        return "/".join(parts) or None

    def _make_parents(self, name: str) -> None:
        """Create missing parents. Raises OSError when a link in the path leads out of the directory."""
        fs = self._ctx.fs
        parent = name.rpartition("/")[0]
        if len(name) > MAX_PATH:
            raise fs_error(errno.ENAMETOOLONG, name)
        ancestor = ""
        for part in parent.split("/") if parent else []:
            ancestor += part
            self._ctx.charge(1 + (len(ancestor) >> 6))
            path = self._ctx.path(ancestor)
            if not fs.exists(path):
                try:
                    fs.mkdir(path, 0o777 & ~self._ctx.process.umask)
                except OSError as error:
                    self._error(f"{self._job.quote_name(ancestor)}: Cannot mkdir: {reason(error)}")
                    raise fs_error(errno.ENOENT) from None
            ancestor += "/"
        self._check_within(parent)

    def _check_within(self, directory: str) -> None:
        """Raise OSError when a directory is missing, or a link leads from it out of the directory of extraction."""
        real = str(self._ctx.fs.realpath(self._ctx.path(directory or ".")))
        if not _within(real, self._root):
            raise fs_error(errno.EXDEV, directory)

    def _clear(self, path: VirtualPath, name: str, member: tar.Member) -> bool:
        """Remove an existing file of that name; return whether to create the member."""
        fs = self._ctx.fs
        try:
            existing = fs.stat(path, follow=False)
        except OSError:
            return True
        if self._job.backup is not None and not stat.S_ISDIR(existing.mode):
            self._job.move_away(name)
            return True
        if self._job.keep == "error":
            raise fs_error(errno.EEXIST, path)
        if self._job.keep == "skip":
            return False
        if self._job.keep == "newer" and existing.mtime_ns // 10**9 >= member.mtime:
            self._ctx.error(f"Current {quote_escaped(member.name)} is newer or same age")
            return False
        if stat.S_ISDIR(existing.mode):
            try:
                fs.rmdir(path)
            except OSError:
                raise fs_error(errno.EEXIST, path) from None
        else:
            fs.unlink(path)
        return True

    def _file(self, name: str, member: tar.Member, stream: tar.Stream, remaining: int) -> int:
        path = self._ctx.path(name)
        if not self._clear(path, name, member):
            return remaining
        file = self._ctx.create(name)
        try:
            for piece in stream.pieces(remaining):
                remaining -= len(piece)
                file.write(piece)
        finally:
            file.release()
        mode = member.mode if self._job.permissions else member.mode & ~self._ctx.process.umask
        self._ctx.fs.chmod(path, mode & (0o7777 if self._job.permissions else 0o777))
        if not self._job.touch:
            self._ctx.fs.utime(path, member.mtime * 10**9, member.mtime * 10**9)
        return remaining

    def _special(self, name: str, member: tar.Member) -> None:
        fs, path = self._ctx.fs, self._ctx.path(name)
        if member.kind == tar.DIRECTORY:
            if not fs.is_dir(path):
                if not self._clear(path, name, member):
                    return
                fs.mkdir(path, 0o700)
            mode = member.mode if self._job.permissions else member.mode & ~self._ctx.process.umask
            self._directories.append(
                (name, mode & (0o7777 if self._job.permissions else 0o777), member.mtime)
            )
            return
        if member.kind == tar.SYMBOLIC_LINK:
            if leads_out(name, member.link):
                self._error(f"{member.name}: link to {member.link} leads out of the directory; not extracted")
                return
            if self._clear(path, name, member):
                fs.symlink(member.link, path)
        elif member.kind == tar.HARD_LINK:
            self._hard_link(name, member)
        elif member.kind == tar.FIFO:
            if self._clear(path, name, member):
                fs.mkfifo(path, member.mode & 0o777)
        else:
            self._error(f"{member.name}: not a file, directory, link or FIFO; not extracted")

    def _hard_link(self, name: str, member: tar.Member) -> None:
        fs, path = self._ctx.fs, self._ctx.path(name)
        target = self._target(member.link)
        if target is None:
            return
        self._check_within(target.rpartition("/")[0])
        source = self._ctx.path(target)
        info = fs.stat(source, follow=False)
        if stat.S_ISDIR(info.mode):
            raise fs_error(errno.EPERM, source)
        if fs.exists(path):
            existing = fs.stat(path, follow=False)
            if (existing.device, existing.inode) == (info.device, info.inode):
                return
        if self._clear(path, name, member):
            fs.link(source, path)


def _unsafe_prefix(name: str) -> str:
    """Return the beginning of a name that GNU tar removes: up to the last "..", and the slashes there."""
    end = at = 0
    for part in name.split("/"):
        if part == "..":
            end = at + 2
        at += len(part) + 1
    return name[: len(name) - len(name[end:].lstrip("/"))]


def _within(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")
