"""What changed in the files of a session, as a list and as a unified diff in git's format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sandhook.record import Record
from sandhook.utilities.compare.matching import Change as Hunk
from sandhook.utilities.compare.matching import compare
from sandhook.utilities.compare.sides import is_binary
from sandhook.vfs.changes import CREATED, DELETED, Change, Changes
from sandhook.vfs.inode import S_IFMT
from sandhook.vfs.snapshot import difference

if TYPE_CHECKING:
    from sandhook.vfs.path import VirtualPath
    from sandhook.vfs.snapshot import SavedInode, Snapshot

#: Lines around a change.
_CONTEXT = 3

_NONE = "/dev/null"


class SessionDiff(Record):
    """The difference of the files of two states of a session.

    Fields:
        changes: Paths that were created, modified, deleted, or whose permission bits changed, deletions first.
        text: A unified diff that ``git apply`` and ``patch -p1`` read in the root directory. It lacks directories,
            FIFOs, and contents that are not text, which it names. Bytes that are not UTF-8 are surrogate escapes.
    """

    changes: Changes
    text: str


def files_diff(before: Snapshot, after: Snapshot) -> SessionDiff:
    """Return what changed from one state to another."""
    changes = difference(before, after)
    old = before.paths()
    pieces = [_patch(change, old) for change in changes if change.is_file or change.is_link]
    return SessionDiff(changes, "".join(pieces))


def _patch(change: Change, before: Mapping[VirtualPath, SavedInode]) -> str:
    """Return the part of the diff for one path."""
    path = change.path
    saved = before.get(path)
    created = change.kind == CREATED or saved is None or saved.mode & S_IFMT != change.mode & S_IFMT
    deleted = change.kind == DELETED
    old_name = _quoted(f"a{path}")
    new_name = _quoted(f"b{path}")
    lines = [f"diff --git {old_name} {new_name}\n"]
    if deleted:
        lines.append(f"deleted file mode {_mode(change.mode)}\n")
    elif created:
        lines.append(f"new file mode {_mode(change.mode)}\n")
    elif saved is not None and _mode(saved.mode) != _mode(change.mode):
        lines += (f"old mode {_mode(saved.mode)}\n", f"new mode {_mode(change.mode)}\n")
    old = b"" if created or saved is None else _content(saved)
    new = b"" if deleted else change.content()
    if old != new:
        names = _NONE if created and not deleted else old_name, _NONE if deleted else new_name
        lines.append(_hunks(names, old, new))
    return "".join(lines) if len(lines) > 1 else ""


def _content(saved: SavedInode) -> bytes:
    target = saved.target
    return target.encode("utf-8", "surrogateescape") if target and isinstance(target, str) else saved.data


def _mode(mode: int) -> str:
    """Return the mode as git has it: a link, or a file that is executable or not."""
    if mode & S_IFMT != 0o100000:
        return "120000"
    return "100755" if mode & 0o100 else "100644"


def _quoted(name: str) -> str:
    """Return a name as git prints it: quoted with octal escapes when it has bytes outside of printable ASCII."""
    if name.isascii() and name.isprintable() and '"' not in name and "\\" not in name:
        return name
    escaped = (
        f"\\{chr(byte)}" if byte in b'"\\' else chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
        for byte in name.encode("utf-8", "surrogateescape")
    )
    return f'"{"".join(escaped)}"'


def _hunks(names: tuple[str, str], old: bytes, new: bytes) -> str:
    """Return the headings and all hunks of two contents."""
    if is_binary(old) or is_binary(new):
        return f"Binary files {names[0]} and {names[1]} differ\n"
    first, second = (data.decode("utf-8", "surrogateescape").split("\n") for data in (old, new))
    sides = [_lines(first), _lines(second)]
    numbers: dict[str, int] = {}
    left, right = ([numbers.setdefault(line, len(numbers)) for line in side] for side in sides)
    pieces = [f"--- {_ended(names[0])}\n+++ {_ended(names[1])}\n"]
    for group in _grouped(compare(left, right, _free)):
        pieces += _hunk(group, sides[0], sides[1])
    return "".join(pieces)


def _free(steps: int) -> None:
    """Charge nothing: the caller compares, not a script."""


def _ended(name: str) -> str:
    """Return a name whose end patch can find: a tab follows one with a blank."""
    return f"{name}\t" if " " in name and name[0] != '"' else name


def _lines(pieces: list[str]) -> list[str]:
    """Return lines with their newlines; the last one may lack it."""
    lines = [f"{piece}\n" for piece in pieces[:-1]]
    return [*lines, pieces[-1]] if pieces[-1] else lines


def _grouped(changes: list[Hunk]) -> Iterator[list[Hunk]]:
    """Yield the changes that share a hunk, because their context touches."""
    group: list[Hunk] = []
    for change in changes:
        if group and change.old - group[-1].old_end > 2 * _CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(group: list[Hunk], old: list[str], new: list[str]) -> Iterator[str]:
    first, last = group[0], group[-1]
    before = min(_CONTEXT, first.old)
    after = min(_CONTEXT, len(old) - last.old_end)
    old_span = _span(first.old - before, last.old_end + after)
    new_span = _span(first.new - before, last.new_end + after)
    yield f"@@ -{old_span} +{new_span} @@\n"
    at = first.old - before
    for change in group:
        yield from (_marked(" ", line) for line in old[at : change.old])
        yield from (_marked("-", line) for line in old[change.old : change.old_end])
        yield from (_marked("+", line) for line in new[change.new : change.new_end])
        at = change.old_end
    yield from (_marked(" ", line) for line in old[at : at + after])


def _span(start: int, end: int) -> str:
    """Return lines as a hunk names them: the first one from 1, or the line before an empty span, and how many."""
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + (count > 0)},{count}"


def _marked(mark: str, line: str) -> str:
    return f"{mark}{line}" if line[-1:] == "\n" else f"{mark}{line}\n\\ No newline at end of file\n"
