"""ulimit: show the limits of this run.

Source: bash 5.2 reference manual 4.2. Values are those of ``Limits`` that mean the same; in host mode they are
those of the machine, and programs start with the limits that were set.
Divergence: L-ULIMIT-001, a limit that a script lowers is stored and shown, but the run is bounded
by its budget alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.builtins.base import BuiltinError, builtin, parse, write, write_unchecked
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
    options, operands = parse(argv, "SHab;c;d;e;f;i;k;l;m;n;p;q;r;s;t;u;v;x;P;R;T;")
    letters = [option.letter for option in options]
    for letter in letters:
        if letter in _UNAVAILABLE:
            raise BuiltinError(f"-{letter}: invalid option", usage=True)
    hard = "H" in letters and "S" not in letters
    if "a" in letters:
        write(state, "".join([_line(state, letter, hard) for letter in KINDS]))
        return 0
    chosen = [(option.letter, option.argument) for option in options if option.letter in KINDS] or [("f", "")]
    if operands:
        chosen = [(letter, text or operands[0]) for letter, text in chosen]
    for letter, text in chosen:
        if text:
            _set(
                state, letter, text, soft="S" in letters or "H" not in letters,
                hard="H" in letters or "S" not in letters,
            )  # fmt: skip
        elif len(chosen) > 1:
            write_unchecked(state, _line(state, letter, hard))
        else:
            write_unchecked(state, _text(_current(state, letter, hard)) + "\n")
    return 0


def _current(state: State, letter: str, hard: bool) -> int | None:
    """Return the current limit, None when it is unlimited."""
    changed = state.process.resource_limits
    if (letter, hard) in changed:
        return changed[letter, hard]
    host = state.process.kernel.outside
    if host is not None and (limits := host.resource_limits(letter)) is not None:
        return limits[hard]
    return KINDS[letter].value(state.budget.limits)


def _text(value: int | None) -> str:
    return "unlimited" if value is None else str(value)


def _line(state: State, letter: str, hard: bool) -> str:
    kind = KINDS[letter]
    unit = f"({kind.unit}, -{letter})" if kind.unit else f"(-{letter})"
    return f"{kind.name:<20}{unit:>20} {_text(_current(state, letter, hard))}\n"


def _set(state: State, letter: str, text: str, *, soft: bool, hard: bool) -> None:
    value = _parse_limit(state, letter, text)
    hard_limit = _current(state, letter, True)
    if hard_limit is not None and (value is None or value > hard_limit):
        raise BuiltinError(f"{KINDS[letter].name}: cannot modify limit: Operation not permitted")
    soft_limit = _current(state, letter, False)
    if (
        hard
        and not soft
        and (soft_limit is None or (value is not None and value < soft_limit))
        and value != soft_limit
    ):
        raise BuiltinError(f"{KINDS[letter].name}: cannot modify limit: Invalid argument")
    changed = dict.fromkeys(
        [(letter, is_hard) for is_hard in (False, True) if (hard if is_hard else soft)], value
    )
    state.process.resource_limits = {**state.process.resource_limits, **changed}


def _parse_limit(state: State, letter: str, text: str) -> int | None:
    if text in ("hard", "soft"):
        return _current(state, letter, text == "hard")
    if text == "unlimited":
        return None
    if not (text.isascii() and text.isdigit()):
        raise BuiltinError(f"{text}: invalid number")
    if len(text.lstrip("0")) > 18:
        raise BuiltinError(f"{text}: limit out of range")
    return int(text.lstrip("0") or "0")
