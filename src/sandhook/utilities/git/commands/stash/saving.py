"""git stash push: the commits that keep changes, and the files without them.

Source: git-stash(1); git 2.39, builtin/stash.c.
"""

from __future__ import annotations

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.stash.staged import remove_staged
from sandhook.utilities.git.diff.trees import compare_with_index, walk_tree
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.identity import person_of
from sandhook.utilities.git.history.messages import subject
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.pathspec import Pathspec, operands_of
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.commit_writing import write_commit
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.index import IndexEntry, order
from sandhook.utilities.git.store.index_writing import IndexChange, entry_of, write_tree
from sandhook.utilities.git.store.ref_writing import append_log, move_head
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import remove_file, replace_file, write_new
from sandhook.utilities.git.work.checkout import Checkout, force_tree, remove_tracked
from sandhook.utilities.git.work.staging import Staging
from sandhook.utilities.git.work.tree import WorkTree, compare_work_tree
from sandhook.utilities.git.work.untracked import find_untracked

REF = "refs/stash"


@option_set
class PushOptions:
    """Options of git stash push."""

    message: str | None = also(opt("-m", "TEXT", ""), opt("--message", "TEXT", ""))
    quiet: bool = also(opt("-q"), opt("--quiet"))
    keep: bool = also(opt("-k"), opt("--keep-index"), opt("--no-keep-index", const=False))
    untracked: bool = also(opt("-u"), opt("--include-untracked"))
    path_file: str | None = opt("--pathspec-from-file", "FILE", "")
    path_nul: bool = opt("--pathspec-file-nul")
    all: bool = also(opt("-a"), opt("--all"))
    staged: bool = also(opt("-S"), opt("--staged"))
    refused: str | None = also(opt("-p", const="-p", default=None), opt("--patch", const="-p"))


def push(call: Invocation, rest: list[str], *, saves: bool) -> int:
    parsed = Parser(PushOptions).parse(rest)
    options = parsed.of(PushOptions)
    if options.refused is not None:
        raise GitError(f"stash push {options.refused} is not offered in the sandbox (L-GIT-003)", status=129)
    operands = [*parsed.operands, *(parsed.paths or ())]
    message = options.message
    if saves:
        words = operands if parsed.paths is None else [*parsed.operands, "--", *parsed.paths]
        message, operands = " ".join(words) if message is None else message, []
    operands = operands_of(call.ctx, operands, options.path_file, options.path_nul)
    pathspec = call.repository.pathspec(operands)
    if options.staged and (options.untracked or options.all):
        text = "Can't use --staged and --include-untracked or --all at the same time"
        raise GitError(text, prefix="", status=1)
    if operands and not options.untracked and not _are_known(call, pathspec):
        return 1
    stash = Saving(call, pathspec, quiet=options.quiet)
    stash.only_staged, stash.with_ignored = options.staged, options.all
    oid = stash.commit(message or "", untracked=options.untracked or options.all)
    if oid is None:
        if not options.quiet:
            call.ctx.write_line("No local changes to save")
        return 0
    repository = call.repository
    replace_file(call.access, repository.refs.path(REF), f"{oid}\n".encode())
    append_log(repository, REF, stash.before, oid, stash.person, stash.title)
    if not options.quiet:
        call.ctx.write_line(f"Saved working directory and index state {stash.title}")
    if options.staged:
        return remove_staged(call, stash.index_tree, keep=options.keep, quiet=options.quiet)
    work = WorkTree(repository)
    for path in stash.untracked:
        remove_tracked(call.access, work, path)
    return stash.clear(keep=options.keep)


def _are_known(call: Invocation, pathspec: Pathspec) -> bool:
    """Report operands that match no tracked file; return True without such operands."""
    prefix = len(call.repository.prefix)
    missing = []
    for item in pathspec.items:
        only = Pathspec([item], call.access.charge)
        if "exclude" not in item.magic and not any(map(only.matches, call.repository.index.by_path)):
            missing.append(f":(,prefix:{prefix}){item.pattern}")  # as git passes it on
    for name in missing:
        call.error(f"error: pathspec '{name}' did not match any file(s) known to git")
    if missing:
        call.error("Did you forget to 'git add'?")
    return not missing


class Saving:
    """Writes the commits of a stash.

    Args:
        pathspec: Selects the files whose changes are kept, None for all.
    """

    def __init__(self, call: Invocation, pathspec: Pathspec | None = None, *, quiet: bool = False) -> None:
        self.call = call
        self.pathspec = pathspec or Pathspec([], call.access.charge)
        self.quiet = quiet
        self.repository = call.repository
        self.title = ""
        self.untracked: list[str] = []
        self.with_untracked = False
        self.with_ignored = False
        self.only_staged = False
        self.index_tree = ""
        self.before = self.repository.refs.resolve(REF)
        self.person = person_of(call.ctx, self.repository.config, "COMMITTER").text()

    def commit(self, message: str, *, untracked: bool) -> str | None:
        """Write the commits and return the name of the last one; None without changes."""
        repository, objects = self.repository, self.repository.objects
        oid = repository.refs.resolve("HEAD")
        if oid is None:
            raise GitError("You do not have the initial commit yet", prefix="", status=1)
        head = objects.commit(oid)
        selected = self.pathspec
        self._check_conflicts()
        self.with_untracked = untracked
        if untracked:
            untracked_paths = find_untracked(repository, selected, "all", collect_ignored=self.with_ignored)
            found = sorted(untracked_paths.untracked + untracked_paths.ignored * self.with_ignored, key=order)
            for path in found:
                if path.endswith("/"):  # another repository
                    self.call.error(f"Ignoring path {path}")
            self.untracked = [path for path in found if not path.endswith("/")]
        if not self.only_staged:
            self._check_intended()
        staged = any(True for _ in compare_with_index(objects, head.tree, repository.index, selected))
        work = any(True for _ in compare_work_tree(WorkTree(repository), selected, ignore_submodules="all"))
        if not (staged or work or self.untracked):
            return None
        branch = (repository.head_branch() or "").removeprefix("refs/heads/") or "(no branch)"
        text = f"{branch}: {Names(repository).abbreviate(oid)} {subject(head.message)}"
        self.title = f"On {branch}: {message}" if message else f"WIP on {text}"
        self.index_tree = write_tree(repository, repository.index.entries)
        if self.only_staged and self.index_tree == head.tree:
            raise GitError("No staged changes" if not self.quiet else "", prefix="", status=1)
        index = self._write(self.index_tree, [oid], f"index on {text}\n")
        parents = [oid, index]
        if self.untracked:
            parents.append(self._write(self._untracked_tree(), [], f"untracked files on {text}\n"))
        tree = self.index_tree if self.only_staged else self._work_tree(head)
        return self._write(tree, parents, self.title)

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
        change = IndexChange(self.repository)
        staging = Staging(self.repository, change)
        staging.update_tracked(self.pathspec)
        for side in walk_tree(self.repository.objects, head.tree, self.pathspec):
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

    def clear(self, *, keep: bool) -> int:
        """Make the files those of HEAD, or of the index; return the status."""
        if self.pathspec:
            return self._clear_selected(keep=keep)
        self._clear_all(keep=keep)
        return 0

    def _clear_selected(self, *, keep: bool) -> int:
        repository = self.repository
        head = repository.objects.commit(repository.refs.resolve("HEAD") or "").tree
        change = IndexChange(repository)
        work, known = WorkTree(repository), repository.index.by_path
        unknown = [
            side.path
            for side in walk_tree(repository.objects, head, self.pathspec)
            if side.path not in known and self.call.access.stat(work.path(side.path)) is not None
        ]
        if unknown and not self.with_untracked:  # git writes the stash, and leaves the files
            Staging(repository, change).update_tracked(self.pathspec)
            change.write()
            for path in unknown:
                self.call.error(f"error: {path}: already exists in working directory")
            return 1
        checkout = Checkout(repository, change)
        sides = {
            side.path: side
            for side in walk_tree(repository.objects, self.index_tree if keep else head, self.pathspec)
        }
        for path in list(repository.index.by_path):
            if self.pathspec.matches(path) and path not in sides:
                checkout.remove(path)
        for side in sides.values():
            checkout.put(side.path, side.mode, side.oid)
        if change.changed:
            change.write()
        return 0

    def _clear_all(self, *, keep: bool) -> None:
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
