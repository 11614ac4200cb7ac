"""Strict decoding of one JSON object: what a hook prints, and what a configuration holds.

RFC 8259 and nothing more: no NaN, no trailing text, no lone surrogates, bounded nesting,
numbers that fit. Duplicate keys are reported; the contract decides what they mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sandhook.formats.json_core import JsonReader, compact_json
from sandhook.lazy import lazily
from sandhook.record import Record
from sandhook.typed import TYPE_CHECKING, NoReturn, cast

if TYPE_CHECKING:
    from json import JSONDecodeError

    from sandhook.hooks.event import Json, JsonObject

#: Arrays and objects inside one another in a configuration.
MAX_DEPTH = 64

#: The same in a payload, and in what a hook prints: a guard may print a part of its payload.
DATA_DEPTH = 512

#: A bracket, or a string: the brackets in a string do not nest. A string without its end takes the rest.
_STRING_OR_BRACKET = lazily(r'(?s)"(?>[^"\\]++|\\.)*+"?|[\[{\]}]')


class DecodeError(ValueError):
    """Text that is not the expected JSON; the message names the fault and its place."""


class BoundExceeded(DecodeError):
    """JSON that an agent may read, and that exceeds a bound of this decoder: depth, numbers, surrogates."""


class Unfillable(DecodeError):
    """A hook's configuration names a value that its payload does not have, so that the agent does not run it."""


class Decoded(Record):
    """A decoded value, and what was unusual in its text.

    Attributes:
        value: The value.
        top_duplicates: Keys that the outermost object has twice; the last one is in ``value``.
        diagnostics: A line for each thing that is unusual but not an error.
    """

    value: Json
    top_duplicates: tuple[str, ...]
    diagnostics: tuple[str, ...]


class _Reader:
    """Hooks for ``JsonReader`` that report what it would accept silently."""

    def __init__(self) -> None:
        self.top: tuple[str, ...] = ()
        self.notes: list[str] = []

    def pairs(self, pairs: list[tuple[str, Json]]) -> JsonObject:
        value = dict(pairs)
        self.top = ()  # the outermost object comes last
        if len(value) != len(pairs):
            seen: set[str] = set()
            repeated: dict[str, None] = {}
            for key, _ in pairs:
                if key in seen:
                    repeated[key] = None
                seen.add(key)
            self.top = tuple(repeated)
            self.notes.extend(f"duplicate key {key!r}: the last one counts" for key in self.top)
        return value

    def integer(self, digits: str) -> int | float:
        if len(digits) <= 20:
            value = int(digits)
            if -(1 << 63) <= value < 1 << 64:
                return value
        self.notes.append(f"number {digits[:24]} does not fit 64 bits: read as a float")
        return self.real(digits)

    def real(self, digits: str) -> float:
        value = float(digits)
        if value in (float("inf"), float("-inf")):
            raise BoundExceeded(f"number out of range: {digits[:24]}")
        return value

    def constant(self, name: str) -> NoReturn:
        raise DecodeError(f"{name} is not JSON")


class DecodedObject(Record):
    """A decoded object; the fields are those of Decoded."""

    value: JsonObject
    top_duplicates: tuple[str, ...]
    diagnostics: tuple[str, ...]


def decode(text: str, *, max_depth: int = MAX_DEPTH) -> Decoded:
    """Decode one JSON value, surrounded by JSON white space at most.

    Raises:
        DecodeError: Anything else; ``max_depth`` counts objects and arrays inside one another.
        BoundExceeded: The same error, when the text may be JSON and exceeds a bound.
    """
    value, duplicates, notes = _decode(text, max_depth)
    return Decoded(value, duplicates if isinstance(value, dict) else (), notes)


def decode_object(text: str, *, max_depth: int = DATA_DEPTH) -> DecodedObject:
    """Decode one JSON object, as hooks print them; see ``decode``.

    Raises:
        DecodeError: The text is not an object.
        BoundExceeded: It begins like an object, and exceeds a bound.
    """
    try:
        value, duplicates, notes = _decode(text, max_depth)
    except BoundExceeded as error:
        if text.lstrip(" \t\n\r").startswith("{"):
            raise
        raise DecodeError(str(error)) from None
    if not isinstance(value, dict):
        raise DecodeError(f"wanted an object, got {type_name(value)}")
    return DecodedObject(value, duplicates, notes)


def _decode(text: str, max_depth: int) -> tuple[Json, tuple[str, ...], tuple[str, ...]]:
    """Return the value, the duplicate keys of the last object, and the notes."""
    _check_depth(text, max_depth)
    reader = _Reader()
    json = JsonReader(
        object_pairs_hook=reader.pairs,
        parse_int=reader.integer,
        parse_float=reader.real,
        parse_constant=reader.constant,
    )
    try:
        value = json.read(text)
    except DecodeError:
        raise
    except ValueError as error:
        raise DecodeError(_fault(cast("JSONDecodeError", error))) from None
    except RecursionError:  # the caller's own stack is deep
        raise BoundExceeded("the value nests too deeply") from None
    if "\\ud" in text or "\\uD" in text or not text.isascii():
        _check_surrogates(value)
    return value, reader.top, tuple(reader.notes)


def _fault(error: JSONDecodeError) -> str:
    """Return what is wrong with a JSON text, and where. json has no words for what people write most, or several."""
    text, place, what = error.doc, error.pos, error.msg
    if not text.strip(" \t\n\r"):
        return "it is empty, and wanted is JSON"
    if text.startswith("#!"):
        return "it is a script, and wanted is JSON"
    before = text[: place + 1].rstrip(" \t\n\r")
    if text[place : place + 1] in ("}", "]"):
        before = before[:-1].rstrip(" \t\n\r")
    if before.endswith(",") and text[len(before) :].lstrip(" \t\n\r")[:1] in ("}", "]"):
        place, what = len(before) - 1, f"a comma before {text[len(before) :].lstrip()[0]}"
    elif text.startswith(("//", "/*", "#"), place):
        what = "a comment, which JSON does not have"
    return (
        f"{what} at line {text.count(chr(10), 0, place) + 1} column {place - text.rfind(chr(10), 0, place)}"
    )


def other_readings(text: str) -> list[str]:
    """Return the objects that a text means to readers for which another one of two equal keys counts.

    None of them for a text that is not a JSON object, or has no key twice.
    """
    text = text.strip().strip("\ufeff").strip()  # agents may trim what JSON does not know
    if not text.startswith("{"):
        return []
    most = 0

    def pairs(pairs: list[tuple[str, Json]]) -> JsonObject:
        nonlocal most
        by_key: dict[str, list[Json]] = {}
        for key, item in pairs:
            by_key.setdefault(key, []).append(item)
        most = max((most, *map(len, by_key.values())))
        return {key: _Values(items) if len(items) > 1 else items[0] for key, items in by_key.items()}

    try:
        _check_depth(text, DATA_DEPTH)
        value = JsonReader(object_pairs_hook=pairs, parse_int=float).read(text)
        return (
            [compact_json(_reading(value, at)) for at in range(min(most - 1, _READINGS))] if most > 1 else []
        )
    except (ValueError, RecursionError):
        return []


def repeated_keys(text: str) -> list[tuple[tuple[str | int, ...], str]]:
    """Return each key that an object has twice, after the path of the object; the outermost object's path is empty."""

    def pairs(pairs: list[tuple[str, Json]]) -> JsonObject:
        value = _Repeating(pairs)
        names = [key for key, _ in pairs]
        value.keys_twice = tuple(dict.fromkeys(key for key in names if names.count(key) > 1))
        return value

    try:
        _check_depth(text, MAX_DEPTH)
        value = JsonReader(object_pairs_hook=pairs, parse_int=float).read(text)
    except (ValueError, RecursionError):
        return []
    return list(_repeated(value, ()))


class _Repeating(dict[str, "Json"]):
    """An object, and the keys that it has twice in the text."""

    keys_twice: tuple[str, ...] = ()


def _repeated(value: Json, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if isinstance(value, _Repeating):
        yield from ((path, key) for key in value.keys_twice)
    items: Iterator[tuple[str | int, Json]] = iter(())
    if isinstance(value, dict):
        items = iter(value.items())
    elif isinstance(value, list):
        items = iter(enumerate(value))
    for key, item in items:
        yield from _repeated(item, (*path, key))


#: The most values of one key that are tried.
_READINGS = 16


class _Values(list["Json"]):
    """The values of a key that an object has more than once."""


def _reading(value: Json, at: int) -> Json:
    """Return a value in which the value ``at`` of each repeated key counts."""
    if isinstance(value, _Values):
        return _reading(value[min(at, len(value) - 1)], at)
    if isinstance(value, dict):
        return {key: _reading(item, at) for key, item in value.items()}
    return [_reading(item, at) for item in value] if isinstance(value, list) else value


def type_name(value: Json) -> str:
    """Return the JSON name of a value's type, with its article."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, (list, tuple)) else "an object"


def text_of(value: Mapping[str, Json], *keys: str) -> str | None:
    """Return the first of these fields that is a string and not empty."""
    for key in keys:
        text = value.get(key)
        if isinstance(text, str) and text:
            return text
    return None


def object_of(value: Mapping[str, Json], *keys: str) -> JsonObject:
    """Return the first of these fields that is an object, or an empty object."""
    for key in keys:
        item = value.get(key)
        if isinstance(item, dict):
            return item
    return {}


def texts_of(value: Mapping[str, Json], key: str) -> dict[str, str]:
    """Return the strings of a field that is an object, by their keys."""
    return {name: text for name, text in object_of(value, key).items() if isinstance(text, str)}


def encode(value: Json) -> str:
    """Return compact JSON with every character as itself, as serde_json writes it.

    Numbers that JSON lacks (NaN, Infinity) or that are too long become null, and lone surrogates become
    U+FFFD, so that no payload can prevent a guard from running.

    Raises:
        DecodeError: The value is not JSON.
        BoundExceeded: It nests too deeply.
    """
    try:
        try:
            text = compact_json(value, ensure_ascii=False, allow_nan=False)
        except ValueError:
            text = compact_json(_finite(value), ensure_ascii=False)
    except RecursionError:
        raise BoundExceeded("the value nests too deeply") from None
    except (TypeError, ValueError) as error:
        raise DecodeError(str(error)) from None
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _finite(value: Json) -> Json:
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, int) and value.bit_length() > 1024:
        return None  # too long for a float, and maybe for Python to write
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def objects_in(text: str) -> Iterator[str]:
    """Yield the JSON objects in a text, one after another, whatever is around them."""
    from json import JSONDecodeError, JSONDecoder  # only odd outputs come here

    decoder = JSONDecoder(parse_int=float)
    start, left = text.find("{"), _SCANNED
    while start >= 0 and left > 0:
        try:
            end = decoder.raw_decode(text, start)[1]
        except JSONDecodeError as error:
            left -= error.pos - start + 1
            start = text.find("{", start + 1)
        except RecursionError:
            left -= len(text) - start
            start = text.find("{", start + 1)
        else:
            yield text[start:end]
            left -= end - start
            start = text.find("{", end)


#: Characters that the search for objects reads at most: each brace may begin an object that has no end.
_SCANNED = 4_000_000


def _check_depth(text: str, most: int) -> None:
    """Count brackets outside strings, so that the decoder never recurses deeper than allowed."""
    if text.count("[") + text.count("{") <= most:
        return
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        token = match[0]
        if token in "[{":
            depth += 1
            if depth > most:
                raise BoundExceeded(f"nesting of {most} exceeded at character {match.start() + 1}")
        elif token in "]}":
            depth -= 1


def _check_surrogates(value: Json) -> None:
    pending: list[Json] = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            if not item.isascii():
                try:
                    item.encode("utf-8")
                except UnicodeEncodeError:
                    raise BoundExceeded("a lone surrogate is not text") from None
        elif isinstance(item, dict):
            pending.extend(item)
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)
