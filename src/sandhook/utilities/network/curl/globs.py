"""curl's sets and ranges in URLs: ``{a,b}``, ``[1-9]``, ``[01-10:3]``, ``[a-z]``; ``#1`` in -o has the first value.

Source: curl's manual, "URL"; oracle: curl 7.88.1.
"""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.lazy import lazily
from sandhook.typed import TYPE_CHECKING
from sandhook.utilities.network.transfer import Trouble

if TYPE_CHECKING:
    import re

_MAX_URLS = 100_000  #: of one operand

_RANGE = lazily(r"(?a)\[(?:([0-9]{1,15})-([0-9]{1,15})|([A-Za-z])-([A-Za-z]))(?::([0-9]{1,15}))?\]")
_ADDRESS = lazily(r"(?a)\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*(?:%[^\]]*)?\]")
_NUMBER = lazily(r"(?a)#([0-9]+)")


def expand(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the URLs of an operand, each with the values of its sets and ranges. Raises Trouble."""
    pieces = list(_pieces(text))
    count = 1
    for piece in pieces:
        count *= len(piece) if not isinstance(piece, str) else 1
        if count > _MAX_URLS:
            raise Trouble(3, f"range overflow: {text} stands for more than {_MAX_URLS} URLs")
    sets = [piece for piece in pieces if not isinstance(piece, str)]
    positions = [0] * len(sets)
    for _ in range(count):
        values = [each[at] for each, at in zip(sets, positions)]
        remaining = iter(values)
        yield "".join(piece if isinstance(piece, str) else next(remaining) for piece in pieces), values
        for position in range(len(sets) - 1, -1, -1):
            positions[position] += 1
            if positions[position] < len(sets[position]):
                break
            positions[position] = 0


def output_name(name: str, values: list[str]) -> str:
    """Return the name of an output file with the values inserted."""

    def value(match: re.Match[str]) -> str:
        number = int(match[1][:6])
        return values[number - 1].replace("/", "_") if 0 < number <= len(values) else match[0]

    return _NUMBER.sub(value, name) if values else name


def _pieces(text: str) -> Iterator[str | list[str] | _Numbers]:
    plain: list[str] = []
    at = sets = 0
    while at < len(text):
        character = text[at]
        address = _ADDRESS.match(text, at) if character == "[" else None
        if address is not None or text.startswith("[]", at):
            literal = address[0] if address is not None else "[]"
            plain.append(literal)
            at += len(literal)
        elif character == "\\" and text[at + 1 : at + 2] in ("{", "[", "}", "]"):
            plain.append(text[at + 1])
            at += 2
        elif character in "]}":
            raise _glob_error(
                "unmatched close brace/bracket", text, at + 1 - sets
            )  # curl counts a set's braces once
        elif character in "{[":
            yield "".join(plain)
            plain = []
            sets += character == "{"
            choices, at = _set(text, at) if character == "{" else _range(text, at)
            yield choices
        else:
            plain.append(character)
            at += 1
    yield "".join(plain)


def _set(text: str, start: int) -> tuple[list[str], int]:
    values: list[str] = []
    piece: list[str] = []
    at = start + 1
    if text.startswith("}", at):
        raise _glob_error("empty string within braces", text, at + 1)
    while at < len(text):
        character = text[at]
        if character in "{[":
            raise _glob_error("nested brace", text, at + 1)
        if character == "\\" and at + 1 < len(text):
            at += 1
            piece.append(text[at])
        elif character in ",}":
            values.append("".join(piece))
            piece = []
            if character == "}":
                return values, at + 1
        else:
            piece.append(character)
        at += 1
    raise _glob_error("unmatched brace", text, start + 1)


class _Numbers:
    """The numbers of a range, padded to the width of the first one if that begins with a zero."""

    def __init__(self, numbers: range, width: int) -> None:
        self._numbers = numbers
        self._width = width

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, at: int) -> str:
        return f"{self._numbers[at]:0{self._width}}"


def _range(text: str, start: int) -> tuple[list[str] | _Numbers, int]:
    match = _RANGE.match(text, start)
    if match is None:
        end = text.find("]", start)
        raise _glob_error("bad range", text, (len(text) if end < 0 else end + 1) + 1)
    step = int(match[5] or 1)
    letters = match[3] is not None
    first, last = (ord(match[3]), ord(match[4])) if letters else (int(match[1]), int(match[2]))
    if first > last or step < 1 or step > max(last - first, 1):
        raise _glob_error("bad range", text, match.end() + 1)
    numbers = range(first, last + 1, step)
    if letters:
        return [chr(number) for number in numbers], match.end()
    return _Numbers(numbers, len(match[1]) if match[1].startswith("0") else 0), match.end()


def _glob_error(what: str, text: str, position: int) -> Trouble:
    return Trouble(3, f"{what} in URL position {position}:\n{text}\n{' ' * (position - 1)}^")
