"""Elements whose subscript is an expansion: the quick way gives what the text of the expression gives."""

from __future__ import annotations

import random

import pytest

from sandhook.expand import keyed
from sandhook.expand.numbers import NotPlain
from sandhook.shell import Shell
from tests.builtins.conftest import run_bash

KEYS = (
    "a", "b_1", "7", "07", "-1", "", "@", "*", "a b", " a", "a ", "x]", "[x", "[x]", "$(echo a)", "$a", "`echo a`", "'q'", '"q"', "a'b",
    'a"b', "a\\b", "\\", "é", "x+1", "x++", "x=5", "a:b", "/etc/x", "(1)", "1,2", "#", "!", "a;b", "99999999999999999999", "x", "i",
)  # fmt: skip

EXPRESSIONS = (
    "(( c[$k]++ ))", "(( ++c[$k] ))", '(( c["$k"]++ ))', "(( c[${k}] += 2 ))", "(( c[$k] = i = 4 ))", "(( i++ + c[$k]-- ))", "(( c[$k] *= c[$k] + 1 ))",
    "n=$(( c[$k] ))", "n=$(( c[$k] + $i * c[$k] ))", "n=$(( i++ ? c[$k] : d[$k] ))", "(( c[$k] && (c[$k] = 3) ))", "(( c[d[$k]] ))", "(( c[x$k] ))",
    "(( c[$k$k]++ ))", "(( c[$i]++, c[$k]++ ))", "(( d[$k] += 1 ))", "(( d[$i] += c[$k] ))", "(( r[$k]++ ))", "(( u[$k]++ ))", "(( u[$k] ))", "(( f[$k] ))",
    "(( c[$k] / 0 ))", "(( l[$k]++ ))", "(( s[$k]++ ))", "(( n = v[$k] ))", "(( $i + c[$k] ))", "(( z[$k]++ ))",
)  # fmt: skip

SET_UP = """\
x=3 i=2 s=8; declare -A c=([a]=1 [b_1]=7 [x]=x [i]=08 [7]=9) v=([a]=x+1 [x]='c[a]'); d=(4 5 6); readonly -A r=([a]=1); declare -iA z=([a]=2)
declare -n l=c; declare -A f
"""
END = "echo $? n=$n i=$i x=$x; declare -p c d z s"


def run(expression: str, key: str) -> tuple[str, str, int]:
    result = Shell(env={"k": key}).run(f"{SET_UP}{expression}\n{END}")
    return result.stdout, result.stderr, result.exit_status


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_key(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def textual(*arguments: object) -> list[object]:
        raise NotPlain

    found = [run(expression, key) for key in KEYS]
    monkeypatch.setattr(keyed, "operands", textual)
    assert found == [run(expression, key) for key in KEYS]


def test_bash_agrees(oracle: bool) -> None:
    """Keys that mean something in an expression are L-INJ-001 and others; these are plain."""
    scripts = [
        f"k={key}; {SET_UP}{expression}\necho $? $n $i ${{c[$k]}} ${{d[@]}} ${{#c[@]}} $s"
        for expression in EXPRESSIONS
        for key in ("a", "b_1", "7", "q")
    ]
    quick = [Shell().run(script).stdout for script in scripts]
    assert len(set(quick)) > 40
    if oracle:
        assert quick == [run_bash(script).stdout for script in scripts]


def test_the_quick_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    operands = keyed.operands
    monkeypatch.setattr(keyed, "operands", lambda *words: taken.append(operands(*words)) or taken[-1])
    script = 'declare -A c; for k in a b; do (( c[$k]++ )); c["$k"]=$(( c["$k"] + $2 )); done; echo ${c[b]}'
    assert Shell().run(script, args=["x", "5"]).stdout == "6\n"
    assert taken == [["a", 5], ["b"], ["b", 5]]  # at first the array has no value


def test_many_words_are_counted() -> None:
    words = [f"w{random.Random(n).randint(0, 3000)}" for n in range(4000)]
    script = "declare -A c; while read -r k; do ((c[$k]++)); done; echo ${#c[@]} ${c[w7]}"
    result = Shell().run(script, stdin="\n".join(words) + "\n")
    assert result.stdout == f"{len(set(words))} {words.count('w7') or ''}\n"
