"""Check a jq program, and wrap it so that no state of the host is visible to it.

By default libjq reads the host's environment, module files and ``~/.jq``. Every name that
could do so is bound to a value of the script around the program, or rejected before libjq
sees it. In addition, the worker that runs the program has no environment and no files.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.lazy import cache_short
from sandhook.utilities.data.jq.inputs import UnclearReadingError, reading_sites
from sandhook.utilities.data.jq.lexer import Token, definitions, keys, tokenize

#: Names that are not supported, with the row of docs/divergences.md.
UNSUPPORTED = {
    "get_jq_origin": "L-JQ-001",
    "get_prog_origin": "L-JQ-001",
    "import": "L-JQ-001",
    "include": "L-JQ-001",
    "module": "L-JQ-001",
}

#: Names that are not supported if libjq's own functions cannot be called.
_WITHOUT_LINES = {"input_line_number": "L-JQ-002"}

#: Names that depend on the time zone of the process.
TIME_ZONE_FUNCTIONS = frozenset({"localtime", "strflocaltime"})

#: Functions that read a further input.
INPUT_FUNCTIONS = frozenset({"input", "inputs"})

#: Variables of the wrapping.
_PREFIX = "__sandhook_"
NOW, FILE = _PREFIX + "now", _PREFIX + "file"
_IN, _AT, _BAD = f"${_PREFIX}in", f"${_PREFIX}at", f"${_PREFIX}bad"

#: Variables that --arg cannot set.
OWN = frozenset({"ENV", "ARGS", "__loc__", NOW, FILE})

_ERROR = '(if type=="string" then . else [tojson] end)'
_HALT = "\\u0001halt"
_HALTS = (
    f'def halt: error({{"{_HALT}":[0,null]}});'
    'def halt_error($__status): if ($__status|type)!="number"'
    ' then error("\\(type) (\\(tojson)) halt_error/1: number required")'
    f' else error({{"{_HALT}":[$__status,{_ERROR}]}}) end;'
    "def halt_error: halt_error(5);"
)
_SORT = (
    'def __sorted: if type=="object" then . as $__o|reduce keys[] as $__k ({};.[$__k]=($__o[$__k]|__sorted))'
    ' elif type=="array" then map(__sorted) else . end;'
)


class UnsupportedProgramError(Exception):
    """The program uses something that is not supported; the message names it."""


class Uses:
    """The names that the text of a program uses."""

    __slots__ = (
        "bound",
        "env",
        "filename",
        "halts",
        "names",
        "sites",
        "uses_now",
        "uses_time_zone",
        "variables",
    )

    def __init__(self, names: frozenset[str], variables: frozenset[str]) -> None:
        self.names = names
        self.variables = variables
        self.halts = not names.isdisjoint(("halt", "halt_error"))
        self.env = "env" in names or "ENV" in variables
        self.uses_now = "now" in names
        self.filename = "input_filename" in names
        self.uses_time_zone = not names.isdisjoint(TIME_ZONE_FUNCTIONS)
        self.sites: tuple[Token, ...] = ()


@cache_short(256)
def inspect(program: str, *, native: bool = False, linked: bool = False) -> Uses:
    """Return the names that a program uses.

    Args:
        linked: Modules are written into the program, and their data is in variables of the wrapping.

    Raises:
        UnsupportedProgramError: It uses something that is not supported.
        UnbalancedError: Its brackets do not match.
    """
    unsupported = UNSUPPORTED if native else {**UNSUPPORTED, **_WITHOUT_LINES}
    tokens = tokenize(program)
    key_offsets = keys(tokens)
    names = {token.text for token in tokens if token.kind == "name" and token.start not in key_offsets}
    for name in sorted(names):
        if name in unsupported:
            raise UnsupportedProgramError(f"{name} is not supported ({unsupported[name]})")
    variables = {token.text for token in tokens if token.kind == "variable"}
    for name in sorted(variables):
        if name.startswith(_PREFIX) and not linked:
            raise UnsupportedProgramError(f"${name} is not supported (L-JQ-001)")
    uses = Uses(frozenset(names), frozenset(variables))
    reading_names = INPUT_FUNCTIONS - definitions(tokens)
    if not names.isdisjoint(reading_names):
        uses.sites = tuple(
            token
            for token in tokens
            if token.kind == "name" and token.text in reading_names and token.start not in key_offsets
        )
    return uses


class Plan:
    """A program ready for the worker.

    Attributes:
        program, probe: Wrapped texts; ``probe`` only for programs that may halt.
        gather: The worker passes all inputs to the program in one array.
        step: Inputs that one turn reads; 0 means all.
        names: Variables of the program, in the order in which their values are sent.
    """

    __slots__ = ("gather", "names", "probe", "program", "step")

    def __init__(self, program: str, probe: str, gather: bool, step: int, names: tuple[str, ...]) -> None:
        self.program = program.encode("utf-8", "surrogateescape")
        self.probe = probe.encode("utf-8", "surrogateescape")
        self.gather = gather
        self.step = step
        self.names = names


@cache_short(256)
def plan(
    program: str,
    variable_names: tuple[str, ...],
    *,
    null_input: bool,
    slurp: bool,
    stream: bool,
    raw: bool,
    sort_keys: bool,
    linked: bool = False,
) -> Plan:
    """Wrap a program for libjq.

    Args:
        program: The user's text.
        named: Names of the variables that options define, without ``$``.
        null_input, slurp, stream: -n, -s, --stream.
        raw: Print strings without quotes.
        sort_keys: -S.
        linked: See ``inspect``.

    A turn that reads further inputs and fails may not have reached all its sites. Its error
    has "l" if inputs remain, and then the run cannot continue.

    Raises:
        UnsupportedProgramError: It uses something that is not supported.
        UnbalancedError: Its brackets do not match, so that nothing may be wrapped around it.
    """
    uses = inspect(program, linked=linked)
    names = [name for name in variable_names if name in uses.variables and name not in OWN]
    special_variables = (
        ("ENV", uses.env),
        ("ARGS", "ARGS" in uses.variables),
        (NOW, uses.uses_now),
        (FILE, uses.filename),
    )
    names += [name for name, used in special_variables if used]
    text, step = _bind_sites(program, uses, null_input) if uses.sites else (program, 1)
    define = _definitions(uses, sort_keys)
    if not (names or uses.sites or slurp or uses.halts):
        source = "" if null_input or not stream else "tostream|"
        return Plan(define + source + _guard(text, raw, sort_keys, _catch()) + ",null", "", False, 1, ())
    head = f".[1] as [{','.join('$' + name for name in names)}]|" if names else ""
    head = f".[0] as {_BAD}|{head}" if uses.sites else head
    values = _values(uses, slurp=slurp, stream=stream)
    body = head + _turns(values, uses, step, null_input) + define
    remaining_flag = f",l:(({_IN}|length)>{_AT}+1)" if uses.sites and not null_input else ""
    plain = _guard(text, raw, sort_keys, _catch(remaining_flag)) + ",null"
    if not uses.halts:
        return Plan(body + plain, "", True, step, tuple(names))
    halting = _guard(text, raw, sort_keys, _halt_catch(remaining_flag)) + ",null"
    return Plan(body + _HALTS + halting, f"({body}{plain}),0", True, step, tuple(names))


def _definitions(uses: Uses, sort_keys: bool) -> str:
    """Return the definitions of the functions that a program uses."""
    return "".join(
        definition
        for definition, used in (
            ("def env: $ENV;", uses.env),
            (f"def now: ${NOW};", uses.uses_now),
            (f"def input_filename: ${FILE}[{_AT}];", uses.filename),
            (_SORT, sort_keys),
        )
        if used
    )


def _values(uses: Uses, *, slurp: bool, stream: bool) -> str:
    """Return an expression for the inputs in the worker's array."""
    values = "[.[2:][]|tostream]" if stream else ".[2:]"
    if not slurp:
        return values
    return f"(if {_BAD} then [] else [{values}] end)" if uses.sites else f"[{values}]"


def _turns(values: str, uses: Uses, step: int, null_input: bool) -> str:
    """Return an expression that runs the program once for each input, or once for null."""
    if null_input:
        return f"{values} as {_IN}|-1 as {_AT}|null|" if uses.sites else f"-1 as {_AT}|null|"
    if uses.sites or uses.filename:
        last = "length" if step else "([1,length]|min)"
        return f"{values} as {_IN}|range(0;{_IN}|{last};{step or 1}) as {_AT}|{_IN}[{_AT}]|"
    return f"{values}[]|"


def _catch(remaining_flag: str = "") -> str:
    return f"{{e:{_ERROR}{remaining_flag}}}"


def _halt_catch(remaining_flag: str) -> str:
    return f'(if type=="object" and has("{_HALT}") then {{h:.["{_HALT}"]}} else {_catch(remaining_flag)} end)'


def _guard(text: str, raw: bool, sort_keys: bool, catch: str) -> str:
    """Wrap ``text`` so that its results and errors have the form that the worker reads.

    The newlines end a comment at the end of the text, also one that a backslash continues.
    """
    order = "__sorted|" if sort_keys else ""
    result = f'{order}(if type=="string" then . else [tojson] end)' if raw else f"{order}[tojson]"
    return f"try (({text}\n\n)|{result}) catch {catch}"


def _bind_sites(program: str, uses: Uses, null_input: bool) -> tuple[str, int]:
    """Replace ``input`` and ``inputs`` by expressions that read the array of all inputs."""
    tokens = tokenize(program)
    offsets = frozenset(token.start for token in uses.sites)
    try:
        reading = reading_sites(tokens, keys(tokens), offsets, null_input=null_input)
    except UnclearReadingError as error:
        raise UnsupportedProgramError(
            f"{error} in a place that may read more than once is not supported (L-JQ-003)"
        ) from None
    pieces = []
    at = 0
    for token in uses.sites:
        place = reading.sites[token.start] + 1
        pieces.append(program[at : token.start])
        rest = f"{_IN}[{_AT}+{place}:]"
        end = f'error(if {_BAD} then {_BAD} else "break" end)'
        if token.text == "input":
            pieces.append(f"({rest}|if length>0 then .[0] else {end} end)")
        else:
            pieces.append(f"({rest}[],if {_BAD} then error({_BAD}) else empty end)")
        at = token.end
    pieces.append(program[at:])
    return "".join(pieces), reading.step


def names_for_check(variable_names: Sequence[str]) -> dict[str, None]:
    """Return the variables to declare when libjq compiles a program only for its messages."""
    return dict.fromkeys([*variable_names, "ARGS"])
