"""flock: run a command while a file is locked, or lock an open file.

Oracle: util-linux 2.38. The files and the locks belong to the run; waiting takes virtual time.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import VERSION, UsageError, also, opt, option_set
from sandhook.kernel.descriptor import Description
from sandhook.kernel.locks import LockableDirectory
from sandhook.text.numbers import is_number
from sandhook.vfs.errors import fs_error

PERMUTE = False
USAGE_STATUS = 64

_BAD_DESCRIPTOR, _NO_FILE, _NOT_STARTED, _NO_TIMER = 65, 66, 69, 71
_POLL_SECONDS = 0.02  #: between two attempts to lock


def _seconds(text: str) -> float:
    digits = text[1:] if text[:1] in ("-", "+") else text
    if (
        not digits.replace(".", "", 1).isascii()
        or not is_number(digits.replace(".", "", 1))
        or len(digits) > 20
    ):
        raise Failure(f"invalid timeout value: '{text}'")
    if text[:1] == "-":
        raise Failure("cannot set up timer: Invalid argument", _NO_TIMER)
    return float(digits)


def _status(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise Failure(f"invalid exit code: '{text}'")
    if len(text) > 9 or int(text) > 255:
        raise Failure("exit code out of range (expected 0 to 255)")
    return int(text)


@option_set
class Options:
    """flock [OPTION]... FILE COMMAND [ARGUMENT]... | flock [OPTION]... FILE -c|--command COMMAND | flock [OPTION]... NUMBER

    Lock FILE, which is created if it is missing, and run COMMAND (with -c, by sh); or lock the open file of descriptor
    NUMBER until it is closed.
    """

    kind: str = also(
        opt("-x", "-e", "--exclusive", help="an exclusive lock (the default)", const="x", default="x"),
        opt("-s", "--shared", help="a shared lock", const="s"),
        opt("-u", "--unlock", help="remove the lock", const="u"),
    )
    nonblock: bool = opt("-n", "--nb", "--nonblock", help="do not wait, but fail")
    timeout: float | None = opt(
        "-w", "--wait", "--timeout", "SECONDS", "wait no longer than this", convert=_seconds
    )
    conflict: int = opt(
        "-E",
        "--conflict-exit-code",
        "STATUS",
        "the status if the file cannot be locked (1)",
        convert=_status,
        default=1,
    )
    close: bool = opt("-o", "--close", help="COMMAND does not inherit the open file")
    no_fork: bool = opt("-F", "--no-fork", ignored="")
    verbose: bool = opt("--verbose", help="print how long locking took")
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return the command's status, -E's when another process has the lock, or 64 to 71 after an error."""
    if not operands:
        raise UsageError("not enough arguments")
    if len(operands) == 1:
        return _descriptor(operands[0], options, ctx)
    words = list(operands[1:])
    if words[0] in ("-c", "--command"):
        if len(words) != 2:
            raise Failure("-c requires exactly one command argument")
        words = [ctx.environment.get("SHELL") or "/bin/sh", "-c", words[1]]
    description = _open(operands[0], ctx)
    try:
        if not _lock(description, options, ctx):
            return options.conflict
        if options.verbose:
            ctx.write_line(f"flock: executing {words[0]}")
        number = -1
        if not options.close:
            number = ctx.process.free_descriptor(3)
            description.retain()
            ctx.process.install(number, description)
        try:
            result = ctx.run(words)
            if result.not_started is None:
                return result.status
            ctx.report_not_started(words[0], result.not_started, "failed to execute {}")
            return _NOT_STARTED
        finally:
            if number >= 0:
                ctx.process.close(number)
    finally:
        description.release()


def _descriptor(text: str, options: Options, ctx: Context) -> int:
    if not (text.isascii() and text.isdigit()):
        raise Failure(f"bad file descriptor: '{text}'")
    if len(text) > 9:
        raise Failure(f"bad file descriptor: '{text}': Numerical result out of range")
    description = ctx.process.descriptors.get(int(text))
    if description is None:
        raise Failure(f"{int(text)}: Bad file descriptor", _BAD_DESCRIPTOR)
    return 0 if _lock(description, options, ctx) else options.conflict


def _open(name: str, ctx: Context) -> Description:
    try:
        if not name:
            raise fs_error(errno.ENOENT, name)
        if ctx.fs.is_dir(ctx.path(name)):
            info = ctx.fs.stat(ctx.path(name))
            return LockableDirectory((info.device, info.inode))
        return ctx.process.open(name, create=True)
    except OSError as error:
        raise Failure(f"cannot open lock file {name}: {reason(error)}", _NO_FILE) from None


def _lock(description: Description, options: Options, ctx: Context) -> bool:
    locks = ctx.kernel.locks
    if options.kind == "u":
        locks.release(description)
        return True
    elapsed = 0.0
    while not locks.acquire(description, exclusive=options.kind == "x"):
        ctx.charge()
        remaining = None if options.timeout is None else options.timeout - elapsed
        if options.nonblock or (remaining is not None and remaining <= 0):
            if options.verbose:
                problem = "failed to get lock" if options.nonblock else "timeout while waiting to get lock"
                ctx.error(problem)
            return False
        step = _POLL_SECONDS if remaining is None else min(_POLL_SECONDS, remaining)
        ctx.sleep(step)
        elapsed += step
    if options.verbose:
        ctx.write_line(f"flock: getting lock took {elapsed:.6f} seconds")
    return True
