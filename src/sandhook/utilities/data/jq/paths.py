"""Programs that are a plain path, such as ``.tool_input.command // empty``, answered without a worker.

Most programs of published hooks are such paths. Everything else is left to libjq: other programs and options, results other
than strings, small integers, constants and, with -c, what has only these in it, and inputs that are not one value that Python and jq read alike. So
every message and every number of another form is libjq's own.

Source: jq 1.8 manual, "Basic filters" and "Alternative operator". Oracle: jq 1.8.2, by the worker.
"""

from __future__ import annotations

from sandhook.formats import FormatError, Number
from sandhook.formats.json_text import read_json
from sandhook.lazy import cache_short, lazily
from sandhook.record import Record
from sandhook.typed import TypeAlias
from sandhook.utilities.data.jq.arguments import Command

#: Bytes of the largest input; the reader holds the interpreter for a millisecond then.
MAX_INPUT = 65_536
#: Levels of arrays and objects that are printed here.
MAX_LEVELS = 32
#: Bytes of memory for a byte of input: ``[[],[],`` has an object of 56 bytes and its place for every three.
TREE = 32

#: A string of printable ASCII without escapes. The complement of the other characters takes 5 ms to compile.
_STRING = r'"[ !#-\[\]-~]*"'
_STEP = rf"\.[A-Za-z_][A-Za-z0-9_]*|\.?\[(?:-?[0-9]{{1,6}}|{_STRING})\]"
_PATH = lazily(
    rf"(?a)\s*((?:(?:{_STEP})\??)+)\s*(?://\s*(empty|null|true|false|{_STRING}))?\s*",
)
_STEPS = lazily(rf"(?a)({_STEP})(\??)")
#: Numbers that jq prints as they are written.
_INTEGER = lazily(r"-?[1-9][0-9]{0,14}|0")
#: Strings that are printed as they are between quotes.
_PLAIN = lazily(r"[ !#-\[\]-~]*")
_SURROGATE = lazily(rb"\\u[dD][89a-fA-F]")

_CONSTANTS: dict[str, str | bool | None] = {"null": None, "true": True, "false": False}
_BLANKS = b" \t\r\n"
_NO_RESULT = 4  #: the exit status of -e without a result


#: A value of ``read_json``, whose numbers are texts.
Json: TypeAlias = "str | bool | list[Json] | dict[str, Json] | None"


class Step(Record):
    """One step of a path: a key or an index; with ``?`` it has no result where others are an error."""

    key: str | int
    is_optional: bool


class Path(Record):
    """A plain path and its alternative.

    Fields:
        steps: From the outermost value to the result.
        alternative: "" without one, "empty", or a constant as JSON.
    """

    steps: tuple[Step, ...]
    alternative: str


class Answer(Record):
    """What jq prints, and its exit status."""

    output: str
    status: int


class _Different(Exception):
    """The result, or the error, is left to libjq."""


class _Nothing(Exception):
    """The path has no result."""


def plain_path(command: Command) -> Path | None:
    """Return the path of a command line that has no other program and only -r, -e, -c and similar options."""
    if command.program is None or command.from_file or len(command.files) > 1 or command.positional:
        return None
    if command.null_input or command.raw_input or command.slurp or command.stream or command.seq:
        return None
    if command.ascii or command.colour or command.join or command.nul or command.search:
        return None
    if any(option != "arg" for option, _, _ in command.definitions):
        return None
    return _parse(command.program)


@cache_short(256)
def _parse(program: str) -> Path | None:
    names = program.removesuffix(" // empty").split(".")
    if not names[0] and program.isascii() and all(map(str.isidentifier, names[1:])) and len(names) > 1:
        return Path(tuple(Step(name, False) for name in names[1:]), "empty" * program.endswith(" // empty"))
    match = _PATH.fullmatch(program)
    if match is None or program.lstrip()[:1] != "." or "?//" in program:  # an operator of its own
        return None
    steps = []
    for text, optional in _STEPS.findall(match[1]):
        key = text.lstrip(".").strip("[]")
        name: str | int = key if text[-1] != "]" else key[1:-1] if key[0] == '"' else int(key)
        steps.append(Step(name, bool(optional)))
    return Path(tuple(steps), match[2] or "")


def answer(path: Path, data: bytes, *, raw: bool, compact: bool, exit_status: bool) -> Answer | None:
    """Return what jq prints for an input of at most ``MAX_INPUT`` bytes; None when libjq must run.

    Args:
        data: The input.
        raw: -r is set: strings are printed without quotes.
        compact: -c is set, and not -S: arrays and objects are one line, in their order.
        exit_status: -e is set.
    """
    if not data.strip(_BLANKS):
        return Answer("", _NO_RESULT if exit_status else 0)
    try:
        value = _value(path, data)
        is_compound = compact and isinstance(value, (list, dict))
        text = _compound(value) if is_compound else _text(value, raw=raw)
        text.encode()  # fails for half of a surrogate pair
    except _Nothing:
        return Answer("", _NO_RESULT if exit_status else 0)
    except (_Different, FormatError, UnicodeError):
        return None
    return Answer(text + "\n", int(exit_status and (value is None or value is False)))


def _value(path: Path, data: bytes) -> Json:
    if b"\\u" in data and _SURROGATE.search(data):  # an error in jq, unless it is a pair
        raise _Different
    root: Json = read_json(data.decode())
    try:
        value = _walk(path, root)
    except _Nothing:
        if not path.alternative:
            raise
        value = None
    if not path.alternative or not (value is None or value is False):
        return value
    if path.alternative == "empty":
        raise _Nothing
    return _CONSTANTS[path.alternative] if path.alternative in _CONSTANTS else path.alternative[1:-1]


def _walk(path: Path, value: Json) -> Json:
    for key, is_optional in path.steps:
        if value is None:
            continue
        if isinstance(key, str) and isinstance(value, dict):
            value = value.get(key)
        elif isinstance(key, int) and isinstance(value, list):
            value = value[key] if -len(value) <= key < len(value) else None
        elif is_optional:
            raise _Nothing
        else:
            raise _Different
    return value


def _compound(value: Json, levels: int = MAX_LEVELS) -> str:
    """Return a value on one line. Raises _Different as ``_text``, and for one with more levels."""
    if not isinstance(value, (list, dict)):
        return _text(value, raw=False)
    if not levels:
        raise _Different
    if isinstance(value, list):
        return f"[{','.join([_compound(item, levels - 1) for item in value])}]"
    pairs = [f"{_text(key, raw=False)}:{_compound(item, levels - 1)}" for key, item in value.items()]
    return f"{{{','.join(pairs)}}}"


def _text(value: Json, *, raw: bool) -> str:
    """Return a result as jq prints it. Raises _Different for one that Python might print otherwise."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, Number):
        if _INTEGER.fullmatch(value):
            return value
    elif isinstance(value, str):
        if raw and "\0" not in value:
            return value
        if not raw and _PLAIN.fullmatch(value):
            return f'"{value}"'
    raise _Different
