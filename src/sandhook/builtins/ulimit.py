"""ulimit: show the limits of this run.

Source: bash 5.2 reference manual 4.2. Values are those of ``Limits`` where one means the same.
Divergence: L-ULIMIT-001, a script can set a limit only to what it already is (or core files to 0):
one budget covers the whole run, and the caller alone decides about it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.builtins._base import Fault, builtin, not_supported, numeric, parse, write
from sandhook.limits import Limits
from sandhook.record import Record
from sandhook.state.state import State

USAGE = "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]"


class Kind(Record):
    """One limit: its name, its unit in ``ulimit -a``, and its value (None: unlimited)."""

    name: str
    unit: str
    value: Callable[[Limits], int | None]


def _unlimited(limits: Limits) -> None:
    return None


#: In the order of ``ulimit -a``.
KINDS: dict[str, Kind] = {
    "R": Kind("real-time non-blocking time", "microseconds", _unlimited),
    "c": Kind("core file size", "blocks", lambda limits: 0),
    "d": Kind("data seg size", "kbytes", lambda limits: limits.memory_bytes >> 10),
    "e": Kind("scheduling priority", "", lambda limits: 0),
    "f": Kind("file size", "blocks", lambda limits: limits.fs_bytes >> 10),
    "i": Kind("pending signals", "", _unlimited),
    "l": Kind("max locked memory", "kbytes", lambda limits: 0),
    "m": Kind("max memory size", "kbytes", _unlimited),
    "n": Kind("open files", "", lambda limits: limits.open_files),
    "p": Kind("pipe size", "512 bytes", lambda limits: 8),
    "q": Kind("POSIX message queues", "bytes", lambda limits: 0),
    "r": Kind("real-time priority", "", lambda limits: 0),
    "s": Kind("stack size", "kbytes", _unlimited),
    "t": Kind("cpu time", "seconds", lambda limits: max(1, int(limits.wall_seconds))),
    "u": Kind("max user processes", "", lambda limits: limits.processes),
    "v": Kind("virtual memory", "kbytes", lambda limits: limits.memory_bytes >> 10),
    "x": Kind("file locks", "", _unlimited),
}
_UNAVAILABLE = frozenset("bkPT")


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 for a limit that cannot be set."""
    given, operands = parse(argv, "SHabcdefiklmnpqrstuvxPRT")
    letters = [option.letter for option in given]
    limits = state.budget.limits
    for letter in letters:
        if letter in _UNAVAILABLE:
            not_supported(f"-{letter}", "L-ULIMIT-001")
    chosen = [letter for letter in letters if letter in KINDS]
    if "a" in letters:
        write(state, "".join([_line(letter, limits) for letter in KINDS]))
        return 0
    if operands:
        for letter in chosen or ["f"]:
            _set(KINDS[letter], limits, operands[0])
        return 0
    if len(chosen) > 1:
        write(state, "".join([_line(letter, limits) for letter in chosen]))
    else:
        write(state, _text(KINDS[chosen[0] if chosen else "f"], limits) + "\n")
    return 0


def _text(kind: Kind, limits: Limits) -> str:
    value = kind.value(limits)
    return "unlimited" if value is None else str(value)


def _line(letter: str, limits: Limits) -> str:
    kind = KINDS[letter]
    unit = f"({kind.unit}, -{letter})" if kind.unit else f"(-{letter})"
    return f"{kind.name:<20}{unit:>20} {_text(kind, limits)}\n"


def _set(kind: Kind, limits: Limits, text: str) -> None:
    current = kind.value(limits)
    if text in ("hard", "soft"):
        return
    wanted = None if text == "unlimited" else numeric(text)
    if (wanted is None and text != "unlimited") or (wanted is not None and wanted < 0):
        raise Fault(f"{text}: invalid number")
    if wanted == current:
        return
    if current is not None and (wanted is None or wanted > current):
        raise Fault(f"{kind.name}: cannot modify limit: Operation not permitted")
    not_supported(f"{kind.name}: lowering a limit", "L-ULIMIT-001")
