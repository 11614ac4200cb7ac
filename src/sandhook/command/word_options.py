"""Options that are whole words with one dash or two, such as ``-binary`` and ``--binary``: those of openssl and sqlite3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from sandhook.command.options import UsageError, options_by_flag


class WordOptionError(UsageError):
    """An unknown option, or one whose argument is missing or not allowed.

    Attributes:
        problem: Which of these it is.
        name: The option without dashes and argument.
        word: The argument of the command line with the option, as typed.
    """

    def __init__(self, problem: Literal["unknown", "missing", "not allowed"], name: str, word: str) -> None:
        super().__init__(f"unrecognized option '{word}'" if problem == "unknown" else f"{problem}: {word}")
        self.problem = problem
        self.name = name
        self.word = word


class WordSyntax:
    """The parser made from one ``Options`` class whose flags have one dash; they are never shortened or clustered."""

    __slots__ = ("_equals", "_options", "_permute", "_words")

    def __init__(self, options: type, *, permute: bool, equals: bool) -> None:
        """Make the parser.

        Args:
            options: The ``option_set``.
            permute: Options may follow operands, and "--" is not an option.
            equals: An argument may be attached with "=", and "--" ends the options.
        """
        self._options = options
        self._permute = permute
        self._equals = equals
        self._words = {flag.lstrip("-"): option for flag, option in options_by_flag(options).items()}

    def parse(self, arguments: Sequence[str]) -> tuple[Any, list[str]]:
        """Return the options and the operands. Raises WordOptionError, and UsageError of converters."""
        values: dict[str, Any] = {}
        operands: list[str] = []
        rest = list(reversed(arguments))
        while rest:
            word = rest.pop()
            if word == "--" and self._equals:
                operands += reversed(rest)
                break
            if word[:1] != "-" or word == "-":
                operands.append(word)
                if not self._permute:
                    operands += reversed(rest)
                    break
                continue
            name, equals, attached = word[2 if word[:2] == "--" else 1 :].partition("=")
            option = self._words.get(name)
            if equals and not self._equals:
                option = None
            if option is None:
                raise WordOptionError("unknown", name, word)
            value = option.const
            if option.metavar is None:
                if equals:
                    raise WordOptionError("not allowed", name, word)
            elif equals or rest:
                text = attached if equals else rest.pop()
                value = text if option.convert is None else option.convert(text)
            else:
                raise WordOptionError("missing", name, word)
            values[option.field] = (*values.get(option.field, ()), value) if option.append else value
        return self._options(**values), operands
