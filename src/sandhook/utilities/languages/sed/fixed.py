"""Substitutions of literal text for literal text, which need no regular expression and often no lines."""

from __future__ import annotations

import re
from collections.abc import Callable

from sandhook.limits import Budget
from sandhook.utilities.languages.sed.machine import Machine
from sandhook.utilities.languages.sed.records import Expression
from sandhook.utilities.languages.sed.script import Command, Substitution

#: Patterns that are literal in every dialect.
_PLAIN = re.compile(r"[A-Za-z0-9 _/:;,=@%~<>\"'`&#!\t-]+")


def everywhere(command: Command) -> tuple[bytes, bytes] | None:
    """Return old and new text of a command that replaces literal text everywhere, else None."""
    what = command.work
    if command.first is not None or not isinstance(what, Substitution):
        return None
    return None if not what.everywhere or what.show or what.file is not None else literal_of(what)


def literal_of(what: Substitution) -> tuple[bytes, bytes] | None:
    """Return old and new text when both are literal, else None."""
    pattern, parts = what.pattern, what.parts
    if pattern.icase or not _PLAIN.fullmatch(pattern.text) or what.number > 1:
        return None
    if len(parts) > 1 or (parts and (parts[0].group >= 0 or parts[0].case)):
        return None
    new = parts[0].text if parts else ""
    return pattern.text.encode(), new.encode("utf-8", "surrogateescape")


def replaced(data: bytes, old: bytes, new: bytes, count: int, budget: Budget) -> bytes:
    """Replace text; a large result is charged before it is made."""
    if len(data) > 1_024:
        times = data.count(old) if count < 0 else count
        size = len(data) + max(0, times * (len(new) - len(old)))
        budget.charge(1 + (size >> 10))
        budget.check_fits(size)
    return data.replace(old, new, count)


def substitute_text(
    search: Callable[[Machine], Expression],
    literal: tuple[bytes, bytes],
    count: int,
    show: bool,
    file: str | None,
) -> Callable[[Machine], int | None]:
    """Return an s command for literal text.

    Args:
        count: 1 for the first occurrence, -1 for all.
    """
    old, new = literal

    def substitute(m: Machine) -> int | None:
        search(m)  # an empty pattern means this one from now on
        if old not in m.space:
            return None
        m.space = replaced(m.space, old, new, count, m.budget)
        m.replaced = True
        if show:
            m.print(m.space, m.ended)
        if file is not None:
            m.write_file(file, m.space, m.ended)
        return None

    return substitute
