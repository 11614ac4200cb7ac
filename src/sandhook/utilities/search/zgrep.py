"""zgrep, zegrep, zfgrep, bzgrep, xzgrep and similar utilities: grep in files that may be compressed.

Oracle: gzip 1.12, bzip2 1.0.8, XZ Utils 5.4. All of them read gzip, bzip2, xz and plain files.
Divergence: L-ZGREP-001, -r and -R are errors, as in zgrep.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.operands import find, reason
from sandhook.command.options import Syntax, UsageError, split_arguments
from sandhook.command.unpacked import Unpacked
from sandhook.utilities.search import grep

RAW = True  # the options are those of grep, which receives them as typed
USAGE_STATUS = 2
Options = grep.Options
_SUFFIXES = (".gz", ".bz2", ".xz", ".lzma")


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0 when a line was selected, 1 when none was, 2 after an error."""
    program = ctx.program
    syntax = Syntax(grep.Options, numeric=getattr(grep, "NUMERIC", None))
    in_order = "POSIXLY_CORRECT" in ctx.environment and not program.startswith("bz")
    options, _operands = syntax.parse(arguments, in_order=in_order)
    words, names = split_arguments(arguments, syntax, in_order=in_order)
    if program.endswith("egrep"):
        words.insert(0, "-E")
    elif program.endswith("fgrep"):
        words.insert(0, "-F")
    if options.directories in ("recurse", "follow"):
        raise UsageError("option -r is not supported", hint=False)
    if not options.patterns and not options.pattern_files:
        if not names:
            raise UsageError("missing pattern")
        words += ["-e", names.pop(0)]
    with_names = len(names) > 1
    status = 1
    for name in names or ["-"]:
        ctx.charge()
        status = _combine(status, _search(name, words, with_names, ctx))
    return status


def _combine(first: int, second: int) -> int:
    return 2 if max(first, second) > 1 else min(first, second)


def _search(name: str, words: Sequence[str], with_names: bool, ctx: Context) -> int:
    if name != "-" and find(ctx, name) is None:
        name = next((name + suffix for suffix in _SUFFIXES if find(ctx, name + suffix) is not None), name)
    try:
        reader = ctx.open(name)
    except OSError as error:
        ctx.error(f"{name}: {reason(error)}")
        return 2
    source = Unpacked(name, reader, ctx)
    label = "(standard input)" if name == "-" else name
    try:
        status = ctx.run_command(
            ["grep", *(["-H"] if with_names else []), f"--label={label}", *words, "--", "-"], stdin=source
        )
    finally:
        source.release()
    return 2 if source.damaged else status
