"""What is made at its first use, and results that are kept."""

from __future__ import annotations

import pytest

from sandhook.lazy import LONGEST_KEY, cache_short, cache_texts


@pytest.fixture
def calls() -> list[object]:
    return []


def test_a_result_is_computed_once(calls: list[object]) -> None:
    @cache_texts(4)
    def upper(text: str) -> str:
        calls.append(text)
        return text.upper()

    assert [upper("a"), upper("b"), upper("a")] == ["A", "B", "A"]
    assert calls == ["a", "b"]


def test_no_more_results_are_kept_than_allowed(calls: list[object]) -> None:
    @cache_texts(2)
    def upper(text: str) -> str:
        calls.append(text)
        return text.upper()

    for text in "abcabc":
        assert upper(text) == text.upper()
    kept = upper.__self__  # type: ignore[attr-defined]
    assert len(kept) <= 2


def test_long_texts_are_not_kept(calls: list[object]) -> None:
    @cache_texts(4)
    def size(text: str) -> int:
        calls.append(len(text))
        return len(text)

    for length in (LONGEST_KEY, LONGEST_KEY + 1):
        assert size("a" * length) == size("a" * length) == length
    assert calls == [LONGEST_KEY, LONGEST_KEY + 1, LONGEST_KEY + 1]


def test_an_error_is_not_kept(calls: list[object]) -> None:
    @cache_texts(4)
    def number(text: str) -> int:
        calls.append(text)
        return int(text)

    for _ in range(2):
        with pytest.raises(ValueError, match="invalid literal"):
            number("x")
    assert calls == ["x", "x"]


@pytest.mark.parametrize(
    ("argument", "kept"),
    [
        (("a",) * 3, True),
        (("a" * LONGEST_KEY,), False),
        (("a",) * LONGEST_KEY, False),
        ((("a" * LONGEST_KEY,), "b"), False),
        ((b"a" * LONGEST_KEY,), False),
    ],
)
def test_a_long_argument_counts_with_all_its_items(
    argument: tuple[object, ...], kept: bool, calls: list[object]
) -> None:
    @cache_short(4)
    def size(items: tuple[object, ...], *, extra: int = 0) -> int:
        calls.append(items)
        return len(items) + extra

    assert size(argument) == size(argument) == len(argument)
    assert len(calls) == (1 if kept else 2)
