"""The contents of a file of the working tree as git stores them.

Filters, such as those of Git LFS, are programs, so they never run.

Source: git's convert.c, gitattributes(5).
"""

from __future__ import annotations

from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.store.objects import object_id
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.file_encodings import (
    encoding_of,
    from_utf8,
    to_utf8,
    with_ident,
    without_ident,
)

_BINARY_RATIO = 7  #: git: binary if more than one of 128 bytes is not printable


def stored_form(repository: Repository, path: str, data: bytes) -> bytes:
    """Return the data with newlines as the repository has them (convert_to_git).

    Raises:
        GitError: The data are not in the encoding of the file.
    """
    attributes = repository.attributes.of(path)
    encoding = encoding_of(attributes.get("working-tree-encoding"))
    if encoding is not None:
        repository.access.charge(1 + (len(data) >> 8))
        data = to_utf8(data, encoding, path)
    data = _with_newlines(repository, path, data)
    return without_ident(data) if attributes.get("ident") is True else data


def _with_newlines(repository: Repository, path: str, data: bytes) -> bytes:
    if b"\r\n" not in data:
        return data
    action = _action(repository, path)
    if action == "none":
        return data
    if action == "auto" and (looks_binary(data) or _index_has_cr(repository, path)):
        return data
    repository.access.charge(1 + (len(data) >> 10))
    return data.replace(b"\r\n", b"\n")


def working_form(repository: Repository, path: str, data: bytes) -> bytes:
    """Return what git writes into the working tree for data of the repository (convert_to_working_tree).

    Raises:
        GitError: A program would have to convert it, or the encoding of the file lacks a character.
    """
    attributes = repository.attributes.of(path)
    name = attributes.get("filter")
    config = repository.config
    if isinstance(name, str) and any(config.get(f"filter.{name}.{key}") for key in ("smudge", "process")):
        raise GitError(
            f"cannot write '{path}': its filter '{name}' is a program, which git in the sandbox never starts (L-GIT-002)"
        )
    repository.access.charge(1 + (len(data) >> 10))
    if attributes.get("ident") is True and b"$Id" in data:
        data = with_ident(data, object_id("blob", data))
    if b"\n" in data and _writes_crlf(repository, path, data):
        data = data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    encoding = encoding_of(attributes.get("working-tree-encoding"))
    return data if encoding is None else from_utf8(data, encoding, path)


def converts(repository: Repository, path: str) -> bool:
    """Return True if files of this path may be stored in another form than they have."""
    attributes = repository.attributes.of(path)
    is_other = attributes.get("ident") is True or attributes.get("working-tree-encoding")
    return bool(is_other) or _action(repository, path) != "none"


def clean_filter(repository: Repository, path: str) -> str | None:
    """Return the name of the filter, a program, that converts a file for git; None if it has no filter."""
    name = repository.attributes.of(path).get("filter")
    if not isinstance(name, str):
        return None
    config = repository.config
    has_program = any(config.get(f"filter.{name}.{key}") for key in ("clean", "process"))
    return name if has_program or config.boolean(f"filter.{name}.required") else None


def line_end_warning(
    repository: Repository, path: str, data: bytes, *, only_warns: bool = False
) -> str | None:
    """Return the warning that a file gets other line ends when git writes it again (core.safecrlf), or None.

    Args:
        only_warns: Nothing is stored, so core.safecrlf=true is no error.

    Raises:
        GitError: core.safecrlf is "true".
    """
    setting = (repository.config.get("core.safecrlf") or "warn").lower()
    if b"\n" not in data or (setting != "warn" and not repository.config.boolean("core.safecrlf")):
        return None
    encoding = encoding_of(repository.attributes.of(path).get("working-tree-encoding"))
    data = data if encoding is None else to_utf8(data, encoding, path)
    stored = _with_newlines(repository, path, data)
    lost = b"\r\n" in data and b"\r\n" not in stored
    writes_crlf = _writes_crlf(repository, path, stored)
    has_bare = data.count(b"\n") != data.count(b"\r\n")
    if lost and not writes_crlf:
        old, new = "CRLF", "LF"
    elif has_bare and writes_crlf:
        old, new = "LF", "CRLF"
    else:
        return None
    if setting != "warn" and not only_warns:
        raise GitError(f"{old} would be replaced by {new} in {path}")
    return f"warning: in the working copy of '{path}', {old} will be replaced by {new} the next time Git touches it"


def _writes_crlf(repository: Repository, path: str, stored: bytes) -> bool:
    """Return True if git writes a file with CRLF into the working tree."""
    action = _action(repository, path)
    if action == "none" or (action == "auto" and (looks_binary(stored) or b"\r" in stored)):
        return False
    attributes = repository.attributes.of(path)
    if attributes.get("text") == "input" or attributes.get("crlf") == "input":
        return False
    if attributes.get("eol") in ("lf", "crlf"):
        return attributes.get("eol") == "crlf"
    automatic = (repository.config.get("core.autocrlf") or "").lower()
    if automatic == "input":
        return False
    return (
        automatic in ("true", "yes", "on", "1") or (repository.config.get("core.eol") or "").lower() == "crlf"
    )


def _action(repository: Repository, path: str) -> str:
    """Return "text", "auto" or "none"."""
    attributes = repository.attributes.of(path)
    text = attributes.get("text", attributes.get("crlf"))
    if text is True or text == "input":
        return "text"
    if text is False:
        return "none"
    if text == "auto":
        return "auto"
    if attributes.get("eol") in ("lf", "crlf"):
        return "text"
    setting = (repository.config.get("core.autocrlf") or "").lower()
    return "auto" if setting == "input" or setting in ("true", "yes", "on", "1") else "none"


def _index_has_cr(repository: Repository, path: str) -> bool:
    entry = repository.index.get(path)
    found = repository.objects.find(entry.oid) if entry is not None else None
    return found is not None and b"\r\n" in found.data


def looks_binary(data: bytes) -> bool:
    """Return True for data that git does not convert: NULs, lone carriage returns, many odd bytes."""
    if b"\0" in data or data.count(b"\r") != data.count(b"\r\n"):
        return True
    odd = sum(data.count(bytes((code,))) for code in (*range(1, 8), 11, *range(14, 27), *range(28, 32), 127))
    return odd > (len(data) - odd) >> _BINARY_RATIO
