"""What a test of the payload leaves open: whether who has a word in a command gets what follows.

A test is closed if it fixes how a command begins, or names a program. One that looks for a word anywhere is open: a
command may have that word in a comment, and do anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sandhook.syntax import nodes as ast
from sandhook.syntax.unparse import unparse
from sandhook.vetting.answers import is_command
from sandhook.vetting.policy import METADATA
from sandhook.vetting.values import Value


def of_pattern(subject: Value, pattern: str, *, expression: bool) -> str | None:
    """Return "open" or "closed" for a test of a text against a pattern; None if the text is not what a tool runs.

    Args:
        expression: It is a regular expression, which may fit anywhere.
    """
    if not any(
        each.kind == "payload" and each.name not in (METADATA, "transcript") for each in subject.origins
    ):
        return None
    text = pattern.strip("\"'")
    anchored = text.startswith(("^", "(^", "\\A")) if expression else not text.startswith(("*", "?", '"*'))
    words = re.findall(r"[A-Za-z][\w.-]*", text)
    return "closed" if anchored or not words or any(is_command(word) for word in words[:2]) else "open"


def comparisons(expression: ast.Node) -> Iterator[tuple[ast.Word, ast.Word, bool]]:
    """Yield the two sides of each ``==`` and ``=~`` in a ``[[ ]]``, and whether it is the latter."""
    for node in ast.walk(expression):
        operator = getattr(node, "operator", None)
        left, right = getattr(node, "left", None), getattr(node, "right", None)
        if operator in ("==", "=", "=~") and isinstance(left, ast.Word) and isinstance(right, ast.Word):
            yield left, right, operator == "=~"


def written(word: ast.Word) -> str:
    """Return a pattern as it is written."""
    return unparse(word)
