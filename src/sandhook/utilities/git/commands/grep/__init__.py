"""git grep: search tracked files, the index, or a tree.

Source: git-grep(1); git 2.39, grep.c and builtin/grep.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.record import Record
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.commands.grep.expressions import Term, build
from sandhook.utilities.git.diff.patch import is_binary
from sandhook.utilities.git.diff.trees import walk_tree
from sandhook.utilities.git.errors import GitError, OptionFault
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.operands import check_paths
from sandhook.utilities.git.names.colors import RESET, are_wanted, setting_color
from sandhook.utilities.git.names.quote import quote, relative
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode, encode
from sandhook.utilities.git.store.objects import GITLINK
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.tree import WorkTree
from sandhook.utilities.git.work.untracked import find_untracked

#: Parentheses as options, which words of the expression are.
_PARENTHESES = {"(": ("--(",), ")": ("--)",)}


@option_set
class Options:
    """Options of git grep."""

    terms: tuple[Term, ...] = also(
        opt("-e", "PATTERN", "", append=True, convert=lambda text: ("pattern", text)),
        opt("-f", "FILE", "", append=True, convert=lambda text: ("file", text)),
        opt("--and", append=True, const=("and", "")), opt("--not", append=True, const=("not", "")),
        opt("--(", append=True, const=("(", "")), opt("--)", append=True, const=(")", "")),
    )  # fmt: skip
    ignore_case: bool = also(opt("-i"), opt("--ignore-case"))
    invert: bool = also(opt("-v"), opt("--invert-match"))
    words: bool = also(opt("-w"), opt("--word-regexp"))
    syntax: str | None = also(
        opt("-G", const="basic", default=None), opt("--basic-regexp", const="basic"), opt("-E", const="extended"),
        opt("--extended-regexp", const="extended"), opt("-F", const="fixed"), opt("--fixed-strings", const="fixed"),
        opt("-P", const="perl"), opt("--perl-regexp", const="perl"),
    )  # fmt: skip
    numbers: bool | None = also(
        opt("-n", default=None), opt("--line-number"), opt("--no-line-number", const=False)
    )
    column: bool = opt("--column")
    names_only: bool = also(opt("-l"), opt("--files-with-matches"), opt("--name-only"))
    without: bool = also(opt("-L"), opt("--files-without-match"))
    only_count: bool = also(opt("-c"), opt("--count"))
    quiet: bool = also(opt("-q"), opt("--quiet"))
    no_name: bool = opt("-h")
    with_name: bool = opt("-H")
    full_name: bool = opt("--full-name")
    only_matching: bool = also(opt("-o"), opt("--only-matching"))
    no_binary: bool = opt("-I")
    text: bool = also(opt("-a"), opt("--text"))
    nul: bool = also(opt("-z"), opt("--null"))
    cached: bool = opt("--cached")
    untracked: bool = opt("--untracked")
    standard: bool | None = also(
        opt("--exclude-standard", default=None), opt("--no-exclude-standard", const=False)
    )
    after: int | None = also(
        opt("-A", "N", "", convert=count), opt("--after-context", "N", "", convert=count)
    )
    before: int | None = also(
        opt("-B", "N", "", convert=count), opt("--before-context", "N", "", convert=count)
    )
    context: int | None = also(opt("-C", "N", "", convert=count), opt("--context", "N", "", convert=count))
    most: int = also(
        opt("-m", "N", "", convert=count, default=-1), opt("--max-count", "N", "", convert=count)
    )
    heading: bool = opt("--heading")
    breaks: bool = opt("--break")
    color: str | None = also(
        opt("--color", "WHEN", "", optional=True, const="always"), opt("--no-color", const="never")
    )
    all_match: bool = opt("--all-match")
    either: bool = opt("--or")
    threads: str | None = opt("--threads", "N", "")
    no_index: bool = opt("--no-index")
    max_depth: str | None = opt("--max-depth", "N", "")
    function: bool = also(opt("-p"), opt("--show-function"), opt("-W"), opt("--function-context"))
    pager: bool = also(opt("-O"), opt("--open-files-in-pager"))
    recurse: bool = also(opt("--recurse-submodules"), opt("-r", const=False), opt("--recursive", const=False))
    textconv: bool = also(opt("--textconv"), opt("--no-textconv", const=False))


class _File(Record):
    """A file to search: its shown name, its data, and whether git takes it for binary."""

    shown: str
    data: bytes
    binary: bool


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0 if a line matches, else 1."""
    parsed = Parser(Options, shorthands=_PARENTHESES).parse(arguments)
    options = parsed.of(Options)
    for name, is_set in (
        ("--no-index", options.no_index), ("--max-depth", options.max_depth is not None), ("-p and -W", options.function),
        ("-O", options.pager), ("--recurse-submodules", options.recurse),
        ("--textconv", options.textconv), ("--heading and --break", options.heading or options.breaks),
    ):  # fmt: skip
        if is_set:
            raise GitError(f"grep {name} not offered in the sandbox (L-GIT-003)", status=129)
    if options.color not in (None, "always", "never", "auto"):
        raise OptionFault('option `color\' expects "always", "auto", or "never"')
    operands = list(parsed.operands)
    terms = list(_terms(call, options))
    if not terms:
        if not operands or options.terms:
            raise GitError("no pattern given")
        terms.append(("pattern", operands.pop(0)))
    search = _Search(call, options, terms)
    trees: list[str] = []
    names = Names(call.repository)
    while (
        operands
        and (oid := names.find(operands[0])) is not None
        and call.repository.objects.peel(oid, "tree")
    ):
        trees.append(operands.pop(0))
    if parsed.paths is not None and operands:
        raise GitError(f"unable to resolve revision: {operands[0]}")
    check_paths(call.repository, operands)
    if parsed.late:
        option = parsed.late[0][1]
        raise GitError(
            f"unable to resolve revision: {option}"
            if parsed.paths is not None
            else f"option '{option}' must come before non-option arguments"
        )
    paths = operands + (parsed.paths or [])
    found = False
    for file in search.files(trees, paths):
        if search.file(file):
            found = True
            if options.quiet:
                break
    return 0 if found else 1


def _terms(call: Invocation, options: Options) -> Iterator[Term]:
    """Yield the words of the expression, with the patterns of files. Raises GitError for a missing file."""
    for kind, text in options.terms:
        if kind != "file":
            yield kind, text
            continue
        try:
            with (
                call.ctx.stdin_reader()
                if text == "-"
                else call.ctx.open(call.repository.expand(text)) as reader
            ):
                content = decode(reader.read_all())
        except OSError as error:
            raise GitError(f"cannot open '{text}': {error.strerror}") from None
        for line in content.removesuffix("\n").split("\n") if content else ():
            yield "pattern", line


#: The slots of color.grep, the slot that stands for one without a setting, and the colour without either.
_SLOTS = {
    "filename": ("filename", "magenta"),
    "linenumber": ("linenumber", "green"),
    "column": ("column", "green"),
    "separator": ("separator", "cyan"),
    "matchselected": ("match", "bold red"),
    "matchcontext": ("match", "bold red"),
    "selected": ("selected", ""),
    "context": ("context", ""),
}


def _colors(repository: Repository) -> dict[str, bytes]:
    """Return the sequences of a terminal, by slot."""
    get = repository.config.get
    found = {}
    for slot, (other, default) in _SLOTS.items():
        name = slot if get(f"color.grep.{slot}") is not None else other
        found[slot] = encode(setting_color(get, f"color.grep.{name}", default))
    return found


class _Search:
    def __init__(self, call: Invocation, options: Options, terms: list[Term]) -> None:
        self.call = call
        self.options = options
        self.repository = call.repository
        config = self.repository.config
        syntax = options.syntax or config.get("grep.patterntype") or "default"
        if syntax == "default":
            syntax = "extended" if config.boolean("grep.extendedregexp") else "basic"
        self.expression = build(
            terms,
            syntax,
            call.ctx,
            icase=options.ignore_case,
            words=options.words,
            combined=options.all_match,
        )
        self.numbers = options.numbers if options.numbers is not None else config.boolean("grep.linenumber")
        self.before = options.before if options.before is not None else options.context or 0
        self.after = options.after if options.after is not None else options.context or 0
        self.separator_due = False
        wanted = are_wanted(config.get, "grep") if options.color is None else options.color == "always"
        self._colors = _colors(self.repository) if wanted else {}

    def _paint(self, slot: str, text: bytes) -> bytes:
        color = self._colors.get(slot)
        return color + text + encode(RESET) if color else text

    def files(self, trees: list[str], paths: list[str]) -> Iterator[_File]:
        """Yield the files to search."""
        repository = self.repository
        prefix = repository.prefix
        pathspec = repository.pathspec(paths or (["."] if prefix else []))
        for tree in trees:
            names = Names(repository)
            for side in walk_tree(
                repository.objects, repository.objects.tree_of(names.resolve(tree)), pathspec
            ):
                if side.mode & 0o170000 == 0o100000:
                    data = repository.objects.get(side.oid).data
                    yield self._file(side.path, data, f"{tree}:")
        if trees:
            return
        done: set[str] = set()
        work = None if self.options.cached else WorkTree(repository)
        others = []
        if self.options.untracked:
            rules = None if self.options.standard is not False else repository.ignore(standard=False)
            others = find_untracked(repository, pathspec, "all", rules=rules).untracked
        tracked = [(entry.path, entry) for entry in repository.index if pathspec.matches(entry.path)]
        for path, entry in sorted(
            [*tracked, *((path, None) for path in others)], key=lambda each: encode(each[0])
        ):
            if path in done or (
                entry is not None and (entry.mode == GITLINK or entry.mode & 0o170000 != 0o100000)
            ):
                continue
            done.add(path)
            if work is None or (entry is not None and entry.assumed and not self.options.untracked):
                if entry is not None and not entry.stage and not entry.intended:
                    yield self._file(path, repository.objects.get(entry.oid).data)
                continue
            if entry is not None and entry.skipped:
                continue
            found = self.call.access.stat(work.path(path))
            if found is not None and found.mode & 0o170000 == 0o100000:
                yield self._file(path, self.call.access.read(work.path(path)))

    def _file(self, path: str, data: bytes, source: str = "") -> _File:
        """Return a file with its data; the attribute "diff" decides whether it is binary, else a NUL does."""
        attribute = self.repository.attributes.of(path).get("diff")
        binary = attribute is False or (attribute is not True and is_binary(data))
        return _File(source + self._shown(path), data, binary)

    def _shown(self, path: str) -> str:
        shown = path if self.options.full_name else relative(path, self.repository.prefix)
        return shown if self.options.nul else quote(shown, self.repository.quotes_wide)

    # ------------------------------------------------------------------ one file

    def _selects(self, line: bytes) -> bool:
        expression = self.expression
        found = expression.first(line, 0) is not None if expression.is_plain else expression.matches(line)
        return found != self.options.invert

    def _has_all(self, lines: list[bytes]) -> bool:
        """Return True if each alternative matches a line, for --all-match."""
        left = list(self.expression.alternatives)
        for line in lines:
            left = [check for check in left if not check(line)]
            if not left:
                return True
        return not left

    def file(self, file: _File) -> bool:
        """Search one file and print what matches; return True for a match."""
        options = self.options
        binary = not options.text and file.binary
        if binary and options.no_binary:
            return False
        lines = file.data.split(b"\n")
        if lines and lines[-1] == b"":
            lines.pop()
        self.call.access.charge(1 + len(lines) + (len(file.data) >> 10))
        self.call.ctx.budget.check_fits(len(lines) * 60)
        selected: list[int] = []
        if options.all_match and not self._has_all(lines):
            lines = []
        for at, line in enumerate(lines):
            if self._selects(line):
                selected.append(at)
                if (
                    len(selected) == options.most
                    or options.quiet
                    or options.names_only
                    or options.without
                    or (binary and not options.only_count)
                ):
                    break
        if options.quiet:
            return bool(selected)
        return self._report(file, lines, selected, binary)

    def _report(self, file: _File, lines: list[bytes], selected: list[int], binary: bool) -> bool:
        options, ctx = self.options, self.call.ctx
        name, end = self._paint("filename", encode(file.shown)), b"\0" if options.nul else b"\n"
        if options.without or options.names_only:
            wanted = bool(selected) != options.without
            if wanted:
                ctx.write(name + end)
            return wanted
        if not selected:
            return False
        if options.only_count:
            ctx.write((b"" if options.no_name else name + self._separator(b":")) + b"%d\n" % len(selected))
        elif binary:
            ctx.write(b"Binary file " + name + b" matches\n")
        elif options.only_matching:
            for at in selected:
                self._parts(name, at, lines[at])
        else:
            self._lines(name, lines, selected)
        return True

    def _head(self, name: bytes, at: int, mark: bytes, column: int) -> bytes:
        options = self.options
        separator = self._separator(mark)
        head = b"" if options.no_name else name + separator
        if self.numbers:
            head += self._paint("linenumber", b"%d" % (at + 1)) + separator
        if options.column and column:
            head += self._paint("column", b"%d" % column) + separator
        return head

    def _separator(self, mark: bytes) -> bytes:
        return b"\0" if self.options.nul else self._paint("separator", mark)

    def _painted(self, line: bytes, slot: str) -> bytes:
        """Return a line with its matches in their colour."""
        if not self._colors:
            return line
        pieces, start = [], 0
        while (span := self.expression.first(line, start)) is not None and span[0] != span[1]:
            pieces.append(self._paint(slot, line[start : span[0]]))
            pieces.append(self._paint(f"match{slot}", line[span[0] : span[1]]))
            start = span[1]
        return b"".join([*pieces, self._paint(slot, line[start:])])

    def _parts(self, name: bytes, at: int, line: bytes) -> None:
        start = 0
        while (span := self.expression.first(line, start)) is not None:
            if span[0] != span[1]:
                part = self._paint("matchselected", line[span[0] : span[1]])
                self.call.ctx.write(self._head(name, at, b":", span[0] + 1) + part + b"\n")
            start = max(span[1], span[0] + 1)
            if start > len(line):
                break

    def _lines(self, name: bytes, lines: list[bytes], selected: list[int]) -> None:
        chosen = set(selected)
        shown: set[int] = set()
        for at in selected:
            shown.update(range(max(0, at - self.before), min(len(lines), at + self.after + 1)))
        last = -2
        for at in sorted(shown):
            self.call.access.charge(1)
            if (self.before or self.after) and at != last + 1 and (last >= 0 or self.separator_due):
                self.call.ctx.write(self._paint("separator", b"--") + b"\n")
            last = at
            self.separator_due = True
            column = 0
            if (
                self.options.column and at in chosen
            ):  # a line that is selected without a match begins at column 1
                span = self.expression.first(lines[at], 0)
                column = 1 if span is None else span[0] + 1
            mark, slot = (b":", "selected") if at in chosen else (b"-", "context")
            text = self._painted(lines[at], slot)
            self.call.ctx.write(self._head(name, at, mark, column) + text + b"\n")
