"""The command line of yq and tomlq: options anywhere, in the manner of both programs that are called yq."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import UsageError

FORMATS = {
    "yaml": "yaml", "yml": "yaml", "y": "yaml", "json": "json", "j": "json", "toml": "toml", "t": "toml",
    "csv": "csv", "c": "csv", "tsv": "tsv", "props": "props", "p": "props", "auto": "auto", "a": "auto",
    "xml": "xml", "x": "xml", "ini": "ini", "i": "ini",
}  # fmt: skip

#: Formats that are read.
READ = frozenset({"yaml", "json", "toml", "csv", "tsv", "xml", "ini", "auto"})

_COMMANDS = {"eval": False, "e": False, "eval-all": True, "ea": True}

_FLAGS = {
    "i": "in_place", "in-place": "in_place", "inplace": "in_place",
    "n": "null_input", "null-input": "null_input",
    "s": "slurp", "slurp": "slurp",
    "S": "sort_keys", "sort-keys": "sort_keys",
    "c": "compact", "compact-output": "compact",
    "e": "exit_status", "exit-status": "exit_status",
    "N": "no_separators", "no-doc": "no_separators",
    "0": "nul", "nul-output": "nul",
    "r": "raw", "raw-output": "raw", "unwrapScalar": "raw",
    "P": "pretty", "prettyPrint": "pretty", "M": "", "no-colors": "", "monochrome-output": "",
}  # fmt: skip
_LAYOUTS = {
    "j": "json", "tojson": "json",
    "y": "yaml", "yaml-output": "yaml", "yml-output": "yaml",
    "Y": "yaml", "yaml-roundtrip": "yaml", "yml-roundtrip": "yaml",
    "t": "toml", "toml-output": "toml",
}  # fmt: skip
_VALUES = {
    "o": "output", "output-format": "output", "p": "input", "input-format": "input",
    "I": "indent", "indent": "indent", "from-file": "from_file", "w": "", "width": "",
}  # fmt: skip
_PAIRS = frozenset({"arg", "argjson"})


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
    if name in ("help", "version"):
        made.inform = name
    elif name in _PAIRS:
        if len(rest) < 2:
            raise UsageError(f"--{name} takes two arguments: a name and a value")
        made.definitions.append((name, rest.pop(), rest.pop()))
    elif name in _VALUES and len(name) > 1:
        _value(made, _VALUES[name], value if equals else _next(rest, argument), argument)
    elif name in _LAYOUTS and len(name) > 1 and not equals:
        _layout(made, name)
    elif name == "unwrapScalar" and equals:
        if value not in ("true", "false"):
            raise UsageError(f"--unwrapScalar is true or false, not {value!r}")
        made.wrapped = value == "false"
    elif name in _FLAGS and len(name) > 1 and not equals:
        _flag(made, _FLAGS[name])
    else:
        raise UsageError(f"unknown option --{name}")


def _short(made: Arguments, letters: str, rest: list[str]) -> None:
    at = 0
    while at < len(letters):
        letter = letters[at]
        at += 1
        if letter in _VALUES:
            value = letters[at:].removeprefix("=") or _next(rest, f"-{letter}")
            _value(made, _VALUES[letter], value, f"-{letter}")
            return
        if letter == "r" and letters[at:].startswith("="):
            _long(made, f"--unwrapScalar{letters[at:]}", rest)
            return
        if letter in _LAYOUTS:
            _layout(made, letter)
        elif letter == "V":
            made.inform = "version"
        elif letter == "h":
            made.inform = "help"
        elif letter in _FLAGS:
            _flag(made, _FLAGS[letter])
        else:
            raise UsageError(f"unknown option -{letter}")


def _layout(made: Arguments, name: str) -> None:
    made.output = _LAYOUTS[name]
    made.round_trip = name in ("Y", "yaml-roundtrip", "yml-roundtrip")


def _flag(made: Arguments, field: str) -> None:
    if field:
        setattr(made, field, True)
    if field == "slurp":
        made.all_at_once = True


def _value(made: Arguments, field: str, value: str, option: str) -> None:
    if not field:  # --width: lines are never broken
        return
    if field == "indent":
        if not (value.isascii() and value.isdigit() and int(value[:3]) <= 16):
            raise UsageError(f"{option} takes a number from 0 to 16, not {value!r}")
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
