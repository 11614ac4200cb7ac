"""Parses the arguments of a utility, runs it, and prints its errors."""

from __future__ import annotations

import errno
from collections.abc import Sequence

from sandhook.command.context import Context, Failure, WriteError
from sandhook.command.options import Inform, OptionError, UsageError
from sandhook.command.utility import Utility, Whole
from sandhook.kernel.signals import SIGPIPE, BrokenPipe
from sandhook.vfs.errors import TEXTS


def run_utility(utility: Utility, arguments: Sequence[str], ctx: Context) -> int:
    """Parse the arguments, run the utility, print its errors; return its exit status.

    Limits and defects propagate: no script can catch them.
    """
    ctx.check_script(max(map(len, arguments), default=0))
    try:
        return _run(utility, arguments, ctx)
    finally:
        ctx.end()


def _run(utility: Utility, arguments: Sequence[str], ctx: Context) -> int:
    try:
        try:
            if utility.raw:
                status = utility.run(None, arguments, ctx)
            else:
                in_order = "POSIXLY_CORRECT" in ctx.environment and not utility.permutes_always(ctx.program)
                options, operands = utility.syntax.parse(arguments, in_order=in_order)
                status = utility.run(options, operands, ctx)
        except UsageError as error:
            return _report_usage_error(utility, error, ctx)
        except Failure as error:
            ctx.error(str(error))
            return utility.usage_status if error.status is None else error.status
        except Inform as error:
            from sandhook.command.inform import inform

            name = ctx.name.rpartition("/")[2] if utility.base_name else ctx.name
            text = inform(utility, name, error.topic, ctx.program)
            if utility.help_on_error and error.topic == "help":
                ctx.write_error(text)
            else:
                ctx.write(text.encode())
                ctx.flush()
            return error.status
        except OSError as error:
            if error.filename:
                ctx.error(f"{error.filename}: {error.strerror}")
                return utility.usage_status
            text = utility.read_error.replace("{}", str(error.strerror))
            ctx.write_error(f"{text}\n" if isinstance(utility.read_error, Whole) else f"{ctx.name}: {text}\n")
            status = utility.read_status
        if ctx.read_closed and utility.closed_input:
            ctx.error(f"{utility.closed_input}: {TEXTS[errno.EBADF]}")
            status = status or utility.usage_status
        ctx.flush()
        return status
    except BrokenPipe:
        return 128 + SIGPIPE
    except WriteError as error:
        ctx.abandon()
        from sandhook.command.write_errors import message

        text = message(utility.write_error, error, ctx.name)
        ctx.write_error(text)
        return utility.write_status if text else utility.ignored_write_status


def _report_usage_error(utility: Utility, error: UsageError, ctx: Context) -> int:
    """Print the message and the hint to --help; return the exit status."""
    ctx.error(str(error))
    if error.hint:
        named = utility.begins_hint(ctx.program)
        ctx.error_hint(
            utility.usage,
            named=named,
            quote=utility.hint_quote,
            argp=utility.argp,
            base=utility.base_name,
        )
    if error.status is not None:
        return error.status
    return utility.option_status if isinstance(error, OptionError) else utility.usage_status
