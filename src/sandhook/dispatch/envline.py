"""Parses the argument of a "#!" line as ``env`` does.

Source: GNU coreutils 9.1, "env: -S usage". The kernel passes one argument, which ``-S`` splits. A line with
several words and without ``-S`` fails in env itself; it is split here, as its author meant it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandhook.record import Record

_BLANK = " \t\n\v\f\r"

#: Long options of env that a "#!" line may use, to their letters.
_LONG = {"ignore-environment": "i", "unset": "u", "debug": "v", "split-string": "S"}

#: The other long options: an abbreviation that fits one of these is ambiguous.
_UNSUPPORTED = (
    "null", "chdir", "default-signal", "ignore-signal", "block-signal", "list-signal-handling", "help", "version",
)  # fmt: skip

#: The deepest nesting of -S options in strings of -S.
_NESTED = 16


class EnvLine(Record):
    """The program that an env line runs.

    Attributes:
        program: A path, or a word to look up in PATH.
        arguments: The arguments before the script.
        environment: The whole environment, when the line changes it; else None.
        whole: The whole argument, when it was split without -S; else "".
        notes: Options that were ignored, for the report of the run.
    """

    program: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str] | None = None
    whole: str = ""
    notes: tuple[str, ...] = ()


class EnvError(Exception):
    """A line that names no program, or has an option that is not supported."""


def read_env_line(argument: str | None, environment: Mapping[str, str]) -> EnvLine:
    """Return what ``env ARGUMENT script`` runs.

    Args:
        argument: The "#!" line's only argument; None without an argument.
        environment: The variables for ``${NAME}``; options of the line change a copy.

    Raises:
        EnvError: The line cannot be run; the text is for standard error.
    """
    if not argument or not argument.strip(_BLANK):
        raise EnvError("env: missing program name")
    if not argument.startswith("-"):
        program, *rest = argument.split(None, 1)
        if "=" in program:
            raise EnvError(f"env: {program}: variables need -S: write '#!/usr/bin/env -S {argument}'")
        return EnvLine(program, tuple(rest), whole=argument if rest else "")
    return _Line(environment).read(argument)


class _Line:
    """Parser of the options of a line."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._splits = 0
        self._empty = False
        self._unset: list[str] = []
        self._notes: list[str] = []

    def read(self, argument: str) -> EnvLine:
        words = self._options([argument])
        if words and words[0] == "-":
            self._empty = True
            del words[0]
        environment = {} if self._empty else dict(self._environment)
        for name in self._unset:
            if not name or "=" in name:
                raise EnvError(f"env: cannot unset '{name}': Invalid argument")
            environment.pop(name, None)
        while words and "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            if not name:
                raise EnvError("env: cannot set '': Invalid argument")
            environment[name] = value
        if not words:
            raise EnvError("env -S requires a program" if self._splits else "env: missing program name")
        new = environment if environment != self._environment else None
        return EnvLine(words[0], tuple(words[1:]), new, notes=tuple(self._notes))

    def _options(self, words: list[str]) -> list[str]:
        """Parse the options and return the words after them."""
        while words and words[0].startswith("-") and words[0] != "-":
            word = words.pop(0)
            if word == "--":
                break
            if word.startswith("--"):
                words = self._long(word, words)
            else:
                words = self._letters(word[1:], words)
        return words

    def _long(self, word: str, words: list[str]) -> list[str]:
        name, equals, value = word[2:].partition("=")
        matches = [known for known in (*_LONG, *_UNSUPPORTED) if known == name or known.startswith(name)]
        letter = _LONG.get(matches[0], "") if len(matches) == 1 else ""
        if not letter or (equals and letter in "iv"):
            raise self._unsupported(word)
        if letter in "iv":
            return self._letters(letter, words)
        if not equals:
            value = self._next(letter, words)
        return self._with_value(letter, value, words)

    def _letters(self, letters: str, words: list[str]) -> list[str]:
        for index, letter in enumerate(letters):
            if letter == "i" and self._is_plain(letters, index):
                self._empty = True
            elif letter == "v" and self._is_plain(letters, index):
                self._notes.append("env -v: its trace was not printed")
            elif letter in "uS" and (self._splits or letter == "S"):
                value = letters[index + 1 :] or self._next(letter, words)
                return self._with_value(letter, value, words)
            else:
                raise self._unsupported(f"-{letters}" if letter not in _BLANK else f"-{letters[0]}")
        return words

    def _is_plain(self, letters: str, index: int) -> bool:
        """Return True where a letter without value is allowed: after -S, or before it in the same word."""
        return self._splits > 0 or "S" in letters[index:].split(None, 1)[0]

    def _with_value(self, letter: str, value: str, words: list[str]) -> list[str]:
        if letter == "u":
            self._unset.append(value)
            return words
        self._splits += 1
        if self._splits > _NESTED:
            raise EnvError("env: too many -S options")
        return [*self._split(value), *words]

    def _split(self, text: str) -> Sequence[str]:
        from sandhook.text.env_string import EnvStringError, split_string

        try:
            return split_string(text, self._environment)
        except EnvStringError as error:
            raise EnvError(f"env: {error}") from None

    def _next(self, letter: str, words: list[str]) -> str:
        if not words:
            if letter == "S":
                raise EnvError("env -S requires a program")
            raise EnvError(f"env: option requires an argument -- '{letter}'")
        return words.pop(0)

    @staticmethod
    def _unsupported(word: str) -> EnvError:
        return EnvError(f"unsupported env flag: {word.split(None, 1)[0]}")
