"""Random scripts, run in the host's bash and in the sandbox: the same output, status and variables.

Half as many scripts call utilities with random options and small inputs, six calls each, and compare with the GNU programs.

All seeds of a test run take about two minutes on a quiet machine. FUZZ_SEEDS says which seeds are
run instead, for example ``FUZZ_SEEDS=100000-120000 pytest -m slow tests/interp/test_fuzz.py``; a
range of 20,000 takes about ten minutes. A script that fails is made smaller before it is shown.
"""

from __future__ import annotations

import os

import pytest

from tests.interp.fuzz.grammar import Grammar, bash_grammar, utilities_grammar
from tests.interp.fuzz.runs import differs
from tests.interp.fuzz.shrink import shrink

#: The seeds that are run when nobody says otherwise, and how many make one test.
SEEDS = range(4000)
CHUNK = 400


def _chunks() -> list[range]:
    first, _, end = os.environ.get("FUZZ_SEEDS", "").partition("-")
    seeds = range(int(first), int(end)) if end else SEEDS
    return [range(start, min(start + CHUNK, seeds.stop)) for start in range(seeds.start, seeds.stop, CHUNK)]


@pytest.mark.slow
@pytest.mark.parametrize("seeds", _chunks(), ids=lambda seeds: f"{seeds.start}-{seeds.stop}")
def test_random_scripts_do_as_in_bash(seeds: range) -> None:
    _compare(bash_grammar(), seeds)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", _chunks()[::2], ids=lambda seeds: f"{seeds.start}-{seeds.stop}")
def test_random_calls_of_utilities_do_as_the_gnu_programs(seeds: range) -> None:
    _compare(utilities_grammar(), seeds)


def _compare(grammar: Grammar, seeds: range) -> None:
    for seed in seeds:
        tree = grammar.derive(seed)
        found = differs(str(tree))
        if found is None:
            continue
        small = shrink(tree, grammar, lambda script: differs(script) is not None)
        bash, ours = differs(small) or found
        pytest.fail(f"seed {seed}:\n{small}\n\nbash: {bash}\n\nhere: {ours}")


def test_a_seed_always_gives_the_same_script() -> None:
    assert str(bash_grammar().derive(7)) == str(bash_grammar().derive(7))
    assert len({str(bash_grammar().derive(seed)) for seed in range(50)}) == 50


def test_a_grammar_that_never_ends_is_refused() -> None:
    with pytest.raises(AssertionError, match=r"no end for \['script'\]"):
        Grammar("== script\na «script»\n")


def test_a_grammar_with_a_name_that_it_lacks_is_refused() -> None:
    with pytest.raises(AssertionError, match="not in the grammar"):
        Grammar("== script\n«word»\n")


def test_shrinking_keeps_what_fails_and_little_else() -> None:
    grammar = Grammar(
        "== script\n«command»\n«command»; «script»\n\n== command\n:\necho «word»\n(«script»)\n\n== word\na\nb\n"
    )
    tree = next(
        tree for tree in map(grammar.derive, range(1000)) if "echo b" in str(tree) and len(str(tree)) > 40
    )
    assert len(shrink(tree, grammar, lambda script: "echo b" in script)) <= len("echo b; :")
