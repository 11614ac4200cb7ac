"""touch: change the times of files, or create empty files.

Source: POSIX.1-2024 XCU 3, touch. Oracle: GNU coreutils 9.1 (-d with free text and -h are GNU's).
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

from sandhook.command.choices import one_of
from sandhook.command.context import Context, Failure
from sandhook.command.operands import find, locate, reason, stat_of
from sandhook.command.options import UsageError, opt, option_set
from sandhook.dates.parse import BadDate, parse_date
from sandhook.dates.stamp import parse_stamp
from sandhook.text.quoting import quote_always
from sandhook.vfs.errors import fs_error

Times = tuple[int, int]


@option_set
class Options:
    """touch [OPTION]... FILE...

    Set the access and modification times of each FILE to the current time; create missing files.
    """

    access: bool = opt("-a", "change only the access time")
    no_create: bool = opt("-c", "--no-create", "do not create files")
    date: str | None = opt("-d", "--date", "DATE", "use this time, in the format of date -d")
    no_follow: bool = opt("-h", "--no-dereference", "change a symbolic link itself")
    modification: bool = opt("-m", "change only the modification time")
    reference: str | None = opt("-r", "--reference", "FILE", "use this file's times")
    stamps: tuple[str, ...] = opt("-t", "STAMP", "use [[CC]YY]MMDDhhmm[.ss]", append=True)
    which: str | None = opt(
        "--time",
        "WORD",
        "access, atime or use like -a; modify or mtime like -m",
        convert=one_of("--time", "atime access use", "mtime modify"),
    )
    ignored: bool = opt("-f", ignored="")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be touched."""
    now = int(ctx.now() * 1e9)
    stamp = _stamp(options.stamps, now, ctx)
    if stamp is not None and (options.date is not None or options.reference is not None):
        raise UsageError("cannot specify times from more than one source")
    access = options.access or options.which == "atime"
    modification = options.modification or options.which == "mtime"
    times = _times(options, stamp, now, ctx)
    if not operands:
        raise UsageError("missing file operand")
    for name in operands:
        ctx.charge()
        if name == "-":
            continue  # standard output, which has no times
        try:
            _touch(ctx, name, options, times, access or not modification, modification or not access)
        except OSError as error:
            if options.no_create and error.errno == errno.ENOENT:
                continue
            is_known = options.no_follow or _exists(ctx, name.rstrip("/") or name)
            if name.endswith("/") and error.errno == errno.EISDIR:
                # The system does not create such a name, and GNU's touch then sets the times of what is missing.
                is_known, error = True, fs_error(errno.ENOENT, name)
            verb = "setting times of" if is_known else "cannot touch"
            ctx.fail(f"{verb} {quote_always(name)}: {reason(error)}")
    return ctx.failed


def _exists(ctx: Context, name: str) -> bool:
    try:
        return find(ctx, name, follow=False) is not None
    except OSError:
        return False


def _stamp(texts: Sequence[str], now: int, ctx: Context) -> int | None:
    """Return the time of the last -t. Each is checked, before all else. Raises Failure."""
    stamp = None
    for text in texts:
        try:
            stamp = parse_stamp(text, now, ctx.environment.get("TZ"))
        except BadDate:
            raise Failure(f"invalid date format '{text}'") from None
    return stamp


def _times(options: Options, stamp: int | None, now: int, ctx: Context) -> Times:
    """Return the access and the modification time in nanoseconds."""
    zone = ctx.environment.get("TZ")
    times = (now, now)
    if options.reference is not None:
        try:
            info = stat_of(ctx, options.reference, follow=not options.no_follow)
        except OSError as error:
            raise Failure(f"failed to get attributes of '{options.reference}': {reason(error)}") from None
        times = (info.atime_ns, info.mtime_ns)
    try:
        if stamp is not None:
            times = (stamp, stamp)
        if options.date is not None:
            times = (parse_date(options.date, times[0], zone), parse_date(options.date, times[1], zone))
    except BadDate:
        raise Failure(f"invalid date format '{options.date}'") from None
    return times


def _touch(ctx: Context, name: str, options: Options, times: Times, access: bool, modification: bool) -> None:
    path = locate(ctx, name)
    info = find(ctx, name, follow=not options.no_follow)
    if info is None:
        if options.no_create:
            return
        if options.no_follow:
            raise FileNotFoundError(2, "No such file or directory")
        ctx.process.open(name, read=False, write=True, create=True).release()
        info = stat_of(ctx, name)
    ctx.fs.utime(
        path,
        times[0] if access else info.atime_ns,
        times[1] if modification else info.mtime_ns,
        follow=not options.no_follow,
    )
