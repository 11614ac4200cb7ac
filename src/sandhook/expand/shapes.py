"""Words of common shapes: numbers, ``{1..100}``, and parts of an index."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sandhook.state.state import State
from sandhook.syntax.nodes import Escaped, Literal, SingleQuoted, WordPart
from sandhook.text.fields import DEFAULT_IFS

FieldsOf: TypeAlias = Callable[[State], "list[str]"]


def plain_number(text_of: Callable[[State], str | None], quoted: bool) -> Callable[[State], int | None]:
    """Return a closure for a text of digits alone; it returns None for any other text."""

    def number(state: State) -> int | None:
        text = text_of(state)
        if not text or len(text) > 18 or not (text.isdigit() and text.isascii()):
            return None
        if not quoted and state.values.get("IFS") != DEFAULT_IFS:  # it may have digits
            return None
        return int(text)

    return number


def unsplit(value: Callable[[State], int]) -> Callable[[State], int | None]:
    """Return a closure for an unquoted ``$((...))``; it returns None when IFS could split the value."""
    return lambda state: value(state) if state.values.get("IFS") == DEFAULT_IFS else None


def numbers(sequence: range, plain: FieldsOf) -> FieldsOf:
    """Return a closure for a word that is ``{1..100}``; ``plain`` is used without brace expansion."""
    step = sequence.step
    count = (sequence.stop - sequence.start + step - (1 if step > 0 else -1)) // step  # len() has bounds

    def run(state: State) -> list[str]:
        if "braceexpand" not in state.options.enabled:
            return plain(state)
        budget = state.budget
        if count > budget.limits.fields:
            budget.fail("fields")
        budget.charge(count)
        return list(map(str, sequence))

    return run


def unquoting(part: WordPart) -> WordPart:
    """Return a part of an index as it reads in double quotes."""
    if isinstance(part, SingleQuoted):
        return Literal(f"'{part.text}'")
    if isinstance(part, Escaped) and part.text not in '$`"\\':
        return Literal("\\" + part.text)
    return part
