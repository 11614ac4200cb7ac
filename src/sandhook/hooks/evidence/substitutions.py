"""The output of the usual commands that find a directory: pwd, dirname, basename, cd and pwd, readlink, git."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence

from sandhook.hooks.evidence.knowledge import COPY, Knowledge, absolute, reachable
from sandhook.hooks.evidence.machine import Machine
from sandhook.hooks.evidence.repository import Toplevel, toplevel
from sandhook.pattern.glob import quote
from sandhook.syntax.nodes import AndOr, Assignment, CommandList, SimpleCommand, Word


class Substitutions:
    """Returns the output of command substitutions in one shell.

    Args:
        known: The shell.
        machine: The files.
        patterns: Receives the paths that decide and do not exist.
        value: Returns the value of a word, or None.
    """

    def __init__(
        self,
        known: Knowledge,
        machine: Machine,
        patterns: dict[str, None],
        value: Callable[[Word], str | None],
    ) -> None:
        self._known = known
        self._machine = machine
        self._patterns = patterns
        self._value = value

    def output(self, body: CommandList | None) -> str | None:
        """Return the output of a substitution, None when it is not known."""
        choices = _choices(body)
        if len(choices) > 1:
            return self._first_of(choices)
        lines = self._lines(_calls(body))
        if not lines:
            return None
        first = [word for word in lines[0] if word not in (None, "--", "-P", "-L", "-f", "-e", "-m")]
        if len(lines) == 2 and first[:1] == ["cd"] and lines[1][0] == "pwd" and len(first) == 2:
            place = self._from_here(first[1], physical="-P" in lines[0])
            return place if place is None or "-P" not in lines[1] else self._from_here(place, physical=True)
        if len(lines) != 1:
            return None
        if first == ["pwd"]:
            return self._from_here(".", physical="-P" in lines[0])
        if first[0] == "git":
            found = self._toplevel(lines[0])
            return None if found is None else found.path
        if len(first) != 2:
            return None
        if first[0] == "dirname":
            return posixpath.dirname(first[1].rstrip("/")) or ("/" if first[1][:1] == "/" else ".")
        if first[0] == "basename":
            return posixpath.basename(first[1].rstrip("/"))
        if first[0] == "realpath" or (first[0] == "readlink" and {"-f", "-e", "-m"} & set(lines[0])):
            return self._from_here(first[1], physical=True)
        return None

    def _first_of(self, choices: Sequence[SimpleCommand]) -> str | None:
        """Return the output of ``git rev-parse --show-toplevel || OTHER``."""
        first = self._lines(choices[:1])
        place = self._toplevel(first[0]) if first and first[0][:1] == ["git"] else None
        if place is None or not place.outside:
            return None if place is None else place.path
        other = self._lines(choices[1:])
        if len(other) != 1:
            return None
        match other[0]:
            case ["pwd"]:
                return self._from_here(".", physical=False)
            case ["echo", text] if text[:1] != "-" and "\\" not in text:
                return text
        return None

    def _toplevel(self, line: Sequence[str]) -> Toplevel | None:
        """Return what ``git rev-parse --show-toplevel`` finds; None for another command, or in an unknown directory."""
        match line:
            case ["git", "rev-parse", "--show-toplevel"]:
                place = self._from_here(".", physical=True)
            case ["git", "-C", directory, "rev-parse", "--show-toplevel"]:
                place = self._from_here(directory, physical=True)
            case _:
                return None
        if place is None or place.startswith(COPY):
            return None
        found = toplevel(place, self._machine.read, self._machine.resolve)
        self._patterns.update(dict.fromkeys(map(quote, found.absent)))
        return found

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

    def _lines(self, calls: Sequence[SimpleCommand]) -> list[list[str]]:
        """Return the words of commands; [] if one is not known, or a command is a function or does not print."""
        lines: list[list[str]] = []
        for call in calls:
            words = [None if isinstance(word, Assignment) else self._value(word) for word in call.words]
            known = [word for word in words if word is not None]
            if len(known) != len(words) or known[0] in self._known.functions or not _prints(known[0], call):
                return []
            lines.append(known)
        return lines


def _prints(name: str, call: SimpleCommand) -> bool:
    """Return False for a command that has its own environment, or whose output goes elsewhere; ``cd`` may have none."""
    return not call.assignments and all(
        name == "cd" or (each.fd == 2 and each.operator in (">", ">>")) for each in call.redirections
    )


def _choices(body: CommandList | None) -> list[SimpleCommand]:
    """Return the commands that || joins, and nothing else; [] for any other body."""
    items = body.items if body is not None else ()
    command = items[0].command if len(items) == 1 and not items[0].background else None
    if not isinstance(command, AndOr) or set(command.operators) != {"||"}:
        return []
    calls = [each for each in command.commands if isinstance(each, SimpleCommand) and each.words]
    return calls if len(calls) == len(command.commands) else []


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
