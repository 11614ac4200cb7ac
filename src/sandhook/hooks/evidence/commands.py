"""What one simple command of a hook executes, and what it changes for the commands after it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, TypeAlias

from sandhook.builtins import NAMES
from sandhook.dispatch.envline import EnvError, read_env_line
from sandhook.dispatch.extensions import advice, extension
from sandhook.dispatch.operands import SHELLS, Part, base_name, execution, is_system_program
from sandhook.dispatch.shebang import BOM, READ, ShebangError, read_shebang
from sandhook.errors import TrustError
from sandhook.hooks.evidence.words import MACHINE_PATH, Knowledge, Machine, WordReader, absolute
from sandhook.host.environment import loads_code
from sandhook.lazy import lazily
from sandhook.pattern.glob import quote
from sandhook.record import Record
from sandhook.syntax.nodes import Assignment, Node, Word

#: The most files and bytes that one approval covers.
MAX_FILES, MAX_BYTES = 64, 4 << 20

#: Levels of functions and scripts that call each other.
_DEPTH = 24

Use: TypeAlias = Literal["runs", "sources"]
Fields: TypeAlias = Sequence[str | None]

_ASSIGNMENT = lazily(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
#: Variables of loads_code that only change how text is read or printed.
_HARMLESS = frozenset({"IFS", "TIMEFORMAT", "BASH_XTRACEFD", "PS0", "PROMPT_COMMAND"})
#: Variables that name a program, which another program starts.
_PROGRAMS = frozenset(
    {
        "BROWSER",
        "CC",
        "CXX",
        "EDITOR",
        "GIT_EDITOR",
        "GIT_PAGER",
        "MANPAGER",
        "MAKEFLAGS",
        "PAGER",
        "SHELL",
        "VISUAL",
    }
)


class NamedFile(Record):
    """A file that a hook executes.

    Attributes:
        path: Its absolute path, with slashes.
        data: Its bytes.
        how: "runs" or "sources".
    """

    path: str
    data: bytes
    how: Use


class Commands:
    """Follows simple commands; ``Walker`` follows everything that contains them.

    Attributes:
        files: The files that are executed, by path.
        absent: Patterns of paths that are executed when a file is there, and that have no further file.
        commands: Names of the commands that are called and not defined.
        unknown: What is executed and cannot be known.
    """

    #: What built-ins do, by name.
    effects: Mapping[str, Callable[[Commands, Fields, Knowledge, int], None]] = {}

    def __init__(self, machine: Machine, variables: Mapping[str, str]) -> None:
        self.machine = machine
        self.base = {"PATH": MACHINE_PATH, **variables}
        self.files: dict[str, NamedFile] = {}
        self.absent: dict[str, None] = {}
        self.commands: dict[str, None] = {}
        self.unknown: dict[str, None] = {}
        self.seen: dict[str, None] = {}  # every working directory so far
        self.where = "the command"
        self.locals: list[set[str]] = []  # of the functions that are followed, innermost last
        self._size = 0
        self._depth = 0
        self._followed: set[tuple[object, ...]] = set()

    # What the walker adds.

    def text(self, text: str, known: Knowledge) -> None:
        """Follow a shell text."""
        raise NotImplementedError

    def body(self, node: Node, known: Knowledge) -> None:
        """Follow a part of a script."""
        raise NotImplementedError

    def later(self, text: str) -> None:
        """Follow a text that runs at a time which is not known: a trap, an alias."""
        raise NotImplementedError

    def called(self, name: str) -> None:
        """Record that a function is called."""
        raise NotImplementedError

    # Commands.

    def begin(self, directory: str) -> Knowledge:
        """Return what is known where a hook begins."""
        self.seen.setdefault(directory)
        return Knowledge(directory, dict(self.base))

    def reader(self, known: Knowledge) -> WordReader:
        return WordReader(known, self.machine, self.absent)

    def note(self, line: int, text: str) -> None:
        """List something that cannot be known."""
        self.unknown.setdefault(f"{self.where}:{line}: {text}" if line else f"{self.where}: {text}")

    def call(self, fields: Fields, known: Knowledge, line: int) -> None:
        """Follow a command whose words are expanded; ``known`` has its streams."""
        name = fields[0]
        if name is None:
            self.note(line, "calls what it computes")
        elif name in known.functions:
            self._function(name, fields, known)
        elif (effect := self.effects.get(name)) is not None:
            effect(self, fields, known, line)
        else:
            self.external(fields, known, line)

    def external(self, fields: Fields, known: Knowledge, line: int) -> None:
        """Follow a command that is neither a function nor a built-in that matters here."""
        name = fields[0]
        if name is None:
            self.note(line, "calls what it computes")
            return
        self.commands.setdefault(name)
        if "/" in name or "\\" in name:
            self.file(name, known, line, fields)
        elif name not in NAMES:
            self._on_path(name, known, line, fields)
        self._arguments(fields, base_name(name), known, line)

    def _arguments(self, fields: Fields, name: str, known: Knowledge, line: int) -> None:
        """Follow what the arguments of a program execute."""
        executed = execution(fields)
        for index in executed.files:
            self._operand(fields[index:], name, known, line)
        if executed.text is not None:
            self._shell_text(fields[executed.text :], name, known, line)
        for part in executed.parts:
            self._part(part, name, fields, known, line)
        if executed.stdin:
            self._input(0, name, known, line)
        for text in executed.unknown:
            self.note(line, text)

    def _function(self, name: str, fields: Fields, known: Knowledge) -> None:
        self.called(name)
        body = known.functions[name]
        before = dict(known.variables)
        self.locals.append(set())
        positional, known.positional = known.positional, tuple(fields[1:])
        with self._entered(("function", id(body), known.key()), known, once=False) as entered:
            if entered:
                self.body(body, known)
        known.positional = positional
        for each in self.locals.pop():  # whether it was local there may depend on the way
            if known.variables.get(each) != before.get(each):
                known.variables.pop(each, None)

    @contextmanager
    def _entered(self, key: tuple[object, ...], known: Knowledge, *, once: bool) -> Iterator[bool]:
        """Enter a function or a file; False when it is entered already in the same state.

        Args:
            once: It changes nothing for its caller, so that it need not be followed again.
        """
        if key in self._followed or self._depth >= _DEPTH:
            if self._depth >= _DEPTH:
                self.note(0, f"has more than {_DEPTH} levels of functions and scripts")
            if not once:  # what the inner call changes is not known
                known.forget()
                known.lost = True
            yield False
            return
        self._followed.add(key)
        self._depth += 1
        try:
            yield True
        finally:
            self._depth -= 1
            if not once:
                self._followed.discard(key)

    def _part(self, part: Part, name: str, fields: Fields, known: Knowledge, line: int) -> None:
        """Follow a command line within a command line."""
        words = list(fields[part.start : part.end])
        if part.computed:
            words = [None if word is not None and "{}" in word else word for word in words]
            words += [None] if name == "xargs" else []
        if not words:
            return
        if name in ("command", "builtin", "exec"):
            inner = known if name != "exec" else known.copy()
            functions, inner.functions = inner.functions, {}
            self.call(words, inner, line)
            inner.functions = functions | inner.functions
            return
        inner = known.copy()
        if part.directory is not None:
            self.change_directory(fields[part.directory], inner, certain=True)
        inner.lost = inner.lost or part.elsewhere
        for index in part.assigned:
            self.assign_text(fields[index] or "", inner, line)
        self.external(words, inner, line)

    def _operand(self, fields: Fields, program: str, known: Knowledge, line: int) -> None:
        """Follow a file that an interpreter executes."""
        word = fields[0]
        if word is None:
            self.note(line, f"{program} runs a file whose name it computes")
            return
        descriptor = descriptor_of(word)
        if descriptor is not None:
            self._input(descriptor, program, known, line)
            return
        self.file(word, known, line, fields, program=program)
        if "/" not in word and program in SHELLS:  # after the working directory
            self._on_path(word, known, line, fields, program)

    def _input(self, descriptor: int, program: str, known: Knowledge, line: int) -> None:
        """Follow what an interpreter reads from a descriptor."""
        stream = known.streams.get(descriptor)
        if stream is None:
            self.note(line, f"{program} executes its standard input")
        elif stream.path is not None:
            self.file(stream.path, known, line, [stream.path], program=program)
        elif stream.text is None:
            self.note(line, f"{program} executes what it reads from a pipe or a computed file")
        elif program in SHELLS:
            self.text(stream.text, self._child(known))

    def _shell_text(self, fields: Fields, program: str, known: Knowledge, line: int) -> None:
        text = fields[0]
        if text is None:
            self.note(line, f"{program} -c runs a text that it computes")
            return
        inner = self._child(known)
        inner.zero = fields[1] if len(fields) > 1 else None
        inner.positional = tuple(fields[2:])
        self.text(text, inner)

    def _on_path(self, name: str, known: Knowledge, line: int, fields: Fields, program: str = "") -> None:
        path = known.variables.get("PATH")
        if path is None:
            self.note(line, "looks commands up in a PATH that it computes")
            return
        for entry in path.split(":"):
            for directory in known.directories:
                place = absolute(entry or ".", directory)
                if not is_system_program(f"{place}/x"):
                    self.file(f"{place}/{name}", known, line, fields, program=program)

    def _child(self, known: Knowledge) -> Knowledge:
        """Return what a shell that a command starts knows: the environment that it began with, where unchanged."""
        child = known.copy()
        child.variables = {name: text for name, text in known.variables.items() if name in self.base}
        child.functions = {}
        child.zero = child.source = None
        child.positional = ()
        child.usual = True
        return child

    # Files.

    def file(
        self,
        word: str,
        known: Knowledge,
        line: int,
        fields: Fields = (),
        *,
        how: Use = "runs",
        program: str = "",
    ) -> None:
        """Record a file that is executed, and follow it.

        Args:
            word: Its path as written.
            fields: The words of the call from the file on.
            how: "sources" reads it into the same shell.
            program: The interpreter that runs it; "" for a file that is called by its path.
        """
        relative = word[:1] != "/" and word[1:3] not in (":/", ":\\")
        if "\0" in word or len(word) > 4096:
            return
        if relative and known.lost:
            self.note(line, f"{how} {word} in a directory that it computes")
        for directory in known.directories if relative else known.directories[:1]:
            path = absolute(word, directory)
            if is_system_program(path):
                continue
            data = self._read(path, how)
            if data is None:
                self.absent.setdefault(quote(path))
                continue
            runs = how == "runs"
            state = self._child(known).key() if runs else known.key()
            key = (path, how, program, tuple(fields[1:]), state)
            with self._entered(key, known, once=runs) as entered:
                if entered:
                    where, self.where = self.where, path
                    self._follow(word, data, known, tuple(fields), how, program)
                    self.where = where

    def _read(self, path: str, how: Use) -> bytes | None:
        if path in self.files:
            return self.files[path].data
        data = self.machine.read(path)
        if data is None:
            return None
        self._size += len(data)
        if len(self.files) >= MAX_FILES or self._size > MAX_BYTES:
            raise TrustError(f"it executes more than {MAX_FILES} files or {MAX_BYTES} bytes")
        self.files[path] = NamedFile(path, data, how)
        return data

    def _follow(
        self, word: str, data: bytes, known: Knowledge, fields: Fields, how: Use, program: str
    ) -> None:
        text = data.removeprefix(BOM).decode("utf-8", "replace")
        if how == "sources":
            source, known.source = known.source, word
            positional = known.positional
            if len(fields) > 1:
                known.positional = tuple(fields[1:])
            self.text(text, known)
            known.source, known.positional = source, positional
            return
        child = self._child(known)
        child.zero = child.source = word
        child.positional = tuple(fields[1:])
        if program:
            if program in SHELLS:
                self.text(text, child)
            return
        try:
            shebang = read_shebang(data[:READ])
            line = shebang and _interpreter_words(shebang.interpreter, shebang.argument)
        except (ShebangError, EnvError):
            return  # it does not start
        if line:
            if "/" in line[0]:
                self.file(line[0], child, 1, line)
            self._arguments([*line, word, *fields[1:]], base_name(line[0]), self._child(known), 1)
        elif b"\0" not in data[:128] and advice(extension(word, windows=False)) is None:
            self.text(text, child)

    # Variables and directories.

    def assign(self, node: Assignment, known: Knowledge, line: int) -> None:
        """Follow an assignment."""
        value = node.value
        text = self.reader(known).value(value) if isinstance(value, Word) else None
        if node.append or node.subscript is not None:
            text = None
        self._set(node.name, text, known, line)

    def assign_text(self, text: str, known: Knowledge, line: int) -> None:
        """Follow ``NAME=VALUE`` as an argument."""
        match = _ASSIGNMENT.fullmatch(text)
        if match is not None:
            self._set(match.group(1), match.group(2), known, line)

    def _set(self, name: str, value: str | None, known: Knowledge, line: int) -> None:
        if value is None:
            known.variables.pop(name, None)
        else:
            known.variables[name] = value
        if name == "IFS":
            known.usual = False
        if name in ("BASH_ENV", "ENV"):
            if value is None:
                self.note(line, f"sources what {name} names, which it computes")
            elif value:
                self.file(value, known, line, how="sources")
        elif name in _PROGRAMS and value and "/" not in value and " " not in value:
            return
        elif (loads_code(name) and name not in _HARMLESS) or name in _PROGRAMS:
            self.note(line, f"sets {name}, which makes programs load or run code")

    def change_directory(self, target: str | None, known: Knowledge, *, certain: bool = False) -> None:
        """Follow a change of the working directory.

        Args:
            certain: The command after it does not run when the change fails.
        """
        if target is None:
            known.lost = True
            return
        places = [absolute(target, directory) for directory in known.directories]
        if target[:1] == "/":
            places, known.lost = places[:1], False
        exists = all(self.machine.names(place) is not None for place in places)
        kept = [] if exists or certain else known.directories
        known.directories = list(dict.fromkeys((*places, *kept)))
        if len(known.directories) > 32:
            known.directories, known.lost = known.directories[:32], True
        self.seen.update(dict.fromkeys(known.directories))


def descriptor_of(word: str) -> int | None:
    """Return the number of a descriptor that a path names, or None."""
    if word == "/dev/stdin":
        return 0
    for prefix in ("/dev/fd/", "/proc/self/fd/"):
        if word.startswith(prefix) and word[len(prefix) :].isdecimal():
            return int(word[len(prefix) :])
    return None


def _interpreter_words(interpreter: str, argument: str | None) -> list[str]:
    """Return the command line of a "#!" line, without the script."""
    if base_name(interpreter) != "env":
        return [interpreter, argument] if argument else [interpreter]
    line = read_env_line(argument, {})
    return [line.program, *line.arguments]
