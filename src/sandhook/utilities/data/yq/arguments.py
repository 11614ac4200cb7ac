"""The command line of yq and tomlq: options anywhere, in the manner of both programs that are called yq."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import Option, UsageError, also, declared_fields, opt, option_set

FORMATS = {
    "yaml": "yaml", "yml": "yaml", "y": "yaml", "json": "json", "j": "json", "toml": "toml", "t": "toml",
    "csv": "csv", "c": "csv", "tsv": "tsv", "props": "props", "p": "props", "auto": "auto", "a": "auto",
    "xml": "xml", "x": "xml", "ini": "ini", "i": "ini",
}  # fmt: skip

#: Formats that are read.
READ = frozenset({"yaml", "json", "toml", "csv", "tsv", "xml", "ini", "auto"})

_COMMANDS = {"eval": False, "e": False, "eval-all": True, "ea": True}


@option_set
class Options:
    """yq [eval | eval-all] [OPTION]... EXPRESSION [FILE]... | tomlq [OPTION]... EXPRESSION [FILE]...

    Run EXPRESSION, a jq filter, on every document of the files or of standard input, and print the
    results: as YAML, or as JSON where JSON was read; tomlq reads TOML and prints JSON.
    """

    output: str = opt("-o", "--output-format", "FORMAT", "yaml, json, toml, csv, tsv, xml, ini or props")
    input: str = opt(
        "-p", "--input-format", "FORMAT", "yaml, json, toml, csv, tsv, xml or ini; else by the file's name"
    )
    layout: str = also(
        opt("-j", "--tojson", help="-o json", const="json"),
        opt("-y", "--yaml-output", "--yml-output", help="-o yaml", const="yaml"),
        opt("-t", "--toml-output", help="-o toml", const="toml"),
    )
    round_trip: str = opt(
        "-Y",
        "--yaml-roundtrip",
        "--yml-roundtrip",
        help="-o yaml, and keep the text as it stands",
        const="yaml",
    )
    compact: bool = opt("-c", "--compact-output", help="-o json, on one line")
    indent: str = opt("-I", "--indent", "N", "spaces a level; 0 prints JSON on one line")
    raw: bool = opt(
        "-r", "--raw-output", "--unwrapScalar",
        help="print strings without quotes; =false keeps the quotes that YAML needs",
    )  # fmt: skip
    in_place: bool = opt("-i", "--inplace", "--in-place", help="write the results to the file")
    null_input: bool = opt("-n", "--null-input", help="use null as the single input")
    slurp: bool = opt("-s", "--slurp", help="read all documents into one array")
    sort_keys: bool = opt("-S", "--sort-keys", help="sort the keys of mappings")
    no_separators: bool = opt("-N", "--no-doc", help="print no --- between documents")
    nul: bool = opt("-0", "--nul-output", help="print NUL after each result instead of a newline")
    pretty: bool = opt("-P", "--prettyPrint", help="print YAML in block style")
    exit_status: bool = opt("-e", "--exit-status", help="fail when the last result is false, null or missing")
    from_file: str = opt("--from-file", "FILE", "read the expression from a file")
    arg: tuple[str, ...] = opt("--arg", "NAME VALUE", "set $NAME to a string", append=True)
    argjson: tuple[str, ...] = opt("--argjson", "NAME JSON", "set $NAME to a JSON value", append=True)
    inform: str = also(
        opt("-h", "--help", help="print this help", const="help"),
        opt("-V", "--version", help="print the version", const="version"),
    )
    colours: bool = opt("-M", "--no-colors", "--monochrome-output", ignored="there are no colours")
    width: str = opt("-w", "--width", "COLUMNS", ignored="lines are never broken")


_OPTIONS = {
    flag.lstrip("-"): option
    for declared in declared_fields(Options).values()
    for option in declared.options
    for flag in option.flags
}


class Arguments:
    """A parsed command line.

    Attributes:
        expression: The filter; None when it is to be ".", or the name of a file stands in its place.
        all_at_once: One array of all documents is the input (eval-all, -s).
        slurp: It was -s that said so, and the expression is meant for an array.
    """

    def __init__(self, *, toml: bool) -> None:
        self.expression: str | None = None
        self.files: list[str] = []
        self.input = "toml" if toml else "auto"
        self.output = "json" if toml else "auto"
        self.indent = 2
        self.from_file: str | None = None
        self.definitions: list[tuple[str, str, str]] = []
        self.all_at_once = False
        self.in_place = self.null_input = self.slurp = self.sort_keys = self.compact = False
        self.exit_status = self.no_separators = self.nul = self.raw = False
        self.wrapped = self.pretty = self.round_trip = False
        self.inform = ""


def parse(arguments: Sequence[str], *, toml: bool = False) -> Arguments:
    """Read a command line. Raises UsageError."""
    made = Arguments(toml=toml)
    operands: list[str] = []
    rest = list(reversed(arguments))
    if rest and rest[-1] in _COMMANDS:
        made.all_at_once = _COMMANDS[rest.pop()]
    options = True
    while rest:
        argument = rest.pop()
        if not options or argument == "-" or not argument.startswith("-"):
            operands.append(argument)
        elif argument == "--":
            options = False
        elif argument.startswith("--"):
            _long(made, argument, rest)
        else:
            _short(made, argument[1:], rest)
    if made.compact:
        made.output, made.indent = "json", 0
    if made.from_file is None and operands:
        made.expression = operands.pop(0)
    made.files = operands
    return made


def _long(made: Arguments, argument: str, rest: list[str]) -> None:
    name, equals, value = argument[2:].partition("=")
    if name in ("arg", "argjson"):
        if len(rest) < 2:
            raise UsageError(f"--{name} takes two arguments: a name and a value")
        made.definitions.append((name, rest.pop(), rest.pop()))
    elif name == "unwrapScalar" and equals:
        if value not in ("true", "false"):
            raise UsageError(f"--unwrapScalar is true or false, not {value!r}")
        made.wrapped = value == "false"
    elif len(name) < 2 or (option := _OPTIONS.get(name)) is None or (equals and option.metavar is None):
        raise UsageError(f"unknown option --{name}")
    elif option.metavar is not None:
        _value(made, option, value if equals else _next(rest, argument), argument)
    else:
        _flag(made, option)


def _short(made: Arguments, letters: str, rest: list[str]) -> None:
    at = 0
    while at < len(letters):
        letter = letters[at]
        at += 1
        option = _OPTIONS.get(letter)
        if option is None:
            raise UsageError(f"unknown option -{letter}")
        if option.metavar is not None:
            value = letters[at:].removeprefix("=") or _next(rest, f"-{letter}")
            _value(made, option, value, f"-{letter}")
            return
        if letter == "r" and letters[at:].startswith("="):
            _long(made, f"--unwrapScalar{letters[at:]}", rest)
            return
        _flag(made, option)


def _flag(made: Arguments, option: Option) -> None:
    if option.field in ("layout", "round_trip"):
        made.output = option.const
        made.round_trip = option.field == "round_trip"
    elif not option.ignored:
        setattr(made, option.field, option.const)
    if option.field == "slurp":
        made.all_at_once = True


def _value(made: Arguments, option: Option, value: str, shown: str) -> None:
    field = option.field
    if option.ignored:
        return
    if field == "indent":
        if not (value.isascii() and value.isdigit() and int(value[:3]) <= 16):
            raise UsageError(f"{shown} takes a number from 0 to 16, not {value!r}")
        made.indent = int(value)
    elif field == "from_file":
        made.from_file = value
    elif value not in FORMATS:
        raise UsageError(f"unknown format {value!r}; known: {', '.join(sorted(set(FORMATS.values())))}")
    elif field == "input" and FORMATS[value] not in READ:
        raise UsageError(f"the format {value!r} can be written, not read")
    else:
        setattr(made, field, FORMATS[value])


def _next(rest: list[str], option: str) -> str:
    if not rest:
        raise UsageError(f"{option} takes an argument")
    return rest.pop()
