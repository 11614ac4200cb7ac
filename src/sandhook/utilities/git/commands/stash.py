"""git stash: keep changes away, and bring them back.

Source: git-stash(1); git 2.39, builtin/stash.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.text.numbers import is_number
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.log import run as run_log
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.three_way import Labels
from sandhook.utilities.git.diff.trees import compare_trees, compare_with_index, walk_tree
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.identity import person_of
from sandhook.utilities.git.history.messages import subject
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.commit_writing import write_commit
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.index import IndexEntry, order
from sandhook.utilities.git.store.index_writing import IndexChange, entry_of, write_tree
from sandhook.utilities.git.store.ref_writing import append_log, delete_ref, move_head, write_log
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import remove_file, replace_file, write_new
from sandhook.utilities.git.work.checkout import Checkout, force_tree, remove_tracked
from sandhook.utilities.git.work.long_status import LongStatus
from sandhook.utilities.git.work.merging import FileMerge, MergedFile, TreeMerge, write_merged
from sandhook.utilities.git.work.staging import Staging
from sandhook.utilities.git.work.status import Wanted, collect
from sandhook.utilities.git.work.tree import WorkTree, compare_work_tree
from sandhook.utilities.git.work.untracked import find_untracked

_REF = "refs/stash"

#: The trees of a merge, as conflicts name them.
_OURS, _THEIRS, _BASE = "Updated upstream", "Stashed changes", "Version stash was based on"
_MERGE_BASE = "Stash base"


@option_set
class PushOptions:
    """Options of git stash push."""

    message: str | None = also(opt("-m", "TEXT", ""), opt("--message", "TEXT", ""))
    quiet: bool = also(opt("-q"), opt("--quiet"))
    keep: bool = also(opt("-k"), opt("--keep-index"), opt("--no-keep-index", const=False))
    untracked: bool = also(opt("-u"), opt("--include-untracked"))
    refused: str | None = also(
        opt("-a", const="-a", default=None), opt("--all", const="--all"), opt("-p", const="-p"), opt("--patch", const="-p"),
        opt("-S", const="--staged"), opt("--staged", const="--staged"), opt("--pathspec-from-file", const="--pathspec-from-file"),
    )  # fmt: skip


@option_set
class ApplyOptions:
    """Options of git stash apply, pop and drop."""

    quiet: bool = also(opt("-q"), opt("--quiet"))
    index: bool = opt("--index")


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
    if command not in ("push", "save", "create", "pop", "apply", "drop", "clear"):
        raise GitError(f"stash {command} is not offered in the sandbox (L-GIT-001)", status=129)
    call.check_may_write()
    call.repository.root  # noqa: B018  # raises without a working tree
    if command in ("push", "save"):
        return _push(call, rest, saves=command == "save")
    if command == "create":
        oid = _Stash(call).commit(" ".join(rest), untracked=False)
        if oid is not None:
            call.ctx.write_line(oid)
        return 0
    if command == "clear":
        delete_ref(call.repository, _REF)
        return 0
    parsed = Parser(ApplyOptions).parse(rest)
    options = parsed.of(ApplyOptions)
    stash = _find(call, parsed.operands)
    if command == "drop":
        return _drop(call, stash, quiet=options.quiet)
    status = _Apply(call, stash.commit, options).run()
    if status:
        if command == "pop":
            call.ctx.write_line("The stash entry is kept in case you need it again.")
        return status
    return _drop(call, stash, quiet=options.quiet) if command == "pop" else 0


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
    if not operands and not repository.refs.log(_REF):
        raise GitError("No stash entries found.", prefix="", status=1)
    word = operands[0] if operands else "0"
    shown = f"{_REF}@{{{word}}}" if is_number(word) else word
    log = repository.refs.log(_REF)
    inner = shown.rpartition("@{")[2].removesuffix("}")
    number = int(inner[:9]) if shown.startswith(("stash@{", f"{_REF}@{{")) and is_number(inner) else None
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
        raise GitError(f"'{shown}' is not a stash-like commit", prefix="error", status=1)
    return _Entry(number, found, shown)


def _drop(call: Invocation, stash: _Entry, *, quiet: bool) -> int:
    if stash.number is None:
        raise GitError(f"'{stash.shown}' is not a stash reference", prefix="error", status=1)
    repository = call.repository
    log = repository.refs.log(_REF)
    at = len(log) - 1 - stash.number
    kept = [*log[:at], *log[at + 1 :]]
    if kept:
        write_log(repository, _REF, kept)
        replace_file(call.access, repository.refs.path(_REF), f"{kept[-1].new}\n".encode())
    else:
        delete_ref(repository, _REF)
    if not quiet:
        call.ctx.write_line(f"Dropped {stash.shown} ({stash.commit.oid})")
    return 0


def _list(call: Invocation, rest: list[str]) -> int:
    if call.repository.refs.resolve(_REF) is None:
        return 0
    try:
        return run_log(call, ["--format=%gd: %gs", "-g", "--first-parent", "-m", *rest, _REF, "--"])
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
    shows = "both" if call.repository.config.boolean("stash.showincludeuntracked") else "tracked"
    for word in rest:
        shows = _SHOWN.get(word, shows)
    parsed = Parser(DiffOptions, lenient=True).parse([word for word in rest if word not in _SHOWN])
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
    output.write(output.complete(sorted(pairs, key=lambda pair: order(pair.path))), "stat")
    return 0


# --------------------------------------------------------------------------- push


def _push(call: Invocation, rest: list[str], *, saves: bool) -> int:
    parsed = Parser(PushOptions).parse(rest)
    options = parsed.of(PushOptions)
    operands = [*parsed.operands, *(parsed.paths or ())]
    if options.refused is not None or (operands and not saves):
        name = options.refused or "with paths"
        raise GitError(f"stash push {name} is not offered in the sandbox (L-GIT-003)", status=129)
    message = options.message if options.message is not None else " ".join(operands)
    stash = _Stash(call, quiet=options.quiet)
    oid = stash.commit(message, untracked=options.untracked)
    if oid is None:
        if not options.quiet:
            call.ctx.write_line("No local changes to save")
        return 0
    repository = call.repository
    replace_file(call.access, repository.refs.path(_REF), f"{oid}\n".encode())
    append_log(repository, _REF, stash.before, oid, stash.person, stash.title)
    if not options.quiet:
        call.ctx.write_line(f"Saved working directory and index state {stash.title}")
    work = WorkTree(repository)
    for path in stash.untracked:
        remove_tracked(call.access, work, path)
    stash.clear(keep=options.keep)
    return 0


class _Stash:
    """Writes the commits of a stash."""

    def __init__(self, call: Invocation, *, quiet: bool = False) -> None:
        self.call = call
        self.quiet = quiet
        self.repository = call.repository
        self.title = ""
        self.untracked: list[str] = []
        self.index_tree = ""
        self.before = self.repository.refs.resolve(_REF)
        self.person = person_of(call.ctx, self.repository.config, "COMMITTER").text()

    def commit(self, message: str, *, untracked: bool) -> str | None:
        """Write the commits and return the name of the last one; None without changes."""
        repository, objects = self.repository, self.repository.objects
        oid = repository.refs.resolve("HEAD")
        if oid is None:
            raise GitError("You do not have the initial commit yet", prefix="", status=1)
        head = objects.commit(oid)
        everything = Pathspec([], self.call.access.charge)
        self._check_conflicts()
        if untracked:
            found = find_untracked(repository, everything, "all").untracked
            for path in found:
                if path.endswith("/"):  # another repository
                    self.call.error(f"Ignoring path {path}")
            self.untracked = [path for path in found if not path.endswith("/")]
        self._check_intended()
        staged = any(True for _ in compare_with_index(objects, head.tree, repository.index, everything))
        work = any(True for _ in compare_work_tree(WorkTree(repository), everything, ignore_submodules="all"))
        if not (staged or work or self.untracked):
            return None
        branch = (repository.head_branch() or "").removeprefix("refs/heads/") or "(no branch)"
        text = f"{branch}: {Names(repository).abbreviate(oid)} {subject(head.message)}"
        self.title = f"On {branch}: {message}" if message else f"WIP on {text}"
        self.index_tree = write_tree(repository, repository.index.entries)
        index = self._write(self.index_tree, [oid], f"index on {text}\n")
        parents = [oid, index]
        if self.untracked:
            parents.append(self._write(self._untracked_tree(), [], f"untracked files on {text}\n"))
        return self._write(self._work_tree(head), parents, self.title)

    def _check_conflicts(self) -> None:
        """Raise GitError for conflicts."""
        entries = [each[0] for each in self.repository.index.by_path.values()]
        unmerged = [entry.path for entry in entries if entry.stage]
        for path in unmerged:
            self.call.ctx.write_line(f"{path}: needs merge")
        if unmerged:
            raise GitError("", prefix="", status=1)

    def _check_intended(self) -> None:
        """Raise GitError for files that are only intended to be added."""
        entries = (each[0] for each in self.repository.index.by_path.values())
        intended = next((entry.path for entry in entries if entry.intended), None)
        if intended is not None:
            raise GitError(
                f"Entry '{intended}' not uptodate. Cannot merge."
                + "\nCannot save the current worktree state" * (not self.quiet),
                prefix="error",
                status=1,
            )

    def _write(self, tree: str, parents: list[str], message: str) -> str:
        author = person_of(self.call.ctx, self.repository.config, "AUTHOR").text()
        return write_commit(self.repository, tree, parents, (author, self.person), message)

    def _work_tree(self, head: Commit) -> str:
        """Write the tree of the tracked files, and of those that only HEAD has."""
        everything = Pathspec([], self.call.access.charge)
        change = IndexChange(self.repository)
        staging = Staging(self.repository, change)
        staging.update_tracked(everything)
        for side in walk_tree(self.repository.objects, head.tree, everything):
            found = self.call.access.stat(staging.work.path(side.path))
            if side.path not in self.repository.index.by_path and found is not None:
                staging.stage(side.path)
        for warning in staging.warnings:
            self.call.error(warning)
        return write_tree(self.repository, change.entries())

    def _untracked_tree(self) -> str:
        change = IndexChange(self.repository)
        staging = Staging(self.repository, change)
        entries: list[IndexEntry] = []
        for path in self.untracked:
            mode = staging.work.mode_of(path, None)
            entries.append(entry_of(path, mode, staging.store(path, mode)))
        for warning in staging.warnings:
            self.call.error(warning)
        return write_tree(self.repository, entries)

    def clear(self, *, keep: bool) -> None:
        """Make the files those of HEAD, or of the index."""
        repository = self.repository
        head = repository.refs.resolve("HEAD") or ""
        change = IndexChange(repository)
        force_tree(Checkout(repository, change), repository.objects.commit(head).tree)
        if keep:
            fresh = IndexChange(repository)
            if change.changed:
                change.write()
            again = Repository(self.call.access, self.call.options, repository.place)
            fresh = IndexChange(again)
            force_tree(Checkout(again, fresh), self.index_tree)
            change = fresh
        if change.changed:
            change.write()
        path = f"{repository.git_dir}/ORIG_HEAD"
        remove_file(self.call.access, path)
        write_new(self.call.access, path, f"{head}\n".encode())
        move_head(repository, head, self.person, "reset: moving to HEAD")


# --------------------------------------------------------------------------- apply


class _Apply:
    """Merges the changes of a stash with those since then."""

    def __init__(self, call: Invocation, stash: Commit, options: ApplyOptions) -> None:
        self.call = call
        self.repository = call.repository
        self.stash = stash
        self.options = options

    def run(self) -> int:
        """Return 0; 1 for files with changes that would be lost."""
        repository, objects = self.repository, self.repository.objects
        everything = Pathspec([], self.call.access.charge)
        unmerged = [path for path, each in repository.index.by_path.items() if each[0].stage]
        for path in unmerged:
            self.call.ctx.write_line(f"{path}: needs merge")
        if unmerged:
            return 1
        ours = write_tree(repository, repository.index.entries)
        base = objects.commit(self.stash.parents[0]).tree
        mine = {side.path for side in walk_tree(objects, ours, everything)}
        index_tree = objects.commit(self.stash.parents[1]).tree
        if self.options.index and ours != base and index_tree != base:
            raise GitError(
                "stash apply --index over other changes is not offered in the sandbox (L-GIT-003)", status=129
            )
        if self.stash.tree == base:
            self.call.ctx.write_line("Already up to date.")
        change = IndexChange(repository)
        checkout = Checkout(repository, change)
        files = FileMerge(repository, Labels(_OURS if ours != base else _BASE, _THEIRS, _MERGE_BASE))
        merged = TreeMerge(repository, files, (base, ours, self.stash.tree)).run()
        if not self._is_free(checkout, merged):
            self._report()
            return 1
        for message in files.messages:
            self.call.ctx.write_line(message)
        has_conflicts = any(each.stages for each in merged)
        self._write(checkout, merged, None if has_conflicts else mine)
        if has_conflicts and self.options.index:
            self.call.error("Index was not unstashed.")
        elif self.options.index and index_tree != base:
            self._stage(change, index_tree)
        if change.changed:
            change.write()
        status = self._untracked() or int(has_conflicts)
        self._report()
        return status

    def _report(self) -> None:
        """Print the state of the working tree, as git status does."""
        if not self.options.quiet:
            fresh = Repository(self.call.access, self.call.options, self.repository.place)
            collected = collect(fresh, fresh.pathspec([]), Wanted())
            LongStatus(fresh, collected, "normal", True).write(show_stash=False, ignored=False)

    def _is_free(self, checkout: Checkout, merged: list[MergedFile]) -> bool:
        """Report files with changes where the stash has some, too; return True without such files."""
        changed, untracked = [], []
        for path in (path for each in merged for path in (each.removed, each.path) if path):
            entry = self.repository.index.get(path)
            if entry is not None and not checkout.is_clean(entry):
                changed.append(path)
            elif entry is None and self.call.access.stat(checkout.work.path(path)) is not None:
                untracked.append(path)
        for paths, what, advice in (
            (
                changed,
                "Your local changes to the following files",
                "Please commit your changes or stash them before you merge.",
            ),
            (
                untracked,
                "The following untracked working tree files",
                "Please move or remove them before you merge.",
            ),
        ):
            if paths:
                listed = "".join(f"\t{path}\n" for path in paths)
                self.call.error(f"error: {what} would be overwritten by merge:\n{listed}{advice}")
        if changed or untracked:
            self.call.error("Aborting")
        return not (changed or untracked)

    def _write(self, checkout: Checkout, merged: list[MergedFile], known: set[str] | None) -> None:
        """Write files.

        Args:
            known: Paths whose entries of the index stay as they are; None if all get new ones.
        """
        for each in merged:
            keeps = known is not None and each.path in known
            if each.removed:
                remove_tracked(self.call.access, checkout.work, each.removed)
                if known is None:
                    checkout.change.remove(each.removed)
            write_merged(checkout, each, keeps_entry=keeps)

    def _stage(self, change: IndexChange, tree: str) -> None:
        everything = Pathspec([], self.call.access.charge)
        sides = {side.path: side for side in walk_tree(self.repository.objects, tree, everything)}
        for entry in change.entries():
            if entry.path not in sides:
                change.remove(entry.path)
        for side in sides.values():
            known = change.get(side.path)
            if not known or (known[0].mode, known[0].oid) != (side.mode, side.oid):
                change.put(entry_of(side.path, side.mode, side.oid))

    def _untracked(self) -> int:
        """Write the untracked files of the stash; return 1 if one of them exists."""
        if len(self.stash.parents) < 3:
            return 0
        repository = self.repository
        tree = repository.objects.commit(self.stash.parents[2]).tree
        checkout = Checkout(repository, IndexChange(repository))
        status = 0
        for side in walk_tree(repository.objects, tree, Pathspec([], self.call.access.charge)):
            if self.call.access.stat(checkout.work.path(side.path)) is not None:
                self.call.error(f"{side.path} already exists, no checkout")
                status = 1
            else:
                checkout.write(side.path, side.mode, side.oid)
        if status:
            self.call.error("error: could not restore untracked files from stash")
        return status
