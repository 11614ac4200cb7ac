"""The references that point to a commit: "(HEAD -> main, tag: v1, origin/main)".

Source: git 2.39, log-tree.c.
"""

from __future__ import annotations

from sandhook.record import Record
from sandhook.utilities.git.names.colors import RESET, setting_color
from sandhook.utilities.git.names.wildmatch import has_wildcard, wildmatch
from sandhook.utilities.git.store.refs import is_object_name, short_name
from sandhook.utilities.git.store.repository import Repository

_COLORS = {
    "HEAD": "bold cyan", "branch": "bold green", "remoteBranch": "bold red", "tag": "bold yellow", "stash": "bold magenta", "grafted": "bold blue",
}  # fmt: skip

_USUAL = ("refs/heads/", "refs/tags/", "refs/remotes/")
_GRAFTED = "grafted"  #: the mark of a commit where a shallow history ends
_REPLACED = "replaced"  #: the mark of an object that another one replaces
_KINDS = {"refs/stash": "stash", "HEAD": "HEAD", _GRAFTED: "grafted", _REPLACED: "grafted"}


def _kind(name: str) -> str:
    """Return the name of the setting of a reference's colour."""
    if name.startswith("refs/tags/"):
        return "tag"
    if name.startswith("refs/remotes/"):
        return "remoteBranch"
    return _KINDS.get(name, "branch")


class Shown(Record):
    """Which references decorate commits.

    Fields:
        wanted, unwanted: The patterns of --decorate-refs and --decorate-refs-exclude.
        every: References of all kinds do (--clear-decorations), in place of branches and tags.
    """

    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    every: bool = False


class _Filter:
    """Decides which references decorate commits, by options and settings."""

    def __init__(self, repository: Repository, shown: Shown) -> None:
        config = repository.config
        excluded = config.get_all("log.excludedecoration")
        self._charge = repository.access.charge
        self._replace_base = repository.replace_base
        self._wanted = [_normal(each) for each in shown.wanted]
        self._unwanted = [_normal(each) for each in shown.unwanted]
        self._excluded = [_normal(each) for each in excluded]
        every = shown.every or config.get("log.initialdecorationset") == "all"
        self._usual = not (every or self._wanted or self._unwanted or self._excluded)

    def accepts(self, name: str) -> bool:
        """Return True for a reference that decorates its commit."""
        if self._usual:
            return name in ("HEAD", "refs/stash") or name.startswith((*_USUAL, self._replace_base))
        if any(self._matches(each, name) for each in self._unwanted):
            return False
        if self._wanted:
            return any(self._matches(each, name) for each in self._wanted)
        return not any(self._matches(each, name) for each in self._excluded)

    def _matches(self, pattern: str, name: str) -> bool:
        if has_wildcard(pattern):
            return wildmatch(pattern, name, self._charge, pathname=False)
        return name == pattern or name.startswith(f"{pattern}/")


def _normal(pattern: str) -> str:
    full = pattern if pattern == "HEAD" or pattern.startswith("refs/") else f"refs/{pattern}"
    return full.removesuffix("/")


class Decorations:
    """The names of references by the commits that they point to, read at their first use."""

    def __init__(self, repository: Repository, shown: Shown | None = None) -> None:
        self._repository = repository
        self._filter = _Filter(repository, shown or Shown())
        self._names: dict[str, list[str]] | None = None

    def _read(self) -> dict[str, list[str]]:
        repository = self._repository
        found: dict[str, list[str]] = {}
        for name, oid in repository.refs.all().items():
            repository.access.charge(2)
            if not self._filter.accepts(name):
                continue
            if name.startswith(repository.replace_base):
                replaced = name.removeprefix(repository.replace_base)
                if not repository.options.replaces:
                    pass
                elif is_object_name(replaced):
                    found.setdefault(replaced.lower(), []).insert(0, _REPLACED)
                else:
                    repository.warn_once(f"warning: invalid replace ref {name}")
                continue
            peeled = repository.objects.peel(oid) if name.startswith("refs/tags/") else oid
            found.setdefault(peeled or oid, []).insert(0, name)
        head = repository.refs.resolve("HEAD")
        if head is not None and self._filter.accepts("HEAD"):
            found.setdefault(head, []).insert(0, "HEAD")
        for oid in repository.objects.shallow:
            found.setdefault(oid, []).insert(0, _GRAFTED)
        return found

    def of(self, oid: str, *, full: bool = False) -> list[str]:
        """Return the decorations of a commit, HEAD first."""
        return [" -> ".join(texts) for _, texts in self._shown(oid, full=full)]

    def painted(self, oid: str, commit_color: str, *, full: bool) -> str:
        """Return " (HEAD -> main, tag: v1)" in colours, or ""."""
        get = self._repository.config.get
        pieces = []
        for name, texts in self._shown(oid, full=full):
            kinds = [_kind(name), "branch"][: len(texts)]
            colors = [setting_color(get, f"color.decorate.{kind}", _COLORS[kind]) for kind in kinds]
            pieces.append(
                f"{RESET}".join(
                    map("".join, zip(colors, [f"{texts[0]} -> ", *texts[1:]] if texts[1:] else texts))
                )
                + RESET
            )
        if not pieces:
            return ""
        between = f"{commit_color}, {RESET}"
        return f"{commit_color} ({RESET}{between.join(pieces)}{commit_color}){RESET}"

    def _shown(self, oid: str, *, full: bool) -> list[tuple[str, list[str]]]:
        """Return the references of a commit that are shown, each with its text; HEAD with its branch."""
        if self._names is None:
            self._names = self._read()
        names = self._names.get(oid, [])
        branch = self._repository.head_branch() if "HEAD" in names else None
        result: list[tuple[str, list[str]]] = []
        for name in names:
            shown = short_name(name) if name.startswith(_USUAL) and not full else name
            if name.startswith("refs/tags/"):
                shown = f"tag: {shown}"
            texts = [shown]
            if name == "HEAD" and branch is not None and branch in names:
                texts = ["HEAD", branch if full else short_name(branch)]
            elif name == branch:
                continue
            result.append((name, ["refs/stash"] if name == "refs/stash" else texts))
        return result
