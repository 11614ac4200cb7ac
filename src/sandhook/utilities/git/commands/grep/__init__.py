"""git grep: search tracked files, the index, or a tree.

Source: git-grep(1); git 2.39, grep.c and builtin/grep.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.text.numbers import is_integer
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.commands.grep.expressions import Term, build
from sandhook.utilities.git.commands.grep.files import File, Files, Wanted, check_recursion
from sandhook.utilities.git.commands.grep.printing import HitPrinter, Layout
from sandhook.utilities.git.diff.drivers import Drivers
from sandhook.utilities.git.errors import GitError, OptionFault
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.operands import check_paths
from sandhook.utilities.git.names.colors import RESET, are_wanted, setting_color
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode, encode
from sandhook.utilities.git.store.repository import Place, Repository
from sandhook.vfs.path import VirtualPath, join

_NOWHERE = "/dev/null/.git"  #: the place of a repository that does not exist

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
    contexts: tuple[tuple[str, int], ...] = also(
        opt("-A", "N", "", append=True, convert=lambda text: ("a", count(text))),
        opt("--after-context", "N", "", append=True, convert=lambda text: ("a", count(text))),
        opt("-B", "N", "", append=True, convert=lambda text: ("b", count(text))),
        opt("--before-context", "N", "", append=True, convert=lambda text: ("b", count(text))),
        opt("-C", "N", "", append=True, convert=lambda text: ("ab", count(text))),
        opt("--context", "N", "", append=True, convert=lambda text: ("ab", count(text))),
    )
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
    max_depth: str = also(
        opt("--max-depth", "N", "", default="-1"), opt("-r", const="-1"), opt("--recursive", const="-1"),
        opt("--no-recursive", const="0"),
    )  # fmt: skip
    functions: bool = also(opt("-p"), opt("--show-function"))
    bodies: bool = also(opt("-W"), opt("--function-context"))
    pager: bool = also(opt("-O"), opt("--open-files-in-pager"))
    recurse: bool = opt("--recurse-submodules")
    textconv: bool = also(opt("--textconv"), opt("--no-textconv", const=False))


def _wanted(options: Options, repository: Repository) -> Wanted:
    return Wanted(
        cached=options.cached,
        untracked=options.untracked,
        standard=options.standard,
        no_index=options.no_index or repository.git_dir == _NOWHERE,
        depth=int(options.max_depth),
        full_name=options.full_name,
        nul=options.nul,
        text=options.text,
    )


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0 if a line matches, else 1."""
    parsed = Parser(Options, shorthands=_PARENTHESES).parse(arguments)
    options = parsed.of(Options)
    for name, is_set in (
        ("-O", options.pager), ("--textconv", options.textconv),
        ("-o with -p, -W, --heading or --break", options.only_matching and (
            options.functions or options.bodies or options.heading or options.breaks)),
    ):  # fmt: skip
        if is_set:
            raise GitError(f"grep {name} is not offered in the sandbox (L-GIT-003)", status=129)
    for first, second in (("no-index", "cached"), ("no-index", "untracked"), ("untracked", "cached")):
        if all(getattr(options, name.replace("-", "_")) for name in (first, second)):
            raise GitError(f"options '--{first}' and '--{second}' cannot be used together")
    if not is_integer(options.max_depth) or len(options.max_depth) > 9:
        raise OptionFault("option `max-depth' expects a numerical value")
    if options.color not in (None, "always", "never", "auto"):
        raise OptionFault('option `color\' expects "always", "auto", or "never"')
    operands = list(parsed.operands)
    terms = list(_terms(call, options))
    if not terms:
        if not operands or options.terms:
            raise GitError("no pattern given")
        terms.append(("pattern", operands.pop(0)))
    repository = _repository(call, options)
    search = _Search(call, options, terms, repository)
    trees: list[str] = []
    names = Names(repository)
    while (
        operands
        and not options.no_index
        and (oid := names.find(operands[0])) is not None
        and repository.objects.peel(oid, "tree")
    ):
        trees.append(operands.pop(0))
    if trees and (options.no_index or options.untracked):
        raise GitError("--no-index or --untracked cannot be used with revs")
    if trees and options.cached:
        raise GitError("both --cached and trees are given")
    if parsed.paths is not None and operands:
        raise GitError(f"unable to resolve revision: {operands[0]}")
    check_paths(repository, operands, first=not options.no_index)
    if parsed.late:
        option = parsed.late[0][1]
        raise GitError(
            f"unable to resolve revision: {option}"
            if parsed.paths is not None
            else f"option '{option}' must come before non-option arguments"
        )
    paths = operands + (parsed.paths or [])
    found = False
    if options.recurse:
        check_recursion(call, repository, untracked=options.untracked)
    wanted = _wanted(options, repository)
    for file in Files(call, repository, wanted).of(trees, paths):
        if search.file(file):
            found = True
            if options.quiet:
                break
    return 0 if found else 1


def _repository(call: Invocation, options: Options) -> Repository:
    """Return the repository; outside of one, with --no-index, one of which only the settings are read."""
    try:
        found = call.find_repository()
    except GitError:
        if not options.no_index:
            raise
        found = None
    if found is not None:
        return found
    place = Place(_NOWHERE, _NOWHERE, None, "", ".git")
    nowhere = Repository(call.access, call.options, place)
    falls_back = nowhere.config.boolean("grep.fallbacktonoindex") and not options.cached
    if not options.no_index and not falls_back:
        return call.repository  # which raises the error
    return Repository(call.access, call.options, place._replace(root=str(call.options.cwd)))


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
                else call.ctx.open(join(VirtualPath(call.options.cwd), text)) as reader
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
    def __init__(self, call: Invocation, options: Options, terms: list[Term], repository: Repository) -> None:
        self.call = call
        self.options = options
        self.repository = repository
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
        self.layout = Layout(
            next((number for side, number in reversed(options.contexts) if "b" in side), 0),
            next((number for side, number in reversed(options.contexts) if "a" in side), 0),
            options.functions,
            options.bodies,
            options.heading,
            options.breaks,
        )
        self.drivers = Drivers(repository)
        wanted = are_wanted(config.get, "grep") if options.color is None else options.color == "always"
        self._colors = _colors(self.repository) if wanted else {}
        self.printer = HitPrinter(
            self.layout, call.ctx.write, self._paint("separator", b"--") + b"\n", call.access.charge
        )

    def _paint(self, slot: str, text: bytes) -> bytes:
        color = self._colors.get(slot)
        return color + text + encode(RESET) if color else text

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

    def file(self, file: File) -> bool:
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
            return False
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

    def _report(self, file: File, lines: list[bytes], selected: list[int], binary: bool) -> bool:
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
        elif options.only_matching and not options.invert:
            for at in selected:
                self._parts(name, at, lines[at])
        else:
            self._lines(file, lines, selected)
        return True

    def _head(self, name: bytes, at: int, mark: bytes, column: int) -> bytes:
        options = self.options
        separator = self._separator(mark)
        head = b"" if options.no_name or not name else name + separator
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

    def _lines(self, file: File, lines: list[bytes], selected: list[int]) -> None:
        name, chosen = self._paint("filename", encode(file.shown)), set(selected)
        shown = b"" if self.layout.heading else name

        def write(at: int, mark: bytes) -> None:
            column = 0
            if (
                self.options.column and at in chosen
            ):  # a line that is selected without a match begins at column 1
                span = self.expression.first(lines[at], 0)
                column = 1 if span is None else span[0] + 1
            text = self._painted(lines[at], "selected" if at in chosen else "context")
            self.call.ctx.write(self._head(shown, at, mark, column) + text + b"\n")

        self.printer.set_writer(write)
        self.printer.print_hits(name, lines, selected, self.drivers.heading(file.path))
