"""Sorting of many lines: runs are sorted one by one, and merged two by two, with a charge before each.

One call of ``list.sort`` on all lines would hold the interpreter for seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandhook.command.pieces import Charge

_RUN = 32_768  #: lines that one call sorts


def sort_lines(
    lines: list[bytes], function: Callable[[bytes], Any] | None, reverse: bool, charge: Charge
) -> list[bytes]:
    """Return the lines in the order of a key, or byte by byte; lines with equal keys keep their order."""
    if len(lines) <= _RUN:
        lines.sort(key=function, reverse=reverse)
        return lines
    if function is None:
        return _merged([lines[at : at + _RUN] for at in range(0, len(lines), _RUN)], reverse, charge)
    runs: list[list[Any]] = []
    sign = -1 if reverse else 1  # the place decides between equal keys, and never the line
    for start in range(0, len(lines), _RUN):
        charge(_RUN >> 3)
        run = []
        for place, line in enumerate(lines[start : start + _RUN], start):
            run.append((function(line), sign * place, line))
        runs.append(run)
    return [entry[2] for entry in _merged(runs, reverse, charge)]


def _merged(runs: list[list[Any]], reverse: bool, charge: Charge) -> list[Any]:
    """Sort each run, then merge neighbours until one is left: ``list.sort`` merges two runs in linear time."""
    for run in runs:
        charge(len(run) >> 3)
        run.sort(reverse=reverse)
    while len(runs) > 1:
        merged = []
        for at in range(0, len(runs), 2):
            pair = [entry for run in runs[at : at + 2] for entry in run]
            charge(len(pair) >> 4)
            pair.sort(reverse=reverse)
            merged.append(pair)
        runs = merged
    return runs[0]
