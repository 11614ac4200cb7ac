"""mknod: create FIFOs. Devices cannot be created.

Oracle: GNU coreutils 9.1, run by a user who is not root.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import locate, reason
from sandhook.command.options import UsageError, opt, option_set
from sandhook.text.quoting import quote_always
from sandhook.utilities.files.mkfifo import permission_bits
from sandhook.utilities.files.security import context_option, warn_of_context

_DEVICES = "Special files require major and minor device numbers."


@option_set
class Options:
    """mknod [OPTION]... NAME TYPE [MAJOR MINOR]

    Create a FIFO.
    """

    mode: str | None = opt("-m", "--mode", "MODE", "permission bits, instead of a=rw minus umask")
    context: str | None = context_option()


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when the FIFO cannot be created."""
    warn_of_context(ctx, options.context)
    if not operands:
        raise UsageError("missing operand")
    kind = operands[1][:1] if len(operands) > 1 else ""
    expected = 2 if kind == "p" or len(operands) < 2 else 4
    if len(operands) < expected:
        explanation = f"\n{_DEVICES}" if len(operands) == 2 else ""
        raise UsageError(f"missing operand after {quote_always(operands[-1])}{explanation}")
    if len(operands) > expected:
        explanation = (
            "\nFifos do not have major and minor device numbers."
            if expected == 2 and len(operands) == 4
            else ""
        )
        raise UsageError(f"extra operand {quote_always(operands[expected])}{explanation}")
    if kind not in ("p", "b", "c", "u"):
        raise UsageError(f"invalid device type {quote_always(operands[1])}")
    mode = permission_bits(options.mode, ctx)
    if kind != "p":
        raise Failure(f"{operands[0]}: Operation not permitted")
    try:
        path = locate(ctx, operands[0])
        ctx.fs.mkfifo(path, mode)
        ctx.fs.chmod(path, mode)
    except OSError as error:
        raise Failure(f"{operands[0]}: {reason(error)}") from None
    return 0
