"""caller: tell where the current function was called.

Source: bash 5.2 reference manual 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins._base import Fault, builtin, no_options, numeric, write
from sandhook.state.state import State

USAGE = "caller [expr]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 outside a function, or when there are not so many callers."""
    frames = state.frames
    if not frames:
        return 1
    operands = no_options(argv)
    if not operands:
        frame = frames[-1]
        write(state, f"{frame.line} {_file(state, len(frames) - 1)}\n")
        return 0
    depth = numeric(operands[0])
    if depth is None:
        raise Fault(f"{operands[0]}: invalid number", usage=True)
    index = len(frames) - 1 - depth
    if depth < 0 or index < 0 or not frames[index].line:
        return 1
    file = _file(state, index)
    if file == "NULL":
        return 1
    name = frames[index - 1].function if index else "main"
    write(state, f"{frames[index].line} {name} {file}\n")
    return 0


def _file(state: State, index: int) -> str:
    """Return the script in which call number ``index`` stands.

    Text of -c has no name, and a function that it defined came, for bash, from the environment.
    """
    if state.extra.get("script"):
        return state.frames[index].source
    if index == 0:
        return "NULL"
    source = state.frames[index].source
    return "environment" if source == state.name else source
