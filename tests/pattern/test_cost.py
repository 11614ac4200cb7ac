"""Expressions that RE2 compiles for seconds, or writes about to standard error, are rejected before."""

from __future__ import annotations

import pytest

from sandhook import Shell
from sandhook.pattern.cost import is_too_large
from sandhook.pattern.engine import compile_linear
from sandhook.pattern.errors import PatternError

TOO_LARGE = {
    "letters": "." * 400_000,
    "optional letters": "a?" * 5_000,
    "optional copies": "a{0,9}" * 1_000,
    "copies of optional letters": "(?:a?b?){1000}" * 3,
    "few optional copies": "a{0,1000}" * 30,
    "copies": "a{1000}" * 1_000,
    "copies of copies": "(?:a{10}){100}" * 500,
    "optional groups": "(?:(?:a?){10}){10}" * 100,
    "classes of Unicode": r"\pL" * 5_000,
    "classes of Unicode in brackets": r"[^\pL\pN]" * 1_000,
    "groups": "(.)" * 500_000,
    "empty branches": "|" * 3_000_000,
    "an open group": "(a?" * 5_000,
}

LARGE = {
    "letters": "ab" * 10_000,
    "words": "|".join(f"word{number}" for number in range(5_000)),
    "words with optional letters": "|".join(f"words?{number}" for number in range(5_000)),
    "optional copies": "[0-9]{1,3}" * 500,
    "a class": "[" + "abc\\]" * 5_000 + "]{1,9}",
    "escapes": r"\{\?\(\[" * 2_000,
    "groups": "(a)" * 5_000,
    "few copies": "x{1000}",
}


@pytest.mark.parametrize("kind", TOO_LARGE)
@pytest.mark.parametrize("longest", [False, True])
def test_an_expensive_expression_is_rejected_in_silence(
    kind: str, longest: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(PatternError):
        compile_linear(TOO_LARGE[kind], latin1=False, icase=False, longest=longest)
    assert capfd.readouterr() == ("", "")
    assert is_too_large(TOO_LARGE[kind])


@pytest.mark.parametrize("kind", LARGE)
def test_its_harmless_neighbour_is_compiled(kind: str) -> None:
    find = compile_linear(LARGE[kind], latin1=True, icase=False, longest=True)
    assert find(b"", 0, 0)


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ('grep -E "$x" f', 2),
        ('rg -e "$x" f', 2),
        ('[[ aa =~ $x ]]', 2),
        ('sed -E "s/$x//" f', 1),
        ('awk "/$x/" f', 1),
        ('expr a : "$x"', 2),
    ],
)  # fmt: skip
def test_utilities_report_such_an_expression(script: str, status: int) -> None:
    expression = "a\\{0,9\\}" if script.startswith("expr") else "a{0,9}"
    files = {"f": b"aaaa\n", "x": expression.encode() * 7_000}
    result = Shell(files=files).run(f"x=$(cat x); {script}")
    assert (result.exit_status, result.limit, result.defect, result.interrupted) == (
        status,
        None,
        None,
        False,
    )
