"""jq's command line: options anywhere, several with two arguments, and what follows --args.

Source: jq 1.8 manual, "Invoking jq"; oracle: jq 1.8.2. Messages are jq's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

TRY_HELP = (
    "Use jq --help for help with command-line options,\n"
    "or see the jq manpage, or online docs at https://jqlang.org"
)


class Misuse(Exception):
    """Wrong options: the message, status 2; ``named`` when jq's name stands before it."""

    def __init__(self, message: str, *, named: bool = True) -> None:
        super().__init__(message)
        self.named = named


class Stop(Exception):
    """The call is over with this status; messages were printed."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Command:
    """A parsed command line; never changed once it is made.

    Attributes:
        program: Text of the filter, or with ``from_file`` the name of its file.
        indent: Spaces a level, 0 to 7; -1 for a tabulator, None for compact output.
        definitions: Option, name and text of each --arg, --argjson, --slurpfile, --rawfile.
        positional: Whether each is JSON, and its text (--args, --jsonargs).
        files: Operands.
        inform: "help", "version" or "build" when the option for it was given.
        search: Directories of modules (-L).
    """

    __slots__ = (
        "ascii",
        "colour",
        "definitions",
        "exit_status",
        "files",
        "from_file",
        "indent",
        "inform",
        "join",
        "nul",
        "null_input",
        "positional",
        "program",
        "raw",
        "raw_input",
        "search",
        "seq",
        "slurp",
        "sort_keys",
        "stream",
        "stream_errors",
    )

    def __init__(self) -> None:
        self.program: str | None = None
        self.from_file = False
        self.indent: int | None = 2
        self.definitions: tuple[tuple[str, str, str], ...] = ()
        self.positional: tuple[tuple[bool, str], ...] = ()
        self.files: tuple[str, ...] = ()
        self.search: tuple[str, ...] = ()
        self.inform = ""
        self.raw = self.join = self.nul = self.ascii = self.colour = self.sort_keys = self.seq = False
        self.null_input = self.slurp = self.raw_input = self.stream = self.exit_status = False
        self.stream_errors = False


#: Options without an argument: the fields they set.
_FLAGS: dict[str, tuple[tuple[str, object], ...]] = {
    "n": (("null_input", True),),
    "R": (("raw_input", True),),
    "s": (("slurp", True),),
    "c": (("indent", None),),
    "r": (("raw", True),),
    "raw-output0": (("raw", True), ("nul", True)),
    "j": (("raw", True), ("join", True)),
    "a": (("ascii", True),),
    "S": (("sort_keys", True),),
    "C": (("colour", True),),
    "M": (),  # whatever -C says before or after it
    "tab": (("indent", -1),),
    "unbuffered": (),
    "b": (),  # lines end with a newline on every system
    "stream": (("stream", True),),
    "stream-errors": (("stream", True), ("stream_errors", True)),
    "seq": (("seq", True),),
    "f": (("from_file", True),),
    "e": (("exit_status", True),),
    "h": (("inform", "help"),),
    "V": (("inform", "version"),),
    "build-configuration": (("inform", "build"),),
}
_LONG = {
    "null-input": "n",
    "raw-input": "R",
    "slurp": "s",
    "compact-output": "c",
    "raw-output": "r",
    "join-output": "j",
    "ascii-output": "a",
    "sort-keys": "S",
    "color-output": "C",
    "monochrome-output": "M",
    "from-file": "f",
    "binary": "b",
    "exit-status": "e",
    "help": "h",
    "version": "V",
}
_INDENTS = frozenset("01234567")


@lru_cache(maxsize=256)
def parse(arguments: tuple[str, ...]) -> Command:
    """Return the parsed command line. Raises Misuse."""
    return _Parser(arguments).run()


class _Parser:
    def __init__(self, arguments: Sequence[str]) -> None:
        self._rest = list(reversed(arguments))
        self._command = Command()
        self._files: list[str] = []
        self._search: list[str] = []
        self._definitions: dict[str, tuple[str, str, str]] = {}
        self._positional: list[tuple[bool, str]] = []
        self._further = "files"
        self._plain = False

    def run(self) -> Command:
        command = self._command
        options = True
        while self._rest and not command.inform:
            argument = self._rest.pop()
            if not options or not _is_option(argument):
                self._operand(argument)
            elif argument == "--":
                options = False
            elif argument.startswith("--"):
                self._option(argument[2:], argument)
            else:
                for at, letter in enumerate(argument[1:], 2):
                    if letter == "L":
                        self._search.append(argument[at:] or self._directory())
                        break
                    if letter not in _FLAGS or not letter.isascii():
                        raise Misuse(f"Unknown option -{letter}")
                    self._set(letter)
        command.files = tuple(self._files)
        command.search = tuple(self._search)
        command.colour = command.colour and not self._plain
        command.definitions = tuple(self._definitions.values())
        command.positional = tuple(self._positional)
        return command

    def _operand(self, text: str) -> None:
        if self._command.program is None:
            self._command.program = text
        elif self._further == "files":
            self._files.append(text)
        else:
            self._positional.append((self._further == "jsonargs", text))

    def _option(self, name: str, argument: str) -> None:
        if name == "library-path":
            self._search.append(self._directory())
            return
        if name in ("args", "jsonargs"):
            self._further = name
        elif name in ("arg", "argjson", "slurpfile", "rawfile"):
            self._define(name)
        elif name == "indent":
            self._indent()
        elif name in _LONG or (len(name) > 1 and name in _FLAGS):
            self._set(_LONG.get(name, name))
        else:
            raise Misuse(f"Unknown option {argument}")

    def _set(self, flag: str) -> None:
        for field, value in _FLAGS[flag]:
            if field != "inform" or not self._command.inform:
                setattr(self._command, field, value)
        self._plain = self._plain or flag == "M"

    def _directory(self) -> str:
        if not self._rest:
            raise Misuse("-L takes a parameter: (e.g. -L /search/path or -L/search/path)", named=False)
        return self._rest.pop()

    def _define(self, option: str) -> None:
        if len(self._rest) < 2:
            kind = "filename" if option.endswith("file") else "value"
            example = "text" if option == "argjson" else kind
            raise Misuse(f"--{option} takes two parameters (e.g. --{option} varname {example})")
        name, text = self._rest.pop(), self._rest.pop()
        self._definitions.setdefault(name, (option, name, text))

    def _indent(self) -> None:
        if not self._rest:
            raise Misuse("--indent takes one parameter")
        text = self._rest.pop()
        digits = text.lstrip("0") or text[-1:]
        if text != "-1" and digits not in _INDENTS:
            raise Misuse("--indent takes a number between -1 and 7")
        self._command.indent = int(text)


def _is_option(argument: str) -> bool:
    """Distinguish an option from a filter such as ``-1`` or ``-(.a)``."""
    return argument[:1] == "-" and (argument[1:2] == "-" or argument[1:2].isalpha())
