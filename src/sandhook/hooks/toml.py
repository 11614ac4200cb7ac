"""TOML configurations, with the lines of their tables and keys."""

from __future__ import annotations

import re

from sandhook.formats import FormatError
from sandhook.formats.toml import MAX_TEXT, read_toml
from sandhook.hooks.contracts import Document
from sandhook.hooks.decode import DecodeError

__all__ = ["MAX_TEXT", "decode_toml"]

_KEY = re.compile(r"\s*([A-Za-z0-9_-]+|\"[^\"\\]*\"|'[^']*')\s*=")


def decode_toml(text: str, name: str = "") -> Document:
    """Decode a TOML document; dates become text, because JSON has no dates.

    Raises:
        DecodeError: The text is not TOML (TOML 1.0), longer than MAX_TEXT, or nests too deeply.
    """
    try:
        value = read_toml(text)
    except FormatError as error:
        raise DecodeError(str(error)) from None
    return Document(value, name, text=text, lines=_lines(text))


def _lines(text: str) -> dict[str, int]:
    """Return the lines of headers and of keys below them; keys inside inline tables have their table's."""
    lines = {"": 1}
    counts: dict[str, int] = {}
    prefix = ""
    for number, line in enumerate(text.split("\n"), 1):
        if header := _header(line):
            prefix = header.strip("[]")
            if header.startswith("[["):
                index = counts.get(prefix, 0)
                counts[prefix] = index + 1
                prefix = f"{prefix}[{index}]"
            else:
                prefix = _below_array(prefix, counts)
            lines.setdefault(prefix, number)
        elif key := _KEY.match(line):
            path = key[1].strip("\"'")
            lines.setdefault(f"{prefix}.{path}" if prefix else path, number)
    return lines


def _header(line: str) -> str:
    """Return the header of a table with its brackets and plain keys, "" for another line."""
    line = line.strip()
    if not line.startswith("[") or "]" not in line:
        return ""
    inner, _, after = line.lstrip("[").partition("]")
    after = after.lstrip("] \t")
    if not inner or after[:1] not in ("", "#"):
        return ""
    name = ".".join(part.strip().strip("\"'") for part in inner.split("."))
    return f"[[{name}]]" if line.startswith("[[") else f"[{name}]"


def _below_array(prefix: str, counts: dict[str, int]) -> str:
    """Return the path of a plain table that stands below the last entry of an array of tables."""
    at = prefix.find(".")
    while at >= 0:
        if count := counts.get(prefix[:at]):
            return f"{prefix[:at]}[{count - 1}]{prefix[at:]}"
        at = prefix.find(".", at + 1)
    return prefix
