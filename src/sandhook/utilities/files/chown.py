"""chown and chgrp: change the owner and group of files.

Source: POSIX.1-2024 XCU 3, chown and chgrp. Oracle: GNU coreutils 9.1. Divergence: L-CHOWN-001, the run's user is not
a superuser, and all virtual files have the same owner. A change to another owner fails with the kernel's error.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Sequence

from sandhook.command.accounts import accounts, change_owner, group_number, user_number
from sandhook.command.context import Context, Failure
from sandhook.command.operands import beneath, is_link, is_root, reason, stat_of
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.record import Record
from sandhook.text.quoting import quote_always
from sandhook.vfs.base import Stat


@option_set
class Options:
    """chown [-Rcfvh] [OWNER][:[GROUP]] FILE... | chgrp [-Rcfvh] GROUP FILE... | --reference=RFILE FILE...

    Set the owner or the group, or both, of each FILE.
    """

    recursive: bool = opt("-R", "--recursive", help="change directories and everything below them")
    report: str = also(
        opt("-v", "--verbose", help="report each file", const="all", default=""),
        opt("-c", "--changes", help="report each change", const="changes"),
    )
    quiet: bool = opt("-f", "--silent", "--quiet", help="report few errors")
    follow: bool = also(
        opt("--dereference", help="change the target of a link (default)", const=True, default=True),
        opt("-h", "--no-dereference", help="change the link itself", const=False),
    )
    walk: str = also(
        opt("-P", help="with -R, follow no links (default)", const="P", default="P"),
        opt("-H", help="with -R, follow links among the operands", const="H"),
        opt("-L", help="with -R, follow all links", const="L"),
    )
    reference: str | None = opt("--reference", "RFILE", "use this file's owner and group")
    origin: str | None = opt("--from", "OWNER:GROUP", "chown: change only their files")
    preserve_root: bool = also(
        opt("--preserve-root", help="do not change / recursively", const=True, default=False),
        opt("--no-preserve-root", help="treat / like any directory (default)", const=False),
    )


class Ownership(Record):
    """An owner and a group, -1 for no change, and their text in messages."""

    uid: int
    gid: int
    text: str


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be changed."""
    group_only = ctx.program == "chgrp"
    if group_only and options.origin is not None:
        raise UsageError("unrecognized option '--from'")
    names = list(operands)
    if not names:
        raise UsageError("missing operand")
    if options.reference is not None:
        target = _of_file(options.reference, group_only, ctx)
    else:
        text = names.pop(0)
        if not names:
            raise UsageError(f"missing operand after {quote_always(text)}")
        target = _group(text, ctx) if group_only else _owner(text, ctx)
    origin = _owner(options.origin, ctx) if options.origin is not None else Ownership(-1, -1, "")
    change = _Change(options, target, origin, group_only, ctx)
    for name in names:
        change.tree(name)
    return ctx.failed


def _of_file(name: str, group_only: bool, ctx: Context) -> Ownership:
    try:
        info = stat_of(ctx, name)
    except OSError as error:
        raise Failure(f"failed to get attributes of {quote_always(name)}: {reason(error)}") from None
    names = accounts(ctx.fs)
    group = names.group(info.gid)
    if group_only:
        return Ownership(-1, info.gid, group)
    return Ownership(info.uid, info.gid, f"{names.user(info.uid)}:{group}")


def _group(text: str, ctx: Context) -> Ownership:
    gid = group_number(ctx, text) if text else -1
    if gid is None:
        raise Failure(f"invalid group: {quote_always(text)}")
    return Ownership(-1, gid, text)


def _owner(text: str, ctx: Context) -> Ownership:
    """Parse OWNER, OWNER:GROUP, OWNER: (its login group) or :GROUP. Raises Failure."""
    owner, colon, group = text.partition(":")
    uid, login = -1, -1
    if owner:
        account = user_number(ctx, owner)
        if account is None:
            raise Failure(f"invalid {'user' if not colon or group else 'spec'}: {quote_always(text)}")
        uid, login = account
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
    return Ownership(
        uid, gid, f"{owner}:{group}" if owner and group else owner or (f":{group}" if group else "")
    )


class _Change:
    def __init__(
        self, options: Options, target: Ownership, origin: Ownership, group_only: bool, ctx: Context
    ) -> None:
        self.options = options
        self.target = target
        self.origin = origin
        self.what = "group" if group_only or (target.uid < 0 <= target.gid) else "ownership"
        self.attempt = "group" if group_only else "ownership"
        self.ctx = ctx
        self.accounts = accounts(ctx.fs)

    def tree(self, top: str) -> None:
        """Change a file; with -R, after everything below it."""
        ctx, options = self.ctx, self.options
        if options.recursive and options.preserve_root and is_root(ctx, top):
            ctx.error(f"it is dangerous to operate recursively on {quote_always(top)}")
            ctx.fail("use --no-preserve-root to override this failsafe")
            return
        pending = [(top, False)]
        seen: set[tuple[int, int]] = set()
        while pending:
            name, entries_done = pending.pop()
            ctx.charge()
            if options.recursive and not entries_done:
                entries = self._entries(name, name == top, seen)
                if entries is not None:
                    pending.append((name, True))
                    pending += [(beneath(name, entry), False) for entry in reversed(entries)]
                    continue
            self._change_file(name)

    def _entries(self, name: str, operand: bool, seen: set[tuple[int, int]]) -> list[str] | None:
        """Return the names in a directory; None for another file, or a directory that was visited before."""
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

    def _change_file(self, name: str) -> None:
        ctx, options, target = self.ctx, self.options, self.target
        try:
            info = stat_of(ctx, name, follow=options.follow)
        except OSError as error:
            ctx.failed = 1
            if not options.quiet:
                what = "dereference" if is_link(ctx, name) else "access"
                ctx.error(f"cannot {what} {quote_always(name)}: {reason(error)}")
            return
        if self.origin.uid not in (-1, info.uid) or self.origin.gid not in (-1, info.gid):
            self._report_retained(name, info)
            return
        try:
            change_owner(ctx, name, info, target.uid, target.gid)
        except OSError as error:
            ctx.failed = 1
            if not options.quiet:
                ctx.error(f"changing {self.attempt} of {quote_always(name)}: {reason(error)}")
            if options.report == "all":
                old = self._names(info.uid, info.gid)
                ctx.write_line(
                    f"failed to change {self.what} of {quote_always(name)} from {old} to {self._target_text()}"
                )
            return
        self._report_retained(name, info)

    def _target_text(self) -> str:
        return self.target.text.removeprefix(":")

    def _names(self, uid: int, gid: int) -> str:
        """Return the owner and the group that the command changes, as text."""
        user, group = self.accounts.user(uid), self.accounts.group(gid)
        if self.target.gid < 0:
            return user if self.target.uid >= 0 else ""
        return group if self.attempt == "group" else f"{user}:{group}"

    def _report_retained(self, name: str, info: Stat) -> None:
        if self.options.report == "all":
            names = self._names(info.uid, info.gid)
            self.ctx.write_line(
                f"{self.attempt} of {quote_always(name)} retained{' as ' if names else ''}{names}"
            )
