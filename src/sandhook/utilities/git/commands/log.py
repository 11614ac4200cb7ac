"""git log, show, whatchanged and rev-list: print commits and what they change.

Source: git-log(1), git-show(1), git-rev-list(1); git 2.39, builtin/log.c and log-tree.c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.utilities.git.commands.log_options import Options, chosen_notes, parser, refuse
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.errors import GitError, RevisionError
from sandhook.utilities.git.history.commit_diff import CommitDiff
from sandhook.utilities.git.history.decorate import Decorations, Shown
from sandhook.utilities.git.history.graph import GraphOfSelection, read_colors
from sandhook.utilities.git.history.line_log import LineHistory, LineLog
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.object_list import boundary
from sandhook.utilities.git.history.operands import split_operands, without_missing
from sandhook.utilities.git.history.patch_ids import equivalent_commits
from sandhook.utilities.git.history.pretty import Format, Printer, parse_format
from sandhook.utilities.git.history.reflogs import ReflogWalk, check_words
from sandhook.utilities.git.history.selection import Selection, WalkOptions
from sandhook.utilities.git.history.starts import (
    Starts,
    add_merge,
    find_starts,
    names_of_refs,
    pull_starts,
    with_input,
)
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.repository import Repository

_SEPARATE = ("separate", "=separate", "=first")  #: forms of merges that ask for all parents


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 for differences with --exit-code, 2 for problems with --check."""
    special, words = pull_starts(with_input(call.repository, arguments))
    parsed = parser().parse(words)
    for word in parsed.unknown:
        if word != "--not":
            raise GitError(f"unrecognized argument: {word}")
    options, walk = parsed.of(Options), parsed.of(WalkOptions)
    refuse(options, parsed.of(DiffOptions))
    _check_reflog_options(options, walk)
    repository = call.repository
    operands = _with_not(words, parsed.operands)
    if walk.ignored_missing:
        operands = without_missing(Names(repository), operands)
    revisions, paths = split_operands(
        repository, [word for word in operands if word != "--not"], parsed.paths, parsed.late
    )
    ordered = [word for word in operands if word == "--not" or word in revisions]
    starts = find_starts(repository, ordered, special)
    pathspec = repository.pathspec(paths)
    if walk.merge:
        pathspec = add_merge(repository, starts, pathspec)
    if walk.ignored_missing and parsed.operands and not operands:
        return 0  # whatever was named is missing
    if (not starts.wanted and not special and not any(word.startswith("^") for word in revisions)) or (
        not starts.wanted and revisions and all(word.startswith("^") for word in revisions)
    ):
        starts = _from_head(repository, starts)
    reflogs = None
    if options.walk_reflogs:
        words = [*(word for word in ordered if word != "--not"), *names_of_refs(repository, special)]
        check_words(words)
        reflogs = ReflogWalk(
            repository, words or ([] if special else ["HEAD"]), dated=options.date is not None
        )
    if options.follow and len(paths) != 1:
        raise GitError("--follow requires exactly one pathspec")
    selection_paths = Pathspec([], repository.access.charge) if options.follow else pathspec
    selection = Selection(repository, walk, starts, selection_paths, reflogs)
    selection.full_history = parsed.of(DiffOptions).combined in _SEPARATE
    diff = CommitDiff(
        repository,
        parsed.of(DiffOptions),
        Pathspec([], repository.access.charge) if options.full_diff else pathspec,
        first_parent=walk.first_parent and call.command not in ("whatchanged", "reflog"),
        follow=options.follow,
    )
    diff.shows_root = options.root or repository.config.boolean("log.showroot", True)
    if call.command == "whatchanged":
        _show_changes_only(diff, options)
    log = Log(repository, options, diff, selection)
    if options.equivalent:
        log.equal = equivalent_commits(selection)
        selection.omitted = log.equal if options.equivalent == "omit" else frozenset()
    name_sources(log, starts, is_mixed=bool(special and revisions))
    log.printer.reflogs = reflogs
    _show_relations(call, log, options, walk, selection)
    if options.lines:
        log.lines = _line_log(log, paths, starts, revisions, first_parent=walk.first_parent)
    return log.run(selection) | diff.output.check_status


def _show_changes_only(diff: CommitDiff, options: Options) -> None:
    """Leave out commits without differences, as git whatchanged does. Raises GitError for --graph."""
    if options.graph:
        raise GitError("whatchanged --graph is not offered in the sandbox (L-GIT-003)", status=129)
    joins = diff.options.combined not in (None, "separate", "off")
    diff.default, diff.always_shows = "patch" if joins else "raw", False


def _show_relations(
    call: Invocation, log: Log, options: Options, walk: WalkOptions, selection: Selection
) -> None:
    """Have parents, children, edges and the graph be shown. Raises GitError for options that exclude each other."""
    if options.children and (options.parents or options.graph or walk.simplify_merges or walk.by_decoration):
        raise GitError("options '--parents' and '--children' cannot be used together")
    selection.has_edges = options.boundary
    selection.rewrites = options.parents or options.children or options.graph
    if options.graph:
        log.graph = _graph(call, walk, selection, log.diff.output.appearance.colored)
    if options.log_size and (log.layout.kind in ("oneline", "user") or options.graph):
        raise GitError(
            "log --log-size with --oneline, --format or --graph is not offered in the sandbox (L-GIT-003)",
            status=129,
        )


def name_sources(log: Log, starts: Starts, *, is_mixed: bool) -> None:
    """Have commits come with the names that they were reached by, if --source or %S asks for them.

    Args:
        is_mixed: Both words and options such as --all name commits, whose order is not known here.
    """
    if not log.shows_sources or log.selection is None:
        return
    if is_mixed:
        raise GitError(
            "log --source and %S of both names and --all or the like are not offered in the sandbox (L-GIT-003)",
            status=129,
        )
    log.selection.sources = dict(starts.names)


def _line_log(
    log: Log, paths: Sequence[str], starts: Starts, revisions: Sequence[str], *, first_parent: bool
) -> LineHistory:
    """Return the history of the lines of -L. Raises GitError for options that exclude it."""
    forms = log.diff.output.forms() - {"patch"}
    if paths:
        raise GitError("-L<range>:<file> cannot be used with pathspec")
    if forms:
        raise GitError("-L does not yet support diff formats besides -p and -s")
    if log.options.graph or log.options.walk_reflogs or log.options.follow:
        raise GitError(
            "log -L with --graph, -g or --follow is not offered in the sandbox (L-GIT-003)", status=129
        )
    if len(starts.wanted) != 1:
        names = [word for word in revisions if not word.startswith("^")] or starts.wanted
        raise GitError(
            f"More than one commit to dig from: {names[1]} and {names[0]}?"
            if names[1:]
            else "No commit specified?"
        )
    lines = LineLog(log.repository, log.options.lines, starts.wanted[0], first_parent=first_parent)
    history = LineHistory(log.diff.output, lines)
    if log.selection is not None:
        log.selection.restrict(history.accepts)
    return history


def _check_reflog_options(options: Options, walk: WalkOptions) -> None:
    """Raise GitError for options that exclude each other."""
    if walk.grep_reflog and not options.walk_reflogs:
        raise GitError("the option '--grep-reflog' requires '--walk-reflogs'")
    if options.walk_reflogs and walk.reverse:
        raise GitError("options '--reverse' and '--walk-reflogs' cannot be used together")
    limits = (
        options.graph, walk.order, options.children, options.equivalent, walk.left_only, walk.right_only,
        walk.simplify_merges, walk.by_decoration, walk.ancestry,
    )  # fmt: skip
    if options.walk_reflogs and any(limits):
        raise GitError("cannot combine --walk-reflogs with history-limiting options")


def _graph(call: Invocation, walk: WalkOptions, selection: Selection, colored: bool) -> GraphOfSelection:
    """Return the graph of the commits. Raises GitError for options that exclude it."""
    for name, is_set in (("reverse", walk.reverse), ("no-walk", walk.no_walk)):
        if is_set:
            raise GitError(f"options '--{name}' and '--graph' cannot be used together")
    palette = read_colors(call.repository.config, call.error) if colored else ()
    return GraphOfSelection(selection, call.access.charge, palette)


def _with_not(words: Sequence[str], operands: list[str]) -> list[str]:
    """Return the operands with "--not" in its places."""
    if "--not" not in words:
        return operands
    left = list(operands)
    result = []
    for word in words:
        if word == "--not":
            result.append(word)
        elif left and word == left[0]:
            result.append(left.pop(0))
    return result + left


def check_head(repository: Repository) -> str:
    """Return the commit of HEAD. Raises RevisionError without one."""
    head = repository.refs.resolve("HEAD")
    if head is None:
        if repository.has_broken_head:
            raise RevisionError("your current branch appears to be broken")
        branch = (repository.head_branch() or "HEAD").removeprefix("refs/heads/")
        raise RevisionError(f"your current branch '{branch}' does not have any commits yet")
    if not repository.objects.has(head):
        raise GitError("bad object HEAD")
    return head


def _from_head(repository: Repository, starts: Starts) -> Starts:
    head = check_head(repository)
    return starts._replace(wanted=[*starts.wanted, head], names={**starts.names, head: "HEAD"})


def recoder(name: str) -> Callable[[str], bytes] | None:
    """Return what writes text in an encoding, as UTF-8 where that lacks a character; None for UTF-8."""
    from sandhook.utilities.git.store.encodings import codec_of, recoded  # which most calls do not need

    codec = codec_of(name)

    def recode(text: str) -> bytes:
        data = recoded(text, codec) if codec is not None else None
        return encode(text) if data is None else data

    return None if codec is None else recode


class Log:
    """Prints commits with their separators and differences."""

    def __init__(
        self, repository: Repository, options: Options, diff: CommitDiff, selection: Selection | None = None
    ) -> None:
        self.repository = repository
        self.options = options
        self.ctx = repository.ctx
        self.diff = diff
        self.selection = selection
        self.printer = printer_of(repository, options, diff.options.abbrev)
        self.layout = self.printer.layout
        usual = options.pretty is None or "%N" in self.layout.text
        self.printer.notes = chosen_notes(repository, options, usual)
        self.printer.has_notes = self.printer.notes is not None
        self.printer.tabs = options.tabs
        if diff.output.appearance.colored:
            self.printer.color = diff.output.appearance.palette.commit.decode()
        self.printer.shows_source = options.source and not options.walk_reflogs
        self.equal: frozenset[str] = frozenset()  #: commits of both sides of "A...B" with the same patch
        self._children: dict[str, list[str]] | None = None
        self.end = "\0" if diff.options.nul else "\n"
        self.shown = False
        self.changed = False
        self.graph: GraphOfSelection | None = None
        self.lines: LineHistory | None = None
        self.ends_line = True
        config = repository.config
        name = options.encoding or config.get("i18n.logoutputencoding") or config.get("i18n.commitencoding")
        self._recode = None if name is None else recoder(name)

    def run(self, commits: Selection) -> int:
        """Print all commits; return the exit status."""
        if not self.options.boundary:
            commits.shown(self.show)
            return self.status
        shown = []
        if self.printer.reflogs is not None:  # whose position changes with each commit
            for commit in commits:
                self.show(commit)
                shown.append(commit)
        else:
            shown = list(commits)
        edges = boundary(self.repository, [commits.rewritten(commit) for commit in shown])
        commits.edges = frozenset(commit.oid for commit in edges)
        if self.printer.reflogs is not None:
            shown = []
        for commit in (*reversed(edges), *shown) if commits.options.reverse else (*shown, *edges):
            self.show(commit)
        return self.status

    @property
    def status(self) -> int:
        """The exit status: 1 with --exit-code if the last commit that was compared has differences."""
        return int(self.changed and self.diff.options.exit_code)

    @property
    def shows_sources(self) -> bool:
        """True if commits are printed with the names that they were reached by."""
        return self.options.source or "%S" in self.layout.text

    def _write(self, text: str) -> None:
        self.ctx.write(encode(text) if self._recode is None or text.isascii() else self._recode(text))

    def _is_empty(self) -> bool:
        return self.layout.kind == "user" and not self.layout.text

    def head(self, commit: Commit, source: str = "") -> None:
        """Print the text of a commit, after the separator."""
        if self.graph is not None:
            self.graph.update(commit, self._graph_mark(commit))
        if self.shown and not self.layout.terminates:
            padded = self.graph is not None and self.ends_line
            self._write((self.graph.padding() if self.graph is not None and padded else "") + self.end)
        self.shown = True
        if self._is_empty():
            return
        mark = self._mark(commit)
        if self.selection is not None and self.selection.sources is not None:
            self.printer.source = self.selection.sources.get(commit.oid)
        text = self.printer.text(self._rewritten(commit), mark, self._related(commit) + source)
        if self.options.log_size:
            first, _, rest = text.partition("\n")
            text = f"{first}\nlog size {len(encode(rest))}\n{rest}"
        if mark and self.layout.kind not in ("oneline", "user"):
            text = text.replace(f"commit {mark}", f"commit {mark} ", 1)
        elif mark and self.layout.kind == "oneline":
            text = text.replace(mark, f"{mark} ", 1)
        self.ends_line = text.endswith("\n")
        self._write(text if self.graph is None else self.graph.drawn(text))
        if self.layout.kind == "oneline" and self.options.walk_reflogs:
            self._write("\n")  # whatever -z says
        elif self.layout.terminates:
            prefix = self.graph.padding() if self.graph is not None and text.endswith("\n") else ""
            self._write(prefix + self.end)
        if self.graph is not None:
            self.diff.output.set_line_prefix(self.graph.padding())

    def _mark(self, commit: Commit) -> str:
        """Return what is printed before the name of a commit after --left-right and --cherry-mark."""
        if self.selection is None or (self.graph is not None and self.layout.kind != "user"):
            return ""
        if commit.oid in self.selection.edges:
            return "-"
        if self.options.equivalent == "mark" and commit.oid in self.equal:
            return "="
        if self.selection.options.left_right or self.layout.kind == "user":  # %m names the side in any case
            return self.selection.mark(commit)
        return "+" if self.options.equivalent == "mark" else ""

    def _graph_mark(self, commit: Commit) -> str:
        """Return the character of a commit in the graph."""
        if self.selection is None:
            return "*"
        if commit.oid in self.selection.edges:
            return "o"
        if self.options.equivalent == "mark" and commit.oid in self.equal:
            return "="
        return self.selection.mark(commit) if self.selection.options.left_right else "*"

    def _rewritten(self, commit: Commit) -> Commit:
        """Return a commit with the parents that are shown, if parents are."""
        if self.selection is None:
            return commit
        return self.selection.rewritten(commit)

    def _related(self, commit: Commit) -> str:
        """Return the names of --parents and --children after that of a commit."""
        if self.selection is None:
            return ""
        related = list(self._rewritten(commit).parents) if self.options.parents else []
        if self.options.children:
            if self._children is None:
                self._children = self.selection.children()
            related += self._children.get(commit.oid, [])
        return "".join(f" {self.printer.shown_id(oid)}" for oid in related)

    def show(self, commit: Commit) -> bool:
        """Print a commit and its differences. Return False for one that the options leave out."""
        if self.lines is not None:
            self.head(commit)
            if self.diff.options.patch is not None:
                self._write("\n")
            self.lines.write(commit)
            return True
        compared = commit if self.options.full_diff else self._rewritten(commit)
        parts = self.diff.parts(compared)
        if self.diff.options.exit_code:
            self.changed = self.diff.has_changes(compared, self.changed)
        if parts is None:
            return False
        if not parts:
            self.head(commit)
            return True
        for part in parts:
            self.head(commit, self._source(part.source))
            self._separate(bool(part.pairs), part.merged is not None)
            self.diff.write(part)
        return True

    def _source(self, parent: str) -> str:
        return f" (from {self.printer.shown_id(parent)})" if parent else ""

    def _separate(self, has_pairs: bool, combined: bool) -> None:
        """Print the line between the text of a commit and its differences."""
        if self._is_empty() or (not combined and (not has_pairs or self.layout.kind == "oneline")):
            return
        prefix = self.diff.output.line_prefix if self.graph is not None else ""
        if combined:
            self._write(prefix + self.end)
            return
        self._write(prefix + ("---\n" if self.diff.has_stat_and_patch() else "\n"))


def printer_of(repository: Repository, options: Options, abbrev: int | None) -> Printer:
    """Return what formats commits under the options and the settings log.*, format.pretty."""
    config = repository.config
    word = options.pretty
    short = options.abbrev_commit
    if word is None:
        word = config.get("format.pretty")
    format_ = Format("medium") if word is None else parse_format(word, repository)
    if short is None:
        short = config.boolean("log.abbrevcommit")
    if options.pretty is not None and format_.kind == "raw" and options.abbrev_commit is None:
        short = False  # whatever the settings say
    decoration = options.decorate or "no"
    if options.decorate is None:
        setting = (config.get("log.decorate") or "auto").lower()
        decoration = {"true": "short", "short": "short", "full": "full", "yes": "short"}.get(setting, "no")
    date = options.date or config.get("log.date") or ""
    if date.startswith("auto:"):
        date = "default"
    length = (abbrev or 0) if short or abbrev is not None else None
    printer = Printer(
        repository, format_, date=date, abbreviated=length if short else None, decoration=decoration
    )
    printer.length = abbrev or None
    if options.decorated or options.undecorated or options.all_decorations:
        printer.decorations = Decorations(
            repository, Shown(options.decorated, options.undecorated, options.all_decorations)
        )
    if options.mailmap is not None:
        printer.uses_mailmap = options.mailmap
    return printer
