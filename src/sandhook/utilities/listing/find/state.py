"""The state of one run of find: its settings, the current file, and the expression's nodes."""

from __future__ import annotations

import stat as bits
from collections.abc import Callable

from sandhook.command.accounts import Accounts, accounts
from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.text.locale import characters_are_bytes
from sandhook.text.quoting import quote_escaped
from sandhook.utilities.listing.find.output import Files
from sandhook.vfs.base import Stat


class Settings:
    """Options that apply to the whole run, at any position in the expression.

    Attributes:
        deletes, prunes: Whether the expression has -delete, and -prune.
        follow: Symbolic links that are followed: "none", "operands" or "all".
        bytewise: The C locale: every byte is a character.
        now: Nanoseconds since the epoch when the run began.
        at_end: Called after the walk, to run the pending commands of -exec ... +.
        files: The files that -fprint and similar actions write to.
        names: The operand of -files0-from; None without it.
        warns: -warn is in force.
    """

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.follow = "none"
        self.maxdepth = 1 << 30
        self.mindepth = 0
        self.depth_first = False
        self.deletes = False
        self.prunes = False
        self.one_device = False
        self.daystart = False
        self.regex_type = "emacs"
        self.bytewise = characters_are_bytes(ctx.environment.get)
        self.now = int(ctx.now() * 1e9)
        self.at_end: list[Callable[[], None]] = []
        self.files = Files(ctx)
        self.names: str | None = None
        self.warns = False
        self._accounts: Accounts | None = None

    @property
    def accounts(self) -> Accounts:
        """The names of users and groups, read on first use."""
        if self._accounts is None:
            self._accounts = accounts(self.ctx.fs)
        return self._accounts


class Unknown(Exception):
    """The status of a file is needed and not available; the text names file and reason."""


class Visit:
    """One file that the walk reached.

    Attributes:
        path: As find prints it.
        top: The operand that the walk started from.
        depth: 0 for an operand.
        mode: Type and permission bits; of a link that is followed, those of its target.
    """

    __slots__ = ("depth", "info", "mode", "path", "settings", "top")

    def __init__(self, path: str, top: str, depth: int, mode: int, settings: Settings) -> None:
        self.path = path
        self.top = top
        self.depth = depth
        self.mode = mode
        self.settings = settings
        self.info: Stat | None = None

    @property
    def name(self) -> str:
        """The last component; "/" for the root."""
        return self.path.rstrip("/").rpartition("/")[2] or self.path[:1]

    def stat(self) -> Stat:
        """Return the status of the file, read once. Raises Unknown if it is not available."""
        if self.info is None:
            fs = self.settings.ctx.fs
            path = self.settings.ctx.path(self.path)
            follow = self.settings.follow == "all"
            try:
                self.info = fs.stat(path, follow=follow)
            except OSError:
                try:
                    self.info = fs.stat(path, follow=False)
                except OSError as error:
                    raise Unknown(f"{quote_escaped(self.path)}: {reason(error)}") from None
        return self.info

    def target(self) -> str:
        """Return the target of a symbolic link; "" for other files."""
        if not bits.S_ISLNK(self.mode):
            return ""
        try:
            return self.settings.ctx.fs.readlink(self.settings.ctx.path(self.path))
        except OSError:
            return ""


class Walk:
    """The state of the walk that -prune and -quit change."""

    def __init__(self, settings: Settings, expression: Node) -> None:
        self.settings = settings
        self.expression = expression
        self.pruned = False
        self.stopped = False

    def evaluate(self, visit: Visit) -> None:
        """Evaluate the expression for one file."""
        self.expression(visit, self)


#: A part of the expression: a test, an action or an operator over others.
Node = Callable[[Visit, Walk], bool]


def all_of(nodes: list[Node]) -> Node:
    """Return a node that is true if all are; the first false one ends the evaluation."""
    if len(nodes) == 1:
        return nodes[0]

    def evaluate(visit: Visit, walk: Walk) -> bool:
        return all(not walk.stopped and node(visit, walk) for node in nodes)

    return evaluate


def any_of(nodes: list[Node]) -> Node:
    """Return a node that is true if one is; the first true one ends the evaluation."""
    if len(nodes) == 1:
        return nodes[0]

    def evaluate(visit: Visit, walk: Walk) -> bool:
        for node in nodes:
            if walk.stopped:
                return False
            if node(visit, walk):
                return True
        return False

    return evaluate


def last_of(nodes: list[Node]) -> Node:
    """Return a node that evaluates all, and has the value of the last one."""
    if len(nodes) == 1:
        return nodes[0]

    def evaluate(visit: Visit, walk: Walk) -> bool:
        value = False
        for node in nodes:
            if walk.stopped:
                return False
            value = node(visit, walk)
        return value

    return evaluate


def guard(node: Node) -> Node:
    """Return a node that reports a file without available status, and is false for it."""

    def evaluate(visit: Visit, walk: Walk) -> bool:
        try:
            return node(visit, walk)
        except Unknown as unknown:
            walk.settings.ctx.fail(str(unknown))
            return False

    return evaluate


def negate(node: Node) -> Node:
    """Return a node that is true when the other is not."""
    return lambda visit, walk: not node(visit, walk)
