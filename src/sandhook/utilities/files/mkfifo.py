"""mkfifo: create FIFOs, which are pipes with a name.

Source: POSIX.1-2024 XCU 3, mkfifo. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.modes import Mode
from sandhook.command.operands import locate, reason
from sandhook.command.options import UsageError, opt, option_set
from sandhook.text.quoting import quote_always
from sandhook.utilities.files.security import context_option, warn_of_context


@option_set
class Options:
    """mkfifo [OPTION]... NAME...

    Create FIFOs. A reader that opens one waits for a writer, and a writer for a reader.
    """

    mode: str | None = opt("-m", "--mode", "MODE", "permission bits, as chmod's, instead of a=rw minus umask")
    context: str | None = context_option()


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a FIFO could not be created; the others are still created."""
    warn_of_context(ctx, options.context)
    if not operands:
        raise UsageError("missing operand")
    mode = permission_bits(options.mode, ctx)
    for name in operands:
        ctx.charge()
        make(name, mode, options.mode is not None, ctx)
    return ctx.failed


def permission_bits(text: str | None, ctx: Context) -> int:
    """Return the permission bits of -m, or the default ones of the umask. Raises Failure."""
    umask = ctx.process.umask
    if text is None:
        return 0o666 & ~umask
    try:
        bits = Mode(text).adjust(0o666, umask)
    except ValueError:
        raise Failure("invalid mode") from None
    if bits & ~0o777:
        raise Failure("mode must specify only file permission bits")
    return bits


def make(name: str, mode: int, exact: bool, ctx: Context) -> None:
    """Create one FIFO, or report an error."""
    try:
        path = locate(ctx, name)
        ctx.fs.mkfifo(path, mode)
        if exact:
            ctx.fs.chmod(path, mode)
    except OSError as error:
        ctx.fail(f"cannot create fifo {quote_always(name)}: {reason(error)}")
