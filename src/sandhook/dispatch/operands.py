"""Which words of a command line name what it executes: files, shell text, and other command lines.

One table serves the approval of a hook, which reads scripts, and its run, which starts programs. A word is
None when it is not known. Nothing here touches the host.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping

from sandhook.dispatch.gittext import git
from sandhook.dispatch.ownline import NAME as OWN_NAME
from sandhook.dispatch.ownline import own_execution
from sandhook.dispatch.parts import Execution, Part, Words
from sandhook.dispatch.sedtext import runs_commands
from sandhook.dispatch.wrappers import is_wrapper, wrapped
from sandhook.lazy import lazily
from sandhook.record import Record

#: Directories of the machine's own programs: whoever writes there needs no hook.
SYSTEM_DIRECTORIES = (
    "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin",
)  # fmt: skip

SHELLS = frozenset({"ash", "bash", "dash", "ksh", "mksh", "rbash", "sh", "zsh"})

#: Programs that execute what they find in their directory, their configuration or their arguments.
_LOADER_NAMES = """
    ansible ansible-playbook ant apt apt-get at batch bazel brew bun bundle buck buck2 c++ cabal cargo cc clang clang++
    cmake composer conda cpan crontab ctest dc deno direnv docker docker-compose dotnet dpkg ed elixir emacs entr
    erl eslint ex expect fab flutter ftp g++ gcc gdb gem ghc gmake gnuplot go gradle gradlew grunt guile gulp helm hg
    hyperfine iex invoke java javac jest just ktlint kubectl latex launchctl lefthook lerna lldb luarocks m4 make
    meson mix mocha mvn mvnw mypy mysql nano nc ncat nerdctl ninja nix nix-shell nox npm npx nx nvim ocaml octave opam
    parallel pdflatex pdm perf pip pip3 pipenv pipx pixi pnpm podman poetry pre-commit prettier psql pylint pytest R rake
    rails rpm rspec rubocop run-parts runghc rustc sbcl sbt scons screen script service socat ssh stack
    start-stop-daemon su svn swift systemctl systemd-run task tcc tclsh terraform tmux toybox tox tsc tsx turbo uv uvx
    valgrind vi view vim vite vitest watch webpack xdg-open xelatex yarn yash yum csh tcsh elvish xonsh oksh
"""
LOADERS = frozenset(_LOADER_NAMES.split())


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
    ("e", "source"), ("f", "file", "E", "exec", "i", "include"), ("F", "v", "assign"), ("l", "load", "W")
)
_AWKS = frozenset({"awk", "gawk", "mawk", "nawk", "original-awk"})
_SED = Interpreter(("e", "expression"), ("f", "file"), ("l", "line-length"))
_SEDS = frozenset({"gsed", "sed"})


_PYTHON = lazily(r"(?:python|pypy)\d*(?:\.\d+)*w?")
_DOT_COMMANDS = lazily(r"(?m)^[^\S\n]*+\.\w")

#: Letters and long options, which may be abbreviated, by which programs start others.
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
    "tcpdump": ("z", ("--postrotate-command",)),
    "wget": ("e", ("--execute", "--use-askpass", "--config")),
    "zip": ("", ("-TT", "--unzip-command")),
}

_FIND = frozenset({"-exec", "-execdir", "-ok", "-okdir"})

#: Commands of an awk program: calls of system(), and pipes.
_AWK_COMMANDS = lazily(r"\bsystem\s*\(|(?<!\|)\|(?!\|)|@\s*[A-Za-z_]")


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
    if name == OWN_NAME or (name == "python" and tuple(words[1:3]) == ("-m", OWN_NAME)):
        return own_execution(words)
    if name in LANGUAGES:
        return _language(name, words)
    if name in _AWKS:
        return _program(words, _AWK, f"{name}: the commands of its program", _awk_runs)
    if name in _SEDS:
        return _program(words, _SED, f"{name}: the commands of its program", runs_commands)
    if name in _OPTIONS:
        return _by_option(name, words)
    if name == "jq":
        return _jq(words)
    if name == "sqlite3":
        return _sqlite(words)
    if name == "find":
        return Execution(parts=tuple(_find_parts(words)))
    if is_wrapper(name):
        return wrapped(name, words)
    if name in LOADERS:
        return Execution(unknown=(f"{name}: what it executes by its own configuration",))
    if name == "git":
        return git(words)
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
    notes: list[str] = []
    wants_text = wants_input = False
    at = 1
    while at < len(words):
        word = words[at]
        if word is None:
            if wants_text:
                break
            return Execution(tuple(files), unknown=(*notes, f"{name}: an argument that is computed"))
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
            if word[0] == "-" and "i" in word and word[-1] not in "oO":
                notes.append(f"{name} -i: start-up files, and the commands of its prompts")
            at += 2 if word[-1] in "oO" else 1
        else:
            break
    files = [index for index in files if index < len(words)]
    unknown = tuple(notes)
    if wants_text:
        if at < len(words):
            return Execution(tuple(files), text=at, unknown=unknown)
        return Execution(tuple(files), unknown=(*unknown, f"{name} -c: a text that is missing"))
    if wants_input or at >= len(words):
        return Execution(tuple(files), stdin=True, unknown=unknown)
    return Execution((*files, at), unknown=unknown)


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
        name = self._whole(name)
        if equals:
            self.at += 1
            if name in self.known.text:
                self.texts.append(value)
            elif name in self.known.files or name in self.known.opaque:
                self.opaque.append(word)
            return
        self._option(name, self.at + 1)

    def _whole(self, name: str) -> str:
        """Return the long option that a name abbreviates."""
        known = (*self.known.text, *self.known.files, *self.known.opaque, *self.known.value)
        if len(name) < 2 or name in known:
            return name
        return next((each for each in known if each.startswith(name)), name)

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


def _awk_runs(text: str) -> bool:
    return _AWK_COMMANDS.search(text) is not None


def _program(words: Words, known: Interpreter, what: str, runs: Callable[[str], bool]) -> Execution:
    """awk and sed: a program text, or files of it."""
    options = _Options(words, known, anywhere=known is _SED)
    texts = list(options.texts)
    operands = [*options.operands, *range(options.at, len(words))]
    if not texts and not options.files and not options.opaque and operands:
        texts.append(words[operands[0]])
    unknown = [f"{words[0]} {option}" for option in options.opaque]
    if options.computed or any(text is None or runs(text) for text in texts):
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
        long = word.partition("=")[0]
        beginning = len(long) > 3 and long != "--checkpoint" and any(each.startswith(long) for each in longs)
        named = word.startswith(longs) or beginning
        if named or ((cluster or old_style) and any(letter in word for letter in letters)):
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


def has_dot_command(text: str) -> bool:
    """Return True for a text of sqlite3 with dot-commands, some of which start programs."""
    return _DOT_COMMANDS.search(text) is not None


def _sqlite(words: Words) -> Execution:
    """Its dot-commands start programs: .shell, .system, .load."""
    operands = [word for word in words[1:] if word is None or word[:1] != "-"]
    risky = any(word is None or has_dot_command(word) for word in operands[1:])
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
