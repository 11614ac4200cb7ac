"""git: read repositories, and change the working tree and the index where the caller allows it.

Source: git's manual pages. Oracle: git 2.39. Divergences: L-GIT-001 to L-GIT-004.

The package dulwich must be installed: ``pip install 'sandhook[git]'``. No program, hook, filter, pager or editor that a
setting names is started, and nothing is fetched or pushed.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import also, opt, option_set

RAW = True
_NOT_INSTALLED = 127


@option_set
class Options:
    """git [-C DIR] [-c NAME=VALUE] [--git-dir=DIR] [--work-tree=DIR] [--no-pager] [--no-optional-locks] COMMAND [ARGUMENT]...

    Commands: blame, branch, cat-file, check-ignore, config, describe, diff, diff-files, diff-index, diff-tree,
    for-each-ref, grep, hash-object, log, ls-files, ls-tree, merge-base, remote, rev-list, rev-parse, shortlog, show,
    show-ref, stash list, status, symbolic-ref, tag, var, version, whatchanged, worktree list.
    """

    directory: str | None = opt("-C", "DIR", "run in this directory")
    setting: str | None = opt("-c", "NAME=VALUE", "set a setting for this call")
    config_env: str | None = opt("--config-env", "NAME=VARIABLE", "set a setting from a variable")
    git_dir: str | None = opt("--git-dir", "DIR", "the repository")
    work_tree: str | None = opt("--work-tree", "DIR", "the working tree")
    bare: bool = opt("--bare", "there is no working tree")
    literal: bool = opt("--literal-pathspecs", "pathspecs have no wildcards")
    pager: bool = also(
        opt("-p", ignored="there is no pager"),
        opt("--paginate", ignored="there is no pager"),
        opt("-P", ignored="there is no pager"),
        opt("--no-pager", ignored="there is no pager"),
        opt("--no-optional-locks", ignored="nothing is locked"),
        opt("--no-replace-objects", ignored="replacements are not read"),
    )
    help: bool = also(opt("-h", "print this"), opt("--help", "print this"))
    version: bool = also(opt("-v", "print the version"), opt("--version", "print the version"))


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return the exit status of git: 128 for "fatal:", 129 for a wrong option, 127 if dulwich is not installed."""
    try:
        import dulwich.objects  # noqa: F401
    except ModuleNotFoundError:
        ctx.process.write_error(
            b"git: the package dulwich is not installed; install it with: pip install 'sandhook[git]'\n"
        )
        return _NOT_INSTALLED
    from sandhook.utilities.git.program import run_git

    return run_git(arguments, ctx)
