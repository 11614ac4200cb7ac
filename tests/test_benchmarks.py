"""Every workload of the benchmarks runs, small, and gives the same everywhere; nothing is timed."""

from __future__ import annotations

import pytest

from benchmarks.runners import RUNNERS, Output
from benchmarks.workloads import Workload, workloads

SMALL = workloads(scale=0.001)

#: What bash 5.2 gives for the small workloads, asked with --oracle.
EXPECTED = {
    "exit 0": ("", 0),
    "guard: jq and grep": ('{"decision":"block","reason":"prompt contains a private key"}\n', 0),
    "ten calls of jq": ("63\n", 0),
    "guard: case": ("", 2),
    "while, 20 turns": ("210\n", 0),
    "for ((;;)), 50 turns": ("1225\n", 0),
    "sort, uniq -c, 20 lines": (
        "      1 word480\n      1 word470\n      1 word467\n      1 word448\n      1 word405\n",
        0,
    ),
    "seq 50 and awk": ("1275\n", 0),
    "sed and grep -c, 20 lines": ("20\n", 0),
    "awk: fields, arrays and sub, 20 lines": ("20 5640\n", 0),
    "cut, tr, sort -n and head, 20 lines": ("558\n565\n579\n", 0),
    "function calls, 5": ("10\n", 0),
    "text expansions, 5": ("45\n", 0),
    "nested loops, 3": ("14850\n", 0),
    "for over words, 3": ("135450\n", 0),
    "string building, 3": ("xxx yx zx\n", 0),
    "fib, command substitution, 3": ("2\n", 0),
    "fib, return in a variable, 3": ("2\n", 0),
    "indexed arrays, 10": ("90 8 10\n", 0),
    "associative arrays, 3": ("alpha 2\nbeta 2\ngamma 1\ndelta \nepsilon 1\n", 0),
    "while read -r, 10": ("410\n", 0),
    "while IFS=: read -r, 5": ("3\n", 0),
    "files, 3": ("3\n", 0),
    "appends to a file, 3": ("\n", 0),
    "case guard, 3": ("11\n", 0),
    "functions with locals, 4": ("6\n", 0),
    "functions in if, 6": ("3\n", 0),
    "printf -v, 8": ("00007:abc\n", 0),
    "printf and echo, 8": ("16\n", 0),
    "[[ =~ ]], 5": ("10\n", 0),
    "[[ == ]], 10": ("2\n", 0),
    "bubble sort, 5": ("116 333 571 640 938\n", 0),
    "quick sort, 20": (
        "205 227 796 1571 1906 2521 3262 4465 5227 5450 5880 5938 6327 6333 6646 7700 7717 8116 8640 9087\n",
        0,
    ),
    "characters of a string, 40": ("4\n", 0),
    "here-documents, 3": ("first 2 second first 1\n", 0),
    "here-strings, 3": ("key2 value2\n", 0),
    "sieve of primes, 50": ("15\n", 0),
    "path expansions, 5": ("70\n", 0),
    "command substitution of builtins, 3": ("3 002\n", 0),
    "subshells, 3": ("9\n", 0),
    "set -- and shift, 5": ("10\n", 0),
    "read into an array, 3": ("12\n", 0),
    "let, test and ((  )), 6": ("2\n", 0),
    "getopts, 3": ("12\n", 0),
}


def ran(name: str, workload: Workload) -> Output:
    with RUNNERS[name](workload) as run:
        return run()


@pytest.mark.parametrize("workload", SMALL, ids=lambda workload: workload.name)
def test_workload(workload: Workload, oracle: bool) -> None:
    expected = Output(*EXPECTED[workload.name])
    assert ran("sandhook", workload) == expected
    if oracle:
        assert ran("bash", workload) == expected


def test_a_new_sandbox_for_each_run() -> None:
    with RUNNERS["sandhook"](Workload("left behind", "ls; echo x > left")) as run:
        assert run() == run() == Output("", 0)
