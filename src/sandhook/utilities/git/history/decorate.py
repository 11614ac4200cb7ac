"""The references that point to a commit: "(HEAD -> main, tag: v1, origin/main)".

Source: git 2.39, log-tree.c.
"""

from __future__ import annotations

from sandhook.utilities.git.store.refs import short_name
from sandhook.utilities.git.store.repository import Repository


class Decorations:
    """The names of references by the commits that they point to, read at their first use."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._names: dict[str, list[str]] | None = None

    def _read(self) -> dict[str, list[str]]:
        repository = self._repository
        found: dict[str, list[str]] = {}
        for name, oid in repository.refs.all().items():
            repository.access.charge(2)
            peeled = repository.objects.peel(oid) if name.startswith("refs/tags/") else oid
            found.setdefault(peeled or oid, []).insert(0, name)
        head = repository.refs.resolve("HEAD")
        if head is not None:
            found.setdefault(head, []).insert(0, "HEAD")
        return found

    def of(self, oid: str, *, full: bool = False) -> list[str]:
        """Return the decorations of a commit, HEAD first."""
        if self._names is None:
            self._names = self._read()
        names = self._names.get(oid, [])
        branch = self._repository.head_branch() if "HEAD" in names else None
        result = []
        for name in names:
            shown = name if full else short_name(name)
            if name.startswith("refs/tags/"):
                shown = f"tag: {shown}"
            if name == "HEAD" and branch is not None and branch in names:
                shown = f"HEAD -> {branch if full else short_name(branch)}"
            elif name == branch or (
                name.startswith("refs/")
                and not name.startswith(("refs/heads/", "refs/tags/", "refs/remotes/"))
                and name != "refs/stash"
            ):
                continue
            result.append("refs/stash" if name == "refs/stash" else shown)
        return result
