"""What a command name means: function, built-in, utility, or a script in the file system.

Nothing here reaches the host. A name with a slash is a file of the virtual file system, or,
for /bin and /usr/bin, the utility that would live there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from sandhook.record import Record
from sandhook.state.assignment import Assigned
from sandhook.state.state import State
from sandhook.vfs.path import join

Argument: TypeAlias = "str | Assigned"
Builtin: TypeAlias = Callable[[State, Sequence[Argument]], int]

#: Names that start a nested shell.
SHELLS = frozenset({"bash", "sh", "dash"})

DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"

_STANDARD = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/")


class Commands:
    """The commands that a shell has; made once and shared by all shells with the same set.

    Attributes:
        names: Every name that ``type`` calls a shell builtin, the utilities among them too.
        special: POSIX special built-ins.
        declarations: Built-ins whose arguments may be assignments.
        keywords: Reserved words.
        loaded: The functions of the built-ins that were used so far; None for a utility.
        utilities: Name to module of every utility.
        test: Evaluates an expression of ``test`` for ``[[``.
    """

    __slots__ = ("_load", "declarations", "keywords", "loaded", "names", "special", "test", "utilities")

    def __init__(
        self,
        load: Callable[[str], Builtin | None],
        utilities: Mapping[str, Any],
        *,
        test: Callable[[State, list[str]], bool],
        names: frozenset[str],
        special: frozenset[str],
        declarations: frozenset[str],
        keywords: Sequence[str],
    ) -> None:
        self._load = load
        self.loaded: dict[str, Builtin | None] = {}
        self.utilities = utilities
        self.test = test
        self.names = names
        self.special = special
        self.declarations = declarations
        self.keywords = keywords

    def builtin(self, name: str) -> Builtin | None:
        """Return the function of a built-in, None when the name is none; loaded when first used."""
        try:
            return self.loaded[name]
        except KeyError:
            found = self._load(name)
            if name in self.names:
                self.loaded[name] = found
            return found


class Found(Record):
    """One meaning of a name, as ``type -a`` lists them.

    Fields:
        kind: "alias", "keyword", "function", "builtin" or "file".
        text: The alias's value, or the path.
        special: A POSIX special built-in.
    """

    kind: str
    text: str = ""
    special: bool = False


def is_external(state: State, argv: Sequence[Argument]) -> bool:
    """Tell whether a command runs as a process of its own: it is neither function nor built-in."""
    name = argv[0]
    if name in state.functions:
        return False
    at = 0
    while name == "command":  # it steps aside before anything is run, unless it only describes
        at += 1
        while at < len(argv) and argv[at] in ("-p", "--"):
            at += 1
        if at == len(argv):
            return False
        name = argv[at]
    return name not in state.shell.commands.names or name in state.extra.get("disabled", ())


def is_executable(state: State, path: str) -> bool:
    """Tell whether a virtual path names a regular file that may be executed."""
    fs = state.process.kernel.fs
    absolute = join(state.process.cwd, path)
    try:
        return fs.stat(absolute).mode & 0o170000 == 0o100000 and fs.access(absolute, 1)
    except OSError:
        return False


def search_path(state: State, name: str, path: str | None = None) -> Iterator[str]:
    """Yield the executable files called ``name`` in PATH, utilities included, in order."""
    if "/" in name:
        if is_executable(state, name) or utility_at(state, name):
            yield name
        return
    directories = path if path is not None else state.get("PATH")
    if directories is None:
        return
    for directory in directories.split(":"):
        candidate = f"{directory or '.'}/{name}" if directory != "/" else f"/{name}"
        if is_executable(state, candidate) or utility_at(state, candidate):
            yield candidate


def utility_at(state: State, path: str) -> str | None:
    """Return the utility or shell that a standard path stands for, such as /usr/bin/env."""
    for directory in _STANDARD[:2]:
        if path.startswith(directory):
            name = path[len(directory) :]
            if name in state.shell.commands.utilities or name in SHELLS:
                return name
    return None


def find(state: State, name: str) -> list[Found]:
    """Return all meanings of ``name``, the one that would be used first."""
    found: list[Found] = []
    if name in state.aliases and "expand_aliases" in state.options.shopts:
        found.append(Found("alias", state.aliases[name]))
    commands = state.shell.commands
    if name in commands.keywords:
        found.append(Found("keyword"))
    if name in state.functions:
        found.append(Found("function"))
    if name in commands.names and name not in state.extra.get("disabled", ()):
        found.append(Found("builtin", special=name in commands.special))
    found.extend(Found("file", path) for path in search_path(state, name))
    return found
