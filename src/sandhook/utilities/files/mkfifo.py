"""mkfifo: make FIFOs: pipes with a name.

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
    """mkfifo [-Z] [-m MODE] NAME...

    Make FIFOs. Who opens one for reading waits for a writer, and the other way round.
    """

    mode: str | None = opt("-m", "--mode", "MODE", "permission bits, as chmod's, instead of a=rw minus umask")
    context: str | None = context_option()


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when one could not be made; the others are made nevertheless."""
    warn_of_context(ctx, options.context)
    if not operands:
        raise UsageError("missing operand")
    mode = permission_bits(options.mode, ctx)
    for name in operands:
        ctx.charge()
        make(name, mode, options.mode is not None, ctx)
    return ctx.failed


def permission_bits(text: str | None, ctx: Context) -> int:
    """Return the bits that -m asks for, or what the umask leaves. Raises Failure."""
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
    """Make one FIFO, or report why not."""
    try:
        path = locate(ctx, name)
        ctx.fs.mkfifo(path, mode)
        if exact:
            ctx.fs.chmod(path, mode)
    except OSError as error:
        ctx.fail(f"cannot create fifo {quote_always(name)}: {reason(error)}")
