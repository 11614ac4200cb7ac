"""The notes of commits, as log and show print them.

Source: git-notes(1).
"""

from __future__ import annotations

from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.store.repository import Repository

_DEFAULT = "refs/notes/commits"
_FAN_OUT = 3  #: levels of directories of two digits that a tree of notes has at most


class Notes:
    """The notes of the default reference, read at their first use."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        environment = repository.options.environment
        ref = environment.get("GIT_NOTES_REF") or repository.config.get("core.notesref") or _DEFAULT
        self.title = "Notes:" if ref == _DEFAULT else f"Notes ({ref.removeprefix('refs/notes/')}):"
        commit = repository.refs.resolve(ref)
        self._tree = None if commit is None else repository.objects.peel(commit, "tree")

    def of(self, oid: str) -> str | None:
        """Return the note of a commit, None for a commit without one."""
        if self._tree is None:
            return None
        names, objects = Names(self._repository), self._repository.objects
        for levels in range(_FAN_OUT + 1):
            parts = [oid[2 * level : 2 * level + 2] for level in range(levels)]
            item = names.tree_item(self._tree, "/".join([*parts, oid[2 * levels :]]))
            if item is not None and objects.get(item[1]).kind == "blob":
                return objects.get(item[1]).data.decode("utf-8", "surrogateescape")
        return None
