"""read: read a line into variables.

Source: POSIX.1-2024 XCU 3 read; bash 5.2 reference manual 4.2. Nothing beyond the delimiter is
consumed. Standard input is never a terminal here, so -e, -i, -p and -s have no effect, as in bash.
Divergence: L-READ-001, a lone backslash at the end of the input vanishes; bash leaves a \\001.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sandhook.builtins._base import Fault, builtin, invalid_name, is_name, numeric, parse
from sandhook.builtins._input import Line, read_line, wait_for_input
from sandhook.builtins._variables import array_name, assign_reference
from sandhook.kernel.descriptor import Description
from sandhook.kernel.signals import SIGALRM
from sandhook.state.control import ShellError
from sandhook.state.state import State
from sandhook.vfs.errors import error_text

USAGE = (
    "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] "
    "[-u fd] [name ...]"
)
_WHITE = " \t\n"


@dataclass(slots=True)
class Request:
    """The options of one read.

    Attributes:
        count: Characters at most (-n, -N), None for a whole line.
        exact: -N: neither delimiter nor IFS counts.
        timeout: Seconds; None waits for ever, 0.0 only asks whether there is input.
    """

    array: str | None = None
    delimiter: bytes = b"\n"
    count: int | None = None
    exact: bool = False
    raw: bool = False
    timeout: float | None = None
    fd: int = 0


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 at the end of input or for an error, 142 on a time-out."""
    request, names, plain = _request(tuple(argv))
    timeout = request.timeout
    if timeout is None and "TMOUT" in state.values:
        timeout = _default_timeout(state)
    description = _description(state, request)
    if timeout == 0:
        return 0 if wait_for_input(state, description, 0) else 1
    try:
        line = read_line(
            state,
            description,
            request.delimiter,
            count=request.count,
            exact=request.exact,
            raw=request.raw,
            timeout=timeout,
        )
    except OSError as error:
        raise Fault(f"read error: {request.fd}: {error_text(error)}") from None
    try:
        _assign(state, request, names, plain, line)
    except ShellError as error:
        raise Fault(error.message, bare=True) from None
    if line.timed_out:
        return 128 + SIGALRM
    return 0 if line.complete else 1


@lru_cache(maxsize=128)
def _request(argv: tuple[str, ...]) -> tuple[Request, tuple[str, ...], bool]:
    """Return the options, the names, and whether all of these are names of variables, without a subscript.

    A loop reads with the same words every time, so what they mean is kept.
    """
    given, names = parse(argv, "a:d:ei:n:N:p:rst:u:")
    request = Request()
    for letter, argument, _ in given:
        if letter == "a":
            request.array = argument
        elif letter == "d":
            request.delimiter = argument.encode("utf-8", "surrogateescape")[:1] or b"\0"
        elif letter in "nN":
            request.count = _number(argument)
            request.exact = letter == "N"
        elif letter == "r":
            request.raw = True
        elif letter == "t":
            request.timeout = _seconds(argument)
        elif letter == "u":
            number = numeric(argument)
            if number is None or not 0 <= number < 2**31:
                raise Fault(f"{argument}: invalid file descriptor specification")
            request.fd = number
    _check_names(request, names)
    return request, tuple(names), all(map(is_name, names))


def _number(text: str) -> int:
    number = numeric(text)
    if number is None or not 0 <= number < 2**31:
        raise Fault(f"{text}: invalid number")
    return number


def _seconds(text: str) -> float:
    whole, _, fraction = text.partition(".")
    digits = whole.removeprefix("+") + fraction
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 25:
        raise Fault(f"{text}: invalid timeout specification")
    return float(f"{whole or '0'}.{fraction or '0'}")


def _default_timeout(state: State) -> float | None:
    """Return TMOUT in seconds, None when it says nothing."""
    text = state.get("TMOUT")
    if not text:
        return None
    try:
        return _seconds(text) or None
    except Fault:
        return None


def _check_names(request: Request, names: Sequence[str]) -> None:
    if request.array is not None:
        if not is_name(request.array) and "[" not in request.array:
            raise invalid_name(request.array)
    elif names and not is_name(names[0]) and "[" not in names[0]:
        raise invalid_name(names[0])


def _description(state: State, request: Request) -> Description:
    try:
        return state.process.descriptor(request.fd)
    except OSError as error:
        text = error_text(error)
        if request.fd:
            raise Fault(f"{request.fd}: invalid file descriptor: {text}") from None
        raise Fault(f"read error: {request.fd}: {text}") from None


def _assign(state: State, request: Request, names: Sequence[str], plain: bool, line: Line) -> None:
    ifs = state.get("IFS")
    if ifs is None:
        ifs = _WHITE
    if request.array is not None:
        name = array_name(state, request.array)
        state.set_array(name, [line.text] if request.exact and line.text else split_all(line, ifs))
        return
    if not names:
        state.set("REPLY", line.text)
        return
    if request.exact:
        values = [line.text] + [""] * (len(names) - 1)
    else:
        values = split_into(line, ifs, len(names))
    for name, value in zip(names, values):
        if plain:
            state.set(name, value)
        else:
            assign_reference(state, name, value)


class Splitter:
    """Takes fields off a line, one after the other; escaped characters never separate."""

    __slots__ = ("_escaped", "_ifs", "_text", "_white", "at")

    def __init__(self, line: Line, ifs: str) -> None:
        self._text = line.text
        self._escaped = line.escaped
        self._ifs = ifs
        self._white = "".join(letter for letter in ifs if letter in _WHITE)
        self.at = 0
        self._skip_white()

    def _separates(self, index: int, letters: str) -> bool:
        return self._text[index] in letters and index not in self._escaped

    def _skip_white(self) -> None:
        text = self._text
        while self.at < len(text) and self._separates(self.at, self._white):
            self.at += 1

    def more(self) -> bool:
        return self.at < len(self._text)

    def field(self) -> str:
        """Take the next field and the delimiter after it."""
        text = self._text
        start = self.at
        end = start
        while end < len(text) and not self._separates(end, self._ifs):
            end += 1
        self.at = end
        self._skip_white()
        if self.more() and self._separates(self.at, self._ifs) and not self._separates(self.at, self._white):
            self.at += 1
            self._skip_white()
        return text[start:end]

    def rest(self) -> str:
        """Take all that is left: one field without its delimiter, or several with those between."""
        start = self.at
        only = self.field()
        if not self.more():
            return only
        end = len(self._text)
        while end > start and self._separates(end - 1, self._white):
            end -= 1
        self.at = len(self._text)
        return self._text[start:end]


def split_into(line: Line, ifs: str, count: int) -> list[str]:
    """Split a line for ``count`` variables; the last one takes what is left, missing ones are ""."""
    if not ifs:
        return [line.text] + [""] * (count - 1)
    if not line.escaped:
        quick = _split_quickly(line.text, ifs, count)
        if quick is not None:
            return quick
    splitter = Splitter(line, ifs)
    values = []
    for _ in range(count - 1):
        values.append(splitter.field() if splitter.more() else "")
    values.append(splitter.rest() if splitter.more() else "")
    return values


def _split_quickly(text: str, ifs: str, count: int) -> list[str] | None:
    """The same with str's own methods, where IFS has them: blanks alone, or one letter that is none."""
    if ifs == _WHITE:
        if "\t" in text or "\n" in text:
            return None
        text = text.strip(" ")
        if "  " in text:
            values: list[str] = []
            while len(values) < count - 1:
                field, _, text = text.partition(" ")
                values.append(field)
                text = text.lstrip(" ")
            return [*values, text]
        values = text.split(" ", count - 1)
    elif len(ifs) == 1 and ifs not in _WHITE:
        values = text.split(ifs, count - 1)
        if len(values) == count and values[-1].find(ifs) == len(values[-1]) - 1:
            values[-1] = values[-1][:-1]  # one field, and its delimiter
    else:
        return None
    return values + [""] * (count - len(values))


def split_all(line: Line, ifs: str) -> list[str]:
    """Split a line into all its fields (read -a)."""
    if not ifs:
        return [line.text] if line.text else []
    if not line.escaped:
        if ifs == _WHITE and "\t" not in line.text and "\n" not in line.text:
            return [field for field in line.text.split(" ") if field]
        if len(ifs) == 1 and ifs not in _WHITE:
            fields = line.text.split(ifs)
            return fields if fields[-1] else fields[:-1]
    splitter = Splitter(line, ifs)
    values = []
    while splitter.more():
        values.append(splitter.field())
    return values
