"""The nodes of tree --fromfile: the paths in a file, one a line, as if they existed. Oracle: tree 2.1.0."""

from __future__ import annotations

import stat as bits

from sandhook.command.context import Context, Reader
from sandhook.command.operands import beneath
from sandhook.utilities.listing.tree.nodes import Forest, Node, Rules
from sandhook.vfs.base import Stat

_COST = 400  #: the memory that a name occupies, in bytes


class _Name:
    """A name in the paths, with the target of a link and the entries of a directory."""

    __slots__ = ("children", "target")

    def __init__(self) -> None:
        self.children: dict[str, _Name] | None = None
        self.target: str | None = None


class PathForest(Forest):
    """Reads nodes from paths; with ``links``, the text after " -> " is the target of a link."""

    def __init__(self, rules: Rules, ctx: Context, reader: Reader, *, links: bool) -> None:
        super().__init__(rules, ctx)
        self._names: dict[str, dict[str, _Name]] = {}
        self._root: dict[str, _Name] = {}
        part_count = 0
        for line in reader.lines():
            path = line.rstrip(b"\r\n").decode("utf-8", "surrogateescape")
            target = None
            if links and " -> " in path:
                path, _, target = path.partition(" -> ")
            parts = [part for part in path.split("/") if part]
            ctx.charge(1 + len(parts))
            part_count += len(parts)
            ctx.budget.check_fits(_COST * part_count)
            names = self._root
            for index, part in enumerate(parts):
                name = names.setdefault(part, _Name())
                if index < len(parts) - 1 or path[-1:] == "/":
                    name.children = {} if name.children is None else name.children
                    names = name.children
                else:
                    name.target = target

    def top(self, name: str) -> Node:
        """Return the root node of the paths."""
        node = Node(name, name, _info(bits.S_IFDIR))
        self._names = {name: self._root}
        self.read(node)
        return node

    def _entries(self, node: Node, top: bool) -> list[Node]:
        rules = self.rules
        nodes = []
        for text, name in self._names.pop(node.path, {}).items():
            self.ctx.charge()
            kind = (
                bits.S_IFDIR if name.children is not None else bits.S_IFLNK if name.target is not None else 0
            )
            if (text[0] == "." and not rules.hidden and not top) or not self._is_listed(
                text, kind, node.unfiltered
            ):
                continue
            if rules.directories and name.children is None:
                continue
            child = Node(text, beneath(node.path, text), _info(kind), name.target)
            child.selected = rules.match_directories and name.children is not None and self._matches(text)
            child.unfiltered = node.unfiltered or child.selected
            if name.children is not None:
                self._names[child.path] = name.children
            nodes.append(child)
        return nodes


def _info(kind: int) -> Stat:
    return Stat(kind, 0, 0, 0)
