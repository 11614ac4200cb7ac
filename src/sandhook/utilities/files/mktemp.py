"""mktemp: create a file or directory with a new name.

Oracle: GNU coreutils 9.1 (not in a standard).
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import Inform, UsageError, also, opt, option_set
from sandhook.kernel.descriptor import RandomBytes
from sandhook.text.quoting import quote_always
from sandhook.vfs.base import Device
from sandhook.vfs.errors import fs_error

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

#: The number of names that are tried.
_MAX_ATTEMPTS = 1000


@option_set
class Options:
    """mktemp [OPTION]... [TEMPLATE]

    Create a file that did not exist, and print its name. The last run of at least three X in
    TEMPLATE (tmp.XXXXXXXXXX in $TMPDIR or /tmp) is replaced.
    """

    directory: bool = opt("-d", "--directory", "create a directory")
    dry: bool = opt("-u", "--dry-run", "print a name, create nothing")
    quiet: bool = opt("-q", "--quiet", "report no errors of creation")
    parent: str | None = also(
        opt("-p", "DIR", "create it in DIR"),
        opt("--tmpdir", "DIR", "create it in DIR ($TMPDIR or /tmp)", optional=True, const=""),
    )
    suffix: str | None = opt("--suffix", "SUFFIX", "append SUFFIX to the name")
    version: bool = opt("-V", help="show the version")
    legacy: bool = opt("-t", "TEMPLATE is a name in $TMPDIR, the directory of -p or /tmp")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when nothing was created."""
    if options.version:
        raise Inform("version")
    if len(operands) > 1:
        raise UsageError("too many templates")
    template = operands[0] if operands else "tmp.XXXXXXXXXX"
    parent = options.parent
    in_tmp = options.legacy or parent is not None or not operands
    stem, suffix = _split(template, options.suffix)
    if in_tmp:
        if options.legacy and "/" in template:
            raise Failure(f"invalid template, {quote_always(template)}, contains directory separator")
        if template[:1] == "/":
            raise Failure(
                f"invalid template, {quote_always(template)}; with --tmpdir, it may not be absolute"
            )
        tmp = ctx.environment.get("TMPDIR") or ""
        directory = (tmp or parent or "/tmp") if options.legacy else (parent or tmp or "/tmp")
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
    """Return a template up to its last X, and the rest."""
    if suffix is not None:
        if template[-1:] != "X":
            raise Failure(f"with --suffix, template {quote_always(template)} must end in X")
        stem, end = template, suffix
    else:
        last = template.rfind("X")
        stem, end = template[: last + 1], template[last + 1 :]
    if "/" in end:
        raise Failure(f"invalid suffix {quote_always(end)}, contains directory separator")
    if len(stem) - len(stem.rstrip("X")) < 3:
        raise Failure(f"too few X's in template {quote_always(stem + end)}")
    return stem, end


def _make(stem: str, suffix: str, options: Options, ctx: Context) -> str:
    base = stem.rstrip("X")
    count = len(stem) - len(base)
    random_bytes = RandomBytes(ctx.budget)
    for _ in range(_MAX_ATTEMPTS):
        ctx.charge()
        name = base + "".join(_LETTERS[byte % len(_LETTERS)] for byte in random_bytes.read(count)) + suffix
        path = ctx.path(name)
        try:
            if options.dry:
                ctx.fs.stat(path, follow=False)
                continue
            if options.directory:
                ctx.fs.mkdir(path, 0o700 & ~ctx.process.umask)
            else:
                file = ctx.fs.open(
                    path, read=False, write=True, create=True, exclusive=True, mode=0o600 & ~ctx.process.umask
                )
                if not isinstance(file, Device):
                    file.close()
            return name
        except FileExistsError:
            continue
        except FileNotFoundError:
            if options.dry:
                return name
            raise
    raise fs_error(errno.EEXIST)
