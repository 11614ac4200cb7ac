"""namei: print each component of a path, and of the links in it.

Oracle: util-linux 2.38. Divergence: L-MOUNTPOINT-001, /, /dev, /proc and /sys are the only mount points.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.accounts import Accounts, accounts
from sandhook.command.context import Context
from sandhook.command.modes import mode_string
from sandhook.command.operands import reason, stat_of
from sandhook.command.options import VERSION, UsageError, opt, option_set
from sandhook.record import Record
from sandhook.vfs.base import Stat

_MAX_LINKS = 20
_MOUNTED = frozenset({"/", "/dev", "/proc", "/sys"})


@option_set
class Options:
    """namei [OPTION]... PATH...

    Print the type of each component of PATH, and follow symbolic links.
    """

    mounts: bool = opt("-x", "--mountpoints", help="the type of a mount point is D")
    modes: bool = opt("-m", "--modes", help="print permission bits")
    owners: bool = opt("-o", "--owners", help="print owners and groups")
    long: bool = opt("-l", "--long", help="like -m -o -v")
    no_links: bool = opt("-n", "--nolinks", help="do not follow symbolic links")
    vertical: bool = opt("-v", "--vertical", help="align the columns of linked components")
    version: bool = opt("-V", help="show the version", const=VERSION)


class _Node(Record):
    """One component: its name, the depth of links, and its description or the error of its look-up."""

    name: str
    level: int
    info: Stat | None
    path: str
    target: str
    error: str


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a component cannot be found."""
    if not operands:
        raise UsageError("pathname argument is missing")
    known = accounts(ctx.fs)
    for operand in operands:
        if not operand:
            ctx.failed = 1
            continue
        walk = _Walk(options, ctx)
        walk.follow("", operand, 0)
        ctx.write_line(f"f: {operand}")
        _Table(options, walk.nodes, known, ctx).print()
        if walk.has_too_many:
            ctx.fail(f"{operand}: exceeded limit of symlinks")
    return ctx.failed


class _Walk:
    """The components of one path, in ``nodes``."""

    def __init__(self, options: Options, ctx: Context) -> None:
        self._options = options
        self._ctx = ctx
        self.nodes: list[_Node] = []
        self.has_too_many = False

    def follow(self, base: str, path: str, level: int) -> bool:
        """Add the components of a path below ``base``; return False where it cannot be followed."""
        if path[:1] == "/":
            base = ""
        words = [word for word in path.split("/") if word]
        for name in ["/"] * (path[:1] == "/") + words:
            base = "/" if name == "/" else f"{base}{name}"
            if not self._component(name, base, level):
                return False
            base = base if base.endswith("/") else f"{base}/"
        return True

    def _component(self, name: str, path: str, level: int) -> bool:
        ctx = self._ctx
        ctx.charge(1 + (len(path) >> 6))
        ctx.budget.check_fits(200 * len(self.nodes))
        try:
            info = stat_of(ctx, path, follow=False)
            is_link = mode_string(info.mode)[0] == "l"
            target = ctx.fs.readlink(ctx.path(path)) if is_link else ""
        except OSError as error:
            ctx.failed = 1
            self.nodes.append(_Node(name, level, None, path, "", reason(error)))
            return False
        self.nodes.append(_Node(name, level, info, path, target, ""))
        if not is_link or self._options.no_links:
            return True
        if level >= _MAX_LINKS:
            self.has_too_many = True
            return False
        parent = path[: len(path) - len(name)]
        return self.follow(parent, target, level + 1)


class _Table:
    """Prints the components of one path."""

    def __init__(self, options: Options, nodes: list[_Node], known: Accounts, ctx: Context) -> None:
        self._nodes = nodes
        self._known = known
        self._ctx = ctx
        self._mounts = options.mounts
        self._modes = options.modes or options.long
        self._owners = options.owners or options.long
        self._vertical = options.vertical or options.long
        owners = [self._owner(node.info) for node in nodes if node.info is not None]
        self._user_width = max((len(user) for user, _ in owners), default=0)
        self._group_width = max((len(group) for _, group in owners), default=0)

    def print(self) -> None:
        """Write the lines."""
        for node in self._nodes:
            columns = self._columns(node)
            indent = "  " * node.level
            line = f"{columns} {indent}" if self._vertical else f" {indent}{columns} "
            if node.info is None:
                line += f"{node.name} - {node.error}"
            else:
                line += f"{node.name} -> {node.target}" if node.target else node.name
            self._ctx.write_line(line)

    def _owner(self, info: Stat) -> tuple[str, str]:
        return self._known.user(info.uid), self._known.group(info.gid)

    def _columns(self, node: _Node) -> str:
        info = node.info
        if info is None:
            kind, user, group = " " * (10 if self._modes else 1), "", ""
        else:
            kind = mode_string(info.mode)
            if (
                self._mounts
                and kind[0] == "d"
                and str(self._ctx.fs.realpath(self._ctx.path(node.path))) in _MOUNTED
            ):
                kind = "D" + kind[1:]
            kind = kind if self._modes else kind[0]
            user, group = self._owner(info)
        if not self._owners:
            return kind
        return f"{kind} {user:<{self._user_width}} {group:<{self._group_width}}"
