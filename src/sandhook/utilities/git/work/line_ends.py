"""What git knows about the line ends of a file: in the index, in the working tree, and by attributes.

Source: git-ls-files(1), "--eol".
"""

from __future__ import annotations

from sandhook.utilities.git.store.index import IndexEntry
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.convert import looks_binary

_REGULAR = 0o100000
_OURS = 2  #: the stage of our side of a conflict


def line_ends(data: bytes) -> str:
    """Return "lf", "crlf", "mixed", "none" without any line end, and "-text" for binary data."""
    if looks_binary(data):
        return "-text"
    both, all_ = data.count(b"\r\n"), data.count(b"\n")
    if not all_:
        return "none"
    return "lf" if not both else "crlf" if both == all_ else "mixed"


def of_index(repository: Repository, entry: IndexEntry | None) -> str:
    """Return the line ends of a file of the index, in a conflict those of our side; "" for what is not a regular file.

    An entry of another tree, and a file that our side removed, has "none".
    """
    if entry is None or entry.mode & 0o170000 != _REGULAR:
        return ""
    entries = repository.index.by_path.get(entry.path, ())
    own = next((each for each in entries if each.stage in (0, _OURS)), None)
    if own is None:
        return "none"
    data = repository.objects.get(own.oid).data
    repository.access.charge(1 + (len(data) >> 10))
    return line_ends(data)


def of_work_tree(repository: Repository, path: str) -> str:
    """Return the line ends of a file in the working tree; "" for what is not a regular file."""
    full = f"{repository.root}/{path}"
    found = repository.access.stat(full)
    if found is None or found.mode & 0o170000 != _REGULAR:
        return ""
    data = repository.access.read_or_none(full) or b""
    repository.access.charge(1 + (len(data) >> 10))
    return line_ends(data)


def of_attributes(repository: Repository, path: str) -> str:
    """Return what attributes ask for, such as "text=auto eol=lf"; "" without them."""
    attributes = repository.attributes.of(path)
    text, eol = attributes.get("text", attributes.get("crlf")), attributes.get("eol")
    if text is False:
        return "-text"
    if text == "input":
        text, eol = True, eol if eol == "crlf" else "lf"
    ending = f" eol={eol}" if eol in ("lf", "crlf") else ""
    if text == "auto":
        return f"text=auto{ending}"
    return f"text{ending}" if text is True or ending else ""
