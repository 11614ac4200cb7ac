"""The options of git before the command."""

from __future__ import annotations

from sandhook.command.options import also, opt, option_set


@option_set
class Options:
    """git [-C DIR] [-c NAME=VALUE] [--git-dir=DIR] [--work-tree=DIR] [--no-pager] [--no-optional-locks] COMMAND [ARGUMENT]...

    Commands that read: annotate, archive, blame, branch, cat-file, check-attr, check-ignore, check-mailmap, check-ref-format, cherry, clean -n,
    column, config, count-objects, describe, diff, diff-files, diff-index, diff-tree, for-each-ref, format-patch --stdout, fsck, get-tar-commit-id,
    grep, hash-object, interpret-trailers, log, ls-files, ls-remote --get-url, ls-tree, merge-base, merge-file, name-rev, notes list, notes show, patch-id,
    range-diff, reflog, remote, rev-list, rev-parse, shortlog, show, show-branch, show-ref, stash list, status, stripspace, submodule status, submodule foreach,
    symbolic-ref, tag, update-index --refresh, var, verify-commit, verify-tag, version, whatchanged, worktree list.

    Commands that the caller of the sandbox must allow: add, apply, checkout, checkout-index, clean, commit, commit-tree, config KEY VALUE,
    format-patch, init, remote add, remote rename, merge-tree, mktree, mv, notes add, notes remove, read-tree, reset, restore, rm, stage, stash push, switch, update-index, update-ref, write-tree,
    hash-object -w.
    """

    directories: tuple[str, ...] = opt("-C", "DIR", "run in this directory", append=True)
    settings: tuple[str, ...] = opt("-c", "NAME=VALUE", "set a setting for this call", append=True)
    variables: tuple[str, ...] = opt(
        "--config-env", "NAME=VARIABLE", "set a setting from a variable", append=True
    )
    git_dir: str | None = opt("--git-dir", "DIR", "the repository")
    work_tree: str | None = opt("--work-tree", "DIR", "the working tree")
    bare: bool = opt("--bare", "there is no working tree")
    literal: bool = opt("--literal-pathspecs", "pathspecs have no wildcards")
    glob: bool = opt("--glob-pathspecs", "wildcards of pathspecs do not match a slash")
    no_glob: bool = opt("--noglob-pathspecs", "pathspecs have no wildcards, unless they say (glob)")
    icase: bool = opt("--icase-pathspecs", "pathspecs ignore case")
    pager: bool = also(
        opt("-p", ignored="there is no pager"),
        opt("--paginate", ignored="there is no pager"),
        opt("-P", ignored="there is no pager"),
        opt("--no-pager", ignored="there is no pager"),
        opt("--no-optional-locks", ignored="nothing is locked"),
    )
    no_replace: bool = opt("--no-replace-objects", "read objects that refs/replace replaces as they are")
    exec_path: str | None = opt(
        "--exec-path", "DIR", "print where the libraries for scripts are", optional=True, const=""
    )
    namespace: str | None = opt("--namespace", "NAME", ignored="nothing is fetched or pushed")
    place: str = also(
        opt("--html-path", "print where the documentation is", const="html", default=""),
        opt("--man-path", "print where the manual pages are", const="man"),
        opt("--info-path", "print where the info files are", const="info"),
    )
    help: bool = also(opt("-h", "print this"), opt("--help", "print this"))
    version: bool = also(opt("-v", "print the version"), opt("--version", "print the version"))
