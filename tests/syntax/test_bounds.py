"""Nothing hangs and nothing recurses: every bracket 2,000 deep, and wide scripts."""

from __future__ import annotations

import contextlib
import time

import pytest

from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.syntax import ParseOptions, parse, parse_heredoc, parse_word

DEEP = 2000
#: One level of nesting: what opens it and what closes it.
LEVELS = [
    ("(", ")"),
    ("{ ", ";}"),
    ("$(", ")"),
    ('"$(', ')"'),
    ("x=$(", ")"),
    ("$((", "))"),
    ("((", "))"),
    ("$[", "]"),
    ("${x:-", "}"),
    ('"${x:-', '}"'),
    ("${x/", "}"),
    ("${x:", "}"),
    ("${a[", "]}"),
    ("${x[${", "}"),
    ("<(", ")"),
    ("@(", ")"),
    ("a=(", ")"),
    ("a[", "]=1"),
    ("[[ (", ") ]]"),
    ("[[ ! ", " ]]"),
    ("`", "`"),
    ("if ", "; then a; fi"),
    ("while ", "; do a; done"),
    ("for i in a; do ", "; done"),
    ("case x in a) ", ";; esac"),
    ("f() { ", "; }"),
    ("! ", ""),
    ("time ", ""),
    ("coproc ", ""),
    ("a <<E ", ""),
    ("for ((", ""),
]
#: Flat scripts of about a megabyte would take the suite's seconds; these are 20 to 100 KB.
WIDE = {
    "word": "a" * 100_000,
    "quotes": "''" * 50_000,
    "parameters": "$x" * 50_000,
    "escapes": "\\a" * 25_000,
    "words": "a " * 30_000,
    "commands": "a;" * 8_000,
    "pipeline": "a|" * 8_000 + "a",
    "and": "a&&" * 8_000 + "a",
    "elif": "if a;then b;" + "elif c;then d;" * 3_000 + "fi",
    "case": "case x in " + "a) b;; " * 5_000 + "esac",
    "array": "a=(" + "[1]=b " * 8_000 + ")",
    "blank lines": "\n" * 100_000,
    "comments": "# a\n" * 25_000,
    "continuations": "\\\n" * 50_000,
    "here-documents": "cat <<E\nE\n" * 5_000,
    "here-documents of one line": "cat" + " <<E" * 5_000 + "\n" + "E\n" * 5_000,
    "carriage returns": "a\r\n" * 10_000,
    "backquotes": "`a` " * 10_000,
    "20 levels of $((": "$((" * 20,
    "20 levels of $(( )": "$((" * 20 + "a" + ") )" * 20,
    "bad subscripts": "${x[" * 30 + "}" * 30,
    "arithmetic or not": "((a) ; " * 90,
    "alias bomb": "a",
}


def answer(script: str, **options) -> str:
    """Parse, within five seconds of the processor; return what came of it."""
    start = time.process_time()
    try:
        parse(script, options=ParseOptions(**options))
        outcome = "tree"
    except (ShellSyntaxError, LimitExceeded) as error:
        outcome = type(error).__name__
    assert time.process_time() - start < 5
    return outcome


@pytest.mark.parametrize(("opening", "closing"), LEVELS)
def test_deep_nesting_is_answered(opening: str, closing: str) -> None:
    for before in ("", "[[ ", "x=(", '"'):
        answer(before + opening * DEEP)
        answer(before + opening * DEEP + "a" + closing * DEEP, extglob=True)


@pytest.mark.parametrize(("opening", "closing"), LEVELS[:21])
def test_deep_nesting_in_words_is_answered(opening: str, closing: str) -> None:
    for parse_text in (parse_word, parse_heredoc):
        try:
            parse_text(opening * DEEP + "a" + closing * DEEP)
        except (ShellSyntaxError, LimitExceeded):
            continue


@pytest.mark.parametrize("name", WIDE)
def test_wide_scripts_are_answered(name: str) -> None:
    answer(WIDE[name], extglob=True)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("( ", ")"), ("$(", ")"), ('"$(', ')"'), ("${x:-", "}"), ("{ ", ";}"), ("$[", "]")],
)
def test_nesting_is_counted(opening: str, closing: str) -> None:
    assert answer(opening * 6 + "a" + closing * 6, nesting=12) == "tree"
    assert answer(opening * 13 + "a" + closing * 13, nesting=12) == "LimitExceeded"
    levels = 50 if opening == '"$(' else 100
    assert answer(opening * levels + "a" + closing * levels) == "tree"


@pytest.mark.parametrize(
    "script",
    ["x='${'", "a\0b", "\udc80 '\udcff'", "\ud800", "\\", "'\\", "$", '"$', "${", "`\\", "<<", "a[", "a=("],
)
def test_strange_texts_are_answered(script: str) -> None:
    answer(script)
    answer(script + "\n")


def test_aliases_cannot_grow_without_end() -> None:
    aliases = {f"a{level}": f"a{level + 1}; a{level + 1}" for level in range(40)}
    assert answer("a0", aliases=aliases, max_bytes=1 << 16) == "LimitExceeded"


@pytest.mark.slow
@pytest.mark.parametrize("name", WIDE)
def test_time_grows_with_the_text_alone(name: str) -> None:
    """Ten times the text takes about ten times as long; a hundred times would be quadratic."""
    unit = WIDE[name]
    if len(unit) < 10_000:
        pytest.skip("not a wide script")
    half = unit[: len(unit) // 10]

    def seconds(script: str) -> float:
        start = time.process_time()
        with contextlib.suppress(ShellSyntaxError):
            parse(script)
        return time.process_time() - start

    assert min(seconds(unit) for _ in range(3)) < 60 * max(min(seconds(half) for _ in range(5)), 0.002)
