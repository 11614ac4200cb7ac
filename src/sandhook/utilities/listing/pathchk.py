"""pathchk: check whether names are valid, or portable.

Source: POSIX.1-2024 XCU 3, pathchk. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, opt, option_set
from sandhook.text.quoting import quote_always, quote_odd

PERMUTE = False
_PORTABLE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/")


@option_set
class Options:
    """pathchk [OPTION]... NAME...

    Report each NAME that is not a valid or not a portable path.
    """

    posix: bool = opt("-p", help="check for the limits and letters of all POSIX systems")
    special: bool = opt("-P", help="check for empty names and leading -")
    portability: bool = opt("--portability", help="both -p and -P")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a name is not valid or not portable."""
    if not operands:
        raise UsageError("missing operand")
    basic, special = options.posix or options.portability, options.special or options.portability
    for name in operands:
        ctx.charge()
        problem = _problem(name, basic, special, ctx)
        if problem:
            ctx.fail(problem)
    return ctx.failed


def _problem(name: str, basic: bool, special: bool, ctx: Context) -> str:
    """Return the problem of a name, "" for a valid one."""
    quoted = quote_always(name)
    parts = [part for part in name.split("/") if part]
    if special and any(part[0] == "-" for part in parts):
        return f"leading '-' in a component of file name {quoted}"
    if not name and (basic or special):
        return "empty file name"
    max_size = 256 if basic else 4096
    size = len(name.encode("utf-8", "surrogateescape"))
    if basic:
        for letter in name:
            if letter not in _PORTABLE:
                return f"nonportable character {quote_always(letter)} in file name {quoted}"
    else:
        try:
            ctx.fs.stat(ctx.path(name), follow=False) if name else _missing(name)
            return ""
        except FileNotFoundError as error:
            if not name:
                return f"{quoted}: {reason(error)}"
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG or size < max_size:
                return f"{quote_odd(name)}: {reason(error)}"
    if size >= max_size:
        return f"limit {max_size - 1} exceeded by length {size} of file name {quoted}"
    max_component = 14 if basic else 255
    for part in parts:
        size = len(part.encode("utf-8", "surrogateescape"))
        if size > max_component:
            return (
                f"limit {max_component} exceeded by length {size} of file name component {quote_always(part)}"
            )
    return ""


def _missing(name: str) -> None:
    raise FileNotFoundError(errno.ENOENT, "No such file or directory", name)
