"""Promises 4, 5 and 7: a search with a regular expression ends in time and within its memory, on any engine."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from sandhook import Shell
from sandhook.limits import Budget, Limits, use_budget
from sandhook.pattern.errors import SearchTooLong
from sandhook.pattern.linear import compile_re2, line_pieces
from sandhook.pattern.posix import LINE_ERE, Regex, compile_bre, compile_regex
from tests.sandbox.tools import every

LIMITS = Limits(wall_seconds=0.5)
AB = bytes(Random(1).choices(b"ab", k=1_000_000))
#: The automaton of each has more states than memory; nothing can interrupt RE2, which then simulates the expression.
STATES = "(a|b)*a(a|b){900}c"
PLAIN_STATES = "[ab]*a[ab]{900}c"


@pytest.mark.parametrize(
    "script",
    every(6, [
        f"grep -E '{STATES}' f",
        f"grep -Eo '{PLAIN_STATES}' f",
        f"grep -Ez '{STATES}' f",
        f"grep -Ew '{PLAIN_STATES}' f",
        f"grep -Ei '{PLAIN_STATES}' f",
        f"sed -E 's/{STATES}/x/' f",
        f"sed -E '/{PLAIN_STATES}/d' f",
        f"sed -zE 's/^{PLAIN_STATES}/x/Mg' f",
        f"awk '/{STATES}/' f",
        f"awk '{{ gsub(/{PLAIN_STATES}/, \"\") }}' f",
        f"awk '{{ print match($0, /{PLAIN_STATES}/) }}' f",
        f"awk -F '{PLAIN_STATES}' '{{ print NF }}' f",
        f"x=$(< f); [[ $x =~ {STATES} ]]",
        f"x=$(< f); [[ $x =~ {PLAIN_STATES} ]]",
        "x=$(< f); expr \"$x\" : '[ab]*a[ab]\\{900\\}c'",
        f"rg '{STATES}' f",
        f"rg -o '{PLAIN_STATES}' f",
        f"rg -U '{PLAIN_STATES}' f",
        f"rg -w '{PLAIN_STATES}' f",
        "nl -bp'[ab]*a[ab]\\{900\\}c' f",
        "csplit f '/[ab]*a[ab]\\{900\\}c/'",
        "tac -r -s '[ab]*a[ab]\\{900\\}c' f",
        f"fold -w 5000 f | grep -E '{STATES}'",
        f"fold -w 5000 f | sed -E 's/{STATES}/x/'",
        f"fold -w 5000 f | awk '/{STATES}/'",
        f"fold -w 5000 f | rg '{STATES}'",
        f"while read -r -N 5000 x; do [[ $x =~ {PLAIN_STATES} ]]; done < f",
        f"jq -R 'test(\"{STATES}\")' f",
    ]),
)  # fmt: skip
def test_a_search_that_cannot_be_interrupted_ends_in_time(script: str) -> None:
    """The time is that of the processor, as in the other engine: on a busy machine the watchdog may be first."""
    shell = Shell(files={"f": AB}, limits=LIMITS)
    shell.run(":")
    for attempt in (1, 2, 3):
        start = time.thread_time()
        result = shell.run(f"{{ {script}; }} > /dev/null")
        seconds = time.thread_time() - start
        assert result.defect is None, result.defect
        if seconds < LIMITS.wall_seconds + 0.25:
            return
        assert attempt < 3, f"took {seconds:.2f} s"


MEASURED = hasattr(os, "fork") and Path("/proc/self/clear_refs").exists()


@pytest.mark.skipif(not MEASURED, reason="peaks of memory are read in /proc")
@pytest.mark.parametrize(
    "script",
    every(3, [
        "grep -E '((a|b)*)\\1[cd]' f",
        "grep '\\(\\(a\\|b\\)*\\)\\1[cd]' f",
        "grep -E '(a?){5,}(a*)*\\2[cd]' f",
        "sed -E 's/(((a|b){2,3})*)*\\3[cd]/x/' f",
        "sed 's/\\(a\\|b\\)*\\1[cd]/x/' f",
        "x=$(head -c 1000000 f); expr \"$x\" : '\\(\\(a\\|b\\)*\\)\\1[cd]'",
        "head -c 1000000 f | sed -E 's/(((((((((a|b)))))))))*\\9[cd]/x/'",
        "x=$(< f); [[ $x =~ ((a|b)*)\\1(c|d) ]]",
        "grep -P '((a|b)*)\\1[cd]' f",
        "grep -P '(?:a|b|ab)*[cd]' f",
        f"awk '/{STATES}/' f",
        f"grep -E '{STATES}' f",
    ]),
)  # fmt: skip
def test_the_stack_of_a_search_is_bounded(script: str) -> None:
    from tests.sandbox.measured import measure

    Shell().run("[[ a =~ a ]]; echo aa | grep '\\(a\\)\\1'; echo a | sed s/a/b/; expr a : a; echo a | awk 1")
    limits = Limits(wall_seconds=1.0)
    for attempt in (1, 2, 3):
        measured = measure(f"{{ {script}; }} > /dev/null", {"f": AB * 8}, b"", limits)
        assert measured.defect is None, measured
        assert measured.memory <= 4 * limits.memory_bytes + (64 << 20), measured
        if measured.seconds < limits.wall_seconds + 0.25 and not measured.interrupted:
            return
        assert attempt < 3, measured


@pytest.mark.parametrize(
    "script",
    [
        "grep -Eo 'AKIA[0-9A-Z]{16}|[sr]k-[A-Za-z0-9]{48}|x{1,900}y|-----BEGIN (RSA|EC) PRIVATE KEY-----' f",
        "grep -Ei 'xox[bp]-[0-9a-z-]{10,72}|x{1,900}y|akia[0-9A-Z]{16}' f",
        "[[ $(< f) =~ AKIA[0-9A-Z]{16}|x{1,900}y ]]",
        "awk 'match($0, /AKIA[0-9A-Z]{16}|x{1,900}y/)' f",
        "sed -En '/AKIA[0-9A-Z]{16}|x{1,900}y/p' f",
        "rg 'AKIA[0-9A-Z]{16}|x{1,900}y' f",
        "rg -o 'x{1,900}y|AKIA[0-9A-Z]{16}' many",
        "grep -Eo 'x{1,900}y|AKIA[0-9A-Z]{16}' many",
    ],
)
def test_a_long_text_is_searched_if_that_is_quick(script: str) -> None:
    """The harmless neighbour: the simulation would take longer than the limit, and it is not needed."""
    text = b"".join(b"%x " % (n * 2654435761) for n in range(200_000)) + b" AKIAABCDEFGHIJKLMNOP "
    files = {"f": text, "many": text.replace(b" ", b"\n")}
    result = Shell(files=files).run(f"{{ {script}; }} > /dev/null", limits=Limits(wall_seconds=4.0))
    assert (result.exit_status, result.limit) == (0, None), result.stderr


@pytest.fixture
def short_run() -> Iterator[Budget]:
    """Make this thread one of a run that has too little time for RE2's simulation."""
    budget = Budget(Limits(wall_seconds=60.0), lambda: 0.0)
    outer = use_budget(budget)
    yield budget
    use_budget(outer)


def spans(regex: Regex, data: bytes) -> list[list[tuple[int, int]]]:
    return [list(match.spans) for match in regex.finditer(data)]


PATTERNS = [
    "(a+|c)d{1,900}",
    "^x|abc(d{1,900})?",
    "d{2,900}$|(a)(b)c",
    "(é|a)bc*d{1,900}",
    "[^a]{1,900}c(d|e)?",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_both_engines_find_the_same(pattern: str, short_run: Budget) -> None:
    for unit in ("xabcddd ", "é abcd\n"):
        data = (unit * 4_000).encode()
        use_budget(None)
        regex = compile_regex(pattern, LINE_ERE)
        expected = spans(regex, data)
        use_budget(short_run)
        short_run.skipped = 59.99
        with pytest.raises(SearchTooLong):
            regex.search(data, linear=True)
        # The other engine gets a time of its own: a hundredth of a second is too little on a busy machine.
        found = [list(match.spans) for match in regex.finditer(data, remaining=lambda: 300.0)]
        assert found == expected
        short_run.skipped = 0.0
        assert regex.search(data, linear=True) is not None
        assert expected


def test_what_has_no_other_engine_ends_the_run(short_run: Budget) -> None:
    short_run.skipped = 59.99
    text = "ab" * 100_000
    with pytest.raises(SearchTooLong, match="wall_seconds"):
        compile_re2(PLAIN_STATES).search(text)
    use_budget(None)  # the host's own expressions may take any time
    assert not compile_re2("[ab]{900}c").search(text)


def test_nested_groups_that_the_other_engine_does_not_compile_are_an_error() -> None:
    depth = 400
    pattern = "\\(" * depth + "a" + "\\)" * depth + "\\1"
    result = Shell().run(f"echo a | grep '{pattern}'; echo a | sed 's/{pattern}/b/'; [[ a =~ a ]]; echo $?")
    assert result.defect is None
    assert result.stdout == "0\n" or result.stdout.endswith("\n0\n")
    assert compile_bre(b"\\(a\\)\\1").test(b"aa")


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"a", b"a\n", b"ab\n" * 5_000, b"\n" * 9_000, b"a" * 9_000 + b"\nb"]
)
def test_pieces_are_whole_lines(data: bytes) -> None:
    pieces = [data[begin:end] for begin, end in line_pieces(data, 0)]
    assert b"".join(pieces) == data
    assert all(piece.endswith(b"\n") for piece in pieces[:-1])
    assert all(pieces)
