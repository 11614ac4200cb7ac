"""Passes the lines of a file to the commits that they are from.

Source: git 2.39, blame.c.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence

from sandhook.limits import check_fits
from sandhook.record import Record
from sandhook.utilities.git.commands.blame.copies import CopyOptions, CopySearch, Source
from sandhook.utilities.git.commands.blame.options import Options
from sandhook.utilities.git.diff.model import NULL_ID, Pair
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.patch import normalizer
from sandhook.utilities.git.diff.trees import compare_trees, compare_with_index, walk_tree
from sandhook.utilities.git.diff.xdiff import compare, split_lines
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.dates import parse_date
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.walk import Walk
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.objects import GITLINK
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.tree import WorkTree

_Passed = tuple[str, str, dict[int, int]]  #: a commit, a path, and lines with their numbers there


class Line(Record):
    """A line of the file: the commit and the path that it is from, and its number there (0-based)."""

    commit: str
    path: str
    number: int


class Blame:
    """Passes the lines of a file to the commits that they are from."""

    def __init__(
        self,
        repository: Repository,
        path: str,
        commit: str | None,
        *,
        name: str | None = None,
        ignores_space: bool = False,
        contents: bytes | None = None,
    ) -> None:
        """Read the file.

        Args:
            commit: The commit whose file it is, None for that of the working tree.
            name: The name of the commit, as the caller wrote it.
        """
        self._first_parent = False
        self._oldest: int | None = None
        self._unwanted: frozenset[str] = frozenset()
        self.repository = repository
        self.objects = repository.objects
        self.names = Names(repository)
        self.path = path
        self.boundary: set[str] = set()
        self._key = normalizer(DiffOptions(ignore_all_space=True)) if ignores_space else None
        self.minimal = False
        self.copies: CopyOptions | None = None
        self.ignored_commits: frozenset[str] = frozenset()
        self.ignored: set[int] = set()  #: lines that were changed by commits that blame looked through
        self.unblamable: set[int] = set()  #: lines that such a commit made of nothing
        head = commit or repository.refs.resolve("HEAD")
        if head is None:
            raise GitError("no such ref: HEAD")
        self.start = head
        self.head_path = path
        at_head = self._content(head, path)
        self.uncommitted = commit is None
        if at_head is None and (commit is not None or path not in repository.index.by_path):
            raise GitError(
                f"no such path '{path}' in HEAD" if name is None else f"no such path {path} in {name}"
            )
        if at_head is None:
            self.head_path = self._path_at_head() or path
        self.lines = split_lines(at_head or b"")
        if contents is not None:
            self.lines = split_lines(contents)
        elif commit is None:
            work = WorkTree(repository)
            mode = work.mode_of(path, repository.index.get(path))
            if not mode:
                raise GitError(f"Cannot lstat '{path}': No such file or directory")
            self.lines = split_lines(work.read(path, mode))
        repository.ctx.budget.charge_memory(len(self.lines) * 200)

    def limit(self, options: Options, excluded: str | None) -> None:
        """Stop at commits that are older than --since, or that a range leaves out; follow only first parents."""
        repository = self.repository
        self._first_parent = options.first_parent
        self.minimal = options.minimal
        if options.since is not None:
            tz = repository.options.environment.get("TZ")
            self._oldest = parse_date(options.since, int(repository.ctx.now()), tz)
        if excluded is not None:
            self._unwanted = frozenset(each.oid for each in Walk(repository, [excluded], []))

    def _path_at_head(self) -> str | None:
        """Return the path that a file of the index, which HEAD does not have, was renamed from; None for a new file."""
        tree = self.objects.commit(self.start).tree
        everything = Pathspec([], self.repository.access.charge)
        pairs = compare_with_index(self.objects, tree, self.repository.index, everything)
        return self._source(pairs, self.path)

    def _source(self, pairs: Iterable[Pair], path: str) -> str | None:
        renamed = DiffOutput(self.repository, DiffOptions(renames=30_000)).complete(pairs)
        return next((pair.old.path for pair in renamed if pair.status == "R" and pair.path == path), None)

    def _content(self, commit: str, path: str) -> bytes | None:
        item = self.names.tree_item(self.objects.commit(commit).tree, path)
        return None if item is None else self.objects.get(item[1]).data

    def run(self) -> list[Line]:
        """Return the origin of every line."""
        result: dict[int, Line] = {}
        pending: dict[tuple[str, str], dict[int, int]] = {}
        queue: list[tuple[int, int, str, str]] = []
        number = 0

        def push(commit: str, path: str, lines: dict[int, int]) -> None:
            nonlocal number
            key = (commit, path)
            if key not in pending:
                pending[key] = {}
                heapq.heappush(queue, (-self.objects.commit(commit).committer.time, number, commit, path))
                number += 1
            pending[key].update(lines)

        every = {at: at for at in range(len(self.lines))}
        if self.uncommitted:
            for parent, old_path, passed in self._from_parents(every):
                push(parent, old_path, passed)
            for final, at in every.items():
                result[final] = Line(NULL_ID, self.path, at)
        else:
            push(self.start, self.head_path, every)
        while queue:
            self.repository.access.charge(4)
            _, _, oid, path = heapq.heappop(queue)
            lines = pending.pop((oid, path))
            for parent, old_path, passed in self._passed(oid, path, lines):
                push(parent, old_path, passed)
            for final, at in lines.items():
                result[final] = Line(oid, path, at)
        return [result[at] for at in range(len(self.lines))]

    def _from_parents(self, lines: dict[int, int]) -> list[_Passed]:
        """Remove from ``lines`` what HEAD and the commits that are being merged have; return it with them."""
        text = self.repository.access.text_or_none(f"{self.repository.git_dir}/MERGE_HEAD") or ""
        origins: list[tuple[str, str | None]] = [(self.start, self.head_path)]
        origins += [(oid, self.path) for oid in text.split() if self.objects.has(oid)]
        passed = self._taken(origins, lines, self.lines)
        return [*passed, *self._copied(None, origins, self.path, lines, self.lines)]

    def _copied(
        self,
        commit: Commit | None,
        origins: Sequence[tuple[str, str | None]],
        path: str,
        lines: dict[int, int],
        mine: list[bytes],
    ) -> Iterator[_Passed]:
        """Remove from ``lines`` those that -M and -C find in parents; yield them with the parents.

        Args:
            commit: None for the files of the working tree.
        """
        if self.copies is None or not lines:
            return
        search = CopySearch(self.copies, self.lines, self.repository.access.charge, self._key)
        files = (
            (parent, old, self._content(parent, old) or b"") for parent, old in origins if old is not None
        )
        yield from search.moves(lines, mine, files)
        for parent, old in origins if self.copies.level else ():
            if not lines:
                return
            is_harder = self.copies.level > 2 or (self.copies.level > 1 and old != path)
            sources = self._sources(commit, parent, old, every=is_harder)
            yield from search.copies(lines, mine, parent, sources)

    def _sources(
        self, commit: Commit | None, parent: str, old_path: str | None, *, every: bool
    ) -> list[Source]:
        """Return the files of a parent that lines may be copied from: those that change, or all."""
        everything = Pathspec([], self.repository.access.charge)
        tree = self.objects.commit(parent).tree
        if every:
            sides = list(walk_tree(self.objects, tree, everything))
        else:
            pairs = (
                compare_with_index(self.objects, tree, self.repository.index, everything)
                if commit is None
                else compare_trees(self.objects, tree, commit.tree, everything)
            )
            sides = [pair.old for pair in pairs if pair.old.exists]
        result = []
        for side in sides:
            if side.mode == GITLINK or side.path == old_path:
                continue
            data = self.objects.get(side.oid).data
            check_fits(4 * len(data))
            result.append((side.path, data))
        return result

    def _split(
        self, lines: dict[int, int], old: list[bytes], new: list[bytes]
    ) -> tuple[dict[int, int], dict[int, int]]:
        """Return the lines that ``new`` added, and those that ``old`` has, with their numbers there."""
        origin: dict[int, int] = {}
        at_old = at_new = 0
        for change in (
            *compare(old, new, self.repository.access.charge, key=self._key, minimal=self.minimal),
            None,
        ):
            end = len(new) if change is None else change.new
            for at in range(at_new, end):
                origin[at] = at_old + at - at_new
            if change is not None:
                at_old, at_new = change.old_end, change.new_end
        left = {final: at for final, at in lines.items() if at not in origin}
        return left, {final: origin[at] for final, at in lines.items() if at in origin}

    def _passed(self, oid: str, path: str, lines: dict[int, int]) -> list[_Passed]:
        """Remove from ``lines`` what parents have; return it with the parents."""
        commit = self.objects.commit(oid)
        is_old = self._oldest is not None and commit.committer.time < self._oldest
        if not commit.parents or is_old or oid in self._unwanted:
            self.boundary.add(oid)
        if is_old or oid in self._unwanted:
            return []
        mine = split_lines(self._content(oid, path) or b"")
        parents = commit.parents[:1] if self._first_parent else commit.parents
        origins = [(parent, self.old_path(commit, parent, path)) for parent in parents]
        passed = self._taken(origins, lines, mine)
        if oid in self.ignored_commits:
            passed += self._looked_through(origins, lines, mine)
        return [*passed, *self._copied(commit, origins, path, lines, mine)]

    def _looked_through(
        self, origins: Sequence[tuple[str, str | None]], lines: dict[int, int], mine: list[bytes]
    ) -> list[_Passed]:
        """Remove from ``lines`` those that similar lines of parents were changed to; return them with the parents."""
        from sandhook.utilities.git.history.similar_lines import SimilarLines

        result = []
        charge = self.repository.access.charge
        for parent, old_path in origins:
            if old_path is None or not lines:
                continue
            old = split_lines(self._content(parent, old_path) or b"")
            similar = SimilarLines(old, mine, charge, self.repository.ctx.budget.charge_memory)
            at_line = {at: final for final, at in lines.items()}
            passed: dict[int, int] = {}
            for change in compare(old, mine, charge, key=self._key, minimal=self.minimal):
                if not any(at in at_line for at in range(change.new, change.new_end)):
                    continue
                for at, source in enumerate(similar.sources(change), change.new):
                    final = at_line.get(at)
                    if final is not None and source >= 0:
                        passed[final] = source
                    elif final is not None:
                        self.unblamable.add(final)
            for final in passed:
                del lines[final]
            self.ignored.update(passed)
            if passed:
                result.append((parent, old_path, passed))
        self.unblamable -= self.ignored
        return result

    def _taken(
        self, origins: Sequence[tuple[str, str | None]], lines: dict[int, int], mine: list[bytes]
    ) -> list[_Passed]:
        """Remove from ``lines`` those that commits with these paths have; return them with their commits."""
        result = []
        for parent, old_path in origins:
            if old_path is not None and self._content(parent, old_path) == b"".join(mine):
                passed = dict(lines)
                lines.clear()
                return [(parent, old_path, passed)]
        for parent, old_path in origins:
            if old_path is None or not lines:
                continue
            left, passed = self._split(lines, split_lines(self._content(parent, old_path) or b""), mine)
            if passed:
                result.append((parent, old_path, passed))
            lines.clear()
            lines.update(left)
        return result

    def old_path(self, commit: Commit, parent: str, path: str) -> str | None:
        """Return the path that a file has in a parent, None if it was added."""
        tree = self.objects.commit(parent).tree
        if self.names.tree_item(tree, path) is not None:
            return path
        everything = Pathspec([], self.repository.access.charge)
        return self._source(compare_trees(self.objects, tree, commit.tree, everything), path)
