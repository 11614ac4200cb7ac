"""git branch: list branches.

Source: git-branch(1); git 2.39, builtin/branch.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.commands.branch.names import rename_branch
from sandhook.utilities.git.commands.refs import FilterOptions, chosen_layout, select, write_lines
from sandhook.utilities.git.commands.tracking import set_upstream, unset_upstream
from sandhook.utilities.git.commands.writers.ref_changes import create_branch, delete_branches
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.bases import ahead_behind
from sandhook.utilities.git.history.messages import subject
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.ref_format import Ref, RefFields
from sandhook.utilities.git.history.upstream import upstream_of
from sandhook.utilities.git.names.colors import RESET, are_wanted, setting_color
from sandhook.utilities.git.names.wildmatch import wildmatch
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.working_trees import checked_out, checked_out_elsewhere
from sandhook.utilities.git.work.state import bisected_branch, detached_line

_USAGE = "usage: git branch [<options>] [-r | -a] [--merged] [--no-merged]"


@option_set
class Options:
    """Options of git branch."""

    show_current: bool = opt("--show-current")
    all: bool = also(opt("-a"), opt("--all"))
    remotes: bool = also(opt("-r"), opt("--remotes"))
    list: bool = also(opt("-l"), opt("--list"))
    verbose: tuple[str, ...] = also(
        opt("-v", append=True, default=(), const="v"), opt("--verbose", append=True, const="v")
    )
    abbrev: int | None = also(
        opt("--abbrev", "N", "", convert=count, optional=True), opt("--no-abbrev", const=40)
    )
    quiet: bool = also(opt("-q"), opt("--quiet"))
    changes: tuple[tuple[str, bool], ...] = also(
        opt("-d", const=("delete", False), append=True), opt("--delete", const=("delete", False), append=True),
        opt("-D", const=("delete", True), append=True), opt("-m", const=("rename", False), append=True),
        opt("--move", const=("rename", False), append=True), opt("-M", const=("rename", True), append=True),
        opt("-c", const=("copy", False), append=True), opt("--copy", const=("copy", False), append=True),
        opt("-C", const=("copy", True), append=True), opt("--unset-upstream", const=("unset", False), append=True),
        opt("--edit-description", const=("edit", False), append=True),
    )  # fmt: skip
    force: bool = also(opt("-f"), opt("--force"))
    track: str | None = also(
        opt("-t", const="direct", default=None), opt("--track", "MODE", "", optional=True, const="direct"),
        opt("--no-track", const="never"),
    )  # fmt: skip
    upstream: str | None = also(opt("-u", "NAME", ""), opt("--set-upstream-to", "NAME", ""))


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0."""
    parsed = Parser(Options, FilterOptions).parse(arguments)
    options, filters = parsed.of(Options), parsed.of(FilterOptions)
    repository = call.repository
    kinds = {kind for kind, _ in options.changes}
    lists = options.list or filters.selects
    if len(kinds) + (options.upstream is not None) + options.show_current + lists > 1:
        raise GitError(_USAGE, prefix="", status=129)
    if options.show_current:
        if repository.has_broken_head:
            raise GitError("Failed to resolve HEAD as a valid ref.")
        branch = repository.head_branch()
        if branch is not None:
            call.ctx.write_line(branch.removeprefix("refs/heads/"))
        return 0
    if kinds or options.upstream is not None or (parsed.operands and not lists):
        return _change(call, options, [*parsed.operands, *(parsed.paths or ())])
    _Listing(repository, options, filters, parsed.operands).write()
    return 0


def _change(call: Invocation, options: Options, operands: list[str]) -> int:
    """Make or remove branches; return the exit status."""
    change = options.changes[0][0] if options.changes else ""
    force = options.force or any(forces for _, forces in options.changes)
    if change == "edit":
        raise GitError(
            "branch --edit-description: an editor is a program, which git in the sandbox never starts (L-GIT-002)",
            status=129,
        )
    call.check_may_write()
    if options.upstream is not None:
        return set_upstream(call, options.upstream, operands, quiet=options.quiet)
    if change == "unset":
        return unset_upstream(call, operands)
    if change in ("rename", "copy"):
        return rename_branch(call, operands, copies=change == "copy", force=force)
    if change == "delete":
        return delete_branches(call, operands, force=force, quiet=options.quiet, remotes=options.remotes)
    return create_branch(call, operands, force=force, track=options.track, quiet=options.quiet)


#: The colours of branches without settings.
_SLOTS = {"current": "green", "local": "", "remote": "red", "upstream": "blue", "worktree": "cyan"}


class _Listing:
    """The list of branches."""

    def __init__(
        self, repository: Repository, options: Options, filters: FilterOptions, patterns: list[str]
    ) -> None:
        self.repository = repository
        self.options = options
        self.filters = filters
        self.patterns = patterns
        self.names = Names(repository)
        self._lines: list[str] = []
        get = repository.config.get
        wanted = are_wanted(get, "branch") if filters.color is None else filters.color == "always"
        self._colors = (
            {slot: setting_color(get, f"color.branch.{slot}", default) for slot, default in _SLOTS.items()}
            if wanted
            else None
        )

    def _paint(self, slot: str, text: str) -> str:
        """Return a text in the colour of a slot, always with the sequence that ends it."""
        return text if self._colors is None else f"{self._colors[slot]}{text}{RESET}"

    def _slot(self, name: str, mark: str) -> str:
        """Return the slot of the colour of a branch."""
        if mark != " ":
            return "current" if mark == "*" else "worktree"
        return "remote" if name.startswith("refs/remotes/") else "local"

    def _matches(self, name: str) -> bool:
        charge = self.repository.access.charge
        return not self.patterns or any(
            wildmatch(pattern, name, charge, ignore_case=self.filters.ignore_case, pathname=False)
            for pattern in self.patterns
        )

    def _refs(self) -> list[Ref]:
        refs = self.repository.refs
        wanted: list[Ref] = []
        if not self.options.remotes:
            wanted += [
                Ref(name, oid)
                for name, oid in refs.all("refs/heads/").items()
                if self._matches(name.removeprefix("refs/heads/"))
            ]
        if self.options.remotes or self.options.all:
            wanted += [
                Ref(name, oid)
                for name, oid in refs.all("refs/remotes/").items()
                if self._matches(name.removeprefix("refs/remotes/"))
            ]
        default = self.repository.config.get("branch.sort") or "refname"
        return self._select(wanted, default)

    def _select(self, refs: list[Ref], default: str) -> list[Ref]:
        return select(self.repository, self.filters, refs, default)

    def _detached(self) -> str | None:
        """Return the line for a detached HEAD, None for a branch."""
        if self.options.remotes or self.repository.head_branch() is not None or self.patterns:
            return None
        head = self.repository.refs.resolve("HEAD")
        if head is None or not self._select([Ref("HEAD", head)], "refname"):
            return None
        directory = f"{self.repository.git_dir}/rebase-merge"
        rebased = (self.repository.access.text_or_none(f"{directory}/head-name") or "").strip()
        if rebased:
            return f"(no branch, rebasing {rebased.removeprefix('refs/heads/')})"
        if (bisected := bisected_branch(self.repository)) is not None:
            return f"(no branch, bisect started on {bisected})"
        text = detached_line(self.repository)
        return "(no branch)" if text.startswith("Not ") else f"({text})"

    def write(self) -> None:
        """Print the branches."""
        refs, lines = self._refs(), self._lines
        detached = self._detached()
        if self.filters.template is not None:
            fields = RefFields(self.repository)
            fields.colored, fields.trees = self._colors is not None, lambda: checked_out(self.repository)
            if detached is not None:
                head = Ref("HEAD", self.repository.refs.resolve("HEAD") or "")
                text = self.filters.template.replace("%(refname:short)", detached).replace(
                    "%(refname)", detached
                )
                lines.append(fields.line(text.replace("%(HEAD)", "*"), head))
            lines += [fields.line(self.filters.template, ref) for ref in refs]
            self._print()
            return
        shown = [self._shown(ref.name) for ref in refs]
        width = max(map(len, [*shown, *([detached] if detached else [])]), default=0)
        if detached is not None:
            head_id = self.repository.refs.resolve("HEAD") or ""
            name = detached.ljust(width) if self.options.verbose else detached
            lines.append(f"* {self._paint('current', name)}" + self._details(Ref("HEAD", head_id)))
        elsewhere = checked_out_elsewhere(self.repository)
        for ref, name in zip(refs, shown):
            mark = "*" if ref.name == self.repository.head_branch() else "+" if ref.name in elsewhere else " "
            target = self.repository.refs.target(ref.name)
            text = self._paint(
                self._slot(ref.name, mark), name.ljust(width) if self.options.verbose else name
            )
            if target is not None and not self.options.verbose:
                text += f" -> {target.removeprefix('refs/remotes/').removeprefix('refs/heads/')}"
            lines.append(f"{mark} {text}" + self._details(ref))
        self._print()

    def _print(self) -> None:
        """Print the lines, in columns if they are wanted."""
        layout = chosen_layout(self.repository.config, "branch", self.filters.column)
        if layout is not None and self.options.verbose:
            if self.filters.column is not None:
                raise GitError("options '--column' and '--verbose' cannot be used together")
            layout = None
        write_lines(self.repository, self._lines, layout, padding=1)

    def _shown(self, name: str) -> str:
        if name.startswith("refs/remotes/"):
            return (
                name[len("refs/") :]
                if self.options.all and not self.options.remotes
                else name[len("refs/remotes/") :]
            )
        return name.removeprefix("refs/heads/")

    def _details(self, ref: Ref) -> str:
        if not self.options.verbose:
            return ""
        target = self.repository.refs.target(ref.name) if ref.name != "HEAD" else None
        if target is not None:
            return f" -> {target.removeprefix('refs/remotes/')}"
        commit = self.repository.objects.commit(ref.oid)
        short = self.names.abbreviate(ref.oid, self.options.abbrev or None)
        place = (
            checked_out_elsewhere(self.repository).get(ref.name) if len(self.options.verbose) > 1 else None
        )
        there = f"({self._paint('worktree', place)}) " if place is not None else ""
        return f" {short} {there}{self._tracking(ref)}{subject(commit.message)}"

    def _tracking(self, ref: Ref) -> str:
        branch = ref.name.removeprefix("refs/heads/")
        upstream = upstream_of(self.repository, branch) if ref.name.startswith("refs/heads/") else None
        if upstream is None:
            return ""
        there = self.repository.refs.resolve(upstream)
        parts = ["gone"]
        if there is not None:
            ours, theirs = ahead_behind(self.repository, ref.oid, there)
            parts = [f"ahead {ours}"] * bool(ours) + [f"behind {theirs}"] * bool(theirs)
        if len(self.options.verbose) > 1:
            name = self.names.short_ref(upstream)
            return f"[{self._paint('upstream', name)}{': ' * bool(parts)}{', '.join(parts)}] "
        return f"[{', '.join(parts)}] " if parts else ""
