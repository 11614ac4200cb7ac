"""Converts arguments ``name=value`` to assignments, for ``set -k``."""

from __future__ import annotations

from sandhook.lazy import lazily
from sandhook.syntax.nodes import Assignment, Literal, SimpleCommand, Word

_KEYWORD = lazily(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=")


def split_keywords(
    node: SimpleCommand,
) -> tuple[tuple[Assignment, ...], tuple[Word | Assignment, ...]]:
    """Return the assignments and the words of a command under ``set -k``.

    The assignments are empty if no argument is an assignment.
    """
    assignments: list[Assignment] = []
    words: list[Word | Assignment] = []
    for word in node.words:
        keyword = _as_assignment(word) if isinstance(word, Word) else None
        if keyword is None or not words:
            words.append(word)
        else:
            assignments.append(keyword)
    return (*node.assignments, *assignments) if assignments else (), tuple(words)


def _as_assignment(word: Word) -> Assignment | None:
    first = word.parts[0] if word.parts else None
    match = _KEYWORD.match(first.text) if isinstance(first, Literal) and "=" in first.text else None
    if match is None or not isinstance(first, Literal):
        return None
    text = first.text[match.end() :]
    parts = (Literal(text), *word.parts[1:]) if text else word.parts[1:]
    return Assignment(match[1], Word(parts, word.span), None, bool(match[2]), word.span)
