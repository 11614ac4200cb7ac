"""mapfile, readarray: read lines into an indexed array.

Source: bash 5.2 reference manual 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from sandhook.builtins.base import USAGE_STATUS, BuiltinError, builtin, numeric, parse, runtime
from sandhook.builtins.variables.input import Source
from sandhook.builtins.variables.variables import array_name
from sandhook.record import Record
from sandhook.state.state import State
from sandhook.state.values import ARRAY, COMPUTED, IndexedArray, held
from sandhook.text.quoting import single_quote
from sandhook.vfs.errors import error_text

USAGE = "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]"
_LARGEST = 2**31


class Request(Record):
    """The options; ``maximum`` 0 means all lines, ``origin`` None an array that starts empty."""

    delimiter: bytes = b"\n"
    maximum: int = 0
    origin: int | None = None
    skip: int = 0
    strip: bool = False
    fd: int = 0
    callback: str = ""
    quantum: int = 5000


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 for a wrong option-argument, or an array that cannot be assigned."""
    options, operands = parse(argv, "C:O:c:d:n:s:tu:")
    request = Request()
    for letter, argument, _ in options:
        request = request._replace(**_change(letter, argument))
    try:
        description = state.process.descriptor(request.fd)
    except OSError as error:
        raise BuiltinError(f"{request.fd}: invalid file descriptor: {error_text(error)}") from None
    if operands and not operands[0]:
        raise BuiltinError("empty array variable name", USAGE_STATUS)
    name = array_name(state, operands[0] if operands else "MAPFILE")
    with suppress(OSError):  # as in bash, unreadable input is not an error
        _read(state, request, name, Source(state, description, None))
    return 0


def _change(letter: str, argument: str) -> dict[str, object]:
    """Return what an option changes in the request."""
    match letter:
        case "d":
            return {"delimiter": argument.encode("utf-8", "surrogateescape")[:1] or b"\0"}
        case "t":
            return {"strip": True}
        case "C":
            return {"callback": argument}
        case "u":
            return {"fd": _number(argument, "invalid file descriptor specification")}
        case "n":
            return {"maximum": _number(argument, "invalid line count")}
        case "s":
            return {"skip": _number(argument, "invalid line count")}
        case "O":
            return {"origin": _number(argument, "invalid array origin")}
        case "c":
            return {"quantum": _number(argument, "invalid callback quantum", minimum=1)}
    raise AssertionError(f"mapfile has no option -{letter}")


def _number(text: str, error: str, *, minimum: int = 0) -> int:
    number = numeric(text)
    if number is None or not minimum <= number < _LARGEST:
        raise BuiltinError(f"{text}: {error}")
    return number


def _read(state: State, request: Request, name: str, source: Source) -> None:
    limit = state.budget.memory_bytes
    delimiter = request.delimiter
    for _ in range(request.skip):
        if not source.read_until(delimiter, limit):
            break
    if request.origin is None:
        name = held(name, state.budget)
        state.attributes[name] = state.attributes.get(name, 0) | ARRAY
        state.values[name] = IndexedArray()
    array = state.array(name)
    assert isinstance(array, IndexedArray)
    bits = state.attributes.get(name, 0)
    index = request.origin or 0
    line_count = 0
    while not request.maximum or line_count < request.maximum:
        line = source.read_until(delimiter, limit)
        if not line:
            break
        line_count += 1
        if request.strip:
            line = line.removesuffix(delimiter)
        text = line.partition(b"\0")[0].decode("utf-8", "surrogateescape")  # as in bash, a NUL ends the text
        if request.callback and line_count % request.quantum == 0:
            runtime(state).run_text(state, f"{request.callback} {index} {single_quote(text)}")
        state.budget.charge_memory(64 + len(text))
        array.keep(state.budget, 64 + len(text))
        array.set(index, state.convert(name, bits, text) if bits & COMPUTED else text)
        index += 1
