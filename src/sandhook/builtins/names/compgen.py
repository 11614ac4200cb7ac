"""compgen: print possible completions.

Source: bash 5.2 reference manual 8.7.
Divergence: L-COMPLETE-001, commands in the words of -W are not run.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import builtin, parse, write
from sandhook.builtins.names.completion import GETOPT, Specification, generate
from sandhook.state.state import State

USAGE = (
    "compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] "
    "[-X filterpat] [-P prefix] [-S suffix] [word]"
)


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when nothing matches."""
    options, operands = parse(argv, GETOPT)
    if not options:
        return 0
    specification = Specification()
    for option in options:
        specification.add(option)
    completions = generate(state, specification, operands[0] if operands else "")
    write(state, "".join([name + "\n" for name in completions]))
    return 0 if completions else 1
