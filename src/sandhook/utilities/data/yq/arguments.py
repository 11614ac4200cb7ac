"""The command line of yq and tomlq: options in any position, from both programs called yq."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import Option, UsageError, also, opt, option_set, options_by_flag

FORMATS = {
    "yaml": "yaml", "yml": "yaml", "y": "yaml", "json": "json", "j": "json", "toml": "toml", "t": "toml",
    "csv": "csv", "c": "csv", "tsv": "tsv", "props": "props", "p": "props", "auto": "auto", "a": "auto",
    "xml": "xml", "x": "xml", "ini": "ini", "i": "ini",
}  # fmt: skip

#: Formats that can be read.
READ = frozenset({"yaml", "json", "toml", "csv", "tsv", "xml", "ini", "auto"})

_COMMANDS = {"eval": False, "e": False, "eval-all": True, "ea": True}


@option_set
class Options:
    """yq [eval | eval-all] [OPTION]... EXPRESSION [FILE]... | tomlq [OPTION]... EXPRESSION [FILE]...

    Run EXPRESSION, a jq filter, on every document of the files or of standard input, and print the
    results: as YAML, or as JSON for JSON input; tomlq reads TOML and prints JSON.
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
        help="-o yaml, and keep comments and layout",
        const="yaml",
    )
    compact: bool = opt("-c", "--compact-output", help="-o json, on one line")
    indent: str = opt("-I", "--indent", "N", "spaces for each level; 0 prints JSON on one line")
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


_OPTIONS = {flag.lstrip("-"): option for flag, option in options_by_flag(Options).items()}


class Arguments:
    """A parsed command line.

    Attributes:
        expression: The filter; None for ".". It may turn out to be the name of a file.
        all_at_once: The input is one array of all documents (eval-all, -s).
        slurp: -s, where the expression itself expects an array.
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
    """Parse a command line. Raises UsageError."""
    parsed = Arguments(toml=toml)
    operands: list[str] = []
    rest = list(reversed(arguments))
    if rest and rest[-1] in _COMMANDS:
        parsed.all_at_once = _COMMANDS[rest.pop()]
    options = True
    while rest:
        argument = rest.pop()
        if not options or argument == "-" or not argument.startswith("-"):
            operands.append(argument)
        elif argument == "--":
            options = False
        elif argument.startswith("--"):
            _long(parsed, argument, rest)
        else:
            _short(parsed, argument[1:], rest)
    if parsed.compact:
        parsed.output, parsed.indent = "json", 0
    if parsed.from_file is None and operands:
        parsed.expression = operands.pop(0)
    parsed.files = operands
    return parsed


def _long(parsed: Arguments, argument: str, rest: list[str]) -> None:
    name, equals, value = argument[2:].partition("=")
    if name in ("arg", "argjson"):
        if len(rest) < 2:
            raise UsageError(f"--{name} takes two arguments: a name and a value")
        parsed.definitions.append((name, rest.pop(), rest.pop()))
    elif name == "unwrapScalar" and equals:
        if value not in ("true", "false"):
            raise UsageError(f"--unwrapScalar is true or false, not {value!r}")
        parsed.wrapped = value == "false"
    elif len(name) < 2 or (option := _OPTIONS.get(name)) is None or (equals and option.metavar is None):
        raise UsageError(f"unknown option --{name}")
    elif option.metavar is not None:
        _value(parsed, option, value if equals else _next(rest, argument), argument)
    else:
        _flag(parsed, option)


def _short(parsed: Arguments, letters: str, rest: list[str]) -> None:
    at = 0
    while at < len(letters):
        letter = letters[at]
        at += 1
        option = _OPTIONS.get(letter)
        if option is None:
            raise UsageError(f"unknown option -{letter}")
        if option.metavar is not None:
            value = letters[at:].removeprefix("=") or _next(rest, f"-{letter}")
            _value(parsed, option, value, f"-{letter}")
            return
        if letter == "r" and letters[at:].startswith("="):
            _long(parsed, f"--unwrapScalar{letters[at:]}", rest)
            return
        _flag(parsed, option)


def _flag(parsed: Arguments, option: Option) -> None:
    if option.field in ("layout", "round_trip"):
        parsed.output = option.const
        parsed.round_trip = option.field == "round_trip"
    elif not option.ignored:
        setattr(parsed, option.field, option.const)
    if option.field == "slurp":
        parsed.all_at_once = True


def _value(parsed: Arguments, option: Option, value: str, option_name: str) -> None:
    field = option.field
    if option.ignored:
        return
    if field == "indent":
        if not (value.isascii() and value.isdigit() and int(value[:3]) <= 16):
            raise UsageError(f"{option_name} wants a number from 0 to 16, not {value!r}")
        parsed.indent = int(value)
    elif field == "from_file":
        parsed.from_file = value
    elif value not in FORMATS:
        raise UsageError(f"unknown format {value!r}; known: {', '.join(sorted(set(FORMATS.values())))}")
    elif field == "input" and FORMATS[value] not in READ:
        raise UsageError(f"the format {value!r} can be written, not read")
    else:
        setattr(parsed, field, FORMATS[value])


def _next(rest: list[str], option: str) -> str:
    if not rest:
        raise UsageError(f"{option} takes an argument")
    return rest.pop()
