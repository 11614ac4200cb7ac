"""Arguments ``name=value`` that ``set -k`` makes assignments."""

from __future__ import annotations

from sandhook.lazy import lazily
from sandhook.syntax.nodes import Assignment, Literal, SimpleCommand, Word

_KEYWORD = lazily(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=")


def split_keywords(
    node: SimpleCommand,
) -> tuple[tuple[Assignment, ...], tuple[Word | Assignment, ...]]:
    """Return the assignments and the words of a command under ``set -k``.

    The assignments are empty when no argument is one.
    """
    moved: list[Assignment] = []
    rest: list[Word | Assignment] = []
    for word in node.words:
        keyword = _as_assignment(word) if isinstance(word, Word) else None
        if keyword is None or not rest:
            rest.append(word)
        else:
            moved.append(keyword)
    return (*node.assignments, *moved) if moved else (), tuple(rest)


def _as_assignment(word: Word) -> Assignment | None:
    first = word.parts[0] if word.parts else None
    found = _KEYWORD.match(first.text) if isinstance(first, Literal) and "=" in first.text else None
    if found is None or not isinstance(first, Literal):
        return None
    text = first.text[found.end() :]
    parts = (Literal(text), *word.parts[1:]) if text else word.parts[1:]
    return Assignment(found[1], Word(parts, word.span), None, bool(found[2]), word.span)
