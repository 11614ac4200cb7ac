"""install: copy files and set their bits, or make directories.

Oracle: GNU coreutils 9.1.
Divergence: L-INSTALL-001, there is no strip for -s but one that --strip-program names.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Sequence

from sandhook.command.accounts import change_owner, group_number, user_number
from sandhook.command.context import Context, Failure
from sandhook.command.modes import Mode
from sandhook.command.operands import find, is_directory, reason, stat_of
from sandhook.command.options import UsageError, opt, option_set
from sandhook.text.quoting import quote_always
from sandhook.utilities.files.backup import backup_of, backup_option, suffix_option
from sandhook.utilities.files.security import context_option, warn_of_context
from sandhook.utilities.files.targets import pairs
from sandhook.vfs.base import Stat


@option_set
class Options:
    """install [-CDTpsv] [-m MODE] SOURCE DEST | install SOURCE... DIRECTORY | install -d DIRECTORY...

    Copy each SOURCE with the bits of MODE (755), or make each DIRECTORY with its parents.
    """

    backup: str | None = backup_option()
    suffix: str | None = suffix_option()
    compare: bool = opt("-C", "--compare", help="leave a DEST alone that is the same already")
    ignored: bool = opt("-c", ignored="as GNU install does")
    directory: bool = opt("-d", "--directory", help="make directories")
    parents: bool = opt("-D", help="make the directories on the way to DEST")
    group: str | None = opt("-g", "--group", "GROUP", "the group of what is made")
    mode: str | None = opt("-m", "--mode", "MODE", "the permission bits, instead of rwxr-xr-x")
    owner: str | None = opt("-o", "--owner", "OWNER", "the owner of what is made")
    times: bool = opt("-p", "--preserve-timestamps", help="give DEST the times of SOURCE")
    strip: bool = opt("-s", "--strip", help="run strip on each copy")
    stripper: str | None = opt("--strip-program", "PROGRAM", "what -s runs, instead of strip")
    target: str | None = opt("-t", "--target-directory", "DIRECTORY", "copy into DIRECTORY")
    plain: bool = opt("-T", "--no-target-directory", help="DEST is no directory to copy into")
    verbose: bool = opt("-v", "--verbose", help="say what is made")
    context: str | None = context_option()
    keep_context: bool = opt(
        "--preserve-context",
        help="keep the security context: there are no contexts, and a warning is printed",
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when something could not be installed."""
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
    if options.stripper is not None and not options.strip:
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
        installer.on_the_way(options.target)
    if options.target is not None and not is_directory(ctx, options.target):
        _refuse_target(ctx, options.target)
    chosen = list(pairs(ctx, operands, options.target, options.plain or (
        options.target is None and options.parents and len(operands) == 2 and not is_directory(ctx, operands[-1])
    )))  # fmt: skip
    for source, target in chosen:
        ctx.charge()
        if options.parents and options.target is None and "/" in target.rstrip("/"):
            installer.on_the_way(target.rstrip("/").rpartition("/")[0] or "/")
        installer.copy(source, target)
    return ctx.failed


def _place(ctx: Context, name: str) -> tuple[str, str]:
    """Return the directory and the name in it: what is equal for one link of a file only."""
    above, slash, last = name.rstrip("/").rpartition("/")
    return ctx.fs.realpath(ctx.path((above or "/") if slash else ".")), last


def _refuse_target(ctx: Context, name: str) -> None:
    try:
        stat_of(ctx, name)
    except OSError as error:
        raise Failure(f"failed to access {quote_always(name)}: {reason(error)}") from None
    raise Failure(f"failed to access {quote_always(name)}: Not a directory")


class _Installer:
    """What one call of install makes, and with which bits and owners. Raises Failure for unknown owners."""

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
        """Make a directory of -d with all on the way, and give it its bits."""
        if self.on_the_way(name):
            self._finish(name, directory=True)

    def on_the_way(self, name: str) -> bool:
        """Make what is missing of a path; they all get rwxr-xr-x."""
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
        """Copy one file and give the copy its bits, owner and times."""
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
            there = find(ctx, target, follow=False)
        except OSError as error:
            ctx.fail(f"cannot stat {quote_always(target)}: {reason(error)}")
            return
        if there is not None:
            if bits.S_ISDIR(there.mode):
                ctx.fail(f"cannot overwrite directory {quote_always(target)} with non-directory")
                return
            same = (there.device, there.inode) == (info.device, info.inode)
            if same and (info.links < 2 or _place(ctx, source) == _place(ctx, target)):
                ctx.fail(f"{quote_always(source)} and {quote_always(target)} are the same file")
                return
            if self.options.compare and self._same(source, target, info, there):
                return
        if self._contents(source, target, there is not None) and self._strip(target):
            self._finish(target, directory=False, times=info if self.options.times else None)

    def _strip(self, target: str) -> bool:
        """Run the program of -s on a copy, which goes when the program fails."""
        if not self.options.strip:
            return True
        ctx, program = self.ctx, self.options.stripper or "strip"
        ctx.flush()
        status = ctx.run_command([program, target])
        if status:
            ctx.fail("strip process terminated abnormally")
            ctx.fs.unlink(ctx.path(target))
        return not status

    def _same(self, source: str, target: str, info: Stat, there: Stat) -> bool:
        if not bits.S_ISREG(there.mode) or info.size != there.size:
            return False
        if there.mode & 0o7777 != self.mode.apply(0, 0):
            return False
        with self.ctx.open(source) as left, self.ctx.open(target) as right:
            return left.read_all() == right.read_all()

    def _contents(self, source: str, target: str, replaced: bool) -> bool:
        """Copy the bytes into a new file: what a link of the old name leads to stays as it is."""
        ctx = self.ctx
        try:
            reader = ctx.open(source)
        except OSError as error:
            ctx.fail(f"cannot open {quote_always(source)} for reading: {reason(error)}")
            return False
        with reader:
            try:
                kept = ""
                if replaced and self.backup is not None:
                    kept = f" (backup: {quote_always(self.backup(target))})"
                elif replaced:
                    ctx.fs.unlink(ctx.path(target))
                    if self.options.verbose:
                        ctx.write_line(f"removed {quote_always(target)}")
                out = ctx.create(target)
            except OSError as error:
                what = "cannot remove" if replaced else "cannot create regular file"
                why = reason(error)
                if target[-1:] == "/" and isinstance(error, IsADirectoryError):
                    why = "Not a directory"
                ctx.fail(f"{what} {quote_always(target)}: {why}")
                return False
            if self.options.verbose:
                ctx.write_line(f"{quote_always(source)} -> {quote_always(target)}{kept}")
            try:
                for data in reader.chunks():
                    out.write(data)
            except OSError as error:
                ctx.fail(f"error writing {quote_always(target)}: {reason(error)}")
                return False
            finally:
                out.release()
        return True

    def _finish(self, name: str, *, directory: bool, times: Stat | None = None) -> None:
        ctx = self.ctx
        path = ctx.path(name)
        try:
            ctx.fs.chmod(path, self.mode.apply(0, 0, directory=directory))
            if times is not None:
                ctx.fs.utime(path, times.atime_ns, times.mtime_ns)
        except OSError as error:
            ctx.fail(f"cannot change permissions of {quote_always(name)}: {reason(error)}")
            return
        try:
            change_owner(ctx, name, stat_of(ctx, name), self.uid, self.gid)
        except OSError as error:
            ctx.fail(f"cannot change ownership of {quote_always(name)}: {reason(error)}")
