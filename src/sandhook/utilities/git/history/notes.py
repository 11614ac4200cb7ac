"""The notes of commits, as log, show and notes print them.

Source: git-notes(1); git-log(1), "--notes".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.wildmatch import has_wildcard, wildmatch
from sandhook.utilities.git.store.objects import TREE, TreeItem
from sandhook.utilities.git.store.repository import Repository

DEFAULT = "refs/notes/commits"
_NAME_DIGITS = 40
_FAN_OUT = 3  #: levels of directories of two digits that a tree of notes has at most


def full_name(word: str) -> str:
    """Return the full name of a reference of notes, for which its end may stand."""
    if word.startswith("refs/notes/"):
        return word
    return f"refs/{word}" if word.startswith("notes/") else f"refs/notes/{word}"


def default_ref(repository: Repository) -> str:
    """Return the reference that notes commands use."""
    environment = repository.options.environment
    return environment.get("GIT_NOTES_REF") or repository.config.get("core.notesref") or DEFAULT


class NotesTree:
    """The notes of one reference.

    Attributes:
        title: The line before a note.
    """

    def __init__(self, repository: Repository, ref: str) -> None:
        self._repository = repository
        self.title = "Notes:" if ref == DEFAULT else f"Notes ({ref.removeprefix('refs/notes/')}):"
        commit = repository.refs.resolve(ref)
        self._tree = None if commit is None else repository.objects.peel(commit, "tree")

    def blob_of(self, oid: str) -> str | None:
        """Return the name of the note of an object, None for an object without one."""
        if self._tree is None:
            return None
        names, objects = Names(self._repository), self._repository.objects
        for levels in range(_FAN_OUT + 1):
            parts = [oid[2 * level : 2 * level + 2] for level in range(levels)]
            item = names.tree_item(self._tree, "/".join([*parts, oid[2 * levels :]]))
            if item is not None and objects.get(item[1]).kind == "blob":
                return item[1]
        return None

    def of(self, oid: str) -> str | None:
        """Return the note of an object, None for an object without one."""
        blob = self.blob_of(oid)
        if blob is None:
            return None
        return self._repository.objects.get(blob).data.decode("utf-8", "surrogateescape")

    def all(self) -> Iterator[tuple[str, str]]:
        """Yield the names of all notes and of their objects."""
        for path, item in self._files():
            if _is_note(path, item):
                yield item.oid, path.replace("/", "")

    def others(self) -> Iterator[tuple[str, int, str]]:
        """Yield the paths, the modes and the objects of what is not a note."""
        for path, item in self._files():
            if not _is_note(path, item):
                yield path, item.mode, item.oid

    def _files(self) -> Iterator[tuple[str, TreeItem]]:
        if self._tree is not None:
            yield from self._below(self._tree, "", 0)

    def _below(self, tree: str, base: str, depth: int) -> Iterator[tuple[str, TreeItem]]:
        """Yield the paths and the entries below a tree; other directories than those of two digits are entries."""
        for item in self._repository.objects.tree(tree):
            self._repository.access.charge(1)
            is_level = item.mode == TREE and depth < _FAN_OUT and len(item.name) == 2
            if is_level and _is_hexadecimal(item.name):
                yield from self._below(item.oid, f"{base}{item.name}/", depth + 1)
            else:
                yield base + item.name, item


def _is_note(path: str, item: TreeItem) -> bool:
    name = path.replace("/", "")
    return item.mode != TREE and len(name) == _NAME_DIGITS and _is_hexadecimal(name)


def _is_hexadecimal(text: str) -> bool:
    return all(c in "0123456789abcdef" for c in text)


class Notes:
    """The notes that are printed after messages.

    Args:
        words: The references of --notes=REF and --show-notes=REF, which may have wildcards.
        default: Whether notes of the default and of the settings are shown; None: if there are no words.
    """

    def __init__(
        self, repository: Repository, words: Sequence[str] = (), default: bool | None = None
    ) -> None:
        self._repository = repository
        refs: list[str] = []
        if default or (default is None and not words):
            refs.append(default_ref(repository))
            environment = repository.options.environment.get("GIT_NOTES_DISPLAY_REF")
            globs = (
                environment.split(":")
                if environment is not None
                else repository.config.get_all("notes.displayref")
            )
            for glob in filter(None, globs):
                self._add(refs, glob)
        for word in words:
            self._add(refs, full_name(word))
        self._trees = [NotesTree(repository, ref) for ref in refs]

    def _add(self, refs: list[str], glob: str) -> None:
        repository = self._repository
        if has_wildcard(glob):
            charge = repository.access.charge
            found = [ref for ref in repository.refs.all() if wildmatch(glob, ref, charge, pathname=False)]
        else:
            found = [glob]
            if repository.refs.resolve(glob) is None:
                repository.ctx.flush()
                text = f"warning: notes ref {glob} is invalid\n"
                repository.ctx.process.write_error(text.encode("utf-8", "surrogateescape"))
        refs += [ref for ref in found if ref not in refs]

    def of(self, oid: str) -> Iterator[tuple[str, str]]:
        """Yield the titles and the texts of the notes of a commit."""
        for tree in self._trees:
            note = tree.of(oid)
            if note is not None:
                yield tree.title, note
