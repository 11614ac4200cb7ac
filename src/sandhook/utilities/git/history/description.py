"""Descriptions of commits: the nearest tag, the distance to it, and the abbreviated name.

Source: git-describe(1); git 2.39, builtin/describe.c.
"""

from __future__ import annotations

from sandhook.command.options import opt, option_set
from sandhook.record import Record
from sandhook.text.numbers import is_number
from sandhook.utilities.git.arguments import count
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.walk import Walk
from sandhook.utilities.git.names.wildmatch import wildmatch
from sandhook.utilities.git.store.repository import Repository

_FALSE = ("false", "no", "off", "0", "")


@option_set
class DescribeOptions:
    """Options of git describe."""

    all: bool = opt("--all")
    tags: bool = opt("--tags")
    contains: bool = opt("--contains")
    always: bool = opt("--always")
    long: bool = opt("--long")
    exact: bool = opt("--exact-match")
    candidates: int = opt("--candidates", "N", "", convert=count, default=10)
    abbrev: int | None = opt("--abbrev", "N", "", convert=count, optional=True)
    first_parent: bool = opt("--first-parent")
    match: tuple[str, ...] = opt("--match", "PATTERN", "", append=True)
    exclude: tuple[str, ...] = opt("--exclude", "PATTERN", "", append=True)
    dirty: str | None = opt("--dirty", "MARK", "", optional=True, const="-dirty")
    broken: str | None = opt("--broken", "MARK", "", optional=True, const="-broken")
    debug: bool = opt("--debug")


#: Where the names that --match and --exclude select are.
_KINDS = ("refs/tags/", "refs/heads/", "refs/remotes/")


class _Name(Record):
    """A reference that can describe a commit.

    Fields:
        priority: 2 for an annotated tag, 1 for another tag, 0 for others.
        target: The object that it names, or that its tag object names, which may be another tag.
    """

    text: str
    priority: int
    time: int
    target: str


def placeholder_options(text: str) -> DescribeOptions | None:
    """Return the options of %(describe:...), None for unknown ones."""
    tags, abbrev = False, None
    match: list[str] = []
    exclude: list[str] = []
    for word in filter(None, text.split(",")):
        key, equals, value = word.partition("=")
        if key == "tags":
            tags = not equals or value.lower() not in _FALSE
        elif key == "abbrev" and is_number(value) and len(value) < 6:
            abbrev = int(value)
        elif key in ("match", "exclude") and value:
            (match if key == "match" else exclude).append(value)
        else:
            return None
    return DescribeOptions(tags=tags, abbrev=abbrev, match=tuple(match), exclude=tuple(exclude))


class Description:
    """Describes commits under some options."""

    def __init__(self, repository: Repository, options: DescribeOptions) -> None:
        self.repository = repository
        self.options = options
        self.names = Names(repository)
        self.has_names = False
        self.known = self._read_names()

    def _read_names(self) -> dict[str, _Name]:
        """Return the best reference of each commit."""
        objects = self.repository.objects
        known: dict[str, _Name] = {}
        for ref, oid in self.repository.refs.all("refs/" if self.options.all else "refs/tags/").items():
            is_tag = ref.startswith("refs/tags/")
            if not self._is_chosen(ref):
                continue
            found = objects.find(oid)
            commit = objects.peel(oid, "commit")
            if found is None or commit is None:
                continue
            priority, time, target = (2, 0, oid) if found.kind == "tag" else (1 if is_tag else 0, 0, oid)
            if priority == 2:
                tag = objects.tag(oid)
                time, target = tag.tagger.time if tag.tagger is not None else 0, tag.target
            self.has_names = True
            if priority < 2 and not (self.options.all or self.options.tags):
                continue
            text = ref.removeprefix("refs/" if self.options.all else "refs/tags/")
            best = known.get(commit)
            if best is None or (priority, time) > (best.priority, best.time):
                known[commit] = _Name(text, priority, time, target)
        return known

    def _is_chosen(self, ref: str) -> bool:
        """Return True for a reference that --match and --exclude leave."""
        options, charge = self.options, self.repository.access.charge
        if not options.match and not options.exclude:
            return True
        base = next((each for each in _KINDS if ref.startswith(each)), None)
        if base is None:
            return False
        short = ref.removeprefix(base)
        if any(wildmatch(each, short, charge, pathname=False) for each in options.exclude):
            return False
        return not options.match or any(
            wildmatch(each, short, charge, pathname=False) for each in options.match
        )

    def _short(self, oid: str) -> str:
        return self.names.abbreviate(oid, self.options.abbrev)

    def text(self, commit: str) -> str:
        """Return the description of a commit. Raises GitError if no reference describes it."""
        if not self.has_names and not self.options.always:
            raise GitError("No names found, cannot describe anything.")
        exact = self.known.get(commit)
        if exact is not None:
            return f"{exact.text}-0-g{self._short(exact.target)}" if self.options.long else exact.text
        if self.options.exact or self.options.candidates == 0:
            raise GitError(f"no tag exactly matches '{commit}'")
        candidates = self._candidates(commit)
        if not candidates:
            if self.options.always:
                return self._short(commit)
            if self._has_light_tags(commit):
                problem, hint = "No annotated tags", "However, there were unannotated tags: try --tags."
            else:
                problem, hint = "No tags", "Try --always, or create some tags."
            raise GitError(f"{problem} can describe '{commit}'.\n{hint}")
        depth, _, name = min(candidates)
        if self.options.abbrev == 0:
            return name
        return f"{name}-{depth}-g{self._short(commit)}"

    def _has_light_tags(self, commit: str) -> bool:
        """Return True if a tag that is not annotated points to an ancestor."""
        if self.options.tags:
            return False
        objects = self.repository.objects
        light = {
            oid
            for oid in self.repository.refs.all("refs/tags/").values()
            if objects.get(oid).kind == "commit"
        }
        return any(each.oid in light for each in Walk(self.repository, [commit], []))

    def _candidates(self, commit: str) -> list[tuple[int, int, str]]:
        """Return (depth, order, name) of the nearest references."""
        found: list[tuple[int, int, str]] = []
        for each in Walk(self.repository, [commit], [], first_parent=self.options.first_parent):
            name = self.known.get(each.oid)
            if name is None:
                continue
            between = Walk(self.repository, [commit], [each.oid], first_parent=self.options.first_parent)
            found.append((sum(1 for _ in between), len(found), name.text))
            if len(found) >= self.options.candidates:
                break
        return found
