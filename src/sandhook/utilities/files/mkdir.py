"""mkdir: create directories.

Source: POSIX.1-2024 XCU 3, mkdir. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.modes import Mode
from sandhook.command.operands import find, is_directory, locate, reason
from sandhook.command.options import UsageError, opt, option_set
from sandhook.text.quoting import quote_always
from sandhook.utilities.files.security import context_option, warn_of_context


@option_set
class Options:
    """mkdir [OPTION]... DIRECTORY...

    Create each DIRECTORY; without -p, its parents must exist.
    """

    mode: str | None = opt(
        "-m", "--mode", "MODE", "permission bits, as chmod's, instead of a=rwx minus umask"
    )
    parents: bool = opt("-p", "--parents", "create missing parents; an existing directory is not an error")
    verbose: bool = opt("-v", "--verbose", "print each new directory")
    context: str | None = context_option()


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a directory could not be created; the others are still created."""
    warn_of_context(ctx, options.context)
    if not operands:
        raise UsageError("missing operand")
    mode: Mode | None = None
    if options.mode is not None:
        try:
            mode = Mode(options.mode)
        except ValueError:
            raise Failure(f"invalid mode '{options.mode}'") from None
    for name in operands:
        ctx.charge()
        if options.parents:
            _make_with_parents(ctx, name, mode, options.verbose)
        else:
            _make(ctx, name, mode, options.verbose)
    return ctx.failed


def _make(ctx: Context, name: str, mode: Mode | None, verbose: bool, *, parents: bool = False) -> bool:
    """Create one directory; report an error and return False if that fails."""
    umask = ctx.process.umask
    try:
        path = locate(ctx, name)
        ctx.fs.mkdir(path, 0o777 & ~umask)
        if mode is not None:
            ctx.fs.chmod(path, mode.adjust(0o777, umask, directory=True))
    except OSError as error:
        if parents and isinstance(error, FileExistsError) and is_directory(ctx, name):
            return True  # another process has just created it
        ctx.fail(f"cannot create directory {quote_always(name)}: {reason(error)}")
        return False
    if verbose:
        ctx.write_line(f"{ctx.name}: created directory {quote_always(name)}")
    return True


def _make_with_parents(ctx: Context, name: str, mode: Mode | None, verbose: bool) -> None:
    """Create a directory and its missing parents, which their owner can write and search."""
    end = len(name.rstrip("/"))
    ends = [index for index in range(1, end) if name[index] == "/" and name[index - 1] != "/"]
    created = False
    for index in (*ends, len(name)):
        part = name[:index]
        ctx.charge()
        if part.rpartition("/")[2] in (".", ".."):
            created = False
        if not created and is_directory(ctx, part):  # below a new directory there is nothing
            continue
        last = index == len(name)
        problem = "" if last or created else _obstacle(ctx, part)
        if problem:
            ctx.fail(f"cannot create directory {quote_always(part)}: {problem}")
            return
        if not (_make(ctx, part, mode, verbose, parents=True) if last else _make_parent(ctx, part, verbose)):
            return
        created = True


def _obstacle(ctx: Context, name: str) -> str:
    """Return why a parent that is not a directory cannot be created, "" if it does not exist."""
    try:
        return "Not a directory" if find(ctx, name) is not None else ""
    except OSError as error:
        return reason(error)


def _make_parent(ctx: Context, name: str, verbose: bool) -> bool:
    umask, ctx.process.umask = ctx.process.umask, ctx.process.umask & ~0o300
    try:
        return _make(ctx, name, None, verbose, parents=True)
    finally:
        ctx.process.umask = umask
