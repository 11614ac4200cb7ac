"""Reads and applies the changes of binary files: "GIT binary patch".

Source: git-diff(1), "--binary"; git 2.39, parse_binary and apply_binary in apply.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.lazy import lazily
from sandhook.record import Record
from sandhook.utilities.git.diff.binary import decoded_line
from sandhook.utilities.git.errors import GitError, MissingObject
from sandhook.utilities.git.store.access import Access
from sandhook.utilities.git.store.objects import ObjectStore, object_id
from sandhook.utilities.git.store.packs import apply_delta, feeds, inflate

_HEAD = lazily(rb"(literal|delta) (\d{1,12})")
_NULL = "0" * 40
_NO_PATCH = 'error: No valid patches in input (allow with "--allow-empty")'


class BinaryHunk(Record):
    """One direction of a change: the contents ("literal"), or what makes them of the other file ("delta")."""

    kind: str
    size: int
    packed: bytes


class BinaryChange(Record):
    """The change of a binary file.

    Fields:
        old, new: The names of both files as objects, "" where the patch does not have the whole name.
        forward, reverse: Both directions; None without data.
    """

    old: str
    new: str
    forward: BinaryHunk | None = None
    reverse: BinaryHunk | None = None

    def reversed(self) -> BinaryChange:
        """Return the change that undoes this one."""
        return BinaryChange(self.new, self.old, self.reverse, self.forward)

    def result(self, objects: ObjectStore | None, access: Access, path: str, data: bytes) -> bytes:
        """Return what the change makes of a file. Raises GitError for another file than that of the patch."""
        if not (self.old and self.new):
            raise _fault(f"cannot apply binary patch to '{path}' without full index line", path)
        found = object_id("blob", data)
        if self.old == _NULL and data:
            raise _fault(f"the patch applies to an empty '{path}' but it is not empty", path)
        if self.old not in (_NULL, found):
            raise _fault(
                f"the patch applies to '{path}' ({found}), which does not match the current contents.", path
            )
        if self.new == _NULL:
            return b""
        if objects is not None and objects.has(self.new):
            return objects.get(self.new).data
        if self.forward is None:
            raise _fault(f"missing binary patch data for '{path}'", path)
        made = self._made(access, self.forward, path, data)
        access.charge(1 + (len(made) >> 10))
        if (name := object_id("blob", made)) != self.new:
            raise _fault(
                f"binary patch to '{path}' creates incorrect result (expecting {self.new}, got {name})", path
            )
        return made

    def _made(self, access: Access, hunk: BinaryHunk, path: str, data: bytes) -> bytes:
        try:
            text = inflate(access, feeds(hunk.packed), hunk.size, path)
            return text if hunk.kind == "literal" else apply_delta(access, data, text)
        except MissingObject:
            raise _fault(f"binary patch does not apply to '{path}'", path) from None


def _fault(text: str, path: str) -> GitError:
    return GitError(f"{text}\nerror: {path}: patch does not apply", prefix="error", status=1)


def unrecognized(number: int) -> GitError:
    """Return the error for a line that does not begin the data of a file."""
    return GitError(f"unrecognized binary patch at line {number}\n{_NO_PATCH}", prefix="error")


def read_hunk(lines: Sequence[bytes], at: int) -> tuple[BinaryHunk | None, int]:
    """Return the hunk at a line, None without one, and the line after it. Raises GitError for a damaged one."""
    found = _HEAD.fullmatch(lines[at]) if at < len(lines) else None
    if found is None:
        return None, at
    pieces: list[bytes] = []
    at += 1
    while at < len(lines) and lines[at]:
        data = decoded_line(lines[at])
        if data is None:
            shown = lines[at].decode("utf-8", "replace")
            raise GitError(f"corrupt binary patch at line {at + 1}: {shown}\n{_NO_PATCH}", prefix="error")
        pieces.append(data)
        at += 1
    return BinaryHunk(found[1].decode(), int(found[2]), b"".join(pieces)), at + 1
