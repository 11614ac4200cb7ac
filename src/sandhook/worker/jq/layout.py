"""Compact JSON text to jq's other layouts: over several lines, in colour, in ASCII.

Works on the text that libjq printed, token by token, so that numbers keep their digits.
Runs inside the worker, for ``server.py``; ``native.py`` leaves layouts to libjq. Source: jq 1.8, manual, "Colors" and "Invoking jq"; oracle: jq 1.8.2.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_TOKENS = re.compile(r'"(?>[^"\\]++|\\.)*+"|[][{},:]|[^][{},:"]+')
_NOT_ASCII = re.compile("[^\x00-\x7f]")

_OFF = "\x1b[0m"
_STRING, _NUMBER, _NULL, _KEY, _BRACKET = (
    f"\x1b[{code}m" for code in ("0;32", "0;39", "0;90", "1;34", "1;39")
)


def ascii_only(text: str) -> str:
    """Replace what is not ASCII by \\u escapes; only JSON strings can contain it."""
    return text if text.isascii() else _NOT_ASCII.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def spaced(text: str, unit: str) -> str:
    """Lay a compact JSON text out over lines; ``unit`` is one level of indentation."""
    if text[0] not in "[{" or len(text) == 2:
        return text
    out: list[str] = []
    margin = "\n"
    opened = False
    for token in _TOKENS.findall(text):
        if token in ("]", "}"):
            margin = margin[: len(margin) - len(unit)]
            if not opened:
                out.append(margin)
            opened = False
        elif opened:
            out.append(margin)
            opened = False
        out.append(token)
        if token in ("[", "{"):
            margin += unit
            opened = True
        elif token == ",":
            out.append(margin)
        elif token == ":":
            out.append(" ")
    return "".join(out)


def coloured(text: str, unit: str | None) -> str:
    """Colour a compact JSON text as jq does; ``unit`` None keeps it on one line."""
    tokens: list[str] = _TOKENS.findall(text)
    out: list[str] = []
    margin = "" if unit is None else "\n"
    space = "" if unit is None else " "
    step = unit or ""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else ""
        if token in "[{":
            if following in ("]", "}"):
                out.append(_BRACKET + token + following + _OFF)
                at += 2
                continue
            margin += step
            out.append(_BRACKET + token + _OFF + margin)
        elif token in "]}":
            margin = margin[: len(margin) - len(step)]
            out.append(margin + _BRACKET + token + _OFF)
        elif token == ",":
            out.append(_BRACKET + token + _OFF + margin)
        elif token == ":":
            out.append(_BRACKET + token + _OFF + space)
        elif token[0] == '"':
            out.append((_KEY if following == ":" else _STRING) + token + _OFF)
        else:
            out.append((_NULL if token == "null" else _NUMBER) + token + _OFF)
        at += 1
    return "".join(out)


def layout(*, unit: str | None, colour: bool, ascii_: bool) -> Callable[[str], str] | None:
    """Return what turns compact JSON text into the wanted layout, or None for compact text."""

    def lay_out(text: str) -> str:
        if ascii_:
            text = ascii_only(text)
        if colour:
            return coloured(text, unit)
        return text if unit is None else spaced(text, unit)

    return lay_out if colour or ascii_ or unit is not None else None
