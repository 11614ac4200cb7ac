"""No regular expression of the source can freeze the process: see ``tests/regexes.py``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.regexes import ambiguous, expressions, unsafe_possessive

SOURCE = Path(__file__).parent.parent / "src" / "sandhook"

#: Expressions whose last letter is any letter, so that they give back one letter at most.
ENDS_ANYHOW = {
    "utilities/languages/awk/format.py",
    "utilities/listing/find/printf.py",
}

#: Case files belong to the caller of ``sandhook test``.
OWN_FILES = {"conformance/bashkit.py", "conformance/bats.py", "conformance/reader.py"}


@cache
def literals() -> list[tuple[Path, int, str | bytes, int]]:
    return list(expressions(SOURCE))


def test_no_two_neighbouring_repeats_match_the_same_letters() -> None:
    found = {}
    for path, line, text, flags in literals():
        if ambiguous(text, flags):
            found[f"{path.relative_to(SOURCE).as_posix()}:{line}"] = text
    known = ENDS_ANYHOW | OWN_FILES
    assert {place.partition(":")[0] for place in found} >= known, "a row is not needed any more"
    assert {place: text for place, text in found.items() if place.partition(":")[0] not in known} == {}


def test_the_search_finds_expressions() -> None:
    assert len(literals()) > 300


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a*a*b", True),
        (r"\s*([^<]*?)\s*<", True),
        (r"%([0 ]*)(\d*)f", True),
        ("(a*)*b", True),
        (r"(\w+\s?)*x", True),
        ("[ab]*b[ab]*c", True),
        ("(.*)/(.*)", True),
        (r"x*(?:a|x)x*", True),
        ("a*+a*b", False),
        ("(?>a*)a*b", False),
        (r"\d+\.\d+", False),
        ("a*xa*", False),
        ("a*b?c*", False),
        (r"\s*[a-z]+\s*", False),
    ],
)
def test_what_is_ambiguous(text: str, wanted: bool) -> None:
    assert ambiguous(text) is wanted


def test_possessive_repeats_mean_the_same_in_every_python() -> None:
    found = {
        f"{path.relative_to(SOURCE).as_posix()}:{line}": text
        for path, line, text, flags in literals()
        if unsafe_possessive(text, flags)
    }
    assert found == {}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[ab]*+", False),
        ("a++b", False),
        ("(?>ab|c)*+", False),
        ("(?:ab)*+", True),
        ("(?:a|b(?!c))++", True),
        ("(x(?=(?:ab)?+))", True),
        ("(?>(?:ab)*+)", True),
    ],
)
def test_what_is_unsafe_in_early_pythons(text: str, wanted: bool) -> None:
    assert unsafe_possessive(text) is wanted
