"""TM-DOS 3 to 5, 7: every operator with an operand of megabytes ends in time, whatever the characters are.

Each operand is a class of its own: blanks, bytes, wildcards, brackets that are never closed, digits, escapes.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from sandhook import Shell
from sandhook.limits import Limits
from tests.sandbox.deadlines import returns_in_time
from tests.sandbox.tools import every

OPERANDS = {
    "blanks": " " * 6_000_000,
    "controls": "\x01" * 4_000_000,
    "bytes": "\udcff" * 4_000_000,
    "letters": "\u00e9" * 3_000_000,
    "words": "a " * 3_000_000,
    "lines": "\n" * 3_000_000,
    "digits": "9" * 4_000_000,
    "backslashes": "\\" * 4_000_000,
    "stars": "*?" * 500_000,
    "marks": "?" * 7_000_000,
    "brackets": "[ab]" * 1_500_000,
    "classes": "[[:alpha:]]" * 300_000,
    "ranges": "[" + "a-z" * 1_500_000 + "]",
    "open brackets": "[" * 4_000_000,
    "open symbols": "[[." * 1_000_000,
    "open classes": "[:" * 1_500_000,
    "extended": "@(a|b)" * 500_000,
    "names": "$x" * 400_000,
    "conversions": "%s" * 1_500_000,
    "wide conversions": "%4096Y" * 1_000_000,
    "slashes": "a/" * 2_000_000,
}

#: Operators, and the operands for which they once did not end, or took too much memory.
PATTERNS = ("blanks", "bytes", "stars", "marks", "brackets", "classes", "ranges", "open symbols", "extended")
TEXTS = ("blanks", "bytes", "words", "backslashes", "open classes")
CASES = {
    "y=${x//$x/} z=${x#$x} w=${x%%$x}": PATTERNS,
    "[[ a == $x ]]; case $x in $x) ;; esac": PATTERNS,
    "for i in $x; do :; done; : < $x": ("stars", "marks", "brackets"),
    "shopt -s globstar nullglob; : $x**": ("controls", "stars", "slashes", "open brackets"),
    "GLOBIGNORE=$x; : /*": ("stars", "open brackets", "open classes", "slashes"),
    "shopt -s nocasematch; [[ $x == *A ]]; y=${x//A/b}": ("bytes", "letters"),
    ": $((x)); let \"y=1$x\"; declare -i z=$x; : ${y:$x:$x}": ("blanks", "words", "lines", "digits", "open brackets"),
    "IFS=$x; y=($x); read a b c <<< \"$x\"; set -- $x": (*TEXTS, "digits", "stars", "letters"),
    "compgen -W \"$x\" a; IFS=$x; compgen -W \"$x\" a": ("words", "letters"),
    "declare -a y=\"($x)\"; declare -A z=\"($x)\"": (*TEXTS, "brackets", "open brackets"),
    "declare -A m; m[$x]=1; unset \"m[$x]\"; [[ -v m[$x] ]]": (*TEXTS, "names"),
    "read y z <<< \"$x\"; read -N 3000000 y <<< \"$x\"; select i in a; do break; done <<< \"$x\"": TEXTS,
    "printf -v y %b \"$x\"; printf -v y \"$x\" a; echo -e \"$x\"": ("backslashes", "conversions", "wide conversions"),
    "printf -v y \"%($x)T\" 1; y=${x@P}": ("blanks", "bytes", "conversions", "wide conversions", "open brackets"),
    "PATH=$x; nosuch; . nosuch; CDPATH=$x; cd nosuch": ("slashes",),
    "PATH=${x//a/:}; nosuch; . nosuch": ("words",),
    "unset \"$x\"; unset \"a[$x]\"; readonly \"a[$x]\"": ("open classes", "brackets"),
}  # fmt: skip

LIMITS = Limits(wall_seconds=0.2, steps=1_000_000_000)


@pytest.fixture(autouse=True)
def without_collections() -> Iterator[None]:
    """Keep the collections of garbage, which the objects of all tests make long, out of the measurements."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize(
    ("operator", "operand"),
    every(16, [(operator, operand) for operator in CASES for operand in CASES[operator]]),
)
def test_an_operator_ends_in_time_with_every_operand(operator: str, operand: str) -> None:
    returns_in_time(f"x=$1; shift; {{ {operator}; }} 2> /dev/null", LIMITS, args=(OPERANDS[operand],))


ITEMS = {
    "elements": "a=({1..190000})",
    "braces": ": " + "{{a}}" * 100_000,
    "items of braces": ": {" + "a," * 100_000 + "b}",
    "parameters": "set -- {1..190000}; f() { : \"$@\"; }; f \"$@\"",
    "copies": "a=({1..190000}); b=(\"${a[@]}\"); c=([5]=x \"${a[@]}\")",
    "words of a list": "a=(" + "x " * 100_000 + ")",
    "pairs of a list": "a=(" + "[1]=x " * 60_000 + ")",
    "commands of a group": "{\n" + "echo hi\n" * 60_000 + "} > /dev/null",
    "commands of a function": "f() {\n" + "a=1; : $a\n" * 40_000 + "}",
    "clauses": "case x in\n" + "a) b;;\n" * 40_000 + "esac",
    "commands on later lines": "\n\n\nx=1; " + "{ :; }; " * 60_000,
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "seconds"), every(9, [(kind, seconds) for seconds in (0.1, 0.4, 0.8) for kind in ITEMS])
)
def test_work_on_many_items_ends_in_time(kind: str, seconds: float) -> None:
    """The deadline comes in the parser, in the compiler, or in the run."""
    returns_in_time(ITEMS[kind], LIMITS.with_(wall_seconds=seconds))


@pytest.mark.parametrize("command", ["cd $x", "CDPATH=.; cd $x", "pushd $x"])
def test_a_path_of_many_parents_is_checked_in_time(command: str) -> None:
    returns_in_time(f"x=$1; shift; mkdir -p a; {command}", LIMITS, args=("a/../" * 500_000,))
    assert Shell().run(f"mkdir -p a; x=$1; {command}", args=("a/../" * 3_000,)).exit_status == 0
