"""Names of variables and functions.

Source: POSIX.1-2024 XBD 3, Name.
"""

from __future__ import annotations


def is_name(text: str) -> bool:
    """Return True when ``text`` is a name: ASCII letters, digits and underscores, not beginning with a digit."""
    return text.isascii() and text.isidentifier()


def is_ordinary(parameter: str) -> bool:
    """Return True when a parameter is an ordinary variable: a name other than ``_``."""
    return parameter != "_" and is_name(parameter)
