"""zdiff, zcmp, bzdiff, bzcmp, xzdiff, xzcmp: compare files that may be compressed.

Oracle: gzip 1.12, bzip2 1.0.8, XZ Utils 5.4. All of them read gzip, bzip2, xz and plain files.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import Syntax, UsageError, split_arguments
from sandhook.command.unpacked import Unpacked
from sandhook.formats.compressed import kind_of
from sandhook.utilities.compare import cmp
from sandhook.utilities.compare.diff.options import Options

RAW = True  # the options are those of the program that compares, which receives them as typed
USAGE_STATUS = 2
PROGRAMS = dict.fromkeys(("bzcmp", "xzcmp", "zcmp"), cmp.Options)
_SUFFIXES = (".gz", ".bz2", ".xz", ".lzma", ".Z", ".z", "-gz")
_SECOND = 5  #: the descriptor of the second file


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0 for files with the same content, 1 for others, 2 after an error."""
    program = "cmp" if ctx.program in PROGRAMS else "diff"
    syntax = Syntax(PROGRAMS.get(ctx.program, Options))
    syntax.parse(arguments)
    words, names = split_arguments(arguments, syntax)
    if len(names) == 1:
        uncompressed = next(
            (names[0].removesuffix(suffix) for suffix in _SUFFIXES if names[0].endswith(suffix)), None
        )
        if uncompressed is None:
            raise Failure(f"{names[0]}: unknown compressed file name suffix")
        names.append(uncompressed)
    if len(names) != 2:
        raise UsageError(
            "invalid number of operands; expected 1 or 2" if names else "missing operand",
            hint=bool(not names),
        )
    first, second = (_source(name, ctx) for name in names)
    process = ctx.process
    operands = [names[0], names[1]]
    if first is not None:
        operands[0] = "-"
    if second is not None:
        operands[1] = f"/dev/fd/{_SECOND}"
        previous = process.descriptors.get(_SECOND)
        process.descriptors[_SECOND] = second
    try:
        status = ctx.run_command([program, *words, "--", *operands], stdin=first)
    finally:
        for source in (first, second):
            if source is not None:
                source.release()
        if second is not None:
            if previous is None:
                del process.descriptors[_SECOND]
            else:
                process.descriptors[_SECOND] = previous
    return 2 if any(source is not None and source.damaged for source in (first, second)) else status


def _source(name: str, ctx: Context) -> Unpacked | None:
    """Return the uncompressed content of a compressed file; None for any other file."""
    if name == "-":
        return Unpacked(name, ctx.stdin_reader(), ctx)
    try:
        with ctx.open(name) as reader:
            head = reader.read(6)
    except OSError as error:
        raise Failure(f"{name}: {reason(error)}") from None
    return Unpacked(name, ctx.open(name), ctx) if kind_of(head) else None
