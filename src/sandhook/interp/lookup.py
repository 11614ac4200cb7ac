"""Looks up command names: function, built-in, utility, or a script in the file system.

Nothing here reaches the host. A name with a slash is a file of the virtual file system, or,
for /bin and /usr/bin, the utility of that name. Only host mode searches the host
(``State.programs``).
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Mapping, Sequence

from sandhook.kernel.failure import CommandFailure
from sandhook.limits import timed_items
from sandhook.record import Record
from sandhook.state.assigned import Argument
from sandhook.state.state import Hashed, State
from sandhook.state.values import held
from sandhook.typed import TYPE_CHECKING, Literal, TypeAlias
from sandhook.vfs.base import FileSystem, lacks_of
from sandhook.vfs.errors import NameMissing, error_text, fs_error
from sandhook.vfs.names import MAX_LINKS
from sandhook.vfs.path import VirtualPath, join

if TYPE_CHECKING:
    from sandhook.command.utility import Utility

Builtin: TypeAlias = Callable[[State, Sequence[Argument]], int]

#: Returns a faster form of a built-in, for its name, its first words and whether these are all its words.
Prepare: TypeAlias = Callable[[str, "tuple[str, ...]", bool], "Builtin | None"]

#: POSIX's exit statuses of commands that cannot be run.
NOT_FOUND, NOT_EXECUTABLE = 127, 126

#: Calls of a script's own commands: none, or the one that ``exec`` counts.
_EXEC_CALLS = 1

#: Names that start a nested shell.
SHELLS = frozenset({"ash", "bash", "dash", "sh"})

#: The search path of a shell without PATH.
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"

#: The search path of ``command -p``: the output of ``getconf PATH``.
STANDARD_PATH = "/bin:/usr/bin"

#: A file, and the utility or shell at that path when the virtual file system has no file there.
Located: TypeAlias = "tuple[str, str | None]"

_STANDARD = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/")


class ExecError(Exception):
    """execve fails for a file.

    Attributes:
        errno: The error number: ENOEXEC for text without a valid "#!" line.
        interpreter: The interpreter that the file names, None when the error is of the file itself.
        program: The file that cannot be run: the command, its interpreter, or an interpreter of that.
    """

    def __init__(self, code: int, interpreter: str | None = None, program: str = "") -> None:
        super().__init__(code)
        self.errno = code
        self.interpreter = interpreter
        self.program = program

    @property
    def status(self) -> int:
        """The exit status of the command: 127 when a file is missing, else 126."""
        return NOT_FOUND if self.errno == errno.ENOENT else NOT_EXECUTABLE

    @property
    def reason(self) -> str:
        """The text of the error number."""
        return error_text(fs_error(self.errno))


def not_started(state: State, status: int, message: str) -> int:
    """Write the message of a command that cannot be started, and record it; return the exit status."""
    state.shell.write_error(state, f"{message}\n")
    state.process.kernel.failure = CommandFailure(status, message, outermost=state.calls <= _EXEC_CALLS)
    return status


class Commands:
    """The commands of a shell; all shells with the same commands share one object.

    Attributes:
        names: Every name that ``type`` calls a shell builtin, including those that are utilities here.
        special: POSIX special built-ins.
        declarations: Built-ins whose arguments may be assignments.
        keywords: Reserved words.
        prepare: Returns a faster form of a built-in for constant words, None when there is no such form.
        loaded: The functions of the built-ins that were used so far; None for a utility.
        utilities: Every utility by its name.
        test: Evaluates an expression of ``test`` for ``[[``.
    """

    __slots__ = (
        "_load", "declarations", "keywords", "loaded", "names", "prepare", "special", "test", "utilities"
    )  # fmt: skip

    def __init__(
        self,
        load: Callable[[str], Builtin | None],
        utilities: Mapping[str, Utility],
        *,
        prepare: Prepare,
        test: Callable[[State, list[str]], bool],
        names: frozenset[str],
        special: frozenset[str],
        declarations: frozenset[str],
        keywords: Sequence[str],
    ) -> None:
        self._load = load
        self.loaded: dict[str, Builtin | None] = {}
        self.utilities = utilities
        self.prepare = prepare
        self.test = test
        self.names = names
        self.special = special
        self.declarations = declarations
        self.keywords = keywords

    def builtin(self, name: str) -> Builtin | None:
        """Return the function of a built-in, None for other names; it is loaded on first use."""
        try:
            return self.loaded[name]
        except KeyError:
            function = self._load(name)
            if name in self.names:
                self.loaded[name] = function
            return function


#: What a name can be, in the words of ``type -t``.
MeaningKind: TypeAlias = Literal["alias", "keyword", "function", "builtin", "file"]


class Meaning(Record):
    """One meaning of a name, as ``type -a`` lists them.

    Fields:
        kind: What the name is.
        text: The value of the alias, or the path.
        special: A POSIX special built-in.
        hashed: The path is from the hash table.
    """

    kind: MeaningKind
    text: str = ""
    special: bool = False
    hashed: bool = False


def is_external(state: State, argv: Sequence[Argument]) -> bool:
    """Return True if a command runs as a process of its own: it is neither function nor built-in."""
    name = argv[0]
    if name in state.functions:
        return False
    index = 0
    while name == "command":  # it runs its operand, unless -v or -V follows
        index += 1
        while index < len(argv) and argv[index] in ("-p", "--"):
            index += 1
        if index == len(argv):
            return False
        name = argv[index]
    return name not in state.shell.commands.names or name in state.disabled_builtins


def is_executable(state: State, path: str) -> bool:
    """Return True if a virtual path names a regular file that may be executed."""
    fs = state.process.kernel.fs
    absolute = join(state.process.cwd, path)
    try:
        return fs.stat(absolute).mode & 0o170000 == 0o100000 and fs.access(absolute, 1)
    except OSError:
        return False


def _is_readable(state: State, path: str) -> bool:
    fs = state.process.kernel.fs
    absolute = join(state.process.cwd, path)
    try:
        return fs.stat(absolute).mode & 0o170000 == 0o100000 and fs.access(absolute, 4)
    except OSError:
        return False


def may_run(state: State, path: str) -> bool:
    """Return True if permissions allow a file to be run; the dispatcher of a host may not require any."""
    programs = state.programs
    if programs is not None:
        return programs.may_run(state, path)
    if state.process.kernel.settings.dispatches_scripts:
        return _is_readable(state, path)
    return is_executable(state, path)


def search_path(state: State, name: str, path: str | None = None) -> Iterator[str]:
    """Yield the executable files called ``name`` in PATH, utilities included, in order."""
    if "/" in name:
        if at(state, name) is not None:
            yield name
        return
    programs = state.programs
    if programs is not None:
        yield from programs.files(state, name, path if path is not None else state.get("PATH"))
        return
    for candidate in candidates(path if path is not None else state.get("PATH"), name):
        if at(state, candidate) is not None:
            yield candidate


def candidates(path: str | None, name: str) -> Iterator[str]:
    """Yield the paths of a name along PATH; an empty element is the working directory."""
    if path:
        for directory in timed_items(path.split(":")):
            yield f"{directory.rstrip('/') if directory else '.'}/{name}"


def search(state: State, name: str, path: str | None) -> Located | None:
    """Look a name up in PATH: the first executable file, else the first that is not a directory.

    Without a PATH the name itself is the file, as in bash.
    """
    if not path:
        return (name, None) if name else None
    programs = state.programs
    if programs is not None:
        return programs.search(state, name, path)
    if not name:
        return None
    fs = state.process.kernel.fs
    lacks = lacks_of(fs)
    located: Located | None
    for candidate in candidates(path, name):
        if lacks is not None and candidate[0] == "/" and lacks(candidate):
            utility = _standard_name(state, candidate)
            located = None if utility is None else (candidate, utility)
        else:
            located = at(state, candidate)
        if located is not None:
            return located
    for candidate in candidates(path, name):
        absolute = join(state.process.cwd, candidate)
        if fs.exists(absolute) and not fs.is_dir(absolute):
            return candidate, None
    return None


def hash_table(state: State) -> dict[str, Hashed]:
    """Return the hash table of commands; a change of PATH clears it."""
    path = state.get("PATH")
    if path != state.hash_path:
        state.hash_path = path
        state.hashed = {}
    return state.hashed


def hash_entry(state: State, file: str) -> Hashed:
    """Return the entry of a file for the hash table; bash stores a file even if it cannot be executed."""
    located = at(state, file)
    return held(file, state.budget), 0, None if located is None else located[1]


def remember(state: State, name: str, entry: Hashed) -> None:
    """Store a command in the hash table. After the first entry, `hash -d` reports unknown names."""
    hash_table(state)[held(name, state.budget)] = entry
    if not state.memo.hash_used:
        state.memo = state.memo._replace(hash_used=True)


def hashed_file(state: State, name: str) -> Located | None:
    """Return a command's entry in the hash table, and count the lookup."""
    if not state.hashed:
        return None
    entry = hash_table(state).get(name)
    if entry is None:
        return None
    file, hits, utility = entry
    state.hashed[name] = (file, hits + 1, utility)
    if file[:1] != "/" and file[:2] != "./" and is_executable(state, f"./{file}"):
        return f"./{file}", utility
    return file, utility


def locate(state: State, name: str, path: str | None) -> Located | None:
    """Return the file of a command name, from the hash table, or along PATH; the result is stored in the table."""
    hashing = "hashall" in state.options.enabled
    if hashing:
        hashed = hashed_file(state, name)
        if hashed is not None and (
            hashed[1] is not None
            or "checkhash" not in state.options.shopts
            or is_executable(state, hashed[0])
        ):
            return hashed
    located = search(state, name, path)
    if located is not None and hashing and path:
        file, utility = located
        remember(state, name, (file, 1, utility))
    return located


def at(state: State, path: str) -> Located | None:
    """Return the executable file of the script at a path, else the utility that the path stands for, else None."""
    fs = state.process.kernel.fs
    absolute = join(state.process.cwd, path)
    try:
        if fs.stat(absolute).mode & 0o170000 == 0o100000 and fs.access(absolute, 1):
            return path, None
        utility = utility_at(state, path)
    except NameMissing:  # the usual result of a search along PATH: no link leads elsewhere
        utility = _standard_name(state, absolute)
    except OSError:
        utility = utility_at(state, path)
    return None if utility is None else (path, utility)


def utility_at(state: State, path: str) -> str | None:
    """Return the utility or shell of a path: /usr/bin/env, ../../bin/env, or a link to it; None for others."""
    name = _standard_name(state, path)
    if name is None and "/" in path:
        absolute = join(state.process.cwd, path)
        target = _without_links(state.process.kernel.fs, absolute)
        if target != path:
            name = _standard_name(state, target)
    return name


def _without_links(fs: FileSystem, path: VirtualPath) -> VirtualPath:
    """Resolve the links of an absolute path; the file of a utility need not exist."""
    try:
        for _ in range(MAX_LINKS):
            parent, _, name = path.rpartition("/")  # every search along PATH comes here
            directory = fs.realpath(VirtualPath(parent or "/"))
            if directory != parent:
                path = join(directory, name)
            path = join(directory, fs.readlink(path))
    except OSError:  # the last component is not a link, or a directory is missing
        pass
    return path


def _standard_name(state: State, path: str) -> str | None:
    for directory in _STANDARD[:2]:
        if path.startswith(directory):
            name = path[len(directory) :]
            if name in SHELLS or name in state.shell.commands.utilities:
                return name
    return None


def find(state: State, name: str) -> list[Meaning]:
    """Return all meanings of ``name``, beginning with the one that runs."""
    matches: list[Meaning] = []
    if name in state.aliases and "expand_aliases" in state.options.shopts:
        matches.append(Meaning("alias", state.aliases[name]))
    commands = state.shell.commands
    if name in commands.keywords:
        matches.append(Meaning("keyword"))
    if name in state.functions:
        matches.append(Meaning("function"))
    if name in commands.names and name not in state.disabled_builtins:
        matches.append(Meaning("builtin", special=name in commands.special))
    matches.extend(Meaning("file", path) for path in search_path(state, name))
    return matches
