"""What a vetting knows of a shell at one place of a script."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence

from sandhook.syntax.nodes import Node
from sandhook.vetting.values import EMPTY, HOLE, UNKNOWN, Origin, Value, concatenated, joined, known

#: What variables of the agent stand for, in the notation of manifests.
_PLACES: Mapping[str, str] = {
    "HOME": "~",
    "PWD": ".",
    "TMPDIR": "/tmp",
    "XDG_CONFIG_HOME": "~/.config",
    "XDG_CACHE_HOME": "~/.cache",
    "XDG_DATA_HOME": "~/.local/share",
    "IFS": " \t\n",
    "BASH": "/bin/bash",
    "SHELL": "/bin/bash",
}

#: Variables with the project's directory.
PROJECT = frozenset(
    [
        "CLAUDE_PROJECT_DIR",
        "CRUSH_PROJECT_DIR",
        "CRUSH_CWD",
        "JCODE_CWD",
        "GEMINI_PROJECT_DIR",
        "GEMINI_CWD",
        "CURSOR_PROJECT_DIR",
        "WORKSPACE",
        "QWEN_PROJECT_DIR",
        "GROK_WORKSPACE_ROOT",
        "COPILOT_PROJECT_DIR",
        "FACTORY_PROJECT_DIR",
        "DROID_PROJECT_DIR",
        "OPENHANDS_PROJECT_DIR",
    ]
)

#: Variables with the bundle's directory.
BUNDLE = frozenset({"CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT", "EXTENSION_PATH", "GEMINI_EXTENSION_PATH"})

#: The project's directory in the sandbox, which some hooks name.
_SANDBOX = "/workspace"

#: Variables by which a script may decide at random, by the time, or by the machine that it runs on.
_CHANCE = frozenset(
    {"RANDOM", "SRANDOM", "SECONDS", "EPOCHSECONDS", "EPOCHREALTIME", "CI", "GITHUB_ACTIONS", "UID", "EUID"}
)

#: A variable that names the file from which Claude Code takes variables for later commands.
ENV_FILE = "CLAUDE_ENV_FILE"
ENV_FILE_PATH = "$CLAUDE_ENV_FILE"


def from_environment(name: str) -> Value:
    """Return the value of a variable that the script does not set, as far as agents define it."""
    if name in _PLACES:
        return known(_PLACES[name])
    if name in PROJECT or name in BUNDLE:
        return known(".")
    if name == ENV_FILE:
        return known(ENV_FILE_PATH)
    return UNKNOWN


#: The most lists of elements of one array that are followed each.
MAX_LISTS = 4

#: What the standard input of a hook has.
PAYLOAD = Value((HOLE,), frozenset({Origin("payload")}))


class ShellState:
    """One shell.

    Attributes:
        variables: Values of scalars, by name.
        arrays: Values of the elements of arrays.
        others: All lists of elements that an array may have, where paths gave it several.
        declared: Names that the script declares, or assigns in a way that is not followed.
        references: The names that references (``declare -n``) stand for.
        positional: The positional parameters; None when their number is not known.
        zero: ``$0``.
        directory: The working directory: "." is that of the project.
        functions: Bodies of functions.
        stdin: What standard input has.
        tests: "open" and "closed", as tests of the payload decided that the present command runs; see ``tests``.
        conditional: Whether the present command runs depends on something.
        written: Paths that the script wrote, and what.
        made: Directories that the script made.
    """

    __slots__ = (
        "arrays", "conditional", "declared", "directory", "functions", "made", "others", "positional", "references", "stdin", "tests", "variables",
        "written", "zero",
    )  # fmt: skip

    def __init__(self, stdin: Value, zero: str) -> None:
        self.variables: dict[str, Value] = {}
        self.arrays: dict[str, tuple[Value, ...]] = {}
        self.others: dict[str, tuple[tuple[Value, ...], ...]] = {}
        self.declared: frozenset[str] = frozenset()
        self.references: dict[str, str] = {}
        self.positional: tuple[Value, ...] | None = ()
        self.zero = zero
        self.directory = known(".")
        self.functions: dict[str, Node] = {}
        self.stdin = stdin
        self.conditional = False
        self.tests: frozenset[str] = frozenset()
        self.written: dict[str, Value] = {}
        self.made: set[str] = set()

    def copy(self) -> ShellState:
        other = ShellState(self.stdin, self.zero)
        other.variables, other.arrays = dict(self.variables), dict(self.arrays)
        other.others, other.references = dict(self.others), dict(self.references)
        other.positional, other.directory = self.positional, self.directory
        other.declared, other.tests = self.declared, self.tests
        other.functions, other.conditional = dict(self.functions), self.conditional
        other.written, other.made = self.written, self.made  # files are of all shells
        return other

    def branch(self) -> ShellState:
        """Return a copy for commands that may not run."""
        other = self.copy()
        other.conditional = True
        return other

    def become(self, other: ShellState) -> None:
        """Continue as another state."""
        self.variables, self.arrays = other.variables, other.arrays
        self.positional, self.directory = other.positional, other.directory
        self.functions = other.functions
        self.others, self.references = other.others, other.references
        self.declared, self.tests = other.declared, other.tests

    def join(self, other: ShellState) -> None:
        """Continue as either of two states."""
        for name in self.variables.keys() | other.variables.keys():
            here, there = self.variables.get(name), other.variables.get(name)
            if here != there:
                outer = from_environment(name)
                self.variables[name] = joined((here or outer, there or outer))
        for name, elements in other.arrays.items():
            mine = self.others.get(name) or (self.arrays.get(name, elements),)
            lists = tuple(dict.fromkeys((*mine, *other.others.get(name, (elements,)))))
            self.arrays.setdefault(name, elements)
            if len(lists) > MAX_LISTS:
                self.arrays[name] = (joined([element for each in lists for element in each]),)
                self.others.pop(name, None)
            elif len(lists) > 1:
                self.others[name] = lists
        self.references |= other.references
        self.declared |= other.declared
        self.tests |= other.tests
        if self.positional != other.positional:
            self.positional = None
        if self.directory != other.directory:
            self.directory = joined((self.directory, other.directory))
        self.functions.update(other.functions)

    def target(self, name: str) -> str:
        """Return the name that a name stands for, which is another one for a reference."""
        for _ in range(len(self.references)):
            name = self.references.get(name, name)
        return name

    def set_elements(self, name: str, elements: Sequence[Value], *, append: bool = False) -> None:
        """Assign an array, or append to it."""
        name = self.target(name)
        if append and name in self.others:
            self.others[name] = tuple((*each, *elements) for each in self.others[name])
        else:
            self.others.pop(name, None)
        self.arrays[name] = (*self.arrays.get(name, ()), *elements) if append else tuple(elements)

    def with_elements(self, name: str, elements: tuple[Value, ...]) -> ShellState:
        """Return a copy in which an array has one of the lists of elements that it may have."""
        other = self.branch()
        other.set_elements(name, elements)
        return other

    def value(self, name: str) -> Value:
        """Return the value of a parameter."""
        name = self.target(name)
        if name in ("0", "BASH_SOURCE"):
            return known(self.zero)
        if name == "PWD" or name == "OLDPWD":
            return self.directory
        if name.isdecimal():
            if self.positional is None:
                return UNKNOWN
            at = int(name) - 1
            return self.positional[at] if at < len(self.positional) else EMPTY
        if name in ("@", "*"):
            return UNKNOWN if self.positional is None else joined_by_blanks(self.positional)
        if name == "PPID":
            return Value((HOLE,), frozenset({Origin("mixed", "PPID")}))
        if name in ("?", "#", "$", "!", "-", "_"):
            return UNKNOWN
        if name in _CHANCE and name not in self.variables:
            return Value((HOLE,), frozenset({Origin("when", name)}))
        if name in self.variables:
            return self.variables[name]
        if name in self.arrays:
            return self.arrays[name][0] if self.arrays[name] else EMPTY
        return from_environment(name)

    def store(self, path: str, content: Value, *, append: bool = False) -> None:
        """Keep what a file has now: after what it had, or on one of the paths through a script."""
        before = self.written.get(path)
        if before is not None and append:
            content = concatenated((before, content))
        elif before is not None and self.conditional:
            content = joined((before, content))
        self.written[path] = content

    def path(self, text: str) -> str:
        """Return a path from the working directory, in the notation of manifests: "~/x", "./x" or "/x"."""
        return normal(text, self.directory.any_text)


def joined_by_blanks(values: tuple[Value, ...]) -> Value:
    """Return values as one text."""
    parts: list[Value] = []
    for value in values:
        parts += [known(" "), value] if parts else [value]
    return concatenated(parts) if parts else EMPTY


def normal(text: str, directory: str = ".") -> str:
    """Return a path in the notation of manifests."""
    if text.startswith(("/", "~", "$", HOLE)):
        whole = text
    else:
        whole = f"{directory.rstrip('/') or '/'}/{text}" if directory != "." else text
    clean = posixpath.normpath(whole) if whole else whole
    if clean.startswith("//"):
        clean = clean[1:]
    if clean == _SANDBOX or clean.startswith(f"{_SANDBOX}/"):
        return f".{clean[len(_SANDBOX) :]}"
    if clean in (".", "..") or clean.startswith(("/", "~", "$", "../", HOLE)):
        return clean
    return f"./{clean}"
