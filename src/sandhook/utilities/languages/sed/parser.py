"""Parses sed scripts.

Source: POSIX.1-2024 XCU 3, sed. Oracle: GNU sed 4.9, also for messages and their positions.
Divergence: L-SED-001, the e command and the flag e are not supported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.command.pieces import Charge
from sandhook.pattern.dialect import check_class_syntax
from sandhook.pattern.errors import PatternError
from sandhook.utilities.languages.sed.reader import BLANKS, SPACE, ScriptReader
from sandhook.utilities.languages.sed.records import Expression
from sandhook.utilities.languages.sed.replacement import parse_replacement
from sandhook.utilities.languages.sed.script import (
    Address,
    Append,
    Block,
    Change,
    Chunk,
    Command,
    Insert,
    Jump,
    Language,
    Listing,
    Pattern,
    Plain,
    Program,
    Quit,
    ReadFile,
    ReadLine,
    ScriptError,
    Substitution,
    Transliteration,
    Work,
    WriteFile,
    WriteFirstLine,
)
from sandhook.utilities.languages.sed.text import characters_of, convert_escapes, unescape_text

MAX_NESTING = 200
_COMMAND = 64  #: steps that are charged for parsing and compiling a command

_ONE_ADDRESS = "qQ"
_ONE_ADDRESS_POSIX = "qairl="
_WITHOUT_ARGUMENTS = "dDgGhHnNpPxzF="
_GNU = "eFQRTvWz"  #: commands that are unknown with --posix


#: Compiles a regular expression; called while parsing, so that an error has the position.
Compile = Callable[[Pattern], Expression]


class _Flags:
    """The flags of an s command that were parsed so far; ``number`` is 0 without a number."""

    __slots__ = ("file", "icase", "is_global", "multiline", "number", "prints")

    def __init__(self) -> None:
        self.is_global = self.prints = self.icase = self.multiline = False
        self.number = 0
        self.file: str | None = None


class Parser:
    """Parses the chunks of a script as one text."""

    def __init__(
        self, chunks: Sequence[Chunk], compile_: Compile, charge: Charge, *, sandbox: bool, language: Language
    ) -> None:
        self._script = ScriptReader(chunks)
        self._charge = charge
        self._compile = compile_
        self._sandbox = sandbox
        self._language = language
        self._commands: list[Command] = []
        self._open_blocks: list[int] = []
        self._open_positions: list[int] = []
        self._labels: dict[str, int] = {}
        self._files: list[str] = []

    # ------------------------------------------------------------------ the script

    def parse(self) -> Program:
        """Return the parsed script. Raises ScriptError."""
        while True:
            self._script.skip(SPACE + ";")
            if not self._script.peek():
                break
            self._charge(_COMMAND)
            self._command()
        if self._open_blocks:
            raise self._script.unmatched_error(self._open_positions[len(self._open_blocks) - 1])
        return Program(
            tuple(map(self._resolve, self._commands)),
            self._script.text[:2] == "#n",
            tuple(dict.fromkeys(self._files)),
            self._script.end_place(),
        )

    def _resolve(self, command: Command) -> Command:
        """Return a command with the target of its jump. Raises ScriptError."""
        jump = command.work
        if not isinstance(jump, Jump):
            return command
        if jump.label and jump.label not in self._labels:
            raise ScriptError(f"can't find label for jump to `{jump.label}'", 4)
        target = self._labels[jump.label] if jump.label else len(self._commands)
        return command._replace(work=jump._replace(target=target))

    def _command(self) -> None:
        if self._script.peek() == "#":
            self._comment()
            return
        first = self._address(True)
        second = None
        if first is not None:
            self._script.skip()
            if self._script.peek() == ",":
                self._script.at += 1
                self._script.skip()
                second = self._address(False)
                if second is None:
                    self._script.next()
                    raise self._script.error("unexpected `,'")
        self._script.skip()
        self._check_zero(first, second)
        negated = self._negation()
        name = self._script.next()
        if not name:
            raise self._script.error("missing command")
        self._check_addresses(name, first, second)
        if name == "}":
            self._close_block()
        elif name == ":":
            self._define_label()
        else:
            if name == "{":
                self._open_block()
            self._commands.append(Command(first, second, negated, self._work(name)))

    def _check_addresses(self, name: str, first: Address | None, second: Address | None) -> None:
        """Raise ScriptError when a command has too many addresses."""
        error = self._script.error
        if name == "#":
            raise error("comments don't accept any addresses" if first else "unknown command: `#'")
        if name == "}" and first:
            raise error("`}' doesn't want any addresses" if self._open_blocks else "unexpected `}'")
        if name == ":" and first:
            raise error(": doesn't want any addresses")
        if second and name in (_ONE_ADDRESS_POSIX if self._language.posix else _ONE_ADDRESS):
            raise error("command only uses one address")

    def _open_block(self) -> None:
        if len(self._open_blocks) >= MAX_NESTING:
            raise self._script.error("blocks are nested too deeply")
        del self._open_positions[len(self._open_blocks) :]
        self._open_blocks.append(len(self._commands))
        self._open_positions.append(self._script.at)

    def _close_block(self) -> None:
        if not self._open_blocks:
            raise self._script.error("unexpected `}'")
        start = self._open_blocks.pop()
        self._commands[start] = self._commands[start]._replace(work=Block(len(self._commands)))
        self._end_command()

    def _define_label(self) -> None:
        label = self._label()
        if not label:
            raise self._script.error('":" lacks a label')
        self._labels[label] = len(self._commands)  # for GNU sed the last of several counts

    def _negation(self) -> bool:
        if self._script.peek() != "!":
            return False
        self._script.at += 1
        self._script.skip()
        if self._script.peek() == "!":
            self._script.at += 1
            raise self._script.error("multiple `!'s")
        return True

    def _check_zero(self, first: Address | None, second: Address | None) -> None:
        if first is None or first.kind != "line" or first.number:
            return
        letter = self._script.peek()
        is_range = second is not None and second.kind == "regex" and not self._language.posix
        is_start = second is None and letter == "r" and not self._language.posix
        if not is_range and not is_start:
            self._script.next()
            raise self._script.error("invalid usage of line address 0")

    def _comment(self) -> None:
        end = self._script.text.find("\n", self._script.at)
        self._script.at = len(self._script.text) if end < 0 else end + 1

    def _end_command(self) -> None:
        """Parse the end of a command. Raises ScriptError for other characters."""
        self._script.skip()
        letter = self._script.peek()
        if letter in ("", "}", "#"):
            return
        self._script.at += 1
        if letter not in ";\n":
            raise self._script.error("extra characters after command")

    # ------------------------------------------------------------------ addresses

    def _address(self, is_first: bool) -> Address | None:
        letter = self._script.peek()
        if letter.isdecimal() and letter.isascii():
            number = self._script.number()
            self._script.skip()
            if self._script.peek() == "~" and not self._language.posix:
                self._script.at += 1
                self._script.skip()
                step = self._script.number() if self._script.at_digit() else 0
                return Address("step", number, step) if step else Address("line", number)
            return Address("line", number)
        if letter == "$":
            self._script.at += 1
            return Address("last")
        if letter and letter in "+~" and not self._language.posix:
            self._script.at += 1
            self._script.skip()
            number = self._script.number() if self._script.at_digit() else 0
            if is_first and number:
                raise self._script.error("invalid usage of +N or ~N as first address")
            return Address("step" if is_first else "plus" if letter == "+" else "multiple", number, is_first)
        if letter in ("/", "\\") and letter:
            self._script.at += 1
            delimiter = self._script.next() if letter == "\\" else letter
            text = self._script.until_delimiter(delimiter, regex=True)
            if text is None:
                raise self._script.error("unterminated address regex")
            icase = multiline = False
            while self._script.peek() and self._script.peek() in "IM" and not self._language.posix:
                flag = self._script.next()
                icase, multiline = icase or flag == "I", multiline or flag == "M"
            if not text and (icase or multiline):
                self._script.skip()
            return Address("regex", pattern=self._pattern(text, icase, multiline))
        return None

    def _pattern(self, text: str, icase: bool, multiline: bool, groups: int = 0) -> Pattern:
        if not text and (icase or multiline):
            raise self._script.error("cannot specify modifiers on empty regexp")
        pattern = Pattern(convert_escapes(text), icase, multiline)
        if text:
            try:
                check_class_syntax(pattern.text.encode("utf-8", "surrogateescape"))
            except PatternError as error:
                raise ScriptError(error.message, 4) from None
            try:
                group_count = self._compile(pattern).groups
            except PatternError as error:
                raise self._script.error(error.message) from None
            if groups > group_count:
                raise self._script.error(f"invalid reference \\{groups} on `s' command's RHS")
        return pattern

    # ------------------------------------------------------------------ arguments

    def _work(self, name: str) -> Work:
        """Parse the arguments of a command."""
        if self._language.posix and name in _GNU:
            raise self._script.error(f"unknown command: `{name}'")
        if name in _WITHOUT_ARGUMENTS:
            self._end_command()
            return Plain(name)
        parse = _ARGUMENTS.get(name)
        if parse is None:
            raise self._script.error(f"unknown command: `{name}'")
        return parse(self)

    def _block(self) -> Work:
        return Block()

    def _append(self) -> Work:
        return Append(self._insertion())

    def _insert(self) -> Work:
        return Insert(self._insertion())

    def _change(self) -> Work:
        return Change(self._insertion())

    def _jump(self) -> Work:
        return Jump(self._label())

    def _jump_if_replaced(self) -> Work:
        return Jump(self._label(), "replaced")

    def _jump_unless_replaced(self) -> Work:
        return Jump(self._label(), "not replaced")

    def _quit(self) -> Work:
        return Quit(self._optional_number(), True)

    def _quit_silently(self) -> Work:
        return Quit(self._optional_number(), False)

    def _list(self) -> Work:
        return Listing(self._optional_number())

    def _optional_number(self) -> int:
        """Parse a number that only GNU's sed has; return -1 when it is absent."""
        self._script.skip()
        number = self._script.number() if self._script.at_digit() and not self._language.posix else -1
        self._end_command()
        return number

    def _read_file(self) -> Work:
        return ReadFile(self._file(writes=False))

    def _read_line(self) -> Work:
        return ReadLine(self._file(writes=False))

    def _write_file(self) -> Work:
        return WriteFile(self._file(writes=True))

    def _write_first_line(self) -> Work:
        return WriteFirstLine(self._file(writes=True))

    def _execution(self) -> Work:
        if self._sandbox:
            raise self._script.error("e/r/w commands disabled in sandbox mode")
        raise self._script.error("the `e' command is not supported (L-SED-001)")

    def _version(self) -> Work:
        """Parse v, which fails for a version above 4.9."""
        self._script.skip()
        start = self._script.at
        while self._script.peek() and self._script.peek() not in SPACE + ";":
            self._script.at += 1
        parts = (self._script.text[start : self._script.at] or "4").split(".")
        if not all(part.isdecimal() and part.isascii() and len(part) < 6 for part in parts):
            raise self._script.error("expected newer version of sed")
        if [int(part) for part in parts] > [4, 9]:
            raise self._script.error("expected newer version of sed")
        self._end_command()
        return Plain("v")

    def _label(self) -> str:
        self._script.skip()
        start = self._script.at
        stop = SPACE + ";}#"
        while self._script.peek() and self._script.peek() not in stop:
            self._script.at += 1
        return self._script.text[start : self._script.at]

    def _file(self, *, writes: bool) -> str:
        if self._sandbox:
            raise self._script.error("e/r/w commands disabled in sandbox mode")
        self._script.skip()
        end = self._script.text.find("\n", self._script.at)
        end = len(self._script.text) if end < 0 else end
        name = self._script.text[self._script.at : end]
        if not name:
            raise self._script.error("missing filename in r/R/w/W commands")
        self._script.at = end
        if writes:
            self._files.append(name)
        return name

    def _insertion(self) -> str:
        """Parse the text of a, i, c: after a backslash and newline, or on the same line."""
        self._script.skip()
        letter = self._script.peek()
        if (
            not letter
            or self._script.at in self._script.chunk_ends
            or (self._language.posix and letter != "\\")
        ):
            self._script.at += len(letter.strip("\n"))
            raise self._script.error("expected \\ after `a', `c' or `i'")
        if letter == "\\":
            self._script.at += 1
            letter = self._script.peek()
            if self._language.posix and (not letter or self._script.at in self._script.chunk_ends):
                raise self._script.error("incomplete command")
            if not letter:
                return ""
            if letter == "\n":
                self._script.at += 1
                letter = ""
        start = self._script.at
        if letter != "\n":
            self._script.at += len(
                letter
            )  # the first character on the same line is literal, even a backslash
        while self._script.peek() and self._script.peek() != "\n":
            self._script.at += 2 if self._script.peek() == "\\" else 1
        if self._script.at > len(
            self._script.text
        ):  # the script ends with a backslash, so the text keeps its escapes
            self._script.at -= 1
            return self._script.text[start:-1] + "\n"
        text = unescape_text(self._script.text[start : self._script.at])
        self._script.next()
        return text + "\n"

    def _substitution(self) -> Work:
        delimiter = self._script.next()
        if not delimiter:
            raise self._script.error("unterminated `s' command")
        pattern = self._script.until_delimiter(delimiter, regex=True)
        replacement = None if pattern is None else self._script.until_delimiter(delimiter, regex=False)
        if pattern is None or replacement is None:
            raise self._script.error("unterminated `s' command")
        flags = _Flags()
        while self._flag(flags):
            pass
        parts = parse_replacement(replacement, posix=self._language.posix)
        groups = max((part.group for part in parts), default=0)
        compiled_pattern = self._pattern(pattern, flags.icase, flags.multiline, groups)
        return Substitution(
            compiled_pattern, parts, flags.is_global, flags.number or 1, flags.prints, flags.file
        )

    def _flag(self, flags: _Flags) -> bool:
        """Parse one flag of s; return False at the end of the command. Raises ScriptError."""
        script = self._script
        letter = script.next()
        if not letter or letter in ";\n":
            return False
        if letter in "}#":
            script.at -= 1
            return False
        if letter in BLANKS:
            return True
        if self._language.posix and letter in "iImMe":
            raise script.error("unknown option to `s'")
        if letter in "iI":
            flags.icase = True
        elif letter in "mM":
            flags.multiline = True
        elif letter == "g":
            if flags.is_global:
                raise script.error("multiple `g' options to `s' command")
            flags.is_global = True
        elif letter == "p":
            if flags.prints:
                raise script.error("multiple `p' options to `s' command")
            flags.prints = True
        elif letter == "w":
            flags.file = self._file(writes=True)
            return False
        elif letter == "e" and self._sandbox:
            raise script.error("e/r/w commands disabled in sandbox mode")
        elif letter == "e":
            raise script.error("the `e' option to `s' is not supported (L-SED-001)")
        elif letter.isdecimal() and letter.isascii():
            script.at -= 1
            self._occurrence(flags)
        else:
            raise script.error("unknown option to `s'")
        return True

    def _occurrence(self, flags: _Flags) -> None:
        """Parse the number of the match that s replaces. Raises ScriptError."""
        if flags.number:
            self._script.at += 1
            raise self._script.error("multiple number options to `s' command")
        flags.number = self._script.number()
        if not flags.number:
            raise self._script.error("number option to `s' command may not be zero")

    def _transliteration(self) -> Work:
        delimiter = self._script.next()
        if not delimiter:
            raise self._script.error("unterminated `y' command")
        source = self._script.until_delimiter(delimiter, regex=False)
        target = None if source is None else self._script.until_delimiter(delimiter, regex=False)
        if source is None or target is None:
            raise self._script.error("unterminated `y' command")
        bytewise = self._language.bytewise
        old, new = characters_of(source, bytewise), characters_of(target, bytewise)
        if len(old) != len(new):
            raise self._script.error("strings for `y' command are different lengths")
        self._end_command()
        return Transliteration(old, new)


_ARGUMENTS: dict[str, Callable[[Parser], Work]] = {
    "{": Parser._block, "s": Parser._substitution, "y": Parser._transliteration, "a": Parser._append,
    "i": Parser._insert, "c": Parser._change, "b": Parser._jump, "t": Parser._jump_if_replaced,
    "T": Parser._jump_unless_replaced, "q": Parser._quit, "Q": Parser._quit_silently, "l": Parser._list,
    "r": Parser._read_file, "R": Parser._read_line, "w": Parser._write_file, "W": Parser._write_first_line,
    "v": Parser._version, "e": Parser._execution,
}  # fmt: skip
