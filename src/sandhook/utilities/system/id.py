"""id: print user and group numbers and names.

Source: POSIX.1-2024 XCU 3, id. Oracle: GNU coreutils 9.1. The user is the owner of /proc/self in the file system; names
come from /etc/passwd and /etc/group.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.accounts import accounts, current_user, groups_of, look_up
from sandhook.command.context import Context, Failure
from sandhook.command.options import opt, option_set
from sandhook.text.quoting import quote_always


@option_set
class Options:
    """id [OPTION]... [USER]...

    Print numbers and names of USER, or of the user of this process.
    """

    user: bool = opt("-u", "--user", "only the user's number")
    group: bool = opt("-g", "--group", "only the group's number")
    groups: bool = opt("-G", "--groups", "the numbers of all groups")
    name: bool = opt("-n", "--name", "names instead of numbers, with -u, -g or -G")
    real: bool = opt("-r", "--real", "the real user or groups, which are the same, with -u, -g or -G")
    zero: bool = opt("-z", "--zero", "end with NUL instead of a newline, with -u, -g or -G")
    context: bool = opt("-Z", "--context", help="the security context: an error, as there are no contexts")
    all_: bool = opt("-a", ignored="")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 for an unknown user."""
    if options.context:
        raise Failure("--context (-Z) works only on an SELinux-enabled kernel")
    count = options.user + options.group + options.groups
    if count > 1:
        raise Failure('cannot print "only" of more than one choice')
    if not count and (options.name or options.real):
        raise Failure("cannot print only names or real IDs in default format")
    if not count and options.zero:
        raise Failure("option --zero not permitted in default format")
    if not operands:
        uid, gid = current_user(ctx)
        _print(options, uid, gid, accounts(ctx.fs).user(uid), ctx)
    for name in operands:
        ctx.charge()
        account = look_up(name, ctx)
        if account is None:
            ctx.fail(f"{quote_always(name)}: no such user")
        else:
            _print(options, *account, ctx)
    return ctx.failed


def _print(options: Options, uid: int, gid: int, user: str, ctx: Context) -> None:
    names = accounts(ctx.fs)
    end = b"\0" if options.zero else b"\n"
    if options.user:
        text = names.user(uid) if options.name else str(uid)
    elif options.group:
        text = names.group(gid) if options.name else str(gid)
    elif options.groups:
        separator = "\0" if options.zero else " "
        groups = groups_of(user, gid, ctx)
        text = separator.join(names.group(number) if options.name else str(number) for number in groups)
    else:
        groups = groups_of(user, gid, ctx)
        group_list = ",".join(_with_name(number, names.groups) for number in groups)
        text = f"uid={_with_name(uid, names.users)} gid={_with_name(gid, names.groups)} groups={group_list}"
    ctx.write(text.encode("utf-8", "surrogateescape") + end)


def _with_name(number: int, names: dict[int, str]) -> str:
    return f"{number}({names[number]})" if number in names else str(number)
