"""Finds renames and copies among added and removed files.

Source: git 2.39, diffcore-rename.c and diffcore-delta.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sandhook.utilities.git.diff.model import MOST_SCORE, NULL_ID, Pair, Side
from sandhook.utilities.git.store.index import order
from sandhook.utilities.git.store.objects import EMPTY_BLOB, object_id

_CHUNK = 64  #: bytes of a line that are compared as one piece
_RENAME_LIMIT = 1000
_HALF = MOST_SCORE // 2

Load = Callable[[Side], bytes]


class _Contents:
    """The pieces of files, with the bytes that each kind of piece has."""

    def __init__(self, load: Load, charge: Callable[[int], None]) -> None:
        self._load = load
        self.charge = charge
        self._pieces: dict[Side, dict[bytes, int]] = {}
        self._sizes: dict[Side, int] = {}

    def size(self, side: Side) -> int:
        if side not in self._sizes:
            self._sizes[side] = len(self._load(side))
        return self._sizes[side]

    def pieces(self, side: Side) -> dict[bytes, int]:
        known = self._pieces.get(side)
        if known is None:
            data = self._load(side)
            self.charge(1 + (len(data) >> 5))
            known = self._pieces[side] = _count(data)
        return known


def _count(data: bytes) -> dict[bytes, int]:
    """Return the bytes in each kind of piece: a line, or 64 bytes of a longer one."""
    is_text = b"\0" not in data[:8000]
    counts: dict[bytes, int] = {}
    start = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1
        line = data[start : end or len(data)]
        start += len(line)
        if is_text and line.endswith(b"\r\n"):
            line = line[:-2] + b"\n"
        for at in range(0, len(line), _CHUNK):
            piece = line[at : at + _CHUNK]
            if len(piece) == _CHUNK or piece.endswith(b"\n"):
                counts[piece] = counts.get(piece, 0) + len(piece)
    return counts


def _similarity(contents: _Contents, old: Side, new: Side, least: int) -> int:
    """Return the score of two files; 0 if it is surely below ``least``."""
    sizes = contents.size(old), contents.size(new)
    large, delta = max(sizes), abs(sizes[0] - sizes[1])
    if large * (MOST_SCORE - least) < delta * MOST_SCORE or not sizes[0] or not sizes[1]:
        return 0
    before, after = contents.pieces(old), contents.pieces(new)
    copied = sum(min(count, after.get(piece, 0)) for piece, count in before.items())
    return copied * MOST_SCORE // large


def damage(pair: Pair, load: Load, charge: Callable[[int], None], *, whole: bool = False) -> int:
    """Return the bytes that a pair removes and adds; with ``whole``, 1 for a pair that changes anything."""
    old, new = pair.old, pair.new
    if old.exists and new.exists and old.oid == new.oid != NULL_ID:
        return 0
    contents = _Contents(load, charge)
    if old.exists and new.exists and NULL_ID in (old.oid, new.oid) and load(old) == load(new):
        return 0
    if whole:
        return 1
    removed, added = (contents.size(side) if side.exists else 0 for side in (old, new))
    if old.exists and new.exists:
        before, after = contents.pieces(old), contents.pieces(new)
        copied = sum(min(count, after.get(piece, 0)) for piece, count in before.items())
        removed, added = (
            removed - copied,
            sum(max(0, count - before.get(piece, 0)) for piece, count in after.items()),
        )
    return removed + added or 1


def _is_regular(side: Side) -> bool:
    return side.mode & 0o170000 == 0o100000


def find_renames(
    pairs: list[Pair],
    load: Load,
    charge: Callable[[int], None],
    *,
    least: int = _HALF,
    copies: bool = False,
    limit: int = _RENAME_LIMIT,
    more_sources: Iterable[Side] = (),
    with_empty: bool = True,
) -> list[Pair]:
    """Return the pairs with renames in place of files that were added and removed.

    Args:
        least: The least similarity, up to MOST_SCORE.
        copies: Files that were changed are sources, too.
        more_sources: Unchanged files that are sources of copies.
        with_empty: Empty files can be renamed.
    """
    if not with_empty:
        empty = [pair for pair in pairs if EMPTY_BLOB in (pair.old.oid, pair.new.oid) and pair.status in "AD"]
        if empty:
            others = [pair for pair in pairs if pair not in empty]
            found_rest = find_renames(
                others, load, charge, least=least, copies=copies, limit=limit, more_sources=more_sources
            )
            return sorted([*found_rest, *empty], key=lambda pair: order(pair.path))
    targets = [pair for pair in pairs if pair.status == "A"]
    removed = [pair.old for pair in pairs if pair.status == "D"]
    sources = list(removed)
    if copies:
        sources += [pair.old for pair in pairs if pair.status in "MT"]
        changed = {pair.path for pair in pairs}
        sources += [side for side in more_sources if side.path not in changed]
    if not targets or not sources:
        return pairs
    pairs = [_hashed(pair, load, charge) if pair.status == "A" else pair for pair in pairs]
    targets = [pair for pair in pairs if pair.status == "A"]
    contents = _Contents(load, charge)
    found = _Matches()
    _find_exact(targets, sources, found, contents)
    rest = [pair.new for pair in targets if pair.new.path not in found.by_target]
    if least < MOST_SCORE and rest:
        if not copies:
            _find_by_name(
                rest, [side for side in removed if side.path not in found.used], found, contents, least
            )
            rest = [side for side in rest if side.path not in found.by_target]
        left = sources if copies else [side for side in sources if side.path not in found.used]
        if len(rest) * len(left) <= limit * limit:
            _find_similar(rest, left, found, contents, (least, copies))
    return _merged(pairs, found, {side.path for side in removed})


def _hashed(pair: Pair, load: Load, charge: Callable[[int], None]) -> Pair:
    """Return an added file of the working tree with the name that its contents would have as an object."""
    if pair.new.oid != NULL_ID or not pair.new.in_work_tree:
        return pair
    data = load(pair.new)
    charge(1 + (len(data) >> 10))
    return pair._replace(new=pair.new._replace(oid=object_id("blob", data)))


class _Matches:
    """The renames that were found: new path to source and score."""

    def __init__(self) -> None:
        self.by_target: dict[str, tuple[Side, int]] = {}
        self.used: dict[str, int] = {}

    def add(self, target: Side, source: Side, score: int) -> None:
        self.by_target[target.path] = (source, score)
        self.used[source.path] = self.used.get(source.path, 0) + 1


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _identity(side: Side, contents: _Contents) -> object:
    return side.oid if side.oid != NULL_ID else ("path", side.path)


def _find_exact(targets: list[Pair], sources: list[Side], found: _Matches, contents: _Contents) -> None:
    by_content: dict[object, list[Side]] = {}
    for side in sources:
        by_content.setdefault(_identity(side, contents), []).append(side)
    for pair in targets:
        target = pair.new
        best, best_score = None, -1
        for source in by_content.get(_identity(target, contents), []):
            if source.mode & 0o170000 != target.mode & 0o170000:
                continue
            score = int(source.path not in found.used) + int(_base(source.path) == _base(target.path))
            if score > best_score:
                best, best_score = source, score
                if score == 2:
                    break
        if best is not None:
            found.add(target, best, MOST_SCORE)


def _find_by_name(
    targets: list[Side], sources: list[Side], found: _Matches, contents: _Contents, least: int
) -> None:
    """Match files whose names are unique among added and among removed files (find_basename_matches)."""
    names: dict[str, list[list[Side]]] = {}
    for number, sides in enumerate((sources, targets)):
        for side in sides:
            names.setdefault(_base(side.path), [[], []])[number].append(side)
    wanted = least + (MOST_SCORE - least) // 2
    for olds, news in names.values():
        if len(olds) == len(news) == 1 and _is_regular(olds[0]) and _is_regular(news[0]):
            score = _similarity(contents, olds[0], news[0], wanted)
            if score >= wanted:
                found.add(news[0], olds[0], score)


def _find_similar(
    targets: list[Side],
    sources: list[Side],
    found: _Matches,
    contents: _Contents,
    mode: tuple[int, bool],
) -> None:
    """Match the most similar files; ``mode``: the least score, and whether a source serves several targets."""
    least, copies = mode
    scores: list[tuple[int, int, int, int]] = []
    for number, target in enumerate(targets):
        if not _is_regular(target):
            continue
        best = []
        for other, source in enumerate(sources):
            contents.charge(2)
            if not _is_regular(source):
                continue
            score = _similarity(contents, source, target, least)
            if score >= least:
                same_name = int(_base(source.path) == _base(target.path))
                best.append((-score, -same_name, number, other))
        scores += sorted(best)[:4]
    scores.sort(key=lambda each: each[:2])
    for round_ in (0, 1) if copies else (0,):
        for negative, _, number, other in scores:
            target, source = targets[number], sources[other]
            if target.path in found.by_target or (round_ == 0 and source.path in found.used):
                continue
            found.add(target, source, -negative)


def _merged(pairs: list[Pair], found: _Matches, removed: set[str]) -> list[Pair]:
    left = dict(found.used)
    result = []
    for pair in sorted(pairs, key=lambda each: order(each.path)):
        if pair.status == "A" and pair.path in found.by_target:
            source, score = found.by_target[pair.path]
            left[source.path] -= 1
            is_rename = source.path in removed and left[source.path] == 0
            result.append(Pair(source, pair.new, "R" if is_rename else "C", score))
        elif pair.status != "D" or pair.path not in found.used:
            result.append(pair)
    return result
