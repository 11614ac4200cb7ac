"""Decimal texts and their values, which arithmetic and assignments keep for each other."""

from __future__ import annotations

from sandhook.state.values import Value

#: Decimal texts that were stored or read lately, with their values: a counter is read back from here.
NUMBERS: dict[Value, int] = {}
NUMBERS_KEPT = 8192


def remember(text: str, value: int) -> None:
    """Note the value of a text that is plain decimal, for the next one who reads it."""
    if len(NUMBERS) > NUMBERS_KEPT:
        NUMBERS.clear()
    NUMBERS[text] = value


def plain_decimal(text: str) -> int:
    """Return the value of a text of decimal digits, -1 for any other."""
    if not (text.isdigit() and text.isascii()) or len(text) > 18 or (text[0] == "0" and len(text) > 1):
        return -1
    value = int(text)
    remember(text, value)
    return value


class NotPlain(Exception):
    """A ``$name`` in an expression holds more than a number: expand the text first."""
