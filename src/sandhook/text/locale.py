"""Characters or bytes: in the C locale every byte is a character of its own.

Text of the shell is decoded from UTF-8, and a byte that is none of it is a lone surrogate. So the
C locale's view of a text is the same text with all bytes beyond ASCII as surrogates: patterns,
lengths and offsets work on it unchanged. Only text that is not ASCII is looked at.

Source: POSIX.1-2024 XBD 8.2 (LC_ALL, LC_CTYPE, LANG).
"""

from __future__ import annotations

from collections.abc import Mapping

#: The names of the locale whose characters are bytes.
C = frozenset({"C", "POSIX"})


def goes_by_bytes(environment: Mapping[str, str]) -> bool:
    """Return whether the locale is C or POSIX. Without any variable it is UTF-8's."""
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        locale = environment.get(name)
        if locale:
            return locale in C
    return False


def as_bytes(text: str) -> str:
    """Return the C locale's view of a text: a character for each byte."""
    return text.encode("utf-8", "surrogateescape").decode("ascii", "surrogateescape")


def as_characters(text: str) -> str:
    """Return the text again that ``as_bytes`` took apart."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
