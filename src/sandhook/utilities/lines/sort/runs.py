"""Sorting of many lines: runs are sorted one by one, and merged two by two, with a charge before each.

One call of ``list.sort`` on all lines would hold the interpreter for seconds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from heapq import merge
from itertools import chain, count, islice, repeat
from typing import Any

from sandhook.command.pieces import Charge
from sandhook.lazy import lazily
from sandhook.utilities.lines.sort.keys import keys_of

#: Lines of integers without blanks, signs before 0 and leading zeros; a C integer holds each.
_PLAIN = lazily(rb"(?>(?:-?[1-9][0-9]{0,17}|0)\n)*+")

_RUN = 32_768  #: lines that one call sorts
_FEW = 100  #: lines whose keys are computed one by one
_KEYED_RUN = 8_192  #: lines with keys, which compare ten times as slowly
_LONG_MERGE = 65_536  #: lines with keys that one call merges
_STEP = 8_192  #: lines of a longer merge between two charges
_SAMPLE = 1_024  #: lines in which equal ones are looked for


def sort_lines(
    lines: list[bytes], function: Callable[[bytes], Any] | None, reverse: bool, charge: Charge
) -> list[bytes]:
    """Return the lines in the order of a key, or byte by byte; lines with equal keys keep their order."""
    if len(lines) <= _RUN:
        if function is not None and len(lines) > _FEW:
            keys = iter(keys_of(function, lines))
            lines.sort(key=lambda line: next(keys), reverse=reverse)
        else:
            lines.sort(key=function, reverse=reverse)
        return lines
    if function is None:
        return _merge([lines[at : at + _RUN] for at in range(0, len(lines), _RUN)], reverse, charge)
    runs = []
    for start in range(0, len(lines), _KEYED_RUN):
        charge(_KEYED_RUN >> 3)
        runs.append(keys_of(function, lines[start : start + _KEYED_RUN]))
    if all(set(map(type, keys)) == {int} for keys in runs):
        return _by_integers(lines, runs, reverse, charge)
    sign = -1 if reverse else 1  # the place decides between equal keys, and never the line
    places = count(0, sign)
    entries = [[(key, next(places)) for key in keys] for keys in runs]
    return [lines[sign * place] for _, place in _merge(entries, reverse, charge)]


def has_many_equals(lines: list[bytes]) -> bool:
    """Whether at least half of many lines occur again, as far as a sample of them shows."""
    step = len(lines) // _SAMPLE
    return step > 1 and len(set(lines[: step * _SAMPLE : step])) <= _SAMPLE // 2


def sorted_once(
    lines: list[bytes], sort: Callable[[list[bytes], Charge], list[bytes]], charge: Charge
) -> list[bytes]:
    """Return lines as ``sort`` orders them. It gets each only once, and must keep no order of lines with equal keys."""
    times: Counter[bytes] = Counter()
    for start in range(0, len(lines), _RUN):
        charge(_RUN >> 3)
        times.update(lines[start : start + _RUN])
        if 2 * len(times) > min(start + _RUN, len(lines)):  # the sample was not like the rest: hold no more
            return sort(lines, charge)
    ordered = sort(list(times), charge)
    return list(chain.from_iterable(map(repeat, ordered, map(times.__getitem__, ordered))))


def sorted_integers(lines: list[bytes], reverse: bool, charge: Charge) -> list[bytes] | None:
    """Return lines in the order of -n, or None if one is not an integer as ``str`` writes it.

    Equal lines are then the same bytes, so neither their places nor a second order decide.
    """
    runs = []
    for start in range(0, len(lines), _RUN):
        charge(_RUN >> 3)
        run = lines[start : start + _RUN]
        block = b"\n".join(run) + b"\n"
        if _PLAIN.fullmatch(block) is None or block.count(b"\n") != len(
            run
        ):  # with -z, lines may contain newlines
            return None
        runs.append(list(map(int, run)))
    given = [number for run in runs for number in run]
    numbers = _merge(runs, reverse, charge) if runs else []
    if numbers == given:  # as in the output of seq
        return lines
    result: list[bytes] = []
    for start in range(0, len(numbers), _RUN):
        charge(_RUN >> 3)
        result += map(b"%d".__mod__, numbers[start : start + _RUN])
    return result


def _by_integers(lines: list[bytes], runs: list[list[int]], reverse: bool, charge: Charge) -> list[bytes]:
    """Sort lines by integers. An entry is one integer, the key and the place of its line: it compares faster than a tuple."""
    mask = (1 << len(lines).bit_length()) - 1
    bits, places = mask.bit_length(), count(mask, -1) if reverse else count()
    entries = [[key << bits | place for key, place in zip(keys, places)] for keys in runs]
    merged = _merge(entries, reverse, charge)
    return [lines[mask - (entry & mask) if reverse else entry & mask] for entry in merged]


def _merge(runs: list[list[Any]], reverse: bool, charge: Charge) -> list[Any]:
    """Sort each run, then merge neighbours until one is left: ``list.sort`` merges two runs in linear time."""
    for run in runs:
        charge(len(run) >> 3)
        run.sort(reverse=reverse)
    while len(runs) > 1:
        merged = []
        for at in range(0, len(runs), 2):
            merged.append(_merge_pair(runs[at : at + 2], reverse, charge))
        runs = merged
    return runs[0]


def _merge_pair(runs: list[list[Any]], reverse: bool, charge: Charge) -> list[Any]:
    """Merge one or two runs; many lines with keys are merged in Python, which lets other threads run."""
    size = sum(map(len, runs))
    if size <= _LONG_MERGE or not isinstance(runs[0][0], tuple):
        pair = runs[0] + runs[1] if len(runs) == 2 else runs[0]
        charge(size >> 4)
        pair.sort(reverse=reverse)
        return pair
    entries = merge(*runs, reverse=reverse)
    result: list[Any] = []
    while step := list(islice(entries, _STEP)):
        charge(_STEP >> 2)
        result += step
    return result
