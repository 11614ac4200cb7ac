"""jq's command line: options in any position, some with two arguments, and the operands after --args.

Source: jq 1.8 manual, "Invoking jq"; oracle: jq 1.8.2. Messages are jq's own.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import opt, option_set, options_by_flag
from sandhook.lazy import cache_short

TRY_HELP = (
    "Use jq --help for help with command-line options,\n"
    "or see the jq manpage, or online docs at https://jqlang.org"
)


class MisuseError(Exception):
    """A usage error, with exit status 2; ``with_name``: the message begins with ``jq: ``."""

    def __init__(self, message: str, *, with_name: bool = True) -> None:
        super().__init__(message)
        self.with_name = with_name


class Stop(Exception):
    """Ends the call with this exit status; the messages are already printed."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Command:
    """A parsed command line, which must not be changed: ``parse`` caches it.

    Attributes:
        program: Text of the filter, or with ``from_file`` the name of its file.
        indent: Spaces for each level, 0 to 7; -1 for a tab, None for compact output.
        definitions: Option, name and text of each --arg, --argjson, --slurpfile, --rawfile.
        positional: For each of --args and --jsonargs, whether it is JSON, and its text.
        files: Operands.
        inform: "help", "version" or "build" for these options, else "".
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


@option_set
class Options:
    """jq [OPTION]... FILTER [FILE]... | jq [OPTION]... --args FILTER [STRING]...

    Run FILTER on every JSON value of the files or of standard input, and print the results.
    """

    null_input: bool = opt("-n", "--null-input", help="use null as the single input value")
    raw_input: bool = opt("-R", "--raw-input", help="read each line as a string")
    slurp: bool = opt("-s", "--slurp", help="read all inputs into one array")
    compact: bool = opt("-c", "--compact-output", help="print every result on one line")
    raw_output: bool = opt("-r", "--raw-output", help="print strings without quotes")
    raw_output0: bool = opt("--raw-output0", help="like -r, with NUL after each result")
    join: bool = opt("-j", "--join-output", help="like -r, without newlines")
    ascii_: bool = opt("-a", "--ascii-output", help="escape characters other than ASCII")
    sort_keys: bool = opt("-S", "--sort-keys", help="sort the keys of objects")
    colour: bool = opt("-C", "--color-output", help="print in colour")
    monochrome: bool = opt("-M", "--monochrome-output", help="print without colour")
    tab: bool = opt("--tab", help="indent with tabs")
    indent: str | None = opt("--indent", "N", "indent with N spaces, 0 to 7")
    unbuffered: bool = opt("--unbuffered", ignored="output is never held back")
    binary: bool = opt("-b", "--binary", ignored="lines end with a newline everywhere")
    stream: bool = opt("--stream", help="read values as paths and leaves")
    stream_errors: bool = opt("--stream-errors", help="like --stream, with errors as values")
    seq: bool = opt("--seq", help="read and write application/json-seq")
    from_file: bool = opt("-f", "--from-file", help="the first operand is the file of the filter")
    arg: tuple[str, ...] = opt("--arg", "NAME VALUE", "set $NAME to a string", append=True)
    argjson: tuple[str, ...] = opt("--argjson", "NAME JSON", "set $NAME to a JSON value", append=True)
    slurpfile: tuple[str, ...] = opt("--slurpfile", "NAME FILE", "set $NAME to a file's values", append=True)
    rawfile: tuple[str, ...] = opt("--rawfile", "NAME FILE", "set $NAME to a file's text", append=True)
    args: bool = opt("--args", help="further operands are strings in $ARGS")
    jsonargs: bool = opt("--jsonargs", help="further operands are JSON values in $ARGS")
    library: tuple[str, ...] = opt("-L", "--library-path", "DIRECTORY", "look for modules there", append=True)
    exit_status: bool = opt("-e", "--exit-status", help="1 for a last result of false or null, 4 for none")
    help_: bool = opt("-h", "--help", help="print this help")
    version: bool = opt("-V", "--version", help="print the version")
    build: bool = opt("--build-configuration", help="print the version, too")


_OPTIONS = {flag.lstrip("-"): option.field for flag, option in options_by_flag(Options).items()}

#: Fields that an option without argument sets, by its field in Options; other options set the field of that name.
_EFFECTS: dict[str, tuple[tuple[str, object], ...]] = {
    "compact": (("indent", None),),
    "raw_output": (("raw", True),),
    "raw_output0": (("raw", True), ("nul", True)),
    "join": (("raw", True), ("join", True)),
    "ascii_": (("ascii", True),),
    "monochrome": (),  # it overrides -C in any position
    "tab": (("indent", -1),),
    "unbuffered": (),
    "binary": (),
    "stream_errors": (("stream", True), ("stream_errors", True)),
    "help_": (("inform", "help"),),
    "version": (("inform", "version"),),
    "build": (("inform", "build"),),
}
_DEFINITIONS = ("arg", "argjson", "slurpfile", "rawfile")
_INDENTS = frozenset("01234567")


@cache_short(256)
def parse(arguments: tuple[str, ...]) -> Command:
    """Parse a command line. Raises MisuseError."""
    return _Parser(arguments).run()


class _Parser:
    def __init__(self, arguments: Sequence[str]) -> None:
        self._remaining = list(reversed(arguments))
        self._command = Command()
        self._files: list[str] = []
        self._search: list[str] = []
        self._definitions: dict[str, tuple[str, str, str]] = {}
        self._positional: list[tuple[bool, str]] = []
        self._operand_kind = "files"
        self._monochrome = False

    def run(self) -> Command:
        command = self._command
        options = True
        while self._remaining and not command.inform:
            argument = self._remaining.pop()
            if not options or not _is_option(argument):
                self._operand(argument)
            elif argument == "--":
                options = False
            elif argument.startswith("--"):
                self._option(argument[2:], argument)
            else:
                for at, letter in enumerate(argument[1:], 2):
                    field = _OPTIONS.get(letter)
                    if field is None:
                        raise MisuseError(f"Unknown option -{letter}")
                    if field == "library":
                        self._search.append(argument[at:] or self._directory())
                        break
                    self._set(field)
        command.files = tuple(self._files)
        command.search = tuple(self._search)
        command.colour = command.colour and not self._monochrome
        command.definitions = tuple(self._definitions.values())
        command.positional = tuple(self._positional)
        return command

    def _operand(self, text: str) -> None:
        if self._command.program is None:
            self._command.program = text
        elif self._operand_kind == "files":
            self._files.append(text)
        else:
            self._positional.append((self._operand_kind == "jsonargs", text))

    def _option(self, name: str, argument: str) -> None:
        field = _OPTIONS.get(name) if len(name) > 1 else None
        if field is None:
            raise MisuseError(f"Unknown option {argument}")
        if field == "library":
            self._search.append(self._directory())
        elif field in ("args", "jsonargs"):
            self._operand_kind = field
        elif field in _DEFINITIONS:
            self._define(field)
        elif field == "indent":
            self._indent()
        else:
            self._set(field)

    def _set(self, option: str) -> None:
        for field, value in _EFFECTS.get(option, ((option, True),)):
            if field != "inform" or not self._command.inform:
                setattr(self._command, field, value)
        self._monochrome = self._monochrome or option == "monochrome"

    def _directory(self) -> str:
        if not self._remaining:
            raise MisuseError(
                "-L takes a parameter: (e.g. -L /search/path or -L/search/path)", with_name=False
            )
        return self._remaining.pop()

    def _define(self, option: str) -> None:
        if len(self._remaining) < 2:
            kind = "filename" if option.endswith("file") else "value"
            example = "text" if option == "argjson" else kind
            raise MisuseError(f"--{option} takes two parameters (e.g. --{option} varname {example})")
        name, text = self._remaining.pop(), self._remaining.pop()
        self._definitions.setdefault(name, (option, name, text))

    def _indent(self) -> None:
        if not self._remaining:
            raise MisuseError("--indent takes one parameter")
        text = self._remaining.pop()
        digits = text.lstrip("0") or text[-1:]
        if text != "-1" and digits not in _INDENTS:
            raise MisuseError("--indent takes a number between -1 and 7")
        self._command.indent = int(text)


def _is_option(argument: str) -> bool:
    """Distinguish an option from a filter such as ``-1`` or ``-(.a)``."""
    return argument[:1] == "-" and (argument[1:2] == "-" or argument[1:2].isalpha())
