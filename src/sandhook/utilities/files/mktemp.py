"""mktemp: make a file or directory with a new name.

Oracle: GNU coreutils 9.1 (no standard has it).
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.kernel.descriptor import RandomBytes
from sandhook.text.quoting import quote_always
from sandhook.vfs.base import Device
from sandhook.vfs.errors import fs_error

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

#: Names that are tried before mktemp gives up.
_TRIES = 1000


@option_set
class Options:
    """mktemp [-dqut] [-p DIR] [TEMPLATE]

    Make a file that did not exist, and print its name. The last run of at least three X in
    TEMPLATE (tmp.XXXXXXXXXX in $TMPDIR or /tmp) is replaced.
    """

    directory: bool = opt("-d", "--directory", "make a directory")
    dry: bool = opt("-u", "--dry-run", "print a name, make nothing")
    quiet: bool = opt("-q", "--quiet", "report no failure to make it")
    parent: str | None = also(
        opt("-p", "DIR", "make it in DIR"),
        opt("--tmpdir", "DIR", "make it in DIR ($TMPDIR or /tmp)", optional=True, const=""),
    )
    suffix: str | None = opt("--suffix", "SUFFIX", "append SUFFIX to the name")
    old: bool = opt("-t", "TEMPLATE is a name in $TMPDIR, the directory of -p or /tmp")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when nothing was made."""
    if len(operands) > 1:
        raise UsageError("too many templates")
    template = operands[0] if operands else "tmp.XXXXXXXXXX"
    parent = options.parent
    in_tmp = options.old or parent is not None or not operands
    stem, suffix = _split(template, options.suffix)
    if in_tmp:
        if options.old and "/" in template:
            raise Failure(f"invalid template, {quote_always(template)}, contains directory separator")
        if template[:1] == "/":
            raise Failure(
                f"invalid template, {quote_always(template)}; with --tmpdir, it may not be absolute"
            )
        tmp = ctx.environment.get("TMPDIR") or ""
        directory = (tmp or parent or "/tmp") if options.old else (parent or tmp or "/tmp")
        stem = f"{directory.rstrip('/') or '/'}/{stem}" if directory != "/" else f"/{stem}"
    try:
        name = _make(stem, suffix, options, ctx)
    except OSError as error:
        if not options.quiet:
            kind = "directory" if options.directory else "file"
            ctx.error(f"failed to create {kind} via template {quote_always(stem + suffix)}: {reason(error)}")
        return 1
    ctx.write_line(name)
    return 0


def _split(template: str, suffix: str | None) -> tuple[str, str]:
    """Return what stands before the end of the X, and what after."""
    if suffix is not None:
        if template[-1:] != "X":
            raise Failure(f"with --suffix, template {quote_always(template)} must end in X")
        stem, rest = template, suffix
    else:
        last = template.rfind("X")
        stem, rest = template[: last + 1], template[last + 1 :]
    if "/" in rest:
        raise Failure(f"invalid suffix {quote_always(rest)}, contains directory separator")
    if len(stem) - len(stem.rstrip("X")) < 3:
        raise Failure(f"too few X's in template {quote_always(template)}")
    return stem, rest


def _make(stem: str, suffix: str, options: Options, ctx: Context) -> str:
    base = stem.rstrip("X")
    count = len(stem) - len(base)
    chance = RandomBytes(ctx.budget)
    for _ in range(_TRIES):
        ctx.charge()
        name = base + "".join(_LETTERS[byte % len(_LETTERS)] for byte in chance.read(count)) + suffix
        path = ctx.path(name)
        try:
            if options.dry:
                ctx.fs.stat(path, follow=False)
                continue
            if options.directory:
                ctx.fs.mkdir(path, 0o700 & ~ctx.process.umask)
            else:
                made = ctx.fs.open(
                    path, read=False, write=True, create=True, exclusive=True, mode=0o600 & ~ctx.process.umask
                )
                if not isinstance(made, Device):
                    made.close()
            return name
        except FileExistsError:
            continue
        except FileNotFoundError:
            if options.dry:
                return name
            raise
    raise fs_error(errno.EEXIST)
