"""The attributes "working-tree-encoding" and "ident": the encoding of a file, and the name of its object in it.

Source: gitattributes(5); git 2.39, convert.c and utf8.c.
"""

from __future__ import annotations

import re

from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.attributes import Value
from sandhook.utilities.git.store.encodings import codec_of

_UTF16_LE, _UTF16_BE, _UTF32_LE, _UTF32_BE = b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\0\0\xfe\xff"

#: The codec of each encoding with a byte order mark, and the mark; without one, a mark is an error.
_MARKED = {
    "UTF-16": ("utf-16", _UTF16_LE, "utf-16-le"),
    "UTF-32": ("utf-32", _UTF32_LE, "utf-32-le"),
    "UTF-16LE-BOM": ("utf-16", _UTF16_LE, "utf-16-le"),
    "UTF-16BE-BOM": ("utf-16", _UTF16_BE, "utf-16-be"),
}
_UNMARKED = {
    "UTF-16LE": "utf-16-le",
    "UTF-16BE": "utf-16-be",
    "UTF-32LE": "utf-32-le",
    "UTF-32BE": "utf-32-be",
}
_MARKS = (_UTF32_LE, _UTF32_BE, _UTF16_LE, _UTF16_BE)
_EXPANDED = re.compile(rb"\$Id:[^$\n]*+\$")
_IDENT = re.compile(rb"\$Id(?::([^$\n]*+))?\$")


def encoding_of(value: Value) -> str | None:
    """Return the encoding that the attribute asks for, None for UTF-8. Raises GitError for an attribute without one."""
    if value is None or value is False:
        return None
    if value is True or not value:
        raise GitError("true/false are no valid working-tree-encodings")
    name = value.upper()
    name = f"UTF-{name[3:]}" if name[:3] == "UTF" and name[3:4].isdigit() else name
    return None if name == "UTF-8" else name


def _codec(name: str, path: str) -> str:
    codec = _UNMARKED.get(name) or codec_of(name)
    if codec is None:
        raise GitError(
            f"the encoding '{name}' of '{path}' (working-tree-encoding) is not offered in the sandbox (L-GIT-003)"
        )
    return codec


def _bom_fault(path: str, hint: str, text: str) -> GitError:
    return GitError(f"hint: The file '{path}' {hint} working-tree-encoding.\nfatal: {text}", prefix="")


def to_utf8(data: bytes, name: str, path: str) -> bytes:
    """Return the contents of a file of the working tree in UTF-8. Raises GitError for data in another encoding."""
    if not data:
        return data
    marked = _MARKED.get(name)
    has_mark = data.startswith(_MARKS)
    if marked is not None and not has_mark:
        hint = f"is missing a byte order mark (BOM). Please use {name}BE or {name}LE (depending on the byte order) as"
        raise _bom_fault(path, hint, f"BOM is required in '{path}' if encoded as {name}")
    if name in _UNMARKED and has_mark:
        hint = f"contains a byte order mark (BOM). Please use {name[:-2]} as"
        raise _bom_fault(path, hint, f"BOM is prohibited in '{path}' if encoded as {name}")
    codec = marked[0] if marked is not None else _codec(name, path)
    try:
        return data.decode(codec).encode("utf-8")
    except ValueError:
        raise GitError(f"failed to encode '{path}' from {name} to UTF-8") from None


def from_utf8(data: bytes, name: str, path: str) -> bytes:
    """Return data of the repository in the encoding of a file. Raises GitError for characters that it lacks."""
    if not data:
        return data
    marked = _MARKED.get(name)
    try:
        text = data.decode("utf-8")
        return marked[1] + text.encode(marked[2]) if marked is not None else text.encode(_codec(name, path))
    except ValueError:
        raise GitError(f"failed to encode '{path}' from UTF-8 to {name}", prefix="error", status=1) from None


def without_ident(data: bytes) -> bytes:
    """Return data with "$Id$" in place of "$Id: NAME$"."""
    return _EXPANDED.sub(b"$Id$", data) if b"$Id:" in data else data


def with_ident(data: bytes, oid: str) -> bytes:
    """Return data with the name of its object in each "$Id$". Those of other programs, with blanks, stay."""

    def text(match: re.Match[bytes]) -> bytes:
        inner = match[1] or b""
        blank = inner.find(b" ", 1)
        return match[0] if 0 < blank < len(inner) - 1 else b"$Id: " + oid.encode() + b" $"

    return _IDENT.sub(text, data) if b"$Id" in data else data
