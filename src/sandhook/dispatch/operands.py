"""Which words of a command line name what it executes: files, shell text, and other command lines.

One table serves the approval of a hook, which reads scripts, and its run, which starts programs. A word is
None when it is not known. Nothing here touches the host.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from sandhook.lazy import lazily
from sandhook.record import Record

Words = Sequence[str | None]

#: Directories of the machine's own programs: whoever writes there needs no hook.
SYSTEM_DIRECTORIES = (
    "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin",
)  # fmt: skip

SHELLS = frozenset({"ash", "bash", "dash", "ksh", "mksh", "rbash", "sh", "zsh"})

#: Programs that execute what they find in their directory, their configuration or their arguments.
_LOADER_NAMES = """
    ansible ansible-playbook ant at batch bazel bun bundle buck buck2 cargo cmake composer conda
    crontab ctest deno docker docker-compose dotnet emacs entr eslint ex expect fab flutter gdb gmake go gradle
    gradlew grunt gulp helm invoke java jest just ktlint kubectl lefthook lerna make meson mix mocha mvn mvnw
    mypy nerdctl ninja nix nox npm npx nx nvim parallel pdm pip pip3 pipenv pipx pixi pnpm podman poetry
    pre-commit prettier pylint pytest rake rspec rubocop sbt scons script ssh su swift systemd-run task
    tclsh terraform tmux tox tsc tsx turbo uv uvx vi vim vite vitest watch webpack yarn
"""
LOADERS = frozenset(_LOADER_NAMES.split())

#: Subcommands of git that neither run hooks nor start programs of a repository's own configuration.
_QUIET_GIT_NAMES = """
    blame branch cat-file check-ignore config describe diff-tree for-each-ref hash-object help log ls-files
    ls-tree merge-base name-rev remote rev-list rev-parse shortlog show-ref symbolic-ref tag version
"""
_QUIET_GIT = frozenset(_QUIET_GIT_NAMES.split())


class Interpreter(Record):
    """The options of an interpreter that matter here, without their dashes.

    Attributes:
        text: Options whose argument is a program text.
        files: Options whose argument is a file to execute.
        value: Options with any other argument.
        opaque: Options that load code by another name than a file's.
    """

    text: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    value: tuple[str, ...] = ()
    opaque: tuple[str, ...] = ()


_NODE = Interpreter(
    ("e", "p", "pe", "eval", "print"), value=("C", "conditions"), opaque=("r", "require", "import", "loader")
)
_LUA = Interpreter(("e",), opaque=("l",))

#: Interpreters that load further files (modules, plugins) by rules of their own.
LANGUAGES: Mapping[str, Interpreter] = {
    "fish": Interpreter(("c", "command"), value=("C", "d", "o"), opaque=("init-command",)),
    "julia": Interpreter(("e", "E", "eval", "print"), ("L", "load"), ("p", "t", "C")),
    "lua": _LUA,
    "luajit": _LUA,
    "node": _NODE,
    "nodejs": _NODE,
    "nu": Interpreter(("c", "commands"), ("config", "env-config")),
    "osascript": Interpreter(("e",), value=("l",)),
    "perl": Interpreter(("e", "E"), value=("I", "C", "x"), opaque=("M", "m")),
    "php": Interpreter(("r", "run"), ("f", "file", "c", "php-ini"), ("B", "E", "S", "t")),
    "pwsh": Interpreter(("c", "Command", "command"), ("f", "File", "file")),
    "python": Interpreter(("c",), value=("W", "X", "check-hash-based-pycs"), opaque=("m",)),
    "ruby": Interpreter(("e",), value=("I", "C", "E", "encoding"), opaque=("r", "require")),
    "Rscript": Interpreter(("e",)),
}

_AWK = Interpreter(
    ("e", "source"), ("f", "file", "E", "exec", "i", "include"), ("F", "v", "assign"), ("l", "load")
)
_AWKS = frozenset({"awk", "gawk", "mawk", "nawk", "original-awk"})
_SED = Interpreter(("e", "expression"), ("f", "file"), ("l", "line-length"))
_SEDS = frozenset({"gsed", "sed"})


class Wrapper(Record):
    """A command whose operands are a command line.

    Attributes:
        value: Letters of the options that have an argument.
        operands: How many operands stand before the command line.
    """

    value: str = ""
    operands: int = 0


WRAPPERS: Mapping[str, Wrapper] = {
    "builtin": Wrapper(), "busybox": Wrapper(), "caffeinate": Wrapper("tw"), "chroot": Wrapper("", 1),
    "chronic": Wrapper(), "chrt": Wrapper("", 1), "command": Wrapper(), "doas": Wrapper("uC"), "env": Wrapper("uCS"),
    "exec": Wrapper("a"), "flock": Wrapper("wEc", 1), "gtimeout": Wrapper("ks", 1), "ifne": Wrapper(),
    "ionice": Wrapper("cnpPu"), "nice": Wrapper("n"), "nohup": Wrapper(), "pkexec": Wrapper(), "setarch": Wrapper(),
    "setsid": Wrapper(), "stdbuf": Wrapper("ioe"), "strace": Wrapper("oeEpsua"), "sudo": Wrapper("ughpCrtDRT"),
    "taskset": Wrapper("", 1), "time": Wrapper("fo"), "timeout": Wrapper("ks", 1), "unbuffer": Wrapper(),
    "unshare": Wrapper(), "xargs": Wrapper("IEdLnPsa"),
}  # fmt: skip

_PYTHON = lazily(r"(?:python|pypy)\d*(?:\.\d+)*w?")
_DOT_COMMANDS = lazily(r"(?m)^\s*\.\w")

#: Letters and beginnings of long options by which programs start others.
_OPTIONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "cpio": ("", ("--rsh-command",)),
    "less": ("kt", ("+", "--lesskey", "--tag")),
    "man": ("PHC", ("--pager", "--html", "--config-file")),
    "rg": ("", ("--pre",)),
    "rsync": ("e", ("--rsh", "--rsync-path", "--daemon")),
    "sort": ("", ("--compress-program",)),
    "split": ("", ("--filter",)),
    "tar": (
        "IF",
        (*("--use-c", "--to-c", "--checkpoint-a", "--info-s", "--new-v", "--rsh-c", "--rmt-c"),),
    ),
    "wget": ("e", ("--execute", "--use-askpass", "--config")),
    "zip": ("", ("-TT", "--unzip-command")),
}

_FIND = frozenset({"-exec", "-execdir", "-ok", "-okdir"})

#: Commands of an awk program: calls of system(), and pipes.
_AWK_COMMANDS = lazily(r"\bsystem\s*\(|(?<!\|)\|(?!\|)|@load|@include")
#: GNU sed's command ``e`` and flag ``e``, roughly: a false match only adds a line to a list.
_SED_COMMANDS = lazily(r"(?:^|[;{}\n$/\d])\s*e(?:\s|$)|[^\w\s][gpiImM\d]*e[gpiImM\d]*\s*(?:$|[;}\n])")


class Part(Record):
    """A command line within a command line: words ``start`` to ``end``.

    Attributes:
        directory: The index of the word that names its working directory; None for the caller's.
        assigned: The indexes of the words that set a variable for it.
        computed: Words are added to it, or replaced in it, that are not known.
        elsewhere: It runs in directories that are not known.
    """

    start: int
    end: int
    directory: int | None = None
    assigned: tuple[int, ...] = ()
    computed: bool = False
    elsewhere: bool = False


class Execution(Record):
    """What one command line executes. Numbers are indexes of its words.

    Attributes:
        files: Words that name a file to execute.
        text: The word that is a shell's text; the words after it are its positional parameters.
        parts: Other command lines that it runs.
        stdin: It executes its standard input.
        unknown: What else it executes, in words for people.
    """

    files: tuple[int, ...] = ()
    text: int | None = None
    parts: tuple[Part, ...] = ()
    stdin: bool = False
    unknown: tuple[str, ...] = ()


def base_name(word: str) -> str:
    """Return the name of a program without its directory, a version ("python3.12") and ``.exe``."""
    name = posixpath.basename(word.replace("\\", "/")).removesuffix(".exe")
    return "python" if _PYTHON.fullmatch(name) else name


def is_system_program(path: str) -> bool:
    """Return True for a path in a directory of the machine's own programs."""
    return posixpath.dirname(path) in SYSTEM_DIRECTORIES


def execution(words: Words) -> Execution:
    """Return what a command line executes; its first word is the command."""
    first = words[0]
    if first is None:
        return Execution()
    name = base_name(first)
    if name in SHELLS:
        return _shell(name, words)
    if name in LANGUAGES:
        return _language(name, words)
    if name in _AWKS:
        return _program(words, _AWK, f"{name}: the commands of its program", _AWK_COMMANDS)
    if name in _SEDS:
        return _program(words, _SED, f"{name}: the commands of its program", _SED_COMMANDS)
    if name in _OPTIONS:
        return _by_option(name, words)
    if name == "jq":
        return _jq(words)
    if name == "sqlite3":
        return _sqlite(words)
    if name == "find":
        return Execution(parts=tuple(_find_parts(words)))
    if name in WRAPPERS:
        return _wrapped(name, words)
    if name in LOADERS:
        return Execution(unknown=(f"{name}: what it executes by its own configuration",))
    if name == "git":
        return _git(words)
    return Execution()


def executed_files(words: Words) -> Iterator[int]:
    """Yield the index of every word that names a file to execute, in command lines within it too."""
    executed = execution(words)
    yield from executed.files
    for part in executed.parts:
        if part.start < part.end:
            yield part.start
            yield from (part.start + index for index in executed_files(words[part.start : part.end]))


def _shell(name: str, words: Words) -> Execution:
    """Source: bash(1), "OPTIONS" and "ARGUMENTS"."""
    files: list[int] = []
    wants_text = wants_input = False
    at = 1
    while at < len(words):
        word = words[at]
        if word is None:
            if wants_text:
                break
            return Execution(tuple(files), unknown=(f"{name}: an argument that is computed",))
        if word in ("--rcfile", "--init-file"):
            files.append(at + 1)
            at += 2
        elif word in ("--", "-"):
            at += 1
            break
        elif word.startswith("--"):
            at += 1
        elif word[:1] in ("-", "+") and len(word) > 1:
            wants_text = wants_text or (word[0] == "-" and "c" in word)
            wants_input = wants_input or (word[0] == "-" and "s" in word)
            at += 2 if word[-1] in "oO" else 1
        else:
            break
    files = [index for index in files if index < len(words)]
    if wants_text:
        if at < len(words):
            return Execution(tuple(files), text=at)
        return Execution(tuple(files), unknown=(f"{name} -c: a text that is missing",))
    if wants_input or at >= len(words):
        return Execution(tuple(files), stdin=True)
    return Execution((*files, at))


class _Options:
    """Reads the options of an interpreter; stops at its first operand.

    Attributes:
        at: The index of the first operand.
        files: Indexes of words that name files to execute.
        texts: Program texts.
        opaque: Options that load code.
        computed: A word before the first operand is not known.
        operands: Indexes of operands between options.

    Args:
        anywhere: Options may follow operands.
    """

    def __init__(self, words: Words, known: Interpreter, *, anywhere: bool = False) -> None:
        self.words = words
        self.known = known
        self.files: list[int] = []
        self.texts: list[str | None] = []
        self.opaque: list[str] = []
        self.computed = False
        self.operands: list[int] = []
        self.at = 1
        while self.at < len(words):
            word = words[self.at]
            if word is None:
                self.computed = self.computed or not self.operands
                if not anywhere:
                    return
            if word is None or (anywhere and (word == "-" or word[:1] != "-")):
                self.operands.append(self.at)
                self.at += 1
                continue
            if word in ("--", "-") or word[:1] != "-":
                self.at += word == "--"
                return
            if word.startswith("--"):
                self._long(word)
            else:
                self._letters(word)

    def _long(self, word: str) -> None:
        name, equals, value = word[2:].partition("=")
        if equals:
            self.at += 1
            if name in self.known.text:
                self.texts.append(value)
            elif name in self.known.files or name in self.known.opaque:
                self.opaque.append(word)
            return
        self._option(name, self.at + 1)

    def _letters(self, word: str) -> None:
        if self._knows(word[1:]):  # -pe, -Command
            self._option(word[1:], self.at + 1)
            return
        for place, letter in enumerate(word[1:], 1):
            if not self._knows(letter):
                continue
            if place == len(word) - 1:
                self._option(letter, self.at + 1)
                return
            self.at += 1
            if letter in self.known.text:
                self.texts.append(word[place + 1 :])
            elif letter in self.known.files or letter in self.known.opaque:
                self.opaque.append(word)
            return
        self.at += 1

    def _knows(self, name: str) -> bool:
        known = self.known
        return name in known.text or name in known.files or name in known.value or name in known.opaque

    def _option(self, name: str, value: int) -> None:
        self.at = value
        if not self._knows(name):
            return
        self.at = value + 1
        if value >= len(self.words):
            return
        if name in self.known.text:
            self.texts.append(self.words[value])
        elif name in self.known.files:
            self.files.append(value)
        elif name in self.known.opaque:
            dashes = "-" if len(name) == 1 else "--"
            self.opaque.append(f"{dashes}{name} {self.words[value] or ''}".rstrip())


def _language(name: str, words: Words) -> Execution:
    options = _Options(words, LANGUAGES[name])
    unknown = [f"{name}: modules and files that it loads"]
    if name == "php":
        unknown += [f"php -d {word}" for word in words if word and "_file=" in word]
    unknown += [f"{name} {option}" for option in options.opaque]
    if options.computed or None in options.texts:
        unknown.append(f"{name}: an argument that is computed")
        return Execution(tuple(options.files), unknown=tuple(unknown))
    if options.texts or options.files or options.opaque:
        return Execution(tuple(options.files), unknown=tuple(unknown))
    if options.at >= len(words) or words[options.at] == "-":
        return Execution(stdin=True, unknown=tuple(unknown))
    return Execution((options.at,), unknown=tuple(unknown))


def _program(words: Words, known: Interpreter, what: str, commands: re.Pattern[str]) -> Execution:
    """awk and sed: a program text, or files of it."""
    options = _Options(words, known, anywhere=known is _SED)
    texts = list(options.texts)
    operands = [*options.operands, *range(options.at, len(words))]
    if not texts and not options.files and not options.opaque and operands:
        texts.append(words[operands[0]])
    unknown = [f"{words[0]} {option}" for option in options.opaque]
    if options.computed or any(text is None or commands.search(text) for text in texts):
        unknown.append(what)
    return Execution(tuple(options.files), unknown=tuple(unknown))


def _by_option(name: str, words: Words) -> Execution:
    """Programs that start another one when an option asks for it."""
    letters, longs = _OPTIONS[name]
    for place, word in enumerate(words[1:]):
        if word is None:
            continue
        cluster = word[:1] == "-" and word[1:2] != "-"
        old_style = name == "tar" and place == 0 and word[:1] != "-"  # tar cIf PROGRAM
        if word.startswith(longs) or ((cluster or old_style) and any(letter in word for letter in letters)):
            return Execution(unknown=(f"{name}: the program that {word} names",))
    return Execution()


def _jq(words: Words) -> Execution:
    """A filter from a file decides for the hook; jq itself starts nothing."""
    files = []
    unknown = []
    for place, word in enumerate(words[:-1]):
        if place and word is not None and word[:1] == "-":
            if word == "--from-file" or (word[1:2] != "-" and "f" in word):
                files.append(place + 1)
            elif word[:2] == "-L":
                unknown.append("jq -L: the modules of its program")
    return Execution(tuple(files), unknown=tuple(unknown))


def _sqlite(words: Words) -> Execution:
    """Its dot-commands start programs: .shell, .system, .load."""
    operands = [word for word in words[1:] if word is None or word[:1] != "-"]
    risky = any(word is None or _DOT_COMMANDS.search(word) for word in operands[1:])
    if risky or any(word in ("-init", "--init", "-cmd", "--cmd") for word in words):
        return Execution(unknown=("sqlite3: its dot-commands",))
    return Execution(stdin=len(operands) < 2)


def _find_parts(words: Words) -> Iterator[Part]:
    at = 1
    while at < len(words):
        if words[at] in _FIND:
            elsewhere = words[at] in ("-execdir", "-okdir")
            start = at + 1
            while at < len(words) and words[at] not in (";", "+"):
                at += 1
            computed = any(word and "{}" in word for word in words[start:at])
            yield Part(start, at, computed=computed, elsewhere=elsewhere)
        at += 1


def _wrapped(name: str, words: Words) -> Execution:
    wrapper = WRAPPERS[name]
    at, left = 1, wrapper.operands
    directory: int | None = None
    assigned: list[int] = []
    unknown: list[str] = []
    while at < len(words):
        word = words[at]
        if word is None:
            return Execution(unknown=(f"{name}: a command that is computed",))
        if name == "command" and word in ("-v", "-V"):
            return Execution()
        if word == "--":
            at += 1
            continue
        if word == "-" and name == "env":
            at += 1
        elif word.startswith("-") and len(word) > 1:
            option = word.partition("=")[0]
            value = at + 1 if _takes_value(wrapper, word) else at
            if name == "env" and (option in ("-S", "--split-string") or word.startswith("-S")):
                unknown.append("env -S: a command in one word")
            elif name == "env" and word in ("-C", "--chdir"):
                directory = value = at + 1
            elif name == "env" and (option == "--chdir" or word.startswith("-C")):
                unknown.append("env: a directory in one word with its option")
            elif name == "flock" and word == "-c":
                unknown.append("flock -c: a command in one word")
            at = value + 1
        elif name in ("env", "sudo") and "=" in word:
            assigned.append(at)
            at += 1
        elif left:
            left -= 1
            at += 1
        else:
            break
    computed = name == "xargs"
    if unknown or at >= len(words):
        return Execution(unknown=tuple(unknown))
    return Execution(parts=(Part(at, len(words), directory, tuple(assigned), computed),))


def _takes_value(wrapper: Wrapper, word: str) -> bool:
    """Return True when the next word is the argument of an option."""
    if word.startswith("--"):
        return "=" not in word and word in (
            "--signal",
            "--kill-after",
            "--unset",
            "--user",
            "--group",
            "--adjustment",
        )
    return len(word) == 2 and word[1] in wrapper.value


def _git(words: Words) -> Execution:
    at = 1
    while at < len(words) and (word := words[at]) is not None and word[:1] == "-":
        if word == "-c" or word.startswith("--config-env"):
            return Execution(unknown=("git -c: programs that a setting names",))
        at += 2 if word in ("-C", "--git-dir", "--work-tree", "--namespace") else 1
    command = words[at] if at < len(words) else "help"
    if command in _QUIET_GIT:
        return Execution()
    return Execution(unknown=(f"git {command or ''}".rstrip() + ": hooks and programs of its configuration",))
