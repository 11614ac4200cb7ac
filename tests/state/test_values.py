"""Indexed arrays whose elements do not come in the order of their indices."""

from __future__ import annotations

from random import Random

from sandhook.state.values import IndexedArray


def test_the_largest_index_is_known_whatever_came_before() -> None:
    """Setting, removing and extending in any order agrees with a plain dictionary."""
    random = Random(7)
    array, plain = IndexedArray(), dict[int, str]()
    for step in range(3000):
        index = random.randrange(40)
        match random.randrange(5):
            case 0 | 1 | 2:
                array.set(index, str(step))
                plain[index] = str(step)
            case 3:
                array.remove(index)
                plain.pop(index, None)
            case _:
                if len(plain) > 60:
                    for key in list(plain):
                        array.remove(key)
                    plain.clear()
                array.extend([str(step)])
                plain[max(plain, default=-1) + 1] = str(step)
        assert array.top() == max(plain, default=-1) + 1
        if not step % 7:
            assert array.indices() == sorted(plain)
            assert array.values() == [plain[key] for key in sorted(plain)]


def test_descending_indices_are_not_sorted_for_each_question_about_the_last() -> None:
    array = IndexedArray()
    for index in range(200_000, 0, -1):  # seconds, were every top() to sort
        array.set(index, "")
        assert array.top() == 200_001
    assert array.indices()[:2] == [1, 2]
