"""Characters or bytes: in the C locale every byte is a character.

Text of the shell is decoded from UTF-8, and a byte that is not UTF-8 is a lone surrogate. So the
C locale's view of a text is the same text with all bytes outside ASCII as surrogates: patterns,
lengths and offsets work on it unchanged. ASCII text needs no conversion.

Source: POSIX.1-2024 XBD 8.2 (LC_ALL, LC_CTYPE, LANG).
"""

from __future__ import annotations

from collections.abc import Callable

#: The names of the locale whose characters are bytes.
C = frozenset({"C", "POSIX"})


def characters_are_bytes(get: Callable[[str], str | None]) -> bool:
    """Return True if the locale is C or POSIX. Without any of the variables it is a UTF-8 locale.

    Args:
        get: Returns the value of a variable: ``state.get``, or that of an environment.
    """
    return _is_c("LC_CTYPE", get)


def messages_are_posix(get: Callable[[str], str | None]) -> bool:
    """Return True if LC_MESSAGES is C or POSIX, where some programs use the words of the standard."""
    return _is_c("LC_MESSAGES", get)


def collation_is_c(get: Callable[[str], str | None]) -> bool:
    """Return True if the variables select the C locale for comparisons."""
    return _is_c("LC_COLLATE", get)


def _is_c(category: str, get: Callable[[str], str | None]) -> bool:
    for name in ("LC_ALL", category, "LANG"):
        locale = get(name)
        if locale:
            return locale in C
    return False


def as_bytes(text: str) -> str:
    """Return the C locale's view of a text: a character for each byte."""
    return text.encode("utf-8", "surrogateescape").decode("ascii", "surrogateescape")


def as_characters(text: str) -> str:
    """Reverse ``as_bytes``."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def replace_invalid(text: str) -> str:
    """Return text with U+FFFD for bytes that are not UTF-8, as JSON and SQLite need it."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
