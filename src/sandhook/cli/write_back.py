"""``--write-back``: which changes of hooks are written to the directory, and how they are listed.

A change is reviewed like a patch of a stranger. What would run or be obeyed later is written only when it
is named: files of agents and of git, start-up files, new executable bits, links that lead out.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Sequence

from sandhook.vfs.changes import DELETED, Change
from sandhook.vfs.control_files import (
    folded,
    is_agent_file,
    is_build_file,
    is_dot_directory,
    is_hidden_file,
    is_setting_file,
    is_start_up_file,
    repository_files,
)

#: A directory that no agent knows, to ask where an agent looks for its files.
_SOMEWHERE = "/somewhere"
_HOME = "/nobody"


class Review:
    """The changes that may be written to one directory.

    Args:
        directory: The directory of the host.
        named: Paths below it that the caller named: each may be written, whatever it is.
    """

    def __init__(self, directory: str, named: Sequence[str] = ()) -> None:
        self._root = os.path.realpath(directory)
        self._extra_paths = {_relative(name) for name in named}
        self._agent_files = agent_files()

    def split(self, changes: Sequence[Change]) -> tuple[list[Change], list[tuple[Change, str]]]:
        """Return the changes to write, and those that are refused with the reason."""
        written: list[Change] = []
        refused: list[tuple[Change, str]] = []
        repositories = self._repository_files(changes)
        for change in changes:
            why = None if self._is_named(change) else self._refusal(change)
            if change.kind != DELETED and change.path in repositories and not (why or self._is_named(change)):
                why = "it makes its directory a repository of git, whose settings name programs"
            if why is None:
                written.append(change)
            else:
                refused.append((change, why))
        return written, refused

    def _repository_files(self, changes: Sequence[Change]) -> set[str]:
        """Return the changed files that belong to a repository of git without a directory ".git"."""
        by_directory: dict[str, set[str]] = {}
        for change in changes:
            if change.kind != DELETED:
                directory, _, name = change.path.rpartition("/")
                by_directory.setdefault(directory, set()).add(name)
        found: set[str] = set()
        for directory, names in by_directory.items():
            try:
                present = os.listdir(os.path.join(self._root, directory.strip("/")))  # noqa: PTH118, PTH208
            except OSError:
                present = []
            found.update(f"{directory}/{name}" for name in repository_files({*names, *present}))
        return found

    def unused(self, changes: Sequence[Change]) -> list[str]:
        """Return the named paths that no change has."""
        return sorted(self._extra_paths - {change.path.strip("/") for change in changes})

    def _is_named(self, change: Change) -> bool:
        """Return True for a named path; a directory that is needed for one is named with it."""
        path = change.path.strip("/")
        if path in self._extra_paths:
            return True
        needed = change.is_dir and change.kind != DELETED
        return needed and any(name.startswith(f"{path}/") for name in self._extra_paths)

    def _refusal(self, change: Change) -> str | None:
        parts = change.path.strip("/").split("/")
        for place, part in enumerate(parts):
            is_file = place == len(parts) - 1 and not (change.is_dir or change.is_link)
            if is_dot_directory(part) and (not is_file or folded(part) == ".git"):
                return f"{part} belongs to a tool, which may execute what is in it"
        if folded(parts[-1]) in self._agent_files:
            return "agents read their hooks from files of this name"
        if is_agent_file(parts[-1]):
            return "agents read what they do from files of this name"
        if is_start_up_file(parts[-1]):
            return "programs read files of this name when they start"
        if is_hidden_file(parts[-1]) and not change.is_dir:
            return "hidden files are the settings of tools, which may execute what is in them"
        if (is_build_file(parts[-1]) or is_setting_file(parts[-1])) and not change.is_dir:
            return "build tools and test runners execute what files of this name say"
        if change.kind == DELETED:
            return None
        if not (change.is_link or change.is_dir or change.is_file):
            return "it is neither a file nor a directory nor a link"
        if change.is_link:
            return self._link_refusal(parts, link_target(change))
        if os.name == "nt":
            return None  # there are no such bits
        if change.is_file and change.mode & 0o111 and not self._is_executable(change.path):
            return "it becomes executable"
        return None

    def _link_refusal(self, parts: list[str], target: str) -> str | None:
        steps = [step for step in target.split("/") if step not in ("", ".")]
        ups = next((place for place, step in enumerate(steps) if step != ".."), len(steps))
        if target[:1] in ("/", "\\") or target[1:2] == ":" or ups >= len(parts) or ".." in steps[ups:]:
            return "the link may lead out of the directory"
        if any(is_dot_directory(step) for step in steps):
            return "the link leads to a directory that belongs to a tool"
        place = os.path.realpath(os.path.join(self._root, *parts[:-1], target))  # noqa: PTH118
        if place != self._root and not place.startswith(self._root.rstrip(os.sep) + os.sep):
            return "the link leads out of the directory"
        return None

    def _is_executable(self, path: str) -> bool:
        try:
            mode = os.lstat(os.path.join(self._root, path.strip("/"))).st_mode  # noqa: PTH118
        except OSError:
            return False
        return stat.S_ISREG(mode) and bool(mode & 0o111)


def agent_files() -> frozenset[str]:
    """Return the names of files in a project's or a user's own directory that some agent reads hooks from."""
    from sandhook.hooks import contracts

    names = set()
    for name in contracts.names():
        env = {"HOME": _HOME, "USERPROFILE": _HOME}  # a workspace may be the home directory
        for layer in contracts.get(name).layers(_SOMEWHERE, env, sys.platform):
            directory, _, file = layer.path.replace("\\", "/").rpartition("/")
            if directory in (_SOMEWHERE, _HOME):  # dot-directories are refused as such
                names.add(folded(file))
    return frozenset(names)


def link_target(change: Change) -> str:
    """Return where a link leads, as it is written."""
    return change.content().decode("utf-8", "surrogateescape")


def change_line(change: Change) -> str:
    """Return a line of the listing: what happened, the path, its mode or the target of the link."""
    line = f"{change.kind}: /workspace{change.path}"
    if change.kind == DELETED:
        return line
    if change.is_link:
        return f"{line} -> {link_target(change)}"
    return f"{line} ({stat.filemode(change.mode)})"


def report_refused(refused: Sequence[tuple[Change, str]], report: Callable[[str], None]) -> None:
    """List the changes that were not written, and how to write them."""
    for change, why in refused:
        path = change.path.strip("/")
        report(f"not written: /workspace{change.path}: {why}; --write-back-also {path} writes it")


def _relative(name: str) -> str:
    name = name.replace(os.sep, "/").removeprefix("/workspace/")
    return "/".join(part for part in name.split("/") if part not in ("", "."))
