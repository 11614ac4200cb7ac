"""ln: create links.

Source: POSIX.1-2024 XCU 3, ln. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Sequence

from sandhook.command.backups import backup_of, backup_option, suffix_option
from sandhook.command.context import Context
from sandhook.command.links import relative_to, resolve
from sandhook.command.operands import (
    confirm,
    find,
    is_link,
    link_location,
    locate,
    parent_of,
    reason,
    stat_of,
)
from sandhook.command.options import also, opt, option_set
from sandhook.text.quoting import quote_always
from sandhook.utilities.files.targets import pairs
from sandhook.vfs.path import VirtualPath


@option_set
class Options:
    """ln [OPTION]... [-T] TARGET LINK_NAME
      or:  ln [OPTION]... TARGET
      or:  ln [OPTION]... TARGET... DIRECTORY
      or:  ln [OPTION]... -t DIRECTORY TARGET...

    Create LINK as a link to TARGET, or links in DIRECTORY (the working directory if it is omitted).
    """

    backup: str | None = backup_option()
    suffix: str | None = suffix_option()
    hard: bool = opt(
        "-d", "-F", "--directory", "try hard links to directories, which only a superuser could make"
    )
    replace: str = also(
        opt("-f", "--force", help="remove an existing LINK", const="force", default="no"),
        opt("-i", "--interactive", help="ask before removing an existing LINK", const="ask"),
    )
    follow: bool = also(
        opt("-L", "--logical", help="hard link to the target of a symbolic link", const=True, default=False),
        opt("-P", "--physical", help="hard link to a symbolic link itself (default)", const=False),
    )
    no_dereference: bool = opt(
        "-n", "--no-dereference", "treat a LINK that is a link to a directory as a file"
    )
    relative: bool = opt("-r", "--relative", "with -s, make TARGET relative to LINK")
    symbolic: bool = opt("-s", "--symbolic", "symbolic links instead of hard ones")
    directory: str | None = opt("-t", "--target-directory", "DIRECTORY", "create the links in DIRECTORY")
    no_directory: bool = opt(
        "-T", "--no-target-directory", "treat LINK as a file, never as a directory for links"
    )
    verbose: bool = opt("-v", "--verbose", "print each link")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a link could not be created."""
    if options.relative and not options.symbolic:
        ctx.error("cannot do --relative without --symbolic")
        return 1
    if len(operands) == 1 and options.directory is None and not options.no_directory:
        operands = [operands[0], "."]
    if len(operands) == 2 and options.no_dereference and is_link(ctx, operands[1]):
        _link(operands[0], operands[1], options, ctx)
        return ctx.failed
    created: set[tuple[int, int]] = set()
    for target, link in pairs(ctx, operands, options.directory, options.no_directory, accesses=True):
        ctx.charge()
        if link[-1:] == "/" and options.directory is None and (options.symbolic or _is_linkable(ctx, target)):
            kind = "symbolic" if options.symbolic else "hard"
            try:
                problem = "Not a directory" if find(ctx, link.rstrip("/")) else "No such file or directory"
            except OSError as error:
                problem = reason(error)
            to = "" if options.symbolic else f" => {quote_always(target)}"
            ctx.fail(f"failed to create {kind} link {quote_always(link)}{to}: {problem}")
            continue
        _link(target, link, options, ctx, created)
    return ctx.failed


def _is_linkable(ctx: Context, name: str) -> bool:
    """Return whether a file exists and is not a directory."""
    try:
        return not bits.S_ISDIR(stat_of(ctx, name, follow=False).mode)
    except OSError:
        return False


def _link(
    target: str, link: str, options: Options, ctx: Context, created: set[tuple[int, int]] | None = None
) -> None:
    kind = "symbolic" if options.symbolic else "hard"
    try:
        if not options.symbolic:
            info = stat_of(ctx, target, follow=options.follow)
            if bits.S_ISDIR(info.mode) and options.hard:
                ctx.fail(
                    f"failed to create hard link {quote_always(link)} => {quote_always(target)}: Operation not permitted"
                )
                return
            if bits.S_ISDIR(info.mode):
                ctx.fail(f"{target}: hard link not allowed for directory")
                return
    except OSError as error:
        ctx.fail(f"failed to access {quote_always(target)}: {reason(error)}")
        return
    link_target = target
    try:
        backup_name: str | None = ""
        if options.replace != "no" or options.backup or options.suffix:
            backup_name = _remove_existing(target, link, options, ctx, created)
            if backup_name is None:
                return
        path = locate(ctx, link)
        if options.symbolic:
            link_target = _relative(target, link, ctx) if options.relative else target
            ctx.fs.symlink(link_target, path)
        else:
            old = locate(ctx, target)
            ctx.fs.link(ctx.fs.realpath(old) if options.follow else old, path)
        if created is not None:
            link_info = ctx.fs.stat(path, follow=False)
            created.add((link_info.device, link_info.inode))
    except OSError as error:
        short = options.symbolic or isinstance(error, FileExistsError)
        to = "" if short else f" => {quote_always(target)}"
        if options.symbolic and not link_target:
            to = " -> ''"
        ctx.fail(f"failed to create {kind} link {quote_always(link)}{to}: {reason(error)}")
        return
    if options.verbose:
        arrow = "->" if options.symbolic else "=>"
        prefix = f"{quote_always(backup_name)} ~ " if backup_name else ""
        ctx.write_line(f"{prefix}{quote_always(link)} {arrow} {quote_always(link_target)}")


def _remove_existing(
    target: str, link: str, options: Options, ctx: Context, created: set[tuple[int, int]] | None
) -> str | None:
    """Remove an existing link (-f, -i), or back it up.

    Returns:
        The name of the backup, "" without one; None when the link is kept, so that no link must be created.
    """
    existing = find(ctx, link, follow=False)
    if existing is None:
        return ""
    if bits.S_ISDIR(existing.mode):
        ctx.fail(f"{link}: cannot overwrite directory")
        return None
    if created is not None and (existing.device, existing.inode) in created:
        ctx.fail(f"will not overwrite just-created {quote_always(link)} with {quote_always(target)}")
        return None
    backup = backup_of(options.backup, options.suffix, ctx)
    info = find(ctx, target, follow=options.follow)
    same = info is not None and (info.device, info.inode) == (existing.device, existing.inode)
    checked = not (options.symbolic and backup) and (options.replace != "ask" or backup)
    if same and checked and link_location(ctx, target) == link_location(ctx, link):
        ctx.fail(f"{quote_always(target)} and {quote_always(link)} are the same file")
        return None
    if options.replace == "ask" and not confirm(ctx, f"replace {quote_always(link)}?"):
        return None
    if same and not options.symbolic and not backup:
        return None  # two links of one file already
    name = "" if backup is None else backup(link)
    if not name or find(ctx, link, follow=False):  # a rename to another link of the same file does nothing
        ctx.fs.unlink(locate(ctx, link))
    return name


def _relative(target: str, link: str, ctx: Context) -> str:
    """Return the target relative to the link's directory."""
    directory = resolve(ctx, parent_of(link), missing="all")
    return relative_to(resolve(ctx, target, missing="all"), VirtualPath(directory))
