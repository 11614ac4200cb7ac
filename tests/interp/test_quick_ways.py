"""Shapes that the interpreter compiles in a way of their own give what bash 5.2 gives, at their edges above all.

``quick.txt`` is written as ``cases.txt`` is; with --oracle the recording itself is checked.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from sandhook.limits import Limits
from sandhook.shell import Shell
from tests.builtins.conftest import Case, read_cases, run_bash, run_ours

CASES = list(read_cases(Path(__file__).with_name("quick.txt")))

#: Ninety compound commands inside each other, around a call.
DEEP = "if true; then " * 90 + "if [ $1 -gt 0 ]; then %s $(($1-1)); fi; " + "fi; " * 90

#: The same with shallow functions between.
MIXED = (
    f"deep() {{ {DEEP % 'a'} }}; a() {{ b $1; }}; b() {{ for x in 1; do for y in 1; do c $1; done; done; }}; "
    "c() { for x in 1; do for y in 1; do deep $1; done; done; }; deep 200; echo ok"
)


@pytest.mark.parametrize("case", CASES, ids=[str(number) for number in range(1, len(CASES) + 1)])
def test_does_as_bash_does(case: Case, oracle: bool) -> None:
    if oracle:
        assert run_bash(case.script) == case.expected, "the recording is not what bash does"
    assert run_ours(case.script) == case.expected


@pytest.mark.parametrize(
    "script",
    [
        "f() { if [ $1 -gt 0 ]; then f $(($1-1)); fi; }; f 3000; echo ok",
        f"f() {{ {DEEP % 'f'} }}; f 200; echo ok",
        MIXED,
    ],
    ids=["shallow", "deep", "mixed"],
)
def test_calls_go_on_from_a_fresh_stack(script: str) -> None:
    result = Shell(limits=Limits.generous()).run(script)
    assert (result.stdout, result.exit_status) == ("ok\n", 0)


def test_overwriting_an_element_takes_no_memory() -> None:
    script = "for ((i=0;i<3000;i++)); do a[1]=$i; m=x; ((a[2]=i)); done; declare -A k; for ((i=0;i<3000;i++)); do k[a]=$i; done; echo ${a[2]}"
    result = Shell(limits=Limits(memory_bytes=65_536)).run(script)
    assert (result.stdout, result.exit_status) == ("2999\n", 0)
