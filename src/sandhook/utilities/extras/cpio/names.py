"""cpio -o and -t: write and list archives."""

from __future__ import annotations

import stat as bits
from collections.abc import Callable
from typing import TYPE_CHECKING

from sandhook.command.accounts import accounts
from sandhook.command.context import Context
from sandhook.command.modes import mode_string
from sandhook.command.operands import reason, stat_of
from sandhook.dates.clock import strftime
from sandhook.utilities.extras.cpio import format as format_
from sandhook.vfs.base import Stat

if TYPE_CHECKING:
    from sandhook.utilities.extras.cpio.options import Options


class Writer:
    """Writes members; in newc and crc, the data of a file with several names follow its last name."""

    def __init__(self, options: Options, ctx: Context, write: Callable[[bytes], None]) -> None:
        self._options = options
        self._ctx = ctx
        self._write = write
        self._size = 0
        self._deferred = 0
        self._deferred_names: dict[tuple[int, int], list[tuple[int, str, Stat]]] = {}
        self._numbers: dict[tuple[int, int], int] = {}

    def add(self, name: str) -> None:
        """Write one file, unless more names of it may follow."""
        ctx = self._ctx
        ctx.charge()
        try:
            info = stat_of(ctx, name, follow=self._options.follow)
        except OSError as error:
            ctx.fail(f"{name}: Cannot stat: {reason(error)}", 2)
            return
        if self._options.verbose or self._options.dots:
            ctx.process.write_error(
                f"{name}\n".encode("utf-8", "surrogateescape") if self._options.verbose else b"."
            )
        if self._options.relative and name[:1] == "/":
            name = name.lstrip("/") or "."
        has_links = bits.S_ISREG(info.mode) and info.links > 1 and self._options.kind in ("newc", "crc")
        if not has_links:
            self._file(name, info, data=True)
            return
        names = self._deferred_names.setdefault((info.device, info.inode), [])
        self._deferred += 1
        names.append((self._deferred, name, info))
        if len(names) >= info.links:
            self._write_names((info.device, info.inode))

    def _write_names(self, key: tuple[int, int]) -> None:
        names = self._deferred_names.pop(key)
        for at, (_, name, info) in enumerate(names, 1):
            self._file(name, info, data=at == len(names))

    def finish(self) -> int:
        """Write the deferred files, the trailer and the padding of the last block; return the size in bytes."""
        names = [
            (number, key, name, info)
            for key, files in self._deferred_names.items()
            for number, name, info in files
        ]
        names.sort(key=lambda item: item[0], reverse=True)  # cpio keeps them on a stack
        remaining = {key: len(files) for key, files in self._deferred_names.items()}
        for _, key, name, info in names:
            remaining[key] -= 1
            self._file(name, info, data=not remaining[key])
        self._deferred_names = {}
        trailer = format_.Member(
            name=format_.TRAILER,
            mode=0,
            uid=0,
            gid=0,
            links=1,
            mtime=0,
            size=0,
            key=(0, 0),
            device=0,
            padding=1,
            check=None,
        )
        self._write_data(format_.header(trailer, self._options.kind))
        self._write_data(bytes(-self._size % format_.BLOCK))
        return self._size

    def _write_data(self, data: bytes) -> None:
        self._size += len(data)
        self._ctx.charge(1 + (len(data) >> 10))
        self._write(data)

    def _key(self, info: Stat) -> tuple[int, int]:
        key = (info.device, info.inode)
        if not self._options.reproducible:
            return key
        return 0, self._numbers.setdefault(key, len(self._numbers) + 1)

    def _file(self, name: str, info: Stat, *, data: bool) -> None:
        ctx, kind = self._ctx, self._options.kind
        regular, link = bits.S_ISREG(info.mode), bits.S_ISLNK(info.mode)
        content = b""
        check = 0
        reader = None
        if link:
            content = ctx.fs.readlink(ctx.path(name)).encode("utf-8", "surrogateescape")
        elif regular and data:
            try:
                reader = ctx.open(name)
            except OSError as error:
                ctx.fail(f"{name}: Cannot open: {reason(error)}", 2)
                return
            if kind == "crc":
                with ctx.open(name) as checksum_reader:
                    check = sum([sum(piece) for piece in checksum_reader.chunks()]) & 0xFFFFFFFF
        size = len(content) if link else info.size if regular and data else 0
        member = format_.Member(
            name=name,
            mode=info.mode,
            uid=info.uid,
            gid=info.gid,
            links=info.links,
            mtime=info.mtime_ns // 10**9,
            size=size,
            key=self._key(info),
            device=0,
            padding=1,
            check=check,
        )
        self._write_data(format_.header(member, kind))
        written = len(content)
        self._write_data(content)
        if reader is not None:
            with reader:
                while written < size and (piece := reader.read(min(65_536, size - written))):
                    written += len(piece)
                    self._write_data(piece)
        self._write_data(bytes(size - written))  # the file may have become shorter since stat
        self._write_data(bytes(-size % format_.padding_of(kind)))


class Lister:
    """Prints the members of an archive."""

    def __init__(self, options: Options, ctx: Context) -> None:
        self._options = options
        self._ctx = ctx
        self._accounts = accounts(ctx.fs)

    def show(self, member: format_.Member, source: format_.Source) -> None:
        """Print one member, and skip its data."""
        link = b""
        if bits.S_ISLNK(member.mode):
            link = b"".join(source.pieces(member.size))
        name = member.name
        if self._options.relative and name[:1] == "/":
            name = name.lstrip("/") or "."
        line = name.encode("utf-8", "surrogateescape")
        if self._options.verbose:
            numeric = self._options.numeric
            owner = str(member.uid) if numeric else self._accounts.user(member.uid)
            group = str(member.gid) if numeric else self._accounts.group(member.gid)
            now = self._ctx.now()
            recent = now - 182 * 86_400 < member.mtime <= now
            time = strftime(
                "%b %e %H:%M" if recent else "%b %e  %Y", member.mtime, self._ctx.environment.get("TZ")
            )
            head = (
                f"{mode_string(member.mode)} {member.links:3} {owner:<8} {group:<8} {member.size:8} {time} "
            )
            line = head.encode("utf-8", "surrogateescape") + line + (b" -> " + link if link else b"")
        self._ctx.write(line + b"\n")
        for _ in source.pieces(0 if link else member.size):
            pass
        source.read(-member.size % member.padding)
