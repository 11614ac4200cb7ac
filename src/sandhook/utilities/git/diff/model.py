"""What a comparison of trees finds: pairs of files."""

from __future__ import annotations

from sandhook.record import Record

NULL_ID = "0" * 40
MOST_SCORE = 60_000  #: the score of identical files


class Side(Record):
    """One of the two files of a pair.

    Fields:
        mode: 0 for a file that does not exist.
        oid: The object; NULL_ID for a file of the working tree, which was not hashed.
        in_work_tree: The contents are those of the file in the working tree.
        dirty: A submodule with changes.
    """

    path: str
    mode: int
    oid: str
    in_work_tree: bool = False
    dirty: str = ""

    @property
    def exists(self) -> bool:
        """True if there is a file."""
        return self.mode != 0


class Pair(Record):
    """A change of a file.

    Fields:
        status: A, C, D, M, R, T or U.
        score: Similarity of a rename or copy, or of a rewrite, up to MOST_SCORE.
    """

    old: Side
    new: Side
    status: str
    score: int = 0

    @property
    def path(self) -> str:
        """The path of the new file, or of the removed one."""
        return self.new.path

    @property
    def percent(self) -> int:
        """The similarity in per cent."""
        return self.score * 100 // MOST_SCORE


def pair_of(path: str, old: Side | None, new: Side | None) -> Pair:
    """Return the pair of two sides that differ; None for a file that does not exist."""
    before = old or Side(path, 0, NULL_ID)
    after = new or Side(path, 0, NULL_ID)
    if not before.exists:
        status = "A"
    elif not after.exists:
        status = "D"
    elif before.mode & 0o170000 != after.mode & 0o170000:
        status = "T"
    else:
        status = "M"
    return Pair(before, after, status)


def raw_id(side: Side) -> str:
    """Return the object of one side, as --raw shows it: none for a submodule of the working tree."""
    return NULL_ID if side.in_work_tree and side.mode == 0o160000 else side.oid


def side_below(base: str, side: Side) -> Side:
    """Return a side with its path after the prefix of --relative."""
    if not side.path.startswith(base):
        return side
    return side._replace(path=side.path[len(base) :].removeprefix("/"))


def reversed_pair(pair: Pair) -> Pair:
    """Return the pair that undoes a change."""
    status = {"A": "D", "D": "A"}.get(pair.status, pair.status)
    return Pair(pair.new, pair.old, status, pair.score)
