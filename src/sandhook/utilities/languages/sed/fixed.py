"""Substitutions of literal text by literal text, without regular expressions and often without single lines."""

from __future__ import annotations

import re
from collections.abc import Callable

from sandhook.limits import Budget
from sandhook.utilities.languages.sed.machine import Machine
from sandhook.utilities.languages.sed.records import Expression
from sandhook.utilities.languages.sed.script import Command, Substitution

#: Matches patterns that are literal in every dialect.
_LITERAL = re.compile(r"[A-Za-z0-9 _/:;,=@%~<>\"'`&#!\t-]+")


def literal_replacement(command: Command) -> tuple[bytes, bytes] | None:
    """Return old and new text of an ``s/old/new/g`` with literal text for all lines; None for other commands."""
    work = command.work
    if command.first is not None or not isinstance(work, Substitution):
        return None
    return None if not work.is_global or work.prints or work.file is not None else literal_of(work)


def literal_of(command: Substitution) -> tuple[bytes, bytes] | None:
    """Return old and new text when both are literal, else None."""
    pattern, parts = command.pattern, command.parts
    if pattern.icase or not _LITERAL.fullmatch(pattern.text) or command.number > 1:
        return None
    if len(parts) > 1 or (parts and (parts[0].group >= 0 or parts[0].case)):
        return None
    new = parts[0].text if parts else ""
    return pattern.text.encode(), new.encode("utf-8", "surrogateescape")


def replace_literal(data: bytes, old: bytes, new: bytes, count: int, budget: Budget) -> bytes:
    """Replace text; a large result is charged before it is allocated."""
    if len(data) > 1_024:
        occurrences = data.count(old) if count < 0 else count
        size = len(data) + max(0, occurrences * (len(new) - len(old)))
        budget.charge(1 + (size >> 10))
        budget.check_fits(size)
    return data.replace(old, new, count)


def substitute_literal(
    regex: Expression,
    literal: tuple[bytes, bytes],
    count: int,
    prints: bool,
    file: str | None,
) -> Callable[[Machine], int | None]:
    """Return an s command for literal text.

    Args:
        regex: The pattern, for later commands whose pattern is empty.
        literal: Old and new text.
        count: 1 for the first occurrence, -1 for all.
        prints, file: The flags p and w.
    """
    old, new = literal

    def substitute(m: Machine) -> int | None:
        m.last_regex = regex
        space = m.space
        if old in space:
            m.store_substitution(replace_literal(space, old, new, count, m.budget), prints, file)
        return None

    return substitute
