"""umask: show or set the file mode creation mask.

Source: POSIX.1-2024 XCU 3 umask.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, builtin, parse, write
from sandhook.state.state import State

USAGE = "umask [-p] [-S] [mode]"

_WHO = {"u": 0o700, "g": 0o070, "o": 0o007, "a": 0o777}
_BITS = {"r": 0o444, "w": 0o222, "x": 0o111}
_SHIFTS = {"u": 6, "g": 3, "o": 0}


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 for a mode that cannot be read."""
    options, operands = parse(argv, "Sp")
    letters = {option.letter for option in options}
    process = state.process
    if operands:
        text = operands[0]
        if text[:1].isdigit():
            if not set(text) <= set("01234567") or int(text, 8) > 0o7777:
                raise BuiltinError(f"{text}: octal number out of range")
            process.umask = int(text, 8) & 0o777
        else:
            process.umask = ~apply_symbolic(text, ~process.umask & 0o777) & 0o777
        if "S" not in letters:
            return 0
    command = "umask " if "p" in letters and not operands else ""
    if "S" in letters:
        write(state, f"{command}{'-S ' if command else ''}{symbolic(process.umask)}\n")
    else:
        write(state, f"{command}{process.umask:04o}\n")
    return 0


def symbolic(mask: int) -> str:
    """Return the permissions that a mask allows: ``u=rwx,g=rx,o=rx``."""
    allowed = ~mask
    pieces = []
    for who, shift in _SHIFTS.items():
        bits = allowed >> shift & 7
        pieces.append(f"{who}=" + "".join(letter for letter, bit in zip("rwx", (4, 2, 1)) if bits & bit))
    return ",".join(pieces)


def apply_symbolic(text: str, allowed: int) -> int:
    """Return ``allowed`` after a symbolic mode is applied.

    As in bash a clause has one operator and the letters r, w and x alone.

    Raises:
        BuiltinError: Anything else.
    """
    clauses = text.split(",")
    for number, clause in enumerate(clauses, 1):
        letters = clause.lstrip("ugoa")
        who = 0
        for letter in clause[: len(clause) - len(letters)]:
            who |= _WHO[letter]
        who = who or 0o777
        operator = letters[:1]
        if operator not in ("+", "-", "="):
            found = operator or ("," if number < len(clauses) else chr(0))
            raise BuiltinError(f"`{found}': invalid symbolic mode operator")
        bits = 0
        for letter in letters[1:]:
            if letter not in _BITS:
                raise BuiltinError(f"`{letter}': invalid symbolic mode character")
            bits |= _BITS[letter]
        bits &= who
        if operator == "+":
            allowed |= bits
        elif operator == "-":
            allowed &= ~bits
        else:
            allowed = allowed & ~who | bits
    return allowed
