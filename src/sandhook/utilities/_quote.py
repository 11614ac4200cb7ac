"""Quoting of values for reuse as shell input, as bash writes them.

Source: the Bash Reference Manual, printf %q and ``${parameter@Q}``. Oracle: bash 5.2, C.UTF-8.
"""

from __future__ import annotations

from sandhook.lazy import lazily

_SAFE = lazily(r"[A-Za-z0-9_./:@%+=-]+")
_SPECIAL = lazily(r"""[ !"$&'()*,;<>?\[\\\]^`{|}]|(?:^|(?<=[=:]))~|^\#""")
_DOUBLE = lazily(r"""[\\"$`]""")
_NAMED = {
    "\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r",
    "\x1b": "\\E", "'": "\\'", "\\": "\\\\",
}  # fmt: skip


def shell_quote(text: str) -> str:
    """Return what printf's %q writes: backslashes, or ``$'...'`` if something is not printable."""
    if _SAFE.fullmatch(text):
        return text
    if not text:
        return "''"
    if needs_ansi_c(text):
        return ansi_c(text)
    return _SPECIAL.sub(r"\\\g<0>", text)


def single_quote(text: str) -> str:
    """Return what ``${x@Q}`` gives: single quotes, or ``$'...'`` if something is not printable."""
    if needs_ansi_c(text):
        return ansi_c(text)
    if text == "'":
        return "\\'"
    return "'" + text.replace("'", "'\\''") + "'"


def double_quote(text: str) -> str:
    """Return what ``declare -p`` writes: double quotes, or ``$'...'`` if something is not printable."""
    if needs_ansi_c(text):
        return ansi_c(text)
    return '"' + _DOUBLE.sub(r"\\\g<0>", text) + '"'


def needs_ansi_c(text: str) -> bool:
    """Tell whether a character (or a byte that is not UTF-8) cannot be printed."""
    return not text.isprintable() and not all(map(printable, text))


def ansi_c(text: str) -> str:
    """Return ``$'...'`` with named and octal escapes."""
    pieces = ["$'"]
    for letter in text:
        named = _NAMED.get(letter)
        if named is not None:
            pieces.append(named)
        elif printable(letter):
            pieces.append(letter)
        else:
            pieces += [f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape")]
    pieces.append("'")
    return "".join(pieces)


def printable(letter: str) -> bool:
    """Tell what iswprint says in C.UTF-8: Python's view, but for spaces, formats and private use."""
    if letter.isprintable():
        return True
    if letter.isascii():
        return False
    from unicodedata import category

    return category(letter) in ("Zs", "Cf", "Co")
