"""caller: print where the current function was called.

Source: bash 5.2 reference manual 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, HelpWanted, builtin, no_options, numeric, write
from sandhook.state.state import State
from sandhook.state.values import IndexedArray

USAGE = "caller [expr]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when there are fewer callers. Outside of functions, a script file has no caller: ``0 NULL``."""
    if len(argv) > 1 and argv[1] == "--help":
        raise HelpWanted
    is_file = state.invocation.input == "file"
    if not state.frames and not is_file:
        return 1
    operands = no_options(argv)
    lines, sources = (_entries(state, name) for name in ("BASH_LINENO", "BASH_SOURCE"))
    names = ["source" if frame.sourced else frame.function for frame in reversed(state.frames)]
    if is_file:
        names.append("main")
    if not operands:
        write(state, f"{lines[0]} {sources[1] if len(sources) > 1 else 'NULL'}\n")
        return 0
    depth = numeric(operands[0])
    if depth is None:
        raise BuiltinError(f"{operands[0]}: invalid number", usage=True)
    if depth < 0 or depth + 1 >= min(len(names), len(sources)):
        return 1
    write(state, f"{lines[depth]} {names[depth + 1]} {sources[depth + 1]}\n")
    return 0


def _entries(state: State, name: str) -> list[str]:
    """Return one of the arrays that describe the calls, the innermost first."""
    value = state.value(name)
    return value.values() if isinstance(value, IndexedArray) else []
