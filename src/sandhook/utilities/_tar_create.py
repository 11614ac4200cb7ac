"""What tar -c does: walks the operands and writes members."""

from __future__ import annotations

import stat as bits
from typing import TYPE_CHECKING

from sandhook.utilities import _tar_format as tar
from sandhook.utilities._base import Context
from sandhook.utilities._files import Accounts, accounts, beneath, reason, stat_of
from sandhook.vfs.base import Stat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sandhook.utilities.tar import Job


class Creator:
    """Yields the bytes of an archive."""

    def __init__(self, job: Job, ctx: Context, report: Callable[[str], None]) -> None:
        self._job = job
        self._ctx = ctx
        self._report = report
        self._accounts: Accounts = accounts(ctx.fs)
        self._seen: dict[tuple[int, int], str] = {}
        self._stripped = False

    def pieces(self, size: int = 0) -> Iterator[bytes]:
        """Yield headers, contents and the blocks that end the archive, of which ``size`` bytes are there."""
        home = self._ctx.process.cwd
        try:
            for directory, name in self._job.names:
                if directory:
                    self._ctx.process.cwd = self._ctx.fs.realpath(self._ctx.path(directory))
                    continue
                for piece in self._tree(name):
                    size += len(piece)
                    yield piece
        finally:
            self._ctx.process.cwd = home
        size += 2 * tar.BLOCK
        yield bytes(2 * tar.BLOCK + -size % tar.RECORD)

    def _tree(self, operand: str) -> Iterator[bytes]:
        pending = [operand]
        while pending:
            name = pending.pop()
            self._ctx.charge()
            if self._job.excludes(name):
                continue
            try:
                info = stat_of(self._ctx, name, follow=self._job.follow)
            except OSError as error:
                self._report(f"{name}: Cannot stat: {reason(error)}")
                continue
            if (info.device, info.inode) == self._job.archive_file:
                self._ctx.error(f"{name}: file is the archive; not dumped")
                continue
            yield from self._member(name, info)
            if bits.S_ISDIR(info.mode) and self._job.recursive:
                entries = self._ctx.fs.listdir(self._ctx.path(name))
                pending += [beneath(name, entry.name) for entry in reversed(entries)]

    def _member(self, name: str, info: Stat) -> Iterator[bytes]:
        shown = name.lstrip("/") or "."
        if shown != name and name[:1] == "/" and not self._stripped:
            self._stripped = True
            self._ctx.error("Removing leading `/' from member names")
        member = tar.Member(shown.rstrip("/"), mode=info.mode & 0o7777, mtime=info.mtime_ns // 10**9)
        member.uid, member.gid = info.uid, info.gid
        member.user, member.group = self._accounts.user(info.uid), self._accounts.group(info.gid)
        self._job.change(member)
        if member.mtime <= self._job.present.get(member.name, member.mtime - 1):
            return
        key = (info.device, info.inode)
        if bits.S_ISDIR(info.mode):
            member.kind = tar.DIRECTORY
        elif bits.S_ISLNK(info.mode):
            member.kind = tar.SYMBOLIC_LINK
            member.link = self._ctx.fs.readlink(self._ctx.path(name))
        elif bits.S_ISFIFO(info.mode):
            member.kind = tar.FIFO
        elif not bits.S_ISREG(info.mode):
            self._report(f"{name}: not a file; not stored")
            return
        elif info.links > 1 and key in self._seen:
            member.kind, member.link = tar.HARD_LINK, self._seen[key]
        else:
            self._seen[key] = member.name
            member.size = info.size
        self._job.say(member)
        if self._job.rename is not None:
            member.name, member.link = self._job.rename(member.name), self._job.rename(member.link)
        if member.kind != tar.FILE:
            yield tar.header(member)
            return
        try:
            reader = self._ctx.open(name)
        except OSError as error:
            self._report(f"{name}: Cannot open: {reason(error)}")
            return
        with reader:
            yield tar.header(member)
            left = member.size
            while left and (data := reader.read(min(left, 65_536))):
                left -= len(data)
                yield data
            while left:
                piece = bytes(min(left, 65_536))
                left -= len(piece)
                yield piece
        yield tar.padding(member.size)
