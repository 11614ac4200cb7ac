"""Solves the assignment problem: which row goes with which column, at the least cost in all.

Source: R. Jonker, A. Volgenant: "A shortest augmenting path algorithm for dense and sparse linear assignment problems",
Computing 38 (1987).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

_FREE = -1


def assign(costs: Sequence[Sequence[int]], charge: Callable[[int], None]) -> list[int]:
    """Return the column of each row.

    Args:
        costs: The cost of each column for each row; as many columns as rows.
        charge: Takes the steps of the search.
    """
    return _Assignment(costs, charge).run() if costs else []


class _Assignment:
    """The state of a search: prices of columns, and what is assigned to each other."""

    def __init__(self, costs: Sequence[Sequence[int]], charge: Callable[[int], None]) -> None:
        self._costs = costs
        self._charge = charge
        self._size = len(costs)
        self._prices = [0] * self._size
        self._column_of = [_FREE] * self._size
        self._row_of = [_FREE] * self._size

    def run(self) -> list[int]:
        """Return the column of each row."""
        free = self._transfer(self._reduce_columns())
        for _ in range(2):
            free = self._reduce_rows(free)
        for row in free:
            self._augment(row)
        return self._column_of

    def _reduced(self, row: int, column: int) -> int:
        return self._costs[row][column] - self._prices[column]

    def _reduce_columns(self) -> set[int]:
        """Give each column to its cheapest row; return the rows that are the cheapest of several columns."""
        several: set[int] = set()
        for column in reversed(range(self._size)):
            self._charge(self._size)
            row = min(range(self._size), key=lambda each: self._costs[each][column])
            self._prices[column] = self._costs[row][column]
            if self._column_of[row] == _FREE:
                self._column_of[row], self._row_of[column] = column, row
            else:
                several.add(row)
        return several

    def _transfer(self, several: set[int]) -> list[int]:
        """Lower the prices of columns whose row has no other one; return the rows without a column."""
        free = []
        for row in range(self._size):
            column = self._column_of[row]
            if column == _FREE:
                free.append(row)
            elif row not in several and self._size > 1:
                self._charge(self._size)
                others = (self._reduced(row, each) for each in range(self._size) if each != column)
                self._prices[column] -= min(others)
        return free

    def _reduce_rows(self, free: list[int]) -> list[int]:
        """Give free rows their cheapest columns, which may free others; return those that stay free."""
        left: list[int] = []
        queue = list(reversed(free))
        while queue:
            row = queue.pop()
            self._charge(self._size)
            first, second = self._two_cheapest(row)
            least, next_least = self._reduced(row, first), self._reduced(row, second)
            former = self._row_of[first]
            if least < next_least:
                self._prices[first] -= next_least - least
            elif former != _FREE:
                first, former = second, self._row_of[second]
            if former != _FREE:
                (queue if least < next_least else left).append(former)
            self._column_of[row], self._row_of[first] = first, row
        return left

    def _two_cheapest(self, row: int) -> tuple[int, int]:
        """Return the cheapest column of a row, the last one of equal ones, and the next one."""
        first, second = 0, _FREE
        for column in range(1, self._size):
            cost = self._reduced(row, column)
            if cost <= self._reduced(row, first):
                first, second = column, first
            elif second == _FREE or cost < self._reduced(row, second):
                second = column
        return first, first if second == _FREE else second

    def _augment(self, start: int) -> None:
        """Give a free row a column along the shortest path of exchanges."""
        distances = [self._reduced(start, column) for column in range(self._size)]
        before = [start] * self._size
        open_columns = list(range(self._size))
        scanned: list[int] = []
        while True:
            self._charge(2 * len(open_columns) + 1)
            column = min(open_columns, key=lambda each: (distances[each], self._row_of[each] != _FREE))
            least = distances[column]
            row = self._row_of[column]
            if row == _FREE:
                break
            open_columns.remove(column)
            scanned.append(column)
            own = self._reduced(row, column) - least
            for other in open_columns:
                distance = self._reduced(row, other) - own
                if distance < distances[other]:
                    distances[other], before[other] = distance, row
        for each in scanned:
            self._prices[each] += distances[each] - least
        while True:
            row = before[column]
            self._row_of[column] = row
            column, self._column_of[row] = self._column_of[row], column
            if row == start:
                return
