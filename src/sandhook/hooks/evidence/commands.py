"""What one simple command of a hook executes, and what it changes for the commands after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from sandhook.builtins import NAMES
from sandhook.dispatch.envline import EnvError
from sandhook.dispatch.extensions import advice, extension
from sandhook.dispatch.operands import SHELLS, base_name, execution, has_dot_command, is_system_program
from sandhook.dispatch.ownline import NAME as OWN_NAME
from sandhook.dispatch.parts import Part
from sandhook.dispatch.shebang import READ, ShebangError, read_shebang
from sandhook.errors import TrustError
from sandhook.hooks.evidence.bounds import (
    MAX_PATH,
    MAX_PLACES,
    MAX_VALUES,
    NamedFile,
    Use,
    is_program_of_machine,
)
from sandhook.hooks.evidence.knowledge import (
    COMMAND_LINE,
    COPY,
    MACHINE_PATH,
    SHELL,
    Knowledge,
    descriptor_of,
    reachable,
)
from sandhook.hooks.evidence.machine import ExecutedFiles, Machine, Recorder, text_of
from sandhook.hooks.evidence.variables import effect_of, has_substitution, stays
from sandhook.hooks.evidence.words import WordReader, interpreter_words, shown_pattern
from sandhook.hooks.evidence.writes import added_names, extracts, is_written, replaces_directory, written_by
from sandhook.lazy import lazily
from sandhook.pattern.glob import quote
from sandhook.syntax.nodes import Assignment, Node, Word

#: The name of a hook's own text in places.
THE_COMMAND = "the command"

#: Levels of functions and scripts that call each other.
_DEPTH = 24

#: Shells whose scripts run in our own shell, when nothing else starts them.
_OWN_SHELLS = ("bash", "sh")

Fields: TypeAlias = Sequence[str | None]

_ASSIGNMENT = lazily(r"(?s)([A-Za-z_]\w*)=(.*)")


class Commands:
    """Follows simple commands; ``Walker`` follows everything that contains them.

    Attributes:
        files: The files that are executed, by path.
        absent: Patterns of paths that are executed when a file is there, and that have no further file.
        commands: Names of the programs that are called, and ``kill``.
        unknown: What is executed and cannot be known.
        computed: Places, ``FILE:LINE``, where the name of what is executed is not known.
    """

    #: What built-ins do, by name.
    effects: Mapping[str, Callable[[Commands, Fields, Knowledge, int], None]] = {}

    def __init__(self, machine: Machine, variables: Mapping[str, str]) -> None:
        self.machine = Recorder(machine)
        self.base = {"PATH": MACHINE_PATH, **variables}
        self._executed = ExecutedFiles(self.machine)
        self.files = self._executed.files
        self.absent: dict[str, None] = {}
        self.commands: dict[str, None] = {}
        self.unknown: dict[str, None] = {}
        self.computed: dict[str, None] = {}
        self.seen: dict[str, None] = {}  # every working directory so far
        self.where = THE_COMMAND
        self.attributes: dict[str, str] = {}  # by variable: letters of declare, of CHANGING
        self.aliases: set[str | None] = set()
        self.left: list[list[Knowledge]] = []  # at each way out of what is followed, innermost last
        self.locals: list[set[str]] = []  # of the functions that are followed, innermost last
        self._places_of_writes: dict[str, str] = {}  # paths that the scripts write, and where
        self._extracts: str | None = None  # the command that writes files by names that are not known
        self._places = self._values = 0
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

    def record_call(self, name: str, body: Node) -> None:
        """Record that a function is called."""
        raise NotImplementedError

    # Commands.

    def begin(self, directory: str) -> Knowledge:
        """Return what is known where a hook begins."""
        self.seen.setdefault(directory)
        return Knowledge(directory, dict(self.base))

    def reader(self, known: Knowledge) -> WordReader:
        return WordReader(known, self.machine, self.absent, self._charge_value)

    def _charge_value(self, size: int) -> None:
        self._values += size
        if self._values > MAX_VALUES:
            raise TrustError(f"its scripts expand to more than {MAX_VALUES} characters")

    def note(self, line: int, text: str, *, names_file: bool = False) -> None:
        """List something that cannot be known.

        Args:
            names_file: It is the name of a command or a file that is executed.
        """
        place = f"{self.where}:{line}" if line else self.where
        self.unknown.setdefault(f"{place}: {text}")
        if names_file:
            self.computed.setdefault(f"{self.where}:{line}")

    def call(self, fields: Fields, known: Knowledge, line: int) -> None:
        """Follow a command whose words are expanded; ``known`` has its streams."""
        name = fields[0]
        if name in self.aliases:
            self.note(line, f"calls the alias {name}")
        if name is None:
            self.note(line, "calls what it computes", names_file=True)
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
            self.note(line, "calls what it computes", names_file=True)
            return
        if name not in NAMES or name == "kill":  # other built-ins act on the shell alone
            self.commands.setdefault(name)
        self._record_writes(fields, known, line)
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
            self.note(line, text, names_file=name in SHELLS)

    def _function(self, name: str, fields: Fields, known: Knowledge) -> None:
        body = known.functions[name]
        self.record_call(name, body)
        before = dict(known.variables)
        self.locals.append(set())
        positional, known.positional = known.positional, tuple(fields[1:])
        with self._entered(("function", id(body), known.key()), known, once=False) as entered:
            if entered:
                with self.joined_exits(known):
                    self.body(body, known)
        known.positional = positional
        for each in self.locals.pop():  # whether it was local there may depend on the way
            if known.variables.get(each) != before.get(each):
                known.variables.pop(each, None)

    @contextmanager
    def joined_exits(self, known: Knowledge) -> Iterator[None]:
        """Follow a function, a file or a round of a loop; what is known after it holds on every way out."""
        self.left.append([])
        yield
        for each in self.left.pop():
            known.join(each)

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
            words = [None if word is not None and part.marker in word else word for word in words]
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
        path_is_set = any((fields[index] or "").startswith("PATH=") for index in part.assigned)
        elsewhere = part.elsewhere or part.directory is not None or path_is_set
        inner.foreign = max(SHELL if elsewhere else COMMAND_LINE, known.foreign)
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
            self.note(line, f"{program} runs a file whose name it computes", names_file=True)
            return
        descriptor = 0 if word == "-" and program not in SHELLS else descriptor_of(word)
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
            self.text(stream.text, self._child(known, program))
        else:
            self.note(line, f"{program} executes a text")

    def _shell_text(self, fields: Fields, program: str, known: Knowledge, line: int) -> None:
        text = fields[0]
        if text is None:
            self.note(line, f"{program} -c runs a text that it computes")
            return
        inner = self._child(known, program)
        inner.zero = fields[1] if len(fields) > 1 else None
        inner.positional = tuple(fields[2:])
        self.text(text, inner)

    def _on_path(self, name: str, known: Knowledge, line: int, fields: Fields, program: str = "") -> None:
        path = known.variables.get("PATH")
        if path is None:
            self.note(line, "looks commands up in a PATH that it computes")
            return
        for entry in path.split(":"):
            for place in self.reachable(entry or ".", known.directories):
                if not is_system_program(f"{place}/x"):
                    inner = known.copy()
                    inner.foreign = SHELL if known.foreign else 0  # the program looks it up
                    self.file(f"{place}/{name}", inner, line, fields, program=program)

    def _child(self, known: Knowledge, program: str = "") -> Knowledge:
        """Return what a shell that a command starts knows: the environment that it began with, where unchanged."""
        child = known.copy()
        child.variables = {name: text for name, text in known.variables.items() if name in self.base}
        child.functions = {}
        child.zero = child.source = None
        child.positional = ()
        child.usual = True
        if known.foreign or program == OWN_NAME or (program in SHELLS and program not in _OWN_SHELLS):
            child.foreign = SHELL
        return child

    # Files.

    def reachable(self, path: str, directories: Sequence[str]) -> list[str]:
        """Return the absolute paths that a name may stand for in each directory. Raises TrustError."""
        self._places += len(directories) * (1 + (len(path) >> 8))
        if self._places > MAX_PLACES:
            raise TrustError(f"its scripts name more than {MAX_PLACES} paths")
        return [each for here in directories for each in reachable(path, here, self.machine)]

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
        relative = word[:1] != "/"
        if "\0" in word or len(word) > 4096:
            return
        is_copy = word.startswith(COPY)
        word = word.removeprefix(COPY) if is_copy else word
        if word.startswith(("/proc/", "/dev/")) and word != "/dev/null":
            self.note(line, f"{how} {word}, which is another file for each process")
            return
        if relative and known.lost:
            self.note(line, f"{how} {word} in a directory that it computes", names_file=True)
        by_name = known.foreign == SHELL or (known.foreign and how == "sources")
        places = known.directories if relative else known.directories[:1]
        for path in self.reachable(word, places):
            if is_program_of_machine(path, self.machine.resolve):
                continue
            if by_name and not is_copy:
                self.note(line, f"{how} {path} by its name, in a shell or a directory of another program")
            if self._extracts is not None:
                self.note(line, f"{how} {path}, which {self._extracts} may write")
            file = self._executed.read(path, how)
            if file is None:
                self.absent.setdefault(quote(path))
                continue
            state = (self._child(known) if how == "runs" else known).key()
            key = (path, how, program, tuple(fields[1:]), state)
            with self._entered(key, known, once=how == "runs") as entered:
                if entered:
                    where, self.where = self.where, path
                    self._follow(COPY + path if is_copy else word, file, known, tuple(fields), program)
                    self.where = where

    def _follow(self, word: str, file: NamedFile, known: Knowledge, fields: Fields, program: str) -> None:
        if file.how == "sources":
            source, known.source = known.source, word
            positional = known.positional
            if len(fields) > 1:
                known.positional = tuple(fields[1:])
            with self.joined_exits(known):
                self.text(text_of(file), known)
            known.source, known.positional = source, positional
            return
        child = self._child(known, program)
        child.zero = child.source = word
        if child.foreign:
            child.zero = child.source = COPY + self.where
        child.positional = tuple(fields[1:])
        if program:
            if program in SHELLS or program == OWN_NAME:
                self.text(text_of(file), child)
            elif program == "sqlite3" and has_dot_command(text_of(file)):
                self.note(0, "sqlite3: its dot-commands")
            return
        try:
            shebang = read_shebang(file.data[:READ])
            line = shebang and interpreter_words(shebang.interpreter, shebang.argument)
        except (ShebangError, EnvError):
            return  # it does not start
        if line:
            if "/" in line[0]:
                self.file(line[0], child, 1, line)
            self._arguments([*line, word, *fields[1:]], base_name(line[0]), self._child(known), 1)
        elif b"\0" not in file.data[:128] and advice(extension(word, windows=False)) is None:
            self.text(text_of(file), child)

    # Files that it writes.

    def writes(self, words: Sequence[str | None], known: Knowledge, line: int) -> None:
        """Record paths that are written."""
        for word in words:
            if word:
                for path in self.reachable(word, known.directories):
                    self._places_of_writes.setdefault(path, f"{self.where}:{line}")

    def _record_writes(self, fields: Fields, known: Knowledge, line: int) -> None:
        if extracts(fields):
            self._extracts = base_name(fields[0] or "")
        for word in written_by(fields):
            paths = self.reachable(word or "", known.directories)
            is_directory = any(self.machine.names(path) is not None for path in paths)
            if word and is_directory and not replaces_directory(fields):
                names = dict.fromkeys(
                    "*" if name is None else name for name in added_names(fields) if name != ""
                )
                self.writes([f"{word}/{name}" for name in names], known, line)
            else:
                self.writes([word], known, line)

    def list_own_files(self) -> None:
        """List what is executed and written: its bytes are not those that were approved."""
        for written, where in self._places_of_writes.items():
            for path in (*self.files, *map(shown_pattern, self.absent)):
                if is_written(path, written):
                    self.unknown.setdefault(f"{where}: writes {path}, which it executes")

    # Variables and directories.

    def assign(self, node: Assignment, known: Knowledge, line: int) -> None:
        """Follow an assignment."""
        value = node.value
        text = self.reader(known).value(value) if isinstance(value, Word) else None
        if node.append or node.subscript is not None:
            text = None
        self.set_value(node.name, text, known, line)

    def assign_text(self, text: str, known: Knowledge, line: int) -> None:
        """Follow ``NAME=VALUE`` as an argument."""
        match = _ASSIGNMENT.fullmatch(text)
        if match is not None:
            self.set_value(match.group(1), match.group(2), known, line)
        elif text.startswith("BASH_FUNC_"):
            self.note(line, "passes a function to shells by a variable")

    def set_value(self, name: str, value: str | None, known: Knowledge, line: int) -> None:
        """Follow a new value of a variable; None when it is not known."""
        if value is None or not stays(name, value, known.variables.get(name), self.attributes.get(name, "")):
            value = None
            known.variables.pop(name, None)
        else:
            known.variables[name] = value
        if name == "IFS":
            known.usual = False
        if name in ("BASH_ENV", "ENV"):
            if value is None or has_substitution(value) or "$" in value:
                self.note(line, f"sources what {name} names, which it computes", names_file=True)
            elif value:
                self.file(value, known, line, how="sources")
        elif (effect := effect_of(name, value)) is not None:
            self.note(line, effect)

    def loses(self, names: Iterable[str], known: Knowledge, line: int) -> None:
        """Follow assignments of values that are not known."""
        for name in names:
            self.set_value(name, None, known, line)

    def change_directory(self, target: str | None, known: Knowledge, *, certain: bool = False) -> None:
        """Follow a change of the working directory.

        Args:
            certain: The command after it does not run when the change fails.
        """
        if target is None:
            known.lost = True
            return
        target = target.removeprefix(COPY)
        places = self.reachable(target, known.directories)
        if target[:1] == "/":
            known.lost = False
        if any(len(place) > MAX_PATH for place in places):
            known.lost = True
            return
        exists = all(self.machine.names(place) is not None for place in places)
        kept = [] if exists or certain else known.directories
        known.directories = list(dict.fromkeys((*places, *kept)))
        if len(known.directories) > 32:
            known.directories, known.lost = known.directories[:32], True
        self.seen.update(dict.fromkeys(known.directories))
