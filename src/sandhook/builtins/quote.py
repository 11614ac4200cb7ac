"""How bash writes a value back so that it can be read again: ``set``, ``alias``, ``trap -p``."""

from __future__ import annotations

from sandhook.text.quoting import ansi_c, double_quote, needs_ansi_c

_META = frozenset(" \t\n'\"\\|&;()<>!{}*[]?^$`")


def single_quote(text: str) -> str:
    """Return ``'text'`` whatever is in it, inner quotes as ``'\\''``; a lone quote is ``\\'``."""
    if text == "'":
        return "\\'"
    return "'" + text.replace("'", "'\\''") + "'"


def contains_metas(text: str) -> bool:
    """Return True when the shell would read ``text`` as anything but one plain word."""
    if text[:1] in ("#", "~") or "=~" in text or ":~" in text:
        return True
    return not _META.isdisjoint(text)


def reusable(text: str) -> str:
    """Return a value as ``set`` prints it: bare when it can be."""
    if needs_ansi_c(text):
        return ansi_c(text)
    return single_quote(text) if contains_metas(text) else text


def element_key(key: str) -> str:
    """Return the key of an associative array as ``declare -p`` prints it."""
    return double_quote(key) if needs_ansi_c(key) or contains_metas(key) or key == "@" else key
