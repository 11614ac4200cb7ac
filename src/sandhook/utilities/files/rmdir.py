"""rmdir: remove empty directories.

Source: POSIX.1-2024 XCU 3, rmdir. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.operands import is_link, locate, reason
from sandhook.command.options import UsageError, opt, option_set
from sandhook.text.quoting import quote_always


@option_set
class Options:
    """rmdir [OPTION]... DIRECTORY...

    Remove each DIRECTORY, which must be empty.
    """

    tolerant: bool = opt("--ignore-fail-on-non-empty", "a directory that is not empty is not an error")
    parents: bool = opt("-p", "--parents", "remove its parents too: -p a/b removes a/b and a")
    verbose: bool = opt("-v", "--verbose", "print each directory")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a directory could not be removed."""
    if not operands:
        raise UsageError("missing operand")
    for name in operands:
        if _remove(name, options, ctx) and options.parents:
            _remove_parents(name, options, ctx)
    return ctx.failed


def _remove(name: str, options: Options, ctx: Context, what: str = "") -> bool:
    ctx.charge()
    if options.verbose:
        ctx.write_line(f"rmdir: removing directory, {quote_always(name)}")
    try:
        ctx.fs.rmdir(locate(ctx, name))
    except OSError as error:
        if not (options.tolerant and error.errno in (errno.ENOTEMPTY, errno.EEXIST)):
            problem = reason(error)
            if name[-1:] == "/" and error.errno == errno.ENOTDIR and is_link(ctx, name.rstrip("/")):
                problem = "Symbolic link not followed"
            ctx.fail(f"failed to remove {what}{quote_always(name)}: {problem}")
        return False
    return True


def _remove_parents(name: str, options: Options, ctx: Context) -> None:
    name = name.rstrip("/")
    while "/" in name:
        name = name.rpartition("/")[0].rstrip("/")
        if not name or not _remove(name, options, ctx, "directory "):
            return
