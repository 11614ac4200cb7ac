"""What tree --fromfile lists: paths that a file names, one a line, as if they were there. Oracle: tree 2.1.0."""

from __future__ import annotations

import stat as bits

from sandhook.command.context import Context, Reader
from sandhook.command.operands import beneath
from sandhook.utilities.listing.tree.nodes import Forest, Node, Rules
from sandhook.vfs.base import Stat

_COST = 400  #: bytes that a name takes


class _Name:
    """A name in the paths: where a link leads to, and what is below a directory."""

    __slots__ = ("below", "target")

    def __init__(self) -> None:
        self.below: dict[str, _Name] | None = None
        self.target: str | None = None


class Listed(Forest):
    """Reads nodes from paths; ``links``: a path may say where it leads to, after " -> "."""

    def __init__(self, rules: Rules, ctx: Context, reader: Reader, *, links: bool) -> None:
        super().__init__(rules, ctx)
        self._names: dict[str, dict[str, _Name]] = {}
        self._root: dict[str, _Name] = {}
        made = 0
        for line in reader.lines():
            path = line.rstrip(b"\r\n").decode("utf-8", "surrogateescape")
            target = None
            if links and " -> " in path:
                path, _, target = path.partition(" -> ")
            parts = [part for part in path.split("/") if part]
            ctx.charge(1 + len(parts))
            made += len(parts)
            ctx.budget.check_fits(_COST * made)
            names = self._root
            for index, part in enumerate(parts):
                name = names.setdefault(part, _Name())
                if index < len(parts) - 1 or path[-1:] == "/":
                    name.below = {} if name.below is None else name.below
                    names = name.below
                else:
                    name.target = target

    def top(self, name: str) -> Node:
        """Return the node of all that was read."""
        node = Node(name, name, _info(bits.S_IFDIR))
        self._names = {name: self._root}
        self.read(node)
        return node

    def _entries(self, node: Node, top: bool) -> list[Node]:
        rules = self.rules
        found = []
        for text, name in self._names.pop(node.path, {}).items():
            self.ctx.charge()
            kind = bits.S_IFDIR if name.below is not None else bits.S_IFLNK if name.target is not None else 0
            if (text[0] == "." and not rules.hidden and not top) or not self._wanted(text, kind, node.free):
                continue
            if rules.directories and name.below is None:
                continue
            child = Node(text, beneath(node.path, text), _info(kind), name.target)
            child.chosen = rules.match_directories and name.below is not None and self._matches(text)
            child.free = node.free or child.chosen
            if name.below is not None:
                self._names[child.path] = name.below
            found.append(child)
        return found


def _info(kind: int) -> Stat:
    return Stat(kind, 0, 0, 0, 0, 0, 0, 0, 0)
