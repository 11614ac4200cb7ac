"""git blame: print which commit each line of a file is from.

Renames are followed, copies from other files (-C) and moves (-M) are not.

Source: git-blame(1); git 2.39, blame.c.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.record import Record
from sandhook.text.width import width_of
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.diff.drivers import Drivers
from sandhook.utilities.git.diff.model import NULL_ID, Pair
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.patch import normalizer
from sandhook.utilities.git.diff.ranges import Lines
from sandhook.utilities.git.diff.trees import compare_trees, compare_with_index
from sandhook.utilities.git.diff.xdiff import compare, split_lines
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.dates import parse_date, show_date
from sandhook.utilities.git.history.mailmap import Mailmap
from sandhook.utilities.git.history.messages import subject
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.operands import is_revision
from sandhook.utilities.git.history.walk import Walk
from sandhook.utilities.git.names.pathspec import Pathspec, from_top
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Commit, Identity
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.tree import WorkTree
from sandhook.vfs.path import VirtualPath, join

_UNCOMMITTED = "Not Committed Yet"
_EMAIL = "not.committed.yet"


@option_set
class Options:
    """Options of git blame."""

    ranges: tuple[str, ...] = opt("-L", "RANGE", "", append=True)
    porcelain: bool = also(opt("-p"), opt("--porcelain"))
    line_porcelain: bool = opt("--line-porcelain")
    email: bool = also(opt("-e"), opt("--show-email"))
    suppress: bool = opt("-s")
    long: bool = opt("-l")
    raw_time: bool = opt("-t")
    name: bool = also(opt("-f"), opt("--show-name"))
    number: bool = also(opt("-n"), opt("--show-number"))
    root: bool = opt("--root")
    blank_boundary: bool = opt("-b")
    date: str | None = opt("--date", "FORM", "")
    abbrev: int | None = opt("--abbrev", "N", "", convert=count)
    ignore_space: bool = opt("-w")
    moves: str | None = also(
        opt("-M", "N", "", optional=True, const=""), opt("-C", "N", "", optional=True, const="")
    )
    ignored: tuple[str, ...] = opt("--ignore-rev", "REV", "", append=True)
    ignored_files: tuple[str, ...] = opt("--ignore-revs-file", "FILE", "", append=True)
    reverse: bool = opt("--reverse")
    incremental: bool = opt("--incremental")
    stats: bool = also(opt("--show-stats"), opt("--score-debug"))
    colors: bool = also(opt("--color-lines"), opt("--color-by-age"))
    compatible: bool = opt("-c")
    first_parent: bool = opt("--first-parent")
    since: str | None = also(opt("--since", "DATE", ""), opt("--after", "DATE", ""))
    contents: str | None = opt("--contents", "FILE", "")
    minimal: bool = opt("--minimal")
    progress: bool = also(opt("--progress"), opt("--no-progress", const=False))


_Passed = tuple[str, str, dict[int, int]]  #: a commit, a path, and lines with their numbers there


class _Line(Record):
    """A line of the file: the commit and the path that it is from, and its number there (0-based)."""

    commit: str
    path: str
    number: int


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0."""
    parsed = Parser(Options).parse(arguments)
    options, repository = parsed.of(Options), call.repository
    if options.moves is not None:
        raise GitError("blame -M and -C are not offered in the sandbox (L-GIT-003)", status=129)
    _check_ignored(call, options)
    operands = [*parsed.operands, *(parsed.paths or ())]
    if not operands or len(operands) > 2:
        raise GitError("usage: git blame [<options>] [<rev>] [--] <file>", prefix="", status=129)
    names = Names(repository)
    if len(operands) == 2 and parsed.paths is None and not is_revision(names, operands[0]):
        operands.reverse()
    path = from_top(operands[-1], repository.prefix, repository.place.root or "/", operands[-1])
    revision = operands[0] if len(operands) == 2 else None
    excluded: str | None = None
    if revision is not None and ".." in revision and "..." not in revision:
        left, _, revision = revision.partition("..")
        excluded, revision = names.commit(left or "HEAD"), revision or "HEAD"
    if revision is None and repository.place.root is None:
        revision = "HEAD"
    commit = None if revision is None else names.commit(revision)
    if options.contents is not None and commit is not None:
        raise GitError("cannot use --contents with final commit object name")
    contents = None if options.contents is None else _contents(call, options.contents)
    blame = _Blame(repository, path, commit, ignores_space=options.ignore_space, contents=contents)
    blame.limit(options, excluded)
    wanted = (
        _ranges(repository, options.ranges, path, blame.lines)
        if options.ranges
        else list(range(len(blame.lines)))
    )
    result = blame.run()
    _Writer(call, options, blame, path).write(result, wanted)
    return 0


def _contents(call: Invocation, name: str) -> bytes:
    """Return the contents of --contents. Raises GitError for a file that cannot be read."""
    if name == "-":
        with call.ctx.stdin_reader() as reader:
            return reader.read_all()
    path = str(join(VirtualPath(call.options.cwd), name))
    found = call.access.stat(path, follow=True)
    if found is None:
        raise GitError(f"Cannot stat '{name}': No such file or directory")
    if found.mode & 0o170000 != 0o100000:
        raise GitError(f"unsupported file type {name}")
    return call.access.read(path)


def run_annotate(call: Invocation, arguments: Sequence[str]) -> int:
    """Print what git annotate prints; return 0."""
    return run(call, ["-c", *arguments])


def _check_ignored(call: Invocation, options: Options) -> None:
    """Raise GitError for commits that blame should look through, which needs a comparison of similar lines."""
    files = list(options.ignored_files)
    if "" in files:  # which clears the list
        files = files[len(files) - files[::-1].index("") :]
    else:
        files = [*call.repository.config.get_all("blame.ignorerevsfile"), *files]
    has_names = any(
        line.partition("#")[0].strip()
        for name in filter(None, files)
        for line in (call.access.text_or_none(call.repository.expand(name)) or "missing").split("\n")
    )
    for name, is_set in (
        ("--ignore-rev", bool(options.ignored)),
        ("--ignore-revs-file and the setting blame.ignoreRevsFile", has_names),
        ("--reverse", options.reverse),
        ("--incremental", options.incremental),
        ("--show-stats and --score-debug", options.stats),
        ("--color-lines and --color-by-age", options.colors),
        ("--minimal", options.minimal),
    ):
        if is_set:
            raise GitError(f"blame {name} is not offered in the sandbox (L-GIT-003)", status=129)


def _ranges(repository: Repository, texts: Sequence[str], path: str, lines: list[bytes]) -> list[int]:
    """Return the numbers of the lines of -L. Raises GitError for lines that the file does not have."""
    finder = Lines(lines, Drivers(repository).heading(path), repository.access.charge, shown=path)
    numbers: set[int] = set()
    anchor = 1
    for text in texts:
        found = finder.range(text, anchor)
        if found is None:
            raise GitError(
                "usage: git blame [<options>] [<rev-opts>] [<rev>] [--] <file>", prefix="", status=129
            )
        numbers.update(range(*found))
        anchor = found[1] + 1
    return sorted(numbers)


class _Blame:
    """Passes the lines of a file to the commits that they are from."""

    def __init__(
        self,
        repository: Repository,
        path: str,
        commit: str | None,
        *,
        ignores_space: bool = False,
        contents: bytes | None = None,
    ) -> None:
        self._first_parent = False
        self._oldest: int | None = None
        self._unwanted: frozenset[str] = frozenset()
        self.repository = repository
        self.objects = repository.objects
        self.names = Names(repository)
        self.path = path
        self.boundary: set[str] = set()
        self._key = normalizer(DiffOptions(ignore_all_space=True)) if ignores_space else None
        head = commit or repository.refs.resolve("HEAD")
        if head is None:
            raise GitError("no such ref: HEAD")
        self.start = head
        self.head_path = path
        at_head = self._content(head, path)
        self.uncommitted = commit is None
        if at_head is None and (commit is not None or path not in repository.index.by_path):
            raise GitError(f"no such path '{path}' in {'HEAD' if commit is None else commit}")
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

    def run(self) -> list[_Line]:
        """Return the origin of every line."""
        result: dict[int, _Line] = {}
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
                result[final] = _Line(NULL_ID, self.path, at)
        else:
            push(self.start, self.head_path, every)
        while queue:
            self.repository.access.charge(4)
            _, _, oid, path = heapq.heappop(queue)
            lines = pending.pop((oid, path))
            for parent, old_path, passed in self._passed(oid, path, lines):
                push(parent, old_path, passed)
            for final, at in lines.items():
                result[final] = _Line(oid, path, at)
        return [result[at] for at in range(len(self.lines))]

    def _from_parents(self, lines: dict[int, int]) -> list[_Passed]:
        """Remove from ``lines`` what HEAD and the commits that are being merged have; return it with them."""
        text = self.repository.access.text_or_none(f"{self.repository.git_dir}/MERGE_HEAD") or ""
        origins: list[tuple[str, str | None]] = [(self.start, self.head_path)]
        origins += [(oid, self.path) for oid in text.split() if self.objects.has(oid)]
        return self._taken(origins, lines, self.lines)

    def _split(
        self, lines: dict[int, int], old: list[bytes], new: list[bytes]
    ) -> tuple[dict[int, int], dict[int, int]]:
        """Return the lines that ``new`` added, and those that ``old`` has, with their numbers there."""
        origin: dict[int, int] = {}
        at_old = at_new = 0
        for change in (*compare(old, new, self.repository.access.charge, key=self._key), None):
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
        return self._taken(origins, lines, mine)

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


class _Writer:
    def __init__(self, call: Invocation, options: Options, blame: _Blame, path: str) -> None:
        self.call = call
        self.options = options
        self.blame = blame
        self.path = path
        self.names = Names(call.repository)
        self.mailmap = Mailmap(call.repository)

    def _person(self, oid: str, role: str = "author") -> Identity:
        if oid == NULL_ID:
            return Identity(_UNCOMMITTED, _EMAIL, int(self.call.ctx.now()), "+0000")
        commit = self.call.repository.objects.commit(oid)
        return self.mailmap.of(commit.author if role == "author" else commit.committer)

    def write(self, result: list[_Line], wanted: list[int]) -> None:
        """Print the wanted lines."""
        if self.options.porcelain or self.options.line_porcelain:
            self._porcelain(result, wanted)
            return
        lines = [result[at] for at in wanted]
        options = self.options
        people = {line.commit: self._person(line.commit) for line in lines}
        shown = {oid: f"<{each.email}>" if options.email else each.name for oid, each in people.items()}
        name_width = max(map(width_of, shown.values()), default=0)
        number_width = max((len(str(at + 1)) for at in wanted), default=1)
        old_width = max((len(str(line.number + 1)) for line in lines), default=1)
        with_path = (
            options.name
            or len({line.path for line in lines}) > 1
            or any(line.path != self.path for line in lines)
        )
        path_width = max((width_of(line.path) for line in lines), default=0)
        length = 40 if options.long else self._length(lines)
        mode = options.date or self.call.repository.config.get("blame.date") or "iso"
        tz = self.call.options.environment.get("TZ")
        for at, line in zip(wanted, lines):
            self.call.access.charge(2)
            person = people[line.commit]
            if options.compatible:
                date = self._date(person, mode, tz)
                name = " " * (10 - width_of(shown[line.commit])) + shown[line.commit]
                self._line(f"{self._id(line.commit, length)}\t({name}\t{date:>10}\t{at + 1})", at)
                continue
            text = self._id(line.commit, length)
            if with_path:
                text += f" {line.path}{' ' * (path_width - width_of(line.path))}"
            if options.number:
                text += f" {line.number + 1:>{old_width}}"
            if not options.suppress:
                date = self._date(person, mode, tz)
                name = shown[line.commit]
                text += f" ({name}{' ' * (name_width - width_of(name))} {date} {at + 1:>{number_width}}) "
            else:
                text += f" {at + 1:>{number_width}}) "
            self._line(text, at)

    def _date(self, person: Identity, mode: str, tz: str | None) -> str:
        if self.options.raw_time:
            return f"{person.time} {person.zone}"
        return show_date(person, mode, self.call.ctx.now(), tz)

    def _line(self, text: str, at: int) -> None:
        self.call.ctx.write(encode(text) + self.blame.lines[at].removesuffix(b"\n") + b"\n")

    def _length(self, lines: list[_Line]) -> int:
        """Return the digits of commits: one more than usual, for the mark of boundaries."""
        if self.options.abbrev is not None:
            return min(40, self.options.abbrev + 1)
        usual = self.names.abbreviation
        unique = [len(self.names.abbreviate(line.commit, usual)) for line in lines if line.commit != NULL_ID]
        return min(40, max(unique, default=usual) + 1)

    def _id(self, oid: str, length: int) -> str:
        if (
            oid in self.blame.boundary
            and not self.options.root
            and not self.call.repository.config.boolean("blame.showroot")
        ):
            if self.options.blank_boundary:
                return " " * length
            if self.options.compatible:
                return oid[:length]
            return f"^{oid[: length - 1]}"
        return oid[:length]

    # ------------------------------------------------------------------ for scripts

    def _porcelain(self, result: list[_Line], wanted: list[int]) -> None:
        known: set[str] = set()
        previous: tuple[str, str, int, int] | None = None
        for index, at in enumerate(wanted):
            line = result[at]
            here = (line.commit, line.path, line.number, at)
            follows = previous is not None and here == (
                previous[0],
                previous[1],
                previous[2] + 1,
                previous[3] + 1,
            )
            head = f"{line.commit} {line.number + 1} {at + 1}"
            if not follows:
                head += f" {self._run(result, wanted, index)}"
            self.call.ctx.write_line(head)
            if line.commit not in known or self.options.line_porcelain:
                known.add(line.commit)
                self._details(line)
            self._line("\t", at)
            previous = here

    def _run(self, result: list[_Line], wanted: list[int], index: int) -> int:
        """Return how many wanted lines from an index on are consecutive in file and commit."""
        first, start = result[wanted[index]], wanted[index]
        size = 1
        while index + size < len(wanted):
            line, at = result[wanted[index + size]], wanted[index + size]
            if (line.commit, line.path, line.number, at) != (
                first.commit,
                first.path,
                first.number + size,
                start + size,
            ):
                break
            size += 1
        return size

    def _details(self, line: _Line) -> None:
        write = self.call.ctx.write_line
        for role in ("author", "committer"):
            person = self._person(line.commit, role)
            write(f"{role} {person.name}")
            write(f"{role}-mail <{person.email}>")
            write(f"{role}-time {person.time}")
            write(f"{role}-tz {person.zone}")
        if line.commit == NULL_ID:
            write(f"summary Version of {self.path} from {self.path}")
            write(f"previous {self.blame.start} {self.path}")
        else:
            commit = self.call.repository.objects.commit(line.commit)
            write(f"summary {subject(commit.message)}")
            if line.commit in self.blame.boundary:
                write("boundary")
            elif commit.parents:
                old = self.blame.old_path(commit, commit.parents[0], line.path)
                if old is not None:
                    write(f"previous {commit.parents[0]} {old}")
        write(f"filename {line.path}")
