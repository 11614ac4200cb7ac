"""Merges three trees: the changes from a base to one tree, into another tree.

Source: git 2.39, merge-recursive.c, merge-ort.c and ll-merge.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.record import Record
from sandhook.utilities.git.diff.check import marker_size
from sandhook.utilities.git.diff.model import NULL_ID, Pair, Side
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.patch import is_binary
from sandhook.utilities.git.diff.three_way import STYLES, Labels, merge_files
from sandhook.utilities.git.diff.trees import compare_trees, walk_tree
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.store.index import order
from sandhook.utilities.git.store.objects import GITLINK, SYMLINK
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import write_object
from sandhook.utilities.git.work.checkout import Checkout, remove_tracked

NO_FILE = (0, NULL_ID)
_TYPE = 0o170000
_RENAME_SCORE = 30_000


class Version(Record):
    """A file in one of the trees: its path there, mode and object; mode 0 for a file that does not exist."""

    path: str
    mode: int
    oid: str

    @property
    def exists(self) -> bool:
        """True if there is a file."""
        return self.mode != 0

    @property
    def key(self) -> tuple[int, str]:
        """What makes two versions equal."""
        return self.mode, self.oid


class MergedFile(Record):
    """What a merge makes of one path.

    Fields:
        result: The file to write; it does not exist if the path is to be removed.
        stages: The entries of the index for a conflict: stage, mode and object. Empty without a conflict.
        removed: The path that the file had before a rename, "" if it is the same.
    """

    path: str
    result: Version
    stages: tuple[tuple[int, int, str], ...] = ()
    removed: str = ""


class FileMerge:
    """Merges the versions of single files.

    Args:
        labels: The names of the three trees, and the form of conflicts; without a style, that of merge.conflictStyle.

    Attributes:
        messages: What git prints, on standard output.
    """

    def __init__(self, repository: Repository, labels: Labels) -> None:
        self._repository = repository
        self.labels = labels if labels.style else labels._replace(style=conflict_style(repository))
        self.messages: list[str] = []

    def merge(self, path: str, base: Version, ours: Version, theirs: Version) -> tuple[Version, bool]:
        """Return the merged file, and whether that went without a conflict.

        Raises:
            GitError: Two submodules, or files of different types, would have to be merged.
        """
        if ours.mode & _TYPE != theirs.mode & _TYPE or GITLINK in (ours.mode, theirs.mode):
            raise GitError(
                f"a merge of two types of files or of submodules ('{path}') is not offered in the sandbox (L-GIT-003)",
                status=129,
            )
        mode, clean = ours.mode, True
        if ours.mode in (theirs.mode, base.mode):
            mode = theirs.mode
        elif theirs.mode != base.mode:
            clean = False
        if ours.oid == theirs.oid or ours.oid == base.oid:
            return Version(path, mode, theirs.oid), clean
        if theirs.oid == base.oid:
            return Version(path, mode, ours.oid), clean
        if ours.mode == SYMLINK:
            return Version(path, mode, ours.oid), False
        data, merged = self.contents(path, base, ours, theirs)
        self.messages.append(f"Auto-merging {path}")
        return Version(path, mode, write_object(self._repository.objects, "blob", data)), clean and merged

    def contents(self, path: str, base: Version, ours: Version, theirs: Version) -> tuple[bytes, bool]:
        """Return the merged contents of regular files, with markers, and whether there is no conflict."""
        objects, charge = self._repository.objects, self._repository.access.charge
        datas = [
            objects.get(each.oid).data if each.exists and each.mode & _TYPE == 0o100000 else b""
            for each in (base, ours, theirs)
        ]
        driver = self._repository.attributes.of(path).get("merge")
        names = self._names(ours, theirs)
        self._refuse_driver(path, driver)
        if driver is False or driver == "binary" or any(map(is_binary, datas)):
            self.messages.append(f"warning: Cannot merge binary files: {path} ({names[0]} vs. {names[1]})")
            return datas[1], False
        labels = self.labels._replace(
            ours=names[0], theirs=names[1], width=self._width(path), union=driver == "union"
        )
        self._repository.ctx.budget.check_fits(sum(map(len, datas)) * 4)
        result, conflicts = merge_files(datas[0], datas[1], datas[2], labels, charge)
        return result, not conflicts

    def _names(self, ours: Version, theirs: Version) -> tuple[str, str]:
        if ours.path == theirs.path:
            return self.labels.ours, self.labels.theirs
        return f"{self.labels.ours}:{ours.path}", f"{self.labels.theirs}:{theirs.path}"

    def _refuse_driver(self, path: str, driver: str | bool | None) -> None:
        """Raise GitError for a file that a program would have to merge."""
        if isinstance(driver, str) and self._repository.config.get(f"merge.{driver}.driver") is not None:
            raise GitError(
                f"the merge driver '{driver}' of '{path}' is a program, which git in the sandbox never starts (L-GIT-002)",
                status=129,
            )

    def _width(self, path: str) -> int:
        """Return the width of markers: that of the attribute conflict-marker-size, or 7."""
        return marker_size(self._repository.attributes.of(path).get("conflict-marker-size"))


def conflict_style(repository: Repository) -> str:
    """Return the form of conflicts by merge.conflictStyle. Raises GitError for an unknown one."""
    setting = repository.config.get("merge.conflictstyle") or "merge"
    if setting not in STYLES:
        raise GitError(f"unknown style '{setting}' given for 'merge.conflictstyle'")
    return setting


class TreeMerge:
    """Merges two trees that were made from a third one.

    Args:
        files: Merges the files that both sides changed.
        trees: The base, ours and theirs.
    """

    def __init__(self, repository: Repository, files: FileMerge, trees: Sequence[str]) -> None:
        self._repository = repository
        self._files = files
        self._everything = Pathspec([], repository.access.charge)
        self._trees = trees
        objects = repository.objects
        self._base, self._ours, self._theirs = (
            {side.path: side for side in walk_tree(objects, tree, self._everything)} for tree in trees
        )

    def run(self) -> list[MergedFile]:
        """Return the files that differ from ours, or have conflicts, in order.

        Raises:
            GitError: The merge needs more than the merges of files: renames on both sides, directories in place of files.
        """
        result: list[MergedFile] = []
        ours_moved, theirs_moved = (self._renames(tree) for tree in self._trees[1:])
        handled: set[str] = set()
        paths: list[tuple[str, str, str, str]] = []  # of the result, the base, ours and theirs
        for old, new in sorted({*ours_moved.items(), *theirs_moved.items()}):
            if ours_moved.get(old) == theirs_moved.get(old):
                side = (new, new)
            else:
                self._check_rename(old, new, ours_moved, theirs_moved)
                side = (new, old) if old in ours_moved else (old, new)
            paths.append((new, old, *side))
            handled.update((old, new))
        every = self._base.keys() | self._ours.keys() | self._theirs.keys()
        paths += [(path, path, path, path) for path in every - handled]
        for path, base, ours, theirs in sorted(paths, key=lambda each: order(each[0])):
            self._repository.access.charge(1)
            versions = (
                _version(base, self._base),
                _version(ours, self._ours),
                _version(theirs, self._theirs),
            )
            if (merged := self._merged(path, *versions)) is not None:
                result.append(merged)
        self._check_directories(result)
        return result

    def _merged(self, path: str, base: Version, ours: Version, theirs: Version) -> MergedFile | None:
        """Return what becomes of one path; None if it stays what it is on our side."""
        removed = ours.path if ours.path != path and ours.exists else ""
        if theirs.key in (base.key, ours.key) and not removed:
            return None
        if ours.key == base.key:
            return MergedFile(path, theirs._replace(path=path), (), removed)
        if ours.exists and theirs.exists:
            result, clean = self._files.merge(path, base, ours, theirs)
            if not clean:
                kind = "content" if base.exists else "add/add"
                self._files.messages.append(f"CONFLICT ({kind}): Merge conflict in {path}")
            return MergedFile(path, result, () if clean else _stages(base, ours, theirs), removed)
        kept, lost = (self._files.labels.ours, self._files.labels.theirs)[:: 1 if ours.exists else -1]
        self._files.messages.append(
            f"CONFLICT (modify/delete): {path} deleted in {lost} and modified in {kept}.  "
            f"Version {kept} of {path} left in tree."
        )
        return MergedFile(path, ours if ours.exists else theirs, _stages(base, ours, theirs))

    # ------------------------------------------------------------------ renames

    def _renames(self, tree: str) -> dict[str, str]:
        """Return the files that a side renamed, and that the other side did not leave as they were."""
        objects = self._repository.objects
        other = self._theirs if tree == self._trees[1] else self._ours
        pairs: Sequence[Pair] = list(compare_trees(objects, self._trees[0], tree, self._everything))
        renamed = DiffOutput(self._repository, DiffOptions(renames=_RENAME_SCORE)).complete(pairs)
        found = {pair.old.path: pair.new.path for pair in renamed if pair.status == "R"}
        self._check_renamed_directories(found, tree, other)
        return {
            old: new
            for old, new in found.items()
            if _key(other.get(old)) != _key(self._base.get(old)) or new in other
        }

    def _check_rename(self, old: str, new: str, ours: dict[str, str], theirs: dict[str, str]) -> None:
        """Raise GitError for a rename that the other side makes difficult."""
        other = self._theirs if old in ours else self._ours
        if (old in ours and old in theirs) or old not in other or new in other:
            raise _unsupported(
                f"'{old}', renamed to '{new}' on one side and renamed, removed or added on the other"
            )

    def _check_renamed_directories(self, found: dict[str, str], tree: str, other: dict[str, Side]) -> None:
        """Raise GitError if the other side adds files to a directory that one side renamed."""
        mine = self._ours if tree == self._trees[1] else self._theirs
        gone = {_directory(old) for old in found} - {_directory(path) for path in mine} - {""}
        added = next((path for path in other if _directory(path) in gone and path not in self._base), None)
        if added is not None:
            raise _unsupported(f"'{added}', added to a directory that the other side renamed")

    def _check_directories(self, result: list[MergedFile]) -> None:
        """Raise GitError if a file of one side has the path of a directory of the other side."""
        changed = {each.path for each in result}
        files = {*self._ours, *self._theirs}
        for path in files:
            parent = _directory(path)
            while parent:
                if parent in files and (parent in changed or path in changed):
                    raise _unsupported(
                        f"'{parent}', which is a file on one side and a directory on the other"
                    )
                parent = _directory(parent)


def _unsupported(what: str) -> GitError:
    return GitError(f"a merge of {what}, is not offered in the sandbox (L-GIT-003)", status=129)


def _directory(path: str) -> str:
    return path.rpartition("/")[0]


def _key(side: Side | None) -> tuple[int, str]:
    return NO_FILE if side is None else (side.mode, side.oid)


def _version(path: str, sides: dict[str, Side]) -> Version:
    return Version(path, *_key(sides.get(path)))


def _stages(*versions: Version) -> tuple[tuple[int, int, str], ...]:
    return tuple((stage, each.mode, each.oid) for stage, each in enumerate(versions, 1) if each.exists)


def write_merged(checkout: Checkout, merged: MergedFile, *, keeps_entry: bool = False) -> None:
    """Write the file of a merge, or remove it.

    Args:
        keeps_entry: The entry of the index stays as it is; that of a conflict is written all the same.
    """
    result, change = merged.result, checkout.change
    if merged.stages:
        if result.exists:
            checkout.write(merged.path, result.mode, result.oid)
        change.put_conflict(merged.path, merged.stages)
    elif not result.exists:
        remove_tracked(checkout.access, checkout.work, merged.path)
        if not keeps_entry:
            change.remove(merged.path)
    elif keeps_entry:
        checkout.write(merged.path, result.mode, result.oid)
    else:
        checkout.put(merged.path, result.mode, result.oid)
