"""chown and chgrp: change the owner and group of files.

Source: POSIX.1-2024 XCU 3, chown and chgrp. Oracle: GNU coreutils 9.1. Divergence: L-CHOWN-001, the run's
user is no superuser, and the virtual files have one owner: everything but what is so already is refused,
as the kernel refuses it.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Sequence

from sandhook.command.accounts import accounts, change_owner, group_number, user_number
from sandhook.command.context import Context, Failure
from sandhook.command.operands import beneath, reason, stat_of
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.record import Record
from sandhook.text.quoting import quote_always
from sandhook.vfs.base import Stat


@option_set
class Options:
    """chown [-Rcfvh] [OWNER][:[GROUP]] FILE... | chgrp [-Rcfvh] GROUP FILE... | --reference=RFILE FILE...

    Give each FILE to OWNER, to GROUP, or to both.
    """

    recursive: bool = opt("-R", "--recursive", help="directories with all below them")
    report: str = also(
        opt("-v", "--verbose", help="say what was done to each file", const="all", default=""),
        opt("-c", "--changes", help="say what was changed", const="changes"),
    )
    quiet: bool = opt("-f", "--silent", "--quiet", help="report few errors")
    follow: bool = also(
        opt("--dereference", help="change what a link leads to (default)", const=True, default=True),
        opt("-h", "--no-dereference", help="change the link itself", const=False),
    )
    walk: str = also(
        opt("-P", help="with -R, follow no links (default)", const="P", default="P"),
        opt("-H", help="with -R, follow links among the operands", const="H"),
        opt("-L", help="with -R, follow all links", const="L"),
    )
    reference: str | None = opt("--reference", "RFILE", "use this file's owner and group")
    origin: str | None = opt("--from", "OWNER:GROUP", "chown: change files of these alone")
    preserve_root: bool = also(
        opt("--preserve-root", help="do not work on / recursively", const=True, default=False),
        opt("--no-preserve-root", help="work on / like on any directory (default)", const=False),
    )


class Wanted(Record):
    """Owner and group to give, -1 for as it is, and how messages write them."""

    uid: int
    gid: int
    shown: str


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be given away."""
    group_only = ctx.program == "chgrp"
    if group_only and options.origin is not None:
        raise UsageError("unrecognized option '--from'")
    rest = list(operands)
    if not rest:
        raise UsageError("missing operand")
    if options.reference is not None:
        wanted = _of_file(options.reference, group_only, ctx)
    else:
        text = rest.pop(0)
        if not rest:
            raise UsageError(f"missing operand after {quote_always(text)}")
        wanted = _group(text, ctx) if group_only else _owner(text, ctx)
    origin = _owner(options.origin, ctx) if options.origin is not None else Wanted(-1, -1, "")
    change = _Change(options, wanted, origin, group_only, ctx)
    for name in rest:
        change.tree(name)
    return ctx.failed


def _of_file(name: str, group_only: bool, ctx: Context) -> Wanted:
    try:
        info = stat_of(ctx, name)
    except OSError as error:
        raise Failure(f"failed to get attributes of {quote_always(name)}: {reason(error)}") from None
    known = accounts(ctx.fs)
    group = known.group(info.gid)
    if group_only:
        return Wanted(-1, info.gid, group)
    return Wanted(info.uid, info.gid, f"{known.user(info.uid)}:{group}")


def _group(text: str, ctx: Context) -> Wanted:
    gid = group_number(ctx, text) if text else -1
    if gid is None:
        raise Failure(f"invalid group: {quote_always(text)}")
    return Wanted(-1, gid, text)


def _owner(text: str, ctx: Context) -> Wanted:
    """Read OWNER, OWNER:GROUP, OWNER: (its login group) or :GROUP. Raises Failure."""
    owner, colon, group = text.partition(":")
    uid, login = -1, -1
    if owner:
        found = user_number(ctx, owner)
        if found is None:
            raise Failure(f"invalid {'user' if not colon or group else 'spec'}: {quote_always(text)}")
        uid, login = found
    gid = -1
    if group:
        number = group_number(ctx, group)
        if number is None:
            raise Failure(f"invalid group: {quote_always(text)}")
        gid = number
    elif colon and owner:
        if login < 0:
            raise Failure(f"invalid spec: {quote_always(text)}")
        gid = login
        group = accounts(ctx.fs).group(login)
    return Wanted(
        uid, gid, f"{owner}:{group}" if owner and group else owner or (f":{group}" if group else "")
    )


class _Change:
    def __init__(
        self, options: Options, wanted: Wanted, origin: Wanted, group_only: bool, ctx: Context
    ) -> None:
        self.options = options
        self.wanted = wanted
        self.origin = origin
        self.what = "group" if group_only or (wanted.uid < 0 <= wanted.gid) else "ownership"
        self.attempt = "group" if group_only else "ownership"
        self.ctx = ctx
        self.known = accounts(ctx.fs)

    def tree(self, top: str) -> None:
        """Change a file, and with -R first all below it."""
        ctx, options = self.ctx, self.options
        if options.recursive and options.preserve_root and self._is_root(top):
            ctx.error(f"it is dangerous to operate recursively on {quote_always(top)}")
            ctx.fail("use --no-preserve-root to override this failsafe")
            return
        pending = [(top, False)]
        seen: set[tuple[int, int]] = set()
        while pending:
            name, left = pending.pop()
            ctx.charge()
            if options.recursive and not left:
                below = self._below(name, name == top, seen)
                if below is not None:
                    pending.append((name, True))
                    pending += [(beneath(name, entry), False) for entry in reversed(below)]
                    continue
            self._one(name)

    def _is_root(self, name: str) -> bool:
        path = self.ctx.path(name)
        return self.ctx.fs.is_dir(path) and self.ctx.fs.realpath(path) == "/"

    def _below(self, name: str, operand: bool, seen: set[tuple[int, int]]) -> list[str] | None:
        """Return the names in a directory, or None for other files and directories that were seen before."""
        follow = self.options.walk == "L" or (self.options.walk == "H" and operand)
        try:
            info = stat_of(self.ctx, name, follow=follow)
            if not bits.S_ISDIR(info.mode) or (info.device, info.inode) in seen:
                return None
            seen.add((info.device, info.inode))
            return [entry.name for entry in self.ctx.fs.listdir(self.ctx.path(name))]
        except OSError as error:
            if not isinstance(error, FileNotFoundError) and not self.options.quiet:
                self.ctx.fail(f"cannot read directory {quote_always(name)}: {reason(error)}")
            return None

    def _one(self, name: str) -> None:
        ctx, options, wanted = self.ctx, self.options, self.wanted
        try:
            info = stat_of(ctx, name, follow=options.follow)
        except OSError as error:
            ctx.failed = 1
            if not options.quiet:
                what = "dereference" if self._is_link(name) else "access"
                ctx.error(f"cannot {what} {quote_always(name)}: {reason(error)}")
            return
        if self.origin.uid not in (-1, info.uid) or self.origin.gid not in (-1, info.gid):
            self._retained(name, info)
            return
        try:
            change_owner(ctx, name, info, wanted.uid, wanted.gid)
        except OSError as error:
            ctx.failed = 1
            if not options.quiet:
                ctx.error(f"changing {self.attempt} of {quote_always(name)}: {reason(error)}")
            if options.report == "all":
                old = self._names(info.uid, info.gid)
                ctx.write_line(
                    f"failed to change {self.what} of {quote_always(name)} from {old} to {self._goal()}"
                )
            return
        self._retained(name, info)

    def _is_link(self, name: str) -> bool:
        try:
            return bits.S_ISLNK(stat_of(self.ctx, name, follow=False).mode)
        except OSError:
            return False

    def _goal(self) -> str:
        return self.wanted.shown.removeprefix(":")

    def _names(self, uid: int, gid: int) -> str:
        """Return owner and group as far as they were asked for."""
        user, group = self.known.user(uid), self.known.group(gid)
        if self.wanted.gid < 0:
            return user if self.wanted.uid >= 0 else ""
        return group if self.attempt == "group" else f"{user}:{group}"

    def _retained(self, name: str, info: Stat) -> None:
        if self.options.report == "all":
            shown = self._names(info.uid, info.gid)
            self.ctx.write_line(
                f"{self.attempt} of {quote_always(name)} retained{' as ' if shown else ''}{shown}"
            )
