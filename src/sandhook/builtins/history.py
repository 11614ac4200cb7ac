"""history: the list of commands typed, which is empty in a shell that is not interactive.

Source: bash 5.2 reference manual 9.2.
Divergence: L-HISTORY-001, the list cannot be filled (-s, -a, -n, -r, -w).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins._base import Fault, builtin, not_supported, numeric, parse, write
from sandhook.state.state import State

USAGE = "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 0 for an empty list, 1 for what needs an entry."""
    given, operands = parse(argv, "acd:npsrw")
    letters = {option.letter for option in given}
    for letter in "sanrw":
        if letter in letters:
            not_supported(f"-{letter}", "L-HISTORY-001")
    for option in given:
        if option.letter == "d":
            raise Fault(f"{option.argument}: history position out of range")
    if "p" in letters:
        write(state, "".join([operand + "\n" for operand in operands]))
    elif operands and "c" not in letters and numeric(operands[0]) is None:
        raise Fault(f"{operands[0]}: numeric argument required")
    return 0
