"""Completion specifications, which complete stores and compgen executes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from sandhook.builtins.base import USAGE_STATUS, BuiltinError, ParsedOption, print_error, runtime
from sandhook.builtins.names import line_functions
from sandhook.builtins.variables.words import word_list
from sandhook.interp.jobs import jobs_of
from sandhook.kernel.signals import NAMES
from sandhook.state.assignment import set_array, unset
from sandhook.state.environment import seen_names, variable_names
from sandhook.state.options import SET_OPTIONS, SHOPT_OPTIONS
from sandhook.state.state import State
from sandhook.state.values import EXPORT, AssociativeArray, IndexedArray, hash_of
from sandhook.text.quoting import contains_metas, single_quote
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
#: The internal names of -D, -E and -I, as messages of bash print them.
SPECIAL_NAMES = {"D": "_DefaultCmD_", "E": "_EmptycmD_", "I": "_InitialWorD_"}
_LETTER_OF = {name: f"-{letter}" for letter, name in SPECIAL_NAMES.items()}
_BUCKETS = 512  #: buckets of bash's hash table, which determines the order of the listing
#: The order of the actions in the output.
_ACTION_ORDER = (
    "alias", "arrayvar", "binding", "builtin", "disabled", "enabled", "export", "function", "helptopic", "hostname",
    "job", "keyword", "running", "setopt", "shopt", "signal", "stopped", "variable", "command", "file", "user",
    "group", "service", "directory",
)  # fmt: skip
GETOPT = "abcdefgjksuvo:A:G:W:F:C:X:P:S:"


@dataclass(slots=True)
class Specification:
    """The options of complete or compgen."""

    options: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)  #: letter to argument: G W F C X P S

    def add(self, option: ParsedOption) -> None:
        """Apply one option. Raises BuiltinError for an unknown action or option name."""
        letter, argument, _ = option
        if letter == "o":
            if argument not in OPTIONS:
                raise BuiltinError(f"{argument}: invalid option name", USAGE_STATUS)
            self.options.append(argument)
        elif letter == "A":
            if argument not in LETTERS.values() and argument not in OTHER_ACTIONS:
                raise BuiltinError(f"{argument}: invalid action name", USAGE_STATUS)
            self.actions.append(argument)
        elif letter in LETTERS:
            self.actions.append(LETTERS[letter])
        else:
            self.texts[letter] = argument

    def text(self) -> str:
        """Return the options as ``complete -p`` prints them, each with a blank after it."""
        pieces = [f"-o {name} " for name in sorted(set(self.options))]
        pieces += [f"-{letter} " for letter, name in LETTERS.items() if name in self.actions]
        pieces += [f"-A {name} " for name in sorted(OTHER_ACTIONS & set(self.actions))]
        for letter in "GWPSXCF":
            if letter in self.texts:
                argument = self.texts[letter]
                pieces.append(f"-{letter} {argument if letter == 'F' else single_quote(argument)} ")
        return "".join(pieces)


def in_order(names: Iterable[str]) -> list[str]:
    """Return the names of specifications as bash lists them: by bucket, the newest of a bucket first."""
    newest_first = reversed(list(names))
    return sorted(newest_first, key=lambda name: hash_of(name) % _BUCKETS)


def shown_name(name: str) -> str:
    """Return a command's name as ``complete -p`` prints it."""
    return _LETTER_OF.get(name) or (single_quote(name) if not name or contains_metas(name) else name)


def with_options(text: str, changes: Iterable[tuple[str, bool]]) -> str:
    """Return the text of a specification with options switched on or off."""
    options = set()
    while text.startswith("-o "):
        _, name, text = text.split(" ", 2)
        options.add(name)
    for name, on in changes:
        if on:
            options.add(name)
        else:
            options.discard(name)
    return "".join(f"-o {name} " for name in sorted(options)) + text


def candidates(state: State, action: str, word: str) -> Iterable[str]:
    """Return all names of one kind, not yet filtered by ``word`` (files are)."""
    if action in ("file", "directory"):
        return files(state, word, directories=action == "directory")
    return _SOURCES[action](state)


def _names_with(state: State, condition: Callable[[str], bool]) -> list[str]:
    return [name for name in variable_names(state) if condition(name)]


def _commands(state: State) -> list[str]:
    commands = runtime(state).commands
    return [
        *sorted(state.aliases),
        *commands.keywords,
        *sorted(state.functions),
        *sorted(commands.names),
        *sorted(commands.utilities),
    ]


#: Variables that are always visible to completion, but in other lists only after their first use.
_COMPLETED = frozenset({
    "BASHPID", "BASH_ARGV0", "BASH_COMMAND", "BASH_SUBSHELL", "COMP_WORDBREAKS", "EPOCHREALTIME", "EPOCHSECONDS",
    "HISTCMD", "LINENO", "RANDOM", "SECONDS", "SRANDOM",
})  # fmt: skip

#: Those that completion shows only while they have a value.
_CONDITIONAL = ("BASH_XTRACEFD", "FUNCNAME")


def _variables(state: State) -> list[str]:
    hidden = _COMPLETED & state.dynamics.keys() - state.unset_dynamics
    names = {*seen_names(state), *hidden, "_"}
    return sorted(names.difference(name for name in _CONDITIONAL if state.value(name) is None))


def _enabled(state: State, on: bool) -> list[str]:
    disabled = state.disabled_builtins
    return [name for name in sorted(runtime(state).commands.names) if (name not in disabled) is on]


_SOURCES: dict[str, Callable[[State], Iterable[str]]] = {
    "alias": lambda state: sorted(state.aliases),
    "arrayvar": lambda state: _names_with(
        state, lambda name: isinstance(state.values.get(name), (IndexedArray, AssociativeArray))
    ),
    "binding": lambda state: line_functions.OF_LIBRARY,
    "builtin": lambda state: sorted(runtime(state).commands.names),
    "command": _commands,
    "disabled": lambda state: _enabled(state, False),
    "enabled": lambda state: _enabled(state, True),
    "export": lambda state: _names_with(state, lambda name: bool(state.attributes.get(name, 0) & EXPORT)),
    "function": lambda state: sorted(state.functions),
    "group": lambda state: _accounts(state, "/etc/group"),
    "helptopic": lambda state: _help_topics(),
    "hostname": lambda state: _hosts(state),
    "job": lambda state: _jobs(state),
    "keyword": lambda state: runtime(state).commands.keywords,
    "running": lambda state: _jobs(state),
    "service": lambda state: (),
    "setopt": lambda state: SET_OPTIONS,
    "shopt": lambda state: SHOPT_OPTIONS,
    "signal": lambda state: [
        "EXIT", *(f"SIG{NAMES.get(number, f'JUNK({number})')}" for number in range(1, 65)), "DEBUG", "ERR", "RETURN",
    ],
    "stopped": lambda state: (),
    "user": lambda state: _accounts(state, "/etc/passwd"),
    "variable": lambda state: _variables(state),
}  # fmt: skip


def _accounts(state: State, path: str) -> list[str]:
    from sandhook.command.accounts import account_lines

    return [fields[0] for fields in account_lines(state.process.kernel.fs, path) if fields[0]]


def _hosts(state: State) -> list[str]:
    """Return the names of HOSTFILE, or of /etc/hosts."""
    path = join(state.process.cwd, state.get("HOSTFILE") or "/etc/hosts")
    try:
        text = state.process.kernel.fs.read_bytes(path).decode("utf-8", "surrogateescape")
    except OSError:
        return []
    state.budget.charge(len(text) >> 6)
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return [name for words in lines if words for name in words[words[0][0].isdigit() :]]


def _jobs(state: State) -> list[str]:
    return [job.command.partition(" ")[0] for job in jobs_of(state) if not job.done]


def files(state: State, word: str, *, directories: bool) -> Iterable[str]:
    """Return the files whose names begin with ``word``."""
    fs = state.process.kernel.fs
    head, slash, tail = word.rpartition("/")
    directory = join(state.process.cwd, head + slash or ".")
    try:
        entries = fs.listdir(directory)
    except OSError:
        return []
    names = []
    for entry in entries:
        name = head + slash + entry.name
        if entry.name.startswith(tail) and (not directories or fs.is_dir(join(directory, entry.name))):
            names.append(name)
    return names


def generate(state: State, specification: Specification, word: str) -> Sequence[str]:
    """Return the completions of ``word``."""
    completions: list[str] = []
    for action in _ACTION_ORDER:
        if action in specification.actions:
            completions += [name for name in candidates(state, action, word) if name.startswith(word)]
    pattern = specification.texts.get("G")
    if pattern is not None:
        completions += _globbed(state, pattern)
    words = specification.texts.get("W")
    if words is not None:
        completions += [name for name in word_list(state, words) if name.startswith(word)]
    function = specification.texts.get("F")
    if function is not None:
        completions += _from_function(state, function, word)
    command = specification.texts.get("C")
    if command is not None:
        completions += _from_command(state, command, word)
    filter_pattern = specification.texts.get("X")
    if filter_pattern is not None:
        completions = _filtered(state, completions, filter_pattern, word)
    if not completions and "dirnames" in specification.options:
        completions = list(files(state, word, directories=True))
    if "plusdirs" in specification.options:
        completions += files(state, word, directories=True)
    prefix, suffix = specification.texts.get("P", ""), specification.texts.get("S", "")
    if not completions and "default" in specification.options:
        return list(files(state, word, directories=False))
    return [prefix + name + suffix for name in completions]


def _globbed(state: State, pattern: str) -> list[str]:
    from sandhook.expand.fields import glob_field

    return [
        name
        for name in glob_field(state, [(pattern, False)], ignores=False)
        if name != pattern or _is_file(state, name)
    ]


def _with_word(pattern: str, word: str) -> str:
    """Return a filter with the word being completed in place of each ``&`` without a backslash."""
    pieces = pattern.split("&")
    text = pieces[0]
    for piece in pieces[1:]:
        text = text[:-1] + "&" + piece if text[-1:] == "\\" else text + word + piece
    return text


def _help_topics() -> list[str]:
    from sandhook.builtins.names.help import TOPICS

    return list(TOPICS)


def _from_function(state: State, function: str, word: str) -> list[str]:
    """Return the completions that a function stores in COMPREPLY; its COMP_LINE is empty."""
    shell = runtime(state)
    shell.error(state, "compgen: warning: -F option may not work as you expect")
    if function not in state.functions:
        print_error(state, f"completion: function `{function}' not found")
        return []
    for name, value in _LINE.items():
        state.set(name, value)
    set_array(state, "COMP_WORDS", [])
    state.set("COMP_CWORD", "-1")
    unset(state, "COMPREPLY")
    shell.call(state, [function, "compgen", word, ""])
    reply = state.value("COMPREPLY")
    for name in (*_LINE, "COMP_WORDS", "COMP_CWORD", "COMPREPLY"):
        unset(state, name)
    if isinstance(reply, (IndexedArray, AssociativeArray)):
        return list(reply.values())
    return [] if reply is None else [reply]


#: The variables that describe the edited line to a completion function; no line is edited here.
_LINE = {"COMP_LINE": "", "COMP_POINT": "0", "COMP_TYPE": "0", "COMP_KEY": "0"}


def _from_command(state: State, command: str, word: str) -> list[str]:
    """Return the lines that a command prints."""
    shell = runtime(state)
    shell.error(state, "compgen: warning: -C option may not work as you expect")
    text = f"{command} compgen {single_quote(word)} ''"
    for name, value in _LINE.items():
        state.set(name, value)
        state.attributes[name] = state.attributes.get(name, 0) | EXPORT
    try:
        output = shell.command_output(state, text)
    finally:
        for name in _LINE:
            unset(state, name)
    return output.split("\n") if output else []


def _is_file(state: State, name: str) -> bool:
    return state.process.kernel.fs.exists(join(state.process.cwd, name))


def _filtered(state: State, completions: list[str], pattern: str, word: str) -> list[str]:
    from sandhook.pattern.glob import compile_pattern

    negated = pattern[:1] == "!" and not (pattern[1:2] == "(" and state.options.extglob)
    pattern = _with_word(pattern[1:] if negated else pattern, word)
    matches = compile_pattern(
        pattern, extglob=state.options.extglob, nocase=state.options.nocasematch
    ).matches
    return [name for name in completions if matches(name) is negated]
