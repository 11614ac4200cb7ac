"""The commits between two versions of a submodule: what --submodule=log prints in place of a patch.

Source: git-diff(1), "--submodule"; git 2.39, submodule.c.
"""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.utilities.git.diff.appearance import Appearance
from sandhook.utilities.git.diff.model import Pair
from sandhook.utilities.git.diff.painting import painted
from sandhook.utilities.git.history.bases import merge_bases
from sandhook.utilities.git.history.messages import subject
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.walk import Walk
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.tree import WorkTree


def submodule_log(repository: Repository, pair: Pair, appearance: Appearance) -> Iterator[bytes]:
    """Yield the lines about a submodule."""
    palette = appearance.palette if appearance.colored else None
    work = WorkTree(repository) if repository.place.root is not None else None
    path, old, new = pair.path, pair.old, pair.new

    def line(text: str, color: bytes = b"") -> bytes:
        return (painted(color, encode(text)) if color else encode(text)) + b"\n"

    if "U" in new.dirty:
        yield line(f"Submodule {path} contains untracked content")
    if "M" in new.dirty:
        yield line(f"Submodule {path} contains modified content")
    if old.exists and new.exists and old.oid == new.oid:
        return
    inner = None if work is None else work.submodule(path)
    names = Names(repository)
    first, second = (names.abbreviate(side.oid) for side in (old, new))
    missing = inner is None or any(side.exists and not inner.objects.has(side.oid) for side in (old, new))
    note = "(new submodule)" if not old.exists else "(submodule deleted)" if not new.exists else ""
    note = "(commits not present)" if missing and (inner is not None or not note) else note
    if note or inner is None:
        yield line(f"Submodule {path} {first}...{second} {note}")
        return
    bases = merge_bases(inner, old.oid, [new.oid])
    forward, backward = bases[:1] == [old.oid], bases[:1] == [new.oid]
    dots = ".." if forward or backward else "..."
    yield line(f"Submodule {path} {first}{dots}{second}{' (rewind)' * backward}:")
    removed = {each.oid for each in Walk(inner, [old.oid], [*bases, new.oid], first_parent=True)}
    for commit in Walk(inner, [old.oid, new.oid], bases, first_parent=True):
        is_old = commit.oid in removed
        color = b"" if palette is None else palette.old if is_old else palette.new
        yield line(f"  {'<' if is_old else '>'} {subject(commit.message)}", color)
