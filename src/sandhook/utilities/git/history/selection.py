"""Which commits log, show and rev-list print: the options of walks.

Source: git-rev-list(1), "Commit Limiting"; git 2.39, revision.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from sandhook.command.options import also, opt, option_set
from sandhook.text.numbers import is_integer
from sandhook.utilities.git.arguments import count
from sandhook.utilities.git.diff.trees import compare_trees
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.commit_filters import compiled, filters_of
from sandhook.utilities.git.history.dates import parse_date
from sandhook.utilities.git.history.decorate import Decorations
from sandhook.utilities.git.history.reflogs import ReflogWalk
from sandhook.utilities.git.history.rewriting import History, Node
from sandhook.utilities.git.history.starts import Starts
from sandhook.utilities.git.history.walk import Simplify, Walk, in_topological_order
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.repository import Repository


@option_set
class WalkOptions:
    """Options of walks."""

    number: str | None = also(opt("-n", "N", ""), opt("--max-count", "N", ""))
    skip: int = opt("--skip", "N", "", convert=count, default=0)
    since: str | None = also(opt("--since", "DATE", ""), opt("--after", "DATE", ""))
    until: str | None = also(opt("--until", "DATE", ""), opt("--before", "DATE", ""))
    max_age: int | None = opt("--max-age", "TIME", "", convert=count)
    min_age: int | None = opt("--min-age", "TIME", "", convert=count)
    author: tuple[str, ...] = opt("--author", "REGEX", "", append=True)
    committer: tuple[str, ...] = opt("--committer", "REGEX", "", append=True)
    grep: tuple[str, ...] = opt("--grep", "REGEX", "", append=True)
    all_match: bool = opt("--all-match")
    invert_grep: bool = opt("--invert-grep")
    icase: bool = also(opt("-i"), opt("--regexp-ignore-case"))
    syntax: str = also(
        opt("--basic-regexp", const="basic", default=""),
        opt("-P", const="perl"),
        opt("--perl-regexp", const="perl"),
        opt("-E", const="extended"),
        opt("--extended-regexp", const="extended"),
        opt("-F", const="fixed"),
        opt("--fixed-strings", const="fixed"),
    )
    min_parents: int | None = also(opt("--min-parents", "N", "", convert=count), opt("--merges", const=2))
    max_parents: int | None = also(opt("--max-parents", "N", "", convert=count), opt("--no-merges", const=1))
    first_parent: bool = opt("--first-parent")
    reverse: bool = opt("--reverse")
    order: str = also(
        opt("--date-order", const="date", default=""),
        opt("--topo-order", const="topo"),
        opt("--author-date-order", const="author"),
    )
    no_walk: str = opt("--no-walk", "ORDER", "", optional=True, const="sorted", default="")
    left_right: bool = opt("--left-right")
    left_only: bool = opt("--left-only")
    right_only: bool = opt("--right-only")
    merge: bool = opt("--merge")
    full_history: bool = opt("--full-history")
    sparse: bool = also(opt("--sparse"), opt("--dense", const=False))
    remove_empty: bool = opt("--remove-empty")
    simplify_merges: bool = opt("--simplify-merges")
    by_decoration: bool = opt("--simplify-by-decoration")
    ancestry: bool = opt("--ancestry-path")
    ignored_missing: bool = opt("--ignore-missing")
    grep_reflog: tuple[str, ...] = opt("--grep-reflog", "REGEX", "", append=True)


#: What options stand for. As words in their places, the last option of each kind counts.
SHORTHANDS = {
    "--oneline": ("--pretty=oneline", "--abbrev-commit"),
    "--cherry": ("--cherry-mark", "--right-only", "--no-merges"),
}


class Selection:
    """The commits of a walk, with their marks."""

    def __init__(
        self,
        repository: Repository,
        options: WalkOptions,
        starts: Starts,
        pathspec: Pathspec,
        reflogs: ReflogWalk | None = None,
    ) -> None:
        self.repository = repository
        self.options = options
        self.starts = starts
        self.full_history = False  #: merges keep all of their parents, as -m has it
        self.no_walk = options.no_walk  #: how the named commits alone are ordered, "" for a walk
        self.pathspec = pathspec
        now, tz = int(repository.ctx.now()), repository.options.environment.get("TZ")
        self._oldest = parse_date(options.since, now, tz) if options.since is not None else options.max_age
        self._youngest = parse_date(options.until, now, tz) if options.until is not None else options.min_age
        self._filters = filters_of(repository, options)
        self._order = options.order
        self._left: set[str] | None = None
        self._on_path: set[str] | None = None
        self.omitted: frozenset[str] = (
            frozenset()
        )  #: commits that are left out, such as those of --cherry-pick
        self.sources: dict[str, str] | None = (
            None  #: the names that the commits were reached by, if they are wanted
        )
        self._accept: Callable[[Commit], bool] | None = None
        self._cut: set[str] = set()  #: commits whose history is not followed (--remove-empty)
        self.rewrites = (
            False  #: parents are shown: commits that join others stay, and parents are those that stay
        )
        self.has_edges = False  #: parents that were left out are shown after all other commits
        self.edges: frozenset[str] = frozenset()  #: these parents
        self.history: History | None = None
        self.listed: list[Commit] = []  #: all commits of a walk that rewrites parents
        self._reflogs = reflogs
        self._reflog_patterns = [compiled(text, options, repository) for text in options.grep_reflog]

    def __iter__(self) -> Iterator[Commit]:
        yield from self._numbered(self._number())

    def shown(self, show: Callable[[Commit], bool]) -> None:
        """Call a function for each commit. Those for which it returns False do not count for -n."""
        left = self._number()
        if self.options.reverse or left < 0:
            for commit in self:
                show(commit)
            return
        if left == 0:
            return
        for commit in self._numbered(-1):
            left -= show(commit)
            if left == 0:
                return

    def all_in_topological_order(self) -> frozenset[str]:
        """Have the commits come in topological order; return the names of all of them, regardless of -n."""
        self._order = self._order or "topo"
        return frozenset(commit.oid for commit in self._in_order())

    def _numbered(self, number: int) -> Iterator[Commit]:
        """Yield the commits after --skip, at most ``number``; all if it is negative."""
        commits = self._in_order()
        skip = self.options.skip
        if self.options.reverse:
            chosen = [
                commit
                for at, commit in enumerate(commits)
                if at >= skip and (number < 0 or at < skip + number)
            ]
            yield from reversed(chosen)
            return
        if number == 0:
            return
        for at, commit in enumerate(commits):
            if at >= skip:
                yield commit
            if 0 <= number <= at + 1 - skip:
                return

    def _number(self) -> int:
        text = self.options.number
        if text is None:
            return -1
        if not is_integer(text) or len(text) > 10:
            raise GitError(f"'{text}': not an integer")
        return int(text) if not text.startswith("-") else -1

    def _in_order(self) -> Iterator[Commit]:
        if self._reflogs is not None:
            return (commit for commit in self._reflogs if self._selects_entry(commit))
        if self.no_walk and not self.starts.unwanted:  # ranges are walked
            commits = [self.repository.objects.commit(oid) for oid in dict.fromkeys(self.starts.wanted)]
            if self.no_walk not in ("sorted", "unsorted"):
                raise GitError(
                    f"invalid argument to --no-walk\nfatal: unrecognized argument: --no-walk={self.no_walk}",
                    prefix="error",
                    status=128,
                )
            if self.no_walk == "sorted":
                commits.sort(key=lambda commit: -commit.committer.time)
            return (
                commit
                for commit in commits
                if (not self.pathspec or self.changes_paths(commit)) and self._selects(commit)
            )
        self._on_path = self._between() if self.options.ancestry else None
        prunes = bool(self.pathspec) or self._oldest is not None
        if self._rewrites or (prunes and (self._order or self.options.sparse or self.has_edges)):
            walk = iter(self._rewritten())
        else:
            walk = iter(self._walk(self._simplify if prunes else None))
            if self._order:
                walk = iter(in_topological_order(list(walk), self._order != "topo"))
        if self._on_path is not None:
            between = self._on_path
            walk = (commit for commit in walk if commit.oid in between)
        if self._accept is not None:
            walk = filter(self._accept, walk)
        return (commit for commit in walk if self._selects(commit))

    def _walk(self, simplify: Simplify | None) -> Walk:
        return Walk(
            self.repository,
            self.starts.wanted,
            self.starts.unwanted,
            first_parent=self.options.first_parent,
            simplify=simplify,
            visit=self._pass_source if self.sources is not None else None,
        )

    def _rewritten(self) -> list[Commit]:
        """Return the commits whose parents are shown, too: with merges between them, and with rewritten parents."""
        nodes: dict[str, Node] = {}

        def note(commit: Commit, is_relevant: Callable[[str], bool]) -> tuple[bool, tuple[str, ...]]:
            is_same, parents, same = self._examine(commit, is_relevant)
            nodes[commit.oid] = Node(commit, parents, same, is_same)
            return True, parents[:1] if self.options.first_parent else parents

        on_path = self._on_path
        commits = [each for each in self._walk(note) if on_path is None or each.oid in on_path]
        left = {commit.oid for commit in commits}
        ends = set(self.starts.unwanted)
        history = self.history = History(
            self.repository,
            {oid: node for oid, node in nodes.items() if oid in left},
            lambda oid: oid in left or oid in ends or not (ends or on_path),
            first_parent=self.options.first_parent,
        )
        simplifies = self.options.simplify_merges or self.options.by_decoration
        if self._order or simplifies:
            commits = in_topological_order(
                commits,
                bool(self._order) and self._order != "topo",
                lambda commit: history.followed(commit.oid),
            )
        if simplifies and (self.pathspec or self.options.by_decoration):
            commits = history.simplify_merges(commits)
        self.listed = commits
        if self.options.sparse:
            return commits
        return [commit for commit in commits if history.shows(commit.oid, joins=self._rewrites)]

    @property
    def _rewrites(self) -> bool:
        return self.rewrites or self.options.simplify_merges or self.options.by_decoration

    def rewritten(self, commit: Commit) -> Commit:
        """Return a commit with the parents that are followed, or that are shown if parents are."""
        if self.history is None or commit.oid not in self.history:
            return commit
        if self._rewrites and commit.oid not in self.edges and not self.options.sparse:
            return commit._replace(parents=self.history.parents(commit.oid))
        return commit._replace(parents=tuple(self.history.followed(commit.oid)))

    def children(self) -> dict[str, list[str]]:
        """Return the children of each commit, the last of which git prints first."""
        found: dict[str, list[str]] = {}
        for commit in self.listed:
            parents = commit.parents if self.history is None else self.history.followed(commit.oid)
            for parent in parents:
                found.setdefault(parent, []).insert(0, commit.oid)
        return found

    def _pass_source(self, commit: Commit, parents: Sequence[str]) -> None:
        """Have parents be reached by the name of their child, unless they were reached before."""
        if self.sources is not None and commit.oid in self.sources:
            for parent in parents:
                self.sources.setdefault(parent, self.sources[commit.oid])

    def _between(self) -> set[str]:
        """Return the commits whose history leads to one that is left out by name (--ancestry-path)."""
        bottoms = set(self.starts.unwanted)
        if not bottoms:
            raise GitError("--ancestry-path given but there are no bottom commits")
        commits = list(
            Walk(
                self.repository,
                self.starts.wanted,
                self.starts.unwanted,
                first_parent=self.options.first_parent,
            )
        )
        found = set(bottoms)
        for commit in reversed(in_topological_order(commits)):
            self.repository.access.charge(1)
            if not found.isdisjoint(commit.parents):
                found.add(commit.oid)
        return found

    def restrict(self, accept: Callable[[Commit], bool]) -> None:
        """Select the commits that a function accepts. It sees all commits of the walk, in topological order."""
        self._order = self._order or "topo"
        self._accept = accept

    def changes_paths(self, commit: Commit) -> bool:
        """Return True if a commit changes the selected paths."""
        return self._simplify(commit)[0]

    def _simplify(
        self, commit: Commit, is_relevant: Callable[[str], bool] = lambda oid: True
    ) -> tuple[bool, tuple[str, ...]]:
        """Return whether a commit changes the selected paths, and the parents to follow.

        Args:
            is_relevant: Returns whether a commit is one of those that the walk shows, or a named end of it.
        """
        is_same, parents, _ = self._examine(commit, is_relevant)
        return not is_same, parents

    def _examine(
        self, commit: Commit, is_relevant: Callable[[str], bool]
    ) -> tuple[bool, tuple[str, ...], tuple[bool, ...]]:
        """Return whether a commit changes nothing that is asked for, the parents to follow, and the equal ones."""
        options, objects = self.options, self.repository.objects
        if self._oldest is not None and self._time(commit) < self._oldest:
            return True, (), ()
        parents = () if commit.oid in self._cut else commit.parents
        if not (self.pathspec or options.by_decoration):
            return False, parents, (False,) * len(parents)
        if not parents:
            is_empty = not any(True for _ in compare_trees(objects, None, commit.tree, self.pathspec))
            return is_empty and not options.sparse, (), ()
        if options.sparse and len(parents) == 1:
            return False, parents, (False,)
        compared = parents[:1] if options.first_parent else parents
        follows_all = (
            options.full_history
            or self.full_history
            or options.ancestry
            or options.simplify_merges
            or options.by_decoration
        )
        changes: dict[bool, list[bool]] = {True: [], False: []}
        same = []
        for parent in compared:
            relevant = is_relevant(parent) and (self._on_path is None or parent in self._on_path)
            changed = self._differs(commit, parent)
            same.append(not changed)
            if not changed and relevant and not follows_all:
                return not options.sparse, (parent,), (True,)
            changes[relevant].append(changed)
        return not any(changes[True] or changes[False]) and not options.sparse, parents, tuple(same)

    def _differs(self, commit: Commit, parent: str) -> bool:
        """Return True if a commit has a decoration, or changes the paths."""
        objects = self.repository.objects
        if self.options.by_decoration:
            if self._decorations.of(commit.oid):
                return True
            if not self.pathspec:
                return False
        other = objects.commit(parent).tree
        changed = any(True for _ in compare_trees(objects, other, commit.tree, self.pathspec))
        if (
            changed
            and self.options.remove_empty
            and not any(True for _ in compare_trees(objects, None, other, self.pathspec))
        ):
            self._cut.add(parent)
        return changed

    @cached_property
    def _decorations(self) -> Decorations:
        return Decorations(self.repository)

    def _selects(self, commit: Commit) -> bool:
        options = self.options
        parents = len(commit.parents if self.history is None else self.history.followed(commit.oid))
        if commit.oid in self.omitted:
            return False
        if options.min_parents is not None and parents < options.min_parents:
            return False
        if options.max_parents is not None and 0 <= options.max_parents < parents:
            return False
        if self._youngest is not None and self._time(commit) > self._youngest:
            return False
        if self._oldest is not None and self._time(commit) < self._oldest:
            return False
        if (options.left_only and self.mark(commit) != "<") or (
            options.right_only and self.mark(commit) != ">"
        ):
            return False
        return all(check(commit) for check in self._filters)

    def _selects_entry(self, commit: Commit) -> bool:
        """Return True for a commit that the options select, by the time and the message of its reflog entry."""
        position = self._reflogs.current if self._reflogs is not None else None
        message = encode(position.entry.message) if position is not None else b""
        patterns = self._reflog_patterns
        return (
            self._selects(commit)
            and (not self.pathspec or self._simplify(commit)[0])
            and (not patterns or any(matches(message) for matches in patterns))
        )

    def _time(self, commit: Commit) -> int:
        """Return the time that --since and --until compare."""
        position = self._reflogs.current if self._reflogs is not None else None
        return commit.committer.time if position is None else position.entry.person.time

    def mark(self, commit: Commit) -> str:
        """Return "<" for a commit of the left side of "A...B", ">" for another one."""
        if self._left is None:
            others = [oid for oid in self.starts.wanted if oid not in self.starts.left]
            unwanted = [*self.starts.unwanted, *others]
            walk = Walk(self.repository, self.starts.left, unwanted) if self.starts.left else ()
            self._left = {each.oid for each in walk}
        return "<" if commit.oid in self._left else ">"
