"""Paths as git prints them: relative to a directory, and quoted like C strings.

Source: git's quote.c and path.c.
"""

from __future__ import annotations

from sandhook.lazy import lazily

_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_ODD = lazily(r'[\x00-\x1f\x7f"\\]')
_ODD_OR_WIDE = lazily(r"[^\x20-\x21\x23-\x5b\x5d-\x7e]")


def needs_quotes(path: str, wide: bool = True) -> bool:
    """Return True for a path with control characters, quotes or backslashes; ``wide``: or bytes above 127."""
    return (_ODD_OR_WIDE if wide else _ODD).search(path) is not None


def c_style(path: str, wide: bool = True) -> str:
    """Return a path with escapes for odd characters, without quotes around it."""
    pieces = []
    for byte in path.encode("utf-8", "surrogateescape"):
        if byte in _ESCAPES:
            pieces.append("\\" + _ESCAPES[byte])
        elif byte < 32 or byte == 127 or (byte > 127 and wide):
            pieces.append(f"\\{byte:03o}")
        else:
            pieces.append(chr(byte))
    return "".join(pieces).encode("latin-1").decode("utf-8", "surrogateescape")


def quote(path: str, wide: bool = True) -> str:
    """Return a path, in double quotes if it has odd characters."""
    return f'"{c_style(path, wide)}"' if needs_quotes(path, wide) else path


def quote_two(prefix: str, path: str, wide: bool = True) -> str:
    """Return a prefix such as "a/" and a path, in one pair of quotes."""
    return quote(prefix + path, wide)


def relative(path: str, prefix: str) -> str:
    """Return a path of the repository relative to the directory ``prefix`` ("" or "dir/")."""
    if not prefix:
        return path
    here, there = prefix.rstrip("/").split("/"), path.split("/")
    same = 0
    while same < min(len(here), len(there)) and here[same] == there[same]:
        same += 1
    return "../" * (len(here) - same) + "/".join(there[same:]) or "./"


def unquote(text: str) -> str:
    """Return the name that a line of --stdin stands for: it may be a C string in quotes."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    out = bytearray()
    data = text[1:-1].encode("utf-8", "surrogateescape")
    back = {ord(letter): code for code, letter in _ESCAPES.items()}
    at = 0
    while at < len(data):
        byte = data[at]
        at += 1
        if byte != 92 or at >= len(data):
            out.append(byte)
        elif data[at] in back:
            out.append(back[data[at]])
            at += 1
        elif data[at : at + 3].isdigit():
            out.append(int(data[at : at + 3], 8) & 255)
            at += 3
        else:
            return text
    return out.decode("utf-8", "surrogateescape")
