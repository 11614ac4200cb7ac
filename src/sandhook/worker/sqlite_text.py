"""SQL as text: where its statements end. Runs inside the worker."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator


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
