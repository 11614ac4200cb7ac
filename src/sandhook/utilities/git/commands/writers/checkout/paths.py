"""git checkout with paths: files from the index or from a tree.

Source: git-checkout(1); git 2.39, builtin/checkout.c.
"""

from __future__ import annotations

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.diff.three_way import Labels
from sandhook.utilities.git.diff.trees import walk_tree
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.index import IndexEntry
from sandhook.utilities.git.store.index_writing import IndexChange
from sandhook.utilities.git.store.writing import write_object
from sandhook.utilities.git.work.checkout import Checkout
from sandhook.utilities.git.work.merging import NO_FILE, FileMerge, Version


@option_set
class Options:
    """Options of git checkout and switch."""

    quiet: bool = also(opt("-q"), opt("--quiet"))
    force: bool = also(opt("-f"), opt("--force"), opt("--discard-changes"))
    detach: bool = also(opt("-d"), opt("--detach"))
    orphan: str | None = opt("--orphan", "NAME", "")
    progress: bool = also(opt("--progress"), opt("--no-progress", const=False))
    guess: bool = also(opt("--guess", default=True), opt("--no-guess", const=False))
    track: str | None = also(
        opt("-t", const="direct", default=None), opt("--track", "MODE", "", optional=True, const="direct"), opt("--no-track", const="never")
    )  # fmt: skip
    merge: bool = also(opt("-m"), opt("--merge"))
    conflict: str = opt("--conflict", "STYLE", "", default="")
    patch: bool = also(opt("-p"), opt("--patch"))
    overlay: bool = also(opt("--overlay", default=True), opt("--no-overlay", const=False))
    any_tree: bool = opt("--ignore-other-worktrees")
    skipped: bool = opt("--ignore-skip-worktree-bits")
    submodules: bool = opt("--recurse-submodules")
    overwrites: bool = also(
        opt("--overwrite-ignore", default=True), opt("--no-overwrite-ignore", const=False)
    )


class PathCheckout:
    """Takes files from the index or a tree."""

    def __init__(self, call: Invocation, options: Options, stage: int) -> None:
        self.call = call
        self.options = options
        self.stage = stage
        self.repository = call.repository
        self.recreated = 0

    def run(self, revision: str | None, words: list[str], *, counts: bool) -> int:
        repository = self.repository
        pathspec = repository.pathspec(words)
        everything = Pathspec([], self.call.access.charge)
        tree = None
        if revision is not None:
            tree = repository.objects.tree_of(Names(repository).resolve(revision))
        sides = {side.path: side for side in walk_tree(repository.objects, tree, everything)}
        skipped = {path for path, each in repository.index.by_path.items() if each[0].skipped}
        if not self.options.skipped:
            sides = {path: side for path, side in sides.items() if path not in skipped}
        known = set(sides) if revision is not None else set(repository.index.by_path)
        known -= set() if self.options.skipped else skipped
        if not check_operands(self.call, pathspec, known):
            return 1
        change = IndexChange(repository)
        checkout = Checkout(repository, change)
        checkout.writes_skipped = self.options.skipped
        if revision is not None:
            for side in sides.values():
                if pathspec.matches(side.path):
                    checkout.put(side.path, side.mode, side.oid)
            if not self.options.overlay:
                for path in [each for each in repository.index.by_path if each not in sides]:
                    if pathspec.matches(path):
                        checkout.remove(path)
        elif not self._from_index(checkout, pathspec):
            return 1
        if change.changed:
            change.write()
        if self.options.quiet:
            return 0
        if counts and self.recreated:
            many = "s" * (self.recreated != 1)
            self.call.error(f"Recreated {self.recreated} merge conflict{many}")
        written = checkout.written - self.recreated
        if counts and (written or not self.recreated):
            source = "the index" if tree is None else Names(repository).abbreviate(tree)
            self.call.error(f"Updated {written} path{'s' * (written != 1)} from {source}")
        return 0

    def _from_index(self, checkout: Checkout, pathspec: Pathspec) -> bool:
        """Write files of the index. Return False for files with conflicts."""
        chosen: list[IndexEntry] = []
        conflicts: list[list[IndexEntry]] = []
        merges = self.options.merge or bool(self.options.conflict)
        for path, entries in self.repository.index.by_path.items():
            if not pathspec.matches(path) or (entries[0].skipped and not self.options.skipped):
                continue
            if not entries[0].stage:
                chosen.append(entries[0])
                continue
            side = next((entry for entry in entries if entry.stage == self.stage), None)
            if self.options.force:
                self.call.error(f"warning: path '{path}' is unmerged")
            elif merges:
                if {2, 3} - {entry.stage for entry in entries}:
                    self.call.error(f"error: path '{path}' does not have all necessary versions")
                    return False
                conflicts.append(entries)
            elif side is not None:
                chosen.append(side)
            elif self.stage:
                self.call.error(
                    f"error: path '{path}' does not have {'our' if self.stage == 2 else 'their'} version"
                )
                return False
            else:
                self.call.error(f"error: path '{path}' is unmerged")
                return False
        for entry in chosen:
            if entry.stage:
                checkout.write(entry.path, entry.mode, entry.oid)
            else:
                checkout.put(entry.path, entry.mode, entry.oid)
        self._recreate(checkout, conflicts)
        return True

    def _recreate(self, checkout: Checkout, conflicts: list[list[IndexEntry]]) -> None:
        """Write files with the markers of their conflicts, as the merge wrote them."""
        files = FileMerge(self.repository, Labels("ours", "theirs", "base", self.options.conflict))
        for entries in conflicts:
            path = entries[0].path
            known = {entry.stage: Version(path, entry.mode, entry.oid) for entry in entries}
            data, _ = files.contents(path, known.get(1, Version(path, *NO_FILE)), known[2], known[3])
            oid = write_object(self.repository.objects, "blob", data)
            checkout.write(path, known[2].mode, oid)
            self.recreated += 1
        for message in files.messages:
            self.call.error(message)


def check_operands(call: Invocation, pathspec: Pathspec, known: set[str]) -> bool:
    """Report operands that match no known path; return True if all of them match."""
    result = True
    for item in pathspec.items:
        only = Pathspec([item], call.access.charge)
        if "exclude" not in item.magic and not any(map(only.matches, known)):
            call.error(f"error: pathspec '{item.text}' did not match any file(s) known to git")
            result = False
    return result
