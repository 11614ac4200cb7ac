"""Sorting of many lines: runs are sorted one by one, and merged two by two, with a charge before each.

One call of ``list.sort`` on all lines would hold the interpreter for seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import merge
from itertools import islice
from typing import Any

from sandhook.command.pieces import Charge

_RUN = 32_768  #: lines that one call sorts
_KEYED_RUN = 8_192  #: lines with keys, which compare ten times as slowly
_LONG_MERGE = 65_536  #: lines with keys that one call merges
_STEP = 8_192  #: lines of a longer merge between two charges


def sort_lines(
    lines: list[bytes], function: Callable[[bytes], Any] | None, reverse: bool, charge: Charge
) -> list[bytes]:
    """Return the lines in the order of a key, or byte by byte; lines with equal keys keep their order."""
    if len(lines) <= _RUN:
        lines.sort(key=function, reverse=reverse)
        return lines
    if function is None:
        return _merge([lines[at : at + _RUN] for at in range(0, len(lines), _RUN)], reverse, charge)
    runs: list[list[Any]] = []
    sign = -1 if reverse else 1  # the place decides between equal keys, and never the line
    for start in range(0, len(lines), _KEYED_RUN):
        charge(_KEYED_RUN >> 3)
        run = []
        for place, line in enumerate(lines[start : start + _KEYED_RUN], start):
            run.append((function(line), sign * place, line))
        runs.append(run)
    return [entry[2] for entry in _merge(runs, reverse, charge)]


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
        pair = [entry for run in runs for entry in run]
        charge(size >> 4)
        pair.sort(reverse=reverse)
        return pair
    entries = merge(*runs, reverse=reverse)
    result: list[Any] = []
    while step := list(islice(entries, _STEP)):
        charge(_STEP >> 2)
        result += step
    return result
