"""One command as the tables of effects see it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Protocol

from sandhook.vetting.bundle import Language
from sandhook.vetting.notes import Notes
from sandhook.vetting.places import ENDLESS, Access, facts_in
from sandhook.vetting.policy import METADATA, payload_part
from sandhook.vetting.rules import RuleId, Severity
from sandhook.vetting.state import ShellState
from sandhook.vetting.values import HOLE, NOTHING, Origin, Origins, Value


class Runner(Protocol):
    """Follows what a command executes."""

    notes: Notes

    def run_text(self, value: Value, state: ShellState, how: str, at: tuple[int, int]) -> Value:
        """Follow a text that a shell executes; return its output."""
        ...

    def evaluates(self, value: Value, call: Call) -> None:
        """Report a name of a variable whose subscript a shell evaluates."""
        ...

    def run_words(
        self, words: Sequence[Value], state: ShellState, at: tuple[int, int], *, own: bool = False
    ) -> Value:
        """Follow a command line whose words are these; return its output.

        Args:
            own: The shell itself runs it, so that it may be a function.
        """
        ...

    def run_file(
        self,
        path: Value,
        state: ShellState,
        arguments: Sequence[Value],
        at: tuple[int, int],
        *,
        sourced: bool = False,
        language: Language | None = None,
    ) -> Value:
        """Follow a file that is executed or sourced; return its output.

        Args:
            language: That of the program that reads the file; None for a file that is started itself.
        """
        ...

    def compute(self, words: Sequence[str], stdin: str) -> str | None:
        """Return the output of a command without effects, or None."""
        ...

    def printed(self, call: Call, value: Value) -> None:
        """Report a text that a command prints."""
        ...

    def all_variables(self) -> Value:
        """Return the value of a list of all variables."""
        ...

    def variable(self, name: str) -> Value:
        """Return a variable of the environment."""
        ...

    def assigned(self, name: str, value: Value, call: Call) -> None:
        """Report an assignment to an exported variable."""
        ...

    def content(self, path: str, state: ShellState) -> Value | None:
        """Return what a file has, where that is known."""
        ...

    def stored(self, content: Value, path: Value, call: Call) -> None:
        """Report a program in a text that is written to a file."""
        ...

    def changed(self, text: str, path: Value, call: Call) -> None:
        """Report a text that becomes a part of a file of a build, if it starts something there."""
        ...

    def lasting(self, content: Value, call: Call) -> None:
        """Report a text that later shells execute."""
        ...


#: The shortest beginning of a long option that counts: a shorter one stands for several.
_SHORTEST = len("--to")


def is_beginning(name: str, option: str) -> bool:
    """Return True if a word is a long option, or a beginning of it, which getopt_long takes as well."""
    return name[:2] == "--" and len(name) >= _SHORTEST and option.startswith(name)


class Call:
    """A command with the values of its words.

    Attributes:
        name: Its name, without a directory.
        words: Its arguments, without the name.
        state: The shell that calls it.
        file: The script.
        at: Line and column.
        stdin: What its standard input has.
        runner: Follows what it executes.
    """

    __slots__ = ("at", "file", "name", "runner", "state", "stdin", "words")

    def __init__(
        self,
        name: str,
        words: Sequence[Value],
        state: ShellState,
        place: tuple[str, tuple[int, int]],
        runner: Runner,
    ) -> None:
        self.name = name
        self.words = list(words)
        self.state = state
        self.stdin = state.stdin
        self.file, self.at = place
        self.runner = runner

    @property
    def texts(self) -> list[str]:
        """The arguments, the first possible text of each."""
        return [word.any_text for word in self.words]

    @property
    def operands(self) -> list[Value]:
        """The arguments that are no options."""
        return [word for word in self.words if not word.any_text.startswith("-") or word.any_text == "-"]

    def has(self, *options: str) -> bool:
        """Return True if one of these options is there; a letter may be in a group of letters."""
        for text in self.texts:
            if text == "--":
                return False
            if text in options or any(text.startswith(f"{each}=") for each in options):
                return True
            if text[:1] == "-" != text[1:2] and any(len(each) == 2 and each[1] in text for each in options):
                return True
        return False

    def argument(self, *options: str) -> Value | None:
        """Return the argument of the first of these options that is there."""
        for index, word in enumerate(self.words):
            text = word.any_text
            for option in options:
                if text == option or is_beginning(text, option):
                    return self.words[index + 1] if index + 1 < len(self.words) else None
                name, equals, value = text.partition("=")
                if equals and is_beginning(name, option):
                    return Value((value,), word.origins)
        return None

    def arguments(self, *options: str) -> list[Value]:
        """Return the arguments of all occurrences of these options, also those written without a blank."""
        values: list[Value] = []
        for index, word in enumerate(self.words):
            text = word.any_text
            name, equals, value = text.partition("=")
            for option in options:
                if (text == option or is_beginning(text, option)) and index + 1 < len(self.words):
                    values.append(self.words[index + 1])
                elif equals and is_beginning(name, option):
                    values.append(Value((value,), word.origins))
                elif option[:2] != "--" and text.startswith(option) and len(text) > 2 and text[:2] != "--":
                    values.append(Value((text[2:],), word.origins))
        return values

    @property
    def origins(self) -> Origins:
        """The origins of all arguments."""
        return frozenset(origin for word in self.words for origin in word.origins)

    def find(self, rule: RuleId, detail: str = "", severity: Severity | None = None) -> None:
        """Report a finding at this command."""
        self.runner.notes.find(rule, detail or self.line, self.file, self.at, severity)

    @property
    def line(self) -> str:
        """The command for people."""
        return " ".join([self.name, *self.texts])

    def access(self, path: Value, access: Access) -> Origins:
        """Record an access to a path; return the origins of what is read there."""
        origins: set[Origin] = set()
        for text in path.texts:
            if text == HOLE:
                self.runner.notes.access("*", access)
                if access == "read" and not path.has("mixed"):
                    origins.add(Origin("file", "a file that is not known"))
            if text in ("", "-", HOLE):
                continue
            name = self.state.path(text)
            rule = self.runner.notes.place(name, access, self.file, self.at)
            if access == "read" and name in ENDLESS:
                origins.add(Origin("mixed", "endless"))
            if access == "read" and (facts := facts_in(name)) is not None:
                origins.add(facts)
            if access == "read":
                written = self.state.written.get(name)
                origins |= written.origins if written is not None else set()
                if rule in ("V-READ-SECRET", "V-READ-ENV-FILE"):
                    origins.add(Origin("secret", name))
                elif written is None and not name.startswith("/dev/"):
                    origins.add(Origin("file", name))
        if access == "read" and HOLE in path.any_text:  # a name that leads to secrets
            named = {
                each for each in path.origins if each.kind == "secret" and each.name.startswith("files named")
            }
            for each in named:
                self.find("V-READ-SECRET", f"reads {each.name}")
            origins |= named
        if access == "read" and path.has("payload") and "transcript" in path.names("payload"):
            origins.add(Origin("transcript"))
        return frozenset(origins)

    def reads(self, paths: Iterable[Value]) -> Origins:
        """Record paths that are read; return the origins of what is there."""
        origins: Origins = NOTHING
        for path in paths:
            origins |= self.access(path, "read")
        return origins

    def writes(self, path: Value, content: Value | None = None, *, append: bool = False) -> None:
        """Record a path that is written, with what is written."""
        self.access(path, "write")
        for text in path.texts:
            if text not in ("", "-", HOLE) and content is not None:
                self.state.store(self.state.path(text), content, append=append)

    def passed(self, *more: Origin) -> Value:
        """Return an unknown output that may have all that the command reads."""
        origins = self.stdin.origins | self.origins | frozenset(more)
        for word in self.operands:
            if word.texts == (HOLE,) and "transcript" in word.names("payload"):
                origins |= self.access(word, "read")
        if self.stdin.has("payload"):
            filtered = payload_part(" ".join(self.texts))
            if filtered.name == METADATA:
                origins = frozenset(filtered if each.kind == "payload" else each for each in origins)
        return Value((HOLE,), origins)


def only_parses(call: Call) -> bool:
    """Return True for a shell that parses and does not run: ``bash -n``."""
    options = takewhile(lambda text: text[:1] == "-" and text != "--", call.texts)
    return any("n" in text and text[1:2] != "-" for text in options)


def access_unknown(call: Call) -> Origins:
    """Record operands that look like paths of a program without an effect of its own; return their origins."""
    origins: Origins = NOTHING
    for word in call.operands:
        text = word.any_text
        if (
            text.startswith(("/", "~", "./", "../", "."))
            and len(text) > 1
            and "://" not in text
            and "\n" not in text
        ):
            origins |= call.access(word, "read")
    return origins
