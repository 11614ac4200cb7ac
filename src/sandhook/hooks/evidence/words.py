"""The values of a script's words, as far as they are known without running it.

A value is None as soon as something in it is not known. Pathname expansion reads the directories that it
concerns, and records its pattern: a file that matches later is a change.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from sandhook.dispatch.envline import read_env_line
from sandhook.dispatch.operands import base_name
from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.expand.brace import expand_braces
from sandhook.expand.shapes import has_braces
from sandhook.hooks.evidence.machine import Machine
from sandhook.hooks.scan import expansion, joined, unquoted_text
from sandhook.pattern.glob import compile_pattern, has_magic, quote
from sandhook.syntax import parse_cached
from sandhook.syntax.nodes import (
    AndOr,
    AnsiQuoted,
    Assignment,
    Backquoted,
    CommandList,
    CommandSubstitution,
    DoubleQuoted,
    Escaped,
    Literal,
    Node,
    ParameterExpansion,
    SimpleCommand,
    SingleQuoted,
    Word,
    WordPart,
)

#: The most words that one word expands to.
MAX_WORDS = 256

#: Characters of a value that is charged.
_LONG = 1_000

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
    names = [f"/{lexical}", lexical] if _is_share(whole) else [lexical]
    if "/.." not in f"/{path}":
        return names
    current = ""
    for part in whole.split("/"):
        if part == "..":
            current = posixpath.dirname(machine.resolve(current or "/"))
        elif part not in ("", "."):
            current = f"{current.rstrip('/')}/{part}"
    return list(dict.fromkeys((*names, current or "/")))


def _is_share(path: str) -> bool:
    """Return True for a path that names a share on Windows; elsewhere two slashes are one."""
    return path[:2] == "//" and path[2:3] not in ("", "/")


class WordReader:
    """Returns the values of words in one shell.

    Args:
        known: The shell.
        machine: The files, for pathname expansion and links.
        patterns: Receives the absolute patterns that were expanded.
        charge: Receives the number of characters of each long value; it may raise an exception.
    """

    def __init__(
        self,
        known: Knowledge,
        machine: Machine,
        patterns: dict[str, None],
        charge: Callable[[int], None],
    ) -> None:
        self._charge = charge
        self._known = known
        self._machine = machine
        self._patterns = patterns

    def value(self, word: Word) -> str | None:
        """Return a word without field splitting and pathname expansion."""
        text = joined([text for text, _ in self._pieces(word.parts, quoted=False)])
        if text is None or _other_home(word):
            return None
        self._charge_value(text, word.parts)
        return self._home(text, word)

    def _charge_value(self, text: str, parts: tuple[WordPart, ...]) -> None:
        """Charge a long value that is not in the script itself: expansions can repeat it without end."""
        if len(text) > _LONG and not all(isinstance(part, (Literal, SingleQuoted)) for part in parts):
            self._charge(len(text))

    def fields(self, word: Word) -> list[str | None]:
        """Return the fields that a word expands to."""
        words = list(islice(expand_braces(word), MAX_WORDS + 1)) if has_braces(word) else [word]
        if len(words) > MAX_WORDS:
            return [None]
        return [field for each in words for field in self._fields(each)]

    def _fields(self, word: Word) -> list[str | None]:
        if (all_of := self._all_positional(word)) is not None:
            return all_of
        pieces = list(self._pieces(word.parts, quoted=False))
        whole_text = joined([text for text, _ in pieces])
        if _other_home(word) or whole_text is None:
            return [None]
        self._charge_value(whole_text, word.parts)
        fields = [""]
        for part, (text, quoted) in zip(word.parts, pieces, strict=True):
            text = text or ""
            if quoted or isinstance(part, Literal):
                fields[-1] += quote(text) if quoted else text
                continue
            split = text.split()  # an expansion without quotes
            if not self._known.usual:
                return [None]
            if text[:1].isspace():
                fields.append("")
            fields[-1] += split[0] if split else ""
            fields += split[1:]
            if text[-1:].isspace():
                fields.append("")
        whole = len(fields) == 1
        values: list[str | None] = []
        for field in fields:
            if field or (whole and any(quoted for _, quoted in pieces)):
                values += self._paths(self._home(field, word))
        return values

    def _all_positional(self, word: Word) -> list[str | None] | None:
        """Return the fields of a word that is ``"$@"`` or ``$*`` alone."""
        parts = word.parts
        if len(parts) == 1 and isinstance(parts[0], DoubleQuoted):
            parts = parts[0].parts
        part = parts[0] if len(parts) == 1 else None
        if (
            not isinstance(part, ParameterExpansion)
            or part.name not in ("@", "*")
            or part.operator
            or part.prefix
        ):
            return None
        return [None] if self._known.positional is None else list(self._known.positional)

    def _pieces(self, parts: tuple[WordPart, ...], *, quoted: bool) -> Iterator[tuple[str | None, bool]]:
        for part in parts:
            if isinstance(part, DoubleQuoted):
                yield joined([text for text, _ in self._pieces(part.parts, quoted=True)]), True
            elif isinstance(part, (Escaped, SingleQuoted, AnsiQuoted)):
                yield part.text, True
            elif isinstance(part, Literal):
                yield part.text, quoted
            elif isinstance(part, ParameterExpansion):
                yield self._parameter(part), quoted
            elif isinstance(part, CommandSubstitution):
                yield self._substitution(part.body), quoted
            elif isinstance(part, Backquoted):
                yield self._backquoted(part), quoted
            else:
                yield None, quoted

    def _home(self, text: str, word: Word) -> str:
        first = word.parts[0] if word.parts else None
        if isinstance(first, Literal) and (first.text == "~" or first.text.startswith("~/")):
            return self._known.variables.get("HOME", "~") + text[1:]
        return text

    def _paths(self, pattern: str) -> list[str | None]:
        """Return the paths that match a pattern, or its own text when it is not a pattern."""
        if not has_magic(pattern):
            return [_unquoted(pattern)]
        if not self._known.usual or (self._known.lost and pattern[:1] != "/"):
            return [None]
        paths: dict[str | None, None] = {}
        for directory in self._known.directories:
            whole = _normal(pattern if pattern[:1] == "/" else f"{quote(directory.rstrip('/'))}/{pattern}")
            self._patterns.setdefault(whole)
            prefix = "" if pattern[:1] == "/" else directory.rstrip("/") + "/"
            for path in islice(matching(whole, self._machine), MAX_WORDS + 1):
                if pattern[-1:] != "/":
                    paths.setdefault(path.removeprefix(prefix))
                elif self._machine.names(path) is not None:
                    paths.setdefault(path.removeprefix(prefix) + "/")
        if len(paths) > MAX_WORDS:
            return [None]
        return list(paths) or [_unquoted(pattern)]

    def _parameter(self, part: ParameterExpansion) -> str | None:
        return expansion(part, self._value_of(part), self.value)

    def _value_of(self, part: ParameterExpansion) -> str | None:
        known = self._known
        if part.name == "0":
            return known.zero
        if part.name == "BASH_SOURCE":
            first = part.subscript is None or unquoted_text(part.subscript) == "0"
            return known.source if first else None
        if part.subscript is not None:
            return None
        if part.name == "PWD":
            return known.directory
        if part.name.isdecimal():
            at = int(part.name) - 1
            if known.positional is None:
                return None
            return known.positional[at] if at < len(known.positional) else ""
        return known.variables.get(part.name)

    def _backquoted(self, part: Backquoted) -> str | None:
        try:
            units = parse_cached(part.text)
        except (ShellSyntaxError, LimitExceeded):
            return None
        return self._substitution(units[0]) if len(units) == 1 and isinstance(units[0], CommandList) else None

    def _substitution(self, body: CommandList | None) -> str | None:
        """Return the output of the usual commands that find a directory: pwd, dirname, cd and pwd, readlink."""
        lines = [self._line(call) for call in _calls(body)]
        if not lines or any(None in line for line in lines):
            return None
        first = [word for word in lines[0] if word not in (None, "--", "-P", "-L", "-f", "-e", "-m")]
        if len(lines) == 2 and first[:1] == ["cd"] and lines[1][0] == "pwd" and len(first) == 2:
            place = self._from_here(first[1], physical="-P" in lines[0])
            return place if place is None or "-P" not in lines[1] else self._from_here(place, physical=True)
        if len(lines) != 1:
            return None
        if first == ["pwd"]:
            return self._from_here(".", physical="-P" in lines[0])
        if len(first) != 2:
            return None
        if first[0] == "dirname":
            return posixpath.dirname(first[1].rstrip("/")) or ("/" if first[1][:1] == "/" else ".")
        if first[0] == "basename":
            return posixpath.basename(first[1].rstrip("/"))
        if first[0] == "realpath" or (first[0] == "readlink" and {"-f", "-e", "-m"} & set(lines[0])):
            return self._from_here(first[1], physical=True)
        return None

    def _from_here(self, path: str, *, physical: bool) -> str | None:
        here = self._known.directory
        if here is None and path[:1] != "/":
            return None
        prefix = COPY if path.startswith(COPY) else ""
        path = path.removeprefix(prefix)
        if physical:
            place = self._machine.resolve(reachable(path, here or "/", self._machine)[-1])
            return prefix + place
        return prefix + absolute(path, here or "/")

    def _line(self, call: SimpleCommand) -> list[str | None]:
        return [None if isinstance(word, Assignment) else self.value(word) for word in call.words]


def _other_home(word: Word) -> bool:
    """Return True for the home of another user, ``~+`` and ``~-``, and a ``~`` that an assignment may expand later."""
    first = word.parts[0] if word.parts else None
    if isinstance(first, Literal) and first.text[:1] == "~" and first.text[1:2] not in ("", "/"):
        return True
    return any(isinstance(part, Literal) and ":~" in part.text for part in word.parts)


def _calls(body: CommandList | None) -> list[SimpleCommand]:
    """Return the commands of a list of simple commands, which && may join; [] for any other body."""
    calls: list[SimpleCommand] = []
    for item in body.items if body is not None else ():
        commands = item.command.commands if isinstance(item.command, AndOr) else (item.command,)
        if isinstance(item.command, AndOr) and set(item.command.operators) != {"&&"}:
            return []
        for command in commands:
            if not isinstance(command, SimpleCommand) or not command.words or item.background:
                return []
            calls.append(command)
    return calls


def matching(pattern: str, machine: Machine) -> Iterator[str]:
    """Yield the existing paths that an absolute pattern matches, in order."""
    bases = ["/" if _is_share(pattern) else ""]
    parts = [part for part in pattern.split("/") if part]
    for part in parts:
        if not has_magic(part):
            bases = [f"{base}/{_unquoted(part)}" for base in bases]
            continue
        test = compile_pattern(part)
        hidden = part[:1] == "."
        bases = [
            f"{base}/{name}"
            for base in bases[:MAX_WORDS]
            for name in sorted(machine.names(base or "/") or ())
            if (hidden or name[:1] != ".") and test.matches(name)
        ]
    for base in bases:
        if machine.read(base) is not None or machine.names(base) is not None:
            yield base


def shown_pattern(pattern: str) -> str:
    """Return a pattern for people: the path itself when it matches only that."""
    return pattern if has_magic(pattern) else _unquoted(pattern)


def _normal(pattern: str) -> str:
    """Return an absolute pattern without "." and, where the part before it is no pattern, ".."."""
    parts: list[str] = []
    for part in pattern.split("/"):
        if part == ".." and parts and not has_magic(parts[-1]):
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return ("//" if _is_share(pattern) else "/") + "/".join(parts)


def _unquoted(pattern: str) -> str:
    """Return the text that a pattern without special characters matches."""
    text, escaped = "", False
    for letter in pattern:
        if letter == "\\" and not escaped:
            escaped = True
            continue
        text, escaped = text + letter, False
    return text


def interpreter_words(interpreter: str, argument: str | None) -> list[str]:
    """Return the command line of a "#!" line, without the script."""
    if base_name(interpreter) != "env":
        return [interpreter, argument] if argument else [interpreter]
    line = read_env_line(argument, {})
    return [line.program, *line.arguments]
