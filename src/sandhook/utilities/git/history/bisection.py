"""Which commit halves a list of commits, for rev-list --bisect.

Source: git-rev-list(1), "Bisection Helpers"; git 2.39, bisect.c.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sandhook.utilities.git.store.commits import Commit

_NEARLY = 1024  #: in long lists, one part of so many is half-way, too


class Bisection:
    """The weights of commits: how many commits of the list each of them reaches, itself included.

    Args:
        commits: The list, the newest first.
        parents: The parents of each commit that are in the list.
    """

    def __init__(
        self,
        commits: Sequence[Commit],
        parents: Mapping[str, Sequence[str]],
        charge: Callable[[int], None],
    ) -> None:
        self._order = [commit.oid for commit in reversed(commits)]
        self._parents = parents
        self._charge = charge
        self._weights: dict[str, int] = {}
        self.count = len(self._order)

    def _reached(self, oid: str) -> int:
        """Return how many commits a merge reaches."""
        seen, stack = {oid}, [oid]
        while stack:
            self._charge(1)
            for parent in self._parents[stack.pop()]:
                if parent not in seen:
                    seen.add(parent)
                    stack.append(parent)
        return len(seen)

    def _is_half(self, oid: str) -> bool:
        distance = abs(2 * self._weights[oid] - self.count)
        return distance <= 1 or distance < self.count // _NEARLY

    def _weigh(self, *, all_of_them: bool) -> str | None:
        """Compute the weights, up to a commit that is half-way, which is returned, unless all are wanted."""
        for oid in self._order:
            if not self._parents[oid]:
                self._weights[oid] = 1
        for oid in self._order:
            if len(self._parents[oid]) > 1:
                self._weights[oid] = self._reached(oid)
                if not all_of_them and self._is_half(oid):
                    return oid
        while len(self._weights) < self.count:
            known = len(self._weights)
            for oid in self._order:
                self._charge(1)
                if oid in self._weights:
                    continue
                weight = next(
                    (self._weights[each] for each in self._parents[oid] if each in self._weights), None
                )
                if weight is None:
                    continue
                self._weights[oid] = weight + 1
                if not all_of_them and self._is_half(oid):
                    return oid
            if len(self._weights) == known:
                break
        return None

    def _distance(self, oid: str) -> int:
        weight = self._weights.get(oid, 0)
        return min(weight, self.count - weight)

    def middle(self) -> tuple[str, int]:
        """Return the commit that halves the list best, and its weight."""
        found = self._weigh(all_of_them=False)
        if found is None:
            found, best = self._order[0], -1
            for oid in self._order:
                if self._distance(oid) > best:
                    found, best = oid, self._distance(oid)
        return found, self._weights[found]

    def all(self) -> list[tuple[str, int]]:
        """Return the commits and their distances from the ends of the list, the best first."""
        self._weigh(all_of_them=True)
        pairs = [(oid, self._distance(oid)) for oid in self._order]
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))

    def weight(self, oid: str) -> int:
        """Return the weight of a commit."""
        return self._weights[oid]


def steps_left(count: int) -> int:
    """Return about how many steps a bisection of so many commits takes."""
    if count < 3:
        return 0
    steps = count.bit_length() - 1
    power = 1 << steps
    return steps if power < 3 * (count - power) else steps - 1
