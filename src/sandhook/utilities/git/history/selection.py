"""Which commits log, show and rev-list print: the options of walks.

Source: git-rev-list(1), "Commit Limiting"; git 2.39, revision.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.record import Record
from sandhook.text.numbers import is_integer
from sandhook.utilities.git.arguments import count
from sandhook.utilities.git.diff.trees import compare_trees
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.bases import merge_bases
from sandhook.utilities.git.history.commit_filters import compiled, filters_of
from sandhook.utilities.git.history.dates import parse_date
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.reflogs import ReflogWalk
from sandhook.utilities.git.history.walk import Walk, in_topological_order
from sandhook.utilities.git.names.pathspec import Pathspec, parse_pathspec
from sandhook.utilities.git.names.wildmatch import has_wildcard, wildmatch
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Commit, Tag
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
    no_walk: bool = opt("--no-walk")
    left_right: bool = opt("--left-right")
    left_only: bool = opt("--left-only")
    right_only: bool = opt("--right-only")
    merge: bool = opt("--merge")
    full_history: bool = opt("--full-history")
    ancestry: bool = opt("--ancestry-path")
    ignored_missing: bool = opt("--ignore-missing")
    grep_reflog: tuple[str, ...] = opt("--grep-reflog", "REGEX", "", append=True)


class Starts(Record):
    """What the operands of a walk name.

    Fields:
        wanted, unwanted: Commits.
        left: The commits of the left side of "A...B".
        names: The word or the reference that names each wanted commit first.
    """

    wanted: list[str]
    unwanted: list[str]
    left: list[str]
    names: dict[str, str]


#: What options stand for. As words in their places, the last option of each kind counts.
SHORTHANDS = {
    "--oneline": ("--pretty=oneline", "--abbrev-commit"),
    "--cherry": ("--cherry-mark", "--right-only", "--no-merges"),
}

_GLOBS = {"--branches": "refs/heads/", "--tags": "refs/tags/", "--remotes": "refs/remotes/"}


def pull_starts(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the options that name revisions ("--all", "--not", "--branches=x") in order, and the other arguments."""
    special: list[str] = []
    rest: list[str] = []
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    for at, word in enumerate(words):
        name = word.partition("=")[0]
        if at < end and (word in ("--all", "--not") or name in _GLOBS or name in ("--glob", "--exclude")):
            special.append(word)
            if word == "--not":
                rest.append("--not")
        elif at < end and word == "--no-walk=sorted":
            rest.append("--no-walk")
        else:
            rest.append(word)
    return special, rest


def find_starts(repository: Repository, revisions: Sequence[str], special: Sequence[str]) -> Starts:
    """Return the commits that operands and options name. Raises GitError, RevisionError."""
    names = Names(repository)
    starts = Starts([], [], [], {})
    negated = False
    excluded: list[str] = []
    for word in special:
        name, _, pattern = word.partition("=")
        if name == "--not":
            negated = not negated
        elif name == "--exclude":
            excluded.append(pattern)
        else:
            found = _commits_of_refs(repository, word, excluded)
            (starts.unwanted if negated else starts.wanted).extend(oid for _, oid in found)
            if not negated:
                for ref, oid in found:
                    starts.names.setdefault(oid, ref)
            excluded = []
    negated = False
    for word in revisions:
        if word == "--not":
            negated = not negated
            continue
        _add_word(repository, names, word, starts, negated)
    return starts


def add_merge(repository: Repository, starts: Starts, pathspec: Pathspec) -> Pathspec:
    """Add both sides of the merge that a repository is in (--merge); return the paths with conflicts.

    Raises:
        GitError: There is no merge.
    """
    head, other = (repository.refs.resolve(name) for name in ("HEAD", "MERGE_HEAD"))
    for name, oid in (("HEAD", head), ("MERGE_HEAD", other)):
        if oid is None:
            raise GitError(f"--merge without {name}?")
    assert head is not None and other is not None
    starts.wanted.extend((head, other))
    starts.left.append(head)
    starts.unwanted.extend(merge_bases(repository, head, [other]))
    charge = repository.access.charge
    paths = [
        path
        for path, entries in repository.index.by_path.items()
        if entries[0].stage and pathspec.matches(path)
    ]
    return parse_pathspec(paths, "", repository.place.root or "/", charge, defaults=frozenset(("literal",)))


def names_of_refs(repository: Repository, special: Sequence[str]) -> list[str]:
    """Return the references that options such as --all and --branches=x select. Raises GitError for --not."""
    names: list[str] = []
    excluded: list[str] = []
    for word in special:
        name, _, pattern = word.partition("=")
        if name == "--not":
            raise GitError("--not with reflogs is not offered in the sandbox (L-GIT-003)", status=129)
        if name == "--exclude":
            excluded.append(pattern)
            continue
        prefix = _GLOBS.get(name, "")
        names += [ref.removeprefix(prefix) for ref, _ in _selected_refs(repository, word, excluded)]
        excluded = []
    return names


def tags_of_starts(repository: Repository, revisions: Sequence[str], special: Sequence[str]) -> list[Tag]:
    """Return the tag objects that operands and options name."""
    names, objects = Names(repository), repository.objects
    oids = [names.find(word) for word in revisions if word != "--not" and not word.startswith("^")]
    excluded: list[str] = []
    for word in special:
        name, _, pattern = word.partition("=")
        if name == "--exclude":
            excluded.append(pattern)
        elif name != "--not":
            oids += [oid for _, oid in _selected_refs(repository, word, excluded)]
            excluded = []
    known = [oid for oid in dict.fromkeys(oids) if oid is not None and objects.has(oid)]
    return [objects.tag(oid) for oid in known if objects.get(oid).kind == "tag"]


def _commits_of_refs(repository: Repository, word: str, excluded: list[str]) -> list[tuple[str, str]]:
    """Return the references that an option selects, with their commits, without excluded ones."""
    peeled = (
        (ref, repository.objects.peel(oid, "commit"))
        for ref, oid in _selected_refs(repository, word, excluded)
    )
    prefix = _GLOBS.get(word, "")
    return [(ref.removeprefix(prefix), commit) for ref, commit in peeled if commit is not None]


def _selected_refs(repository: Repository, word: str, excluded: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the references that an option selects, such as --branches=x, with their objects."""
    name, _, pattern = word.partition("=")
    prefix = _GLOBS.get(name, "refs/")
    if name == "--glob":
        pattern = pattern.removeprefix("refs/")
    glob = prefix + pattern
    if pattern and not has_wildcard(pattern):
        glob = glob.rstrip("/") + "/*"
    charge = repository.access.charge
    found = {} if word != "--all" else {"HEAD": repository.refs.resolve("HEAD")}
    for ref, oid in (*repository.refs.all(prefix).items(), *found.items()):
        short = ref.removeprefix(prefix) if name in _GLOBS else ref
        if (
            oid is None
            or (pattern and not wildmatch(glob, ref, charge, pathname=False))
            or any(wildmatch(each, short, charge, pathname=False) for each in excluded)
        ):
            continue
        yield ref, oid


def _add_word(repository: Repository, names: Names, word: str, starts: Starts, negated: bool) -> None:
    wanted, unwanted = (starts.unwanted, starts.wanted) if negated else (starts.wanted, starts.unwanted)
    objects = repository.objects
    if word.startswith("^"):
        unwanted.append(names.commit(word[1:]))
        return
    for suffix in ("^@", "^!"):
        if word.endswith(suffix):
            commit = names.commit(word[:-2])
            if suffix == "^!":
                wanted.append(commit)
                starts.names.setdefault(commit, word[:-2])
            (unwanted if suffix == "^!" else wanted).extend(objects.commit(commit).parents)
            return
    dots = "..." if "..." in word else ".."
    if dots in word:
        left, _, right = word.partition(dots)
        if names.find(left or "HEAD") is not None and names.find(right or "HEAD") is not None:
            first, second = names.commit(left or "HEAD"), names.commit(right or "HEAD")
            if not negated:
                for oid, name in ((first, left), (second, right))[dots == ".." :]:
                    starts.names.setdefault(oid, name or "HEAD")
            if dots == "...":
                wanted.extend((first, second))
                unwanted.extend(merge_bases(repository, first, [second]))
                starts.left.append(first)
            else:
                wanted.append(second)
                unwanted.append(first)
            return
    wanted.append(names.commit(word))
    if not negated:
        starts.names.setdefault(wanted[-1], word)


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

    def leaves_out(self) -> bool:
        """Return True if options leave out commits between others."""
        return bool(
            self._filters
            or self.omitted
            or self.pathspec
            or self.options.ancestry
            or self._oldest is not None
            or self._youngest is not None
        )

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
        if self.options.no_walk:
            commits = [self.repository.objects.commit(oid) for oid in dict.fromkeys(self.starts.wanted)]
            commits.sort(key=lambda commit: -commit.committer.time)
            return iter([commit for commit in commits if self._selects(commit)])
        self._on_path = self._between() if self.options.ancestry else None
        simplify = self._simplify if self.pathspec or self._oldest is not None else None
        walk: Iterator[Commit] = iter(
            Walk(
                self.repository,
                self.starts.wanted,
                self.starts.unwanted,
                first_parent=self.options.first_parent,
                simplify=simplify,
                visit=self._pass_source if self.sources is not None else None,
            )
        )
        if self._order:
            walk = iter(in_topological_order(list(walk), self._order != "topo"))
        if self._on_path is not None:
            between = self._on_path
            walk = (commit for commit in walk if commit.oid in between)
        if self._accept is not None:
            walk = filter(self._accept, walk)
        return (commit for commit in walk if self._selects(commit))

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
        if self._oldest is not None and self._time(commit) < self._oldest:
            return False, ()
        if not self.pathspec:
            return True, commit.parents
        objects = self.repository.objects
        tree = commit.tree
        if not commit.parents:
            return any(True for _ in compare_trees(objects, None, tree, self.pathspec)), ()
        parents = commit.parents[:1] if self.options.first_parent else commit.parents
        changes: dict[bool, list[bool]] = {True: [], False: []}
        for parent in parents:
            other = objects.commit(parent).tree
            relevant = is_relevant(parent) and (self._on_path is None or parent in self._on_path)
            changed = any(True for _ in compare_trees(objects, other, tree, self.pathspec))
            if not changed and relevant and not (self.options.full_history or self.options.ancestry):
                return False, (parent,)
            changes[relevant].append(changed)
        return any(changes[True] or changes[False]), commit.parents

    def _selects(self, commit: Commit) -> bool:
        options = self.options
        parents = len(commit.parents)
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
