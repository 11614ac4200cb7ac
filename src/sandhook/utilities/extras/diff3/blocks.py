"""The differences of three files: the changes of two of them to a third one, merged."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.limits import Budget
from sandhook.record import Record
from sandhook.utilities.compare.matching import Change, compare, equal_ends

_HORIZON = 100  #: equal lines at the ends that are still included in the comparison

ALL, FIRST, SECOND, THIRD = "", "1", "2", "3"


class Block(Record):
    """Lines that differ between the files.

    Attributes:
        odd: The file that differs from the two others, ALL if all differ.
        ranges: Start and end of its lines in each of the three files (0-based).
    """

    odd: str
    ranges: tuple[tuple[int, int], tuple[int, int], tuple[int, int]]


def blocks(files: Sequence[Sequence[bytes]], common: int, budget: Budget) -> list[Block]:
    """Return the blocks of three files, in order.

    Args:
        common: The index of the file that the two others are compared with, 1 or 2.
    """
    others = [at for at in range(3) if at != common]
    changes = [_changes(files[common], files[other], budget) for other in others]
    deltas = [0, 0]
    places = [0, 0]
    result: list[Block] = []
    while any(places[side] < len(changes[side]) for side in (0, 1)):
        budget.charge(1)
        side = _first(changes, places)
        start = changes[side][places[side]].old
        end = start
        merged_changes: tuple[list[Change], list[Change]] = ([], [])
        while True:
            side = next(
                (each for each in (0, 1) if places[each] < len(changes[each]) and changes[each][places[each]].old <= end and (merged_changes[0] or merged_changes[1] or changes[each][places[each]].old == start)),
                -1,
            )  # fmt: skip
            if side < 0:
                break
            change = changes[side][places[side]]
            places[side] += 1
            merged_changes[side].append(change)
            end = max(end, change.old_end)
        ranges = [(0, 0)] * 3
        ranges[common] = (start, end)
        for side, other in enumerate(others):
            if merged_changes[side]:
                first, last = merged_changes[side][0], merged_changes[side][-1]
                deltas[side] = last.new_end - last.old_end
                ranges[other] = (first.new - (first.old - start), last.new_end + (end - last.old_end))
            else:
                ranges[other] = (start + deltas[side], end + deltas[side])
        odd = _odd(files, ranges, merged_changes, common, others)
        result.append(Block(odd, (ranges[0], ranges[1], ranges[2])))
    return result


def _first(changes: Sequence[Sequence[Change]], places: Sequence[int]) -> int:
    if places[0] >= len(changes[0]):
        return 1
    if places[1] >= len(changes[1]):
        return 0
    return 0 if changes[0][places[0]].old <= changes[1][places[1]].old else 1


def _odd(
    files: Sequence[Sequence[bytes]],
    ranges: Sequence[tuple[int, int]],
    merged_changes: tuple[list[Change], list[Change]],
    common: int,
    others: Sequence[int],
) -> str:
    if not merged_changes[1]:
        return str(others[0] + 1)
    if not merged_changes[0]:
        return str(others[1] + 1)
    first, second = (files[other][ranges[other][0] : ranges[other][1]] for other in others)
    return str(common + 1) if first == second else ALL


def _changes(common: Sequence[bytes], other: Sequence[bytes], budget: Budget) -> list[Change]:
    """Return the changes from the common file to another one. Like diff3, compare in the opposite direction."""
    numbers: dict[bytes, int] = {}
    news = [numbers.setdefault(line, len(numbers)) for line in other]
    olds = [numbers.setdefault(line, len(numbers)) for line in common]
    changes = compare(news, olds, budget.charge, equal_ends(news, olds, _HORIZON))
    return [Change(change.new, change.new_end, change.old, change.old_end) for change in changes]
