"""shred: overwrite files to destroy their contents. In the virtual file system one pass is enough.

Oracle: GNU coreutils 9.1. Divergence: L-SHRED-001, a file is overwritten once, however many passes are reported.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Sequence

from sandhook.command.choices import one_of
from sandhook.command.context import Context, Failure
from sandhook.command.counts import parse_count
from sandhook.command.operands import find, reason, stat_of
from sandhook.command.options import UsageError, opt, option_set
from sandhook.command.random_source import RandomSource, only_source
from sandhook.kernel.descriptor import Description
from sandhook.text.quoting import quote_always

_BLOCK = 4096
_PASSES = 3
_MAX_PASSES = 10_000


def _passes(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise Failure(f"invalid number of passes: {quote_always(text)}")
    return min(int(text), _MAX_PASSES)


def _size(text: str) -> int:
    return parse_count(text, "file size")


@option_set
class Options:
    """shred [OPTION]... FILE...

    Overwrite each FILE, rounded up to whole blocks.
    """

    force: bool = opt("-f", "--force", help="change permissions if necessary")
    passes: int = opt(
        "-n", "--iterations", "NUMBER", "report NUMBER passes (3)", convert=_passes, default=_PASSES
    )
    source: tuple[str, ...] = opt("--random-source", "FILE", "read random bytes from FILE", append=True)
    size: int | None = opt("-s", "--size", "SIZE", "overwrite SIZE bytes", convert=_size)
    unlink: bool = opt("-u", help="remove FILE")
    remove: str | None = opt(
        "--remove",
        "HOW",
        "remove FILE; HOW: unlink, wipe or wipesync",
        convert=one_of("--remove", "unlink", "wipe", "wipesync"),
        optional=True,
        const="wipesync",
    )
    verbose: bool = opt("-v", "--verbose", help="print each pass")
    exact: bool = opt("-x", "--exact", help="do not round up to whole blocks")
    zero: bool = opt("-z", "--zero", help="end with a pass of zeros")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file cannot be overwritten."""
    if not operands:
        raise UsageError("missing file operand")
    name = only_source(options.source)
    source = RandomSource(name, ctx) if name is not None else None
    try:
        for name in operands:
            ctx.charge()
            try:
                _shred(name, options, source, ctx)
            except OSError as error:
                ctx.fail(f"{name}: failed to open for writing: {reason(error)}")
    finally:
        if source is not None:
            source.close()
    return ctx.failed


def _shred(name: str, options: Options, source: RandomSource | None, ctx: Context) -> None:
    info = stat_of(ctx, name)
    path = ctx.path(name)
    if options.force and not info.mode & 0o200:
        ctx.fs.chmod(path, info.mode & 0o777 | 0o200)
    file = ctx.process.open(name, read=False, write=True)
    try:
        if not bits.S_ISREG(info.mode):
            ctx.fail(f"{name}: invalid file type")
            return
        size = options.size if options.size is not None else info.size
        if options.size is None and not options.exact:
            size += -size % _BLOCK
        total = options.passes + options.zero
        for number in range(1, total + 1):
            ctx.charge()
            if options.verbose:
                kind = "000000" if options.zero and number == total else "random"
                ctx.error(f"{name}: pass {number}/{total} ({kind})...")
            if number == total:
                _overwrite(file, size, ctx, source, zero=options.zero)
            elif source is not None:
                _skip(source, size, ctx)
    finally:
        file.release()
    if options.unlink or options.remove:
        _remove(name, options, ctx)


def _overwrite(
    file: Description, size: int, ctx: Context, source: RandomSource | None, *, zero: bool
) -> None:
    from random import SystemRandom

    random = SystemRandom().randbytes if source is None else source.read
    while size:
        step = min(size, 65_536)
        ctx.charge(1 + (step >> 10))
        file.write(bytes(step) if zero else random(step))
        size -= step


def _skip(source: RandomSource, size: int, ctx: Context) -> None:
    """Consume the random bytes of a pass whose result the next pass overwrites."""
    while size:
        step = min(size, 65_536)
        ctx.charge(1 + (step >> 10))
        source.read(step)
        size -= step


def _remove(name: str, options: Options, ctx: Context) -> None:
    if options.verbose:
        ctx.error(f"{name}: removing")
    current = name
    base = name.rpartition("/")[2]
    if options.remove != "unlink":
        while base:
            candidate = name.removesuffix(name.rpartition("/")[2]) + "0" * len(base)
            if find(ctx, candidate, follow=False) is None:
                if options.verbose:
                    ctx.error(f"{current}: renamed to {candidate}")
                current = candidate
            base = base[:-1]
    ctx.fs.unlink(ctx.path(name))
    if options.verbose:
        ctx.error(f"{name}: removed")
