"""Changes values inside a text of nested objects and arrays; all other characters stay.

A parser of a format makes nodes, which know their places in the text. ``TreeEditor`` compares the values of
the nodes with those that are wanted, and collects the smallest changes of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from sandhook.formats import NotEditable

NodeKind: TypeAlias = Literal["object", "array", "scalar"]

#: Blanks and block comments after a value, in its line.
_REST_OF_LINE = re.compile(r"(?:[ \t]|/\*(?:[^*\r\n]|\*(?!/))*\*/)*")
_BLANKS = re.compile(r"[ \t]*")


class Node:
    """A value and its place.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last character.
        keys: The keys of an object, in the order of the children.
        children: The values of an object or the items of an array.
        key_starts: Where the entry of each child begins: its key, or the child itself.
        commas: Offset of the comma after each child, -1 without one.
    """

    __slots__ = ("children", "commas", "end", "key_starts", "keys", "kind", "start")

    def __init__(self, kind: NodeKind, start: int) -> None:
        self.kind = kind
        self.start = start
        self.end = start
        self.keys: list[str] = []
        self.children: list[Node] = []
        self.key_starts: list[int] = []
        self.commas: list[int] = []


class Style:
    """How a format writes values.

    Args:
        write: Returns a value as text. Arguments: value, margin of the line, or None for one line.
        key: Returns a key with its separator, ``"a": `` for example.
        line_comment: What begins a comment up to the end of the line.
        objects_span_lines: An object may have several lines.
    """

    def __init__(
        self,
        write: Callable[[object, str | None], str],
        key: Callable[[str], str],
        *,
        line_comment: str,
        objects_span_lines: bool,
    ) -> None:
        self.write = write
        self.key = key
        self.line_comment = line_comment
        self.objects_span_lines = objects_span_lines


class TreeEditor:
    """Collects the changes of one text.

    Attributes:
        edits: Each is the offset where it begins, where it ends, and the new text.
    """

    def __init__(self, text: str, style: Style, *, unit: str = "  ") -> None:
        self.text = text
        self.edits: list[tuple[int, int, str]] = []
        self._style = style
        self._unit = unit
        self._line_end = line_end_of(text)

    def result(self) -> str:
        """Return the text with all changes."""
        pieces: list[str] = []
        at = 0
        for start, end, piece in sorted(self.edits, key=lambda edit: edit[:2]):
            if start < at and (piece or pieces[-1]):
                raise NotEditable("two changes are at the same place")
            start, end = max(start, at), max(end, at)  # blanks between two entries that are removed
            pieces += [self.text[at:start], piece]
            at = end
        return "".join([*pieces, self.text[at:]])

    def change(self, node: Node, old: object, new: object, *, spread: bool) -> None:
        """Change one value.

        Args:
            spread: The surroundings have a line for each entry; an empty collection gets that form too.
        """
        if same(old, new):
            return
        if node.kind == "object" and isinstance(old, dict) and isinstance(new, dict):
            self._object(node, old, new, spread)
        elif node.kind == "array" and isinstance(old, list) and isinstance(new, list):
            self._array(node, old, new, spread)
        else:
            margin = self.margin(node.start) if spread else None
            self.edits.append((node.start, node.end, self._style.write(new, margin)))

    def _object(self, node: Node, old: dict[str, object], new: dict[str, object], spread: bool) -> None:
        last = {key: index for index, key in enumerate(node.keys)}  # of equal keys, the last one counts
        spread = self._is_spread(node, spread)
        for key, index in last.items():
            if key in new:
                self.change(node.children[index], old[key], new[key], spread=spread)
        self._remove(node, {index for index, key in enumerate(node.keys) if key not in new})
        self._append(node, [(key, value) for key, value in new.items() if key not in old], spread)

    def _array(self, node: Node, old: list[object], new: list[object], spread: bool) -> None:
        inner = self._is_spread(node, spread)
        if len(new) > len(old) and same(new[: len(old)], old):
            self._append(node, [(None, value) for value in new[len(old) :]], inner)
        elif len(new) == len(old):
            for child, before, after in zip(node.children, old, new):
                self.change(child, before, after, spread=inner)
        else:
            removed = missing_items(old, new)
            if removed is None:
                margin = self.margin(node.start) if spread else None
                self.edits.append((node.start, node.end, self._style.write(new, margin)))
            else:
                self._remove(node, removed)

    # ------------------------------------------------------------------ places

    def _is_spread(self, node: Node, spread: bool) -> bool:
        """Return whether new entries of a collection get lines of their own."""
        if node.kind == "object" and not self._style.objects_span_lines:
            return False
        if not node.children:
            return spread
        return "\n" in self.text[node.start : node.key_starts[0]]

    def margin(self, at: int) -> str:
        """Return the blanks at the beginning of the line of an offset."""
        line = self.text.rfind("\n", 0, at) + 1
        match = _BLANKS.match(self.text, line)
        return match[0] if match is not None else ""

    def _append(self, node: Node, entries: Sequence[tuple[str | None, object]], spread: bool) -> None:
        if not entries:
            return
        outer = self.margin(node.start)
        inner = outer + self._unit
        if node.children and spread:
            inner = self.margin(node.key_starts[0])
        pieces = [
            ("" if key is None else self._style.key(key))
            + self._style.write(value, inner if spread else None)
            for key, value in entries
        ]
        between = f",{self._line_end}{inner}" if spread else ", "
        body = between.join(pieces)
        if node.children:
            self._append_after(node, body, inner if spread else None)
            return
        begin, end = node.start + 1, node.end - 1
        content = self.text[begin:end].rstrip()
        if content:  # comments
            begin += len(content)
        if spread or content:
            body = f"{self._line_end}{inner}{body}{self._line_end}{outer}"
        self.edits.append((begin, end, body))

    def _append_after(self, node: Node, body: str, margin: str | None) -> None:
        """Add entries after the last one, and after the comment at the end of its line."""
        last, comma = node.children[-1].end, node.commas[-1]
        if comma < 0:
            self.edits.append((last, last, ","))
        else:
            last = comma + 1
        if margin is None:
            self.edits.append((last, last, f" {body}"))
            return
        match = _REST_OF_LINE.match(self.text, last)
        at = match.end() if match is not None else last
        if self.text.startswith(self._style.line_comment, at):
            newline = self.text.find("\n", at)
            at = len(self.text) if newline < 0 else newline
            at -= self.text[at - 1] == "\r"
        elif self.text[at : at + 1] not in ("\r", "\n"):
            at = last
        self.edits.append((at, at, f"{self._line_end}{margin}{body}"))

    def _remove(self, node: Node, removed: set[int]) -> None:
        """Remove entries with their commas; comments of other entries stay."""
        if not removed:
            return
        kept = [index for index in range(len(node.children)) if index not in removed]
        if not kept and not self._has_comments(node):
            self.edits.append((node.start + 1, node.end - 1, ""))
            return
        for index in removed:
            start = node.key_starts[index]
            line = self.text.rfind("\n", 0, start) + 1
            if line and not self.text[line:start].strip():
                start = line - 1 - (self.text[line - 2 : line - 1] == "\r")
            comma = node.commas[index]
            end = node.children[index].end
            if comma >= 0 and not self.text[end:comma].strip():
                end = comma + 1
            elif comma >= 0:
                self.edits.append((comma, comma + 1, ""))
            if start == node.key_starts[index] and kept and index < kept[-1]:
                match = _BLANKS.match(self.text, end)
                end = match.end() if match is not None else end
            elif start == node.key_starts[index]:
                start = line + len(self.text[line:start].rstrip(" \t"))
            self.edits.append((start, end, ""))
        final = len(node.children) - 1
        if final in removed and node.commas[final] < 0 and kept:
            comma = node.commas[kept[-1]]
            self.edits.append((comma, comma + 1, ""))

    def _has_comments(self, node: Node) -> bool:
        at, text = node.start + 1, ""
        for start, child, comma in zip(node.key_starts, node.children, node.commas):
            text += self.text[at:start]
            at = child.end
            if comma >= 0:
                text += self.text[at:comma]
                at = comma + 1
        return bool((text + self.text[at : node.end - 1]).strip())


def line_end_of(text: str) -> str:
    """Return the line end of a text: that of its first line."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def same(left: object, right: object) -> bool:
    """Return True if two values are equal: 1, 1.0 and true are three values, and the order of keys does not count."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def without_missing_keys(old: object, new: object) -> object:
    """Return a value without the keys that the new one lacks: a text is changed in two steps, removals first."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {key: without_missing_keys(item, new[key]) for key, item in old.items() if key in new}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [without_missing_keys(before, after) for before, after in zip(old, new)]
    return old


def missing_items(old: Sequence[object], new: Sequence[object]) -> set[int] | None:
    """Return the positions of the items that a shorter list lacks; None if it has others in addition."""
    missing: set[int] = set()
    at = 0
    for index, item in enumerate(old):
        if at < len(new) and same(item, new[at]):
            at += 1
        else:
            missing.add(index)
    return missing if at == len(new) else None
