from __future__ import annotations

import random

import pytest

from sandhook.utilities.compare.matching import compare

SIZE = 12_000


def shuffled():
    lines = [number % 900 for number in range(SIZE)]
    random.Random(1).shuffle(lines)
    return lines


@pytest.mark.parametrize(
    "new",
    [pytest.param(list(range(SIZE))[::-1], marks=pytest.mark.slow), shuffled()],
    ids=["reversed", "shuffled"],
)
def test_what_has_little_in_common_is_compared_with_bounded_work(new):
    old = list(range(SIZE)) if new[0] == SIZE - 1 else sorted(new)
    work = 0

    def charge(steps):
        nonlocal work
        work += steps

    changes = compare(old, new, charge)
    assert work < 10_000_000
    made, at = [], 0
    for change in changes:
        made += old[at : change.old] + new[change.new : change.new_end]
        at = change.old_end
    assert made + old[at:] == new
