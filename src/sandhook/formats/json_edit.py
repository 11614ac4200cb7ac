"""Changes JSON texts in place: comments, commas after last entries, blanks and line ends stay.

Comments (``//``, ``/* */``) and a comma after the last entry are accepted, as the settings of many programs have them.
"""

from __future__ import annotations

import json
import re
from typing import NoReturn

from sandhook.formats import FormatError
from sandhook.formats.tree_edit import Node, Style, TreeEditor, line_end_of, same, without_missing_keys

#: The longest text, in characters.
MAX_TEXT = 4 << 20

#: The deepest nesting of objects and arrays.
MAX_DEPTH = 128

_SPACE = re.compile(r"(?>[ \t\r\n]++|//[^\r\n]*+|/\*(?>[^*]++|\*(?!/))*+\*/)*+")
_STRING = re.compile(r'"(?>[^"\\\x00-\x1f]++|\\.)*+"')
_WORD = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")


def read_commented_json(text: str) -> object:
    """Return the value of a JSON text, which may have comments; {} for a text without a value.

    Raises:
        FormatError: It is not JSON, longer than MAX_TEXT, or nested too deeply.
    """
    parser = _Parser(text)
    return parser.value_of(parser.root) if parser.root is not None else {}


def edit_json(text: str, new: object) -> str:
    """Return a text with its value changed to ``new``.

    Raises:
        FormatError: The text is not JSON.
        NotEditable: The change cannot be made in the text.
    """
    parser = _Parser(text)
    line_end = line_end_of(text)
    if parser.root is None:
        fresh = _write(new, "", "  ", line_end) + line_end
        return text + fresh if not text.strip() or text.endswith("\n") else text + line_end + fresh
    old = parser.value_of(parser.root)
    reduced = without_missing_keys(old, new)
    if not same(reduced, old) and not same(reduced, new):
        return edit_json(edit_json(text, reduced), new)
    unit = "  "
    root = parser.root
    if root.children and "\n" in text[root.start : root.key_starts[0]]:
        line = text.rfind("\n", 0, root.key_starts[0]) + 1
        found = text[line : root.key_starts[0]]
        unit = found if found and not found.strip() else unit
    style = Style(
        lambda value, margin: _write(value, margin, unit, line_end),
        lambda key: _dumps(key) + ": ",
        line_comment="//",
        objects_span_lines=True,
    )
    editor = TreeEditor(text, style, unit=unit)
    editor.change(root, old, new, spread=not root.children or "\n" in text.strip())
    return editor.result()


def _write(value: object, margin: str | None, unit: str, line_end: str) -> str:
    """Return a value with its further lines at a margin, or in one line for None."""
    if margin is None:
        return _dumps(value)
    return _dumps(value, unit).replace("\n", line_end + margin)


def _dumps(value: object, indent: str | None = None) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if any("\ud800" <= char <= "\udfff" for char in text):  # half of a pair cannot be written as UTF-8
        return json.dumps(value, indent=indent)
    return text


class _Parser:
    """Parses a text to nodes. ``root`` is None for a text of blanks and comments."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_TEXT:
            raise FormatError(f"longer than {MAX_TEXT} characters")
        self._text = text
        self._at = 0
        self.root: Node | None = None
        self._skip()
        if self._at < len(text):
            self.root = self._node(0)
            self._skip()
            if self._at < len(text):
                self._fail("text after the value")

    def value_of(self, node: Node) -> object:
        """Return the value of a node."""
        if node.kind == "object":
            return {key: self.value_of(child) for key, child in zip(node.keys, node.children)}
        if node.kind == "array":
            return [self.value_of(child) for child in node.children]
        try:
            return json.loads(self._text[node.start : node.end])
        except ValueError:
            self._at = node.start
            self._fail("an invalid value")

    def _skip(self) -> None:
        match = _SPACE.match(self._text, self._at)
        self._at = match.end() if match is not None else self._at

    def _fail(self, what: str) -> NoReturn:
        line = self._text.count("\n", 0, self._at) + 1
        column = self._at - self._text.rfind("\n", 0, self._at)
        raise FormatError(f"{what} at line {line} column {column}")

    def _node(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise FormatError(f"nesting of {MAX_DEPTH} exceeded")
        char = self._text[self._at : self._at + 1]
        if char in ("{", "["):
            return self._collection(depth, "}" if char == "{" else "]")
        match = (_STRING if char == '"' else _WORD).match(self._text, self._at)
        if match is None:
            self._fail("wanted a value")
        node = Node("scalar", self._at)
        node.end = self._at = match.end()
        return node

    def _collection(self, depth: int, closing: str) -> Node:
        node = Node("object" if closing == "}" else "array", self._at)
        self._at += 1
        self._skip()
        while self._text[self._at : self._at + 1] != closing:
            node.key_starts.append(self._at)
            if closing == "}":
                node.keys.append(self._key())
            node.children.append(self._node(depth + 1))
            self._skip()
            if self._text[self._at : self._at + 1] == ",":
                node.commas.append(self._at)
                self._at += 1
                self._skip()
            elif self._text[self._at : self._at + 1] == closing:
                node.commas.append(-1)
            else:
                self._fail(f"wanted a comma or {closing}")
        self._at += 1
        node.end = self._at
        return node

    def _key(self) -> str:
        match = _STRING.match(self._text, self._at)
        if match is None:
            self._fail("wanted a key in double quotes")
        try:
            key = str(json.loads(match[0]))
        except ValueError:
            self._fail("an invalid key")
        self._at = match.end()
        self._skip()
        if self._text[self._at : self._at + 1] != ":":
            self._fail("wanted a colon")
        self._at += 1
        self._skip()
        return key
