"""install: copy files and set their permission bits, or create directories.

Oracle: GNU coreutils 9.1.
Divergence: L-INSTALL-001, -s needs --strip-program, because there is no strip.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Sequence

from sandhook.command.accounts import change_owner, group_number, user_number
from sandhook.command.backups import backup_of, backup_option, suffix_option
from sandhook.command.context import Context, Failure
from sandhook.command.modes import Mode
from sandhook.command.operands import find, is_directory, link_location, reason, stat_of
from sandhook.command.options import UsageError, opt, option_set
from sandhook.text.quoting import quote_always
from sandhook.utilities.files.security import context_option, warn_of_context
from sandhook.utilities.files.targets import pairs
from sandhook.vfs.base import Stat


@option_set
class Options:
    """install [OPTION]... [-T] SOURCE DEST
      or:  install [OPTION]... SOURCE... DIRECTORY
      or:  install [OPTION]... -t DIRECTORY SOURCE...
      or:  install [OPTION]... -d DIRECTORY...

    Copy each SOURCE with the permission bits MODE (755), or create each DIRECTORY with its parents.
    """

    backup: str | None = backup_option()
    suffix: str | None = suffix_option()
    compare: bool = opt("-C", "--compare", help="do not copy to a DEST that is already the same")
    ignored: bool = opt("-c", ignored="as GNU install does")
    directory: bool = opt("-d", "--directory", help="create directories")
    parents: bool = opt("-D", help="create the parent directories of DEST")
    group: str | None = opt("-g", "--group", "GROUP", "the group of new files")
    mode: str | None = opt("-m", "--mode", "MODE", "the permission bits, instead of rwxr-xr-x")
    owner: str | None = opt("-o", "--owner", "OWNER", "the owner of new files")
    times: bool = opt("-p", "--preserve-timestamps", help="set the times of DEST to those of SOURCE")
    strip: bool = opt("-s", "--strip", help="run strip on each copy")
    strip_program: str | None = opt("--strip-program", "PROGRAM", "the program that -s runs instead of strip")
    target: str | None = opt("-t", "--target-directory", "DIRECTORY", "copy into DIRECTORY")
    plain: bool = opt(
        "-T", "--no-target-directory", help="treat DEST as a file, never as a directory to copy into"
    )
    verbose: bool = opt("-v", "--verbose", help="print each new file")
    context: str | None = context_option()
    keep_context: bool = opt(
        "--preserve-context",
        help="keep the security context: prints a warning, because contexts are not supported",
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be installed."""
    if options.keep_context:
        ctx.error("WARNING: ignoring --preserve-context; this kernel is not SELinux-enabled")
    warn_of_context(ctx, options.context, "SELinux")
    if options.directory and options.strip:
        raise Failure("the strip option may not be used when installing a directory")
    if options.directory and options.target is not None:
        raise Failure("target directory not allowed when installing a directory")
    try:
        mode = Mode("755" if options.mode is None else options.mode)
    except ValueError:
        raise Failure(f"invalid mode {quote_always(options.mode or '')}") from None
    if options.strip_program is not None and not options.strip:
        ctx.error("WARNING: ignoring --strip-program option as -s option was not specified")
    installer = _Installer(options, mode, ctx)
    if not operands:
        raise UsageError("missing file operand")
    if options.directory:
        for name in operands:
            installer.make(name)
        return ctx.failed
    if options.plain and options.target is not None:
        raise Failure("cannot combine --target-directory (-t) and --no-target-directory (-T)")
    if options.parents and options.target is not None:
        installer.make_parents(options.target)
    if options.target is not None and not is_directory(ctx, options.target):
        _target_error(ctx, options.target)
    copies = list(pairs(ctx, operands, options.target, options.plain or (
        options.target is None and options.parents and len(operands) == 2 and not is_directory(ctx, operands[-1])
    )))  # fmt: skip
    for source, target in copies:
        ctx.charge()
        if options.parents and options.target is None and "/" in target.rstrip("/"):
            installer.make_parents(target.rstrip("/").rpartition("/")[0] or "/")
        installer.copy(source, target)
    return ctx.failed


def _target_error(ctx: Context, name: str) -> None:
    try:
        stat_of(ctx, name)
    except OSError as error:
        raise Failure(f"failed to access {quote_always(name)}: {reason(error)}") from None
    raise Failure(f"failed to access {quote_always(name)}: Not a directory")


class _Installer:
    """Creates files and directories with their permission bits and owners. Raises Failure for unknown owners."""

    def __init__(self, options: Options, mode: Mode, ctx: Context) -> None:
        self.options = options
        self.mode = mode
        self.ctx = ctx
        self.backup = backup_of(options.backup, options.suffix, ctx)
        self.uid = self.gid = -1
        if options.owner is not None:
            user = user_number(ctx, options.owner)
            if user is None:
                raise Failure(f"invalid user {quote_always(options.owner)}")
            self.uid = user[0]
        if options.group is not None:
            group = group_number(ctx, options.group)
            if group is None:
                raise Failure(f"invalid group {quote_always(options.group)}")
            self.gid = group

    def make(self, name: str) -> None:
        """Create a directory of -d with its parents, and set its permission bits."""
        if self.make_parents(name):
            self._finish(name, directory=True)

    def make_parents(self, name: str) -> bool:
        """Create the missing directories of a path, each with rwxr-xr-x."""
        end = len(name.rstrip("/")) or 1
        for index in (*(i for i in range(1, end) if name[i] == "/" and name[i - 1] != "/"), len(name)):
            part = name[:index]
            self.ctx.charge()
            if is_directory(self.ctx, part):
                continue
            try:
                if not name:
                    stat_of(self.ctx, name)
                self.ctx.fs.mkdir(self.ctx.path(part), 0o755)
            except OSError as error:
                self.ctx.fail(f"cannot create directory {quote_always(part)}: {reason(error)}")
                return False
            if self.options.verbose:
                self.ctx.write_line(f"{self.ctx.name}: creating directory {quote_always(part)}")
        return True

    def copy(self, source: str, target: str) -> None:
        """Copy one file, and set the permission bits, owner and times of the copy."""
        ctx = self.ctx
        try:
            info = stat_of(ctx, source)
        except OSError as error:
            ctx.fail(f"cannot stat {quote_always(source)}: {reason(error)}")
            return
        if bits.S_ISDIR(info.mode):
            ctx.fail(f"omitting directory {quote_always(source)}")
            return
        try:
            existing = find(ctx, target, follow=False)
        except OSError as error:
            ctx.fail(f"cannot stat {quote_always(target)}: {reason(error)}")
            return
        if existing is not None:
            if bits.S_ISDIR(existing.mode):
                ctx.fail(f"cannot overwrite directory {quote_always(target)} with non-directory")
                return
            same = (existing.device, existing.inode) == (info.device, info.inode)
            if same and (info.links < 2 or link_location(ctx, source) == link_location(ctx, target)):
                ctx.fail(f"{quote_always(source)} and {quote_always(target)} are the same file")
                return
            if self.options.compare and self._same(source, target, info, existing):
                return
        if self._contents(source, target, existing is not None) and self._strip(target):
            self._finish(target, directory=False, times=info if self.options.times else None)

    def _strip(self, target: str) -> bool:
        """Run the program of -s on a copy, and remove the copy if the program fails."""
        if not self.options.strip:
            return True
        ctx, program = self.ctx, self.options.strip_program or "strip"
        ctx.flush()
        status = ctx.run_command([program, target])
        if status:
            ctx.fail("strip process terminated abnormally")
            ctx.fs.unlink(ctx.path(target))
        return not status

    def _same(self, source: str, target: str, info: Stat, existing: Stat) -> bool:
        if not bits.S_ISREG(existing.mode) or info.size != existing.size:
            return False
        if existing.mode & 0o7777 != self.mode.apply(0, 0):
            return False
        with self.ctx.open(source) as left, self.ctx.open(target) as right:
            return left.read_all() == right.read_all()

    def _contents(self, source: str, target: str, replace: bool) -> bool:
        """Copy the data into a new file, so that the target of an existing link does not change."""
        ctx = self.ctx
        try:
            reader = ctx.open(source)
        except OSError as error:
            ctx.fail(f"cannot open {quote_always(source)} for reading: {reason(error)}")
            return False
        with reader:
            try:
                backup_note = ""
                if replace and self.backup is not None:
                    backup_note = f" (backup: {quote_always(self.backup(target))})"
                elif replace:
                    ctx.fs.unlink(ctx.path(target))
                    if self.options.verbose:
                        ctx.write_line(f"removed {quote_always(target)}")
                output = ctx.create(target)
            except OSError as error:
                what = "cannot remove" if replace else "cannot create regular file"
                problem = reason(error)
                if target[-1:] == "/" and isinstance(error, IsADirectoryError):
                    problem = "Not a directory"
                ctx.fail(f"{what} {quote_always(target)}: {problem}")
                return False
            if self.options.verbose:
                ctx.write_line(f"{quote_always(source)} -> {quote_always(target)}{backup_note}")
            try:
                for data in reader.chunks():
                    output.write(data)
            except OSError as error:
                ctx.fail(f"error writing {quote_always(target)}: {reason(error)}")
                return False
            finally:
                output.release()
        return True

    def _finish(self, name: str, *, directory: bool, times: Stat | None = None) -> None:
        ctx = self.ctx
        path = ctx.path(name)
        wanted = self.mode.apply(0, 0, directory=directory)
        try:
            # A directory that has the bits already may be another user's.
            if not directory or ctx.fs.stat(path).mode & 0o7777 != wanted:
                ctx.fs.chmod(path, wanted)
            if times is not None:
                ctx.fs.utime(path, times.atime_ns, times.mtime_ns)
        except OSError as error:
            ctx.fail(f"cannot change permissions of {quote_always(name)}: {reason(error)}")
            return
        try:
            change_owner(ctx, name, stat_of(ctx, name), self.uid, self.gid)
        except OSError as error:
            ctx.fail(f"cannot change ownership of {quote_always(name)}: {reason(error)}")
