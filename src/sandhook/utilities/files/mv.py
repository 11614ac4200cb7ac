"""mv: rename files, or move them between file systems.

Source: POSIX.1-2024 XCU 3, mv. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import errno
import stat as bits
from collections.abc import Sequence

from sandhook.command.backups import backup_of, backup_option, suffix_option
from sandhook.command.context import Context
from sandhook.command.operands import confirm, find, locate, reason, stat_of
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.text.quoting import quote_always
from sandhook.utilities.files import rm
from sandhook.utilities.files.copy import Copier, Policy, overwrite_question
from sandhook.utilities.files.targets import pairs, stripped
from sandhook.vfs.base import Stat
from sandhook.vfs.errors import TEXTS


@option_set
class Options:
    """mv [OPTION]... [-T] SOURCE DEST
      or:  mv [OPTION]... SOURCE... DIRECTORY
      or:  mv [OPTION]... -t DIRECTORY SOURCE...

    Rename SOURCE to DEST, or move each SOURCE into DIRECTORY.
    """

    overwrite: str = also(
        opt("-f", "--force", help="do not ask before overwriting", const="force", default="yes"),
        opt("-i", "--interactive", help="ask before overwriting", const="ask"),
        opt("-n", "--no-clobber", help="do not overwrite", const="no"),
    )
    backup: str | None = backup_option()
    suffix: str | None = suffix_option()
    strip: bool = opt("--strip-trailing-slashes", "remove slashes at the end of each SOURCE")
    directory: str | None = opt("-t", "--target-directory", "DIRECTORY", "move into DIRECTORY")
    no_directory: bool = opt(
        "-T", "--no-target-directory", "treat DEST as a file, never as a directory to move into"
    )
    context: bool = opt("-Z", "--context", help="the default security context: accepted, without effect")
    update: bool = opt("-u", "--update", "only when SOURCE is newer than DEST, or DEST is missing")
    verbose: bool = opt("-v", "--verbose", "print each move")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be moved; the other files are still moved."""
    backup = backup_of(options.backup, options.suffix, ctx)
    if backup is not None and options.overwrite == "no":
        raise UsageError("options --backup and --no-clobber are mutually exclusive")
    created: dict[tuple[int, int], str] = {}
    for source, target in pairs(ctx, operands, options.directory, options.no_directory, options.strip):
        ctx.charge()
        if options.strip and source[-1:] == "/":  # the rename sees the slash, the message does not
            source = stripped(source)
            if not ctx.fs.is_dir(ctx.path(source)) and find(ctx, source, follow=False) is not None:
                names = f"{quote_always(source)} to {quote_always(target)}"
                ctx.fail(f"cannot move {names}: {TEXTS[errno.ENOTDIR]}")
                continue
        try:
            info = stat_of(ctx, source, follow=False)
        except OSError as error:
            ctx.fail(f"cannot stat {quote_always(source)}: {reason(error)}")
            continue
        if _may_move(source, target, info, options, ctx, created, kept=backup is not None):
            backup_note = ""
            if backup is not None and find(ctx, target, follow=False) is not None:
                try:
                    backup_note = f" (backup: {quote_always(backup(target))})"
                except OSError as error:
                    ctx.fail(f"cannot backup {quote_always(target)}: {reason(error)}")
                    continue
            _move(source, target, info, options, ctx, backup_note)
            moved = None if ctx.failed else find(ctx, target, follow=False)
            if moved is not None:
                created[moved.device, moved.inode] = target
    return ctx.failed


def _leads_to(link: str, target: str, existing: Stat, ctx: Context) -> bool:
    """Return True if a symbolic link leads to the target, whose data a rename would lose."""
    found = find(ctx, link)
    if found is None or (found.device, found.inode) != (existing.device, existing.inode):
        return False
    return existing.links == 1 or ctx.fs.realpath(ctx.path(link)) == ctx.fs.realpath(ctx.path(target))


def _may_move(
    source: str,
    target: str,
    info: Stat,
    options: Options,
    ctx: Context,
    created: dict[tuple[int, int], str],
    *,
    kept: bool,
) -> bool:
    """Return whether to move; ask the user or compare times if the options require it, and report errors."""
    try:
        existing = find(ctx, target, follow=False)
    except OSError as error:
        ctx.fail(f"cannot stat {quote_always(target)}: {reason(error)}")
        return False
    if existing is None:
        return True
    if options.overwrite == "no":
        return False
    both = f"{quote_always(source)} and {quote_always(target)}"
    same = (existing.device, existing.inode) == (info.device, info.inode)  # also two hard links
    if same or (bits.S_ISLNK(info.mode) and not kept and _leads_to(source, target, existing, ctx)):
        ctx.fail(f"{both} are the same file")
        return False
    if options.update and existing.mtime_ns >= info.mtime_ns and not bits.S_ISDIR(info.mode):
        return False
    if options.overwrite == "ask" and not confirm(ctx, overwrite_question(ctx, target, existing)):
        return False
    if not kept and bits.S_ISDIR(existing.mode) and not bits.S_ISDIR(info.mode):
        ctx.fail(f"cannot overwrite directory {quote_always(target)} with non-directory")
        return False
    if not kept and bits.S_ISDIR(info.mode) and not bits.S_ISDIR(existing.mode):
        ctx.fail(
            f"cannot overwrite non-directory {quote_always(target)} with directory {quote_always(source)}"
        )
        return False
    if (existing.device, existing.inode) in created:
        ctx.fail(f"will not overwrite just-created {quote_always(target)} with {quote_always(source)}")
        return False
    return True


def _move(source: str, target: str, info: Stat, options: Options, ctx: Context, backup_note: str) -> None:
    fs = ctx.fs
    try:
        fs.rename(locate(ctx, source), locate(ctx, target))
    except OSError as error:
        if error.errno == errno.EXDEV:
            _copy_and_remove(source, target, info, options, ctx)
        elif error.errno == errno.EINVAL:
            ctx.fail(
                f"cannot move {quote_always(source)} to a subdirectory of itself, {quote_always(target)}"
            )
        else:
            ctx.fail(f"cannot move {quote_always(source)} to {quote_always(target)}: {reason(error)}")
        return
    if options.verbose:
        ctx.write_line(f"renamed {quote_always(source)} -> {quote_always(target)}{backup_note}")


def _copy_and_remove(source: str, target: str, info: Stat, options: Options, ctx: Context) -> None:
    """Move between mounts; the source is removed only after all of it has been copied."""
    policy = Policy(
        recursive=True, follow="none", mode=True, times=True, links=True, remove_first=True, verbose=False
    )
    existing = find(ctx, target, follow=False)
    if existing is not None and bits.S_ISDIR(existing.mode):
        try:
            ctx.fs.rmdir(locate(ctx, target))
        except OSError as error:
            ctx.fail(
                f"inter-device move failed: {quote_always(source)} to {quote_always(target)}; "
                f"unable to remove target: {reason(error)}"
            )
            return
    if options.verbose:
        ctx.write_line(f"copied {quote_always(source)} -> {quote_always(target)}")
    if Copier(ctx, policy).copy(source, target):
        rm.remove(source, info, ctx, verbose=options.verbose)
