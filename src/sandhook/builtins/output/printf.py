"""printf: write formatted output, or assign it.

Source: POSIX.1-2024 XCU 3 printf; bash 5.2 reference manual 4.2 (-v). ``utilities.system.printf`` formats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from sandhook.builtins.base import (
    BuiltinError,
    Run,
    builtin,
    fatal_error,
    parse,
    print_error,
    show_usage,
    split_reference,
    write,
)
from sandhook.builtins.variables.variables import assign_reference
from sandhook.state.control import ShellError
from sandhook.state.state import State
from sandhook.state.values import LARGE
from sandhook.text.locale import as_bytes, characters_are_bytes
from sandhook.text.names import is_name
from sandhook.utilities.system.printf.caller import Caller
from sandhook.utilities.system.printf.common import format_printf
from sandhook.utilities.system.printf.plain import format_simply, plain_format
from sandhook.vfs.errors import error_text

USAGE = "printf [-v var] format [arguments]"
_NOTHING: Mapping[str, str] = {}


def prepare(prefix: tuple[str, ...], whole: bool) -> Run | None:
    """Return a closure that writes or assigns, if the format is a constant and plain; else None."""
    variable: str | None = None
    format_index = 1
    if len(prefix) > 3 and prefix[1] == "-v" and is_name(prefix[2]):
        variable, format_index = prefix[2], 3
    if len(prefix) <= format_index or prefix[format_index][:1] == "-":
        return None
    formatter = plain_format(prefix[format_index])
    if formatter is None:
        return None
    format_plain, first = formatter, format_index + 1

    def quick(state: State, argv: Sequence[str]) -> int:
        text = format_plain(argv[first:])
        if text is None:
            return run(state, argv)
        budget = state.budget
        if variable is None:
            budget.charge(len(argv) + (len(text) >> 10))
            if not text:
                return 0
            try:
                state.process.descriptors[1].write(text.encode("utf-8", "surrogateescape"))
            except KeyError:
                return fatal_error(state, "printf", BuiltinError("write error: Bad file descriptor"))
            except OSError as error:
                return fatal_error(state, "printf", BuiltinError(f"write error: {error_text(error)}"))
            return 0
        budget.charge(len(argv))
        if len(text) > LARGE or not state.is_plain(variable) or state.options.allexport:
            return run(state, argv)
        state.values[variable] = text
        return 0

    return quick


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when a format or a number is invalid or the output cannot be written."""
    variable, operands = _parse(argv)
    if not operands:
        show_usage(state, "printf", USAGE)
        return 2
    state.budget.charge(len(operands))
    plain = format_simply(operands[0], operands[1:])
    if plain is not None:
        if variable is None:
            write(state, plain)
        elif "[" in variable or variable in state.namerefs:
            assign_reference(state, variable, plain)
        else:
            state.set(variable, plain)
        return 0
    data, status = _format(state, operands, None if variable is not None else partial(_write, state))
    if variable is not None:
        text = data.partition(b"\0")[0].decode("utf-8", "surrogateescape")
        assign_reference(state, variable, text)
        return status
    _write(state, data)
    return status


def _write(state: State, data: bytes) -> None:
    try:
        state.budget.charge(1 + (len(data) >> 10))
        if data:
            state.process.descriptor(1).write(data)
    except OSError as error:
        raise BuiltinError(f"write error: {error_text(error)}") from None


def _parse(argv: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the variable of ``-v``, or None, and the format with its arguments."""
    if len(argv) > 3 and argv[1] == "-v" and argv[3][:1] != "-" and is_name(argv[2]):
        return argv[2], list(argv[3:])
    if len(argv) < 2 or argv[1][:1] != "-":
        return None, list(argv[1:])
    options, operands = parse(argv, "v:")
    variable = options[-1].argument if options else None
    if variable is not None and split_reference(variable) is None:
        raise BuiltinError(f"`{variable}': not a valid identifier", 2)
    return variable, operands


def _assign(state: State, name: str, value: str) -> str | None:
    """Assign the number of ``%n``; return an error, after which bash still writes what it has."""
    if not is_name(name):
        return f"`{name}': not a valid identifier"
    try:
        state.set(name, value)
    except ShellError as error:
        if error.ends_callers:
            raise
        state.shell.error(state, error.message)  # as in bash, the output goes on
    return None


def _format(state: State, operands: list[str], flush: Callable[[bytes], None] | None) -> tuple[bytes, int]:
    """Return the output and the status: 1 after an error that was reported, else 0.

    Args:
        flush: Writes the whole lines before a message, as bash does; None for ``-v``.
    """
    status = 0

    def error(message: str) -> None:
        nonlocal status
        status = 1
        print_error(state, f"printf: {message}")

    def check_size(size: int) -> None:
        budget.charge(2)
        budget.check_fits(size)

    zone = state.get("TZ")
    budget = state.budget
    kernel = state.process.kernel
    arguments = operands[1:]
    if characters_are_bytes(state.get):  # %c, %q and the number of a character
        arguments = [argument if argument.isascii() else as_bytes(argument) for argument in arguments]
    caller = Caller(
        error=error,
        warning=lambda message: print_error(state, f"printf: {message}"),
        now=kernel.now,
        environment=_NOTHING if zone is None else {"TZ": zone},
        check_fits=check_size,
        started=kernel.now() - budget.elapsed() + state.started,
        assign=partial(_assign, state),
        doubles=state.options.posix,
        flush=flush,
    )
    data, stopped = format_printf(operands[0], arguments, caller)
    return data, 0 if stopped else status  # in bash, \c forgets invalid numbers
