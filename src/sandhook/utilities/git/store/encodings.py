"""The encodings of messages: i18n.commitEncoding, i18n.logOutputEncoding and --encoding.

Source: git-config(1), git-log(1).
"""

from __future__ import annotations

import codecs

_UTF8 = ("utf-8", "utf8")
_NAMES = (
    "iso-8859",
    "iso8859",
    "latin",
    "cp",
    "windows-",
    "koi8",
    "euc",
    "shift",
    "gb",
    "big5",
    "us-ascii",
    "tis",
)


def codec_of(name: str) -> str | None:
    """Return the codec of an encoding with one to four bytes for a character; None for UTF-8 and unknown ones."""
    lower = name.lower().replace("_", "-")
    if lower in _UTF8 or not lower.startswith(_NAMES) or not lower.isascii() or len(lower) > 40:
        return None
    try:
        return codecs.lookup(lower).name
    except (LookupError, ValueError):
        return None


def decoded(data: bytes, codec: str) -> str | None:
    """Return data of an encoding as text, None if it is not in this encoding."""
    try:
        return data.decode(codec)
    except ValueError:
        return None


def recoded(text: str, codec: str) -> bytes | None:
    """Return text in an encoding, None if that lacks a character."""
    try:
        return text.encode(codec)
    except ValueError:
        return None
