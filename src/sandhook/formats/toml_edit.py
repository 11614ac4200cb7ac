"""Changes TOML texts in place: comments, the order of tables, quotes and line ends stay.

New tables are added at the end of the text, where their headers are always allowed. Values of inline tables and
arrays are changed where they are.
"""

from __future__ import annotations

import re
from typing import NoReturn, TypeAlias

from sandhook.formats import FormatError, NotEditable
from sandhook.formats.toml import read_toml
from sandhook.formats.toml_text import inline_toml, write_toml
from sandhook.formats.tree_edit import (
    Node,
    Style,
    TreeEditor,
    line_end_of,
    missing_items,
    same,
    without_missing_keys,
)

Path: TypeAlias = tuple[str | int, ...]

_SPACE = re.compile(r"(?>[ \t\r\n]++|#[^\r\n]*+)*+")
_BLANKS = re.compile(r"[ \t]*+")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRINGS = (
    re.compile(r'"""(?>[^"\\]++|\\.|"{1,2}(?!"))*+"{3,5}', re.DOTALL),
    re.compile(r"'''(?>[^']++|'{1,2}(?!'))*+'{3,5}"),
    re.compile(r'"(?>[^"\\\r\n]++|\\.)*+"'),
    re.compile(r"'[^'\r\n]*+'"),
)
_WORD = re.compile(r"[^\s,\]}#=\[{]+(?: [0-9:.Z+-]+)?")  # a date may have a blank before its time


def edit_toml(text: str, new: dict[str, object]) -> str:
    """Return a text with its value changed to ``new``.

    Raises:
        FormatError: The text is not TOML.
        NotEditable: The change cannot be made in the text.
    """
    old = read_toml(text)
    reduced = without_missing_keys(old, new)
    if isinstance(reduced, dict) and not same(reduced, old) and not same(reduced, new):
        return edit_toml(edit_toml(text, reduced), new)
    editor = _Editor(text)
    editor.tables((), old, new)
    return editor.result()


class _Statement:
    """A header, or a key with its value.

    Attributes:
        path: The absolute path of the table or of the value; an array of tables adds the index.
        start: Offset of the beginning of its line.
        end: Offset after its last character.
        value: The value; None for a header.
    """

    __slots__ = ("end", "path", "start", "value")

    def __init__(self, path: Path, start: int, end: int, value: Node | None) -> None:
        self.path = path
        self.start = start
        self.end = end
        self.value = value


class _Editor:
    def __init__(self, text: str) -> None:
        self._text = text
        self._line_end = line_end_of(text)
        self._statements = _Parser(text).statements()
        self._values = {each.path: each.value for each in self._statements if each.value is not None}
        style = Style(
            lambda value, margin: inline_toml(value),
            lambda key: inline_toml({key: 0})[2:-3],
            line_comment="#",
            objects_span_lines=False,
        )
        self._inline = TreeEditor(text, style)
        self._added: list[str] = []

    def result(self) -> str:
        text = self._inline.result()
        for block in self._added:
            if text and not text.endswith("\n"):
                text += self._line_end
            text += (self._line_end if text else "") + block.replace("\n", self._line_end)
        return text

    def tables(self, path: Path, old: dict[str, object], new: dict[str, object]) -> None:
        """Change the entries of a table that has headers or keys of its own."""
        for key, value in old.items():
            if key not in new:
                self._remove([(*path, key)])
            elif not same(value, new[key]):
                self._change((*path, key), value, new[key])
        for key, value in new.items():
            if key not in old:
                self._add((*path, key), value)

    def _change(self, path: Path, old: object, new: object) -> None:
        node = self._values.get(path)
        if node is not None:
            self._inline.change(node, old, new, spread="\n" in self._text[node.start : node.end])
        elif isinstance(old, dict) and isinstance(new, dict):
            self.tables(path, old, new)
        elif isinstance(old, list) and isinstance(new, list):
            self._array(path, old, new)
        else:
            raise NotEditable(f"{_name(path)}: a table cannot become another value")

    def _array(self, path: Path, old: list[object], new: list[object]) -> None:
        if len(new) > len(old) and same(new[: len(old)], old):
            for item in new[len(old) :]:
                self._add(path, [item])
            return
        removed: set[int] | None = set() if len(new) == len(old) else missing_items(old, new)
        if removed is None:
            raise NotEditable(f"{_name(path)}: its tables cannot change their order")
        for run in _runs(removed):
            self._remove([(*path, index) for index in run])
        if not removed:
            for index, (before, after) in enumerate(zip(old, new)):
                if not same(before, after):
                    self._change((*path, index), before, after)

    def _add(self, path: Path, value: object) -> None:
        """Add tables at the end of the text."""
        tables = value if isinstance(value, list) else [value]
        if not all(isinstance(each, dict) for each in tables) or any(isinstance(part, int) for part in path):
            raise NotEditable(f"{_name(path)}: only tables can be added at the end of the file")
        nested: object = value
        for part in reversed(path):
            nested = {part: nested}
        if isinstance(nested, dict):
            self._added.append(write_toml(nested))

    def _remove(self, paths: list[Path]) -> None:
        """Remove keys, or tables with all that is below their headers, which follow each other."""
        path, count = paths[0], len(paths[0])
        below = [index for index, each in enumerate(self._statements) if each.path[:count] in paths]
        if not below:
            raise NotEditable(f"{_name(path)}: it is part of an inline value")
        first, last = below[0], below[-1]
        if below != list(range(first, last + 1)):
            raise NotEditable(f"{_name(path)}: its tables are not in one place")
        start = self._statements[first].start
        end = self._statements[last].end
        newline = self._text.find("\n", end)
        end = len(self._text) if newline < 0 else newline + 1
        while self._statements[first].value is None and end < len(self._text):  # blank lines after a table
            match = re.compile(r"[ \t]*\r?\n").match(self._text, end)
            if match is None:
                break
            end = match.end()
        if end == len(self._text):  # or those before the last one
            head = self._text[:start]
            start = len(head.rstrip()) + len(self._line_end) if head.strip() else 0
        self._inline.edits.append((min(start, end), end, ""))


def _runs(indexes: set[int]) -> list[list[int]]:
    """Return indexes in groups of those that follow each other."""
    runs: list[list[int]] = []
    for index in sorted(indexes):
        if runs and runs[-1][-1] == index - 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return runs


def _name(path: Path) -> str:
    return ".".join(map(str, path))


class _Parser:
    """Finds the statements of a text that is TOML."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._counts: dict[Path, int] = {}

    def statements(self) -> list[_Statement]:
        found: list[_Statement] = []
        table: Path = ()
        while True:
            self._skip(_SPACE)
            if self._at >= len(self._text):
                return found
            start = self._text.rfind("\n", 0, self._at) + 1
            if self._peek("["):
                table = self._header()
                found.append(_Statement(table, start, self._at, None))
            else:
                path = (*table, *self._keys())
                self._expect("=")
                self._skip(_BLANKS)
                node = self._node()
                found.append(_Statement(path, start, self._at, node))

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self._text, self._at)
        self._at = match.end() if match is not None else self._at

    def _peek(self, char: str) -> bool:
        return self._text.startswith(char, self._at)

    def _expect(self, char: str) -> None:
        self._skip(_BLANKS)
        if not self._peek(char):
            self._fail()
        self._at += len(char)

    def _fail(self) -> NoReturn:
        raise FormatError(f"not TOML at line {self._text.count(chr(10), 0, self._at) + 1}")

    def _header(self) -> Path:
        brackets = 2 if self._peek("[[") else 1
        self._at += brackets
        keys = self._keys()
        self._expect("]" * brackets)
        path: Path = ()
        for key in keys[:-1]:
            path = self._current((*path, key))
        path = (*path, keys[-1])
        if brackets == 1:
            return self._current(path)
        self._counts[path] = self._counts.get(path, -1) + 1
        return self._current(path)

    def _current(self, path: Path) -> Path:
        """Return the path of a table, or of the present table of an array."""
        index = self._counts.get(path)
        return path if index is None else (*path, index)

    def _keys(self) -> list[str]:
        keys = []
        while True:
            self._skip(_BLANKS)
            keys.append(self._key())
            self._skip(_BLANKS)
            if not self._peek("."):
                return keys
            self._at += 1

    def _key(self) -> str:
        begin = self._at
        if self._peek("'"):
            self._skip(_STRINGS[3])
            return self._text[begin + 1 : self._at - 1]
        if self._peek('"'):
            self._skip(_STRINGS[2])
            key = next(iter(read_toml(f"{self._text[begin : self._at]} = 0")))
            return str(key)
        match = _BARE_KEY.match(self._text, self._at)
        if match is None:
            self._fail()
        self._at = match.end()
        return match[0]

    def _node(self) -> Node:
        if self._peek("[") or self._peek("{"):
            return self._collection("]" if self._peek("[") else "}")
        node = Node("scalar", self._at)
        matches = (pattern.match(self._text, self._at) for pattern in (*_STRINGS, _WORD))
        match = next((each for each in matches if each is not None), None)
        if match is None:
            self._fail()
        node.end = self._at = match.end()
        return node

    def _collection(self, closing: str) -> Node:
        node = Node("array" if closing == "]" else "object", self._at)
        self._at += 1
        self._skip(_SPACE)
        while not self._peek(closing):
            node.key_starts.append(self._at)
            if closing == "}":
                keys = self._keys()
                if len(keys) > 1:
                    raise NotEditable(f"{'.'.join(keys)}: a dotted key in an inline table")
                node.keys += keys
                self._expect("=")
                self._skip(_BLANKS)
            node.children.append(self._node())
            self._skip(_SPACE)
            if self._peek(","):
                node.commas.append(self._at)
                self._at += 1
                self._skip(_SPACE)
            elif self._peek(closing):
                node.commas.append(-1)
            else:
                self._fail()
        self._at += 1
        node.end = self._at
        return node
