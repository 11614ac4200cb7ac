"""tar -d: report how files differ from the members of an archive.

Source: GNU tar 1.34 manual, "Comparing Archive Members with the File System".
"""

from __future__ import annotations

import stat as bits
from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.command.operands import reason, stat_of
from sandhook.utilities.archive.tar import format as tar
from sandhook.utilities.archive.tar.reading import members
from sandhook.vfs.base import Stat

if TYPE_CHECKING:
    from sandhook.utilities.archive.tar.job import Job

_TYPES = {
    tar.FILE: bits.S_IFREG, tar.HARD_LINK: bits.S_IFREG, tar.DIRECTORY: bits.S_IFDIR,
    tar.SYMBOLIC_LINK: bits.S_IFLNK, tar.FIFO: bits.S_IFIFO,
}  # fmt: skip


class Comparer:
    """Compares members in order; ``differs`` is True once one of them differs."""

    def __init__(self, job: Job, ctx: Context) -> None:
        self._job = job
        self._ctx = ctx
        self.differs = False

    def run(self, stream: tar.Stream) -> None:
        """Compare the members that the operands select."""
        for member in members(
            stream, self._job.error, warn=self._ctx.error, at_end=self._job.listing.print_end
        ):
            self._ctx.charge()
            remaining = member.size
            if self._job.selection.selects(member.name):
                self._job.print(member)
                remaining = self._compare(member, stream)
            for _ in stream.pieces(remaining):
                pass
            tar.skip_padding(stream, member.size)

    def _print_difference(self, member: tar.Member, difference: str) -> None:
        self.differs = True
        self._ctx.write_line(f"{self._job.quote_name(member.name)}: {difference}")

    def _compare(self, member: tar.Member, stream: tar.Stream) -> int:
        """Compare one member; return how many of its bytes are still unread."""
        try:
            info = stat_of(self._ctx, member.name, follow=self._job.follow)
        except OSError as error:
            self.differs = True
            self._ctx.error(f"{self._job.quote_name(member.name)}: Warning: Cannot stat: {reason(error)}")
            return member.size
        if bits.S_IFMT(info.mode) != _TYPES.get(member.kind):
            self._print_difference(member, "File type differs")
            return member.size
        if member.kind == tar.SYMBOLIC_LINK:
            if self._ctx.fs.readlink(self._ctx.path(member.name)) != member.link:
                self._print_difference(member, "Symlink differs")
            return 0
        if member.kind == tar.HARD_LINK:
            self._compare_link(member, info)
            return 0
        if info.mode & 0o7777 != member.mode:
            self._print_difference(member, "Mode differs")
        return self._compare_file(member, info, stream) if member.kind == tar.FILE else member.size

    def _compare_link(self, member: tar.Member, info: Stat) -> None:
        try:
            other = stat_of(self._ctx, member.link)
        except OSError:
            other = None
        if other is None or (other.device, other.inode) != (info.device, info.inode):
            self._print_difference(member, f"Not linked to {self._job.quote_name(member.link)}")

    def _compare_file(self, member: tar.Member, info: Stat, stream: tar.Stream) -> int:
        if info.uid != member.uid:
            self._print_difference(member, "Uid differs")
        if info.gid != member.gid:
            self._print_difference(member, "Gid differs")
        if info.mtime_ns // 10**9 != member.mtime:
            self._print_difference(member, "Mod time differs")
        if info.size != member.size:
            self._print_difference(member, "Size differs")
            return member.size
        remaining = member.size
        try:
            reader = self._ctx.open(member.name)
        except OSError as error:
            self._job.error(f"{self._job.quote_name(member.name)}: Cannot open: {reason(error)}")
            return remaining
        same = True
        with reader:
            for piece in stream.pieces(remaining):
                remaining -= len(piece)
                same = same and reader.read(len(piece)) == piece
        if not same:
            self._print_difference(member, "Contents differ")
        return remaining
