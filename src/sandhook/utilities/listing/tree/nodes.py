"""What tree lists: directories read into nodes, chosen and ordered by the options."""

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
    """Which names are listed, and in which order."""

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
        target: Where a link leads to.
        below: What a directory holds; None for what was not gone into.
        note: Why it was not gone into.
        chosen: It is a directory whose name a pattern chose (--matchdirs).
        free: Patterns choose nothing in it, for it or one above was chosen.
        total: Bytes of it and of all below it.
    """

    __slots__ = ("below", "chosen", "free", "info", "name", "note", "path", "target", "total")

    def __init__(self, name: str, path: str, info: Stat, target: str | None = None) -> None:
        self.name = name
        self.path = path
        self.info = info
        self.target = target
        self.below: list[Node] | None = None
        self.note = ""
        self.chosen = self.free = False
        self.total = info.size

    @property
    def is_directory(self) -> bool:
        return bits.S_ISDIR(self.info.mode)


def patterns(texts: Sequence[str], nocase: bool) -> tuple[Pattern, ...]:
    """Compile the arguments of -P or -I, whose alternatives stand between "|"."""
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
        """Fill a directory with all below it, and then leave out what is empty with --prune."""
        pending = [(top, 1)]
        order: list[Node] = []
        seen: set[tuple[int, int]] = {(top.info.device, top.info.inode)}
        while pending:
            node, depth = pending.pop()
            order.append(node)
            node.below = []
            for child in self._entries(node, depth == 1):
                node.below.append(child)
                if self._enters(child, top, depth, seen):
                    pending.append((child, depth + 1))
        for node in reversed(order):
            assert node.below is not None
            if self.rules.prune:
                node.below = [
                    each for each in node.below if not each.is_directory or each.below or each.chosen
                ]
            node.below = self._sorted(node.below)
            node.total += sum([each.total for each in node.below])

    def _enters(self, child: Node, top: Node, depth: int, seen: set[tuple[int, int]]) -> bool:
        rules = self.rules
        place = (child.info.device, child.info.inode)
        if child.target is not None and rules.follow and self.ctx.fs.is_dir(self.ctx.path(child.path)):
            there = self.ctx.fs.stat(self.ctx.path(child.path))
            place = (there.device, there.inode)
            if place in seen:
                child.note = "recursive, not followed"
                return False
        elif not child.is_directory:
            return False
        if depth >= min(rules.level, MAX_DEPTH) or (rules.one_device and place[0] != top.info.device):
            return False
        seen.add(place)
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
        found = []
        for entry in entries:
            if (entry.name[0] == "." and not rules.hidden) or not self._wanted(
                entry.name, entry.mode, node.free
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
            child.chosen = rules.match_directories and is_directory and self._matches(entry.name)
            child.free = node.free or child.chosen
            found.append(child)
        if rules.limit and len(found) > rules.limit:
            node.note = f"{len(found)} entries exceeds filelimit, not opening dir"
            ctx.failed = 2
            return []
        return found

    def _wanted(self, name: str, mode: int, free: bool) -> bool:
        rules, charge = self.rules, self.ctx.charge
        if any(pattern.matches(name, charge) for pattern in rules.ignored):
            return False
        return not rules.patterns or free or bits.S_ISDIR(mode) or self._matches(name)

    def _matches(self, name: str) -> bool:
        return any(pattern.matches(name, self.ctx.charge) for pattern in self.rules.patterns)

    def _sorted(self, nodes: list[Node]) -> list[Node]:
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
