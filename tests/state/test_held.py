"""Memory of arrays is given back: a long loop does not use up memory_bytes."""

from __future__ import annotations

import pytest

from sandhook.limits import Limits
from sandhook.shell import Shell

_LINE = "x" * 90

#: Each turn makes an array of some hundred bytes; a thousand of them are more than the limit.
_TURNS = {
    "read -a": 'read -ra a <<< "$line $line"',
    "a=(...)": "a=($line $line)",
    "a=() and +=": "a=(); a+=($line $line)",
    "mapfile": 'mapfile -t a <<< "$line"',
    "an element unset": "a[$i]=$line; unset 'a[$i]'",
    "unset": "a=($line); unset a",
    "a local": "f() { local -a b=($line $line); }; f",
    "a map": "unset m; declare -A m; m[$i]=$line",
    "an element of a map": "declare -A m; m[$i]=$line; unset 'm[$i]'",
    "a subshell": "( a=($line $line) )",
    "BASH_REMATCH": "[[ $line =~ (x+) ]]",
}


@pytest.mark.parametrize("turn", _TURNS.values(), ids=_TURNS)
def test_loop_holds_no_more_than_a_turn(turn: str) -> None:
    script = f"line={_LINE}; for ((i=0;i<1000;i++)); do {turn}; done; echo $i"
    result = Shell(limits=Limits(memory_bytes=40_000)).run(script)
    assert (result.stdout, result.stderr) == ("1000\n", "")


def test_what_is_kept_is_held() -> None:
    script = f"line={_LINE}; for ((i=0;i<1000;i++)); do a+=($line); done; echo $i"
    result = Shell(limits=Limits(memory_bytes=40_000)).run(script)
    assert result.limit == "memory_bytes"


def test_copy_of_a_subshell_gives_nothing_back() -> None:
    script = f"line={_LINE}; for ((i=0;i<1000;i++)); do a+=($line); ( a=() ); done; echo $i"
    result = Shell(limits=Limits(memory_bytes=40_000)).run(script)
    assert result.limit == "memory_bytes"
