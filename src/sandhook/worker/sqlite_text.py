"""SQL as text: where its statements end. Runs inside the worker."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any


def says_more(line: str) -> bool:
    """Tell whether a line has more than space and a comment in it."""
    text = line.strip()
    return bool(text) and not text.startswith("--")


def statements(text: str) -> Iterator[tuple[str, int]]:
    """Yield the statements of a text with their offsets; comments and lone semicolons are none."""
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
                if _says_something(piece):
                    yield piece.strip(), start
                start = at
        else:
            at += 1
    if _says_something(text[start:]):
        yield text[start:].strip(), start


def _says_something(piece: str) -> bool:
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


class Parameters(dict[str, Any]):
    """Values of variables, by their names without the sign; NULL for those that have none."""

    def __init__(self, given: dict[str, Any]) -> None:
        super().__init__({name.lstrip(":@$"): value for name, value in given.items()})

    def __missing__(self, name: str) -> None:
        return None


def plan_lines(rows: list[tuple[Any, ...]]) -> list[str]:
    """Return the tree of EXPLAIN QUERY PLAN: number, parent, a column without use, and words of each step."""
    below: dict[int, list[tuple[int, str]]] = {}
    for number, parent, _, words in rows:
        below.setdefault(parent, []).append((number, words))
    lines = ["QUERY PLAN\n"] if rows else []
    pending = [(number, words, "", at == 0) for at, (number, words) in enumerate(reversed(below.get(0, [])))]
    while pending:
        number, words, margin, last = pending.pop()
        lines.append(f"{margin}{'`--' if last else '|--'}{words}\n")
        inner = margin + ("   " if last else "|  ")
        found = below.pop(number, [])
        pending += [(n, w, inner, at == 0) for at, (n, w) in enumerate(reversed(found))]
    return lines
