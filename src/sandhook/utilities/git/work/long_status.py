"""Prints the long form of "git status".

Source: git 2.39, wt-status.c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from sandhook.utilities.git.diff.model import Pair
from sandhook.utilities.git.history.bases import ahead_behind
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.upstream import upstream_of
from sandhook.utilities.git.names.quote import quote, relative
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.state import detached_line, operation_lines, tracking_lines
from sandhook.utilities.git.work.status import Status
from sandhook.utilities.git.work.status_colors import StatusColors
from sandhook.utilities.git.work.untracked import Mode

_WORDS = {
    "A": "new file:   ",
    "C": "copied:     ",
    "D": "deleted:    ",
    "M": "modified:   ",
    "R": "renamed:    ",
    "T": "typechange: ",
}
_CONFLICTS = {
    "DD": "both deleted:    ",
    "AU": "added by us:     ",
    "UD": "deleted by them: ",
    "UA": "added by them:   ",
    "DU": "deleted by us:   ",
    "AA": "both added:      ",
    "UU": "both modified:   ",
}


class LongStatus:
    """The long form.

    Args:
        committing: "git commit" prints it, because there is nothing to commit.
    """

    def __init__(
        self,
        repository: Repository,
        status: Status,
        untracked: Mode,
        ahead_behind: bool,
        *,
        committing: bool = False,
    ) -> None:
        self._committing = committing
        self.source = ""  #: the commit that the index is compared with, "" for HEAD
        self.before_conclusion: Callable[[], None] = lambda: None
        self.repository = repository
        self.status = status
        self.untracked = untracked
        self.ahead_behind = ahead_behind
        self.hints = repository.config.boolean("advice.statushints", True)
        self.prefix = repository.prefix if repository.config.boolean("status.relativepaths", True) else ""
        self._colors = StatusColors(repository.config)
        self.is_initial = repository.refs.resolve("HEAD") is None

    def _line(self, text: str = "") -> None:
        blank = "" if not text or text.startswith("\t") or not self._comment else " "
        self.repository.ctx.write_line(f"{self._comment}{blank}{text}")

    def _entry(self, slot: str, text: str, more: str = "") -> None:
        self._line(f"\t{self._colors.paint(slot, text)}{more}")

    @cached_property
    def _comment(self) -> str:
        """What begins each line before the conclusion."""
        config = self.repository.config
        if self._committing or not config.boolean("status.displaycommentprefix"):
            return ""
        return config.get("core.commentchar") or "#"

    def _hint(self, text: str) -> None:
        if self.hints:
            self._line(f"  ({text})")

    def _path(self, path: str) -> str:
        return quote(relative(path, self.prefix), self.repository.quotes_wide)

    def write(self, *, show_stash: bool, ignored: bool) -> None:
        """Write all of it."""
        self._branch()
        for line in operation_lines(self.repository, bool(self.status.conflicts), self.hints):
            self._line(line)
        self._sparse()
        if self.is_initial:
            self._line()
            self._line("Initial commit" if self._committing else "No commits yet")
            self._line()
        self._staged()
        self._conflicts()
        self._changed()
        if self.untracked != "no":
            self._names(
                "Untracked files:",
                'use "git add <file>..." to include in what will be committed',
                self.status.untracked,
            )
            if ignored:
                self._names(
                    "Ignored files:",
                    'use "git add -f <file>..." to include in what will be committed',
                    self.status.ignored,
                )
        elif self.status.staged:
            self._line(
                "Untracked files not listed"
                + (" (use -u option to show untracked files)" if self.hints else "")
            )
        self.before_conclusion()
        self._conclusion()
        if show_stash:
            count = len(self.repository.refs.log("refs/stash"))
            if count:
                self._line(f"Your stash currently has {count} {'entry' if count == 1 else 'entries'}")

    def _conclude(self, text: str) -> None:
        self.repository.ctx.write_line(text)

    def _sparse(self) -> None:
        """Write how many files a sparse checkout has."""
        entries = self.repository.index.entries
        if not entries or not self.repository.config.boolean("core.sparsecheckout"):
            return
        present = len(entries) - sum(entry.skipped for entry in entries)
        share = 100 - (100 * (len(entries) - present)) // len(entries)
        self._line(f"You are in a sparse checkout with {share}% of tracked files present.")
        self._line()

    def _branch(self) -> None:
        if self.repository.has_broken_head:
            return
        branch = (self.repository.head_branch() or "").removeprefix("refs/heads/")
        if branch:
            self._line(f"On branch {branch}")
        else:
            words, blank, name = self._detached().rpartition(" ")
            if words.startswith("Not "):
                words, blank, name = f"{words} {name}", "", ""
            self._line(self._colors.paint("nobranch", words + blank) + name)
        if not branch or self.is_initial:
            return
        upstream = upstream_of(self.repository, branch)
        if upstream is None:
            return
        name = Names(self.repository).short_ref(upstream)
        there, here = self.repository.refs.resolve(upstream), self.repository.refs.resolve("HEAD")
        if there is None:
            self._line(f"Your branch is based on '{name}', but the upstream is gone.")
            self._hint('use "git branch --unset-upstream" to fixup')
        elif not self.ahead_behind and there != here:
            self._line(f"Your branch and '{name}' refer to different commits.")
            self._hint('use "git status --ahead-behind" for details')
        else:
            ours, theirs = ahead_behind(self.repository, here or "", there)
            for line in tracking_lines(branch, name, ours, theirs, self.hints):
                self._line(line)
        self._line()

    def _detached(self) -> str:
        access, directory = self.repository.access, self.repository.git_dir
        for name in ("rebase-merge", "rebase-apply"):
            if access.is_dir(f"{directory}/{name}"):
                onto = (access.text_or_none(f"{directory}/{name}/onto") or "").strip()
                words = (
                    "interactive rebase" if access.is_file(f"{directory}/{name}/interactive") else "rebase"
                )
                return f"{words} in progress; onto {Names(self.repository).abbreviate(onto)}"
        return detached_line(self.repository)

    def _unstage_hint(self) -> None:
        git_dir, is_file = self.repository.git_dir, self.repository.access.is_file
        if any(is_file(f"{git_dir}/{name}") for name in ("MERGE_HEAD", "CHERRY_PICK_HEAD")):
            return
        if self.is_initial:
            self._hint('use "git rm --cached <file>..." to unstage')
        else:
            source = f"--source={self.source} " if self.source else ""
            self._hint(f'use "git restore {source}--staged <file>..." to unstage')

    def _staged(self) -> None:
        if not self.status.staged:
            return
        self._line("Changes to be committed:")
        self._unstage_hint()
        self._pairs("added", self.status.staged)

    def _pairs(self, slot: str, pairs: Sequence[Pair]) -> None:
        for pair in pairs:
            path = self._path(pair.path)
            if pair.status in ("R", "C"):
                path = f"{self._path(pair.old.path)} -> {path}"
            self._entry(slot, f"{_WORDS[pair.status]}{path}", self._about_submodule(pair))
        self._line()

    def _about_submodule(self, pair: Pair) -> str:
        if pair.new.mode != 0o160000 or not pair.new.in_work_tree:
            return ""
        parts = ["new commits"] * (pair.new.oid != pair.old.oid)
        parts += ["modified content"] * ("M" in pair.new.dirty) + ["untracked content"] * (
            "U" in pair.new.dirty
        )
        return f" ({', '.join(parts)})" if parts else ""

    def _conflicts(self) -> None:
        if not self.status.conflicts:
            return
        letters = {each.letters for each in self.status.conflicts}
        self._line("Unmerged paths:")
        self._unstage_hint()
        if letters <= {"DD"}:
            self._hint('use "git rm <file>..." to mark resolution')
        elif letters & {"DD", "DU", "UD"}:
            self._hint('use "git add/rm <file>..." as appropriate to mark resolution')
        else:
            self._hint('use "git add <file>..." to mark resolution')
        for each in self.status.conflicts:
            self._entry("unmerged", f"{_CONFLICTS[each.letters]}{self._path(each.path)}")
        self._line()

    def _changed(self) -> None:
        if not self.status.changed:
            return
        self._line("Changes not staged for commit:")
        removed = any(pair.status == "D" for pair in self.status.changed)
        self._hint(f'use "git add{"/rm" if removed else ""} <file>..." to update what will be committed')
        self._hint('use "git restore <file>..." to discard changes in working directory')
        if any(pair.new.dirty for pair in self.status.changed):
            self._hint("commit or discard the untracked or modified content in submodules")
        self._pairs("changed", self.status.changed)

    def _names(self, title: str, hint: str, paths: Sequence[str]) -> None:
        if not paths:
            return
        self._line(title)
        self._hint(hint)
        for path in paths:
            self._entry("untracked", self._path(path))
        self._line()

    def _concludes_merge(self) -> bool:
        """Return True if a merge without conflicts waits for its commit, which may be equal to HEAD."""
        if self.status.conflicts:
            return False
        return self.repository.access.stat(f"{self.repository.git_dir}/MERGE_HEAD") is not None

    def _conclusion(self) -> None:
        status, hints = self.status, self.hints
        if status.staged or self._concludes_merge():
            return
        if status.changed or status.conflicts:
            self._conclude(
                "no changes added to commit" + (' (use "git add" and/or "git commit -a")' if hints else "")
            )
        elif status.untracked:
            text = "nothing added to commit but untracked files present"
            self._conclude(text + (' (use "git add" to track)' if hints else ""))
        elif self.is_initial:
            text = "nothing to commit"
            self._conclude(text + (' (create/copy files and use "git add" to track)' if hints else ""))
        elif self.untracked == "no":
            self._conclude("nothing to commit" + (" (use -u to show untracked files)" if hints else ""))
        else:
            self._conclude("nothing to commit, working tree clean")
