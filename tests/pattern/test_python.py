"""Expressions of Python's re: what they match is what re.fullmatch matches, and what they refuse it refuses."""

from __future__ import annotations

import random
import re
import warnings

import pytest

from sandhook.pattern.errors import PatternError, UnsupportedError
from sandhook.pattern.python import compile_python

#: Pieces of expressions, which are drawn by lot. Python 3.14 accepts ``\z``, and agents run on older ones.
_PIECES = (
    *(
        "a",
        "b",
        "t",
        "term",
        ".",
        "*",
        "+",
        "?",
        "|",
        "(",
        ")",
        "(?:",
        "(?P<n>",
        "(?P=n)",
        "(?i)",
        "(?x)",
        "(?s)",
    ),
    *(
        "(?i:",
        "(?-i:",
        "(?m)",
        "(?a)",
        "(?ax-i:",
        "(?u:",
        "^",
        "$",
        "[",
        "[^",
        "]",
        "-",
        "{2}",
        "{,2}",
        "{1,}",
        "{3,1}",
    ),
    *(
        "{",
        "}",
        "{,}",
        r"\d",
        r"\w",
        r"\s",
        r"\D",
        r"\W",
        r"\S",
        r"\A",
        r"\Z",
        r"\1",
        r"\2",
        r"\0",
        r"\07",
        r"\101",
    ),
    *(
        r"\x41",
        r"\x4",
        r"\u0041",
        r"\N{DIGIT ONE}",
        r"\n",
        r"\p",
        r"\_",
        "\\é",
        "(?#c)",
        "(?=",
        "(?!",
        "(?<x>",
        "(?<=",
    ),
    *(
        "(?<!",
        "(?>",
        "*?",
        "*+",
        "_",
        "é",
        " ",
        "#",
        "\n",
        "[a-z]",
        r"[^\W_]",
        r"[\w-]",
        "[]a]",
        r"[\d-z]",
        r"[^\Sa]",
    ),
    *(
        r"[\W_]",
        "(?(1)",
        "\\",
        "A",
        "1",
        ",",
        r"\8",
        r"\377",
        r"\400",
        "(?L)",
        "(?-)",
        "(?i-s",
        "(?P>",
        r"\Q",
        r"[^\W\d]",
    ),
)
_TEXTS = (
    *(
        "",
        "a",
        "b",
        "t",
        "term",
        "ab",
        "aa",
        "A",
        "é",
        "É",
        "_",
        "a_b",
        "1",
        "²",
        "٣",
        "\n",
        " ",
        "\x1c",
        "ba",
        "abab",
    ),
    *(
        "-",
        "{",
        "}",
        "aA",
        "terma",
        "a b",
        "#",
        "Ⅳ",
        "S",
        "ſ",
        "x",
        "A1",
        "]",
        "a]",
        "\U00010348",
        "\x85",
        "\u3000",
    ),
)


@pytest.mark.parametrize("seed", range(2))
def test_agrees_with_re(seed: int) -> None:
    lot = random.Random(f"expressions of Python {seed}")
    compared = 0
    for _ in range(500):
        pattern = "".join(lot.choice(_PIECES) for _ in range(lot.randrange(1, 7)))
        compared += _agrees(pattern)
    assert compared > 60


def test_ignores_case_as_re_does() -> None:
    texts = "sSſkK\u212aßẞσςıİiIµμéÉ_a1"
    items = (
        *("s", "[^s]", "[a-z]", "[^A-Z]", "ſ", "[^ſ]", r"\w", r"\W", r"[^\W]", ".", r"\x73", r"\u212a"),
        *("İ", "[^ı]", "[@-_]", "[^h-k]", "[à-ÿ]", r"[\ws]"),
    )
    for flags in ("(?i)", "(?ai)", "(?a)(?i)", "(?a)", "(?u)(?i)"):
        for item in items:
            matches, expected = compile_python(flags + item), re.compile(flags + item)
            assert [matches(each) for each in texts] == [bool(expected.fullmatch(each)) for each in texts], (
                item
            )


def _agrees(pattern: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of sets in sets, which may come one day
        try:
            expected = re.compile(pattern)
        except (re.error, OverflowError):
            with pytest.raises(PatternError):
                compile_python(pattern)
            return False
    try:
        matches = compile_python(pattern)
    except UnsupportedError:
        return False
    for text in _TEXTS:
        assert matches(text) == (expected.fullmatch(text) is not None), (pattern, text)
    return True


@pytest.mark.parametrize(
    ("pattern", "matched", "others"),
    [
        ("terminal|finish", ["terminal", "finish"], ["terminals", "finis"]),
        ("(?P<x>term).*", ["terminal"], ["xterm"]),
        ("(?!nosuch)term.*", ["terminal"], ["nosuch"]),
        ("^(?!term)(?=f).*", ["finish"], ["terminal", "x"]),
        ("(?i)TERM(?-i:inal)", ["terminal", "TERMinal"], ["TERMINAL"]),
        ("(?x) term inal # all of it", ["terminal"], ["term inal"]),
        ("term{,2}", ["te" + "rm", "ter", "termm"], ["termmm", "term{,2}"]),
        (r"[^\W_]+", ["a1é"], ["a_1", "-"]),
        (r"\b\w+\b", ["terminal"], ["", "a b"]),
        ("a$", ["a"], ["a\n"]),
        ("(?i)s", ["s", "S", "ſ"], ["z"]),
        ("(?i)[j-k]", ["k", "K", "\u212a", "J"], ["s"]),
        ("(?ai)s", ["s", "S"], ["ſ"]),
        ("(?a)(?i)[a-k]", ["k", "K"], ["\u212a"]),
        ("(?a)(?i)[^s]", ["ſ", "x"], ["s", "S"]),
        ("(?ai)ſ", ["ſ"], ["s", "S"]),
        (r"(?ai)\w", ["k"], ["\u212a", "ſ"]),
        ("(?i:(?a:k))", ["k", "K"], ["\u212a"]),
        ("(?i)i", ["i", "I", "\u0130", "\u0131"], ["j"]),
        ("(?i)[^h-j]", ["k"], ["i", "I", "\u0130", "\u0131"]),
        (r"(?i)[\w]", ["a"], ["\u0345"]),
    ],
)
def test_matches_all_of_a_text(pattern: str, matched: list[str], others: list[str]) -> None:
    matches = compile_python(pattern)
    assert [text for text in [*matched, *others] if matches(text)] == matched


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(?<x>terminal)", "unknown extension"),
        (r"\pL", "bad escape"),
        (r"a\z", "bad escape"),
        ("a(?i)b", "global flags not at the start"),
        ("[a-\\d]", "bad character range"),
        ("a**", "multiple repeat"),
        ("^*", "nothing to repeat"),
        ("a{99999999999}", "too large"),
        ("(?(1)a|b)", "invalid group reference"),
    ],
)
def test_refuses_what_python_does_not_accept(pattern: str, why: str) -> None:
    with pytest.raises(PatternError, match=re.escape(why)) as caught:
        compile_python(pattern)
    assert not isinstance(caught.value, UnsupportedError)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a)\1",
        "(?<=a)b",
        "a(?!b)",
        "(?>a)b",
        "a*+",
        "(a)(?(1)b|c)",
        r"[^\W\S]",
        "(?=a)b|c",
        "a{1001}",
        "(" * 2000 + ")" * 2000,
    ],
)
def test_names_what_is_not_supported(pattern: str) -> None:
    with pytest.raises(UnsupportedError):
        compile_python(pattern)


@pytest.mark.parametrize("piece", ["{", "{1", "(?#", "[", "(?i:", "\\N{", "(?P<"])
def test_long_expressions_take_no_longer_than_their_length(piece: str) -> None:
    with pytest.raises(PatternError):
        compile_python(piece * (20_000 // len(piece)) + "**")
