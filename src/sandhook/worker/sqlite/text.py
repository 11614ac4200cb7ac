"""Splits SQL text into statements. Runs inside the worker."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import TypeAlias

#: A value of a row, as the module sqlite3 returns it.
Field: TypeAlias = str | bytes | int | float | None


def has_statement(line: str) -> bool:
    """Return True if a line contains more than space and a comment."""
    text = line.strip()
    return bool(text) and not text.startswith("--")


def statements(text: str) -> Iterator[tuple[str, int]]:
    """Yield the statements of a text with their offsets, without lone comments and semicolons."""
    start = at = 0
    size = len(text)
    while at < size:
        c = text[at]
        if c in "'\"`":
            end = text.find(c, at + 1)
            at = size if end < 0 else end + 1
        elif c == "[":
            end = text.find("]", at)
            at = size if end < 0 else end + 1
        elif text.startswith("--", at):
            end = text.find("\n", at)
            at = size if end < 0 else end + 1
        elif text.startswith("/*", at):
            end = text.find("*/", at + 2)
            at = size if end < 0 else end + 2
        elif c == ";":
            at += 1
            piece = text[start:at]
            if sqlite3.complete_statement(piece):
                if _is_more_than_comments(piece):
                    yield piece.strip(), start
                start = at
        else:
            at += 1
    if _is_more_than_comments(text[start:]):
        yield text[start:].strip(), start


def _is_more_than_comments(piece: str) -> bool:
    at = 0
    while at < len(piece):
        if piece[at].isspace() or piece[at] == ";":
            at += 1
        elif piece.startswith("--", at):
            end = piece.find("\n", at)
            at = len(piece) if end < 0 else end + 1
        elif piece.startswith("/*", at):
            end = piece.find("*/", at + 2)
            at = len(piece) if end < 0 else end + 2
        else:
            return True
    return False


class Parameters(dict[str, Field]):
    """Values of variables, by name without the sign; NULL for a variable without a value."""

    def __init__(self, parameters: dict[str, Field]) -> None:
        super().__init__({name.lstrip(":@$"): value for name, value in parameters.items()})

    def __missing__(self, name: str) -> None:
        return None


def plan_lines(rows: list[tuple[int, int, int, str]]) -> list[str]:
    """Return the tree of EXPLAIN QUERY PLAN: number, parent, an unused column, and words of each step."""
    below: dict[int, list[tuple[int, str]]] = {}
    for number, parent, _, words in rows:
        below.setdefault(parent, []).append((number, words))
    lines = ["QUERY PLAN\n"] if rows else []
    pending = [(number, words, "", at == 0) for at, (number, words) in enumerate(reversed(below.get(0, [])))]
    while pending:
        number, words, margin, last = pending.pop()
        lines.append(f"{margin}{'`--' if last else '|--'}{words}\n")
        inner = margin + ("   " if last else "|  ")
        children = below.pop(number, [])
        pending += [(n, w, inner, at == 0) for at, (n, w) in enumerate(reversed(children))]
    return lines
