"""read: read a line into variables.

Source: POSIX.1-2024 XCU 3 read; bash 5.2 reference manual 4.2. Nothing after the delimiter is
consumed. Standard input is never a terminal here, so -e, -i, -p and -s have no effect, as in bash.
Divergence: L-READ-001, a lone backslash at the end of the input vanishes; bash leaves a \\001.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import (
    BuiltinError,
    HelpWanted,
    Run,
    builtin,
    fatal_error,
    invalid_name,
    numeric,
    parse,
)
from sandhook.builtins.variables.input import NOTHING, is_plain_line, read_line, read_piece, wait_for_input
from sandhook.builtins.variables.variables import array_name, assign_reference
from sandhook.kernel.descriptor import Description
from sandhook.kernel.signals import SIGALRM
from sandhook.lazy import cache_short
from sandhook.record import Record
from sandhook.state.assignment import set_array
from sandhook.state.control import ShellError
from sandhook.state.state import State
from sandhook.state.values import ARRAY, COMPUTED, LARGE
from sandhook.text.fields import DEFAULT_IFS, split, split_for
from sandhook.text.names import is_name
from sandhook.typed import Any
from sandhook.vfs.errors import error_text

USAGE = (
    "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] "
    "[-u fd] [name ...]"
)


class Request(Record):
    """The options of one read.

    Attributes:
        maximum: Characters at most (-n, -N), None for a whole line.
        exact: -N: neither delimiter nor IFS counts.
        timeout: Seconds; None waits for ever, 0.0 only checks whether there is input.
    """

    array: str | None = None
    delimiter: bytes = b"\n"
    maximum: int | None = None
    exact: bool = False
    raw: bool = False
    timeout: float | None = None
    fd: int = 0


def prepare(prefix: tuple[str, ...], whole: bool) -> Run | None:
    """Return a closure for the usual forms in loops: ``read -r line``, ``IFS=: read -r a b``, ``read -ra list``.

    None for other options, and for words that depend on expansions.
    """
    if not whole:
        return None
    try:
        request, names, plain = _request(prefix)
    except (BuiltinError, HelpWanted):
        return None
    array = request.array
    if request != Request(array=array, raw=request.raw, fd=request.fd) or not plain:
        return None
    if not names if array is None else not is_name(array):
        return None
    return _read_whole_line(request, names)


def _read_whole_line(request: Request, names: tuple[str, ...]) -> Run:
    """Return a closure that reads a line; ``_read`` continues with the text if the line is unusual."""
    fd, raw, array, count = request.fd, request.raw, request.array, len(names)
    computed: Any = None  #: the table of computed variables that has none of the names

    def quick(state: State, argv: Sequence[str]) -> int:
        nonlocal computed
        values, budget = state.values, state.budget
        descriptor = state.process.descriptors.get(fd)
        if descriptor is None or "TMOUT" in values:
            return run(state, argv)
        try:
            data = descriptor.read_until(b"\n", budget.memory_bytes)
        except OSError:  # nothing was read: retry, to print the message
            return run(state, argv)
        size = len(data)
        budget.slice_left = slice_left = budget.slice_left - 1 - (size >> 8)
        if slice_left < 0:
            budget.next_slice()
        if size > LARGE:
            budget.check_fits(size)
        if data[-1:] != b"\n" or b"\0" in data or not (raw or b"\\" not in data):
            return builtin(USAGE)(lambda state, argv: _read(state, argv, data))(state, argv)
        text = data.decode("utf-8", "surrogateescape")
        ifs: Any = values.get("IFS")
        if ifs.__class__ is not str:
            ifs = state.get("IFS")
            if ifs is None:
                ifs = DEFAULT_IFS
        attributes = state.attributes
        if array is not None:
            if array in state.namerefs or attributes.get(array, 0) & ~ARRAY:
                return _assign_checked(state, argv, request, names, text[:-1])
            set_array(state, array, split(text[:-1], ifs))
        elif (
            size > LARGE
            or state.options.allexport
            or (state.namerefs and not state.namerefs.keys().isdisjoint(names))
            or (state.dynamics is not computed and not state.dynamics.keys().isdisjoint(names))
        ):
            return _assign_checked(state, argv, request, names, text[:-1])
        else:
            computed = state.dynamics
            if ifs != DEFAULT_IFS:
                found = split_for(count, text[:-1], ifs)
            elif count == 1:
                found = [text.strip(DEFAULT_IFS)]
            elif "\t" in text or "  " in (fields := text.strip(" \n")):
                found = split_for(count, text[:-1], ifs)
            else:
                found = fields.split(" ", count - 1)
                if len(found) < count:
                    found += [""] * count
            for name, field in zip(names, found):
                if name in attributes:  # nothing is lost: the names before it receive the same texts again
                    return _assign_checked(state, argv, request, names, text[:-1])
                values[name] = field
        return 0

    return quick


def _assign_checked(
    state: State, argv: Sequence[str], request: Request, names: Sequence[str], text: str
) -> int:
    """Assign a whole line to variables of any kind, and report errors."""
    try:
        _assign(state, request, names, True, text, NOTHING)
    except BuiltinError as error:
        return fatal_error(state, argv[0], error, USAGE)
    except ShellError as error:
        if error.names_builtin:
            raise error.named(argv[0]) from None
        raise
    return 0


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 at the end of input or for an error, 142 on a time-out."""
    return _read(state, argv, None)


def _read(state: State, argv: Sequence[str], line_start: bytes | None) -> int:
    """Read a line; ``line_start`` is the part of it that was already read."""
    request, names, plain = _request(tuple(argv))
    timeout = request.timeout
    if timeout is None and "TMOUT" in state.values:
        timeout = _default_timeout(state)
    description = _description(state, request)
    if timeout == 0:
        return 0 if wait_for_input(state, description, 0) else 1
    _check_names(request, names)
    try:
        if line_start is None and timeout is None and request.maximum is None and request.delimiter:
            line_start = read_piece(state, description, request.delimiter, state.budget.memory_bytes)
            if is_plain_line(line_start, request.delimiter, request.raw):
                text = line_start[:-1].decode("utf-8", "surrogateescape")
                _assign(state, request, names, plain, text, NOTHING)
                return 0
        line = read_line(
            state,
            description,
            request.delimiter,
            count=request.maximum,
            exact=request.exact,
            raw=request.raw,
            timeout=timeout,
            line_start=line_start or b"",
        )
    except OSError as error:
        raise BuiltinError(f"read error: {request.fd}: {error_text(error)}") from None
    _assign(state, request, names, plain, line.text, line.escaped)
    if line.timed_out:
        return 128 + SIGALRM
    return 0 if line.complete else 1


@cache_short(128)
def _request(argv: tuple[str, ...]) -> tuple[Request, tuple[str, ...], bool]:
    """Return the options, the names, and whether all of these are names of variables, without a subscript.

    Cached, because a loop reads with the same words every time.
    """
    options, names = parse(argv, "a:d:ei:n:N:p:rst:u:")
    request = Request()
    for letter, argument, _ in options:
        if letter == "a":
            request = request._replace(array=argument)
        elif letter == "d":
            delimiter = argument.encode("utf-8", "surrogateescape")[:1]
            request = request._replace(delimiter=delimiter or b"\0")
        elif letter in "nN":
            request = request._replace(maximum=_number(argument), exact=letter == "N")
        elif letter == "r":
            request = request._replace(raw=True)
        elif letter == "t":
            request = request._replace(timeout=_seconds(argument))
        elif letter == "u":
            number = numeric(argument)
            if number is None or not 0 <= number < 2**31:
                raise BuiltinError(f"{argument}: invalid file descriptor specification")
            request = request._replace(fd=number)
    if not request.raw and request.delimiter == b"\\":  # without -r, each backslash escapes
        request = request._replace(delimiter=b"")
    return request, tuple(names), all(map(is_name, names))


def _number(text: str) -> int:
    number = numeric(text)
    if number is None or not 0 <= number < 2**31:
        raise BuiltinError(f"{text}: invalid number")
    return number


def _seconds(text: str) -> float:
    whole, _, fraction = text.partition(".")
    digits = whole.removeprefix("+") + fraction
    if text in ("", "."):  # as in bash
        return 0.0
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 25:
        raise BuiltinError(f"{text}: invalid timeout specification")
    return float(f"{whole or '0'}.{fraction or '0'}")


def _default_timeout(state: State) -> float | None:
    """Return TMOUT in seconds, None without a timeout."""
    text = state.get("TMOUT")
    if not text:
        return None
    try:
        return _seconds(text) or None
    except BuiltinError:
        return None


def _check_names(request: Request, names: Sequence[str]) -> None:
    if names and not is_name(names[0]) and "[" not in names[0]:
        raise invalid_name(names[0])
    if request.array is not None and not is_name(request.array) and "[" not in request.array:
        raise invalid_name(request.array)


def _description(state: State, request: Request) -> Description:
    try:
        return state.process.descriptor(request.fd)
    except OSError as error:
        text = error_text(error)
        if request.fd:
            raise BuiltinError(f"{request.fd}: invalid file descriptor: {text}") from None
        raise BuiltinError(f"read error: {request.fd}: {text}") from None


def _assign(
    state: State,
    request: Request,
    names: Sequence[str],
    plain: bool,
    text: str,
    escaped: frozenset[int],
) -> None:
    ifs = state.get("IFS")
    if ifs is None:
        ifs = DEFAULT_IFS
    try:
        if request.array is not None:
            name = array_name(state, request.array)
            fields = [text] if request.exact and text else split(text, ifs, escaped)
            bits = state.attributes.get(name, 0)
            if bits & COMPUTED:
                fields = [state.convert(name, bits, field) for field in fields]
            set_array(state, name, fields)
        elif not names:
            state.set("REPLY", text)
        else:
            if request.exact:
                values = [text] + [""] * (len(names) - 1)
            else:
                values = split_for(len(names), text, ifs, escaped)
            for name, value in zip(names, values):
                if plain:
                    state.set(name, value)
                else:
                    assign_reference(state, name, value)
    except ShellError as error:
        if error.ends_callers or error.names_builtin:  # an error in the value of an integer variable
            raise
        own = None if error.reason == "bad reference" else error
        raise BuiltinError(error.message, own=own) from None
