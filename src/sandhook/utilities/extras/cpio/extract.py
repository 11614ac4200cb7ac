"""cpio -i and -p: create files below one directory, and nowhere else."""

from __future__ import annotations

import stat as bits
from collections.abc import Callable
from typing import TYPE_CHECKING

from sandhook.command.context import Context
from sandhook.command.links import leads_out
from sandhook.command.operands import beneath, reason, stat_of
from sandhook.utilities.extras.cpio import format as format_

if TYPE_CHECKING:
    from sandhook.utilities.extras.cpio.options import Options


class Extractor:
    """Creates the files of members.

    Args:
        directory: The destination of -p; "" for -i, which creates files below the working directory.
    """

    def __init__(self, options: Options, ctx: Context, directory: str = "") -> None:
        self._options = options
        self._ctx = ctx
        self._directory = directory
        self._root = "" if directory else str(ctx.fs.realpath(ctx.path(".")))
        self._slash_reported = False
        self._without_data: dict[
            tuple[int, int], list[tuple[str, format_.Member]]
        ] = {}  #: names whose data come later
        self._paths_by_key: dict[tuple[int, int], str] = {}
        self._directory_attributes: list[tuple[str, int, int]] = []

    # ------------------------------------------------------------------ -i

    def skip(self, member: format_.Member, source: format_.Source) -> None:
        """Skip the data of a member."""
        for _ in source.pieces(member.size):
            pass
        source.read(-member.size % member.padding)

    def member(self, member: format_.Member, source: format_.Source) -> None:
        """Create the file of a member."""
        remaining = member.size

        def write_data(write: Callable[[bytes], None]) -> None:
            nonlocal remaining
            for piece in source.pieces(remaining):
                remaining -= len(piece)
                write(piece)

        self._ctx.charge()
        if self._options.to_stdout:
            write_data(self._ctx.write)
        else:
            name = self._target(member.name)
            if name is not None:
                self._create(name, member, write_data)
        for piece in source.pieces(remaining):
            remaining -= len(piece)
        source.read(-member.size % member.padding)

    def _target(self, name: str) -> str | None:
        bare = name.lstrip("/")
        if bare != name and not self._slash_reported:
            self._slash_reported = True
            self._ctx.error("Removing leading `/' from member names")
        parts = [part for part in bare.split("/") if part not in ("", ".")]
        if ".." in parts:
            self._ctx.fail(f"{name}: Member name contains '..'", 2)
            return None
        return "/".join(parts) or "."

    # ------------------------------------------------------------------ -p

    def copy(self, name: str) -> int:
        """Copy one file; return its size in bytes."""
        ctx = self._ctx
        ctx.charge()
        try:
            info = stat_of(ctx, name, follow=self._options.follow)
        except OSError as error:
            ctx.fail(f"{name}: Cannot stat: {reason(error)}", 2)
            return 0
        target = beneath(self._directory, name.lstrip("/"))
        key = (info.device, info.inode)
        regular = bits.S_ISREG(info.mode)
        size = info.size if regular else 0
        member = format_.Member(
            name=name,
            mode=info.mode,
            uid=info.uid,
            gid=info.gid,
            links=1,
            mtime=info.mtime_ns // 10**9,
            size=size,
            key=key,
            device=0,
            padding=1,
            check=None,
        )
        if regular and (self._options.link or (info.links > 1 and key in self._paths_by_key)):
            source = name if self._options.link else self._paths_by_key[key]
            self._create(target, member, None, source=source)
            return 0
        self._paths_by_key[key] = target
        if bits.S_ISLNK(info.mode):
            link = ctx.fs.readlink(ctx.path(name)).encode("utf-8", "surrogateescape")
            self._create(target, member, lambda write: write(link))
            return 0

        def write_data(write: Callable[[bytes], None]) -> None:
            with ctx.open(name) as reader:
                for piece in reader.chunks():
                    write(piece)

        return size if self._create(target, member, write_data) else 0

    # ------------------------------------------------------------------ both

    def _create(
        self,
        name: str,
        member: format_.Member,
        write_data: Callable[[Callable[[bytes], None]], None] | None,
        source: str = "",
    ) -> bool:
        display_name = name if self._directory else member.name
        try:
            if not self._may_replace(name, member, display_name):
                return False
            self._make_parents(name)
            if source:
                self._clear(name)
                self._ctx.fs.link(self._ctx.path(source), self._ctx.path(name))
            elif write_data is not None:
                self._create_by_type(name, member, write_data)
        except OSError as error:
            self._ctx.fail(
                f"{display_name}: Cannot {'mkdir' if bits.S_ISDIR(member.mode) else 'open'}: {reason(error)}",
                2,
            )
            return False
        finally:
            if self._options.verbose or self._options.dots:
                self._ctx.flush()
                line = f"{display_name}\n".encode("utf-8", "surrogateescape")
                self._ctx.process.write_error(line if self._options.verbose else b".")
        return True

    def _may_replace(self, name: str, member: format_.Member, display_name: str) -> bool:
        try:
            info = self._ctx.fs.stat(self._ctx.path(name), follow=False)
        except OSError:
            return True
        if bits.S_ISDIR(info.mode):
            if bits.S_ISDIR(member.mode):
                return True
            self._ctx.fail(f"cannot remove current {display_name}: Is a directory", 2)
            return False
        if not self._options.replace and info.mtime_ns // 10**9 >= member.mtime:
            self._ctx.error(f"{display_name} not created: newer or same age version exists")
            return False
        return True

    def _make_parents(self, name: str) -> None:
        """Create missing directories with -d. Raises OSError when a link leads out of the directory."""
        fs, ctx = self._ctx.fs, self._ctx
        parent = name.rpartition("/")[0]
        if self._options.directories and parent:
            ancestor = ""
            for part in parent.split("/"):
                ancestor += part
                if ancestor and not fs.exists(ctx.path(ancestor)):
                    fs.mkdir(ctx.path(ancestor), 0o777 & ~ctx.process.umask)
                ancestor += "/"
        if self._directory:
            return
        real = str(fs.realpath(ctx.path(parent or ".")))
        if real != self._root and not real.startswith(self._root.rstrip("/") + "/"):
            raise PermissionError(1, "leads out of the directory")

    def _clear(self, name: str) -> None:
        path = self._ctx.path(name)
        try:
            self._ctx.fs.stat(path, follow=False)
        except OSError:
            return
        self._ctx.fs.unlink(path)

    def _create_by_type(
        self, name: str, member: format_.Member, write_data: Callable[[Callable[[bytes], None]], None]
    ) -> None:
        fs, path = self._ctx.fs, self._ctx.path(name)
        mode = member.mode & 0o777 & ~self._ctx.process.umask
        if bits.S_ISDIR(member.mode):
            if not fs.is_dir(path):
                fs.mkdir(path, 0o700)
            self._directory_attributes.append((name, member.mode & 0o777, member.mtime))
        elif bits.S_ISLNK(member.mode):
            target = bytearray()
            write_data(target.extend)
            self._link(name, target.decode("utf-8", "surrogateescape"), member)
        elif bits.S_ISREG(member.mode):
            self._file(name, member, write_data)
        elif bits.S_ISFIFO(member.mode):
            self._clear(name)
            fs.mkfifo(path, mode)
        else:
            self._ctx.fail(f"{member.name}: not a file, directory, link or FIFO; not extracted", 2)

    def _link(self, name: str, target: str, member: format_.Member) -> None:
        if not self._directory and leads_out(name, target):
            self._ctx.fail(f"{member.name}: link to {target} leads out of the directory; not extracted", 2)
            return
        self._clear(name)
        try:
            self._ctx.fs.symlink(target, self._ctx.path(name))
        except OSError as error:
            self._ctx.fail(f"{target}: Cannot symlink to '{name}': {reason(error)}", 2)

    def _file(
        self, name: str, member: format_.Member, write_data: Callable[[Callable[[bytes], None]], None]
    ) -> None:
        has_links = member.links > 1 and not self._directory
        if has_links and not member.size and member.padding == 4 and member.key not in self._paths_by_key:
            self._without_data.setdefault(member.key, []).append((name, member))
            return
        if has_links and self._paths_by_key.get(member.key) == name:
            return
        self._clear(name)
        if has_links and member.key in self._paths_by_key and not (member.size and member.padding == 4):
            self._ctx.fs.link(self._ctx.path(self._paths_by_key[member.key]), self._ctx.path(name))
            return
        total = 0

        def write_piece(piece: bytes) -> None:
            nonlocal total
            if member.check is not None:
                total += sum(piece)
            file.write(piece)

        file = self._ctx.create(name)
        try:
            write_data(write_piece)
        finally:
            file.release()
        if member.check is not None and total & 0xFFFFFFFF != member.check:
            self._ctx.error(
                f"{member.name}: checksum error (0x{total & 0xFFFFFFFF:x}, should be 0x{member.check:x})"
            )
        self._finish_file(name, member)
        if has_links:
            self._paths_by_key[member.key] = name
            for other, _ in self._without_data.pop(member.key, ()):
                if other == name:
                    continue
                if self._options.verbose:
                    self._ctx.error(f"{name} linked to {other}")
                self._clear(other)
                self._ctx.fs.link(self._ctx.path(name), self._ctx.path(other))

    def _finish_file(self, name: str, member: format_.Member) -> None:
        path = self._ctx.path(name)
        self._ctx.fs.chmod(path, member.mode & 0o777)
        if self._options.keep_time:
            self._ctx.fs.utime(path, member.mtime * 10**9, member.mtime * 10**9)

    def finish(self) -> None:
        """Create files whose data never followed, and set the permissions of directories."""
        for names in self._without_data.values():
            first, member = names[0]
            self._clear(first)
            self._ctx.create(first).release()
            self._finish_file(first, member)
            for other, _ in names[1:]:
                if other == first:
                    continue
                self._clear(other)
                self._ctx.fs.link(self._ctx.path(first), self._ctx.path(other))
        for name, mode, mtime in reversed(self._directory_attributes):
            path = self._ctx.path(name)
            self._ctx.fs.chmod(path, mode)
            if self._options.keep_time:
                self._ctx.fs.utime(path, mtime * 10**9, mtime * 10**9)
