"""Utilities that are not of this package: what their code raises becomes one line and an exit status."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence

from sandhook.command.context import Context, Failure, WriteError
from sandhook.command.options import Inform, UsageError
from sandhook.command.utility import Declaration
from sandhook.errors import LimitExceeded
from sandhook.typed import Any

#: The most characters of the text of an exception that a script sees.
_LONGEST_MESSAGE = 500

#: What ``run_utility`` reports by itself, and what ends the run.
_REPORTED = (UsageError, Inform, Failure, WriteError, OSError, LimitExceeded, MemoryError)


class ForeignUtility:
    """A module or an object of a caller or of an installed package, as a declaration.

    Its code may raise anything, and a script may not end with an internal error for it.
    """

    def __init__(self, declaration: Declaration) -> None:
        self._declaration = declaration
        self.__doc__ = declaration.__doc__

    def __getattr__(self, name: str) -> object:
        return getattr(self._declaration, name)

    def run(self, options: Any, operands: Sequence[str], ctx: Context) -> int:
        """Run the utility and return its exit status."""
        return status_of(lambda: self._declaration.run(options, operands, ctx), ctx)


def is_foreign(declaration: object) -> bool:
    """Return True for a module or an object that is not of this package: in its own, an exception is a defect."""
    name = getattr(declaration, "__name__", declaration.__class__.__module__)
    return not str(name).startswith("sandhook.")


def fault_of(declaration: object) -> str | None:
    """Return why an object cannot be a utility; None if it can."""
    if not callable(getattr(declaration, "run", None)):
        return "it has no function run(options, operands, ctx)"
    options = getattr(declaration, "Options", None)
    if not getattr(declaration, "RAW", False) and not hasattr(options, "_declared"):
        return "it has no class Options made by @option_set, and is not RAW"
    return None


def status_of(call: Callable[[], object], ctx: Context) -> int:
    """Return the exit status of code that is not of this package.

    None is 0, and text is written to standard output. An exception, and another result, is one line on standard error
    and the status 1. A limit of the run passes through, whatever the code catches.
    """
    try:
        status = _status(call(), ctx)
    except _REPORTED:
        raise
    except SystemExit as leaving:
        if leaving.code is None or isinstance(leaving.code, int):
            status = (leaving.code or 0) & 0xFF
        else:
            ctx.error(_one_line(str(leaving.code)))
            status = 1
    except Exception as error:
        ctx.error(f"{error.__class__.__name__}: {_one_line(str(error))}".removesuffix(": "))
        status = 1
    if ctx.budget.exhausted is not None:  # the code caught LimitExceeded
        raise ctx.budget.exhausted
    return status


def _status(result: object, ctx: Context) -> int:
    if result is None:
        return 0
    if isinstance(result, str):
        result = result.encode("utf-8", "surrogateescape")
    if isinstance(result, bytes):
        ctx.write(result)
        return 0
    if isinstance(result, int) and not isinstance(result, bool):
        return result & 0xFF
    if isinstance(result, Coroutine):
        result.close()
        raise TypeError(f"{ctx.name} is an async function, which cannot be a command")
    raise TypeError(f"wanted a status, text or None from {ctx.name}, got {result!r}")


def _one_line(text: str) -> str:
    """Return the first line of a message, bounded, without control characters."""
    line = text.strip().partition("\n")[0][:_LONGEST_MESSAGE]
    return "".join(c if c.isprintable() else "?" for c in line)
