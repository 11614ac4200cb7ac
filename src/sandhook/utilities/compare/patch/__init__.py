"""patch: apply the output of diff to files.

Source: POSIX.1-2024 XCU 3, patch. Oracle: GNU patch 2.7.6 without a terminal, which answers every question with
its default.
Divergence: L-PATCH-001, ed scripts, --merge, -D, -Z, -T, -V, -g and --verbose are not offered.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError
from sandhook.utilities.compare.patch.files import CUT, Outcome, Patcher
from sandhook.utilities.compare.patch.options import Options
from sandhook.utilities.compare.patch.parse import Parser
from sandhook.utilities.compare.sides import split_lines

USAGE_STATUS = 2
NAMED_HINT = True
WRITE_ERROR = {"": "**** write error : {}", "EBADF": "**** Failed to duplicate standard output : {}"}


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 when a hunk was rejected, 2 after an error."""
    if len(operands) > 2:
        raise UsageError(f"{operands[2]}: extra operand")
    name = operands[1] if len(operands) > 1 else options.input
    previous_directory = ctx.process.cwd
    if options.directory is not None:
        try:
            directory = ctx.fs.realpath(ctx.path(options.directory))
        except OSError as error:
            raise Failure(f"**** Can't change to directory {options.directory} : {reason(error)}") from None
        if not ctx.fs.is_dir(directory):
            raise Failure(f"**** Can't change to directory {options.directory} : Not a directory")
        if name not in (None, "-") and name[:1] != "/":
            name = str(ctx.path(name or ""))
        ctx.process.cwd = directory
    try:
        return _apply_all(options, operands[0] if operands else None, name or "-", ctx)
    finally:
        ctx.process.cwd = previous_directory


def _apply_all(options: Options, target: str | None, name: str, ctx: Context) -> int:
    try:
        with ctx.open(name) as reader:
            data = reader.read_all()
    except OSError as error:
        if name == "-":
            raise Failure(
                f"**** {'read error' if error.errno == errno.EISDIR else 'fstat'} : {reason(error)}"
            ) from None
        raise Failure(f"**** Can't open patch file {name} : {reason(error)}") from None
    ctx.budget.check_fits(3 * len(data) + 150 * data.count(b"\n"))
    parser = Parser(split_lines(data, ctx.charge), options.kind, ctx.charge, file_known=target is not None)
    patcher = Patcher(options, target, ctx)
    outcome = Outcome.GOOD
    has_patches = False
    try:
        while (patch := parser.next()) is not None:
            has_patches = True
            outcome = max(outcome, patcher.apply(patch))
            ctx.flush()
        if parser.reaches_cut():
            ctx.write_line(CUT)
    finally:
        patcher.finish()
    if not has_patches and data:
        raise Failure("**** Only garbage was found in the patch input.")
    return int(outcome)
