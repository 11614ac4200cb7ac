"""What tar -d does: reports how files differ from the members of an archive.

Source: GNU tar 1.34 manual, "Comparing Archive Members with the File System".
"""

from __future__ import annotations

import stat as bits
from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.command.operands import reason, stat_of
from sandhook.utilities.archive.tar import format as tar
from sandhook.vfs.base import Stat

if TYPE_CHECKING:
    from sandhook.utilities.archive.tar.job import Job

_TYPES = {
    tar.FILE: bits.S_IFREG, tar.HARD_LINK: bits.S_IFREG, tar.DIRECTORY: bits.S_IFDIR,
    tar.SYMBOLIC_LINK: bits.S_IFLNK, tar.FIFO: bits.S_IFIFO,
}  # fmt: skip


class Comparer:
    """Compares members one after the other; ``differs`` is whether one was not the same."""

    def __init__(self, job: Job, ctx: Context) -> None:
        self._job = job
        self._ctx = ctx
        self.differs = False

    def run(self, stream: tar.Stream) -> None:
        """Compare the members that the operands select."""
        for member in tar.members(stream):
            self._ctx.charge()
            left = member.size
            if self._job.selection.selects(member.name):
                self._job.print(member)
                left = self._compare(member, stream)
            for _ in stream.pieces(left):
                pass
            tar.skip_padding(stream, member.size)

    def _print(self, member: tar.Member, what: str) -> None:
        self.differs = True
        self._ctx.write_line(f"{self._job.quoted(member.name)}: {what}")

    def _compare(self, member: tar.Member, stream: tar.Stream) -> int:
        """Compare one member; return the bytes of it that were not read."""
        try:
            info = stat_of(self._ctx, member.name, follow=self._job.follow)
        except OSError as error:
            self.differs = True
            self._ctx.error(f"{self._job.quoted(member.name)}: Warning: Cannot stat: {reason(error)}")
            return member.size
        if bits.S_IFMT(info.mode) != _TYPES.get(member.kind):
            self._print(member, "File type differs")
            return member.size
        if member.kind == tar.SYMBOLIC_LINK:
            if self._ctx.fs.readlink(self._ctx.path(member.name)) != member.link:
                self._print(member, "Symlink differs")
            return 0
        if member.kind == tar.HARD_LINK:
            self._compare_link(member, info)
            return 0
        if info.mode & 0o7777 != member.mode:
            self._print(member, "Mode differs")
        return self._compare_file(member, info, stream) if member.kind == tar.FILE else member.size

    def _compare_link(self, member: tar.Member, info: Stat) -> None:
        try:
            other = stat_of(self._ctx, member.link)
        except OSError:
            other = None
        if other is None or (other.device, other.inode) != (info.device, info.inode):
            self._print(member, f"Not linked to {self._job.quoted(member.link)}")

    def _compare_file(self, member: tar.Member, info: Stat, stream: tar.Stream) -> int:
        if info.uid != member.uid:
            self._print(member, "Uid differs")
        if info.gid != member.gid:
            self._print(member, "Gid differs")
        if info.mtime_ns // 10**9 != member.mtime:
            self._print(member, "Mod time differs")
        if info.size != member.size:
            self._print(member, "Size differs")
            return member.size
        left = member.size
        try:
            reader = self._ctx.open(member.name)
        except OSError as error:
            self._job.report(f"{self._job.quoted(member.name)}: Cannot open: {reason(error)}")
            return left
        same = True
        with reader:
            for piece in stream.pieces(left):
                left -= len(piece)
                same = same and reader.read(len(piece)) == piece
        if not same:
            self._print(member, "Contents differ")
        return left
