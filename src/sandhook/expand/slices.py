"""${parameter:offset:length} of a value, of the positional parameters and of an array.

Source: bash 5.2 manual, 3.5.3.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.expand import transform
from sandhook.state.control import ShellError
from sandhook.state.state import State
from sandhook.state.values import AssociativeArray, IndexedArray
from sandhook.syntax.nodes import AnsiQuoted, Escaped, Literal, SingleQuoted, Word, WordPart
from sandhook.text.locale import as_bytes, as_characters, characters_are_bytes


def as_in_quotes(word: Word) -> Word:
    """Return an offset or length in which single quotes and backslashes stay: it is expanded as in double quotes."""
    if all(isinstance(part, Literal) for part in word.parts):
        return word
    parts: list[WordPart] = []
    for part in word.parts:
        if isinstance(part, (SingleQuoted, AnsiQuoted)):
            parts.append(Literal(f"'{part.text}'"))
        elif isinstance(part, Escaped) and part.text not in '$`"\\':
            parts.append(Literal(f"\\{part.text}"))
        else:
            parts.append(part)
    return word._replace(parts=tuple(parts))


def named(number_of: Callable[[State], int], shown: str) -> Callable[[State], int]:
    """Prefix the message of an error in an offset or length with the parameter."""

    def number(state: State) -> int:
        try:
            return number_of(state)
        except ShellError as error:
            unnamed = error.ends == "shell" or error.reason == "readonly variable"
            if not unnamed and "operand" not in error.origins:
                error = error.worded(f"{shown}: {error.message}")
            raise error.within("subscript") from None

    return number


def negative_length_error(length: str) -> ShellError:
    """Return the error for a length that ends before its offset; ``length`` is its text, blanks included."""
    return ShellError(f"{length}: substring expression < 0", ends="unit").within("subscript")


def substring(
    state: State, value: str, offset: int, length: int | None, typed: str | None = None
) -> str | None:
    """${x:offset:length}, in characters, or bytes in the C locale; None when the offset is outside of the value.

    Args:
        typed: The text of the length, for a message; None for its value.
    """
    by_bytes = not value.isascii() and characters_are_bytes(state.get)
    try:
        part = transform.substring(as_bytes(value) if by_bytes else value, offset, length)
    except ValueError:
        raise negative_length_error(str(length) if typed is None else typed) from None
    return as_characters(part) if by_bytes and part else part


def of_positional(state: State, offset: int, length: int | None) -> list[str]:
    """${@:offset:length}: offset 0 begins with $0."""
    all_ = [state.name, *state.positional]
    if offset < 0:
        offset += len(all_)
        if offset < 0:
            return []
    return all_[offset:] if length is None else all_[offset : offset + length]


def _of_dense(array: IndexedArray, offset: int, length: int) -> list[str] | None:
    """Return a slice of an array whose indices have no gaps, in the time of the slice; None for others."""
    size = len(array)
    if array.top() != size:
        return None
    if offset < 0:
        offset += size
        if offset < 0:
            return []
    items = array.items
    return [items[index] for index in range(offset, min(offset + length, size))]


def of_array(
    state: State, name: str, values_of: Callable[[State], list[str]], offset: int, length: int | None
) -> list[str]:
    """${a[@]:offset:length}: the offset is an index, the length counts elements that are set."""
    array = state.value(name)
    if length is not None and isinstance(array, IndexedArray):
        part = _of_dense(array, offset, length)
        if part is not None:
            return part
    values = values_of(state)
    if isinstance(array, IndexedArray):
        if offset < 0:
            offset += array.top()
            if offset < 0:
                return []
        indices = array.indices()
        if indices and indices[-1] == len(indices) - 1:
            start = offset
        else:
            start = next(
                (position for position, index in enumerate(indices) if index >= offset), len(indices)
            )
    else:
        if length == 0 and isinstance(array, AssociativeArray):
            length = 1  # as in bash
        if offset < 0:
            offset += len(values) + isinstance(array, AssociativeArray)
            if offset < 0:
                return []
        start = max(0, offset - 1) if isinstance(array, AssociativeArray) else offset
    return values[start:] if length is None else values[start : start + length]
