"""git rev-list: the commits of a history, and their objects.

Source: git-rev-list(1); git 2.39, builtin/rev-list.c and list-objects.c.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.bisection import Bisection, steps_left
from sandhook.utilities.git.history.decorate import Decorations
from sandhook.utilities.git.history.graph import GraphOfSelection
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.object_list import ObjectList, boundary, edges, parse_filter
from sandhook.utilities.git.history.operands import split_operands, without_missing
from sandhook.utilities.git.history.patch_ids import equivalent_commits
from sandhook.utilities.git.history.pretty import Format, Printer, parse_format
from sandhook.utilities.git.history.reflogs import ReflogWalk, check_words
from sandhook.utilities.git.history.selection import SHORTHANDS, Selection, WalkOptions
from sandhook.utilities.git.history.starts import (
    find_starts,
    names_of_refs,
    pull_starts,
    tags_of_starts,
    with_input,
)
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Commit, Tag
from sandhook.utilities.git.store.disk import Storage
from sandhook.utilities.git.store.repository import Repository


@option_set
class ListOptions:
    """Options of git rev-list."""

    only_count: bool = opt("--count")
    parents: bool = opt("--parents")
    timestamp: bool = opt("--timestamp")
    pretty: str | None = also(
        opt("--pretty", "FORMAT", "", optional=True, const="medium"), opt("--format", "FORMAT", ""),
    )  # fmt: skip
    abbrev_commit: bool = also(opt("--abbrev-commit"), opt("--no-abbrev-commit", const=False))
    abbrev: int | None = opt("--abbrev", "N", "", convert=count, optional=True, const=0)
    no_header: bool = opt("--no-commit-header")
    quiet: bool = opt("--quiet")
    date: str = opt("--date", "FORM", "", default="")
    objects: str = also(
        opt("--objects", const="all", default=""),
        opt("--objects-edge", const="edge"),
        opt("--objects-edge-aggressive", const="edge"),
    )
    plain_objects: bool = also(opt("--no-object-names"), opt("--object-names", const=False))
    in_commit_order: bool = opt("--in-commit-order")
    filter: str | None = opt("--filter", "SPEC", "")
    disk_usage: str | None = opt("--disk-usage", "FORM", "", optional=True, const="")
    unused: str | None = also(
        opt("--missing", "ACTION", "", ignored="no object is fetched"),
        opt("--use-bitmap-index", ignored="bitmaps only make it faster"),
        opt("--exclude-promisor-objects", ignored="no object is fetched"),
    )
    boundary: bool = opt("--boundary")
    header: bool = opt("--header")
    children: bool = opt("--children")
    graph: bool = opt("--graph")
    walk_reflogs: bool = also(opt("-g"), opt("--walk-reflogs"))
    bisection: str = also(
        opt("--bisect-vars", const="vars", default=""), opt("--bisect-all", const="all"), opt("--bisect", const="one")
    )  # fmt: skip
    equivalent: str = also(
        opt("--cherry-pick", const="omit", default=""), opt("--cherry-mark", const="mark")
    )  # fmt: skip


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the names of commits; return 0."""
    special, words = pull_starts(with_input(call.repository, arguments))
    parsed = Parser(
        WalkOptions, ListOptions, number="number", abbreviates=False, shorthands=SHORTHANDS
    ).parse([word for word in words if word != "--not"])
    options, walk = parsed.of(ListOptions), parsed.of(WalkOptions)
    _check(options, walk, special)
    repository = call.repository
    operands = parsed.operands
    if walk.ignored_missing:
        operands = without_missing(Names(repository), operands)
    revisions, paths = split_operands(repository, operands, parsed.paths, parsed.late)
    if not parsed.operands and not special and "--stdin" not in arguments:
        raise GitError("usage: git rev-list [<options>] <commit>... [--] [<path>...]", prefix="", status=129)
    ordered = _with_not(words, revisions)
    starts, pathspec = find_starts(repository, ordered, special), repository.pathspec(paths)
    reflogs = None
    if options.walk_reflogs:
        names = [*revisions, *names_of_refs(repository, special)]
        check_words(names)
        reflogs = ReflogWalk(repository, names or ["HEAD"], dated=False)
    selection = Selection(repository, walk, starts, pathspec, reflogs)
    selection.rewrites = options.parents or options.children or options.graph
    selection.has_edges = options.boundary
    listing = _Listing(call, options, walk, selection)
    if options.bisection or "--bisect" in special:
        return _bisect(call, options.bisection, list(listing.commits()))
    if options.only_count:
        return listing.count(with_boundary=options.boundary)
    tags = tags_of_starts(repository, ordered, special) if options.objects else []
    objects = ObjectList(repository, pathspec, parse_filter(options.filter or "tree:9999"))
    if options.disk_usage is not None:
        return listing.write_usage(objects, tags)
    if not options.quiet:
        listing.write_all(objects, tags)
    return 0


def _check(options: ListOptions, walk: WalkOptions, special: Sequence[str]) -> None:
    """Raise GitError for options that exclude each other or are not offered."""
    for name, is_set in (
        ("--merge", walk.merge),
        (
            "-g with --objects, --graph, --boundary or --count",
            options.walk_reflogs
            and bool(
                options.objects or options.graph or options.boundary or options.only_count or options.pretty
            ),
        ),
        (f"--pretty={options.pretty}", options.pretty in ("email", "mboxrd")),
        ("--boundary --first-parent", options.boundary and walk.first_parent),
        ("--graph with --header or --objects", options.graph and (options.header or bool(options.objects))),
        ("--disk-usage=human", options.disk_usage not in (None, "")),
    ):
        if is_set:
            raise GitError(f"rev-list {name} is not offered in the sandbox (L-GIT-003)", status=129)
    if options.children and (options.parents or options.graph or walk.simplify_merges or walk.by_decoration):
        raise GitError("options '--parents' and '--children' cannot be used together")
    for name, is_set in (("reverse", walk.reverse), ("no-walk", bool(walk.no_walk))):
        if options.graph and is_set:
            raise GitError(f"options '--{name}' and '--graph' cannot be used together")
    if options.filter is not None and not options.objects:
        raise GitError("object filtering requires --objects")


def _bisect(call: Invocation, form: str, commits: list[Commit]) -> int:
    """Print the commit that halves the list; return 0, and 1 with --bisect-vars for an empty list."""
    if not commits:
        return int(form == "vars")
    members = {commit.oid for commit in commits}
    parents = {commit.oid: [each for each in commit.parents if each in members] for commit in commits}
    call.ctx.budget.charge_memory(len(commits) * 400)
    bisection = Bisection(commits, parents, call.access.charge)
    write = call.ctx.write_line
    if form == "all":
        decorations = Decorations(call.repository)
        for oid, distance in bisection.all():
            write(f"{oid} ({', '.join([*decorations.of(oid), f'dist={distance}'])})")
        return 0
    oid, weight = bisection.middle()
    if form != "vars":
        write(oid)
        return 0
    count = bisection.count
    for name, value in (
        ("rev", f"'{oid}'"), ("nr", max(count - weight, weight) - 1), ("good", count - weight - 1),
        ("bad", weight - 1), ("all", count), ("steps", steps_left(count)),
    ):  # fmt: skip
        write(f"bisect_{name}={value}")
    return 0


class _Listing:
    """Prints commits by the options."""

    def __init__(
        self, call: Invocation, options: ListOptions, walk: WalkOptions, selection: Selection
    ) -> None:
        self.call = call
        self.options = options
        self.walk = walk
        self.selection = selection
        self.names = Names(call.repository)
        self._children: dict[str, list[str]] = {}
        self._graph: GraphOfSelection | None = None
        self._equal: frozenset[str] | None = None
        self.printer: Printer | None = None
        if options.pretty is not None:
            self.printer = Printer(
                call.repository,
                parse_format(options.pretty, call.repository),
                date=options.date,
                abbreviated=(options.abbrev or 0) if options.abbrev_commit else None,
            )
            self.printer.length = options.abbrev or None
            self.printer.has_notes = False

    def commits(self) -> Iterator[Commit]:
        """Yield the commits, without those of both sides after --cherry-pick."""
        if self.options.equivalent == "omit":
            self.selection.omitted = self.equal
        return iter(self.selection)

    @property
    def equal(self) -> frozenset[str]:
        """The commits of "A...B" whose patches are on both sides."""
        if self._equal is None:
            self._equal = equivalent_commits(self.selection)
        return self._equal

    def mark(self, commit: Commit) -> str:
        """Return what is printed before the name of a commit."""
        if self.options.equivalent == "mark":
            if commit.oid in self.equal:
                return "="
            return self.selection.mark(commit) if self.walk.left_right else "+"
        return self.selection.mark(commit) if self.walk.left_right else ""

    def write_all(self, objects: ObjectList, tags: Sequence[Tag]) -> None:
        """Print all commits, and their objects if they are wanted."""
        options, walk, selection = self.options, self.walk, self.selection
        if options.graph:
            self._graph = GraphOfSelection(selection, self.call.access.charge)
        needs_all = options.objects or options.boundary or options.children
        shown = list(self.commits()) if needs_all else self.commits()
        if options.children:
            self._children = selection.children()
        edge_commits: list[Commit] = []
        if options.boundary:
            assert isinstance(shown, list)
            commits = [selection.rewritten(commit) for commit in shown]
            edge_commits = boundary(self.call.repository, reversed(commits) if walk.reverse else commits)
            selection.edges = frozenset(commit.oid for commit in edge_commits)
        if options.objects:
            assert isinstance(shown, list)
            objects.leave_out(shown, selection.starts.unwanted)
            if options.objects == "edge":
                for oid in edges(self.call.repository, shown, selection.starts.unwanted):
                    self.call.ctx.write_line(f"-{oid}")
        for commit in reversed(edge_commits) if walk.reverse else ():
            self.write(commit, "-")
        for commit in shown:
            self.write(commit, self.mark(commit))
            if options.objects and options.in_commit_order:
                self._write_objects(objects.of([commit], tags))
                tags = ()
        for commit in edge_commits if not walk.reverse else ():
            self.write(commit, "-")
        if options.objects:
            rest = [] if options.in_commit_order else shown
            assert isinstance(rest, list)
            self._write_objects(objects.of(rest, tags))

    def _write_objects(self, found: Iterable[tuple[str, str]]) -> None:
        for oid, name in found:
            self.call.ctx.write(encode(f"{oid}\n" if self.options.plain_objects else f"{oid} {name}\n"))

    def write_usage(self, objects: ObjectList, tags: Sequence[Tag]) -> int:
        """Print how many bytes the objects take; return 0."""
        storage, commits = Storage(self.call.repository.objects), list(self.commits())
        total = sum(storage.size(commit.oid) for commit in commits)
        if self.options.objects:
            objects.leave_out(commits, self.selection.starts.unwanted)
            total += sum(storage.size(oid) for oid, _ in objects.of(commits, tags))
        self.call.ctx.write_line(str(total))
        return 0

    def count(self, *, with_boundary: bool) -> int:
        """Print how many commits there are; return 0."""
        left = right = same = 0
        marks = self.options.equivalent == "mark"
        commits = list(self.commits())
        rewritten = [self.selection.rewritten(commit) for commit in commits]
        for commit in [*commits, *(boundary(self.call.repository, rewritten) if with_boundary else ())]:
            if marks and commit.oid in self.equal:
                same += 1
            elif self.walk.left_right and self.selection.mark(commit) == "<":
                left += 1
            else:
                right += 1
        counts = [left, right] if self.walk.left_right else [right]
        self.call.ctx.write_line("\t".join(map(str, counts + [same] * marks)))
        return 0

    def write(self, commit: Commit, mark: str) -> None:
        """Print a commit."""
        options, ctx = self.options, self.call.ctx
        oid = (
            self.names.abbreviate(commit.oid, options.abbrev or None) if options.abbrev_commit else commit.oid
        )
        shown = self.selection.rewritten(commit)
        related = (*shown.parents * options.parents, *self._children.get(commit.oid, ()))
        drawn = "" if self._graph is not None else mark
        line = f"{commit.committer.time} " * options.timestamp + drawn + " ".join((oid, *related))
        text = self._text(commit, shown, line, mark)
        if self._graph is None:
            ctx.write(encode(f"{text}\0" if options.header else f"{text}\n"))
            return
        self._graph.update(commit, {"-": "o", "": "*", "+": "*"}.get(mark, mark))
        ctx.write(encode(self._graph.drawn(text + "\n")))

    def _text(self, commit: Commit, shown: Commit, line: str, mark: str) -> str:
        """Return what is printed for a commit, without the newline at its end."""
        options = self.options
        if self.printer is None:
            if options.header:
                _, _, rest = raw_printer(self.call.repository).text(commit).partition("\n")
                return f"{line}\n{rest}"
            return line
        kind = self.printer.layout.kind
        head = f"commit {line}\n" if kind == "user" and not options.no_header else ""
        if kind == "user" and mark in ("", "+"):
            mark = self.selection.mark(commit)
        return head + self.printer.text(shown, mark if self._graph is None or kind == "user" else "")


def raw_printer(repository: Repository) -> Printer:
    """Return what prints commits as they are stored, for --header."""
    return Printer(repository, Format("raw"))


def _with_not(words: Sequence[str], revisions: list[str]) -> list[str]:
    if "--not" not in words:
        return revisions
    return [word for word in words if word == "--not" or word in revisions]
