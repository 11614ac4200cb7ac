"""The C library's getopt_long, for the utility getopt.

Source: POSIX.1-2024 XSH 3, getopt; the GNU C Library manual, "Getopt". Oracle: util-linux 2.38.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.record import Record

NONE, REQUIRED, OPTIONAL = 0, 1, 2  #: whether an option takes an argument


class Long(Record):
    """One long option, and whether it takes an argument."""

    name: str
    argument: int


class ParsedOption(Record):
    """One option of the arguments.

    Attributes:
        name: Its letter, or the full name of a long option; "" for an operand among options (``-`` mode).
        long: It is a long option.
        argument: Whether it takes an argument.
        value: The argument, "" without one.
    """

    name: str
    long: bool
    argument: int
    value: str


class Declaration:
    """The options of the calling script: letters and long names.

    Attributes:
        order: "+" to stop at the first operand, "-" to report operands in place, "" to let options follow operands.
        alternative: Long options may begin with one dash.
    """

    def __init__(self, short: str, longs: Sequence[Long], *, alternative: bool, strict: bool) -> None:
        self.order = short[:1] if short[:1] in ("+", "-") else "+" if strict else ""
        letters = short[1:] if short[:1] in ("+", "-") else short
        self.silent = letters[:1] == ":"
        self.letters: dict[str, int] = {}
        self.alternative = alternative
        self.longs = list(longs)
        index = 0
        while index < len(letters):
            colons = len(letters[index + 1 : index + 3]) - len(letters[index + 1 : index + 3].lstrip(":"))
            if letters[index] not in ":;-":
                self.letters.setdefault(letters[index], colons)
            index += 1 + colons

    def long(self, name: str) -> tuple[Long | None, list[Long]]:
        """Return the long option with a name or an unambiguous prefix, otherwise the candidates."""
        exact = next((each for each in self.longs if each.name == name), None)
        if exact is not None:
            return exact, []
        candidates = [each for each in self.longs if each.name.startswith(name)]
        return (candidates[0], []) if len(candidates) == 1 else (None, candidates)


class Scanner:
    """Parses arguments, and passes error messages to ``error``.

    Attributes:
        options, operands: The results.
        failed: There was an error.
    """

    def __init__(
        self, declaration: Declaration, arguments: Sequence[str], error: Callable[[str], None]
    ) -> None:
        self.options: list[ParsedOption] = []
        self.operands: list[str] = []
        self.failed = False
        self._declaration = declaration
        self._pending = list(reversed(arguments))
        self._error = error
        self._scan()

    def _scan(self) -> None:
        declaration, pending = self._declaration, self._pending
        while pending:
            word = pending.pop()
            if word == "--":
                self.operands += reversed(pending)
                return
            if word[:1] != "-" or word == "-":
                if declaration.order == "-":
                    self.options.append(ParsedOption("", False, REQUIRED, word))
                    continue
                self.operands.append(word)
                if declaration.order == "+":
                    self.operands += reversed(pending)
                    return
            elif word[:2] == "--":
                self._long(word[2:], "--")
            elif not (declaration.alternative and self._single_dash(word)):
                self._cluster(word[1:])

    def _report(self, text: str) -> None:
        self.failed = True
        if not self._declaration.silent:
            self._error(text)

    def _single_dash(self, word: str) -> bool:
        """Try ``-word`` as a long option; False when it is a cluster of letters."""
        declaration = self._declaration
        if len(word) == 2 and word[1] in declaration.letters:
            return False
        option, candidates = declaration.long(word[1:].partition("=")[0])
        if option is None and not candidates and word[1] in declaration.letters:
            return False
        self._long(word[1:], "-")
        return True

    def _long(self, text: str, dashes: str) -> None:
        name, equals, value = text.partition("=")
        option, candidates = self._declaration.long(name)
        if option is None:
            if candidates:
                names = " ".join(f"'{dashes}{each.name}'" for each in candidates)
                self._report(f"option '{dashes}{text}' is ambiguous; possibilities: {names}")
            else:
                self._report(f"unrecognized option '{dashes}{text}'")
            return
        if equals and option.argument == NONE:
            self._report(f"option '{dashes}{option.name}' doesn't allow an argument")
            return
        if not equals and option.argument == REQUIRED:
            if not self._pending:
                self._report(f"option '{dashes}{option.name}' requires an argument")
                return
            value = self._pending.pop()
        self.options.append(ParsedOption(option.name, True, option.argument, value))

    def _cluster(self, letters: str) -> None:
        for at, letter in enumerate(letters):
            argument = self._declaration.letters.get(letter)
            if argument is None:
                self._report(f"invalid option -- '{letter}'")
                continue
            value = letters[at + 1 :]
            if argument == NONE:
                self.options.append(ParsedOption(letter, False, NONE, ""))
                continue
            if not value and argument == REQUIRED:
                if not self._pending:
                    self._report(f"option requires an argument -- '{letter}'")
                    return
                value = self._pending.pop()
            self.options.append(ParsedOption(letter, False, argument, value))
            return
