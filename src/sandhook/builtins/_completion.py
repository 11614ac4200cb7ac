"""Completion specifications: what complete stores and compgen carries out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from sandhook.builtins._base import USAGE_STATUS, Fault, Given, runtime
from sandhook.builtins._quote import single_quote
from sandhook.builtins._variables import expand_names
from sandhook.kernel.signals import NAMES
from sandhook.state.options import SET_OPTIONS, SHOPT_OPTIONS
from sandhook.state.state import State
from sandhook.state.values import EXPORT, AssociativeArray, IndexedArray
from sandhook.vfs.path import join

#: Action letters and their long names.
LETTERS = {
    "a": "alias", "b": "builtin", "c": "command", "d": "directory", "e": "export", "f": "file",
    "g": "group", "j": "job", "k": "keyword", "s": "service", "u": "user", "v": "variable",
}  # fmt: skip
OPTIONS = frozenset({
    "bashdefault", "default", "dirnames", "filenames", "noquote", "nosort", "nospace", "plusdirs",
})  # fmt: skip
OTHER_ACTIONS = frozenset({
    "arrayvar", "binding", "disabled", "enabled", "function", "helptopic", "hostname", "running",
    "setopt", "shopt", "signal", "stopped",
})  # fmt: skip
GETOPT = "abcdefgjksuvo:A:G:W:F:C:X:P:S:"


@dataclass(slots=True)
class Specification:
    """What the options of complete or compgen ask for."""

    options: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)  #: letter to argument: G W F C X P S

    def add(self, given: Given) -> None:
        """Take one option. Raises Fault for an unknown action or option name."""
        letter, argument, _ = given
        if letter == "o":
            if argument not in OPTIONS:
                raise Fault(f"{argument}: invalid option name", USAGE_STATUS)
            self.options.append(argument)
        elif letter == "A":
            if argument not in LETTERS.values() and argument not in OTHER_ACTIONS:
                raise Fault(f"{argument}: invalid action name", USAGE_STATUS)
            self.actions.append(argument)
        elif letter in LETTERS:
            self.actions.append(LETTERS[letter])
        else:
            self.texts[letter] = argument

    def text(self) -> str:
        """Return the options as ``complete -p`` prints them, each with a blank after it."""
        pieces = [f"-o {name} " for name in self.options]
        pieces += [f"-{letter} " for letter, name in LETTERS.items() if name in self.actions]
        pieces += [f"-A {name} " for name in sorted(OTHER_ACTIONS & set(self.actions))]
        for letter in "GWPSXCF":
            if letter in self.texts:
                argument = self.texts[letter]
                pieces.append(f"-{letter} {argument if letter == 'F' else single_quote(argument)} ")
        return "".join(pieces)


def candidates(state: State, action: str, word: str) -> Iterable[str]:
    """Return all names of one kind, not yet filtered by ``word`` (files are)."""
    if action in ("file", "directory"):
        return files(state, word, directories=action == "directory")
    return _SOURCES[action](state)


def _names_with(state: State, wanted: Callable[[str], bool]) -> list[str]:
    return [name for name in state.names() if wanted(name)]


def _commands(state: State) -> list[str]:
    commands = runtime(state).commands
    found = [*state.aliases, *commands.keywords, *state.functions, *commands.names, *commands.utilities]
    return sorted(set(found))


def _enabled(state: State, on: bool) -> list[str]:
    disabled: frozenset[str] = state.extra.get("disabled", frozenset())
    return [name for name in sorted(runtime(state).commands.names) if (name not in disabled) is on]


_SOURCES: dict[str, Callable[[State], Iterable[str]]] = {
    "alias": lambda state: sorted(state.aliases),
    "arrayvar": lambda state: _names_with(
        state, lambda name: isinstance(state.values.get(name), (IndexedArray, AssociativeArray))
    ),
    "binding": lambda state: (),
    "builtin": lambda state: sorted(runtime(state).commands.names),
    "command": _commands,
    "disabled": lambda state: _enabled(state, False),
    "enabled": lambda state: _enabled(state, True),
    "export": lambda state: _names_with(state, lambda name: bool(state.attributes.get(name, 0) & EXPORT)),
    "function": lambda state: sorted(state.functions),
    "group": lambda state: _accounts(state, "/etc/group"),
    "helptopic": lambda state: sorted(runtime(state).commands.names),
    "hostname": lambda state: (),
    "job": lambda state: _jobs(state),
    "keyword": lambda state: runtime(state).commands.keywords,
    "running": lambda state: _jobs(state),
    "service": lambda state: (),
    "setopt": lambda state: SET_OPTIONS,
    "shopt": lambda state: SHOPT_OPTIONS,
    "signal": lambda state: ["EXIT", *("SIG" + NAMES[number] for number in sorted(NAMES)), "DEBUG", "ERR", "RETURN"],
    "stopped": lambda state: (),
    "user": lambda state: _accounts(state, "/etc/passwd"),
    "variable": lambda state: state.names(),
}  # fmt: skip


def _accounts(state: State, path: str) -> list[str]:
    from sandhook.utilities._files import account_lines

    return [fields[0] for fields in account_lines(state.process.kernel.fs, path) if fields[0]]


def _jobs(state: State) -> list[str]:
    return [job.command.partition(" ")[0] for job in runtime(state).jobs(state) if not job.done]


def files(state: State, word: str, *, directories: bool) -> Iterable[str]:
    """Return the files whose names begin with ``word``."""
    fs = state.process.kernel.fs
    head, slash, tail = word.rpartition("/")
    where = join(state.process.cwd, head + slash or ".")
    try:
        entries = fs.listdir(where)
    except OSError:
        return []
    found = []
    for entry in entries:
        name = head + slash + entry.name
        if entry.name.startswith(tail) and (not directories or fs.is_dir(join(where, entry.name))):
            found.append(name)
    return found


def generate(state: State, specification: Specification, word: str) -> Sequence[str]:
    """Return the completions of ``word``."""
    found: list[str] = []
    for action in (*LETTERS.values(), *sorted(OTHER_ACTIONS)):
        if action in specification.actions:
            found += [name for name in candidates(state, action, word) if name.startswith(word)]
    words = specification.texts.get("W")
    if words is not None:
        found += [name for name in expand_names(state, words).split() if name.startswith(word)]
    pattern = specification.texts.get("G")
    if pattern is not None:
        found += _globbed(state, pattern)
    dropped = specification.texts.get("X")
    if dropped is not None:
        found = _filtered(state, found, dropped, word)
    prefix, suffix = specification.texts.get("P", ""), specification.texts.get("S", "")
    return [prefix + name + suffix for name in found]


def _globbed(state: State, pattern: str) -> list[str]:
    from sandhook.expand.fields import glob_field

    return [
        name for name in glob_field(state, [(pattern, False)]) if name != pattern or _is_file(state, name)
    ]


def _is_file(state: State, name: str) -> bool:
    return state.process.kernel.fs.exists(join(state.process.cwd, name))


def _filtered(state: State, found: list[str], pattern: str, word: str) -> list[str]:
    from sandhook.pattern.glob import compile_pattern

    keep = pattern[:1] == "!"
    matches = compile_pattern(pattern[1:] if keep else pattern).matches
    return [name for name in found if matches(name) is keep]
