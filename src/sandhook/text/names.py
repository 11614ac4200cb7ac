"""Names of variables and functions.

Source: POSIX.1-2024 XBD 3, Name.
"""

from __future__ import annotations


def is_name(text: str) -> bool:
    """Return True when ``text`` is a name: ASCII letters, digits and underscores, and no digit first."""
    return text.isascii() and text.isidentifier()


def is_ordinary(parameter: str) -> bool:
    """Return True when a parameter is a variable without a rule of its own: a name other than ``_``."""
    return parameter != "_" and is_name(parameter)
