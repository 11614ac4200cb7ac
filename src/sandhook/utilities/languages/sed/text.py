"""Escapes in sed scripts: codes of characters, and the text of a, i and c.

Source and oracle: GNU sed 4.9.
"""

from __future__ import annotations

from sandhook.text.locale import as_bytes

_SIMPLE = {"a": "\a", "f": "\f", "r": "\r", "t": "\t", "v": "\v"}
_DIGITS = {"d": ("0123456789", 10, 3), "o": ("01234567", 8, 3), "x": ("0123456789abcdefABCDEF", 16, 2)}


def byte_character(value: int) -> str:
    """Return a byte as str, by surrogateescape."""
    return chr(value) if value < 128 else chr(0xDC00 + value)


def parse_code(text: str, at: int) -> tuple[str, int] | None:
    """Return the character of the escape whose letter is at ``at``, and the offset after it."""
    letter = text[at : at + 1]
    if letter in _SIMPLE:
        return _SIMPLE[letter], at + 1
    if letter in _DIGITS:
        digits, base, max_digits = _DIGITS[letter]
        end = at + 1
        while end < min(len(text), at + 1 + max_digits) and text[end] in digits:
            end += 1
        if end > at + 1:
            return byte_character(int(text[at + 1 : end], base) & 0xFF), end
    if text.startswith("c\\\\", at):
        return "\x1c", at + 3
    if letter == "c" and at + 1 < len(text) and text[at + 1].isascii():
        return chr(ord(text[at + 1].upper()) ^ 0x40), at + 2
    return None


def convert_escapes(text: str, *, replacement: bool = False) -> str:
    """Replace escapes for codes; others stay as they are.

    Args:
        replacement: A code for "&" or a backslash means the literal character.
    """
    if "\\" not in text:
        return text
    out: list[str] = []
    at = 0
    while at < len(text):
        letter = text[at]
        at += 1
        if letter != "\\" or at >= len(text):
            out.append(letter)
            continue
        code = parse_code(text, at)
        if code is None:
            out.append("\\" + text[at])
            at += 1
            continue
        character, at = code
        out.append("\\" + character if replacement and character in "&\\" else character)
    return _join_bytes("".join(out))


def _join_bytes(text: str) -> str:
    """Decode characters whose bytes were written one by one: ``\\xc3\\xa9``."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def unescape_text(text: str) -> str:
    """Return the text of a, i or c without backslashes, and with escapes of codes replaced."""
    if "\\" not in text:
        return text
    out: list[str] = []
    at = 0
    while at < len(text):
        letter = text[at]
        at += 1
        if letter != "\\":
            out.append(letter)
            continue
        if at >= len(text):
            break
        code = parse_code(text, at)
        if code is not None:
            out.append(code[0])
            at = code[1]
        else:
            out.append("\n" if text[at] == "n" else text[at])
            at += 1
    return _join_bytes("".join(out))


def characters_of(text: str, bytewise: bool) -> str:
    """Replace the escapes of y: ``\\\\``, ``\\n`` and those of character codes."""
    text = convert_escapes(text)
    out: list[str] = []
    at = 0
    while at < len(text):
        letter = text[at]
        if letter == "\\" and at + 1 < len(text):
            at += 1
            letter = {"n": "\n", "\\": "\\"}.get(text[at], text[at])
        out.append(letter)
        at += 1
    return as_bytes("".join(out)) if bytewise else "".join(out)
