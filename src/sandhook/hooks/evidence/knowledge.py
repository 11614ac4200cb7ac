"""What is known of one shell at one place of a script, and which paths its names stand for."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from sandhook.hooks.evidence.machine import Machine
from sandhook.syntax.nodes import Node

#: The value of PATH before a script changes it: the machine's own programs.
MACHINE_PATH = "/usr/bin:/bin"


#: Values of ``Knowledge.foreign``.
COMMAND_LINE, SHELL = 1, 2

#: What ``$0`` begins with in a shell that a program starts: there it is the path of a copy, next to other copies.
COPY = "/proc/approved-copy"


class Stream:
    """The source of an input descriptor: a file, a text, or unknown when both are None."""

    __slots__ = ("path", "text")

    def __init__(self, path: str | None = None, text: str | None = None) -> None:
        self.path = path
        self.text = text


class Knowledge:
    """What is known of one shell at one place of a script.

    Attributes:
        variables: Variables with a known value.
        positional: Its positional parameters; None when their number is not known.
        zero: ``$0``, or None.
        source: ``BASH_SOURCE``, or None.
        directories: The possible working directories, absolute.
        lost: The working directory may be another one, too.
        streams: Input descriptors that a redirection set.
        foreign: COMMAND_LINE for a command line that a program starts: it opens files by their names, except those
            that the line itself names. SHELL for a shell that a program starts: it opens all files by their names.
        functions: Bodies of functions by name.
        usual: Neither IFS nor an option of ``shopt`` was changed.
    """

    __slots__ = (
        "directories", "foreign", "functions", "lost", "positional", "source", "streams", "usual", "variables",
        "zero",
    )  # fmt: skip

    def __init__(self, directory: str, variables: dict[str, str]) -> None:
        self.variables = variables
        self.positional: tuple[str | None, ...] | None = ()
        self.zero: str | None = None
        self.source: str | None = None
        self.directories = [directory]
        self.lost = False
        self.streams: dict[int, Stream] = {}
        self.functions: dict[str, Node] = {}
        self.usual = True
        self.foreign = 0

    def copy(self) -> Knowledge:
        other = Knowledge("", dict(self.variables))
        other.positional, other.zero, other.source = self.positional, self.zero, self.source
        other.directories, other.lost, other.usual = list(self.directories), self.lost, self.usual
        other.foreign = self.foreign
        other.streams, other.functions = dict(self.streams), dict(self.functions)
        return other

    branch = copy

    def become(self, other: Knowledge) -> None:
        """Continue as another shell, with the streams of this one."""
        for name in self.__slots__:
            if name != "streams":
                setattr(self, name, getattr(other, name))

    def key(self) -> tuple[object, ...]:
        """Return a value that is equal for equal knowledge."""
        return (
            frozenset(self.variables.items()),
            frozenset((name, id(body)) for name, body in self.functions.items()),
            frozenset((number, stream.path, stream.text) for number, stream in self.streams.items()),
            tuple(self.directories),
            (self.positional, self.zero, self.source, self.lost, self.usual, self.foreign),
        )

    def join(self, other: Knowledge) -> None:
        """Keep what holds here and there: the script may come from either."""
        mine, theirs = self.variables, other.variables
        self.variables = {name: text for name, text in mine.items() if theirs.get(name) == text}
        self.directories = list(dict.fromkeys((*self.directories, *other.directories)))
        self.lost = self.lost or other.lost
        self.usual = self.usual and other.usual
        self.functions.update(other.functions)
        if self.positional != other.positional:
            self.positional = None

    def forget(self, names: Iterable[str] | None = None) -> None:
        """Forget variables; all of them, and the positional parameters, without names."""
        if names is None:
            self.variables.clear()
            self.positional = None
            return
        for name in names:
            self.variables.pop(name, None)

    @property
    def directory(self) -> str | None:
        """The working directory, when there is one possible."""
        return self.directories[0] if len(self.directories) == 1 and not self.lost else None


def absolute(path: str, directory: str) -> str:
    """Return a path as an absolute one.

    On Windows ``C:/x`` becomes /c/work/C:/x, as in our shell, and the machine reads the file ``C:/x``.
    """
    whole = path if path[:1] == "/" else f"{directory}/{path}"
    return posixpath.normpath(f"/{whole.lstrip('/')}")


def descriptor_of(word: str) -> int | None:
    """Return the number of a descriptor that a path names, or None."""
    if word == "/dev/stdin":
        return 0
    for prefix in ("/dev/fd/", "/proc/self/fd/"):
        if word.startswith(prefix) and word[len(prefix) :].isdecimal():
            return int(word[len(prefix) :])
    return None


def reachable(path: str, directory: str, machine: Machine) -> list[str]:
    """Return the absolute paths that a name may stand for.

    ``..`` after a link leads to the directory above the link's target. Where a shell of ours and the system could
    differ, both are returned. So are both where two slashes begin the name of a share on Windows.
    """
    lexical = absolute(path, directory)
    whole = path if path[:1] == "/" else f"{directory}/{path}"
    names = [f"/{lexical}", lexical] if is_share(whole) else [lexical]
    if "/.." not in f"/{path}":
        return names
    current = ""
    for part in whole.split("/"):
        if part == "..":
            current = posixpath.dirname(machine.resolve(current or "/"))
        elif part not in ("", "."):
            current = f"{current.rstrip('/')}/{part}"
    return list(dict.fromkeys((*names, current or "/")))


def is_share(path: str) -> bool:
    """Return True for a path that names a share on Windows; elsewhere two slashes are one."""
    return path[:2] == "//" and path[2:3] not in ("", "/")
