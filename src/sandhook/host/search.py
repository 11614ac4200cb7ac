"""Looks commands up in PATH, as a shell on this machine does: programs of the machine and sandhook's utilities."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, TypeAlias

from sandhook.dispatch.plan import is_path
from sandhook.host.files import WINDOWS, HostFileSystem, HostHandle
from sandhook.interp import lookup
from sandhook.vfs.path import VirtualPath, join

if TYPE_CHECKING:
    from sandhook.state.state import State

#: Which of two commands of one name runs: the machine's or sandhook's.
Preference: TypeAlias = Literal["machine", "own"]

#: The extensions that Windows tries after a name when PATHEXT is not set.
_PATHEXT = ".COM;.EXE;.BAT;.CMD"


class PathSearch:
    """The commands of one run.

    Args:
        fs: The machine's files.
        prefer: Which command runs if the machine and sandhook have one of the same name.
        executable_bit: A script needs permission to be executed, not only to be read.
    """

    __slots__ = ("_executable_bit", "_fs", "_prefer")

    def __init__(self, fs: HostFileSystem, prefer: Preference, *, executable_bit: bool) -> None:
        self._fs = fs
        self._prefer = prefer
        self._executable_bit = executable_bit

    def search(self, state: State, name: str, path: str | None) -> lookup.Located | None:
        """Look a name without slash up in PATH; return the file, and the name of sandhook's utility if it is one."""
        if is_path(name, WINDOWS):
            exists = any(self._runs_by_name(state, each) for each in _with_extensions(name))
            return (name, None) if exists else None
        fallback: str | None = None
        for candidate, utility in self._candidates(state, name, path):
            if utility is not None:
                return candidate, utility
            if self._runs_by_name(state, candidate):
                return candidate, None
            if fallback is None:
                fallback = candidate if self._is_file(state, candidate) else None
        return None if fallback is None else (fallback, None)

    def _is_file(self, state: State, path: str) -> bool:
        absolute = join(state.process.cwd, path)
        return self._fs.exists(absolute) and not self._fs.is_dir(absolute)

    def files(self, state: State, name: str, path: str | None) -> Iterator[str]:
        """Yield every file that ``search`` could return, in order."""
        if is_path(name, WINDOWS):
            if self._runs_by_name(state, name):
                yield name
            return
        for candidate, utility in self._candidates(state, name, path):
            if utility is not None or self._runs_by_name(state, candidate):
                yield candidate

    def programs(self, state: State, name: str) -> Iterator[str]:
        """Yield the files in a shell's PATH that a name can run, without sandhook's utilities."""
        for candidate in _on_path(name, state.get("PATH")):
            if self._runs_by_name(state, candidate):
                yield candidate

    def may_run(self, state: State, path: str) -> bool:
        """Return True if the permissions of a file allow to run it, or to read it where that is enough.

        Where it depends on the form of the name (``interp.script_files``), the plan of the run decides.
        """
        if self._executable_bit and not state.process.kernel.settings.dispatches_scripts:
            return lookup.is_executable(state, path)
        absolute = join(state.process.cwd, path)
        return self._fs.exists(absolute) and not self._fs.is_dir(absolute)

    def _candidates(self, state: State, name: str, path: str | None) -> Iterator[lookup.Located]:
        """Yield the possible files of a name in order of precedence, each with sandhook's utility of that path.

        Sandhook's utilities are in the directories where a machine has its own. Windows has no such
        directories, so its utilities come after all of PATH.
        """
        is_own = name in state.shell.commands.utilities or name in lookup.SHELLS
        own_first = is_own and self._prefer == "own"
        if own_first and WINDOWS:
            yield f"/usr/bin/{name}", name
        for candidate in _on_path(name, path):
            utility = lookup.utility_at(state, candidate) if own_first else None
            yield candidate, utility
        if not is_own or own_first:
            return
        for candidate in lookup.candidates(path, name):
            if lookup.utility_at(state, candidate) is not None and not self._runs_by_name(state, candidate):
                yield candidate, name
        if WINDOWS:
            yield f"/usr/bin/{name}", name

    def _runs_by_name(self, state: State, candidate: str) -> bool:
        if not WINDOWS:
            return lookup.is_executable(state, candidate)
        path = join(state.process.cwd, candidate)
        if not self._fs.exists(path) or self._fs.is_dir(path):
            return False
        return "." in candidate.rpartition("/")[2] or self._head(path) in (b"#!", b"MZ")

    def _head(self, path: VirtualPath) -> bytes:
        """Return the first two bytes of a file, b"" for one that cannot be read."""
        try:
            handle = self._fs.open(path)
            if not isinstance(handle, HostHandle):
                return b""
            try:
                return handle.read_at(0, 2)
            finally:
                handle.close()
        except OSError:
            return b""


def _on_path(name: str, path: str | None) -> Iterator[str]:
    """Yield the files that a name may have in PATH: on Windows, also with each extension."""
    if not name:
        return
    for candidate in lookup.candidates(path, name):
        yield from _with_extensions(candidate)


def _with_extensions(path: str) -> Iterator[str]:
    """Yield a path; on Windows, unless it ends in an extension of PATHEXT, first the path with each of them."""
    if WINDOWS:
        extensions = (os.environ.get("PATHEXT") or _PATHEXT).lower().split(";")
        if os.path.splitext(path)[1].lower() not in extensions:  # noqa: PTH122
            yield from (path + extension for extension in extensions if extension)
    yield path  # on Windows also a script without extension
