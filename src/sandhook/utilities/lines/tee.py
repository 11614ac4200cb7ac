"""tee: copy standard input to standard output and to files.

Source: POSIX.1-2024 XCU 3, tee. Oracle: GNU coreutils 9.1. There is no SIGINT to ignore, so -i has no effect. A pipe
without readers ends tee, unless -p or --output-error is used.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

from sandhook.command.choices import one_of
from sandhook.command.context import Context, WriteError
from sandhook.command.options import also, opt, option_set
from sandhook.kernel.descriptor import Description
from sandhook.kernel.signals import BrokenPipe
from sandhook.text.quoting import quote_odd
from sandhook.vfs.errors import error_text

READ_ERROR = "read error: {}"
CLOSED_INPUT = "standard input"


@option_set
class Options:
    """tee [OPTION]... [FILE]...

    Copy standard input to standard output and to each FILE.
    """

    append: bool = opt("-a", "--append", help="append to the FILEs instead of replacing them")
    ignore_interrupts: bool = opt("-i", "--ignore-interrupts", ignored="")
    pipes: str | None = also(
        opt("-p", help="continue when a pipe has no readers", const="warn-nopipe", default=None),
        opt("--output-error", "MODE", "warn, warn-nopipe, exit or exit-nopipe", optional=True, const="warn-nopipe",
            convert=one_of("--output-error", "warn", "warn-nopipe", "exit", "exit-nopipe")),
    )  # fmt: skip


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be written; the other files are still written."""
    files: list[tuple[str, Description]] = []
    stdout_open = True
    try:
        for name in operands:
            try:
                files.append((name, ctx.create(name, append=options.append)))
            except OSError as error:
                ctx.fail(f"{quote_odd(name)}: {error_text(error)}")
                if (options.pipes or "").startswith("exit"):
                    return ctx.failed
        with ctx.stdin_reader() as reader:
            for data in reader.chunks():
                stdout_open = stdout_open and _write_stdout(data, ctx, options.pipes)
                if not (stdout_open or files) or (ctx.failed and options.pipes in ("exit", "exit-nopipe")):
                    break
                for entry in files[:]:
                    try:
                        entry[1].write(data)
                    except OSError as error:
                        ctx.fail(f"{quote_odd(entry[0])}: {error_text(error)}")
                        files.remove(entry)
                        entry[1].release()
    finally:
        for _, file in files:
            file.release()
    return ctx.failed


def _write_stdout(data: bytes, ctx: Context, pipes: str | None) -> bool:
    """Write to standard output; return False if that failed."""
    try:
        ctx.write(data)
        ctx.flush()
    except BrokenPipe:
        if pipes is None:
            raise
        reason, code = "Broken pipe", errno.EPIPE
    except WriteError as error:
        reason, code = error.reason, error.code
    else:
        return True
    if code != errno.EPIPE or pipes in ("warn", "exit"):
        ctx.fail(f"'standard output': {reason}")
    return False
