"""What a test of the payload leaves open: whether who has a word in a command gets what follows.

A test is closed if it fixes how a command begins, or names a program. One that looks for a word anywhere is open: a
command may have that word in a comment, and do anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

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


def written(word: ast.Word) -> str:
    """Return a pattern as it is written."""
    return unparse(word)


#: Names of tools that run commands or change files.
_POWERFUL = re.compile(r"bash|shell|exec|terminal|write|edit|patch|\bmcp|^[\W_]*$", re.IGNORECASE)


def is_part(word: ast.Word) -> bool:
    """Return True for a word that is a part of a text: its end, a slice of it."""
    return any(
        isinstance(each, ast.ParameterExpansion) and each.operator in (":", "#", "##")
        for each in ast.walk(word)
    )


def kinds_of_test(subject: Value, patterns: Sequence[ast.Word]) -> frozenset[str]:
    """Return {"named"} for a test by which only tools go on that neither run commands nor change files."""
    return _named(subject, map(written, patterns))


def kinds_of_values(left: Value, right: Value) -> frozenset[str]:
    """Return the same for ``[ left = right ]``."""
    return _named(left, [right.any_text])


def _named(subject: Value, patterns: Iterable[str]) -> frozenset[str]:
    names = {each.name for each in subject.origins if each.kind == "payload"}
    if names != {METADATA} or subject.has("when") or any(_POWERFUL.search(pattern) for pattern in patterns):
        return frozenset()
    return frozenset({"named"})


def of_circumstances(*values: Value) -> frozenset[str]:
    """Return {"when"} for a test of the time, of chance, of the machine or of its user."""
    return frozenset({"when"} if any(value.has("when", "machine") for value in values) else ())


def is_whim(tests: frozenset[str]) -> bool:
    """Return True if nothing that a tool is about decides: a word anywhere in a command does, or who runs it and when."""
    if "open" in tests:
        return "closed" not in tests
    return "when" in tests and not tests & {"closed", "named"}


#: A digest as it is written.
_DIGEST = re.compile(r"\b[0-9a-f]{8,128}\b")


def hides_text(left: Value, right: Value) -> bool:
    """Return True for a comparison with the digest of a text, which the script thus does not show."""
    return any(
        one.has("digest")
        and one.has("payload", "machine", "when", "environment")
        and _DIGEST.search(other.text or "") is not None
        for one, other in ((left, right), (right, left))
    )
