"""cp: copy files and trees.

Source: POSIX.1-2024 XCU 3, cp. Oracle: GNU coreutils 9.1.
Divergence: L-CP-001, ownership, security contexts and extended attributes do not exist here;
--reflink and --sparse are checked, and have no effect.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.backups import Backup, backup_of, backup_option, suffix_option
from sandhook.command.choices import one_of
from sandhook.command.context import Context, Failure
from sandhook.command.operands import beneath, is_directory
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.text.quoting import quote_always
from sandhook.utilities.files.copy import Copier, Policy
from sandhook.utilities.files.security import context_option, warn_of_context
from sandhook.utilities.files.targets import pairs, require_directory

_ATTRIBUTES = ("mode", "timestamps", "ownership", "links", "context", "xattr", "all")


def _attributes(text: str, option: str = "--preserve") -> tuple[str, ...]:
    read = one_of(option, *_ATTRIBUTES)
    return tuple(read(word) for word in text.split(","))


def _not_attributes(text: str) -> tuple[str, ...]:
    return tuple("no-" + word for word in _attributes(text, "--no-preserve"))


@option_set
class Options:
    """cp [OPTION]... [-T] SOURCE DEST
      or:  cp [OPTION]... SOURCE... DIRECTORY
      or:  cp [OPTION]... -t DIRECTORY SOURCE...

    Copy SOURCE to DEST, or each SOURCE into DIRECTORY.
    """

    archive: bool = opt("-a", "--archive", "like -dR --preserve=all")
    attributes_only: bool = opt("--attributes-only", "do not copy contents, only attributes")
    backup: str | None = backup_option()
    suffix: str | None = suffix_option()
    plain: bool = opt("--copy-contents", "read devices and FIFOs when recursive")
    no_dereference: bool = opt("-d", "like --no-dereference --preserve=links")
    force: bool = opt("-f", "--force", "remove a destination that cannot be opened, and try again")
    overwrite: str = also(
        opt("-i", "--interactive", help="ask before overwriting", const="ask", default="yes"),
        opt("-n", "--no-clobber", help="do not overwrite", const="no"),
    )
    follow: str = also(
        opt("-H", help="follow symbolic links that are operands", const="operands", default=""),
        opt("-L", "--dereference", help="follow all symbolic links", const="all"),
        opt("-P", "--no-dereference", help="follow no symbolic links", const="none"),
    )
    link: bool = opt("-l", "--link", "make hard links instead of copies")
    symlink: bool = opt("-s", "--symbolic-link", "make symbolic links instead of copies")
    preserve: tuple[tuple[str, ...], ...] = also(
        opt(
            "-p", help="like --preserve=mode,ownership,timestamps", const=("mode", "timestamps"), append=True
        ),
        opt(
            "--preserve",
            "LIST",
            "keep mode, ownership, timestamps, links or all",
            convert=_attributes,
            optional=True,
            const=("mode", "timestamps"),
            append=True,
        ),
        opt("--no-preserve", "LIST", "do not keep these", convert=_not_attributes, append=True),
    )
    parents: bool = opt("--parents", "create the source's directories below DIRECTORY")
    recursive: bool = opt("-r", "-R", "--recursive", "copy directories and everything in them")
    reflink: str = opt(
        "--reflink",
        "WHEN",
        ignored="",
        optional=True,
        const="always",
        default="auto",
        convert=one_of("--reflink", "auto", "always", "never"),
    )
    sparse: str = opt(
        "--sparse",
        "WHEN",
        ignored="",
        default="auto",
        convert=one_of("--sparse", "never", "auto", "always"),
    )
    remove_first: bool = opt("--remove-destination", "remove each existing destination beforehand")
    strip: bool = opt("--strip-trailing-slashes", "remove slashes at the end of each SOURCE")
    directory: str | None = opt("-t", "--target-directory", "DIRECTORY", "copy into DIRECTORY")
    no_directory: bool = opt(
        "-T", "--no-target-directory", "treat DEST as a file, never as a directory to copy into"
    )
    update: bool = opt("-u", "--update", "only when SOURCE is newer than DEST, or DEST is missing")
    verbose: bool = opt("-v", "--verbose", "print each copy")
    context: str | None = context_option()
    one_file_system: bool = opt("-x", "--one-file-system", "stay on one file system")


def policy_of(options: Options, backup: Backup | None = None) -> Policy:
    """Return the policy of the options."""
    preserved: set[str] = set()
    default_mode = False
    if options.archive:
        preserved |= {"mode", "timestamps", "links"}
    if options.no_dereference:
        preserved.add("links")
    for words in options.preserve:
        for word in words:
            if word.startswith("no-"):
                default_mode = default_mode or word in ("no-mode", "no-all")
                preserved -= {"mode", "timestamps", "links"} if word == "no-all" else {word[3:]}
            else:
                default_mode = default_mode and word not in ("mode", "all")
                preserved |= {"mode", "timestamps", "links"} if word == "all" else {word}
    recursive = options.recursive or options.archive
    method = "link" if options.link else "symlink" if options.symlink else "copy"
    follow = options.follow
    if not follow:
        # POSIX does not specify whether -R alone follows links; GNU follows none.
        follow = "none" if options.no_dereference or (recursive and method != "link") else "all"
    return Policy(
        recursive=recursive,
        follow=follow,
        mode="mode" in preserved,
        default_mode=default_mode,
        times="timestamps" in preserved,
        links="links" in preserved,
        overwrite=options.overwrite,
        update=options.update,
        force=options.force,
        remove_first=options.remove_first,
        plain=options.plain or not recursive,
        method=method,
        verbose=options.verbose,
        attributes_only=options.attributes_only,
        one_file_system=options.one_file_system,
        backup=backup,
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be copied; the other files are still copied."""
    warn_of_context(ctx, options.context, "SELinux")
    if any("context" in words for words in options.preserve):
        raise Failure("cannot preserve security context without an SELinux-enabled kernel")
    if options.link and options.symlink:
        raise UsageError("cannot make both hard and symbolic links")
    backup = backup_of(options.backup, options.suffix, ctx)
    if backup is not None and options.overwrite == "no":
        raise UsageError("options --backup and --no-clobber are mutually exclusive")
    copier = Copier(ctx, policy_of(options, backup))
    if options.parents:
        _copy_with_parents(copier, options, operands)
        return ctx.failed
    copier.many_operands = len(operands) > 2 or (options.directory is not None and len(operands) > 1)
    for source, target in pairs(ctx, operands, options.directory, options.no_directory, options.strip):
        copier.copy(source, target)
    return ctx.failed


def _copy_with_parents(copier: Copier, options: Options, operands: Sequence[str]) -> None:
    ctx = copier.ctx
    if options.directory is not None:
        sources, target = list(operands), options.directory
    else:
        *sources, target = operands or [""]
    if not sources:
        raise UsageError(
            f"missing destination file operand after {quote_always(target)}"
            if operands
            else "missing file operand"
        )
    if len(sources) > 1 and not is_directory(ctx, target):
        require_directory(ctx, target, "target")
    if not is_directory(ctx, target):
        raise UsageError("with --parents, the destination must be a directory")
    for source in sources:
        directory = target
        parts = source.strip("/").split("/")
        for depth, part in enumerate(parts[:-1]):
            directory = beneath(directory, part)
            if not is_directory(ctx, directory):
                try:
                    ctx.fs.mkdir(ctx.path(directory), 0o777 & ~ctx.process.umask)
                except OSError as error:
                    copier.fail(f"cannot make directory {quote_always(directory)}: {error.strerror}")
                    break
                if options.verbose:
                    ctx.write_line(f"{'/'.join(source.split('/')[: depth + 1])} -> {directory}")
        else:
            copier.copy(source, beneath(directory, parts[-1]))
