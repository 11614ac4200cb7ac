"""What a commit changes, for log and show.

Source: git 2.39, log-tree.c.
"""

from __future__ import annotations

from collections.abc import Iterable

from sandhook.record import Record
from sandhook.utilities.git.diff.combined import Merged, merged_files, write_merge
from sandhook.utilities.git.diff.model import Pair
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.trees import compare_trees, walk_tree
from sandhook.utilities.git.names.pathspec import Pathspec, parse_pathspec
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.repository import Repository


class Part(Record):
    """Differences of a commit.

    Fields:
        source: The parent that is named after the commit's name, for -m; "" for none.
        merged: The files of a combined diff; ``pairs`` are its differences from the first parent.
    """

    pairs: list[Pair]
    source: str = ""
    merged: tuple[Merged, ...] | None = None


class CommitDiff:
    """Computes and prints what commits change.

    Args:
        show: The command is "show": patches are the default, and merges have combined diffs.
        follow: The one path of the pathspec is followed through renames.
    """

    def __init__(
        self,
        repository: Repository,
        options: DiffOptions,
        pathspec: Pathspec,
        *,
        first_parent: bool = False,
        show: bool = False,
        follow: bool = False,
    ) -> None:
        self.repository = repository
        self.options = options
        self.pathspec = pathspec
        self.follow = follow
        self.always_shows = True
        self.shows_root = True  #: the first commit of a history has differences (log.showRoot)
        asked = options.combined or ""
        self.default = "patch" if show or asked in ("combined", "dense") or asked.startswith("=") else ""
        self.output = DiffOutput(repository, options)
        #: --diff-merges asks for patches of merges, and no option for those of other commits
        self._merges_only = asked.startswith("=") and not show and not self.output.has_form()
        self.output.strict = False
        self.merges = self._merge_form(options, first_parent, show)

    def _merge_form(self, options: DiffOptions, first_parent: bool, show: bool) -> str:
        if options.combined:
            form = options.combined.removeprefix("=")
            return "first" if first_parent and form == "separate" else form
        if first_parent:
            return "first"
        return "dense" if show else "off"

    def _is_active(self) -> bool:
        options = self.options
        if (options.quiet and not options.patch) or (options.patch is None and not self.output.has_form()):
            return False
        return bool(self.default) or self.output.has_form()

    def has_stat_and_patch(self) -> bool:
        """Return True if the options ask for both a stat and a patch."""
        return {"stat", "patch"} <= self.output.forms()

    def _selecting(self) -> bool:
        """Return True if commits without differences are left out."""
        options = self.options
        return (
            options.pickaxe is not None
            or options.pickaxe_lines is not None
            or options.find_object is not None
            or options.filter is not None
            or self.follow
            or not self.always_shows
        )

    def parts(self, commit: Commit) -> list[Part] | None:
        """Return the differences of a commit; an empty list for none, None to leave the commit out."""
        if not self._is_active() and not self._selecting():
            return []
        parents = commit.parents
        if self._merges_only and len(parents) < 2 and not self._selecting():
            return []
        if not parents and not self.shows_root:
            return None if self._selecting() else []
        if len(parents) > 1 and self.merges == "off":
            return None if self._selecting() else []
        if len(parents) > 1 and self.merges in ("dense", "combined"):
            return [self._combined(commit)]
        if len(parents) > 1 and self.merges == "separate":
            parts = [self._part(commit, parent, parent) for parent in parents]
            return [part for part in parts if part.pairs] or (None if self._selecting() else [])
        part = self._part(commit, parents[0] if parents else None)
        if self._selecting() and not part.pairs:
            return None
        if not part.pairs and not self._is_active():
            return []
        return [part] if self._is_active() else []

    def has_changes(self, commit: Commit, before: bool) -> bool:
        """Return what --exit-code reports after a commit: whether the last one that was compared has differences.

        Args:
            before: What it reports before the commit.
        """
        if (len(commit.parents) > 1 and self.merges in ("off", "dense", "combined")) or not (
            commit.parents or self.shows_root
        ):
            return before
        part = self._part(commit, commit.parents[0] if commit.parents else None)
        return self.output.changed(part.pairs, self.default)

    def _part(self, commit: Commit, parent: str | None, source: str = "") -> Part:
        objects = self.repository.objects
        old = None if parent is None else objects.commit(parent).tree
        self.output.all_files = lambda: walk_tree(objects, old, self.pathspec)
        pairs: Iterable[Pair] = compare_trees(objects, old, commit.tree, self.pathspec)
        if self.follow:
            pairs = self._followed(old, commit.tree, list(pairs))
            return Part(list(pairs), source)
        return Part(self.output.complete(pairs), source)

    def _followed(self, old: str | None, new: str, pairs: list[Pair]) -> list[Pair]:
        """Return the change of the followed file; a rename changes the path to follow."""
        if len(pairs) == 1 and pairs[0].status == "A":
            everything = Pathspec([], self.repository.access.charge)
            options = DiffOptions(copies=30_000, copies_harder=True)
            objects = self.repository.objects
            output = DiffOutput(
                self.repository, options, all_files=lambda: walk_tree(objects, old, everything)
            )
            renames = output.complete(compare_trees(self.repository.objects, old, new, everything))
            found = [pair for pair in renames if pair.status in "RC" and pair.path == pairs[0].path]
            if found:
                self.pathspec = parse_pathspec(
                    [found[0].old.path],
                    "",
                    self.repository.place.root or "/",
                    self.repository.access.charge,
                    defaults=frozenset(("literal",)),
                )
                return found
        return pairs

    def _combined(self, commit: Commit) -> Part:
        objects = self.repository.objects
        trees = tuple(objects.commit(parent).tree for parent in commit.parents)
        merged = merged_files(self.output, trees, commit.tree, self.pathspec)
        first: list[Pair] = []
        if self.output.wants_stat():
            first = self.output.complete(compare_trees(objects, trees[0], commit.tree, self.pathspec))
        return Part(first, "", merged)

    def write(self, part: Part) -> None:
        """Print differences."""
        if part.merged is not None:
            write_merge(
                self.output, part.merged, part.pairs, dense=self.merges == "dense", patch=bool(self.default)
            )
        else:
            self.output.write(part.pairs, self.default)
