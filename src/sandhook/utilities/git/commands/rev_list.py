"""git rev-list: the commits of a history, and their objects.

Source: git-rev-list(1); git 2.39, builtin/rev-list.c and list-objects.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.object_list import ObjectList, boundary
from sandhook.utilities.git.history.operands import split_operands
from sandhook.utilities.git.history.patch_ids import equivalent_commits
from sandhook.utilities.git.history.pretty import Printer, parse_format
from sandhook.utilities.git.history.selection import (
    SHORTHANDS,
    Selection,
    WalkOptions,
    find_starts,
    pull_starts,
    tags_of_starts,
)
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Commit


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
    objects: bool = opt("--objects")
    boundary: bool = opt("--boundary")
    header: bool = opt("--header")
    children: bool = opt("--children")
    graph: bool = opt("--graph")
    equivalent: str = also(
        opt("--cherry-pick", const="omit", default=""), opt("--cherry-mark", const="mark")
    )  # fmt: skip


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the names of commits; return 0."""
    special, words = pull_starts(arguments)
    parsed = Parser(
        WalkOptions, ListOptions, number="number", abbreviates=False, shorthands=SHORTHANDS
    ).parse([word for word in words if word != "--not"])
    options, walk = parsed.of(ListOptions), parsed.of(WalkOptions)
    _check(options, walk)
    repository = call.repository
    revisions, paths = split_operands(repository, parsed.operands, parsed.paths, parsed.late)
    if not revisions and not special:
        raise GitError("usage: git rev-list [<options>] <commit>... [--] [<path>...]", prefix="", status=129)
    ordered = _with_not(words, revisions)
    starts, pathspec = find_starts(repository, ordered, special), repository.pathspec(paths)
    listing = _Listing(call, options, walk, Selection(repository, walk, starts, pathspec))
    if options.only_count:
        return listing.count(with_boundary=options.boundary)
    if options.quiet:
        return 0
    shown = (
        list(listing.commits())
        if options.objects or options.boundary or options.children
        else listing.commits()
    )
    if options.children:
        assert isinstance(shown, list)
        listing.note_children(shown)
    edges: list[Commit] = []
    if options.boundary:
        assert isinstance(shown, list)
        edges = boundary(repository, reversed(shown) if walk.reverse else shown)
    if walk.reverse:
        for commit in reversed(edges):
            listing.write(commit, "-")
    for commit in shown:
        listing.write(commit, listing.mark(commit))
    if not walk.reverse:
        for commit in edges:
            listing.write(commit, "-")
    if options.objects:
        assert isinstance(shown, list)
        tags = tags_of_starts(repository, ordered, special)
        for oid, name in ObjectList(repository, pathspec).of(shown, tags, starts.unwanted):
            call.ctx.write(encode(f"{oid} {name}\n"))
    return 0


def _check(options: ListOptions, walk: WalkOptions) -> None:
    """Raise GitError for options that are not offered."""
    for name, is_set in (
        ("--merge", walk.merge),
        ("--header", options.header),
        ("--graph", options.graph),
        ("--boundary --first-parent", options.boundary and walk.first_parent),
    ):
        if is_set:
            raise GitError(f"rev-list {name} is not offered in the sandbox (L-GIT-003)", status=129)


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

    def note_children(self, commits: Sequence[Commit]) -> None:
        """Note the children of each commit, the last of which git prints first."""
        for commit in commits:
            for parent in commit.parents:
                self._children.setdefault(parent, []).insert(0, commit.oid)

    def count(self, *, with_boundary: bool) -> int:
        """Print how many commits there are; return 0."""
        left = right = same = 0
        marks = self.options.equivalent == "mark"
        commits = list(self.commits())
        for commit in [*commits, *(boundary(self.call.repository, commits) if with_boundary else ())]:
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
        related = (*commit.parents * options.parents, *self._children.get(commit.oid, ()))
        line = f"{commit.committer.time} " * options.timestamp + mark + " ".join((oid, *related))
        if self.printer is None:
            ctx.write_line(line)
            return
        if self.printer.layout.kind == "user" and not options.no_header:
            ctx.write_line(f"commit {line}")
        if self.printer.layout.kind == "user" and mark in ("", "+"):
            mark = self.selection.mark(commit)
        ctx.write_line(self.printer.text(commit, mark))


def _with_not(words: Sequence[str], revisions: list[str]) -> list[str]:
    if "--not" not in words:
        return revisions
    return [word for word in words if word == "--not" or word in revisions]
