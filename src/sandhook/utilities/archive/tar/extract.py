"""tar -x and -t: read members, and create files below one directory and nowhere else."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.command.links import leads_out
from sandhook.command.operands import reason
from sandhook.text.quoting import quote_escaped
from sandhook.utilities.archive.tar import format as tar
from sandhook.vfs.errors import fs_error
from sandhook.vfs.path import VirtualPath

if TYPE_CHECKING:
    from collections.abc import Callable

    from sandhook.utilities.archive.tar.job import Job


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
        self._slash_reported = False
        self._directories: list[tuple[str, int, int]] = []
        self._root = str(ctx.fs.realpath(ctx.process.cwd))

    def run(self, stream: tar.Stream) -> None:
        """List or extract the members that the operands select."""
        for member in tar.members(stream, past_end=self._job.zeros):
            self._ctx.charge()
            if self._job.mode == "label":
                if member.kind == tar.LABEL:
                    self._ctx.write_line(member.name)
                return
            selected = self._job.selection.selects(member.name)
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
        for name, mode, mtime in reversed(
            self._directories
        ):  # last, for a mode may forbid to write into the directory
            path = self._ctx.path(name)
            self._ctx.fs.chmod(path, mode)
            if not self._job.touch:
                self._ctx.fs.utime(path, mtime * 10**9, mtime * 10**9)

    def _extract(self, member: tar.Member, stream: tar.Stream) -> None:
        remaining = member.size
        name = self._target(member.name)
        try:
            if name is None:
                return
            self._job.print(member, name)
            if self._job.to_stdout:
                for piece in stream.pieces(remaining):
                    remaining -= len(piece)
                    self._ctx.write(piece)
                return
            self._make_parents(name)
            if member.kind == tar.FILE:
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
        elif bare != name and not self._slash_reported:
            self._slash_reported = True
            self._ctx.error("Removing leading `/' from member names")
        parts = [part for part in bare.split("/") if part not in ("", ".")]
        if ".." in parts:
            self._error(f"{name}: Member name contains '..'")
            return None
        parts = parts[self._job.strip :]
        if parts and self._job.top and parts[0] != self._job.top:
            parts.insert(0, self._job.top)
        return "/".join(parts) or None

    def _make_parents(self, name: str) -> None:
        """Create missing parents. Raises OSError when a link in the path leads out of the directory."""
        fs = self._ctx.fs
        parent = name.rpartition("/")[0]
        ancestor = ""
        for part in parent.split("/") if parent else []:
            ancestor += part
            path = self._ctx.path(ancestor)
            if not fs.exists(path):
                try:
                    fs.mkdir(path, 0o777 & ~self._ctx.process.umask)
                except OSError as error:
                    self._error(f"{self._job.quote_name(ancestor)}: Cannot mkdir: {reason(error)}")
                    raise fs_error(errno.ENOENT) from None
            ancestor += "/"
        real = str(fs.realpath(self._ctx.path(parent or ".")))
        if not _within(real, self._root):
            raise fs_error(errno.EXDEV, name)

    def _clear(self, path: VirtualPath, member: tar.Member) -> bool:
        """Remove an existing file of that name; return whether to create the member."""
        fs = self._ctx.fs
        try:
            existing = fs.stat(path, follow=False)
        except OSError:
            return True
        if self._job.keep == "error":
            raise fs_error(errno.EEXIST, path)
        if self._job.keep == "skip":
            return False
        if self._job.keep == "newer" and existing.mtime_ns // 10**9 >= member.mtime:
            self._ctx.error(f"Current {quote_escaped(member.name)} is newer or same age")
            return False
        fs.unlink(path)
        return True

    def _file(self, name: str, member: tar.Member, stream: tar.Stream, remaining: int) -> int:
        path = self._ctx.path(name)
        if not self._clear(path, member):
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
                if not self._clear(path, member):
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
            if self._clear(path, member):
                fs.symlink(member.link, path)
        elif member.kind == tar.HARD_LINK:
            source = self._target(member.link)
            if source is None:
                return
            self._make_parents(source)
            if self._clear(path, member):
                fs.link(self._ctx.path(source), path)
        elif member.kind == tar.FIFO:
            if self._clear(path, member):
                fs.mkfifo(path, member.mode & 0o777)
        else:
            self._error(f"{member.name}: not a file, directory, link or FIFO; not extracted")


def _within(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")
