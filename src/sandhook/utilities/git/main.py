"""git: read repositories, and add and commit where the caller of the sandbox allows it.

Source: git's manual pages. Oracle: git 2.39. Divergences: L-GIT-001 to L-GIT-004.

The package dulwich must be installed: ``pip install 'sandhook[git]'``. No program, hook, filter, pager or editor that a
setting names is started, and nothing is fetched or pushed.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

from sandhook.command.context import Context, WriteError
from sandhook.kernel.signals import BrokenPipe
from sandhook.utilities.git.options import Options

RAW = True  # each command has options of its own, which git parses by other rules
_NOT_INSTALLED = 127
_FATAL = 128


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return the exit status of git: 128 for "fatal:", 129 for a wrong option, 127 if dulwich is not installed."""
    try:
        from sandhook.utilities.git.commands.patches.output_files import output_to
        from sandhook.utilities.git.program import run_git
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "dulwich":
            raise
        ctx.process.write_error(
            b"git: the package dulwich is not installed; install it with: pip install 'sandhook[git]'\n"
        )
        return _NOT_INSTALLED
    try:
        if 1 in ctx.process.descriptors:
            status = run_git(arguments, ctx)
            ctx.flush()
        else:  # git opens /dev/null for a descriptor that is closed
            with output_to(ctx, "/dev/null"):
                status = run_git(arguments, ctx)
    except WriteError as error:
        ctx.abandon()
        if error.code == errno.EPIPE:
            raise BrokenPipe from None  # git sends itself the signal, also when it is ignored
        ctx.write_error(f"fatal: write failure on standard output: {error.reason}\n")
        return _FATAL
    return status


__all__ = ["RAW", "Options", "run"]
