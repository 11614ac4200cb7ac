"""Parses YAML texts to plain JSON values, with line numbers and within bounds.

ruamel.yaml parses the text to events; values are built here, so that an alias cannot multiply into
gigabytes and a tag cannot build an object. Scalars follow YAML 1.2's core schema.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from sandhook.formats import FormatError, Number
from sandhook.record import Record

#: The most values of one text; an alias counts each time it is used.
MAX_VALUES = 20_000

#: The longest text, in characters: the parser is meant for texts that people write.
MAX_TEXT = 512 << 10

#: The deepest nesting of mappings and sequences.
MAX_DEPTH = 64

_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INFINITIES = {
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), Number("1.7976931348623157e308")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), Number("-1.7976931348623157e308")),
    **dict.fromkeys((".nan", ".NaN", ".NAN")),
}

#: The longest number, in characters: JSON text keeps all digits, but conversions take time.
_MAX_DIGITS = 400

_CORE = "tag:yaml.org,2002:"


class Mark(Protocol):
    """A position in a text."""

    @property
    def index(self) -> int:
        """0-based offset."""

    @property
    def line(self) -> int:
        """0-based line."""


class Event(Protocol):
    """One of ruamel's events; each kind has some of these attributes."""

    @property
    def start_mark(self) -> Mark: ...
    @property
    def end_mark(self) -> Mark: ...
    @property
    def value(self) -> str: ...
    @property
    def style(self) -> str | None: ...
    @property
    def anchor(self) -> str | None: ...
    @property
    def tag(self) -> object: ...


class Yaml(Record):
    """One document of a text.

    Attributes:
        value: The value: dict, list, str, bool, None, and numbers (``Number`` with ``exact``).
        lines: Line numbers, from 1, by path ("hooks[0].command").
        duplicates: A message for every key that occurs twice.
    """

    value: Any
    lines: dict[str, int]
    duplicates: tuple[str, ...]


def read_yaml(
    text: str,
    *,
    several: bool = False,
    exact: bool = False,
    charge: Callable[[int], None] | None = None,
    max_depth: int = MAX_DEPTH,
    any_tag: bool = False,
) -> list[Yaml]:
    """Parse a YAML text.

    Args:
        several: The text may have more than one document.
        exact: Parse like ``yq``: numbers keep their digits, merge keys (``<<``) are applied, tags of the core
            schema are applied, keys that are not strings become their text, and MAX_VALUES is ten times as high.
        charge: Called with 1 for every event; may raise.
        max_depth: The deepest nesting of mappings and sequences.
        any_tag: Apply tags of the core schema, and read a value with another tag as if it had none: for a caller
            that writes such values back as they stand.

    Raises:
        FormatError: The text is not YAML, has several documents without ``several``, a tag, a key that is not a string,
            or more than MAX_TEXT characters, MAX_VALUES values or ``max_depth`` levels; the message names the line.
    """
    if len(text) > MAX_TEXT:
        raise FormatError(f"longer than {MAX_TEXT} characters")
    from ruamel.yaml.error import YAMLError

    builder = _Builder(several=several, exact=exact, max_depth=max_depth, any_tag=any_tag)
    try:
        for event in events(text):
            if charge is not None:
                charge(1)
            builder.add_event(event)
    except YAMLError as error:
        raise FormatError(_error_text(error)) from None
    except FormatError:
        raise
    except (RecursionError, ValueError, OverflowError) as error:
        raise FormatError(str(error)) from None
    return builder.documents or ([] if several else [Yaml(None, {"": 1}, ())])


def events(text: str) -> Iterator[Event]:
    """Yield ruamel's events of a text, without its search for plug-ins, which would list a directory of the host."""
    from ruamel.yaml import YAML

    class Plain(YAML):
        def official_plug_ins(self) -> list[str]:
            return []

    parsed: Iterator[Event] = Plain(typ="safe", pure=True).parse(text)
    return parsed


def _error_text(error: Exception) -> str:
    """Return an error of the parser in one line, with its position."""
    mark = getattr(error, "problem_mark", None)
    what = " ".join(str(getattr(error, "problem", None) or error).split())
    return what if mark is None else f"{what} at line {mark.line + 1} column {mark.column + 1}"


class _Open:
    """A mapping or sequence whose end event is still to come."""

    def __init__(self, value: Any, path: str, anchor: str | None) -> None:
        self.value = value
        self.path = path
        self.anchor = anchor
        self.key: str | None = None
        self.merges = False  # the key is "<<", and its value is merged into the mapping
        self.merged: list[tuple[object, int]] = []


def _merge(mapping: _Open) -> None:
    """Apply the merge keys of a mapping: their values are mappings, or sequences of mappings, of which the first wins."""
    own = dict(mapping.value)
    mapping.value.clear()
    for merged, line in mapping.merged:
        for source in merged if isinstance(merged, list) else [merged]:
            if not isinstance(source, dict):
                raise FormatError(f"<< at line {line} needs a mapping, or a sequence of aliases of mappings")
            for key, value in source.items():
                mapping.value.setdefault(key, value)
    mapping.value.update(own)


class _Builder:
    def __init__(self, *, several: bool, exact: bool, max_depth: int, any_tag: bool) -> None:
        self.documents: list[Yaml] = []
        self.value: object = None
        self.lines = {"": 1}
        self.duplicates: list[str] = []
        self._several = several
        self._exact = exact
        self._any_tag = any_tag
        self._max_depth = max_depth
        self._max_values = 10 * MAX_VALUES if exact else MAX_VALUES
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[object, int]] = {}
        self._starts: list[int] = []
        self._count = 0

    def add_event(self, event: Event) -> None:
        """Add one event of the parser."""
        line = event.start_mark.line + 1
        match event.__class__.__name__:
            case "ScalarEvent":
                self._scalar(event, line)
            case "MappingStartEvent":
                self._begin({}, event, line)
            case "SequenceStartEvent":
                self._begin([], event, line)
            case "MappingEndEvent" | "SequenceEndEvent":
                self._end()
            case "AliasEvent":
                self._alias(event.anchor, line)
            case "DocumentStartEvent":
                self._begin_document(line)
            case "DocumentEndEvent":
                self.documents.append(Yaml(self.value, self.lines, tuple(self.duplicates)))
            case _:
                pass

    def _begin_document(self, line: int) -> None:
        if self.documents and not self._several:
            raise FormatError(f"a second document begins at line {line}; wanted one")
        self.value = None
        self.lines = {"": 1}
        self.duplicates = []
        self._anchors = {}

    def _scalar(self, event: Event, line: int) -> None:
        tag = self._tag(event, line)
        parent = self._stack[-1] if self._stack else None
        if parent is not None and isinstance(parent.value, dict) and parent.key is None:
            parent.key = event.value
            parent.merges = self._exact and event.value == "<<" and not event.style
            if parent.key in parent.value:
                self.duplicates.append(f"duplicate key {event.value!r} at line {line}: the last one counts")
            self.lines.setdefault(self._path(), line)
            return
        if self._exact or (tag and self._any_tag):
            value = read_scalar(event.value, tag, line) if tag or not event.style else event.value
        else:
            value = event.value if event.style else _plain(event.value)
        self._remember(event.anchor, value, 1)
        self._add(value, line)

    def _begin(self, value: object, event: Event, line: int) -> None:
        self._tag(event, line)
        self._check_not_key(line)
        if len(self._stack) >= self._max_depth:
            raise FormatError(f"nesting of {self._max_depth} exceeded at line {line}")
        path = self._path()
        self._add(value, line)
        self._starts.append(self._count)
        self._stack.append(_Open(value, path, event.anchor))

    def _end(self) -> None:
        collection = self._stack.pop()
        if collection.merged:
            _merge(collection)
        self._remember(collection.anchor, collection.value, self._count - self._starts.pop() + 1)

    def _alias(self, anchor: str | None, line: int) -> None:
        self._check_not_key(line)
        if anchor is None or anchor not in self._anchors:
            raise FormatError(f"unknown alias *{anchor} at line {line}")
        value, size = self._anchors[anchor]
        self._count += size - 1
        self._add(value, line)

    def _remember(self, anchor: str | None, value: object, size: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = (value, size)

    def _path(self) -> str:
        """Return the path of the next value."""
        if not self._stack:
            return ""
        parent = self._stack[-1]
        if isinstance(parent.value, list):
            return f"{parent.path}[{len(parent.value)}]"
        return f"{parent.path}.{parent.key}" if parent.path else str(parent.key)

    def _add(self, value: object, line: int) -> None:
        self._count += 1
        if self._count > self._max_values:
            raise FormatError(f"more than {self._max_values} values at line {line}")
        self.lines.setdefault(self._path(), line)
        if not self._stack:
            self.value = value
            return
        parent = self._stack[-1]
        if isinstance(parent.value, list):
            parent.value.append(value)
        elif parent.merges:
            parent.merged.append((value, line))  # its items follow
            parent.key = None
            parent.merges = False
        else:
            parent.value[parent.key] = value
            parent.key = None

    def _check_not_key(self, line: int) -> None:
        parent = self._stack[-1] if self._stack else None
        if parent is not None and isinstance(parent.value, dict) and parent.key is None:
            raise FormatError(f"a key must be a string at line {line}")

    def _tag(self, event: Event, line: int) -> str:
        """Return the core schema tag of an event, or "". Raises FormatError for other tags."""
        tag = event.tag if isinstance(event.tag, str | None) else str(event.tag)
        if not tag:
            return ""
        if tag in ("!", f"{_CORE}str"):
            return "str"
        name = tag.removeprefix(_CORE)
        if (self._exact or self._any_tag) and name in ("int", "float", "bool", "null", "map", "seq"):
            return name
        if self._any_tag:
            return ""
        raise FormatError(f"the tag {tag} at line {line} is not supported")


def _plain(text: str) -> str | float | bool | None:
    """Return the value of an unquoted scalar in the core schema."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        if text[:2] in ("0o", "0x"):
            return int(text[2:], 8 if text[1] == "o" else 16)
        return int(text) if len(text) <= 20 else float(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def read_scalar(text: str, tag: str = "", line: int = 1) -> str | float | bool | None:
    """Return the value of a scalar, with or without a tag; numbers keep their digits.

    Raises FormatError, which names ``line``, for a text that does not match its tag.
    """
    if tag == "str":
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text in _INFINITIES:
        return _INFINITIES[text]
    if len(text) <= _MAX_DIGITS:
        if _JSON_NUMBER.fullmatch(text):
            return Number(text)
        if _INT.fullmatch(text) or _FLOAT.fullmatch(text):
            return Number(
                repr(_plain(text)) if len(text) <= 20 else str(int(text)) if text.isdigit() else text
            )
    if tag:
        raise FormatError(f"{text[:40]!r} at line {line} is not a valid {tag}")
    return text
