"""TM-ISO, TM-DOS 4: what the process keeps between runs is small, whatever scripts put into it."""

from __future__ import annotations

import functools
import gc
from collections.abc import Iterator

from sandhook import Shell
from sandhook.interp import program
from sandhook.lazy import LONGEST_KEY, _Texts, cache_short, cache_texts
from sandhook.limits import Limits

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
    "date -d \"$x\"; date \"+$x\"; find . -name \"$x\" -regex \"$x\"; expr a : \"$x\"",
]  # fmt: skip


def kept() -> Iterator[str | bytes]:
    """Yield the texts that caches of functions keep, as keys or in results."""
    caches = [each for each in gc.get_objects() if isinstance(each, (functools._lru_cache_wrapper, _Texts))]
    seen: set[int] = set()
    pending: list[object] = []
    for cache in caches:
        if isinstance(cache, _Texts):
            pending += [*cache, *cache.values()]
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
    assert [item[:50] for item in kept() if len(item) > LONGEST_KEY] == []


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
