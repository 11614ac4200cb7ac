"""git stash apply and pop: changes that were kept are merged with those since then.

Source: git-stash(1); git 2.39, builtin/stash.c.
"""

from __future__ import annotations

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.commands.stash.staged import staged_again
from sandhook.utilities.git.commands.writers.reset import run as run_reset
from sandhook.utilities.git.diff.three_way import Labels
from sandhook.utilities.git.diff.trees import compare_trees, walk_tree
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.index_writing import IndexChange, entry_of, write_tree
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.checkout import Checkout, remove_tracked
from sandhook.utilities.git.work.long_status import LongStatus
from sandhook.utilities.git.work.merging import FileMerge, MergedFile, TreeMerge, write_merged
from sandhook.utilities.git.work.status import Wanted, collect

#: The trees of a merge, as conflicts name them.
_OURS, _THEIRS, _BASE = "Updated upstream", "Stashed changes", "Version stash was based on"
_MERGE_BASE = "Stash base"


@option_set
class ApplyOptions:
    """Options of git stash apply, pop and drop."""

    quiet: bool = also(opt("-q"), opt("--quiet"))
    index: bool = opt("--index")


class Application:
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
        intended = [path for path, each in repository.index.by_path.items() if each[0].intended]
        if intended:
            return self._refused(intended)
        ours = write_tree(repository, repository.index.entries)
        base = objects.commit(self.stash.parents[0]).tree
        mine = {side.path for side in walk_tree(objects, ours, everything)}
        index_tree = objects.commit(self.stash.parents[1]).tree
        staged = None
        if self.options.index and index_tree not in (base, ours):
            staged = staged_again(self.call, base, index_tree)
            if staged is None:
                self.call.error("error: conflicts in index. Try without --index.")
                return 1
            if (lost := self._unstaged(ours)) or ours != self._head():
                return self._refused(lost)
            repository = self.repository
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
        elif staged is not None:
            self._stage(change, staged)
        if change.changed:
            change.write()
        status = self._untracked() or int(has_conflicts)
        self._report()
        return status

    def _head(self) -> str:
        return self.repository.objects.commit(self.repository.refs.resolve("HEAD") or "").tree

    def _unstaged(self, ours: str) -> list[str]:
        """Make the index that of HEAD; return the files that had other changes there."""
        run_reset(self.call, ["-q", "--refresh"])
        pairs = compare_trees(
            self.repository.objects, self._head(), ours, Pathspec([], self.call.access.charge)
        )
        self.repository = Repository(self.call.access, self.call.options, self.repository.place)
        return [pair.path for pair in pairs]

    def _refused(self, changed: list[str]) -> int:
        """Report files of the index over which git merges nothing."""
        self.call.error(
            "error: Your local changes to the following files would be overwritten by merge:\n"
            f"  {' '.join(changed)}"
        )
        if self.options.index:
            self.call.error("Index was not unstashed.")
        self._untracked()
        self._report()
        return 1

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
