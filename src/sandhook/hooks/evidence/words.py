"""The values of a script's words, as far as they are known without running it.

A value is None as soon as something in it is not known. Pathname expansion reads the directories that it
concerns, and records its pattern: a file that matches later is a change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from sandhook.dispatch.envline import read_env_line
from sandhook.dispatch.operands import base_name
from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.expand.brace import expand_braces
from sandhook.expand.shapes import has_braces
from sandhook.hooks.evidence.knowledge import Knowledge, is_share
from sandhook.hooks.evidence.machine import Machine
from sandhook.hooks.evidence.substitutions import Substitutions
from sandhook.hooks.scan import expansion, joined, unquoted_text
from sandhook.pattern.glob import compile_pattern, has_magic, quote
from sandhook.syntax import parse_cached
from sandhook.syntax.nodes import (
    AnsiQuoted,
    Backquoted,
    CommandList,
    CommandSubstitution,
    DoubleQuoted,
    Escaped,
    Literal,
    ParameterExpansion,
    SingleQuoted,
    Word,
    WordPart,
)

#: The most words that one word expands to.
MAX_WORDS = 256

#: Characters of a value that is charged.
_LONG = 1_000


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
        self._substitutions = Substitutions(known, machine, patterns, self.value)

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
                yield self._substitutions.output(part.body), quoted
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
        return (
            self._substitutions.output(units[0])
            if len(units) == 1 and isinstance(units[0], CommandList)
            else None
        )


def _other_home(word: Word) -> bool:
    """Return True for the home of another user, ``~+`` and ``~-``, and a ``~`` that an assignment may expand later."""
    first = word.parts[0] if word.parts else None
    if isinstance(first, Literal) and first.text[:1] == "~" and first.text[1:2] not in ("", "/"):
        return True
    return any(isinstance(part, Literal) and ":~" in part.text for part in word.parts)


def matching(pattern: str, machine: Machine) -> Iterator[str]:
    """Yield the existing paths that an absolute pattern matches, in order."""
    bases = ["/" if is_share(pattern) else ""]
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
    return ("//" if is_share(pattern) else "/") + "/".join(parts)


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
