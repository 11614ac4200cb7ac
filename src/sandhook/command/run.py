"""Parses the arguments of a utility, runs it, and prints its errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sandhook.command.context import Context, Failure, WriteError
from sandhook.command.options import Inform, OptionError, Syntax, UsageError
from sandhook.kernel.signals import SIGPIPE, BrokenPipe


def run_utility(module: Any, arguments: Sequence[str], ctx: Context) -> int:
    """Parse the arguments, run the utility, print its errors; return its exit status.

    Limits and defects propagate: no script can catch them.
    """
    usage_status: int = getattr(module, "USAGE_STATUS", 1)
    ctx.check_script(max(map(len, arguments), default=0))
    try:
        try:
            if getattr(module, "RAW", False):
                status: int = module.run(None, arguments, ctx)
            else:
                options, operands = syntax_of(module).parse(arguments)
                status = module.run(options, operands, ctx)
        except UsageError as error:
            ctx.error(str(error))
            if error.hint:
                named, quote = getattr(module, "NAMED_HINT", False), getattr(module, "HINT_QUOTE", "'")
                if isinstance(named, frozenset):  # only some names of the module
                    named = ctx.program in named
                argp = getattr(module, "ARGP", False)
                ctx.error_hint(getattr(module, "USAGE", ""), named=named, quote=quote, argp=argp)
            if error.status is not None:
                return error.status
            if isinstance(error, OptionError):
                return getattr(
                    module, "OPTION_STATUS", 64 if getattr(module, "ARGP", False) else usage_status
                )
            return usage_status
        except Failure as error:
            ctx.error(str(error))
            return usage_status if error.status is None else error.status
        except Inform as error:
            from sandhook.command.inform import inform

            ctx.write(inform(module, ctx.name, str(error)).encode())
            ctx.flush()
            return 0
        except OSError as error:
            prefix = f"{error.filename}: " if error.filename else ""
            ctx.error(f"{prefix}{error.strerror}")
            return usage_status
        ctx.flush()
        return status
    except BrokenPipe:
        return 128 + SIGPIPE
    except WriteError as error:
        ctx.abandon()
        text: str = getattr(module, "WRITE_ERROR", "write error: {}")
        ctx.error(text.replace("{}", error.reason))
        return getattr(module, "WRITE_STATUS", usage_status)


_SYNTAXES: dict[type, Syntax] = {}


def syntax_of(module: Any) -> Syntax:
    """Return the parser of a utility's module, which is created once for each Options class."""
    options: type = module.Options
    syntax = _SYNTAXES.get(options)
    if syntax is None:
        syntax = _SYNTAXES[options] = Syntax(
            options,
            permute=getattr(module, "PERMUTE", True),
            numeric=getattr(module, "NUMERIC", None),
            digits=getattr(module, "DIGITS", None),
            negative=getattr(module, "NEGATIVE", False),
        )
    return syntax
