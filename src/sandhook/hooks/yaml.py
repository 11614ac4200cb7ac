"""YAML configurations, as plain JSON values, with their lines and with bounds.

ruamel.yaml reads the text as events; values are built here, so that an alias cannot multiply into
gigabytes and a tag cannot build an object. Scalars follow YAML 1.2's core schema.
"""

from __future__ import annotations

import re
from typing import Any

from sandhook.hooks.contracts import Document
from sandhook.hooks.decode import MAX_DEPTH, DecodeError

#: Values that one document may have, aliases counted as often as they are used.
MAX_VALUES = 20_000

#: Characters of one document. Its reader is not made for more than people write.
MAX_TEXT = 512 << 10

_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


def decode_yaml(text: str, name: str = "") -> Document:
    """Decode a YAML text of one document at most.

    Raises:
        DecodeError: The text is no YAML, has several documents, a tag, a key that is no string, or more
            than MAX_TEXT characters, MAX_VALUES values or MAX_DEPTH levels; the message says at which line.
    """
    if len(text) > MAX_TEXT:
        raise DecodeError(f"longer than {MAX_TEXT} characters")
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    builder = _Builder()
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            builder.take(event)
    except YAMLError as error:
        raise DecodeError(_words(error)) from None
    except (RecursionError, ValueError, OverflowError) as error:
        raise DecodeError(str(error)) from None
    return Document(builder.value, name, tuple(builder.duplicates), text=text, lines=builder.lines)


def _words(error: Any) -> str:
    """Return a parser's error in one line, with the place."""
    mark = getattr(error, "problem_mark", None)
    what = " ".join(str(getattr(error, "problem", None) or error).split())
    return what if mark is None else f"{what} at line {mark.line + 1} column {mark.column + 1}"


class _Open:
    """A mapping or sequence whose end has not been read."""

    def __init__(self, value: Any, path: str, anchor: str | None) -> None:
        self.value = value
        self.path = path
        self.anchor = anchor
        self.key: str | None = None


class _Builder:
    def __init__(self) -> None:
        self.value: Any = None
        self.lines = {"": 1}
        self.duplicates: list[str] = []
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._starts: list[int] = []
        self._count = 0
        self._documents = 0

    def take(self, event: Any) -> None:
        """Take one event of the parser."""
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
                self._documents += 1
                if self._documents > 1:
                    raise DecodeError(f"a second document begins at line {line}; wanted one")
            case _:
                pass

    def _scalar(self, event: Any, line: int) -> None:
        self._refuse_tag(event, line)
        parent = self._stack[-1] if self._stack else None
        if parent is not None and isinstance(parent.value, dict) and parent.key is None:
            parent.key = event.value
            if parent.key in parent.value:
                self.duplicates.append(f"duplicate key {event.value!r} at line {line}: the last one counts")
            self.lines.setdefault(self._path(), line)
            return
        value = event.value if event.style else _plain(event.value)
        self._remember(event.anchor, value, 1)
        self._add(value, line)

    def _begin(self, value: Any, event: Any, line: int) -> None:
        self._refuse_tag(event, line)
        self._refuse_key(line)
        if len(self._stack) >= MAX_DEPTH:
            raise DecodeError(f"nesting of {MAX_DEPTH} exceeded at line {line}")
        path = self._path()
        self._add(value, line)
        self._starts.append(self._count)
        self._stack.append(_Open(value, path, event.anchor))

    def _end(self) -> None:
        done = self._stack.pop()
        self._remember(done.anchor, done.value, self._count - self._starts.pop() + 1)

    def _alias(self, anchor: str, line: int) -> None:
        self._refuse_key(line)
        if anchor not in self._anchors:
            raise DecodeError(f"unknown alias *{anchor} at line {line}")
        value, size = self._anchors[anchor]
        self._count += size - 1
        self._add(value, line)

    def _remember(self, anchor: str | None, value: Any, size: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = (value, size)

    def _path(self) -> str:
        """Return the path of the value that comes next."""
        if not self._stack:
            return ""
        parent = self._stack[-1]
        if isinstance(parent.value, list):
            return f"{parent.path}[{len(parent.value)}]"
        return f"{parent.path}.{parent.key}" if parent.path else str(parent.key)

    def _add(self, value: Any, line: int) -> None:
        self._count += 1
        if self._count > MAX_VALUES:
            raise DecodeError(f"more than {MAX_VALUES} values at line {line}")
        self.lines.setdefault(self._path(), line)
        if not self._stack:
            self.value = value
            return
        parent = self._stack[-1]
        if isinstance(parent.value, list):
            parent.value.append(value)
        else:
            parent.value[parent.key] = value
            parent.key = None

    def _refuse_key(self, line: int) -> None:
        parent = self._stack[-1] if self._stack else None
        if parent is not None and isinstance(parent.value, dict) and parent.key is None:
            raise DecodeError(f"a key must be a string at line {line}")

    @staticmethod
    def _refuse_tag(event: Any, line: int) -> None:
        tag = event.tag if isinstance(event.tag, str | None) else str(event.tag)
        if tag and tag not in ("!", "tag:yaml.org,2002:str"):
            raise DecodeError(f"the tag {tag} at line {line} is not supported")


def _plain(text: str) -> Any:
    """Return what a scalar without quotes means in the core schema."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        if text[:2] in ("0o", "0x"):
            return int(text[2:], 8 if text[1] == "o" else 16)
        return int(text) if len(text) <= 20 else float(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text
