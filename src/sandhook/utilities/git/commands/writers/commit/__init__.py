"""git commit: record the index as a commit of the branch.

No hook runs, nothing is signed, and no editor is started.

Source: git-commit(1); git 2.39, builtin/commit.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.status import Options as StatusOptions
from sandhook.utilities.git.commands.status import write_status
from sandhook.utilities.git.commands.writers.commit.message import MessageOptions, Messages
from sandhook.utilities.git.commands.writers.commit.summary import print_summary
from sandhook.utilities.git.diff.trees import compare_with_index, walk_tree
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.identity import Person, clean_name, date_stamp, now_stamp, person_of
from sandhook.utilities.git.names.pathspec import Pathspec, operands_of
from sandhook.utilities.git.names.quote import quote
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.commit_writing import write_commit
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.index import Index, IndexEntry
from sandhook.utilities.git.store.index_writing import IndexChange, entry_of, write_tree
from sandhook.utilities.git.store.ref_writing import end_operation, move_head
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.long_status import LongStatus
from sandhook.utilities.git.work.staging import Staging
from sandhook.utilities.git.work.status import Wanted, collect


@option_set
class Options:
    """Options of git commit about what is recorded; those about its message are ``MessageOptions``."""

    all_: bool = also(opt("-a"), opt("--all"))
    amend: bool = opt("--amend")
    quiet: bool = also(opt("-q"), opt("--quiet"))
    allow_empty: bool = opt("--allow-empty")
    include: bool = also(opt("-i"), opt("--include"))
    only: bool = also(opt("-o"), opt("--only"))
    author: str | None = opt("--author", "AUTHOR", "")
    date: str | None = opt("--date", "DATE", "")
    reset_author: bool = opt("--reset-author")
    path_file: str | None = opt("--pathspec-from-file", "FILE", "")
    path_nul: bool = opt("--pathspec-file-nul")
    sign: str | None = also(
        opt("-S", "KEY", "", optional=True, const=""), opt("--gpg-sign", "KEY", "", optional=True, const="")
    )
    no_sign: bool = opt("--no-gpg-sign")
    interactive: bool = also(opt("-p"), opt("--patch"), opt("--interactive"))
    dry_run: bool = also(opt("--dry-run"), opt("--no-dry-run", const=False))
    form: str | None = also(
        opt("--short", const="short", default=None),
        opt("--porcelain", const="v1"),
        opt("--long", const="long"),
    )
    branch: bool | None = also(opt("--branch", default=None), opt("--no-branch", const=False))
    nul: bool = also(opt("-z"), opt("--null"))
    ahead_behind: bool = also(opt("--ahead-behind", default=True), opt("--no-ahead-behind", const=False))
    verbose: tuple[bool, ...] = also(opt("-v", append=True), opt("--verbose", append=True))
    ignored: bool = also(
        opt("-n", ignored="no hook runs"),
        opt("--no-verify", ignored="no hook runs"),
        opt("--verify", ignored="no hook runs"),
        opt("--no-post-rewrite", ignored="no hook runs"),
        opt("--status", ignored="there is no editor"),
        opt("--no-status", ignored="there is no editor"),
    )
    untracked: str | None = also(
        opt("-u", "MODE", "", optional=True, const="all"),
        opt("--untracked-files", "MODE", "", optional=True, const="all"),
    )


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 if there is nothing to commit, or no message."""
    parsed = Parser(Options, MessageOptions).parse(arguments)
    options = parsed.of(Options)
    _refuse(options, parsed.of(MessageOptions))
    repository = call.repository
    repository.root  # noqa: B018  # raises without a working tree
    operands = operands_of(
        call.ctx, [*parsed.operands, *(parsed.paths or ())], options.path_file, options.path_nul
    )
    return _Commit(call, options, parsed.of(MessageOptions)).run(operands)


def _refuse(options: Options, message: MessageOptions) -> None:
    table = (
        (
            "-S",
            options.sign is not None,
            "a program signs, which git in the sandbox never starts (L-GIT-002)",
        ),
        ("-p", options.interactive, "it asks a person, and the sandbox has none (L-GIT-003)"),
    )
    for name, is_set, why in table:
        if is_set:
            raise GitError(f"commit {name}: {why}", status=129)
    if options.reset_author and options.author is not None:
        raise GitError("options '--reset-author' and '--author' cannot be used together")
    if options.reset_author and not (options.amend or message.reuse or message.reedit):
        raise GitError("--reset-author can be used only with -C, -c or --amend.")
    if options.include and options.only:
        raise GitError("options '-i' and '-o' cannot be used together")


class _Commit:
    """One commit in the making."""

    def __init__(self, call: Invocation, options: Options, message: MessageOptions) -> None:
        self.call = call
        self.options = options
        self.repository: Repository = call.repository
        self.access = call.access
        oid = self.repository.refs.resolve("HEAD")
        self.head: Commit | None = None if oid is None else self.repository.objects.commit(oid)
        if options.amend and self.head is None:
            raise GitError("You have nothing to amend.")
        self.message = Messages(call, message, self.head if options.amend else None)
        self.is_merge = self.access.is_file(f"{self.repository.git_dir}/MERGE_HEAD")
        if options.amend and self.is_merge:
            raise GitError("You are in the middle of a merge -- cannot amend.")
        if options.amend and self.access.is_file(f"{self.repository.git_dir}/CHERRY_PICK_HEAD"):
            raise GitError("You are in the middle of a cherry-pick -- cannot amend.")

    def run(self, operands: list[str]) -> int:
        """Return the exit status."""
        if operands and self.is_merge and not self.options.include:
            raise GitError("cannot do a partial commit during a merge.")
        committer = person_of(self.call.ctx, self.repository.config, "COMMITTER")
        author = self._author()
        index = self._prepared(operands)
        if self.options.dry_run or self.options.form is not None or self.options.nul:
            return self._show(index)
        self._check_conflicts(index)
        parents = self._parents()
        if not self._is_allowed(index, parents):
            return self._nothing(parents)
        text = self.message.text(committer)
        if text is None:
            return 1
        tree = write_tree(self.repository, index.entries)
        oid = write_commit(self.repository, tree, parents, (author.text(), committer.text()), text)
        if self._change.changed:
            self._change.write()
        kind = " (amend)" if self.options.amend else ""
        kind = kind or (" (initial)" if self.head is None else " (merge)" if len(parents) > 1 else "")
        move_head(self.repository, oid, committer.text(), f"commit{kind}: {text.lstrip().split(chr(10))[0]}")
        end_operation(self.repository)
        if not self.options.quiet:
            reuses = self.message.author is not None and not self.options.reset_author
            shows_date = reuses or self.options.date is not None
            print_summary(self.repository, oid, is_root=self.head is None, shows_date=shows_date)
        return 0

    # ------------------------------------------------------------------ who

    def _author(self) -> Person:
        """Return the author: of the reused commit, or of the environment, with --author and --date."""
        options, ctx = self.options, self.call.ctx
        reused = None if options.reset_author else self.message.author
        if options.author is not None:
            name, _, rest = options.author.partition("<")
            if not rest.endswith(">") or not name.strip():
                raise GitError(
                    f"--author '{options.author}' is not 'Name <email>', and the sandbox searches no other author"
                )
            stamp = reused.stamp if reused is not None else self._environment_stamp()
            author = Person(clean_name(name), rest[:-1], stamp)
        else:
            author = reused or person_of(ctx, self.repository.config, "AUTHOR")
        if options.date is not None:
            author = author._replace(stamp=date_stamp(ctx, options.date, lenient=True))
        return author

    def _environment_stamp(self) -> str:
        date = self.call.ctx.environment.get("GIT_AUTHOR_DATE")
        return date_stamp(self.call.ctx, date) if date else now_stamp(self.call.ctx)

    # ------------------------------------------------------------------ what

    def _check_conflicts(self, index: Index) -> None:
        paths = [path for path, entries in index.by_path.items() if entries[0].stage]
        if not paths:
            return
        self.call.error("error: Committing is not possible because you have unmerged files.")
        self.call.error("hint: Fix them up in the work tree, and then use 'git add/rm <file>'")
        self.call.error("hint: as appropriate to mark resolution and make a commit.")
        self.call.error("fatal: Exiting because of an unresolved conflict.")
        for path in paths:  # which git writes at its end
            self.call.ctx.write_line(f"U\t{quote(path, self.repository.quotes_wide)}")
        raise GitError("", prefix="")

    def _prepared(self, operands: list[str]) -> Index:
        """Return what is committed: the index after -a, or HEAD with the operands alone."""
        options = self.options
        self._change = IndexChange(self.repository)
        staging = Staging(self.repository, self._change)
        if operands and options.all_:
            raise GitError(f"paths '{operands[0]} ...' with -a does not make sense")
        if not operands:
            if options.include or (options.only and not options.amend):
                raise GitError("No paths with --include/--only does not make sense.")
            if options.all_:
                staging.update_tracked(Pathspec([], self.access.charge))
            result = self._change.index()
            if options.only:
                result = Index(list(self._head_entries().values()))
        else:
            result = self._with_paths(staging, operands)
        for warning in staging.warnings:
            self.call.error(warning)
        return result

    def _with_paths(self, staging: Staging, operands: list[str]) -> Index:
        pathspec = self.repository.pathspec(operands)
        known = {*self.repository.index.by_path, *self._head_entries()}
        wrong = [
            item.text
            for item in pathspec.items
            if not any(Pathspec([item], self.access.charge).matches(path) for path in known)
        ]
        if wrong and not self.options.include:
            lines = (f"pathspec '{text}' did not match any file(s) known to git" for text in wrong)
            raise GitError("\nerror: ".join(lines), prefix="error", status=1)
        staging.update_tracked(pathspec)
        if self.options.include:
            return self._change.index()
        entries = self._head_entries()
        for path in known:
            if pathspec.matches(path):
                staged = self._change.get(path)
                entries.pop(path, None)
                if staged:
                    entries[path] = staged[0]
        result = IndexChange(self.repository)
        for path in list(self.repository.index.by_path):
            result.remove(path)
        for entry in entries.values():
            result.put(entry)
        return result.index()

    def _head_entries(self) -> dict[str, IndexEntry]:
        if self.head is None:
            return {}
        everything = Pathspec([], self.access.charge)
        sides = walk_tree(self.repository.objects, self.head.tree, everything)
        return {side.path: entry_of(side.path, side.mode, side.oid) for side in sides}

    def _parents(self) -> list[str]:
        if self.head is None:
            return []
        if self.options.amend:
            return list(self.repository.objects.commit(self.head.oid).parents)
        text = self.access.text_or_none(f"{self.repository.git_dir}/MERGE_HEAD") or ""
        return list(dict.fromkeys([self.head.oid, *text.split()]))

    def _is_allowed(self, index: Index, parents: list[str]) -> bool:
        """Return True if there is something to commit, or an empty commit is wanted."""
        if self.options.allow_empty or self.is_merge or (self.options.amend and len(parents) > 1):
            return True
        if self.options.amend:
            tree = self.repository.objects.commit(parents[0]).tree if parents else None
        else:
            tree = self.head.tree if self.head is not None else None
        everything = Pathspec([], self.access.charge)
        return any(True for _ in compare_with_index(self.repository.objects, tree, index, everything))

    def _show(self, index: Index) -> int:
        """Print what would be committed, as git status does; return 1 if that is nothing."""
        options, parents = self.options, self._parents()
        self.repository.index = index  # of this call alone: it is not written
        base = parents[0] if options.amend and parents else None
        form = options.form or ("v1" if options.nul else "long")
        status = write_status(
            self.repository,
            StatusOptions(
                form=form,
                nul=options.nul,
                branch=options.branch,
                ahead_behind=options.ahead_behind,
                untracked=options.untracked,
                verbose=options.verbose,
            ),
            self.repository.pathspec([]),
            committing=True,
            base=base,
        )
        return 0 if status.staged or (self.is_merge and not status.conflicts) else 1

    def _nothing(self, parents: list[str]) -> int:
        repository = self.repository
        base = parents[0] if self.options.amend and parents else None
        status = collect(repository, repository.pathspec([]), Wanted(base=base))
        LongStatus(repository, status, "normal", True, committing=True).write(show_stash=False, ignored=False)
        if self.options.amend:
            self.call.error(_EMPTY_AMEND)
        return 1


_EMPTY_AMEND = (
    "You asked to amend the most recent commit, but doing so would make\n"
    "it empty. You can repeat your command with --allow-empty, or you can\n"
    'remove the commit entirely with "git reset HEAD^".'
)
