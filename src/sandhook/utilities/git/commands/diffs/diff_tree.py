"""git diff-tree: compare trees, and commits with their parents.

Source: git-diff-tree(1); git 2.39, builtin/diff-tree.c.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.batches import input_lines
from sandhook.utilities.git.commands.diffs.plumbing_diff import finish, status_of
from sandhook.utilities.git.diff.combined import merged_files, write_merge, write_names
from sandhook.utilities.git.diff.model import NULL_ID, Pair, Side
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.trees import compare_trees, top_level_changes
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.operands import split_operands
from sandhook.utilities.git.history.pretty import Format, Printer, parse_format
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.objects import TREE, ObjectStore

_MOST_LEVELS = 1000
_OID = 40


@option_set
class Options:
    """Options of git diff-tree."""

    recurse: bool = opt("-r")
    trees: bool = opt("-t")
    root: bool = opt("--root")
    stdin: bool = opt("--stdin")
    no_id: bool = opt("--no-commit-id")
    always: bool = opt("--always")
    verbose: bool = opt("-v")
    pretty: str | None = also(
        opt("--pretty", "FORMAT", "", optional=True, const="medium"), opt("--format", "FORMAT", "")
    )
    merge_base: bool = opt("--merge-base")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Compare two trees, or commits with their parents; return 1 for differences with --exit-code."""
    parsed = Parser(Options, DiffOptions, abbreviates=False).parse(arguments)
    options, repository = parsed.of(Options), call.repository
    if options.merge_base or (options.stdin and parsed.of(DiffOptions).quiet):
        name = "--merge-base" if options.merge_base else "--stdin with --quiet"
        raise GitError(f"diff-tree {name} is not offered in the sandbox (L-GIT-003)", status=129)
    revisions, paths = split_operands(repository, parsed.operands, parsed.paths, parsed.late)
    if len(revisions) == 1 and ".." in revisions[0]:
        left, _, right = revisions[0].partition("..")
        revisions = [left or "HEAD", right or "HEAD"]
    output = DiffOutput(repository, parsed.of(DiffOptions), porcelain=False)
    comparison = _Comparison(call, options, output, repository.pathspec(paths))
    names, objects = Names(repository), repository.objects
    if len(revisions) == 2:
        trees = [objects.tree_of(names.resolve(each)) for each in revisions]
        default = "patch" if output.options.combined == "dense" else "raw"
        return finish(output, comparison.pairs(trees[0], trees[1]), output.options, default)
    if len(revisions) != 1 and not (options.stdin and not revisions):
        raise GitError(
            "usage: git diff-tree [<options>] <tree-ish> [<tree-ish>] [<path>...]", prefix="", status=129
        )
    found = False
    for name in revisions:
        commit = objects.commit(names.commit(name))
        found |= comparison.commit(commit, commit.parents)
    for line in input_lines(call) if options.stdin else ():
        found |= comparison.line(line)
    return status_of(output, found=found)


class _Comparison:
    """Prints what commits and trees change."""

    def __init__(self, call: Invocation, options: Options, output: DiffOutput, pathspec: Pathspec) -> None:
        self.call = call
        self.options = options
        self.output = output
        self.pathspec = pathspec
        self._objects: ObjectStore = call.repository.objects
        diff = output.options
        self._is_deep = (
            options.recurse
            or options.trees
            or bool(diff.patch)
            or diff.combined == "dense"
            or (output.has_form() and not (diff.raw or diff.name_only or diff.name_status))
        )
        self._printer: Printer | None = None
        if options.pretty is not None or options.verbose:
            word = options.pretty if options.pretty is not None else "medium"
            format_ = parse_format(word, call.repository) if options.pretty is not None else Format("medium")
            self._printer = Printer(call.repository, format_)
            self._printer.length = _OID if diff.abbrev is None else diff.abbrev or None
            self._printer.has_notes = False
            if output.appearance.colored:
                self._printer.color = output.appearance.palette.commit.decode()
        self._shown = False

    def pairs(self, old: str | None, new: str) -> Iterable[Pair]:
        """Return the differences of two trees."""
        if self.options.trees:
            return self._with_trees(old, new, "")
        if self._is_deep or self.pathspec:
            return compare_trees(self._objects, old, new, self.pathspec)
        return _shown_trees(top_level_changes(self._objects, old, new))

    def _with_trees(self, old: str | None, new: str | None, base: str) -> Iterator[Pair]:
        """Yield the differences of two trees, with the directories that they are in."""
        if base.count("/") > _MOST_LEVELS:
            self.call.ctx.budget.fail("nesting")
        for pair in _shown_trees(top_level_changes(self._objects, old, new)):
            self.call.access.charge(2)
            path = base + pair.path
            inner = [side.oid if side.mode == TREE else None for side in (pair.old, pair.new)]
            if any(inner):
                if self.pathspec.may_match_below(path):
                    yield _moved(pair, path)
                    yield from self._with_trees(inner[0], inner[1], f"{path}/")
            elif self.pathspec.matches(path):
                yield _moved(pair, path)

    def line(self, text: str) -> bool:
        """Compare what a line of standard input names; return True for differences."""
        oid, *others = text.split(" ")
        found = self._objects.find(oid) if len(oid) == _OID and _is_hexadecimal(oid) else None
        if found is None:
            self.call.ctx.write(encode(f"{text}\n"))
            return False
        if found.kind == "commit":
            commit = self._objects.commit(oid)
            return self.commit(commit, tuple(others) or commit.parents)
        if found.kind == "tree" and len(others) == 1:
            self.call.ctx.write_line(f"{oid} {others[0]}")
            return self._write(self.output.complete(self.pairs(oid, self._objects.tree_of(others[0]))), "raw")
        self.call.error(f"error: Object {oid} is a {found.kind}, not a commit or tree")
        return False

    def commit(self, commit: Commit, parents: Sequence[str]) -> bool:
        """Print what a commit changes; return True for differences."""
        diff = self.output.options
        if len(parents) > 1 and diff.combined in ("combined", "dense"):
            self._merge(commit, parents)
            return False
        is_left_out = len(parents) > 1 and diff.combined != "separate"
        if is_left_out or (not parents and not self.options.root):
            if self.options.always:
                self._head(commit, separates=False)
            return False
        found = False
        for parent in parents or (None,):
            old = self._objects.commit(parent).tree if parent is not None else None
            pairs = self.output.complete(self.pairs(old, commit.tree))
            if pairs or self.options.always:
                self._head(commit, separates=bool(pairs) and diff.patch is not None)
            found |= self._write(pairs, "patch" if diff.combined == "dense" else "raw")
        return found

    def _write(self, pairs: list[Pair], default: str) -> bool:
        if not self.output.options.quiet:
            self.output.write(pairs, default)
        return self.output.changed(pairs, default)

    def _merge(self, commit: Commit, parents: Sequence[str]) -> None:
        """Print the differences from all parents of a merge."""
        trees = [self._objects.commit(parent).tree for parent in parents]
        files = merged_files(self.output, trees, commit.tree, self.pathspec)
        first: list[Pair] = []
        if self.output.wants_stat():
            first = self.output.complete(compare_trees(self._objects, trees[0], commit.tree, self.pathspec))
        dense = self.output.options.combined == "dense"
        self._head(commit, separates=True)
        if not self.output.has_form() and not dense:
            write_names(self.output, files)
        else:
            write_merge(self.output, files, first, dense=dense, patch=True)

    def _head(self, commit: Commit, *, separates: bool) -> None:
        """Print the name or the text of a commit, and an empty line before its differences."""
        if self.options.no_id or self.output.options.quiet:
            return
        if self.output.line_prefix:
            raise GitError(
                "diff-tree --line-prefix with names of commits is not offered in the sandbox (L-GIT-003)",
                status=129,
            )
        end = "\0" if self.output.options.nul else "\n"
        printer = self._printer
        if printer is None:
            self.call.ctx.write(encode(commit.oid + end))
            return
        layout = printer.layout
        if self._shown and not layout.terminates:
            self.call.ctx.write(encode(end))
        self._shown = True
        text = printer.text(commit)
        text += end if layout.terminates else ""
        if separates and layout.kind != "oneline":
            text += "\n"
        self.call.ctx.write(encode(text))


def _is_hexadecimal(text: str) -> bool:
    return all(c in "0123456789abcdef" for c in text)


def _moved(pair: Pair, path: str) -> Pair:
    return pair._replace(old=pair.old._replace(path=path), new=pair.new._replace(path=path))


def _shown_trees(pairs: Iterable[Pair]) -> Iterable[Pair]:
    """Yield the pairs of a comparison without -r, in which directories are entries."""
    for pair in pairs:
        if pair.status == "T" and TREE in (pair.old.mode, pair.new.mode):
            yield Pair(pair.old, Side(pair.path, 0, NULL_ID), "D")
            yield Pair(Side(pair.path, 0, NULL_ID), pair.new, "A")
        else:
            yield pair
