"""echo: write arguments to standard output.

Source: POSIX.1-2024 XCU 3 echo; bash 5.2 reference manual 4.2. ``utilities.system.echo`` makes the output.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, Run, builtin, fatal_error
from sandhook.state.state import State
from sandhook.text.escapes import unescape_echo
from sandhook.utilities.system.echo import echo
from sandhook.vfs.errors import error_text

USAGE = "echo [-neE] [arg ...]"


def prepare(prefix: tuple[str, ...], whole: bool) -> Run | None:
    """Return a closure that joins arguments with blanks; it calls ``run`` for options and escapes."""

    def quick(state: State, argv: Sequence[str]) -> int:
        if (len(argv) > 1 and argv[1][:1] == "-") or "xpg_echo" in state.options.shopts:
            return run(state, argv)
        data = (" ".join(argv[1:]) + "\n").encode("utf-8", "surrogateescape")
        state.budget.charge(1 + (len(data) >> 10))
        try:
            state.process.descriptors[1].write(data)
        except KeyError:
            return fatal_error(state, "echo", BuiltinError("write error: Bad file descriptor"))
        except OSError as error:
            return fatal_error(state, "echo", BuiltinError(f"write error: {error_text(error)}"))
        return 0

    return quick


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when the output cannot be written."""
    escapes = "xpg_echo" in state.options.shopts
    if escapes and state.options.posix:
        data = _strict(argv[1:])
    else:
        data = echo(argv[1:], escapes=escapes)
    try:
        state.budget.charge(1 + (len(data) >> 10))
        if data:
            state.process.descriptor(1).write(data)
    except OSError as error:
        raise BuiltinError(f"write error: {error_text(error)}") from None
    return 0


def _strict(arguments: Sequence[str]) -> bytes:
    """Return the output of POSIX's XSI echo: it has no options, and always expands backslashes."""
    text, stopped = unescape_echo(" ".join(arguments).encode("utf-8", "surrogateescape"))
    return text if stopped else text + b"\n"
