"""Make a hook's text safe to show: no control characters, ANSI sequences, bidi or zero-width tricks.

Decisions keep texts as the hook wrote them; they are neutralised once, where they are displayed.
Source: Unicode 15 UAX #9 (bidi controls), general categories Cc and Cf, surrogates.
"""

from __future__ import annotations

#: Characters outside Cc that are invisible or change the display of others.
_INVISIBLE = frozenset(
    [
        *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x3164, 0xFEFF, 0xFFA0),
        *range(0x200B, 0x2010),  # zero width, and the marks of direction
        *range(0x2028, 0x202F),  # line and paragraph separators, embeddings and overrides
        *range(0x2060, 0x2070),  # joiners, invisible operators, isolates
        *range(0xFFF9, 0xFFFC),  # interlinear annotation
    ]
)


def neutralise(text: str, *, limit: int = 4096, lines: bool = True) -> str:
    """Return ``text`` with everything invisible written as an escape, and cut at ``limit``.

    Args:
        text: What a hook wrote; any str.
        limit: Characters kept; what was dropped is counted at the end.
        lines: Keep newlines and tabs; else they are escaped too, for text in one line.
    """
    kept = text[:limit]
    if not (kept.isascii() and kept.isprintable()):
        kept = "".join(c if _plain(c, lines) else _escape(c) for c in kept)
    if len(text) > limit:
        kept += f"... ({len(text) - limit} more characters)"
    return kept


def _plain(c: str, lines: bool) -> bool:
    code = ord(c)
    if code < 0x20:
        return lines and c in "\n\t"
    if code < 0x7F:
        return True
    if code < 0xA0 or 0xD800 <= code < 0xE000 or code in _INVISIBLE:
        return False
    return (
        c.isprintable() or c.isspace()
    ) and not 0xE0000 <= code < 0xE1000  # tags and selectors of plane 14


def _escape(c: str) -> str:
    code = ord(c)
    if c in "\n\t\r":
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}[c]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
