"""umask: show or set the file mode creation mask.

Source: POSIX.1-2024 XCU 3 umask.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins._base import Fault, builtin, parse, write
from sandhook.state.state import State

USAGE = "umask [-p] [-S] [mode]"

_WHO = {"u": 0o700, "g": 0o070, "o": 0o007, "a": 0o777}
_BITS = {"r": 0o444, "w": 0o222, "x": 0o111}
_COPIES = {"u": 6, "g": 3, "o": 0}


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 for a mode that cannot be read."""
    given, operands = parse(argv, "Sp")
    letters = {option.letter for option in given}
    process = state.process
    if operands:
        text = operands[0]
        if text[:1].isdigit():
            if not set(text) <= set("01234567") or int(text, 8) > 0o7777:
                raise Fault(f"{text}: octal number out of range")
            process.umask = int(text, 8) & 0o777
        else:
            process.umask = ~apply_symbolic(text, ~process.umask & 0o777) & 0o777
        if "S" not in letters:
            return 0
    head = "umask " if "p" in letters else ""
    if "S" in letters:
        write(state, f"{head}{'-S ' if head else ''}{symbolic(process.umask)}\n")
    else:
        write(state, f"{head}{process.umask:04o}\n")
    return 0


def symbolic(mask: int) -> str:
    """Return a mask as what it lets through: ``u=rwx,g=rx,o=rx``."""
    allowed = ~mask
    pieces = []
    for who, shift in _COPIES.items():
        three = allowed >> shift & 7
        pieces.append(f"{who}=" + "".join(letter for letter, bit in zip("rwx", (4, 2, 1)) if three & bit))
    return ",".join(pieces)


def apply_symbolic(text: str, allowed: int) -> int:
    """Return the permission bits that a symbolic mode leaves of ``allowed``. Raises Fault."""
    for clause in text.split(","):
        at = 0
        who = 0
        while clause[at : at + 1] in _WHO and clause[at : at + 1]:
            who |= _WHO[clause[at]]
            at += 1
        who = who or 0o777
        if clause[at : at + 1] not in tuple("+-="):
            raise Fault(f"`{clause[at : at + 1]}': invalid symbolic mode operator")
        while at < len(clause):
            operator = clause[at]
            at += 1
            bits, at = _permissions(clause, at, allowed)
            bits &= who
            if operator == "+":
                allowed |= bits
            elif operator == "-":
                allowed &= ~bits
            else:
                allowed = allowed & ~who | bits
    return allowed


def _permissions(clause: str, at: int, allowed: int) -> tuple[int, int]:
    bits = 0
    while at < len(clause) and clause[at] not in "+-=":
        letter = clause[at]
        at += 1
        if letter in _BITS:
            bits |= _BITS[letter]
        elif letter == "X":
            bits |= 0o111 if allowed & 0o111 else 0
        elif letter in _COPIES:
            three = allowed >> _COPIES[letter] & 7
            bits |= three << 6 | three << 3 | three
        else:
            raise Fault(f"`{letter}': invalid symbolic mode character")
    return bits, at
