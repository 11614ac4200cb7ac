"""getopt_long of the C library, as the utility getopt offers it to scripts.

Source: POSIX.1-2024 XSH 3, getopt; the GNU C Library manual, "Getopt". Oracle: util-linux 2.38.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.record import Record

NONE, REQUIRED, OPTIONAL = 0, 1, 2  #: whether an option takes an argument


class Long(Record):
    """One long option and whether it takes an argument."""

    name: str
    argument: int


class Found(Record):
    """One option that was found.

    Attributes:
        name: Its letter, or the whole name of a long one; "" for an operand that stands among options (``-`` mode).
        long: It is a long one.
        argument: Whether it takes one.
        value: The argument, "" for none.
    """

    name: str
    long: bool
    argument: int
    value: str


class Declaration:
    """What the caller wants to understand: letters and long names.

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
        at = 0
        while at < len(letters):
            colons = len(letters[at + 1 : at + 3]) - len(letters[at + 1 : at + 3].lstrip(":"))
            if letters[at] not in ":;-":
                self.letters.setdefault(letters[at], colons)
            at += 1 + colons

    def long(self, name: str) -> tuple[Long | None, list[Long]]:
        """Return the long option of a name or of a clear beginning; else the candidates."""
        exact = next((each for each in self.longs if each.name == name), None)
        if exact is not None:
            return exact, []
        close = [each for each in self.longs if each.name.startswith(name)]
        return (close[0], []) if len(close) == 1 else (None, close)


class Scanner:
    """Goes over arguments; errors are passed to ``complain`` and counted."""

    def __init__(
        self, declared: Declaration, arguments: Sequence[str], complain: Callable[[str], None]
    ) -> None:
        self.found: list[Found] = []
        self.operands: list[str] = []
        self.wrong = False
        self._declared = declared
        self._rest = list(reversed(arguments))
        self._error = complain
        self._scan()

    def _scan(self) -> None:
        declared, rest = self._declared, self._rest
        while rest:
            word = rest.pop()
            if word == "--":
                self.operands += reversed(rest)
                return
            if word[:1] != "-" or word == "-":
                if declared.order == "-":
                    self.found.append(Found("", False, REQUIRED, word))
                    continue
                self.operands.append(word)
                if declared.order == "+":
                    self.operands += reversed(rest)
                    return
            elif word[:2] == "--":
                self._long(word[2:], "--")
            elif not (declared.alternative and self._single_dash(word)):
                self._cluster(word[1:])

    def _fault(self, text: str) -> None:
        self.wrong = True
        if not self._declared.silent:
            self._error(text)

    def _single_dash(self, word: str) -> bool:
        """Try ``-word`` as a long option; False when it is a cluster of letters."""
        declared = self._declared
        if len(word) == 2 and word[1] in declared.letters:
            return False
        option, close = declared.long(word[1:].partition("=")[0])
        if option is None and not close and word[1] in declared.letters:
            return False
        self._long(word[1:], "-")
        return True

    def _long(self, text: str, dashes: str) -> None:
        name, equals, value = text.partition("=")
        option, close = self._declared.long(name)
        if option is None:
            if close:
                listed = " ".join(f"'{dashes}{each.name}'" for each in close)
                self._fault(f"option '{dashes}{text}' is ambiguous; possibilities: {listed}")
            else:
                self._fault(f"unrecognized option '{dashes}{text}'")
            return
        if equals and option.argument == NONE:
            self._fault(f"option '{dashes}{option.name}' doesn't allow an argument")
            return
        if not equals and option.argument == REQUIRED:
            if not self._rest:
                self._fault(f"option '{dashes}{option.name}' requires an argument")
                return
            value = self._rest.pop()
        self.found.append(Found(option.name, True, option.argument, value))

    def _cluster(self, letters: str) -> None:
        for at, letter in enumerate(letters):
            argument = self._declared.letters.get(letter)
            if argument is None:
                self._fault(f"invalid option -- '{letter}'")
                continue
            attached = letters[at + 1 :]
            if argument == NONE:
                self.found.append(Found(letter, False, NONE, ""))
                continue
            if not attached and argument == REQUIRED:
                if not self._rest:
                    self._fault(f"option requires an argument -- '{letter}'")
                    return
                attached = self._rest.pop()
            self.found.append(Found(letter, False, argument, attached))
            return
