"""tar -c: walk the operands and write members."""

from __future__ import annotations

import errno
import re
import stat as bits
from typing import TYPE_CHECKING

from sandhook.command.accounts import Accounts, accounts
from sandhook.command.context import Context, Failure
from sandhook.command.operands import beneath, reason, stat_of
from sandhook.utilities.archive.tar import format as tar
from sandhook.vfs.base import Stat
from sandhook.vfs.errors import fs_error
from sandhook.vfs.path import VirtualPath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sandhook.utilities.archive.tar.job import Job


class Creator:
    """Yields the bytes of an archive."""

    def __init__(self, job: Job, ctx: Context, error: Callable[[str], None]) -> None:
        self._job = job
        self._ctx = ctx
        self._error = error
        self._accounts: Accounts = accounts(ctx.fs)
        self._names_by_inode: dict[tuple[int, int], str] = {}
        self._reported_prefixes: set[str] = set()
        self._files_to_remove: list[tuple[str, bool]] = []
        self._size = 0  #: of the archive so far

    def pieces(self, size: int = 0) -> Iterator[bytes]:
        """Yield headers, contents and the blocks that end the archive.

        Args:
            size: Bytes that the archive already has.
        """
        self._size = size
        home = self._ctx.process.cwd
        if self._job.label is not None and not size:
            label = tar.Member(self._job.label, tar.LABEL, mode=0, mtime=int(self._ctx.now()))
            yield tar.header(label)
            self._size += tar.BLOCK
        try:
            for directory, name in self._job.names:
                if directory:
                    self._ctx.process.cwd = self._enter(directory)
                    continue
                for piece in self._tree(name):
                    self._size += len(piece)
                    yield piece
                self._remove_stored()
        finally:
            self._ctx.process.cwd = home
        self._size += 2 * tar.BLOCK
        yield bytes(2 * tar.BLOCK + -self._size % self._job.record)

    def _enter(self, directory: str) -> VirtualPath:
        """Return the directory of -C. Raises Failure, which ends the run."""
        try:
            path = self._ctx.fs.realpath(self._ctx.path(directory))
            if not self._ctx.fs.is_dir(path):
                raise fs_error(errno.ENOTDIR)
            return path
        except OSError as error:
            raise Failure(f"{directory}: Cannot open: {reason(error)}") from None

    def _remove_stored(self) -> None:
        """Remove the stored files for --remove-files: the contents of a directory before the directory."""
        for name, directory in reversed(self._files_to_remove):
            self._ctx.charge()
            try:
                (self._ctx.fs.rmdir if directory else self._ctx.fs.unlink)(self._ctx.path(name))
            except OSError as error:
                self._error(f"{name}: Cannot {'rmdir' if directory else 'unlink'}: {reason(error)}")
        self._files_to_remove = []

    def _tree(self, operand: str) -> Iterator[bytes]:
        pending = [operand]
        while pending:
            name = pending.pop()
            self._ctx.charge()
            if self._job.selection.excludes(name):
                continue
            try:
                info = stat_of(self._ctx, name, follow=self._job.follow)
            except OSError as error:
                self._stat_error(name, error)
                continue
            if (info.device, info.inode) == self._job.archive_file:
                self._ctx.error(f"{name}: file is the archive; not dumped")
                continue
            directory = bits.S_ISDIR(info.mode)
            if not directory and not self._job.is_new(info.mtime_ns, info.ctime_ns):
                if self._job.verbose:
                    self._ctx.error(f"{self._job.quote_name(name)}: file is unchanged; not dumped")
                continue
            tag_rule = self._tag_rule(name) if directory else ""
            if tag_rule == "all":
                continue
            yield from self._member(name, info)
            if tag_rule:
                if tag_rule != "under":
                    pending.append(beneath(name, tag_rule))
                continue
            if directory and self._job.recursive:
                try:
                    entries = self._ctx.fs.listdir(self._ctx.path(name))
                except OSError as error:
                    self._read_error(name, error)
                    continue
                pending += [beneath(name, entry.name) for entry in reversed(entries)]

    def _may_recur(self, info: Stat) -> bool:
        """Return whether the walk may meet a file again: it has other names, or several operands may contain it."""
        several = len(self._job.names) > 1 or self._job.follow
        return self._job.links and (info.links > 1 or several)

    def _tag_rule(self, name: str) -> str:
        """Return the rule of a tag file in a directory: "all", "under", or the name of the only file to store."""
        for rule, tag in self._job.tags:
            if self._ctx.fs.exists(self._ctx.path(beneath(name, tag))):
                return tag if rule == "tag" else rule
        return ""

    def _stat_error(self, name: str, error: OSError) -> None:
        if self._job.tolerant:
            self._ctx.error(f"{self._job.quote_name(name)}: Warning: Cannot stat: {reason(error)}")
        else:
            self._error(f"{self._job.quote_name(name)}: Cannot stat: {reason(error)}")

    def _read_error(self, name: str, error: OSError) -> None:
        if self._job.tolerant:
            self._ctx.error(f"{self._job.quote_name(name)}: Warning: Cannot open: {reason(error)}")
        else:
            self._error(f"{self._job.quote_name(name)}: Cannot open: {reason(error)}")

    def _without_prefix(self, name: str, description: str) -> str:
        """Return a name without a prefix that leads out of the directory; report each prefix once."""
        if self._job.absolute:
            return name
        at = 0
        for match in re.finditer(r"(?:^|/)\.\.(?=/|$)", name):
            at = match.end()
        while name[at : at + 1] == "/":
            at += 1
        prefix = name[:at]
        if prefix and f"{prefix} {description}" not in self._reported_prefixes:
            self._reported_prefixes.add(f"{prefix} {description}")
            self._ctx.error(f"Removing leading `{prefix}' from {description}")
        return name[at:] or "."

    def _member(self, name: str, info: Stat) -> Iterator[bytes]:
        safe_name = self._without_prefix(name, "member names")
        member = tar.Member(safe_name.rstrip("/"), mode=info.mode & 0o7777, mtime=info.mtime_ns // 10**9)
        member.uid, member.gid = info.uid, info.gid
        member.user, member.group = self._accounts.user(info.uid), self._accounts.group(info.gid)
        self._job.apply_overrides(member)
        if member.mtime <= self._job.member_times.get(member.name, member.mtime - 1):
            return
        if not self._classify(member, name, info):
            return
        original_name = name.rstrip("/") or "/"
        if self._job.rename is not None:
            member.name, member.link = self._job.rename(member.name), self._job.rename(member.link)
        head = b""
        try:
            head = tar.header(member, self._job.layout)
        except tar.FormatError as error:
            self._error(f"{self._job.quote_name(name)}: {error}; not dumped")
            return
        stored_name, member.name = member.name, original_name
        member.block = self._size // tar.BLOCK
        if member.kind != tar.FILE:
            self._job.print(member, stored_name)
            yield head
            if self._job.remove:
                self._files_to_remove.append((name, member.kind == tar.DIRECTORY))
            return
        try:
            reader = self._ctx.open(name)
        except OSError as error:
            self._read_error(name, error)
            return
        with reader:
            self._job.print(member, stored_name)
            yield head
            if self._job.remove:
                self._files_to_remove.append((name, False))
            remaining = member.size
            while remaining and (data := reader.read(min(remaining, 65_536))):
                remaining -= len(data)
                yield data
            while remaining:
                piece = bytes(min(remaining, 65_536))
                remaining -= len(piece)
                yield piece
        yield tar.padding(member.size)

    def _classify(self, member: tar.Member, name: str, info: Stat) -> bool:
        """Set the kind, the link and the size of a member; return False if it cannot be stored."""
        key = (info.device, info.inode)
        if bits.S_ISDIR(info.mode):
            member.kind = tar.DIRECTORY
        elif bits.S_ISLNK(info.mode):
            member.kind = tar.SYMBOLIC_LINK
            member.link = self._ctx.fs.readlink(self._ctx.path(name))
        elif bits.S_ISFIFO(info.mode):
            member.kind = tar.FIFO
        elif not bits.S_ISREG(info.mode):
            self._error(f"{name}: not a file; not stored")
            return False
        elif self._may_recur(info) and key in self._names_by_inode:
            member.kind, member.link = tar.HARD_LINK, self._names_by_inode[key]
        else:
            if self._may_recur(info):
                self._without_prefix(name, "hard link targets")
                self._names_by_inode[key] = member.name
            member.size = info.size
        return True
