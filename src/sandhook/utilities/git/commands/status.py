"""git status: the state of the working tree, for people and for scripts.

Source: git-status(1) and git's wt-status.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.refs import chosen_layout
from sandhook.utilities.git.diff.model import MOST_SCORE, NULL_ID, Pair
from sandhook.utilities.git.diff.options import DiffOptions, similarity
from sandhook.utilities.git.diff.trees import compare_with_index
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.bases import ahead_behind
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.upstream import upstream_of
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.names.quote import quote, relative
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.objects import GITLINK
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.long_status import LongStatus
from sandhook.utilities.git.work.status import Conflict, Status, Wanted, collect, paths_of
from sandhook.utilities.git.work.status_colors import StatusColors
from sandhook.utilities.git.work.submodules import IgnoredChanges
from sandhook.utilities.git.work.tree import compare_work_tree
from sandhook.utilities.git.work.untracked import Mode

_UNTRACKED = {"no": "no", "false": "no", "normal": "normal", "true": "normal", "all": "all"}


@option_set
class Options:
    """Options of git status."""

    form: str | None = also(
        opt("-s", const="short", default=None),
        opt("--short", const="short"),
        opt("--long", const="long"),
        opt("--porcelain", "VERSION", "", optional=True, const="v1"),
    )
    branch: bool | None = also(opt("-b", default=None), opt("--branch"))
    nul: bool = also(opt("-z"), opt("--null"))
    untracked: str | None = also(
        opt("-u", "MODE", "", optional=True, const="all"),
        opt("--untracked-files", "MODE", "", optional=True, const="all"),
    )
    ignored: str | None = opt("--ignored", "MODE", "", optional=True, const="traditional")
    submodules: str | None = opt("--ignore-submodules", "WHEN", "", optional=True, const="all")
    renames: int | None = also(
        opt("--renames", const=MOST_SCORE // 2, default=None), opt("--no-renames", const=-1)
    )
    score: int | None = also(
        opt("-M", "N", "", convert=similarity, optional=True, const=MOST_SCORE // 2),
        opt("--find-renames", "N", "", convert=similarity, optional=True, const=MOST_SCORE // 2),
    )
    ahead_behind: bool = also(opt("--ahead-behind", default=True), opt("--no-ahead-behind", const=False))
    show_stash: bool = opt("--show-stash")
    verbose: tuple[bool, ...] = also(opt("-v", append=True), opt("--verbose", append=True))
    column: str | None = also(
        opt("--column", "STYLE", "", optional=True, const="always"), opt("--no-column", const=None)
    )


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0."""
    parsed = Parser(Options).parse(arguments)
    options = parsed.of(Options)
    repository = call.repository
    repository.root  # noqa: B018  # raises without a working tree
    layout = chosen_layout(repository.config, "status", options.column)
    if layout is not None and _form(options, repository) == "long":
        raise GitError("status in columns is not offered in the sandbox (L-GIT-003)", status=129)
    pathspec = repository.pathspec([*parsed.operands, *(parsed.paths or ())])
    write_status(repository, options, pathspec)
    return 0


def write_status(
    repository: Repository,
    options: Options,
    pathspec: Pathspec,
    *,
    committing: bool = False,
    base: str | None = None,
) -> Status:
    """Print the state of the working tree in the form of the options, and return it.

    Args:
        committing: "git commit --dry-run" prints it. base: The commit that the index is compared with, None for HEAD.
    """
    config = repository.config
    form = _form(options, repository)
    status = collect(repository, pathspec, _wanted(options, repository)._replace(base=base))
    shows_branch = (
        options.branch if options.branch is not None else form == "short" and config.boolean("status.branch")
    )
    if form == "long":
        mode = _untracked_mode(options, repository)
        long = LongStatus(repository, status, mode, options.ahead_behind, committing=committing)
        long.source = "HEAD^1" if base is not None else ""
        if options.verbose:
            found = _wanted(options, repository).renames
            renames = -1 if found is None else found
            long.before_conclusion = lambda: _write_changes(
                repository, status, len(options.verbose), base, renames
            )
        long.write(
            show_stash=options.show_stash or config.boolean("status.showstash"),
            ignored=options.ignored not in (None, "no"),
        )
        return status
    output = _Machine(repository, status, form, options)
    if shows_branch:
        output.write_branch()
    if form == "v2":
        if options.show_stash:
            output.write_stash()
        output.write_second()
    else:
        output.write_first()
    return status


def _write_changes(
    repository: Repository, status: Status, level: int, base: str | None, renames: int
) -> None:
    """Print the differences of -v: those between HEAD and the index, and with -vv those of the working tree, too."""
    from sandhook.utilities.git.diff.output import DiffOutput  # which only -v needs

    everything = Pathspec([], repository.access.charge)
    head = base or repository.refs.resolve("HEAD")
    tree = None if head is None else repository.objects.tree_of(head)
    write_line = repository.ctx.write_line
    detects = DiffOptions(renames=renames)
    with_prefixes = DiffOptions(renames=renames, old_prefix="c/", new_prefix="i/")
    output = DiffOutput(repository, with_prefixes if level > 1 and status.staged else detects)
    if level > 1 and status.staged:
        write_line("Changes to be committed:")
    output.write(output.complete(compare_with_index(repository.objects, tree, repository.index, everything)))
    if level > 1 and status.changed:
        write_line("-" * 50)
        write_line("Changes not staged for commit:")
        output = DiffOutput(repository, DiffOptions(old_prefix="i/", new_prefix="w/"))
        ignored = IgnoredChanges(repository, None, "untracked")
        output.write(output.complete(compare_work_tree(output.work, everything, ignore_submodules=ignored)))


def _form(options: Options, repository: Repository) -> str:
    forms = {"v1": "v1", "1": "v1", "v2": "v2", "2": "v2", "short": "short", "long": "long"}
    if options.form is None:
        if options.nul:
            return "v1"
        return "short" if repository.config.boolean("status.short") else "long"
    if options.form not in forms:
        raise GitError(f"unsupported porcelain version '{options.form}'")
    if options.form == "long" and options.nul:
        raise GitError("options '--long' and '-z' cannot be used together")
    return forms[options.form]


def _untracked_mode(options: Options, repository: Repository) -> Mode:
    word = options.untracked or repository.config.get("status.showuntrackedfiles") or "normal"
    if word not in _UNTRACKED:
        raise GitError(f"Invalid untracked files mode '{word}'")
    return cast("Mode", _UNTRACKED[word])


def _wanted(options: Options, repository: Repository) -> Wanted:
    mode = _untracked_mode(options, repository)
    ignored = options.ignored or "no"
    if ignored not in ("no", "traditional", "matching"):
        raise GitError(f"Invalid ignored mode '{ignored}'")
    if ignored == "matching" and mode == "no":
        raise GitError("Unsupported combination of ignored and untracked-files arguments")
    if options.score is not None:  # which is stronger, wherever it stands
        renames: int | None = options.score
    elif options.renames is not None:
        renames = options.renames if options.renames >= 0 else None
    else:
        setting = repository.config.get("status.renames") or repository.config.get("diff.renames") or "true"
        renames = None if setting.lower() in ("false", "no", "off", "0") else MOST_SCORE // 2
    return Wanted(mode, ignored, renames, options.submodules)


class _Machine:
    """The short forms: -s, --porcelain=v1 and --porcelain=v2."""

    def __init__(self, repository: Repository, status: Status, form: str, options: Options) -> None:
        self.repository = repository
        self.status = status
        self.form = form
        self.options = options
        config = repository.config
        is_relative = form != "v1" and not options.nul and config.boolean("status.relativepaths", True)
        self.prefix = repository.prefix if is_relative else ""
        self._colors = StatusColors(config) if form == "short" else None

    def _paint(self, slot: str, text: str) -> str:
        return text if self._colors is None else self._colors.paint(slot, text)

    def _write(self, text: str) -> None:
        self.repository.ctx.write(encode(text + ("\0" if self.options.nul else "\n")))

    def _path(self, path: str, quote_blanks: bool) -> str:
        if self.options.nul:
            return path
        name = quote(relative(path, self.prefix), self.repository.quotes_wide)
        return f'"{name}"' if quote_blanks and " " in name and not name.startswith('"') else name

    # ------------------------------------------------------------------ branch

    def write_branch(self) -> None:
        """Write the lines about the branch."""
        repository = self.repository
        branch = (repository.head_branch() or "").removeprefix("refs/heads/")
        head = repository.refs.resolve("HEAD")
        if repository.has_broken_head and self.form != "v2":
            repository.ctx.write(b"## ")  # git prints nothing more, not even a newline
            return
        if self.form == "v2":
            self._second_branch(branch, head)
            return
        if not branch:
            self._write(f"## {self._paint('nobranch', 'HEAD (no branch)')}")
            return
        text = f"## {'No commits yet on ' if head is None else ''}{self._paint('local', branch)}"
        upstream = upstream_of(repository, branch)
        if upstream is not None:
            text += "..." + self._paint("remote", Names(repository).short_ref(upstream))
            there = repository.refs.resolve(upstream)
            if there is None:
                text += " [gone]"
            elif head is not None:
                text += self._distance(head, there)
        self._write(text)

    def _distance(self, head: str, upstream: str) -> str:
        if not self.options.ahead_behind:
            return " [different]" if head != upstream else ""
        ours, theirs = ahead_behind(self.repository, head, upstream)
        here, there = self._paint("local", str(ours)), self._paint("remote", str(theirs))
        parts = [f"ahead {here}"] * bool(ours) + [f"behind {there}"] * bool(theirs)
        return f" [{', '.join(parts)}]" if parts else ""

    def _second_branch(self, branch: str, head: str | None) -> None:
        self._write(f"# branch.oid {head or '(initial)'}")
        shown = "(unknown)" if self.repository.has_broken_head else branch or "(detached)"
        self._write(f"# branch.head {shown}")
        upstream = upstream_of(self.repository, branch) if branch else None
        if upstream is None:
            return
        self._write(f"# branch.upstream {Names(self.repository).short_ref(upstream)}")
        there = self.repository.refs.resolve(upstream)
        if there is None or head is None:
            return
        if not self.options.ahead_behind and head != there:
            self._write("# branch.ab +? -?")
            return
        ours, theirs = ahead_behind(self.repository, head, there)
        self._write(f"# branch.ab +{ours} -{theirs}")

    def write_stash(self) -> None:
        """Write the number of stashes."""
        count = len(self.repository.refs.log("refs/stash"))
        if count:
            self._write(f"# stash {count}")

    # ------------------------------------------------------------------ files

    def _changes(self) -> Iterator[tuple[str, Pair | None, Pair | None, Conflict | None]]:
        staged = {pair.path: pair for pair in self.status.staged}
        changed = {pair.path: pair for pair in self.status.changed}
        conflicts = {each.path: each for each in self.status.conflicts}
        for path in paths_of(self.status):
            yield path, staged.get(path), changed.get(path), conflicts.get(path)

    def write_first(self) -> None:
        """Write the lines of -s and --porcelain=v1."""
        for path, staged, changed, conflict in self._changes():
            if conflict is not None:
                self._write(f"{self._paint('unmerged', conflict.letters)} {self._path(path, True)}")
                continue
            letters = (self._paint("added", staged.status) if staged is not None else " ") + (
                self._paint("changed", self._work_letter(changed)) if changed is not None else " "
            )
            source = next(
                (pair.old.path for pair in (staged, changed) if pair is not None and pair.status in "RC"),
                None,
            )
            if source is None:
                self._write(f"{letters} {self._path(path, True)}")
            elif self.options.nul:
                self._write(f"{letters} {path}\0{source}")
            else:
                self._write(f"{letters} {self._path(source, True)} -> {self._path(path, True)}")
        for mark, paths in (("??", self.status.untracked), ("!!", self.status.ignored)):
            shown = mark if self.options.nul else self._paint("untracked", mark)
            for path in paths:
                self._write(f"{shown} {self._path(path, True)}")

    def _work_letter(self, pair: Pair) -> str:
        """Return the letter of a change in the working tree; -s has small ones for what is in a submodule."""
        new = pair.new
        if self.form != "short" or new.mode != GITLINK or new.oid != pair.old.oid:
            return pair.status
        return "m" if "M" in new.dirty else "?"

    def write_second(self) -> None:
        """Write the lines of --porcelain=v2."""
        for path, staged, changed, conflict in self._changes():
            if conflict is None:
                self._second_line(path, staged, changed)
        for conflict in self.status.conflicts:
            self._second_conflict(conflict)
        for mark, paths in (("?", self.status.untracked), ("!", self.status.ignored)):
            for path in paths:
                self._write(f"{mark} {self._path(path, False)}")

    def _second_conflict(self, conflict: Conflict) -> None:
        stages = [conflict.stages.get(number, (0, NULL_ID)) for number in (1, 2, 3)]
        modes = " ".join(f"{mode:06o}" for mode, _ in stages)
        names = " ".join(oid for _, oid in stages)
        from sandhook.utilities.git.work.tree import WorkTree

        mode = WorkTree(self.repository).mode_of(conflict.path, None)
        self._write(
            f"u {conflict.letters} N... {modes} {mode:06o} {names} {self._path(conflict.path, False)}"
        )

    def _second_line(self, path: str, staged: Pair | None, changed: Pair | None) -> None:
        entry = self.repository.index.get(path)
        old = staged.old if staged is not None else None
        index_mode = entry.mode if entry is not None and not entry.intended else 0
        index_id = entry.oid if entry is not None and not entry.intended else NULL_ID
        head_mode, head_id = (old.mode, old.oid) if old is not None else (index_mode, index_id)
        work_mode = changed.new.mode if changed is not None else index_mode
        letters = (staged.status if staged is not None else ".") + (
            changed.status if changed is not None else "."
        )
        fields = f"{letters} {self._submodule(index_mode, changed)} {head_mode:06o} {index_mode:06o} {work_mode:06o} {head_id} {index_id}"
        pair = next((each for each in (staged, changed) if each is not None and each.status in "RC"), None)
        if pair is None:
            self._write(f"1 {fields} {self._path(path, False)}")
            return
        separator = "\0" if self.options.nul else "\t"
        source = self._path(pair.old.path, False)
        self._write(f"2 {fields} {pair.status}{pair.percent} {self._path(path, False)}{separator}{source}")

    def _submodule(self, mode: int, changed: Pair | None) -> str:
        if mode != 0o160000:
            return "N..."
        if changed is None:
            return "S..."
        new, dirt = changed.new, changed.new.dirty
        return f"S{'C' if new.oid != changed.old.oid else '.'}{'M' if 'M' in dirt else '.'}{'U' if 'U' in dirt else '.'}"
