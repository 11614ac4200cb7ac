"""git stash: keep changes away, and bring them back.

Source: git-stash(1); git 2.39, builtin/stash.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.text.numbers import is_number
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.log import run as run_log
from sandhook.utilities.git.commands.stash.applying import Application, ApplyOptions
from sandhook.utilities.git.commands.stash.saving import REF, Saving, push
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.trees import compare_trees
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.identity import person_of
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.index import order
from sandhook.utilities.git.store.ref_writing import append_log, delete_ref, write_log
from sandhook.utilities.git.store.writing import replace_file


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 for changes that cannot be brought back."""
    words = list(arguments)
    call.repository.root  # noqa: B018  # raises without a working tree
    if not words or (words[0].startswith("-") and words[0] not in ("--help",)):
        words.insert(0, "push")
    command, *rest = words
    if command == "list":
        return _list(call, rest)
    if command == "show":
        return _show(call, rest)
    if command not in ("branch", "push", "save", "create", "store", "pop", "apply", "drop", "clear"):
        raise GitError(f"stash {command} is not offered in the sandbox (L-GIT-001)", status=129)
    call.check_may_write()
    call.repository.root  # noqa: B018  # raises without a working tree
    if command in ("push", "save"):
        return push(call, rest, saves=command == "save")
    if command == "create":
        oid = Saving(call).commit(" ".join(rest), untracked=False)
        if oid is not None:
            call.ctx.write_line(oid)
        return 0
    if command == "store":
        return _store(call, rest)
    if command == "clear":
        delete_ref(call.repository, REF)
        return 0
    if command == "branch":
        return _branch(call, rest)
    parsed = Parser(ApplyOptions).parse(rest)
    options = parsed.of(ApplyOptions)
    stash = _find(call, parsed.operands)
    if command == "drop":
        return _drop(call, stash, quiet=options.quiet)
    status = Application(call, stash.commit, options).run()
    if status:
        if command == "pop":
            call.ctx.write_line("The stash entry is kept in case you need it again.")
        return status
    return _drop(call, stash, quiet=options.quiet) if command == "pop" else 0


def _branch(call: Invocation, words: list[str]) -> int:
    """Make a branch of the commit that a stash began at, and bring the stash back there."""
    from sandhook.utilities.git.commands.writers.checkout import run as run_checkout

    parsed = Parser(PlainOptions).parse(words)
    operands = [*parsed.operands, *(parsed.paths or ())]
    if not operands:
        raise GitError("No branch name specified", prefix="", status=1)
    stash = _find(call, operands[1:])
    status = run_checkout(call, ["-b", operands[0], stash.commit.parents[0]])
    if status:
        return status
    fresh = Invocation(call.access, call.options, call.command)
    status = Application(fresh, stash.commit, ApplyOptions(index=True)).run()
    if status or stash.number is None:
        return status
    return _drop(fresh, stash, quiet=False)


# --------------------------------------------------------------------------- entries


class _Entry:
    """A stash: its number, and its commit."""

    def __init__(self, number: int | None, commit: Commit, shown: str) -> None:
        self.number = number
        self.commit = commit
        self.shown = shown


def _find(call: Invocation, operands: Sequence[str]) -> _Entry:
    repository, names = call.repository, Names(call.repository)
    if len(operands) > 1:
        raise GitError(f"Too many revisions specified: {' '.join(operands)}", prefix="", status=1)
    if not operands and not repository.refs.log(REF):
        raise GitError("No stash entries found.", prefix="", status=1)
    word = operands[0] if operands else "0"
    shown = f"{REF}@{{{word}}}" if is_number(word) else word
    log = repository.refs.log(REF)
    inner = shown.rpartition("@{")[2].removesuffix("}")
    number = int(inner[:9]) if shown.startswith(("stash@{", f"{REF}@{{")) and is_number(inner) else None
    if number is not None and not log:
        raise GitError(f"{shown} is not a valid reference", prefix="error", status=1)
    if number is not None and number >= len(log):
        raise GitError(f"log for '{shown.partition('@')[0]}' only has {len(log)} entries")
    oid = log[len(log) - 1 - number].new if number is not None else names.find(shown)
    commit = None if oid is None else repository.objects.peel(oid, "commit")
    if commit is None:
        raise GitError(f"{shown} is not a valid reference", prefix="error", status=1)
    found = repository.objects.commit(commit)
    if not 2 <= len(found.parents) <= 3:
        raise GitError(f"'{shown}' is not a stash-like commit")
    return _Entry(number, found, shown)


@option_set
class PlainOptions:
    """Options of git stash branch, which has none."""


@option_set
class StoreOptions:
    """Options of git stash store."""

    message: str | None = also(opt("-m", "TEXT", ""), opt("--message", "TEXT", ""))
    quiet: bool = also(opt("-q"), opt("--quiet"))


def _store(call: Invocation, rest: list[str]) -> int:
    """Make a commit, such as one of ``stash create``, the latest stash; return 0."""
    parsed = Parser(StoreOptions).parse(rest)
    options, operands = parsed.of(StoreOptions), [*parsed.operands, *(parsed.paths or ())]
    repository = call.repository
    if len(operands) != 1:
        text = '"git stash store" requires one <commit> argument' if not options.quiet else ""
        raise GitError(text, prefix="", status=1)
    oid = Names(repository).find(operands[0])
    if oid is None or not repository.objects.has(oid):
        text = f"Cannot update {REF} with {operands[0]}" if not options.quiet else ""
        raise GitError(text, prefix="", status=1)
    message = options.message if options.message is not None else 'Created via "git stash store".'
    person = person_of(call.ctx, repository.config, "COMMITTER").text()
    before = repository.refs.resolve(REF)
    if oid != before:
        replace_file(call.access, repository.refs.path(REF), f"{oid}\n".encode())
        append_log(repository, REF, before, oid, person, message)
    return 0


def _drop(call: Invocation, stash: _Entry, *, quiet: bool) -> int:
    if stash.number is None:
        raise GitError(f"'{stash.shown}' is not a stash reference", prefix="error", status=1)
    repository = call.repository
    log = repository.refs.log(REF)
    at = len(log) - 1 - stash.number
    kept = [*log[:at], *log[at + 1 :]]
    if kept:
        write_log(repository, REF, kept)
        replace_file(call.access, repository.refs.path(REF), f"{kept[-1].new}\n".encode())
    else:
        delete_ref(repository, REF)
    if not quiet:
        call.ctx.write_line(f"Dropped {stash.shown} ({stash.commit.oid})")
    return 0


def _list(call: Invocation, rest: list[str]) -> int:
    if call.repository.refs.resolve(REF) is None:
        return 0
    try:
        return run_log(call, ["--format=%gd: %gs", "-g", "--first-parent", "-m", *rest, REF, "--"])
    except GitError as error:
        raise GitError(str(error), prefix=error.prefix, status=1) from None


#: Which files the options of git stash show select.
_SHOWN = {
    "-u": "both",
    "--include-untracked": "both",
    "--only-untracked": "untracked",
    "--no-include-untracked": "tracked",
}


def _show(call: Invocation, rest: list[str]) -> int:
    boolean = call.repository.config.boolean
    words = [word for word in rest if word not in _SHOWN]
    if not any(word.startswith("-") for word in words):  # settings hold without options only
        settings = (("--stat", boolean("stash.showstat", True)), ("-p", boolean("stash.showpatch")))
        forms = [name for name, is_set in settings if is_set]
        if not forms:
            return 0
        words = [*forms, *words]
    shows = "both" if boolean("stash.showincludeuntracked") else "tracked"
    for word in rest:
        shows = _SHOWN.get(word, shows)
    parsed = Parser(DiffOptions, lenient=True).parse(words)
    if parsed.unknown:
        raise GitError(
            f"stash show {parsed.unknown[0]} is not offered in the sandbox (L-GIT-003)", status=129
        )
    stash = _find(call, [*parsed.operands, *(parsed.paths or ())])
    repository = call.repository
    output = DiffOutput(repository, parsed.of(DiffOptions))
    base = repository.objects.commit(stash.commit.parents[0]).tree
    objects, everything = repository.objects, Pathspec([], call.access.charge)
    pairs = list(compare_trees(objects, base, stash.commit.tree, everything)) if shows != "untracked" else []
    if shows != "tracked" and len(stash.commit.parents) > 2:
        untracked = list(
            compare_trees(objects, None, objects.commit(stash.commit.parents[2]).tree, everything)
        )
        names = Names(repository)
        for pair in untracked if shows == "both" else ():
            if names.tree_item(stash.commit.tree, pair.path) is not None:
                raise GitError(
                    f"worktree and untracked commit have duplicate entries: {pair.path}\nfatal: failed to unpack trees",
                    prefix="error",
                )
        pairs += untracked
    output.write(output.complete(sorted(pairs, key=lambda pair: order(pair.path))))
    return 0
