"""git show-branch: print branches, and which commits are in which of them.

Source: git-show-branch(1); git 2.39, builtin/show-branch.c.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.messages import subject
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.ref_text import version_key
from sandhook.utilities.git.names.wildmatch import has_wildcard, wildmatch
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Commit

_MOST = 26  #: references in one call
_COMMIT_BYTES = 500  #: what a commit takes in memory, roughly


@option_set
class Options:
    """Options of git show-branch."""

    all: bool = also(opt("-a"), opt("--all"))
    remotes: bool = also(opt("-r"), opt("--remotes"))
    more: int = also(
        opt("--more", "N", "", convert=count, optional=True, const=1, default=0), opt("--list", const=-1)
    )
    no_name: bool = opt("--no-name")
    current: bool = opt("--current")
    sha1: bool = opt("--sha1-name")
    base: bool = opt("--merge-base")
    independent: bool = opt("--independent")
    by_date: bool = also(opt("--date-order"), opt("--topo-order", const=False))
    topics: bool = opt("--topics")
    sparse: bool = opt("--sparse")
    reflog: str | None = also(
        opt("-g", "N", "", optional=True, const=""), opt("--reflog", "N", "", optional=True, const="")
    )
    color: str | None = also(
        opt("--color", "WHEN", "", optional=True, const="always"), opt("--no-color", const="never")
    )


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 for commits without a merge base."""
    parsed = Parser(Options).parse(arguments)
    options, words = parsed.of(Options), [*parsed.operands, *(parsed.paths or ())]
    setting = call.repository.config.get("color.showbranch") or call.repository.config.get("color.ui") or ""
    colored = options.color == "always" or (options.color is None and setting.lower() == "always")
    if options.reflog is not None or colored:
        name = "--reflog" if options.reflog is not None else "--color"
        raise GitError(f"show-branch {name} is not offered in the sandbox (L-GIT-003)", status=129)
    if not arguments:
        defaults = call.repository.config.get_all("showbranch.default")
        if defaults:
            parsed = Parser(Options).parse(defaults)
            options, words = parsed.of(Options), list(parsed.operands)
    tips = _Tips(call)
    if len(words) <= options.topics or options.all or options.remotes:
        tips.add_all(heads=options.all or not options.remotes, remotes=options.all or options.remotes)
    for word in words:
        tips.add(word)
    head = call.repository.head_branch() or "HEAD"
    if options.current and tips.head_at(head) < 0:
        tips.add(head.removeprefix("refs/heads/"))
    if not tips.names:
        call.error("No revs to be shown.")
        return 0
    shown = _Shown(call, options, tips)
    shown.join()
    if options.base:
        return shown.write_bases()
    if options.independent:
        shown.write_independent()
        return 0
    head_at = tips.head_at(head)
    shown.write_tips(head_at)
    if options.more >= 0:
        shown.write_commits(head_at)
    return 0


class _Tips:
    """The references to show: names, and commits."""

    def __init__(self, call: Invocation) -> None:
        self._call = call
        self._refs = call.repository.refs
        self.names: list[str] = []
        self.commits: list[Commit] = []

    def _append(self, name: str, oid: str, *, once: bool) -> None:
        objects = self._call.repository.objects
        commit = objects.peel(oid, "commit")
        if commit is None or (once and name in self.names):
            return
        if len(self.names) >= _MOST:
            self._call.error(f"warning: ignoring {name}; cannot handle more than {_MOST} refs")
            return
        self.names.append(name)
        self.commits.append(objects.commit(commit))

    def add_all(self, *, heads: bool, remotes: bool) -> None:
        """Add all branches, in the order of versions."""
        for prefix, wanted in (("refs/heads/", heads), ("refs/remotes/", remotes)):
            found = self._refs.all(prefix) if wanted else {}
            for ref in sorted(found, key=version_key):
                self._append(ref.removeprefix(prefix), found[ref], once=prefix != "refs/heads/")

    def add(self, word: str) -> None:
        """Add what a word names, or the references that a pattern matches."""
        oid = Names(self._call.repository).find(word)
        if oid is not None:
            self._append(word, oid, once=True)
            return
        if not has_wildcard(word):
            raise GitError(f"bad sha1 reference {word}")
        before = len(self.names)
        found = self._refs.all("refs/")
        charge = self._call.access.charge
        parts = word.count("/") + 1
        for ref in sorted(found, key=version_key):
            tail = "/".join(ref.split("/")[-parts:])
            if ref.count("/") >= parts - 1 and wildmatch(word, tail, charge, pathname=False):
                is_head = ref.startswith("refs/heads/")
                name = ref.removeprefix("refs/heads/")
                name = name.removeprefix("refs/") if name.startswith("refs/tags/") else name
                self._append(name, found[ref], once=not is_head)
        if len(self.names) == before:
            self._call.error(f"error: no matching refs with {word}")

    def head_at(self, head: str) -> int:
        """Return the place of the current branch, -1 without one."""
        short = head.removeprefix("refs/heads/")
        names = [name.removeprefix("refs/heads/").removeprefix("heads/") for name in self.names]
        return names.index(short) if short in names else -1


class _Shown:
    """The commits that are reached from the tips, each with the tips that reach it."""

    def __init__(self, call: Invocation, options: Options, tips: _Tips) -> None:
        self.call = call
        self.options = options
        self.tips = tips
        self._objects = call.repository.objects
        self._every = (1 << len(tips.names)) - 1
        self._reach: dict[str, int] = {}
        self._dull: set[str] = set()  #: ancestors of those that all tips reach
        self._seen: list[Commit] = []

    # ------------------------------------------------------------------ search

    def join(self) -> None:
        """Walk until all commits that are left are reached from all tips."""
        queue: list[tuple[int, int, Commit]] = []
        number = 0

        def push(commit: Commit) -> None:
            nonlocal number
            heapq.heappush(queue, (-commit.committer.time, number, commit))
            number += 1

        for at, commit in enumerate(self.tips.commits):
            is_new = self._see(commit)
            self._reach[commit.oid] |= 1 << at
            if is_new:
                push(commit)
        extra = self.options.more
        while queue:
            interesting = any(commit.oid not in self._dull for _, _, commit in queue)
            if not interesting and extra <= 0:
                break
            commit = heapq.heappop(queue)[2]
            self.call.access.charge(2 + len(queue))
            mine = self._reach[commit.oid]
            is_dull = commit.oid in self._dull or mine == self._every
            for oid in commit.parents:
                known = self._reach.get(oid, 0)
                if known & mine == mine and (oid in self._dull or not is_dull):
                    continue
                parent = self._objects.commit(oid)
                extra -= self._see(parent) and not interesting
                self._reach[oid] |= mine
                if is_dull:
                    self._dull.add(oid)
                push(parent)
        self._spread_dullness()
        self._seen.sort(key=lambda commit: -commit.committer.time)

    def _see(self, commit: Commit) -> bool:
        if commit.oid in self._reach:
            return False
        self.call.ctx.budget.charge_memory(_COMMIT_BYTES)
        self._reach[commit.oid] = 0
        self._seen.insert(0, commit)
        return True

    def _spread_dullness(self) -> None:
        stack = [
            each for each in self._seen if self._reach[each.oid] == self._every or each.oid in self._dull
        ]
        by_oid = {each.oid: each for each in self._seen}
        while stack:
            for oid in stack.pop().parents:
                self.call.access.charge(1)
                if oid not in self._dull:
                    self._dull.add(oid)
                    if oid in by_oid:
                        stack.append(by_oid[oid])

    # ------------------------------------------------------------------ results

    def write_bases(self) -> int:
        """Print the commits that all tips reach, without their ancestors; return 1 without one."""
        found = [
            each.oid
            for each in self._seen
            if self._reach[each.oid] == self._every and each.oid not in self._dull
        ]
        for oid in found:
            self.call.ctx.write_line(oid)
        return 0 if found else 1

    def write_independent(self) -> None:
        """Print the tips that no other one reaches."""
        masks: dict[str, int] = {}
        for at, commit in enumerate(self.tips.commits):
            masks[commit.oid] = masks.get(commit.oid, 0) | 1 << at
        for oid, mask in masks.items():
            if self._reach[oid] == mask:
                self.call.ctx.write_line(oid)

    def write_tips(self, head_at: int) -> None:
        """Print the line of each tip."""
        only_lists, names = self.options.more < 0, self.tips.names
        if len(names) < 2 and not only_lists:
            return
        for at, (name, commit) in enumerate(zip(names, self.tips.commits, strict=True)):
            sign = "*" if at == head_at else " " if only_lists else "!"
            indent = "" if only_lists else " " * at
            self.call.ctx.write(encode(f"{indent}{sign} [{name}] {subject(commit.message)}\n"))
        if not only_lists:
            self.call.ctx.write_line("-" * len(names))

    def write_commits(self, head_at: int) -> None:
        """Print the commits, until all tips have met."""
        options, several = self.options, len(self.tips.names) > 1
        order = list(self._by_date() if options.by_date else self._in_topological_order())
        names = {} if options.sha1 or options.no_name else self._names(order)
        tips = {commit.oid for commit in self.tips.commits}
        extra, has_met = options.more, False
        for commit in order:
            mine = self._reach[commit.oid]
            is_meeting, is_merge = mine == self._every, len(commit.parents) > 1
            has_met = has_met or is_meeting
            if several and options.topics and not is_meeting and mine & 1:
                continue
            is_alone = mine.bit_count() == 1 and commit.oid not in tips
            if several and not options.sparse and is_merge and is_alone:
                continue
            marks = "".join(self._mark(mine, at, head_at, is_merge) for at in range(len(self.tips.names)))
            text = "" if options.no_name else f"[{names.get(commit.oid) or self._short(commit)}] "
            self.call.ctx.write(encode(f"{marks} " * several + f"{text}{subject(commit.message)}\n"))
            if has_met:
                extra -= 1
                if extra < 0:
                    return

    def _mark(self, mine: int, at: int, head_at: int, is_merge: bool) -> str:
        if not mine >> at & 1:
            return " "
        return "-" if is_merge else "*" if at == head_at else "+"

    def _short(self, commit: Commit) -> str:
        return Names(self.call.repository).abbreviate(commit.oid)

    def _degrees(self) -> dict[str, int]:
        """Return how many children each commit has."""
        degrees = dict.fromkeys((each.oid for each in self._seen), 0)
        for each in self._seen:
            for oid in each.parents:
                if oid in degrees:
                    degrees[oid] += 1
        return degrees

    def _in_topological_order(self) -> Iterator[Commit]:
        by_oid, degrees = {each.oid: each for each in self._seen}, self._degrees()
        stack = [each for each in reversed(self._seen) if not degrees[each.oid]]
        while stack:
            commit = stack.pop()
            yield commit
            for oid in commit.parents:
                if oid in degrees:
                    degrees[oid] -= 1
                    if not degrees[oid]:
                        stack.append(by_oid[oid])

    def _by_date(self) -> Iterator[Commit]:
        by_oid, degrees = {each.oid: each for each in self._seen}, self._degrees()
        queue: list[tuple[int, int, str]] = []
        for number, each in enumerate(self._seen):
            if not degrees[each.oid]:
                heapq.heappush(queue, (-each.committer.time, number, each.oid))
        number = len(self._seen)
        while queue:
            commit = by_oid[heapq.heappop(queue)[2]]
            yield commit
            for oid in commit.parents:
                if oid in degrees:
                    degrees[oid] -= 1
                    if not degrees[oid]:
                        heapq.heappush(queue, (-by_oid[oid].committer.time, number, oid))
                        number += 1

    # ------------------------------------------------------------------ names

    def _names(self, order: Sequence[Commit]) -> dict[str, str]:
        """Return the names of commits by the tips: "main~2^2"."""
        by_oid = {each.oid: each for each in order}
        found: dict[str, tuple[str, int]] = {}
        for commit in order:
            places = [at for at, tip in enumerate(self.tips.commits) if tip.oid == commit.oid]
            if places:
                found[commit.oid] = (self.tips.names[places[0]], 0)

        def chain(commit: Commit | None) -> None:
            while commit is not None and commit.oid in found and commit.parents:
                parent = commit.parents[0]
                if parent in found:
                    return
                self.call.access.charge(1)
                name, generation = found[commit.oid]
                found[parent] = (name, generation + 1)
                commit = by_oid.get(parent)

        for commit in order:
            chain(commit)
        changed = True
        while changed:
            changed = False
            for commit in order:
                self.call.access.charge(1)
                for nth, parent in enumerate(commit.parents, 1) if commit.oid in found else ():
                    if parent not in found:
                        base = _name(*found[commit.oid])
                        self.call.ctx.budget.charge_memory(len(base) + _COMMIT_BYTES)
                        found[parent] = (base + ("^" if nth == 1 else f"^{nth}"), 0)
                        changed = True
                        chain(by_oid.get(parent))
        return {oid: _name(*name) for oid, name in found.items()}


def _name(head: str, generation: int) -> str:
    return head + ("" if not generation else "^" if generation == 1 else f"~{generation}")
