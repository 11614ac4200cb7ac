"""Names of commits by the references that reach them: "main~2", "tags/v1^2~1".

Source: git-name-rev(1); git 2.39, builtin/name-rev.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.record import Record
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.wildmatch import wildmatch
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.repository import Repository

#: How many steps along first parents a step to another parent counts.
_SLOP = 86_400  #: seconds that clocks of committers may differ by
_MERGE_STEPS = 65535


class _Name(Record):
    """How a commit is reached: from a tip, by ``generation`` first parents."""

    tip: str
    time: int
    generation: int
    distance: int
    from_tag: bool

    @property
    def length(self) -> int:
        return self.distance + (_MERGE_STEPS if self.generation > 0 else 0)

    @property
    def text(self) -> str:
        if not self.generation:
            return self.tip
        return f"{self.tip.removesuffix('^0')}~{self.generation}"


class _Tip(Record):
    """A reference: its name, the object that it names, and the commit that this stands for."""

    name: str
    target: str
    commit: str
    time: int
    from_tag: bool


class NearestRefs:
    """Names commits by the references that options select.

    Args:
        tags: Only tags name commits.
        patterns: References, or ends of them, that may name commits; all without a pattern.
        excluded: References that may not.
        short: The name alone is printed, so that "tags/" may be left out.
        sought: The commits to name: those that are more than a day older than all of them are not walked. None for any.
    """

    def __init__(
        self,
        repository: Repository,
        *,
        tags: bool = False,
        patterns: Sequence[str] = (),
        excluded: Sequence[str] = (),
        short: bool = False,
        sought: Sequence[Commit] | None = None,
    ) -> None:
        self._repository = repository
        self._tags = tags
        self._patterns = patterns
        self._excluded = excluded
        self._short = short
        self._oldest = (
            0 if sought is None else min((each.committer.time for each in sought), default=0) - _SLOP
        )
        self._known: dict[str, _Name] = {}
        tips = self._tips()
        self._exact = {tip.target: tip.name for tip in tips}
        for tip in sorted(tips, key=lambda tip: (not tip.from_tag, tip.time)):
            self._spread(tip)

    def name(self, oid: str) -> str | None:
        """Return the name of a commit, or of another object that a reference names; None if none reaches it."""
        found = self._known.get(oid)
        return self._exact.get(oid) if found is None else found.text

    def _tips(self) -> list[_Tip]:
        repository, objects = self._repository, self._repository.objects
        names = Names(repository)
        tips: list[_Tip] = []
        for ref, oid in repository.refs.all("refs/").items():
            if self._tags and not ref.startswith("refs/tags/"):
                continue
            if any(self._matched(ref, pattern) is not None for pattern in self._excluded):
                continue
            places = [self._matched(ref, pattern) for pattern in self._patterns]
            if self._patterns and all(place is None for place in places):
                continue
            commit = objects.peel(oid, "commit")
            if commit is None:
                continue
            tagger = objects.tag(oid).tagger if objects.get(oid).kind == "tag" else None
            time = objects.commit(commit).committer.time if tagger is None else tagger.time
            if any(places) or (self._tags and self._short):
                name = names.short_ref(ref)
            else:
                name = ref.removeprefix("refs/").removeprefix("heads/")
            tips.append(_Tip(name, oid, commit, time, ref.startswith("refs/tags/")))
        return tips

    def _matched(self, ref: str, pattern: str) -> int | None:
        """Return where the part of a reference begins that a pattern matches, None if no part does."""
        at = 0
        while True:
            if wildmatch(pattern, ref[at:], self._repository.access.charge, pathname=False):
                return at
            slash = ref.find("/", at)
            if slash < 0:
                return None
            at = slash + 1

    def _spread(self, tip: _Tip) -> None:
        """Name the commits that a tip reaches, where that is better than the names they have."""
        name = f"{tip.name}^0" if tip.target != tip.commit else tip.name
        first = _Name(name, tip.time, 0, 0, tip.from_tag)
        objects, charge = self._repository.objects, self._repository.access.charge
        if objects.commit(tip.commit).committer.time < self._oldest or not self._improve(tip.commit, first):
            return
        stack = [tip.commit]
        while stack:
            oid = stack.pop()
            mine = self._known[oid]
            charge(2)
            reached = []
            for number, parent in enumerate(objects.commit(oid).parents, 1):
                if objects.commit(parent).committer.time < self._oldest:
                    continue
                if number == 1:
                    theirs = mine._replace(generation=mine.generation + 1, distance=mine.distance + 1)
                else:
                    theirs = _Name(
                        f"{mine.text.removesuffix('^0')}^{number}",
                        mine.time,
                        0,
                        mine.distance + _MERGE_STEPS,
                        mine.from_tag,
                    )
                if self._improve(parent, theirs):
                    reached.append(parent)
            stack += reversed(reached)

    def _improve(self, commit: str, name: _Name) -> bool:
        old = self._known.get(commit)
        if old is not None and not _is_better(old, name):
            return False
        self._repository.ctx.budget.charge_memory(
            len(name.tip)
        )  # "^2" after "^2": names grow with the history
        self._known[commit] = name
        return True


def _is_better(old: _Name, new: _Name) -> bool:
    if old.from_tag != new.from_tag:
        return new.from_tag
    if new.from_tag:  # an older tag, even one that is farther
        return (old.time, old.length) > (new.time, new.length)
    if old.length != new.length:
        return old.length > new.length
    return old.time > new.time
