"""Names of signals and of bash's own traps, as trap and kill read and list them."""

from __future__ import annotations

from sandhook.kernel.signals import NAMES, NUMBERS, parse_signal

#: Traps that are not signals, with the number by which ``trap -p`` sorts them.
EVENTS: dict[str, int] = {"EXIT": 0, "DEBUG": 65, "ERR": 66, "RETURN": 67}


def trap_name(text: str) -> str | None:
    """Return the key in ``State.traps`` for a signal specification, or None."""
    upper = text.upper()
    bare = upper.removeprefix("SIG")
    if text == "0" or bare == "EXIT":
        return "EXIT"
    if upper in EVENTS:
        return upper
    number = parse_signal(text)
    return None if number is None else NAMES[number]


def full_name(key: str) -> str:
    """Return a key as ``trap -p`` prints it: SIGINT, EXIT."""
    return key if key in EVENTS else "SIG" + key


def all_names() -> list[str]:
    """Return the keys of all traps; numbers that the system keeps for itself are their own names."""
    return [*EVENTS, *NAMES.values(), "32", "33"]


def number_of(key: str) -> int:
    """Return the number by which ``trap -p`` sorts a key."""
    return EVENTS[key] if key in EVENTS else NUMBERS.get(key) or int(key)


def names_on_one_line() -> str:
    """Return the output of ``kill -l`` in posix mode: all names on one line."""
    return " ".join([NAMES[number] for number in sorted(NAMES)]) + "\n"


def listing() -> str:
    """Return the table of ``trap -l`` and ``kill -l``: five signals on a line."""
    entries = [f"{number:2d}) SIG{name}" for number, name in sorted(NAMES.items())]
    text = "".join(
        [entry + ("\n" if position % 5 == 0 else "\t") for position, entry in enumerate(entries, 1)]
    )
    return text + "\n"
