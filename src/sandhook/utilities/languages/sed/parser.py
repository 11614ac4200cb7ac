"""Parses sed scripts.

Source: POSIX.1-2024 XCU 3, sed. Oracle: GNU sed 4.9, also for messages and their positions.
Divergence: L-SED-001, the e command and the flag e are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.pattern.dialect import check_class_syntax
from sandhook.pattern.errors import PatternError
from sandhook.utilities.languages.sed.reader import BLANKS, SPACE, ScriptReader
from sandhook.utilities.languages.sed.records import Expression
from sandhook.utilities.languages.sed.replacement import parse_replacement
from sandhook.utilities.languages.sed.script import (
    Address,
    Chunk,
    Command,
    Pattern,
    Program,
    ScriptError,
    Substitution,
)
from sandhook.utilities.languages.sed.text import convert_escapes, unescape_text

MAX_NESTING = 200

_ONE_ADDRESS = "qQ"
_ONE_ADDRESS_POSIX = "qairl="
_FILES = "rRwW"
_PLAIN = "dDgGhHnNpPxzF="
_GNU = "eFQRTvWz"  #: commands that are unknown with --posix


#: Compiles an expression, which is kept, so that errors are found where it stands.
Compile = Callable[[Pattern], Expression]


class Parser(ScriptReader):
    """Makes commands of a script, all chunks of which are one text."""

    def __init__(self, chunks: Sequence[Chunk], compile_: Compile, *, sandbox: bool, posix: bool) -> None:
        super().__init__(chunks)
        self._compile = compile_
        self._sandbox = sandbox
        self._posix = posix
        self._commands: list[Command] = []
        self._open: list[int] = []
        self._opened_at: list[int] = []
        self._labels: dict[str, int] = {}
        self._files: list[str] = []

    # ------------------------------------------------------------------ the script

    def parse(self) -> Program:
        first = self._chunks[0].text if self._chunks else ""
        silent = first[:2] == "#n"
        while True:
            self._skip(SPACE + ";")
            if not self._peek():
                break
            self._command()
        if self._open:
            raise self.unmatched(self._opened_at[len(self._open) - 1])
        return Program(
            tuple(map(self._resolved, self._commands)),
            silent,
            tuple(dict.fromkeys(self._files)),
            self.end_place(),
        )

    def _resolved(self, command: Command) -> Command:
        if command.name not in ("b", "t", "T"):
            return command
        label = str(command.argument)
        if not label:
            return command._replace(target=len(self._commands))
        if label not in self._labels:
            raise ScriptError(f"can't find label for jump to `{label}'", 4)
        return command._replace(target=self._labels[label])

    def _command(self) -> None:
        if self._peek() == "#":
            self._comment()
            return
        first = self._address(True)
        second = None
        if first is not None:
            self._skip()
            if self._peek() == ",":
                self._at += 1
                self._skip()
                second = self._address(False)
                if second is None:
                    self._next()
                    raise self.error("unexpected `,'")
        self._skip()
        self._check_zero(first, second)
        negated = self._negation()
        name = self._next()
        if not name:
            raise self.error("missing command")
        if name == "#":
            raise (
                self.error("comments don't accept any addresses")
                if first
                else self.error("unknown command: `#'")
            )
        if name == "}" and first:
            raise self.error("`}' doesn't want any addresses" if self._open else "unexpected `}'")
        if name == ":" and first:
            raise self.error(": doesn't want any addresses")
        if second and name in (_ONE_ADDRESS_POSIX if self._posix else _ONE_ADDRESS):
            raise self.error("command only uses one address")
        target = -1
        argument: object = None
        if name == "{":
            if len(self._open) >= MAX_NESTING:
                raise self.error("blocks are nested too deeply")
            del self._opened_at[len(self._open) :]
            self._open.append(len(self._commands))
            self._opened_at.append(self._at)
        elif name == "}":
            if not self._open:
                raise self.error("unexpected `}'")
            start = self._open.pop()
            self._commands[start] = self._commands[start]._replace(target=len(self._commands))
            self._end()
            return
        elif name == ":":
            label = self._label()
            if not label:
                raise self.error('":" lacks a label')
            self._labels.setdefault(label, len(self._commands))
            return
        else:
            argument = self._argument(name)
        self._commands.append(Command(name, first, second, negated, argument, target))

    def _negation(self) -> bool:
        if self._peek() != "!":
            return False
        self._at += 1
        self._skip()
        if self._peek() == "!":
            self._at += 1
            raise self.error("multiple `!'s")
        return True

    def _check_zero(self, first: Address | None, second: Address | None) -> None:
        if first is None or first.kind != "line" or first.number:
            return
        letter = self._peek()
        ranged = second is not None and second.kind == "regex" and not self._posix
        if not ranged and not (second is None and letter == "r"):
            self._next()
            raise self.error("invalid usage of line address 0")

    def _comment(self) -> None:
        end = self._text.find("\n", self._at)
        self._at = len(self._text) if end < 0 else end + 1

    def _end(self) -> None:
        """Expect the end of a command."""
        self._skip()
        letter = self._peek()
        if letter in ("", "}", "#"):
            return
        self._at += 1
        if letter not in ";\n":
            raise self.error("extra characters after command")

    # ------------------------------------------------------------------ addresses

    def _address(self, is_first: bool) -> Address | None:
        letter = self._peek()
        if letter.isdecimal() and letter.isascii():
            number = self._number()
            self._skip()
            if self._peek() == "~" and not self._posix:
                self._at += 1
                self._skip()
                step = self._number() if self._digit() else 0
                return Address("step", number, step) if step else Address("line", number)
            return Address("line", number)
        if letter == "$":
            self._at += 1
            return Address("last")
        if letter and letter in "+~" and not self._posix:
            self._at += 1
            number = self._number() if self._digit() else 0
            if is_first:
                raise self.error("invalid usage of +N or ~N as first address")
            return Address("plus" if letter == "+" else "multiple", number)
        if letter in ("/", "\\") and letter:
            self._at += 1
            delimiter = self._next() if letter == "\\" else letter
            text = self._delimited(delimiter, regex=True)
            if text is None:
                raise self.error("unterminated address regex")
            icase = multiline = False
            while self._peek() and self._peek() in "IM" and not self._posix:
                flag = self._next()
                icase, multiline = icase or flag == "I", multiline or flag == "M"
            if not text and (icase or multiline):
                self._skip()
            return Address("regex", pattern=self._pattern(text, icase, multiline))
        return None

    def _pattern(self, text: str, icase: bool, multiline: bool, groups: int = 0) -> Pattern:
        if not text and (icase or multiline):
            raise self.error("cannot specify modifiers on empty regexp")
        pattern = Pattern(convert_escapes(text), icase, multiline)
        if text:
            try:
                check_class_syntax(pattern.text.encode("utf-8", "surrogateescape"))
            except PatternError as error:
                raise ScriptError(error.message, 4) from None
            try:
                found = self._compile(pattern).groups
            except PatternError as error:
                raise self.error(error.message) from None
            if groups > found:
                raise self.error(f"invalid reference \\{groups} on `s' command's RHS")
        return pattern

    # ------------------------------------------------------------------ arguments

    def _argument(self, name: str) -> object:
        if self._posix and name in _GNU:
            raise self.error(f"unknown command: `{name}'")
        if name in _PLAIN:
            self._end()
            return None
        if name in "aic":
            return self._insertion()
        if name in "btT":
            return self._label()
        if name in "qQlL":
            if name == "L":
                raise self.error("unknown command: `L'")
            self._skip()
            number = self._number() if self._digit() and not self._posix else -1
            self._end()
            return number
        if name in _FILES:
            return self._file(writes=name in "wW")
        if name == "s":
            return self._substitution()
        if name == "y":
            return self._transliteration()
        if name == "v":
            self._version()
            return None
        if name == "e":
            if self._sandbox:
                raise self.error("e/r/w commands disabled in sandbox mode")
            raise self.error("the `e' command is not supported (L-SED-001)")
        raise self.error(f"unknown command: `{name}'")

    def _version(self) -> None:
        self._skip()
        start = self._at
        while self._peek() and self._peek() not in SPACE + ";":
            self._at += 1
        parts = (self._text[start : self._at] or "4").split(".")
        if not all(part.isdecimal() and part.isascii() and len(part) < 6 for part in parts):
            raise self.error("expected newer version of sed")
        if [int(part) for part in parts] > [4, 9]:
            raise self.error("expected newer version of sed")
        self._end()

    def _label(self) -> str:
        self._skip()
        start = self._at
        stop = SPACE + ";}"
        while self._peek() and self._peek() not in stop:
            self._at += 1
        return self._text[start : self._at]

    def _file(self, *, writes: bool) -> str:
        if self._sandbox:
            raise self.error("e/r/w commands disabled in sandbox mode")
        self._skip()
        end = self._text.find("\n", self._at)
        end = len(self._text) if end < 0 else end
        name = self._text[self._at : end]
        if not name:
            raise self.error("missing filename in r/R/w/W commands")
        self._at = end
        if writes:
            self._files.append(name)
        return name

    def _insertion(self) -> str:
        """The text of a, i, c: after a backslash and newline, or on the same line."""
        self._skip()
        letter = self._peek()
        if not letter or self._at in self._ends or (self._posix and letter != "\\"):
            self._at += len(letter.strip("\n"))
            raise self.error("expected \\ after `a', `c' or `i'")
        if letter == "\\":
            self._at += 1
            letter = self._peek()
            if not letter:
                return ""
            if letter == "\n":
                self._at += 1
                letter = ""
        start = self._at
        if letter != "\n":
            self._at += len(
                letter
            )  # the first one on the same line is taken as it stands, and quotes nothing
        while self._peek() and self._peek() != "\n":
            self._at += 2 if self._peek() == "\\" else 1
        if self._at > len(self._text):  # the script ends with a backslash, and its text stays as it is
            self._at -= 1
            return self._text[start:-1] + "\n"
        text = unescape_text(self._text[start : self._at])
        self._next()
        return text + "\n"

    def _substitution(self) -> Substitution:
        delimiter = self._next()
        if not delimiter or delimiter in "\n\\":
            raise self.error("unterminated `s' command")
        pattern = self._delimited(delimiter, regex=True)
        replacement = None if pattern is None else self._delimited(delimiter, regex=False)
        if pattern is None or replacement is None:
            raise self.error("unterminated `s' command")
        everywhere = show = icase = multiline = False
        number = 0
        file: str | None = None
        while True:
            letter = self._next()
            if not letter or letter in ";\n":
                break
            if letter in "}#":
                self._at -= 1
                break
            if letter in BLANKS:
                continue
            if self._posix and letter in "iImMe":
                raise self.error("unknown option to `s'")
            if letter in "iI":
                icase = True
            elif letter in "mM":
                multiline = True
            elif letter == "g":
                if everywhere:
                    raise self.error("multiple `g' options to `s' command")
                everywhere = True
            elif letter == "p":
                if show:
                    raise self.error("multiple `p' options to `s' command")
                show = True
            elif letter == "w":
                file = self._file(writes=True)
                break
            elif letter == "e" and self._sandbox:
                raise self.error("e/r/w commands disabled in sandbox mode")
            elif letter == "e":
                raise self.error("the `e' option to `s' is not supported (L-SED-001)")
            elif letter.isdecimal() and letter.isascii():
                if number:
                    raise self.error("multiple number options to `s' command")
                self._at -= 1
                number = self._number()
                if not number:
                    raise self.error("number option to `s' command may not be zero")
            else:
                raise self.error("unknown option to `s'")
        parts = parse_replacement(replacement, posix=self._posix)
        groups = max((part.group for part in parts), default=0)
        return Substitution(
            self._pattern(pattern, icase, multiline, groups), parts, everywhere, number or 1, show, file
        )

    def _transliteration(self) -> tuple[str, str]:
        delimiter = self._next()
        if not delimiter or delimiter in "\n\\":
            raise self.error("unterminated `y' command")
        source = self._delimited(delimiter, regex=False)
        target = None if source is None else self._delimited(delimiter, regex=False)
        if source is None or target is None:
            raise self.error("unterminated `y' command")
        old, new = _characters(source), _characters(target)
        if len(old) != len(new):
            raise self.error("strings for `y' command are different lengths")
        self._end()
        return old, new


def _characters(text: str) -> str:
    """Replace the escapes of y: ``\\\\``, ``\\n`` and those for codes."""
    text = convert_escapes(text)
    out: list[str] = []
    at = 0
    while at < len(text):
        letter = text[at]
        if letter == "\\" and at + 1 < len(text):
            at += 1
            letter = {"n": "\n", "\\": "\\"}.get(text[at], text[at])
        out.append(letter)
        at += 1
    return "".join(out)
