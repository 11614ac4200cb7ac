"""TM-ISO, TM-DOS 4: what the process keeps between runs is small, whatever scripts put into it."""

from __future__ import annotations

import functools
import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest

from sandhook import Shell
from sandhook.interp import program
from sandhook.lazy import LONGEST_KEY, _Results, cache_short, cache_texts
from sandhook.limits import Limits
from sandhook.pattern.engine import KEPT
from sandhook.pattern.kept import Kept
from sandhook.pattern.posix import compile_ere
from sandhook.vfs import git_scripts

#: Each puts a text of 20,000 characters where a cache could keep it.
SCRIPTS = [
    "printf -v y \"$x%s\" a",
    "printf -v y \"%($x)T\" 1",
    "TZ=$x printf -v y '%(%c)T' 1",
    "IFS=$x; set -- $y; read a b <<< c",
    ": ${y#$x} ${y##*$x} ${y/$x/b} ${y//$x/}; [[ $y == $x ]]; case $y in $x) ;; esac",
    "[[ $y =~ $x ]]",
    "read $x; read $x $x; getopts $x o",
    "export $x=1; env > /dev/null; unset $x",
    ": $(($x)); let $x; [[ $x -eq 1 ]]",
    "eval \"$x\"; trap \"$x\" USR1; kill -USR1 $$; bash -c \"$x\"",
    "echo a | grep -c \"$x\"; echo a | grep -Pc \"$x\"; echo a | sed \"s/$x/b/\"; echo a | rg -c \"$x\"; echo a | rg -g \"$x\" a",
    "echo a | awk \"/$x/\"; awk -v v=\"$x\" 'BEGIN { printf v; gsub(v, v); y = \"a\"; sub(/a/, v, y); gensub(/a/, v, 1, y); split(y, z, v) }'",
    "jq -n --arg v \"$x\" '$v | length'; jq -n \"\\\"$x\\\"\"; echo 1 | jq -f <(echo \"#$x\"; echo .)",
    "./$x; echo \"#!/bin/$x\" > f; chmod +x f; ./f; /bin/$x",
    "z='$y'$x; y=${z@P}; PS4=$z; set -x; :; set +x; compgen -W \"$z\" a; compgen -W \"$x\" a",
    "echo a | grep --label=\"$x\" -H a; echo a | grep -c --include=\"$x\" a; echo a > a; rg -r \"$x\" a a",
    "date -d \"$x\"; date \"+$x\"; find . -name \"$x\" -regex \"$x\"; expr a : \"$x\"",
]  # fmt: skip


def kept() -> Iterator[str | bytes]:
    """Yield the texts that caches of functions keep, as keys or in results."""
    gc.unfreeze()  # what pytest and other tests froze has caches, too
    caches = [each for each in gc.get_objects() if isinstance(each, (functools._lru_cache_wrapper, _Results))]
    gc.freeze()
    seen: set[int] = set()
    pending: list[object] = []
    for cache in caches:
        if isinstance(cache, _Results):
            pending += [*cache, *cache.values(), *cache._long, *cache._long.values()]
        elif cache.__module__.startswith("sandhook"):
            pending += [each for each in gc.get_referents(cache) if isinstance(each, (dict, tuple, list))]
    while pending:
        item = pending.pop()
        if isinstance(item, (str, bytes)):
            yield item
        elif id(item) not in seen and isinstance(item, (dict, tuple, list, frozenset, set)):
            seen.add(id(item))
            pending += gc.get_referents(item)


def test_no_cache_keeps_a_long_text() -> None:
    text = "abcdefghij" * 2_000
    for script in SCRIPTS:
        result = Shell(limits=Limits(wall_seconds=20.0)).run(f"x=$1; {script}", args=(text,))
        assert result.defect is None, result.defect
    assert sum(1 for _ in kept()) > 100  # the caches are found
    own = {git_scripts.SETUP, git_scripts.I18N}  # of the skeleton, the same in all runs
    assert [item[:50] for item in kept() if len(item) > LONGEST_KEY and item not in own] == []


@pytest.mark.slow
def test_programs_are_bounded_by_what_they_hold() -> None:
    text = ": a;" * 8_000
    shell = Shell(limits=Limits(wall_seconds=60.0))
    for number in range(12):
        shell.run(f"{text}: {number}")
    cache = program._PROGRAMS
    assert cache._weight == sum(each.weight for each in cache._programs.values())
    assert 8_000 < cache._weight <= program._MAX_WEIGHT
    short = shell.run("echo short")
    assert short.stdout == "short\n"
    assert any(key[0] == "echo short" for key in cache._programs)


def test_long_arguments_are_computed_anew() -> None:
    calls: list[int] = []

    @cache_short(8)
    def size(text: str, more: tuple[str, ...] = ()) -> int:
        calls.append(len(text))
        return len(text)

    @cache_texts(8)
    def length(text: str) -> int:
        calls.append(len(text))
        return len(text)

    for _ in range(2):
        size("a" * LONGEST_KEY)
        size("a", ("b" * LONGEST_KEY,))
        length("a" * LONGEST_KEY)
        length("a" * (LONGEST_KEY + 1))
    assert calls == [LONGEST_KEY, 1, LONGEST_KEY, LONGEST_KEY + 1, 1, LONGEST_KEY + 1]


def test_few_results_for_longer_arguments_are_kept() -> None:
    calls: list[str] = []

    @cache_texts(100)
    def same(text: str) -> str:
        calls.append(text)
        return text

    texts = [str(number) * 300 for number in range(1, 60)]
    for text in (*texts, *texts[-4:], texts[0]):
        same(text)
    assert len(calls) == len(texts) + 1
    assert calls[-1] == texts[0]


class Expression:
    """Stands for a compiled expression."""

    def __init__(self) -> None:
        self.released = 0

    def release(self) -> None:
        self.released += 1


def test_what_was_used_last_is_kept() -> None:
    kept = Kept(1_000, 300)
    items = [Expression() for _ in range(4)]
    for item in items:
        kept.add(item, 240)
    kept.add(items[0], 0)
    assert kept.total() == 960
    new = Expression()
    kept.add(new, 5_000)
    assert [item.released for item in (*items, new)] == [0, 1, 1, 1, 0]
    assert kept.total() == 540
    del items[0]
    gc.collect()
    assert kept.total() == 300


def test_an_expression_that_was_released_matches_again() -> None:
    regex = compile_ere("(a|b)c")
    assert regex.test(b"xbc")
    for item in [key() for key in list(KEPT._bytes)]:
        if item is not None:
            item.release()
    match = regex.search(b"xbc")
    assert match is not None
    assert match.spans == [(1, 3), (1, 2)]


#: Prints the growth of resident memory in MiB while each of many expressions fills its automaton.
GROWTH = """
import random, resource
from sandhook import Limits, Shell
data = bytes(random.Random(1).choices(b"ab", k=20_000))
shell = Shell(files={"f": data}, limits=Limits(wall_seconds=60.0))
shell.run("grep -E '[ab]*x' f; rg x f; echo a | sed -E s/a/b/; awk /x/ f")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for number in range(150):
    result = shell.run(SCRIPT.replace("N", str(number)))
    assert (result.limit, result.defect) == (None, None), result.stderr
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the unit of ru_maxrss differs between systems")
@pytest.mark.parametrize(
    "script",
    [
        "grep -Eq '[ab]*a[ab]{200}c|xN' f",
        "rg -q '[ab]*a[ab]{200}c|xN' f",
        "sed -En '/[ab]*a[ab]{200}c|xN/p' f",
        "awk '/[ab]*a[ab]{200}c|xN/' f",
        "[[ ab =~ \\w{9}[^x]{900}N ]]",
        "case ab in *" + "[ab]" * 500 + "N) ;; esac; [[ a == " + "[ab]" * 500 + "N ]]",
    ],
)  # fmt: skip
def test_expressions_of_many_runs_need_bounded_memory(script: str) -> None:
    """Without a bound, 150 of the first kind need 380 MB, and 560 of them 1.4 GB."""
    child = GROWTH.replace("SCRIPT", repr(script))
    done = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 200


@pytest.mark.slow
def test_the_worker_does_not_keep_long_programs() -> None:
    """Forty of them used up the memory of the worker, and ended a run that asked for little."""
    shell = Shell(limits=Limits(wall_seconds=60.0))
    for number in range(50):
        program = "[" + "1," * 100_000 + f"{number}]|last"
        result = shell.run('jq -n "$1"', args=(program,))
        assert (result.stdout, result.limit) == (f"{number}\n", None), result.stderr
