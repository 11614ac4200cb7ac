"""git checkout and switch: change the branch, or take files from the index or a commit.

Source: git-checkout(1), git-switch(1); git 2.39, builtin/checkout.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.tracking import (
    check_start,
    follow,
    guessed_start,
    mode_of,
    name_of_start,
)
from sandhook.utilities.git.commands.writers.checkout.paths import Options, PathCheckout
from sandhook.utilities.git.diff.three_way import STYLES, Labels
from sandhook.utilities.git.diff.trees import compare_with_index
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.bases import ahead_behind
from sandhook.utilities.git.history.identity import person_of
from sandhook.utilities.git.history.messages import subject
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.upstream import upstream_of
from sandhook.utilities.git.names.pathspec import Pathspec, operands_of
from sandhook.utilities.git.names.quote import quote
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.index import order
from sandhook.utilities.git.store.index_writing import IndexChange, write_tree
from sandhook.utilities.git.store.ref_writing import end_operation, set_head, write_ref
from sandhook.utilities.git.store.refs import is_valid_name
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.working_trees import checked_out_elsewhere
from sandhook.utilities.git.work.checkout import (
    Checkout,
    WouldOverwrite,
    force_tree,
    remove_tracked,
    switch_tree,
)
from sandhook.utilities.git.work.merging import FileMerge, TreeMerge, write_merged
from sandhook.utilities.git.work.staging import Staging
from sandhook.utilities.git.work.state import tracking_lines
from sandhook.utilities.git.work.submodules import check_recursion
from sandhook.utilities.git.work.tree import WorkTree, compare_tree_with_work_tree

_ADVICE = (
    "",
    "You are in 'detached HEAD' state. You can look around, make experimental",
    "changes and commit them, and you can discard any commits you make in this",
    "state without impacting any branches by switching back to a branch.",
    "",
    "If you want to create a new branch to retain commits you create, you may",
    "do so (now or later) by using -c with the switch command. Example:",
    "",
    "  git switch -c <new-branch-name>",
    "",
    "Or undo this operation with:",
    "",
    "  git switch -",
    "",
    "Turn off this advice by setting config variable advice.detachedHead to false",
    "",
)


@option_set
class CheckoutOptions:
    """Options of git checkout alone."""

    create: str | None = opt("-b", "NAME", "")
    reset: str | None = opt("-B", "NAME", "")
    stage: int = also(
        opt("--ours", const=2, default=0), opt("-2", const=2), opt("--theirs", const=3), opt("-3", const=3)
    )
    path_file: str | None = opt("--pathspec-from-file", "FILE", "")
    path_nul: bool = opt("--pathspec-file-nul")


@option_set
class SwitchOptions:
    """Options of git switch alone."""

    create: str | None = also(opt("-c", "NAME", ""), opt("--create", "NAME", ""))
    reset: str | None = also(opt("-C", "NAME", ""), opt("--force-create", "NAME", ""))


def _refuse(call: Invocation, options: Options) -> None:
    if options.patch:
        raise GitError(f"{call.command} -p is not offered in the sandbox (L-GIT-003)", status=129)
    if not options.overwrites:
        raise GitError("--no-overwrite-ignore is not offered in the sandbox (L-GIT-003)", status=129)
    check_recursion(call, options.submodules)
    if options.conflict and options.conflict not in STYLES:
        raise GitError(f"unknown style '{options.conflict}' given for 'merge.conflictstyle'")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 for changes that would be lost, or operands without a file."""
    parsed = Parser(Options, CheckoutOptions).parse(arguments)
    options, mine = parsed.of(Options), parsed.of(CheckoutOptions)
    _refuse(call, options)
    repository = call.repository
    repository.root  # noqa: B018  # raises without a working tree
    operands, paths = list(parsed.operands), parsed.paths
    new = mine.create if mine.create is not None else mine.reset
    if options.track not in (None, "never") and new is None:
        new = name_of_start(operands[0] if operands else "")
    elif _may_guess(options, new, operands, paths):
        start = _guess(call, operands[0], has_dashes=paths is not None)
        if start is not None:
            return _Switch(call, options).run(start, operands[0], resets=False)
    revision = _revision(repository, operands, has_dashes=paths is not None)
    words = operands[1:] if revision is not None else operands
    if paths is not None and words:
        raise GitError(f"only one reference expected, {len(operands)} given.")
    names = operands_of(call.ctx, [*words, *(paths or ())], mine.path_file, mine.path_nul)
    if names:
        if new is not None or options.orphan is not None or options.detach:
            raise GitError(
                f"'{names[0]}' is not a commit and a branch '{new}' cannot be created from it"
                if new
                else "git checkout: --detach does not take a path argument"
            )
        return PathCheckout(call, options, mine.stage).run(revision, names, counts=paths is None)
    switch = _Switch(call, options)
    return switch.run(revision, new, resets=mine.reset is not None)


def run_switch(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 for changes that would be lost."""
    parsed = Parser(Options, SwitchOptions).parse(arguments)
    options, mine = parsed.of(Options), parsed.of(SwitchOptions)
    _refuse(call, options)
    operands = [*parsed.operands, *(parsed.paths or ())]
    if len(operands) > 1:
        raise GitError(f"only one reference expected, {len(operands)} given.")
    new = mine.create if mine.create is not None else mine.reset
    if options.track not in (None, "never") and new is None:
        new = name_of_start(operands[0] if operands else "")
    repository = call.repository
    if not operands and new is None and options.orphan is None and not options.detach:
        raise GitError("missing branch or commit argument")
    revision = None
    if operands:
        revision = _previous(repository, operands[0])
        oid = Names(repository).find(revision)
        if oid is None and _may_guess(options, new, operands, None):
            start = _guess(call, operands[0], has_dashes=True)
            if start is not None:
                return _Switch(call, options).run(start, operands[0], resets=False)
        if oid is None:
            raise GitError(f"invalid reference: {operands[0]}")
        if new is None and not options.detach and repository.refs.resolve(f"refs/heads/{revision}") is None:
            raise _not_a_branch(repository, operands[0])
    return _Switch(call, options).run(revision, new, resets=mine.reset is not None)


def _not_a_branch(repository: Repository, name: str) -> GitError:
    full = Names(repository).full_ref(name) or ""
    kinds = (("refs/tags/", "tag"), ("refs/remotes/", "remote branch"))
    kind = next((word for prefix, word in kinds if full.startswith(prefix)), "commit")
    return GitError(
        f"a branch is expected, got {kind} '{name}'\n"
        "hint: If you want to detach HEAD at the commit, try again with the --detach option."
    )


def _previous(repository: Repository, word: str) -> str:
    """Return the name of a revision: for "-" that of the branch before."""
    if word != "-":
        return word
    return Names(repository).previous_branch(1) or "@{-1}"


def _may_guess(options: Options, new: str | None, operands: list[str], paths: list[str] | None) -> bool:
    """Return True if the name of a branch of a remote may make a new branch."""
    chooses = new is not None or options.detach or options.orphan is not None
    return options.guess and not chooses and options.track is None and len(operands) == 1 and not paths


def _guess(call: Invocation, word: str, *, has_dashes: bool) -> str | None:
    """Return the reference of a remote that a new branch of the name follows, None for another operand."""
    repository = call.repository
    if not repository.config.boolean("checkout.guess", True) or Names(repository).find(
        _previous(repository, word)
    ):
        return None
    is_file = repository.access.stat(f"{repository.root}/{repository.prefix}{word}") is not None
    start = guessed_start(call, word)
    if start is not None and is_file and not has_dashes:
        raise GitError(
            f"'{word}' could be both a local file and a tracking branch.\n"
            "Please use -- (and optionally --no-guess) to disambiguate"
        )
    return start


def _revision(repository: Repository, operands: list[str], *, has_dashes: bool) -> str | None:
    """Return the first operand if it names a commit or a tree; None for a path. Raises GitError."""
    if not operands:
        return None
    names = Names(repository)
    word = _previous(repository, operands[0])
    oid = names.find(word)
    if oid is None:
        if has_dashes:
            raise GitError(f"invalid reference: {operands[0]}")
        return None
    if not has_dashes and operands[0] != "-":
        path = f"{repository.root}/{repository.prefix}{word}"
        if repository.access.stat(path) is not None:
            raise GitError(
                f"ambiguous argument '{word}': both revision and filename\n"
                "Use '--' to separate paths from revisions, like this:\n"
                "'git <command> [<revision>...] -- [<file>...]'"
            )
    return word


class _Switch:
    """Changes the branch, and the files that differ between both."""

    def __init__(self, call: Invocation, options: Options) -> None:
        self.call = call
        self.options = options
        self.repository = call.repository
        self.refs = call.repository.refs
        self.objects = call.repository.objects
        self.names = Names(call.repository)
        self.old = self.refs.resolve("HEAD")
        self.old_branch = call.repository.head_branch()

    def run(self, revision: str | None, new: str | None, *, resets: bool) -> int:
        if self.options.orphan is not None:
            return self._orphan(revision, self.options.orphan)
        if new is not None:
            self._check_new(new, resets=resets)
        oid = self.old if revision is None else self.objects.peel(self.names.resolve(revision), "commit")
        if oid is None and (revision is not None or new is None):
            raise GitError(
                f"reference is not a tree: {revision}" if revision else "You are on a branch yet to be born"
            )
        if new is None:
            self._check_trees(self._branch(revision, new))
        mode = mode_of(self.repository, self.options.track)
        if new is not None and revision is not None:
            check_start(self.repository, revision, mode)
        self._check_conflicts()
        self._files(oid, revision or "HEAD")
        branch = self._branch(revision, new)
        moved = revision is not None or new is not None or self.options.detach
        existed = new is not None and self.refs.resolve(f"refs/heads/{new}") is not None
        skips = new is not None and revision is None and not existed
        if not self.options.quiet and not self.options.force and not skips:
            self._changes(oid)
        if new is not None and oid is not None:
            message = f"branch: {'Reset to' if existed else 'Created from'} {revision or 'HEAD'}"
            write_ref(self.repository, f"refs/heads/{new}", oid, self._person(), message)
            start = revision or (self.old_branch or "HEAD")
            follow(self.call, new, start, mode, quiet=self.options.quiet)
        if moved and not (revision == "HEAD" and branch is None and not self.options.detach):
            self._move(branch, oid, revision)
        self._report(branch, oid, revision, new, existed=existed)
        return 0

    def _check_trees(self, branch: str | None) -> None:
        """Raise GitError for a branch that another working tree has."""
        if branch is None or branch == self.old_branch or self.options.any_tree:
            return
        place = checked_out_elsewhere(self.repository).get(branch)
        if place is not None and self.refs.resolve(branch) is not None:
            raise GitError(f"'{branch.removeprefix('refs/heads/')}' is already checked out at '{place}'")

    def _person(self) -> str:
        return person_of(self.call.ctx, self.repository.config, "COMMITTER").text()

    def _check_new(self, name: str, *, resets: bool) -> None:
        full = f"refs/heads/{name}"
        if not is_valid_name(full) or name.startswith("-") or name == "HEAD":
            raise GitError(f"'{name}' is not a valid branch name")
        if not resets and self.refs.resolve(full) is not None:
            raise GitError(f"a branch named '{name}' already exists")

    def _check_conflicts(self) -> None:
        paths = [path for path, each in self.repository.index.by_path.items() if each[0].stage]
        if not paths or self.options.force:
            return
        self.call.error("error: you need to resolve your current index first")
        for path in paths:  # which git writes at its end
            self.call.ctx.write_line(f"{path}: needs merge")
        raise GitError("", prefix="", status=1)

    def _files(self, oid: str | None, name: str) -> None:
        if oid is None or (oid == self.old and not self.options.force):
            return
        change = IndexChange(self.repository)
        checkout = Checkout(self.repository, change)
        tree = self.objects.tree_of(oid)
        if self.options.force:
            force_tree(checkout, tree)
        else:
            old = None if self.old is None else self.objects.tree_of(self.old)
            try:
                switch_tree(checkout, old, tree)
            except WouldOverwrite as error:
                if old is None or not (self.options.merge or self.options.conflict):
                    raise
                if (reason := error.untracked_reason()) is not None:
                    raise GitError(reason, prefix="error") from None
                self._merge(checkout, old, tree, name)
        if change.changed:
            change.write()

    def _merge(self, checkout: Checkout, old: str, new: str, name: str) -> None:
        """Switch to a tree and merge the changes of the working tree into it."""
        repository = self.repository
        everything = Pathspec([], self.call.access.charge)
        staged = [pair.path for pair in compare_with_index(self.objects, old, repository.index, everything)]
        if staged:
            listed = "\n".join(staged)
            raise GitError(f"cannot continue with staged changes in the following files:\n{listed}")
        work = IndexChange(repository)
        Staging(repository, work).update_tracked(everything)
        base = self.names.abbreviate(self.old or "") if self.old_branch is None else self.old_branch
        labels = Labels(name, "local", base.removeprefix("refs/heads/"), self.options.conflict)
        trees = (old, new, write_tree(repository, work.entries()))
        files = FileMerge(repository, labels)
        merged = TreeMerge(repository, files, trees).run()
        for message in files.messages:
            if message.startswith("warning: "):
                self.call.error(message)
        force_tree(checkout, new)
        for each in merged:
            if each.removed:
                remove_tracked(self.call.access, checkout.work, each.removed)
            write_merged(checkout, each, keeps_entry=True)

    def _branch(self, revision: str | None, new: str | None) -> str | None:
        """Return the branch to switch to, None for none."""
        if new is not None:
            return f"refs/heads/{new}"
        if self.options.detach or revision is None:
            return None
        full = f"refs/heads/{revision.removeprefix('refs/heads/') if revision.startswith('refs/heads/') else revision}"
        return full if self.refs.resolve(full) is not None else None

    def _move(self, branch: str | None, oid: str | None, revision: str | None) -> None:
        before = (self.old_branch or self.old or "").removeprefix("refs/heads/")
        after = branch.removeprefix("refs/heads/") if branch is not None else (revision or "HEAD")
        message = f"checkout: moving from {before} to {after}"
        set_head(self.repository, branch or oid or "", self.old, oid, self._person(), message)
        if branch != self.old_branch or self.options.force:
            end_operation(self.repository)

    def _report(
        self, branch: str | None, oid: str | None, revision: str | None, new: str | None, *, existed: bool
    ) -> None:
        if self.options.quiet:
            return
        detaches = branch is None and (self.options.detach or revision not in (None, "HEAD"))
        if self.old_branch is None and self.old is not None and self.old != oid:
            self.call.error(f"Previous HEAD position was {self._described(self.old)}")
        if detaches:
            if self.old_branch is not None and not self.options.detach and self._advises():
                self.call.error("\n".join((f"Note: switching to '{revision}'.", *_ADVICE)))
            self.call.error(f"HEAD is now at {self._described(oid or '')}")
            return
        if branch is not None:
            short = branch.removeprefix("refs/heads/")
            if new is not None:
                word = "Switched to and reset" if existed else "Switched to a new"
                if existed and branch == self.old_branch:
                    self.call.error(f"Reset branch '{short}'")
                else:
                    self.call.error(f"{word} branch '{short}'")
            else:
                self.call.error(
                    f"{'Already on' if branch == self.old_branch else 'Switched to branch'} '{short}'"
                )
        if new is None or existed:
            self._tracking(branch or self.old_branch)

    def _advises(self) -> bool:
        return self.repository.config.boolean("advice.detachedhead", True)

    def _described(self, oid: str) -> str:
        return f"{self.names.abbreviate(oid)} {subject(self.objects.commit(oid).message)}"

    def _changes(self, oid: str | None) -> None:
        """Print the files that differ from the commit."""
        tree = None if oid is None else self.objects.tree_of(oid)
        everything = Pathspec([], self.call.access.charge)
        repository = Repository(self.call.access, self.call.options, self.repository.place)
        work = WorkTree(repository)
        found = {
            pair.path: pair.status
            for pair in compare_tree_with_work_tree(
                work, tree, everything, ignore_submodules="untracked", staged=True
            )
        }
        for path, entries in repository.index.by_path.items():
            if entries[0].stage and any(entry.stage == 2 for entry in entries) and work.mode_of(path, None):
                found.setdefault(path, "M")
        for path in sorted(found, key=order):
            self.call.ctx.write_line(f"{found[path]}\t{quote(path, repository.quotes_wide)}")

    def _tracking(self, branch: str | None) -> None:
        if branch is None:
            return
        upstream = upstream_of(self.repository, branch.removeprefix("refs/heads/"))
        here = self.refs.resolve(branch)
        if upstream is None or here is None:
            return
        name = self.names.short_ref(upstream)
        there = self.refs.resolve(upstream)
        hints = self.repository.config.boolean("advice.statushints", True)
        if there is None:
            self.call.ctx.write_line(f"Your branch is based on '{name}', but the upstream is gone.")
            if hints:
                self.call.ctx.write_line('  (use "git branch --unset-upstream" to fixup)')
            return
        for line in tracking_lines(name, name, *ahead_behind(self.repository, here, there), hints):
            self.call.ctx.write_line(line)

    def _orphan(self, revision: str | None, name: str) -> int:
        if revision is not None or self.call.command == "switch":
            raise GitError("--orphan with a commit is not offered in the sandbox (L-GIT-003)", status=129)
        self._check_new(name, resets=False)
        set_head(self.repository, f"refs/heads/{name}", self.old, None, self._person(), "")
        if not self.options.quiet:
            self._changes(self.old)
            self.call.error(f"Switched to a new branch '{name}'")
        return 0
