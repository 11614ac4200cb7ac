"""Copying files and trees: what cp does, and mv between file systems.

Source: POSIX.1-2024 XCU 3, cp, steps 1 to 4. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import stat as bits
from dataclasses import dataclass, field

from sandhook.command.context import Context
from sandhook.command.modes import mode_string
from sandhook.command.operands import beneath, confirm, find, locate, reason, stat_of
from sandhook.kernel.descriptor import CHUNK, Description
from sandhook.record import Record
from sandhook.text.quoting import quote_always
from sandhook.utilities.files.backup import Backup
from sandhook.vfs.base import Stat


class Policy(Record):
    """How files are copied.

    Attributes:
        recursive: Directories are copied with all that is in them.
        follow: Symbolic links that are followed: "all", "operands" or "none".
        mode, times, links: What is preserved of the source (ownership cannot be, for one user).
        bare: New files get the bits that the umask leaves them, not the source's.
        overwrite: "yes", "ask" or "no" for an existing destination.
        update: Only when the source is newer, or the destination missing.
        force: Remove a destination that cannot be opened, and try again.
        remove_first: Remove every existing destination file beforehand.
        plain: Read devices and FIFOs as files rather than making such ones.
        how: "copy", "link" or "symlink".
        verbose: Say "'a' -> 'b'".
        backup: Moves what would be overwritten out of the way.
    """

    recursive: bool = False
    follow: str = "all"
    mode: bool = False
    bare: bool = False
    times: bool = False
    links: bool = False
    overwrite: str = "yes"
    update: bool = False
    force: bool = False
    remove_first: bool = False
    plain: bool = False
    how: str = "copy"
    verbose: bool = False
    attributes_only: bool = False
    one_file_system: bool = False
    backup: Backup | None = None


@dataclass(slots=True)
class _Directory:
    """One directory that is being copied."""

    source: str
    target: str
    info: Stat
    names: list[str]
    made: bool


@dataclass(slots=True)
class Copier:
    """Copies operands under one policy, and remembers what it made."""

    ctx: Context
    policy: Policy
    made: dict[tuple[int, int], str] = field(default_factory=dict)  #: inode of a copy to its name
    copied: dict[tuple[int, int], str] = field(default_factory=dict)  #: inode of a source to its copy
    several: bool = False  #: several operands go into one directory
    operands: set[tuple[str, str, int]] = field(default_factory=set)
    failed: bool = False
    within: bool = False  #: an operand is copied into itself

    def fail(self, message: str) -> bool:
        """Report, and return False for the caller to pass on."""
        self.ctx.fail(message)
        self.failed = True
        return False

    def copy(self, source: str, target: str) -> bool:
        """Copy one operand, with all below it if the policy says so; return False when anything failed."""
        policy = self.policy
        before = self.failed
        self.failed = False
        try:
            info = stat_of(self.ctx, source, follow=policy.follow != "none")
        except OSError as error:
            self.fail(f"cannot stat {quote_always(source)}: {reason(error)}")
        else:
            directory = bits.S_ISDIR(info.mode)
            if (policy.recursive or not directory) and self._seen(source, info):
                what = "directory" if directory else "file"
                self.ctx.error(f"warning: source {what} {quote_always(source)} specified more than once")
                return True
            stack: list[_Directory] = []
            self._one(source, target, info, stack, operand=True)
            while stack:
                self._step(stack, info.device)
        good = not self.failed
        self.failed = self.failed or before
        return good

    def _seen(self, source: str, info: Stat) -> bool:
        """Return whether an operand names what an earlier one did, and remember it."""
        if not self.several:
            return False
        above, slash, name = source.rstrip("/").rpartition("/")
        try:
            directory = self.ctx.fs.realpath(self.ctx.path((above or "/") if slash else "."))
        except OSError:
            return False
        key = (directory, name, info.inode)
        known = key in self.operands
        self.operands.add(key)
        return known

    def _step(self, stack: list[_Directory], device: int) -> None:
        """Copy the next entry of the innermost directory, or finish that directory."""
        here = stack[-1]
        if not here.names:
            stack.pop()
            if here.made or self.policy.mode or self.policy.times:
                self._attributes(here.info, here.target, new=here.made)
            return
        name = here.names.pop()
        self.ctx.charge()
        source, target = beneath(here.source, name), beneath(here.target, name)
        try:
            info = stat_of(self.ctx, source, follow=self.policy.follow == "all")
        except OSError as error:
            self.fail(f"cannot stat {quote_always(source)}: {reason(error)}")
            return
        if self.policy.one_file_system and info.device != device:
            return
        self._one(source, target, info, stack, operand=False)

    def _one(self, source: str, target: str, info: Stat, stack: list[_Directory], *, operand: bool) -> bool:
        """Copy one file, or begin with one directory."""
        policy = self.policy
        if bits.S_ISDIR(info.mode):
            if not policy.recursive:
                return self.fail(f"-r not specified; omitting directory {quote_always(source)}")
            return self._directory(source, target, info, stack)
        try:
            there = find(self.ctx, target, follow=False)
        except OSError as error:
            return self.fail(f"cannot stat {quote_always(target)}: {reason(error)}")
        if there is not None and not self._may_replace(source, target, info, there):
            return False
        if there is not None and policy.overwrite == "skip":
            return True
        if not self._proceed(target, info, there):
            return True
        kept = ""
        if there is not None and policy.backup is not None:
            try:
                kept = f" (backup: {quote_always(policy.backup(target))})"
            except OSError as error:
                return self.fail(f"cannot backup {quote_always(target)}: {reason(error)}")
        elif there is not None and (policy.remove_first or self._replaces(info, there)):
            try:
                self.ctx.fs.unlink(locate(self.ctx, target))
            except OSError as error:
                return self.fail(f"cannot remove {quote_always(target)}: {reason(error)}")
        if policy.verbose:
            self.ctx.write_line(f"{quote_always(source)} -> {quote_always(target)}{kept}")
        if not self._make(source, target, info):
            return False
        self._remember(info, target)
        return True

    def _proceed(self, target: str, info: Stat, there: Stat | None) -> bool:
        """Ask, compare times or refuse, as the policy says."""
        if there is None:
            return True
        policy = self.policy
        if policy.overwrite == "no":
            return False
        if policy.update and self._mtime(target, there) >= info.mtime_ns:
            return False
        if policy.overwrite == "ask":
            return confirm(self.ctx, overwrite_question(self.ctx, target, there))
        return True

    def _mtime(self, target: str, there: Stat) -> int:
        if bits.S_ISLNK(there.mode):
            there = find(self.ctx, target) or there
        return there.mtime_ns

    def _replaces(self, info: Stat, there: Stat) -> bool:
        """Return whether the new file cannot be written into the old one."""
        if self.policy.how != "copy":
            return self.policy.force
        if bits.S_ISREG(info.mode) or self.policy.plain:
            return self.policy.follow != "all" and self.policy.recursive and bits.S_ISLNK(there.mode)
        return not bits.S_ISDIR(there.mode)

    def _may_replace(self, source: str, target: str, info: Stat, there: Stat) -> bool:
        """Refuse what must not be overwritten; links count as what they lead to."""
        real = there
        if bits.S_ISLNK(there.mode) and self.policy.follow != "none":
            real = self._resolved(target, there)
        if (real.device, real.inode) == (info.device, info.inode) and self.policy.overwrite != "no":
            linked = bits.S_ISLNK(there.mode) and self.policy.remove_first
            if not linked and not (self.policy.how == "link" and there.inode == info.inode):
                return self.fail(f"{quote_always(source)} and {quote_always(target)} are the same file")
        if bits.S_ISDIR(self._resolved(target, there).mode if not bits.S_ISLNK(info.mode) else there.mode):
            return self.fail(f"cannot overwrite directory {quote_always(target)} with non-directory")
        just_made = self.made.get((there.device, there.inode))
        if just_made is not None and self.policy.overwrite != "no" and self.policy.how == "copy":
            return self.fail(
                f"will not overwrite just-created {quote_always(target)} with {quote_always(source)}"
            )
        return True

    def _resolved(self, target: str, there: Stat) -> Stat:
        try:
            return stat_of(self.ctx, target)
        except OSError:
            return there

    def _remember(self, info: Stat, target: str) -> None:
        now = find(self.ctx, target, follow=False)
        if now is not None:
            self.made[now.device, now.inode] = target
        if self.policy.links and info.links > 1:
            self.copied.setdefault((info.device, info.inode), target)

    # Making one file.

    def _make(self, source: str, target: str, info: Stat) -> bool:
        policy, fs = self.policy, self.ctx.fs
        kind = bits.S_IFMT(info.mode)
        linked = self.copied.get((info.device, info.inode)) if policy.links else None
        try:
            if linked is not None or policy.how == "link":
                known = locate(self.ctx, linked or source)
                fs.link(
                    known if kind == bits.S_IFLNK or linked else fs.realpath(known), locate(self.ctx, target)
                )
                return True
            if policy.how == "symlink":
                if source[:1] != "/" and not self._is_here(target):
                    return self.fail(f"{target}: can make relative symbolic links only in current directory")
                fs.symlink(source, locate(self.ctx, target))
                return True
        except OSError as error:
            what = "symbolic link" if policy.how == "symlink" and linked is None else "hard link"
            of = "" if what == "symbolic link" else f" to {quote_always(linked or source)}"
            return self.fail(f"cannot create {what} {quote_always(target)}{of}: {reason(error)}")
        if kind == bits.S_IFLNK:
            return self._link(source, target, info)
        if kind == bits.S_IFREG or policy.plain:
            return self._contents(source, target, info)
        return self._special(target, info)

    def _is_here(self, target: str) -> bool:
        """Return whether a file would be in the working directory itself."""
        above, slash, _ = target.rstrip("/").rpartition("/")
        if not slash:
            return True
        fs = self.ctx.fs
        return fs.realpath(self.ctx.path(above or "/")) == fs.realpath(self.ctx.process.cwd)

    def _link(self, source: str, target: str, info: Stat) -> bool:
        fs = self.ctx.fs
        try:
            fs.symlink(fs.readlink(locate(self.ctx, source)), locate(self.ctx, target))
        except OSError as error:
            return self.fail(f"cannot create symbolic link {quote_always(target)}: {reason(error)}")
        if self.policy.times:
            fs.utime(locate(self.ctx, target), info.atime_ns, info.mtime_ns, follow=False)
        return True

    def _special(self, target: str, info: Stat) -> bool:
        if not bits.S_ISFIFO(info.mode):
            return self.fail(f"cannot create special file {quote_always(target)}: Operation not permitted")
        try:
            self.ctx.fs.mkfifo(locate(self.ctx, target), info.mode & 0o777 & ~self.ctx.process.umask)
        except OSError as error:
            return self.fail(f"cannot create fifo {quote_always(target)}: {reason(error)}")
        self._attributes(info, target, new=False)
        return True

    def _contents(self, source: str, target: str, info: Stat) -> bool:
        """Copy the bytes; a new file gets the source's permission bits without the umask's."""
        ctx = self.ctx
        process = ctx.process
        try:
            reading = process.open(source)
        except OSError as error:
            return self.fail(f"cannot open {quote_always(source)} for reading: {reason(error)}")
        existed = ctx.fs.exists(ctx.path(target))
        try:
            try:
                writing = self._open_target(target, existed)
            except OSError as error:
                if not existed and find_dangling(ctx, target):
                    return self.fail(f"not writing through dangling symlink {quote_always(target)}")
                why = reason(error)
                if target[-1:] == "/" and ctx.fs.is_dir(
                    ctx.path(target.rstrip("/").rpartition("/")[0] or ".")
                ):
                    why = "Not a directory"
                return self.fail(f"cannot create regular file {quote_always(target)}: {why}")
            try:
                while not self.policy.attributes_only and (data := reading.read(CHUNK)):
                    ctx.charge(1 + (len(data) >> 10))
                    writing.write(data)
            except OSError as error:
                return self.fail(f"error writing {quote_always(target)}: {reason(error)}")
            finally:
                writing.release()
        finally:
            reading.release()
        self._attributes(info, target, new=not existed)
        return True

    def _open_target(self, target: str, existed: bool) -> Description:
        ctx = self.ctx
        locate(ctx, target)
        if not existed and find_dangling(ctx, target):
            raise FileNotFoundError(2, "No such file or directory")
        truncate = not self.policy.attributes_only
        try:
            return ctx.process.open(target, read=False, write=True, create=True, truncate=truncate)
        except OSError:
            if not (self.policy.force and existed):
                raise
            ctx.fs.unlink(ctx.path(target))
            return ctx.process.open(target, read=False, write=True, create=True, exclusive=True)

    def _attributes(self, info: Stat, target: str, *, new: bool) -> None:
        """Give the copy the source's bits and times as far as wanted."""
        ctx = self.ctx
        path = ctx.path(target)
        try:
            if self.policy.times:
                ctx.fs.utime(path, info.atime_ns, info.mtime_ns)
            if self.policy.mode:
                ctx.fs.chmod(path, info.mode & 0o7777)
            elif new:
                wanted = info.mode & 0o777
                if self.policy.bare:
                    wanted = 0o777 if bits.S_ISDIR(info.mode) else 0o666
                ctx.fs.chmod(path, wanted & ~ctx.process.umask)
        except OSError as error:
            if self.policy.mode or self.policy.times:
                self.fail(f"preserving permissions for {quote_always(target)}: {reason(error)}")

    # Directories.

    def _directory(self, source: str, target: str, info: Stat, stack: list[_Directory]) -> bool:
        ctx = self.ctx
        try:
            there = find(ctx, target)
            broken = there is None and find(ctx, target, follow=False) is not None
        except OSError as error:
            return self.fail(f"cannot stat {quote_always(target)}: {reason(error)}")
        if broken or (there is not None and not bits.S_ISDIR(there.mode)):
            return self.fail(
                f"cannot overwrite non-directory {quote_always(target)} with directory {quote_always(source)}"
            )
        if not stack and there is not None and (there.device, there.inode) == (info.device, info.inode):
            return self.fail(f"{quote_always(source)} and {quote_always(target)} are the same file")
        if not stack:
            self.within = self._is_within(info, target)
            if self.within:  # all else is copied
                self.fail(
                    f"cannot copy a directory, {quote_always(source)}, into itself, {quote_always(target)}"
                )
        if (info.device, info.inode) in self.made and (self.within or there is None):
            return True  # the copy itself, met on the way
        if self.policy.follow == "all" and any(
            (each.info.device, each.info.inode) == (info.device, info.inode) for each in stack
        ):
            return self.fail(f"cannot copy cyclic symbolic link {quote_always(source)}")
        if there is None:
            try:
                ctx.fs.mkdir(locate(ctx, target), info.mode & 0o777 & ~ctx.process.umask | 0o700)
            except OSError as error:
                return self.fail(f"cannot create directory {quote_always(target)}: {reason(error)}")
            if self.policy.verbose:
                ctx.write_line(f"{quote_always(source)} -> {quote_always(target)}")
        if there is None or (self.within and not stack):
            made = stat_of(ctx, target)
            self.made[made.device, made.inode] = target
        try:
            names = [entry.name for entry in ctx.fs.listdir(ctx.path(source))]
        except OSError as error:
            if there is None:
                self._attributes(info, target, new=True)
            return self.fail(f"cannot access {quote_always(source)}: {reason(error)}")
        names.reverse()
        stack.append(_Directory(source, target, info, names, there is None))
        return True

    def _is_within(self, info: Stat, target: str) -> bool:
        """Return whether ``target`` lies in the directory that ``info`` describes."""
        ctx = self.ctx
        above = target.rstrip("/").rpartition("/")
        parent = above[0] or ("/" if above[1] else ".")
        try:
            path = ctx.fs.realpath(ctx.path(parent))
            while True:
                ctx.charge()
                here = ctx.fs.stat(path)
                if (here.device, here.inode) == (info.device, info.inode):
                    return True
                if path == "/":
                    return False
                path = type(path)(path.rpartition("/")[0] or "/")
        except OSError:
            return False


def find_dangling(ctx: Context, name: str) -> bool:
    """Return whether a name is a symbolic link that leads to nothing."""
    try:
        info = find(ctx, name, follow=False)
        return info is not None and bits.S_ISLNK(info.mode) and find(ctx, name) is None
    except OSError:
        return False


def overwrite_question(ctx: Context, target: str, there: Stat) -> str:
    """Return what cp -i and mv -i ask before they overwrite."""
    if bits.S_ISLNK(there.mode) or ctx.fs.access(ctx.path(target), 2):
        return f"overwrite {quote_always(target)}?"
    mode = mode_string(there.mode)[1:]
    return f"replace {quote_always(target)}, overriding mode {there.mode & 0o7777:04o} ({mode})?"
