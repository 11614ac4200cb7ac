"""Applies patches to files, for git apply: all of them, or none.

Source: git-apply(1); git 2.39, apply.c.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandhook.record import Record
from sandhook.utilities.git.commands.apply.parsing import FilePatch, place_of
from sandhook.utilities.git.diff.three_way import Labels
from sandhook.utilities.git.diff.xdiff import split_lines
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode, encode
from sandhook.utilities.git.store.index_writing import IndexChange, entry_of, write_tree
from sandhook.utilities.git.store.objects import GITLINK, SYMLINK
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import make_parents, remove_file, write_new, write_object
from sandhook.utilities.git.work.convert import clean_filter, stored_form, working_form
from sandhook.utilities.git.work.merging import FileMerge, Version
from sandhook.utilities.git.work.tree import WorkTree
from sandhook.vfs.path import VirtualPath, join

_TYPE = 0o170000
_HEXADECIMAL = re.compile("[0-9a-f]{4,40}")


class _File(Record):
    """A file: its mode and its contents; mode 0 for one that does not exist."""

    mode: int
    data: bytes


_NOTHING = _File(0, b"")


class Target:
    """What patches change: the working tree, the index (cached), or both (index)."""

    def __init__(self, call: Invocation, *, cached: bool, index: bool) -> None:
        self.call = call
        self.repository = call.find_repository()
        self.cached = cached
        self.index = index
        self._change = (
            IndexChange(self.repository) if self.repository is not None and (cached or index) else None
        )

    @property
    def prefix(self) -> str:
        """The directory of the caller below the working tree, "" or "dir/"."""
        return self.repository.prefix if self.repository is not None else ""

    def _full(self, path: str) -> str:
        root = self.call.options.cwd
        if self.repository is not None and self.repository.place.root is not None:
            root = self.repository.root
        return str(join(VirtualPath(root), path))

    def read(self, path: str) -> _File | None:
        """Return a file, None if it does not exist. Raises GitError for one that does not match the index."""
        entry = None
        if self._change is not None and self.repository is not None:
            known = self._change.get(path)
            entry = known[0] if known and not known[0].stage else None
            if entry is None:
                return None
            if self.cached:
                return _File(entry.mode, self.repository.objects.get(entry.oid).data)
        full, access = self._full(path), self.call.access
        found = access.stat(full)
        if found is None or found.mode & _TYPE == 0o040000:
            return None
        if entry is not None and self.repository is not None:
            side = WorkTree(self.repository).side(entry)
            if side is None or (side.mode, side.oid) != (entry.mode, entry.oid):
                raise GitError(f"{path}: does not match index", prefix="error", status=1)
        if found.mode & _TYPE == SYMLINK:
            return _File(SYMLINK, encode(access.readlink(full)))
        data = access.read(full)
        if self.repository is not None and self.repository.place.root is not None:
            if (name := clean_filter(self.repository, path)) is not None:
                raise GitError(
                    f"cannot read '{path}': its filter '{name}' is a program, which git in the sandbox never starts (L-GIT-002)"
                )
            data = stored_form(self.repository, path, data)
        return _File(0o100755 if found.mode & 0o100 else 0o100644, data)

    def is_beyond_link(self, path: str) -> bool:
        """Return True if a directory of a path is a symbolic link, through which nothing is written."""
        parts = path.split("/")
        for number in range(1, len(parts)):
            found = self.call.access.stat(self._full("/".join(parts[:number])))
            if found is not None and found.mode & _TYPE == SYMLINK:
                return not self.cached
        return False

    def exists(self, path: str) -> str:
        """Return where a file exists already: "index", "working directory", or ""."""
        if self._change is not None and self._change.get(path):
            return "index"
        if not self.cached and self.call.access.stat(self._full(path)) is not None:
            return "working directory"
        return ""

    def write(self, path: str, file: _File) -> None:
        """Write a file, or remove it."""
        if self._change is not None and self.repository is not None:
            if file.mode:
                oid = write_object(self.repository.objects, "blob", file.data)
                self._change.put(entry_of(path, file.mode, oid))
            else:
                self._change.remove(path)
        if self.cached:
            return
        full, access = self._full(path), self.call.access
        remove_file(access, full)
        if not file.mode:
            self._remove_empty(full)
            return
        make_parents(access, full)
        if file.mode & _TYPE == SYMLINK:
            access.fs.symlink(decode(file.data), VirtualPath(full))
            return
        data = file.data
        if self.repository is not None and self.repository.place.root is not None:
            data = working_form(self.repository, path, data)
        write_new(access, full, data, 0o755 if file.mode & 0o100 else 0o644)
        if self.index and self._change is not None:
            entry = self._change.get(path)[0]
            self._change.put(entry_of(path, entry.mode, entry.oid, access.stat(full)))

    def _remove_empty(self, full: str) -> None:
        """Remove the directories above a file that are empty now, below the top."""
        access, top = self.call.access, self._full(".").rstrip("/.")
        parent = full.rpartition("/")[0]
        while parent.startswith(f"{top}/") and access.is_dir(parent) and not access.listdir(parent):
            access.fs.rmdir(VirtualPath(parent))
            parent = parent.rpartition("/")[0]

    def conflict(self, path: str, stages: Sequence[tuple[int, int, str]]) -> None:
        """Have the index keep the sides of a conflict."""
        if self._change is not None:
            self._change.put_conflict(path, stages)

    def tree(self) -> str:
        """Return the tree of the index with the patches."""
        assert self._change is not None and self.repository is not None
        return write_tree(self.repository, self._change.entries())

    def end(self) -> None:
        """Write the index."""
        if self._change is not None and self._change.changed:
            self._change.write()


class Changes:
    """The files that patches make, which are written when all patches apply.

    Attributes:
        failed: A patch does not apply.
        conflicts: The paths of merges with conflicts, with the entries of the index for them.
        merges: Patches are merged with what changed since then (--3way). is_quiet: Nothing is said about that.
    """

    def __init__(self, target: Target, *, is_loose: bool, is_verbose: bool, is_reversed: bool) -> None:
        self.merges = False
        self.is_quiet = False
        self.conflicts: dict[str, list[tuple[int, int, str]]] = {}
        self._target = target
        self._is_loose = is_loose
        self._is_verbose = is_verbose
        self._is_reversed = is_reversed
        self._files: dict[str, _File] = {}
        self.failed = False

    def add(self, patch: FilePatch) -> None:
        """Apply a patch in memory; report one that does not apply."""
        for path in (patch.old, patch.new):
            _check_path(path)
        try:
            self._add(patch)
        except GitError as error:
            if error.status != 1:
                raise
            self.failed = True
            self._say(error.text())

    def _add(self, patch: FilePatch) -> None:
        old, new = patch.old, patch.new
        for path in filter(None, dict.fromkeys((old, new))):
            if self._target.is_beyond_link(path):
                raise _fault(f"affected file '{path}' is beyond a symbolic link")
        before = self._before(old) if old else _NOTHING
        is_new = False  #: the patch makes a file that exists already, which only a merge can do
        if new and new != old:
            where = (
                self._target.exists(new)
                if new not in self._files
                else "working directory" * bool(self._files[new].mode)
            )
            is_new = bool(where) and self.merges
            if where and not is_new:
                raise _fault(f"{new}: already exists in {where}")
        if patch.old_mode and before.mode and (patch.old_mode ^ before.mode) & _TYPE:
            raise _fault(f"{old}: wrong type")
        data = self._merged(patch, before, is_new=is_new) if self.merges else None
        if data is None:
            if is_new:
                raise _fault(f"{new}: patch does not apply")
            data = self._patched(patch, old or new, before.data)
        if not new:
            if data:
                raise _fault(f"removal patch leaves file contents\nerror: {old}: patch does not apply")
            self._files[old] = _NOTHING
            return
        mode = patch.new_mode or before.mode or 0o100644
        if patch.new_mode == patch.old_mode and before.mode:
            mode = before.mode
        if GITLINK in (mode, patch.old_mode):
            raise GitError(
                "apply: patches of submodules are not offered in the sandbox (L-GIT-003)", status=129
            )
        if patch.kind == "rename":
            self._files[old] = _NOTHING
        self._files[new] = _File(mode, data)

    def _say(self, text: str) -> None:
        if not self.is_quiet:
            self._target.call.error(text)

    def _merged(self, patch: FilePatch, before: _File, *, is_new: bool) -> bytes | None:
        """Return the merge of a file with what a patch makes of the file that it was written for; None without that file."""
        repository, data = self._target.repository, None
        is_moved = patch.kind == "rename" and not patch.hunks
        if (
            patch.new
            and patch.old_mode != GITLINK != patch.new_mode
            and not is_moved
            and (patch.old or is_new)
        ):
            base = self._object(patch.old_id) if patch.old else b""
            if base is None:
                self._say("error: repository lacks the necessary blob to perform 3-way merge.")
            elif repository is not None:
                if is_new:
                    self._say("Performing three-way merge...")
                data = self._merge(repository, patch, base, before, is_new=is_new)
        if data is None:
            self._say("Falling back to direct application...")
        return data

    def _object(self, oid: str) -> bytes | None:
        """Return the contents of a file by its name as an object, None if the repository lacks it."""
        repository = self._target.repository
        if repository is None or not oid:
            return None
        found = Names(repository).find(oid) if _HEXADECIMAL.fullmatch(oid) else None
        item = None if found is None else repository.objects.find(found)
        return item.data if item is not None and item.kind == "blob" else None

    def _merge(
        self, repository: Repository, patch: FilePatch, base: bytes, before: _File, *, is_new: bool
    ) -> bytes | None:
        try:
            theirs = self._patched(patch, patch.path, base)
        except GitError as error:
            if error.status == 1:
                self._say(error.text().partition("\n")[0])
                return None
            raise
        ours = self._before(patch.new).data if is_new else before.data
        objects, mode = repository.objects, patch.new_mode or 0o100644
        versions = [
            Version(patch.new, mode, write_object(objects, "blob", each)) for each in (base, ours, theirs)
        ]
        files = FileMerge(repository, Labels("ours", "theirs", "base"))
        result, clean = files.merge(patch.new, *versions)
        self._say(f"Applied patch to '{patch.new}' {'cleanly' if clean else 'with conflicts'}.")
        if not clean:
            sides = [(stage, mode, each.oid) for stage, each in enumerate(versions, 1)]
            self.conflicts[patch.new] = sides[is_new:]
        return objects.get(result.oid).data

    def _before(self, path: str) -> _File:
        if path in self._files:
            file = self._files[path]
            if not file.mode:
                raise _fault(f"path {path} has been renamed/deleted")
            return file
        found = self._target.read(path)
        if found is None:
            inside = self._target.cached or self._target.index
            raise _fault(
                f"{path}: does not exist in index" if inside else f"{path}: No such file or directory"
            )
        return found

    def _patched(self, patch: FilePatch, path: str, data: bytes) -> bytes:
        if patch.binary is not None:
            repository = self._target.repository
            objects = None if repository is None else repository.objects
            return patch.binary.result(objects, self._target.call.access, path, data)
        self._target.call.ctx.budget.check_fits(data.count(b"\n") * 80)
        lines = split_lines(data)
        patched = [False] * len(lines)
        charge = self._target.call.access.charge
        call = self._target.call
        for number, hunk in enumerate(patch.hunks, 1):
            at = place_of(lines, patched, hunk, is_loose=self._is_loose, charge=charge)
            if at < 0 and self._is_verbose:
                text = b"".join(hunk.side(b"-")).decode("utf-8", "surrogateescape")
                call.error(f"error: while searching for:\n{text}")
            if at < 0:
                raise _fault(f"patch failed: {path}:{hunk.old}\nerror: {path}: patch does not apply")
            offset = at - max(0, hunk.new - 1)
            if offset and self._is_verbose:
                shown = -offset if self._is_reversed else offset
                size = f"{shown} line{'' if shown == 1 else 's'}"
                call.error(f"Hunk #{number} succeeded at {at + 1} (offset {size}).")
            made = hunk.side(b"+")
            end = at + len(hunk.side(b"-"))
            charge(1 + (len(lines) >> 4))
            lines[at:end] = made
            patched[at:end] = [True] * len(made)
        return b"".join(lines)

    def tree(self) -> str:
        """Return the tree of the index with the patches, in place of writing them."""
        self._write_files()
        return self._target.tree()

    def _write_files(self) -> None:
        for path, file in sorted(self._files.items(), key=lambda each: bool(each[1].mode)):
            self._target.write(path, file)

    def write(self) -> None:
        """Write all files."""
        self._write_files()
        for path, stages in sorted(self.conflicts.items()):
            self._target.conflict(path, stages)
        self._target.end()


def _fault(text: str) -> GitError:
    return GitError(text, prefix="error", status=1)


def _check_path(path: str) -> None:
    """Raise GitError for a path that leads outside, or into .git."""
    parts = path.split("/")
    if path and (
        path.startswith("/") or any(part in ("", ".", "..") or part.lower() == ".git" for part in parts)
    ):
        raise GitError(f"invalid path '{path}'", prefix="error")
