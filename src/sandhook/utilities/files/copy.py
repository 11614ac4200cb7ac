"""Copying of files and trees, for cp, and for mv between file systems.

Source: POSIX.1-2024 XCU 3, cp, steps 1 to 4. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import errno
import stat as bits
from dataclasses import dataclass, field

from sandhook.command.backups import Backup
from sandhook.command.context import Context
from sandhook.command.modes import mode_string
from sandhook.command.operands import (
    beneath,
    confirm,
    find,
    link_location,
    locate,
    parent_of,
    reason,
    stat_of,
)
from sandhook.kernel.descriptor import CHUNK, Description
from sandhook.record import Record
from sandhook.text.quoting import quote_always
from sandhook.vfs.base import Stat


class Policy(Record):
    """The options of a copy.

    Attributes:
        recursive: Copy directories with everything in them.
        follow: Symbolic links that are followed: "all", "operands" or "none".
        mode, times, links: What is preserved of the source (ownership cannot be, for one user).
        default_mode: New files get the default permission bits, not the source's.
        overwrite: "yes", "ask" or "no" for an existing destination.
        update: Only when the source is newer, or the destination missing.
        force: Remove a destination that cannot be opened, and try again.
        remove_first: Remove every existing destination file beforehand.
        plain: Copy the data of devices and FIFOs instead of creating devices and FIFOs.
        method: "copy", "link" or "symlink".
        verbose: Print "'a' -> 'b'".
        backup: Renames a destination that would be overwritten.
    """

    recursive: bool = False
    follow: str = "all"
    mode: bool = False
    default_mode: bool = False
    times: bool = False
    links: bool = False
    overwrite: str = "yes"
    update: bool = False
    force: bool = False
    remove_first: bool = False
    plain: bool = False
    method: str = "copy"
    verbose: bool = False
    attributes_only: bool = False
    one_file_system: bool = False
    backup: Backup | None = None


@dataclass(slots=True)
class _Directory:
    """One directory whose entries are being copied."""

    source: str
    target: str
    info: Stat
    names: list[str]
    created: bool


@dataclass(slots=True)
class Copier:
    """Copies operands under one policy, and remembers the files that it created."""

    ctx: Context
    policy: Policy
    created: dict[tuple[int, int], str] = field(default_factory=dict)  #: inode of a copy to its name
    copies: dict[tuple[int, int], str] = field(default_factory=dict)  #: inode of a source to its copy
    many_operands: bool = False  #: several operands go into one directory
    operands: set[tuple[str, str, int]] = field(default_factory=set)
    failed: bool = False
    into_itself: bool = False  #: an operand is copied into itself

    def fail(self, message: str) -> bool:
        """Report an error, and return False, which callers return in turn."""
        self.ctx.fail(message)
        self.failed = True
        return False

    def copy(self, source: str, target: str) -> bool:
        """Copy one operand, under a recursive policy with everything below it; return False after an error."""
        policy = self.policy
        failed_before = self.failed
        self.failed = False
        try:
            info = stat_of(self.ctx, source, follow=policy.follow != "none")
        except OSError as error:
            self.fail(f"cannot stat {quote_always(source)}: {reason(error)}")
        else:
            is_directory = bits.S_ISDIR(info.mode)
            if (policy.recursive or not is_directory) and self._is_repeated(source, info):
                what = "directory" if is_directory else "file"
                self.ctx.error(f"warning: source {what} {quote_always(source)} specified more than once")
                return True
            stack: list[_Directory] = []
            self._copy_file(source, target, info, stack, operand=True)
            while stack:
                self._step(stack, info.device)
        succeeded = not self.failed
        self.failed = self.failed or failed_before
        return succeeded

    def _is_repeated(self, source: str, info: Stat) -> bool:
        """Return whether an earlier operand named the same file, and remember this one."""
        if not self.many_operands:
            return False
        try:
            key = (*link_location(self.ctx, source), info.inode)
        except OSError:
            return False
        is_repeated = key in self.operands
        self.operands.add(key)
        return is_repeated

    def _step(self, stack: list[_Directory], device: int) -> None:
        """Copy the next entry of the innermost directory, or finish that directory."""
        current = stack[-1]
        if not current.names:
            stack.pop()
            if current.created or self.policy.mode or self.policy.times:
                self._attributes(current.info, current.target, new=current.created)
            return
        name = current.names.pop()
        self.ctx.charge()
        source, target = beneath(current.source, name), beneath(current.target, name)
        try:
            info = stat_of(self.ctx, source, follow=self.policy.follow == "all")
        except OSError as error:
            self.fail(f"cannot stat {quote_always(source)}: {reason(error)}")
            return
        if self.policy.one_file_system and info.device != device:
            return
        self._copy_file(source, target, info, stack, operand=False)

    def _copy_file(
        self, source: str, target: str, info: Stat, stack: list[_Directory], *, operand: bool
    ) -> bool:
        """Copy one file, or begin to copy one directory."""
        policy = self.policy
        if bits.S_ISDIR(info.mode):
            if not policy.recursive:
                return self.fail(f"-r not specified; omitting directory {quote_always(source)}")
            return self._directory(source, target, info, stack)
        try:
            existing = self._existing(target, info)
        except OSError as error:
            return self.fail(f"cannot stat {quote_always(target)}: {reason(error)}")
        if existing is not None and not self._may_replace(source, target, info, existing):
            return False
        if not self._proceed(target, info, existing):
            return True
        backup_note = ""
        if existing is not None and policy.backup is not None:
            try:
                backup_note = f" (backup: {quote_always(policy.backup(target))})"
            except OSError as error:
                return self.fail(f"cannot backup {quote_always(target)}: {reason(error)}")
        elif (
            existing is not None
            and (policy.remove_first or self._replaces(target, info, existing))
            and not self._remove(target)
        ):
            return False
        if policy.verbose:
            self.ctx.write_line(f"{quote_always(source)} -> {quote_always(target)}{backup_note}")
        if not self._create(source, target, info):
            return False
        self._remember(info, target)
        return True

    def _existing(self, target: str, info: Stat) -> Stat | None:
        """Return the status of what is at the destination; None for a dangling link that would be written through."""
        existing = find(self.ctx, target, follow=False)
        if existing is None or not bits.S_ISLNK(existing.mode) or not bits.S_ISREG(info.mode):
            return existing
        policy = self.policy
        if policy.method != "copy" or policy.remove_first or policy.backup is not None:
            return existing
        try:
            return existing if find(self.ctx, target) is not None else None
        except OSError as error:
            if error.errno == errno.ELOOP and policy.force:
                return None  # it is removed when it cannot be opened
            raise

    def _proceed(self, target: str, info: Stat, existing: Stat | None) -> bool:
        """Return whether to copy: ask the user or compare times if the policy requires it."""
        if existing is None:
            return True
        policy = self.policy
        if policy.overwrite == "no":
            return False
        if policy.update and self._mtime(target, existing) >= info.mtime_ns:
            return False
        if policy.overwrite == "ask":
            return confirm(self.ctx, overwrite_question(self.ctx, target, existing))
        return True

    def _mtime(self, target: str, existing: Stat) -> int:
        if bits.S_ISLNK(existing.mode):
            existing = find(self.ctx, target) or existing
        return existing.mtime_ns

    def _replaces(self, target: str, info: Stat, existing: Stat) -> bool:
        """Return whether the new file replaces the old one instead of being written into it."""
        policy = self.policy
        if policy.method != "copy":
            return policy.force
        if bits.S_ISDIR(existing.mode):
            return False
        if not bits.S_ISREG(info.mode):
            return policy.follow == "none"
        return policy.links and self._target_status(target, existing).links > 1

    def _remove(self, target: str) -> bool:
        """Remove a destination. Return False after an error message."""
        try:
            self.ctx.fs.unlink(locate(self.ctx, target))
        except OSError as error:
            return self.fail(f"cannot remove {quote_always(target)}: {reason(error)}")
        if self.policy.verbose and self.policy.method == "copy":
            self.ctx.write_line(f"removed {quote_always(target)}")
        return True

    def _may_replace(self, source: str, target: str, info: Stat, existing: Stat) -> bool:
        """Return False, after an error message, if the destination must not be overwritten."""
        real = existing
        if bits.S_ISLNK(existing.mode) and self.policy.follow != "none":
            real = self._target_status(target, existing)
        if (real.device, real.inode) == (info.device, info.inode) and self.policy.overwrite != "no":
            linked = bits.S_ISLNK(existing.mode) and self.policy.remove_first
            if not linked and not (self.policy.method == "link" and existing.inode == info.inode):
                return self.fail(f"{quote_always(source)} and {quote_always(target)} are the same file")
        if bits.S_ISDIR(
            self._target_status(target, existing).mode if not bits.S_ISLNK(info.mode) else existing.mode
        ):
            return self.fail(f"cannot overwrite directory {quote_always(target)} with non-directory")
        created_name = self.created.get((existing.device, existing.inode))
        if created_name is not None and self.policy.overwrite != "no" and self.policy.method == "copy":
            return self.fail(
                f"will not overwrite just-created {quote_always(target)} with {quote_always(source)}"
            )
        return True

    def _target_status(self, target: str, existing: Stat) -> Stat:
        try:
            return stat_of(self.ctx, target)
        except OSError:
            return existing

    def _remember(self, info: Stat, target: str) -> None:
        copy = find(self.ctx, target, follow=False)
        if copy is not None:
            self.created[copy.device, copy.inode] = target
        if self.policy.links and info.links > 1:
            self.copies.setdefault((info.device, info.inode), target)

    # One file.

    def _create(self, source: str, target: str, info: Stat) -> bool:
        policy, fs = self.policy, self.ctx.fs
        kind = bits.S_IFMT(info.mode)
        linked = self.copies.get((info.device, info.inode)) if policy.links else None
        try:
            if linked is not None or policy.method == "link":
                path = locate(self.ctx, linked or source)
                fs.link(
                    path if kind == bits.S_IFLNK or linked else fs.realpath(path), locate(self.ctx, target)
                )
                return True
            if policy.method == "symlink":
                if source[:1] != "/" and not self._is_in_working_directory(target):
                    return self.fail(f"{target}: can make relative symbolic links only in current directory")
                fs.symlink(source, locate(self.ctx, target))
                return True
        except OSError as error:
            what = "symbolic link" if policy.method == "symlink" and linked is None else "hard link"
            pair = f"{quote_always(target)} to {quote_always(linked or source)}"
            return self.fail(f"cannot create {what} {pair}: {reason(error)}")
        if kind == bits.S_IFLNK:
            return self._link(source, target, info)
        if kind == bits.S_IFREG or policy.plain:
            return self._contents(source, target, info)
        return self._special(target, info)

    def _is_in_working_directory(self, target: str) -> bool:
        """Return whether the parent of a file is the working directory."""
        parent = parent_of(target)
        fs = self.ctx.fs
        return parent == "." or fs.realpath(self.ctx.path(parent)) == fs.realpath(self.ctx.process.cwd)

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
        """Copy the data; a new file gets the source's permission bits without those of the umask."""
        ctx = self.ctx
        process = ctx.process
        try:
            input_ = process.open(source)
        except OSError as error:
            return self.fail(f"cannot open {quote_always(source)} for reading: {reason(error)}")
        exists = ctx.fs.exists(ctx.path(target))
        try:
            try:
                opened = self._open_target(target, exists)
            except OSError as error:
                if not exists and find_dangling(ctx, target):
                    return self.fail(f"not writing through dangling symlink {quote_always(target)}")
                problem = reason(error)
                if target[-1:] == "/" and ctx.fs.is_dir(
                    ctx.path(target.rstrip("/").rpartition("/")[0] or ".")
                ):
                    problem = "Not a directory"
                return self.fail(f"cannot create regular file {quote_always(target)}: {problem}")
            if opened is None:
                return False
            output, new = opened
            try:
                while not self.policy.attributes_only and (data := input_.read(CHUNK)):
                    ctx.charge(1 + (len(data) >> 10))
                    output.write(data)
            except OSError as error:
                return self.fail(f"error writing {quote_always(target)}: {reason(error)}")
            finally:
                output.release()
        finally:
            input_.release()
        self._attributes(info, target, new=new)
        return True

    def _open_target(self, target: str, exists: bool) -> tuple[Description, bool] | None:
        """Open the destination. Return its description, and whether the file is new, or None after an error message."""
        ctx = self.ctx
        locate(ctx, target)
        if not exists and find_dangling(ctx, target):
            raise FileNotFoundError(2, "No such file or directory")
        truncate = not self.policy.attributes_only
        try:
            output = ctx.process.open(target, read=False, write=True, create=True, truncate=truncate)
        except OSError as error:
            if not self.policy.force or not (exists or error.errno == errno.ELOOP):
                raise
            if not self._remove(target):
                return None
            output = ctx.process.open(target, read=False, write=True, create=True, exclusive=True)
            return output, True
        return output, not exists

    def _attributes(self, info: Stat, target: str, *, new: bool) -> None:
        """Set the permission bits and times of a copy according to the policy."""
        ctx = self.ctx
        path = ctx.path(target)
        try:
            if self.policy.times:
                ctx.fs.utime(path, info.atime_ns, info.mtime_ns)
            if self.policy.mode:
                ctx.fs.chmod(path, info.mode & 0o7777)
            elif new:
                mode = info.mode & 0o777
                if self.policy.default_mode:
                    mode = 0o777 if bits.S_ISDIR(info.mode) else 0o666
                ctx.fs.chmod(path, mode & ~ctx.process.umask)
        except OSError as error:
            if self.policy.mode or self.policy.times:
                self.fail(f"preserving permissions for {quote_always(target)}: {reason(error)}")

    # Directories.

    def _directory(self, source: str, target: str, info: Stat, stack: list[_Directory]) -> bool:
        ctx = self.ctx
        try:
            existing = find(ctx, target)
            dangling = existing is None and find(ctx, target, follow=False) is not None
        except OSError as error:
            return self.fail(f"cannot stat {quote_always(target)}: {reason(error)}")
        if dangling or (existing is not None and not bits.S_ISDIR(existing.mode)):
            return self.fail(
                f"cannot overwrite non-directory {quote_always(target)} with directory {quote_always(source)}"
            )
        if (
            not stack
            and existing is not None
            and (existing.device, existing.inode) == (info.device, info.inode)
        ):
            return self.fail(f"{quote_always(source)} and {quote_always(target)} are the same file")
        if not stack:
            self.into_itself = self._is_within(info, target)
            if self.into_itself:  # the other entries are still copied
                self.fail(
                    f"cannot copy a directory, {quote_always(source)}, into itself, {quote_always(target)}"
                )
        if (info.device, info.inode) in self.created and (self.into_itself or existing is None):
            return True  # the walk reached the copy itself
        if self.policy.follow == "all" and any(
            (each.info.device, each.info.inode) == (info.device, info.inode) for each in stack
        ):
            return self.fail(f"cannot copy cyclic symbolic link {quote_always(source)}")
        if existing is None:
            try:
                ctx.fs.mkdir(locate(ctx, target), info.mode & 0o777 & ~ctx.process.umask | 0o700)
            except OSError as error:
                return self.fail(f"cannot create directory {quote_always(target)}: {reason(error)}")
            if self.policy.verbose:
                ctx.write_line(f"{quote_always(source)} -> {quote_always(target)}")
        if existing is None or (self.into_itself and not stack):
            copy = stat_of(ctx, target)
            self.created[copy.device, copy.inode] = target
        try:
            names = [entry.name for entry in ctx.fs.listdir(ctx.path(source))]
        except OSError as error:
            if existing is None:
                self._attributes(info, target, new=True)
            return self.fail(f"cannot access {quote_always(source)}: {reason(error)}")
        names.reverse()
        stack.append(_Directory(source, target, info, names, existing is None))
        return True

    def _is_within(self, info: Stat, target: str) -> bool:
        """Return whether ``target`` is inside the directory with the status ``info``."""
        ctx = self.ctx
        try:
            path = ctx.fs.realpath(ctx.path(parent_of(target)))
            while True:
                ctx.charge()
                ancestor = ctx.fs.stat(path)
                if (ancestor.device, ancestor.inode) == (info.device, info.inode):
                    return True
                if path == "/":
                    return False
                path = type(path)(path.rpartition("/")[0] or "/")
        except OSError:
            return False


def find_dangling(ctx: Context, name: str) -> bool:
    """Return whether a name is a symbolic link without a target."""
    try:
        info = find(ctx, name, follow=False)
        return info is not None and bits.S_ISLNK(info.mode) and find(ctx, name) is None
    except OSError:
        return False


def overwrite_question(ctx: Context, target: str, existing: Stat) -> str:
    """Return the question that cp -i and mv -i ask before they overwrite."""
    if bits.S_ISLNK(existing.mode) or ctx.fs.access(ctx.path(target), 2):
        return f"overwrite {quote_always(target)}?"
    mode = mode_string(existing.mode)[1:]
    return f"replace {quote_always(target)}, overriding mode {existing.mode & 0o7777:04o} ({mode})?"
