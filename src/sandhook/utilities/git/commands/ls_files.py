"""git ls-files: list the files of the index and of the working tree.

Source: git-ls-files(1); git 2.39, builtin/ls-files.c.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.diff.trees import walk_tree
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.ignore import Rule, parse_rule, parse_rules
from sandhook.utilities.git.names.quote import quote, relative
from sandhook.utilities.git.names.templates import expanded
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.index import IndexEntry, order
from sandhook.utilities.git.store.objects import GITLINK
from sandhook.utilities.git.work import line_ends
from sandhook.utilities.git.work.tree import WorkTree
from sandhook.utilities.git.work.untracked import find_untracked

_EXCLUDED = "--format cannot be used with -s, -o, -k, -t, --resolve-undo, --deduplicate, --eol"

#: What the fields of line ends show.
_LINE_ENDS = {
    "eolinfo:worktree": line_ends.of_work_tree,
    "eolattr": line_ends.of_attributes,
}


@option_set
class Options:
    """Options of git ls-files."""

    cached: bool = also(opt("-c"), opt("--cached"))
    deleted: bool = also(opt("-d"), opt("--deleted"))
    modified: bool = also(opt("-m"), opt("--modified"))
    others: bool = also(opt("-o"), opt("--others"))
    ignored: bool = also(opt("-i"), opt("--ignored"))
    stage: bool = also(opt("-s"), opt("--stage"))
    unmerged: bool = also(opt("-u"), opt("--unmerged"))
    directory: bool = opt("--directory")
    no_empty: bool = opt("--no-empty-directory")
    standard: bool = opt("--exclude-standard")
    patterns: tuple[str, ...] = also(
        opt("-x", "PATTERN", "", append=True), opt("--exclude", "PATTERN", "", append=True)
    )
    files: tuple[str, ...] = also(
        opt("-X", "FILE", "", append=True), opt("--exclude-from", "FILE", "", append=True)
    )
    per_directory: tuple[str, ...] = opt("--exclude-per-directory", "NAME", "", append=True)
    nul: bool = opt("-z")
    error_unmatch: bool = opt("--error-unmatch")
    full_name: bool = opt("--full-name")
    abbrev: int | None = opt("--abbrev", "N", "", convert=count, optional=True, const=0)
    sparse: bool = opt("--sparse", ignored="no index of the sandbox is sparse")
    tags: bool = opt("-t")
    lower: bool = opt("-v")
    monitored: bool = opt("-f")
    deduplicate: bool = opt("--deduplicate")
    eol: bool = opt("--eol")
    debug: bool = opt("--debug")
    killed: bool = also(opt("-k"), opt("--killed"))
    resolve_undo: bool = opt("--resolve-undo")
    recurse: bool = opt("--recurse-submodules")
    tree: str | None = opt("--with-tree", "TREE", "")
    template: str | None = opt("--format", "FORMAT", "")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 with --error-unmatch for an operand without a file."""
    parsed = Parser(Options).parse(arguments)
    options = parsed.of(Options)
    if options.debug:
        raise GitError("ls-files --debug is not offered in the sandbox (L-GIT-003)", status=129)
    if options.template is not None and (
        options.stage or options.others or options.killed or options.tags
        or options.resolve_undo or options.deduplicate or options.eol
    ):  # fmt: skip
        raise GitError(_EXCLUDED, status=129)
    return _Listing(call, options, [*parsed.operands, *(parsed.paths or ())]).run()


class _Listing:
    """One list of files."""

    def __init__(self, call: Invocation, options: Options, operands: list[str]) -> None:
        self.call = call
        self.options = options
        self.repository = call.repository
        self.operands = operands
        prefix = self.repository.prefix
        self.pathspec = self.repository.pathspec(operands or (["."] if prefix else []))
        self.names = Names(self.repository)
        self.matched: set[str] = set()
        self.written: set[str] = set()

    def run(self) -> int:
        options = self.options
        chosen = (
            options.deleted or options.modified or options.others or options.unmerged
            or options.killed or options.resolve_undo
        )  # fmt: skip
        cached = options.cached or options.stage or not chosen
        if options.ignored and not (options.cached or options.others):
            raise GitError("ls-files -i must be used with either -o or -c")
        if options.ignored and not (
            options.standard or options.patterns or options.files or options.per_directory
        ):
            raise GitError("ls-files --ignored needs some exclude pattern")
        if options.tree is not None and (options.stage or options.unmerged):
            raise GitError("options 'ls-files --with-tree' and '-s/-u' cannot be used together")
        if options.recurse:
            self._check_recursion()
        if options.others:
            self._others()
        if options.killed:
            self._killed()
        self._index(cached=cached or options.unmerged)
        if options.resolve_undo and self.repository.index.has_undo:
            raise GitError(
                "ls-files --resolve-undo of conflicts that were resolved is not offered in the sandbox (L-GIT-003)",
                status=129,
            )
        return self._check_operands()

    def _rules(self) -> list[Rule]:
        rules = [rule for text in self.options.patterns if (rule := parse_rule(text, "", "", 0)) is not None]
        for name in self.options.files:
            text = self.call.access.text_or_none(self.repository.expand(name))
            if text is None:
                raise GitError(f"cannot use {name} as an exclude file")
            rules += parse_rules(text, "", name)
        return rules

    def _others(self) -> None:
        rules = self.repository.ignore(
            self._rules(), standard=self.options.standard, names=self.options.per_directory
        )
        found = find_untracked(
            self.repository,
            self.pathspec,
            "normal" if self.options.directory else "all",
            rules=rules,
            collect_ignored=self.options.ignored,
            empty=self.options.directory and not self.options.no_empty,
            nested=not self.options.no_empty if self.options.directory else None,
        )
        for path in found.ignored if self.options.ignored else found.untracked:
            self._match(path)
            self._write(self._mark("? "), path)

    def _killed(self) -> None:
        """Print the untracked files that a checkout of the index would remove, as they are in places of others."""
        found = find_untracked(
            self.repository, self.pathspec, "all", rules=self.repository.ignore(standard=False)
        )
        tracked = self.repository.index.by_path
        directories = {
            "/".join(parts[:n])
            for path in tracked
            if (parts := path.split("/"))
            for n in range(1, len(parts))
        }
        for path in found.untracked:
            parts = path.rstrip("/").split("/")
            above = ("/".join(parts[:n]) for n in range(1, len(parts)))
            if path in directories or any(each in tracked for each in above):
                self._match(path)
                self._write(self._mark("K "), path)

    def _check_recursion(self) -> None:
        """Raise GitError for what --recurse-submodules cannot do: submodules that are checked out, and other lists."""
        options = self.options
        if options.deleted or options.others or options.unmerged or options.killed or options.modified:
            raise GitError("ls-files --recurse-submodules unsupported mode")
        if options.error_unmatch:
            raise GitError("ls-files --recurse-submodules does not support --error-unmatch")
        for entry in self.repository.index:
            if entry.mode == GITLINK and self.call.access.stat(f"{self.repository.root}/{entry.path}/.git"):
                raise GitError(
                    "ls-files --recurse-submodules with submodules that are checked out is not offered in the sandbox "
                    "(L-GIT-003)",
                    status=129,
                )

    def _index(self, *, cached: bool) -> None:
        rules = None
        needs_work = self.options.deleted or self.options.modified
        work = WorkTree(self.repository) if needs_work else None
        if self.options.ignored:
            rules = self.repository.ignore(
                self._rules(), standard=self.options.standard, names=self.options.per_directory
            )
        for entry in self._entries():
            if not self.pathspec.matches(entry.path):
                continue
            if rules is not None and not rules.is_ignored(entry.path, False):
                continue
            self.call.access.charge(1)
            if cached and (entry.stage or not self.options.unmerged):
                mark = "M " if entry.stage else "S " if entry.skipped else "H "
                self._entry(self._mark(mark, entry), entry)
            if work is not None:
                self._changed(work, entry)

    def _mark(self, mark: str, entry: IndexEntry | None = None) -> str:
        """Return the mark of a file as -t, -v and -f have it, "" without them."""
        options = self.options
        if not (options.tags or options.lower or options.monitored):
            return ""
        return mark.lower() if options.lower and entry is not None and entry.assumed else mark

    def _entries(self) -> Iterable[IndexEntry]:
        """Return the entries of the index, with those of --with-tree that it lacks."""
        index, objects = self.repository.index, self.repository.objects
        if self.options.tree is None:
            return index
        oid = self.names.find(self.options.tree)
        tree = objects.peel(oid, "tree") if oid is not None else None
        if tree is None:
            raise GitError(f"tree-ish {self.options.tree} not found.")
        more = [
            IndexEntry(side.path, side.mode, side.oid, 1, (0,) * 9)
            for side in walk_tree(objects, tree, self.pathspec)
            if index.get(side.path) is None
        ]
        return sorted([*index, *more], key=lambda entry: (order(entry.path), entry.stage))

    def _entry(self, mark: str, entry: IndexEntry) -> None:
        self._match(entry.path)
        if self.options.deduplicate and not (self.options.stage or self.options.unmerged):
            if entry.path in self.written:
                return
            self.written.add(entry.path)
        if self.options.template is not None:
            text = expanded("ls-files", self.options.template, lambda name: self._field(name, entry))
            self.call.ctx.write(encode(text + ("\0" if self.options.nul else "\n")))
            return
        if self.options.stage or self.options.unmerged:
            oid = (
                entry.oid
                if self.options.abbrev is None
                else self.names.abbreviate(entry.oid, self.options.abbrev or None)
            )
            mark += f"{entry.mode:06o} {oid} {entry.stage}\t"
        self._write(mark, entry.path, entry)

    def _changed(self, work: WorkTree, entry: IndexEntry) -> None:
        if entry.skipped:
            return
        side = work.side(entry)
        missing = side is None
        if self.options.deleted and missing:
            self._entry(self._mark("R ", entry), entry)
        if self.options.modified and (side is None or (side.mode, side.oid) != (entry.mode, entry.oid)):
            self._entry(self._mark("C ", entry), entry)

    def _match(self, path: str) -> None:
        for item in self.pathspec.items:
            if item.text not in self.matched and self.repository.pathspec([item.text]).matches(path):
                self.matched.add(item.text)

    def _field(self, name: str, entry: IndexEntry) -> str | None:
        """Return a field of --format, None for an unknown one."""
        if name == "path":
            shown = entry.path if self.options.full_name else relative(entry.path, self.repository.prefix)
            return shown if self.options.nul else quote(shown, self.repository.quotes_wide)
        if name == "objectname":
            short = self.options.abbrev
            return entry.oid if short is None else self.names.abbreviate(entry.oid, short or None)
        numbers = {"objectmode": f"{entry.mode:06o}", "stage": str(entry.stage)}
        if name in numbers:
            return numbers[name]
        if name == "eolinfo:index":
            return line_ends.of_index(self.repository, entry)
        found = _LINE_ENDS.get(name)
        return None if found is None else found(self.repository, entry.path)

    def _write(self, mark: str, path: str, entry: IndexEntry | None = None) -> None:
        if self.options.eol:
            index = line_ends.of_index(self.repository, entry)
            work, wanted = (of(self.repository, path) for of in _LINE_ENDS.values())
            mark += f"i/{index:<5} w/{work:<5} attr/{wanted:<17}\t"
        shown = path if self.options.full_name else relative(path, self.repository.prefix)
        if self.options.nul:
            self.call.ctx.write(encode(f"{mark}{shown}\0"))
        else:
            self.call.ctx.write_line(mark + quote(shown, self.repository.quotes_wide))

    def _check_operands(self) -> int:
        if not self.options.error_unmatch:
            return 0
        missing = [each for each in self.operands if each not in self.matched]
        for each in missing:
            self.call.error(f"error: pathspec '{each}' did not match any file(s) known to git")
        if missing:
            self.call.error("Did you forget to 'git add'?")
        return int(bool(missing))
