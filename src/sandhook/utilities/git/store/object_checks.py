"""Checks the data of an object before it is named or stored, as hash-object does.

Source: git 2.39, index_mem in object-file.c, commit.c, tree-walk.c and tag.c.
"""

from __future__ import annotations

from sandhook.lazy import lazily
from sandhook.utilities.git.errors import GitError

_COMMIT = lazily(rb"tree [0-9a-f]{40}\n")
_PARENT = lazily(rb"parent [0-9a-f]{40}\n")
_TAG = lazily(rb"object [0-9a-f]{40}\ntype (?:blob|tree|commit|tag)\ntag [^\n]+\n")
_NULL = "0" * 40
_RAW = 20  #: bytes of the name of an object in a tree


def check_object(kind: str, data: bytes) -> None:
    """Raise GitError for data that is not an object of a type; anything is a blob."""
    if kind == "tree":
        _check_tree(data)
    elif kind == "commit":
        _check_commit(data)
    elif kind == "tag" and _TAG.match(data) is None:
        raise GitError("corrupt tag")


def _check_commit(data: bytes) -> None:
    start = _COMMIT.match(data)
    problem = None if start is not None else "bogus commit object"
    at = start.end() if start is not None else 0
    while (parent := _PARENT.match(data, at)) is not None:
        at = parent.end()
    if problem is None and data.startswith(b"parent ", at):
        problem = "bad parents in commit"
    if problem is not None:
        raise GitError(f"{problem} {_NULL}\nfatal: corrupt commit", prefix="error")


def _check_tree(data: bytes) -> None:
    at = 0
    while at < len(data):
        if len(data) - at < 3 + _RAW or data[-(_RAW + 1)]:
            raise GitError("too-short tree object")
        blank, end = data.find(b" ", at), data.find(b"\0", at)
        mode = data[at:blank]
        if not 0 <= blank < end or not mode or any(digit not in b"01234567" for digit in mode):
            raise GitError("malformed mode in tree entry")
        if end == blank + 1:
            raise GitError("empty filename in tree entry")
        if end + 1 + _RAW > len(data):
            raise GitError("too-short tree file")
        at = end + 1 + _RAW
