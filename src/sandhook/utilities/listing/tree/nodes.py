"""The nodes of tree: directories are read into nodes, which the options select and order."""

from __future__ import annotations

import stat as bits
from collections.abc import Callable, Sequence
from typing import Any

from sandhook.command.context import Context
from sandhook.command.operands import beneath
from sandhook.pattern.glob import Pattern, compile_pattern
from sandhook.record import Record
from sandhook.utilities.listing.version import version_key
from sandhook.vfs.base import Stat

MAX_DEPTH = 4_096  #: no path is deeper


class Rules(Record):
    """The options that select and order names."""

    hidden: bool
    directories: bool
    follow: bool
    level: int
    limit: int
    one_device: bool
    prune: bool
    sort: str
    reverse: bool
    first: str
    patterns: tuple[Pattern, ...]
    ignored: tuple[Pattern, ...]
    match_directories: bool = False


class Node:
    """One name of a listing.

    Attributes:
        target: The target of a link.
        children: The entries of a directory; None if it was not read.
        note: Why it was not read.
        selected: A pattern matched the name of this directory (--matchdirs).
        unfiltered: Patterns do not apply in it, because it or a directory above it is selected.
        total: The size of it and of everything below it, in bytes.
    """

    __slots__ = ("children", "info", "name", "note", "path", "selected", "target", "total", "unfiltered")

    def __init__(self, name: str, path: str, info: Stat, target: str | None = None) -> None:
        self.name = name
        self.path = path
        self.info = info
        self.target = target
        self.children: list[Node] | None = None
        self.note = ""
        self.selected = self.unfiltered = False
        self.total = info.size

    @property
    def is_directory(self) -> bool:
        return bits.S_ISDIR(self.info.mode)


def patterns(texts: Sequence[str], nocase: bool) -> tuple[Pattern, ...]:
    """Compile the arguments of -P or -I, in which "|" separates alternatives."""
    return tuple(
        compile_pattern(part, extglob=False, nocase=nocase) for text in texts for part in text.split("|")
    )


class Forest:
    """Reads directories into nodes, without recursion."""

    def __init__(self, rules: Rules, ctx: Context) -> None:
        self.rules = rules
        self.ctx = ctx
        self.count = 0

    def read(self, top: Node) -> None:
        """Read everything below a directory; with --prune, remove empty directories."""
        pending = [(top, 1)]
        order: list[Node] = []
        seen: set[tuple[int, int]] = {(top.info.device, top.info.inode)}
        while pending:
            node, depth = pending.pop()
            order.append(node)
            node.children = []
            for child in self._entries(node, depth == 1):
                node.children.append(child)
                if self._should_enter(child, top, depth, seen):
                    pending.append((child, depth + 1))
        for node in reversed(order):
            assert node.children is not None
            if self.rules.prune:
                node.children = [
                    each for each in node.children if not each.is_directory or each.children or each.selected
                ]
            node.children = self._sort_nodes(node.children)
            node.total += sum([each.total for each in node.children])

    def _should_enter(self, child: Node, top: Node, depth: int, seen: set[tuple[int, int]]) -> bool:
        rules = self.rules
        file_id = (child.info.device, child.info.inode)
        if child.target is not None and rules.follow and self.ctx.fs.is_dir(self.ctx.path(child.path)):
            info = self.ctx.fs.stat(self.ctx.path(child.path))
            file_id = (info.device, info.inode)
            if file_id in seen:
                child.note = "recursive, not followed"
                return False
        elif not child.is_directory:
            return False
        if depth >= min(rules.level, MAX_DEPTH) or (rules.one_device and file_id[0] != top.info.device):
            return False
        seen.add(file_id)
        return True

    def _entries(self, node: Node, top: bool) -> list[Node]:
        rules, ctx = self.rules, self.ctx
        try:
            entries = ctx.fs.listdir(ctx.path(node.path))
        except OSError:
            node.note = "error opening dir"
            ctx.failed = 2
            return []
        ctx.charge(1 + len(entries))
        nodes = []
        for entry in entries:
            if (entry.name[0] == "." and not rules.hidden) or not self._is_listed(
                entry.name, entry.mode, node.unfiltered
            ):
                continue
            path = beneath(node.path, entry.name)
            try:
                info = ctx.fs.stat(ctx.path(path), follow=False)
                target = ctx.fs.readlink(ctx.path(path)) if bits.S_ISLNK(info.mode) else None
            except OSError:
                continue
            is_directory = bits.S_ISDIR(info.mode) or (target is not None and ctx.fs.is_dir(ctx.path(path)))
            if rules.directories and not is_directory:
                continue
            self.count += 1
            ctx.budget.check_fits(400 * self.count)
            child = Node(entry.name, path, info, target)
            child.selected = rules.match_directories and is_directory and self._matches(entry.name)
            child.unfiltered = node.unfiltered or child.selected
            nodes.append(child)
        if rules.limit and len(nodes) > rules.limit:
            node.note = f"{len(nodes)} entries exceeds filelimit, not opening dir"
            ctx.failed = 2
            return []
        return nodes

    def _is_listed(self, name: str, mode: int, unfiltered: bool) -> bool:
        rules, charge = self.rules, self.ctx.charge
        if any(pattern.matches(name, charge) for pattern in rules.ignored):
            return False
        return not rules.patterns or unfiltered or bits.S_ISDIR(mode) or self._matches(name)

    def _matches(self, name: str) -> bool:
        return any(pattern.matches(name, self.ctx.charge) for pattern in self.rules.patterns)

    def _sort_nodes(self, nodes: list[Node]) -> list[Node]:
        rules = self.rules
        if rules.sort != "none":
            nodes.sort(key=_KEYS[rules.sort], reverse=rules.reverse)
        if rules.first:
            nodes.sort(key=lambda node: node.is_directory == (rules.first == "files"))
        return nodes


def _by_name(node: Node) -> bytes:
    return node.name.encode("utf-8", "surrogateescape")


_KEYS: dict[str, Callable[[Node], Any]] = {
    "name": _by_name,
    "version": lambda node: (version_key(node.name), _by_name(node)),
    "size": lambda node: (-node.info.size, _by_name(node)),
    "mtime": lambda node: (node.info.mtime_ns // 10**9, _by_name(node)),
    "ctime": lambda node: (node.info.ctime_ns // 10**9, _by_name(node)),
}
