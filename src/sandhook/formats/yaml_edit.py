"""Changes YAML texts in place; unchanged parts keep their comments, quotes and layout.

The text is read as events, whose marks are the places of values. A value that differs is overwritten,
a removed entry is deleted with the comment above it, and a new entry follows the last one.
For other changes NotEditable is raised, and the caller writes the whole document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from json import dumps
from typing import Literal, TypeAlias

from sandhook.formats import NotEditable, Number
from sandhook.formats.yaml import Event, events
from sandhook.formats.yaml_text import write_yaml
from sandhook.lazy import lazily

_PLAIN_IN_FLOW = lazily(r"(?a)[A-Za-z0-9_./][A-Za-z0-9_./ -]*(?<! )\Z")
_COLON = lazily(r"[ \t]*:(?=\s|\Z)")
_COMMENT_LINE = lazily(r"[ \t]*#[^\n]*\Z")


NodeKind: TypeAlias = Literal["scalar", "mapping", "sequence", "alias"]


class _Node:
    """A value and its place: ``end`` is the offset after its last character, without comments."""

    __slots__ = ("end", "entries", "flow", "has_properties", "items", "kind", "start", "style")

    def __init__(self, kind: NodeKind, event: Event) -> None:
        self.kind = kind
        self.start: int = event.start_mark.index
        self.end: int = event.end_mark.index
        self.style = getattr(event, "style", None)
        self.flow = bool(getattr(event, "flow_style", False))
        self.has_properties = bool(getattr(event, "anchor", None) or getattr(event, "tag", None))
        self.items: list[_Node] = []
        self.entries: list[tuple[_Node, _Node]] = []


def edit_yaml(
    text: str, old: Sequence[object], new: Sequence[object], charge: Callable[[int], None] | None = None
) -> str:
    """Return a text with its documents changed from the values ``old`` to the values ``new``.

    Raises:
        NotEditable: The change cannot be made in the text.
    """
    roots = _read(text, charge)
    if not len(roots) == len(old) == len(new):
        raise NotEditable
    editor = _Editor(text)
    for root, before, after in zip(roots, old, new):
        editor.change(root, before, after, -1, root.start)
    return editor.result()


def _read(text: str, charge: Callable[[int], None] | None) -> list[_Node]:
    from ruamel.yaml import events as kinds

    roots: list[_Node] = []
    stack: list[_Node] = []
    keys: list[_Node | None] = []
    for event in events(text):
        if charge is not None:
            charge(1)
        if isinstance(event, kinds.MappingStartEvent):
            node = _Node("mapping", event)
        elif isinstance(event, kinds.SequenceStartEvent):
            node = _Node("sequence", event)
        elif isinstance(event, kinds.ScalarEvent):
            node = _Node("scalar", event)
            node.end = node.start + len(text[node.start : node.end].rstrip())
        elif isinstance(event, kinds.AliasEvent):
            node = _Node("alias", event)
        elif isinstance(event, kinds.MappingEndEvent | kinds.SequenceEndEvent):
            node = stack.pop()
            keys.pop()
            _close(node, event)
            continue
        else:
            continue
        if not stack:
            roots.append(node)
        elif stack[-1].kind == "sequence":
            stack[-1].items.append(node)
        elif keys[-1] is None:
            keys[-1] = node
        else:
            if node.kind == "scalar" and node.start == node.end:  # there is no value yet: ``a:``
                colon = _COLON.match(text, keys[-1].end)
                node.start = node.end = colon.end() if colon is not None else keys[-1].end
            stack[-1].entries.append((keys[-1], node))
            keys[-1] = None
        if node.kind in ("mapping", "sequence"):
            stack.append(node)
            keys.append(None)
    return roots


def _close(node: _Node, event: Event) -> None:
    if node.flow:
        node.end = event.end_mark.index
    elif node.items:
        node.end = node.items[-1].end
    elif node.entries:
        node.end = max(part.end for part in node.entries[-1])


class _Editor:
    def __init__(self, text: str) -> None:
        self._text = text
        self._edits: list[tuple[int, int, str]] = []

    def result(self) -> str:
        """Return the text with all changes."""
        pieces: list[str] = []
        at = 0
        for start, end, piece in sorted(self._edits):
            if start < at:
                raise NotEditable
            pieces += [self._text[at:start], piece]
            at = end
        text = "".join([*pieces, self._text[at:]])
        return text if text.endswith("\n") or not text else text + "\n"

    def change(self, node: _Node, old: object, new: object, column: int, start: int) -> None:
        """Change a value.

        Args:
            column: Column of the value's key or dash; -1 for a document.
            start: Offset after the colon or the dash, where a new value begins.
        """
        if _same(old, new):
            return
        if node.kind == "alias" or node.has_properties:
            raise NotEditable
        if node.flow and (old or isinstance(new, dict | list)):
            if isinstance(new, dict | list) and new and (node.items or node.entries):
                self._edits.append((node.start, node.end, _flow(new)))
                return
        elif (
            node.kind == "mapping"
            and isinstance(old, dict)
            and isinstance(new, dict)
            and any(key in new for key in old)
        ):
            self._mapping(node, old, new)
            return
        elif node.kind == "sequence" and isinstance(old, list) and isinstance(new, list) and new and old:
            self._sequence(node, old, new)
            return
        self._write(node, new, column, start)

    def _write(self, node: _Node, new: object, column: int, start: int) -> None:
        """Replace a value."""
        end = start if node.start == node.end else node.end  # there is no value yet: ``a:``
        if isinstance(new, dict | list) and new:
            margin = " " * (column + 2 if column >= 0 else 0)
            body = "\n".join(
                margin + line if line else "" for line in write_yaml(new).rstrip("\n").split("\n")
            )
            if column < 0:
                self._edits.append((start, end, body))
                return
            line_end = self._line_end(end)
            self._edits.append((start, end, ""))
            self._edits.append((line_end, line_end, f"\n{body}"))  # a comment stays in the line of the key
            return
        piece = _scalar(new, node.style if node.kind == "scalar" else None, column)
        if column >= 0 and "#" in self._text[start : node.start]:  # a comment stays in the line of the key
            self._edits.append((start, start, f" {piece}"))
            self._edits.append((self._line_end(start), end, ""))
            return
        self._edits.append((start, end, (" " if column >= 0 else "") + piece))

    # ------------------------------------------------------------------ mappings

    def _mapping(self, node: _Node, old: dict[str, object], new: dict[str, object]) -> None:
        names = list(old)
        common_names = [name for name in new if name in old]
        new_names = [name for name in new if name not in old]
        if len(node.entries) != len(names) or common_names != [name for name in names if name in new]:
            raise NotEditable
        if list(new)[: len(common_names)] != common_names:
            raise NotEditable
        column = self._column(node.entries[0][0].start)
        for index, (name, (key, value)) in enumerate(zip(names, node.entries)):
            if key.kind != "scalar" or key.has_properties:
                raise NotEditable
            colon = _COLON.match(self._text, key.end)
            if colon is None:
                raise NotEditable
            if name in new:
                self.change(value, old[name], new[name], column, colon.end())
            else:
                following = node.entries[index + 1][0].start if index + 1 < len(names) else None
                self._remove(key.start, max(value.end, colon.end()), following)
        if new_names:
            at = self._line_end(max(node.end, node.start))
            self._edits.append((at, at, "".join(self._entry(name, new[name], column) for name in new_names)))

    def _entry(self, name: str, value: object, column: int) -> str:
        lines = write_yaml({name: value}).rstrip("\n").split("\n")
        return "".join(f"\n{' ' * column}{line}" if line else "\n" for line in lines)

    # ------------------------------------------------------------------ sequences

    def _sequence(self, node: _Node, old: list[object], new: list[object]) -> None:
        if len(node.items) != len(old):
            raise NotEditable
        dashes = [self._dash(item) for item in node.items]
        column = self._column(dashes[0])
        first = last = 0
        if len(old) != len(new):
            length = min(len(old), len(new))
            while first < length and _same(old[first], new[first]):
                first += 1
            while last < length - first and _same(old[-1 - last], new[-1 - last]):
                last += 1
        common_end = min(len(old), len(new)) - last
        for index in range(first, common_end):
            self.change(node.items[index], old[index], new[index], column, dashes[index] + 1)
        for index in range(common_end, len(old) - last):
            following = dashes[index + 1] if index + 1 < len(old) else None
            self._remove(dashes[index], node.items[index].end, following)
        new_items = new[common_end : len(new) - last]
        if new_items and common_end:
            at = self._line_end(node.items[common_end - 1].end)
            self._edits.append((at, at, "".join(f"\n{line}" for line in _items(new_items, column))))
        elif new_items:
            at = dashes[0]
            piece = "\n".join(_items(new_items, column)).lstrip(" ")
            self._edits.append((at, at, f"{piece}\n{' ' * column}"))

    def _dash(self, item: _Node) -> int:
        """Return the offset of the dash before an item."""
        at = self._text.rfind("-", 0, item.start + (item.start == item.end))
        if at < 0 or self._text[at + 1 : item.start].strip():
            raise NotEditable
        return at

    # ------------------------------------------------------------------ places

    def _column(self, at: int) -> int:
        return at - self._line_start(at)

    def _line_start(self, at: int) -> int:
        return self._text.rfind("\n", 0, at) + 1

    def _line_end(self, at: int) -> int:
        end = self._text.find("\n", at)
        return len(self._text) if end < 0 else end

    def _remove(self, start: int, end: int, following: int | None) -> None:
        """Remove an entry, with the comments directly above it."""
        line = self._line_start(start)
        if self._text[line:start].strip():
            if following is None:
                raise NotEditable
            self._edits.append((start, following, ""))  # the first entry of an item: ``- a: 1``
            return
        while line:
            above = self._line_start(line - 1)
            comment = self._text[above : line - 1]
            if not _COMMENT_LINE.match(comment) or len(comment) - len(
                comment.lstrip()
            ) != start - self._line_start(start):
                break
            line = above
        self._edits.append((line, min(self._line_end(end) + 1, len(self._text)), ""))


def _items(values: list[object], column: int) -> Iterator[str]:
    """Yield the lines of items of a sequence."""
    for line in write_yaml(values).rstrip("\n").split("\n"):
        yield " " * column + line if line else ""


def _same(left: object, right: object) -> bool:
    """Return True if two values are equal, also in the order of their keys."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return list(left) == list(right) and all(_same(value, right[key]) for key, value in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right)


def _scalar(value: object, style: str | None, column: int) -> str:
    """Return a scalar or an empty collection, in the quotes of the value before."""
    if isinstance(value, str) and not isinstance(value, Number):
        if style == "'" and value.isprintable():
            return "'" + value.replace("'", "''") + "'"
        if style == '"' and value.isprintable():
            return dumps(value, ensure_ascii=False)
    text = write_yaml(value).rstrip("\n")
    if "\n" in text:  # a literal block
        margin = " " * max(column + 2, 0)
        head, *lines = text.split("\n")
        return "\n".join([head, *(margin + line.removeprefix("  ") if line else "" for line in lines)])
    return text


def _flow(value: object) -> str:
    """Return a value in flow style."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, str) and not isinstance(value, Number):
        plain = write_yaml(value).rstrip("\n")
        return plain if _PLAIN_IN_FLOW.match(plain) else dumps(value, ensure_ascii=False)
    return write_yaml(value).rstrip("\n")
