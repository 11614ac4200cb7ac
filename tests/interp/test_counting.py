"""Loops that only count give what the loop's own way gives, and what bash gives: values, status, charges, limits."""

from __future__ import annotations

import random

import pytest

from sandhook.interp.compile import counting
from sandhook.limits import Limits
from sandhook.shell import Shell
from sandhook.syntax import parse
from sandhook.syntax.nodes import ArithmeticFor, For, While
from tests.builtins.conftest import run_bash

NAMES = ("i", "a", "b", "c")


def expression(draw: random.Random, depth: int = 3) -> str:
    """Return an arithmetic expression with effects, on the variables of NAMES."""
    if depth == 0 or draw.random() < 0.2:
        if draw.random() < 0.02:
            return "l[-1]"
        return draw.choice(
            (
                *NAMES,
                str(draw.randint(0, 12)),
                "0x7fffffffffffffff",
                "c++",
                "--b",
                "++a",
                "l[i]",
                "l[i % 7]",
                "l[-1]",
                "k[a & 3]",
            )
        )
    left, right = expression(draw, depth - 1), expression(draw, depth - 1)
    return draw.choice(
        (
            f"({left}) {draw.choice(('+', '-', '*', '<<', '>>', '<', '<=', '>', '>=', '==', '!=', '&', '^', '|', '&&', '||'))} ({right})",
            f"({left}) {draw.choice('/%')} {draw.randint(1, 9)}",
            f"{draw.choice('-!~+')}({left})",
            f"{draw.choice('abc')} {draw.choice(('=', '+=', '-=', '*=', '|=', '^=', '<<=', '>>='))} ({left})",
            f"c {draw.choice(('/=', '%='))} {draw.randint(1, 5)}",
            f"({left}) ? ({right}) : a",
            f"({left}), ({right})",
        )
    )


def words(draw: random.Random) -> str:
    """Return an expression without effects that has expansions."""
    parts = [draw.choice(("$i", "${a}", "${#l[@]}", "$b", "c", "7", "l[$i]", "l[i]", "i")) for _ in range(3)]
    return f"{parts[0]} {draw.choice('+-*')} {parts[1]} {draw.choice(('+', '-', '<', '=='))} {parts[2]}"


def command(draw: random.Random) -> str:
    inner = expression(draw) if draw.random() < 0.7 else words(draw)
    return draw.choice((f"(( {inner} ))", f"{draw.choice('abc')}=$(( {inner} ))"))


#: Arrays whose elements are mostly numbers, and lists of values that are.
SET_UP = "a=1 b=2 c=3; l=({1..60} 07 x '' -5 {50..70}); k=(4 5 6 7); "
LISTS = ("{1..80}", '"${l[@]}"', '"${!l[@]}"', "1 2 3 {30..60} 08 -3 {-9..9} '' a {1..30}", "{-40..40}")


def loop(draw: random.Random) -> str:
    """Return a loop and what shows its end."""
    commands = [command(draw) for _ in range(draw.randint(1, 3))]
    end = f"do {'; '.join(commands)}; done; echo $? $a $b $c $i"
    if draw.random() < 0.4:
        return f"{SET_UP}for i in {draw.choice(LISTS)}; {end}"
    if draw.random() < 0.2:
        condition = draw.choice(("i < 90", "i <= 70 && (a | 1)", "i < ${#l[@]}"))
        return f"{SET_UP}i=0; while (( {condition} )); {end.replace('; done', '; (( i += 1 )); done')}"
    step = draw.choice(("i++", "++i", "i+=1", "i = i + 1, a ^= i", "i += 2"))
    condition = draw.choice(("i < 90", "i <= 70 && (a | 1)", "100 > i"))
    return f"a=1 b=2 c=3; for ((i = 0; {condition}; {step})); do {'; '.join(commands)}; done; echo $? $a $b $c $i"


@pytest.fixture
def slowly(monkeypatch: pytest.MonkeyPatch) -> object:
    """Return what runs a script without the turns, compiled anew."""

    def run(script: str, **more: object) -> object:
        with monkeypatch.context() as patch:
            patch.setattr(counting, "_FEWEST", 10**9)
            return run_fast(f"{script}\n# the loop's own way", **more)

    return run


def run_fast(script: str, **more: object) -> object:
    result = Shell(limits=Limits(**more)).run(script)  # type: ignore[arg-type]
    return result.stdout, result.stderr, result.exit_status, result.limit


@pytest.mark.parametrize(
    "seed", [*range(150), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(150, 400))]
)
def test_random_loops(seed: int, slowly: object, oracle: bool) -> None:
    script = loop(random.Random(seed))
    found = run_fast(script)
    assert found == slowly(script)  # type: ignore[operator]
    if oracle:
        assert found[0] == run_bash(script).stdout  # type: ignore[index]


def test_turns_are_taken_at_once() -> None:
    """What the other tests compare is used: a loop of this kind compiles to it, and others do not."""
    made = []
    for script in (
        "for ((i=0;i<40;i++)); do ((a+=i)); b=$((a*2)); done",
        "for ((i=0;i<${#l[@]};i++)); do b=$((b+l[i]*$i)); done",
        "for i in {1..50}; do ((a+=i)); done",
        "while ((i<40)); do ((i++)); done",
        "until ((i>40)); do ((i++)); done",
        "while ((i++<40)); do ((a++)); done",
        "while :; ((i<40)); do ((i++)); done",
        "while ! ((i>40)); do ((i++)); done",
        "for ((i=0;i<40;i++)); do ((a+=i)); echo; done",
        "for ((i=0;i<40;i++)); do ((a/=i)); done",
        "for ((i=0;i++<40;)); do ((a+=1)); done",
        "for ((i=0;i<40;i++)); do ((a[0]+=1)); done",
        "for ((i=0;i<40;i++)); do ((a+=$i)); done",
        "for ((i=0;i<40;i++)); do ((a+=i)) & done",
        "for ((i=0;i<40;i++)); do ((a+=i)) 2>&1; done",
    ):
        node = parse(script)[0].items[0].command
        assert isinstance(node, (ArithmeticFor, For, While))
        turns = counting.Turns(node)
        for _ in range(counting._FEWEST + 1):
            assert turns.run is not None
            turns._wait(None)  # type: ignore[arg-type]
        made.append(turns.run is not None)
    assert made == [True] * 4 + [False] * 11


@pytest.mark.parametrize("before", [
    "declare -i a", "declare -u b", "export a", "set -a", "declare -n d=a; unset b; declare -n b=d", "readonly q=1", "set -e", "set -x", "set -u",
    "trap 'echo E$i' ERR", "trap 'n=$((n+1))' DEBUG", "LINENO=5", "unset a", "a=010", "a=b", "a='1 + 1'", "a=", "f() { local a=3 i; LOOP; }; f; exit",
    "RANDOM=4; declare -i i", "set -o posix", "trap 'echo end $i $a' EXIT", "set -e; trap 'echo end $i $a' EXIT",
])  # fmt: skip
def test_what_makes_a_variable_or_a_failure_special(before: str, slowly: object, oracle: bool) -> None:
    loop = "for ((i=0;i<60;i++)); do ((a+=i)); b=$((a%7)); ((b)); done; echo $? $a $b $i $LINENO"
    script = (
        f"a=1 b=2; {before}; {loop}" if "LOOP" not in before else f"a=1 b=2; {before.replace('LOOP', loop)}"
    )
    found = run_fast(script)
    assert found == slowly(script)  # type: ignore[operator]
    if oracle:
        bash = run_bash(script)
        assert found[:3] == (bash.stdout, bash.stderr, bash.status)  # type: ignore[index]


@pytest.mark.parametrize(
    "steps", [*range(1, 40), 511, 512, 513, 514, 700, 1023, 1024, 1025, 1026, 2000, 2100]
)
def test_a_limit_of_steps_is_exact(steps: int, slowly: object) -> None:
    script = "s=0; for ((i=0;i<900;i++)); do ((s+=i)); done; for i in {1..900}; do ((s+=i)); done; while ((i>9)); do ((i--)); done; echo $s $i"
    assert run_fast(script, steps=steps) == slowly(script, steps=steps)  # type: ignore[operator]


def test_a_signal_and_the_deadline_end_a_loop() -> None:
    loop = "for ((i=0;;)); do ((i+=1)); done"
    endless = "for ((i=0;i>=0;i+=0)); do ((i+=0)); done"
    assert Shell(limits=Limits(wall_seconds=0.2)).run(endless).limit == "wall_seconds"
    assert Shell(limits=Limits(wall_seconds=0.2)).run(loop).limit == "wall_seconds"
    trapped = "trap 'echo caught; exit 3' TERM; (sleep 0.01; kill -TERM $$) & " + endless
    result = Shell(limits=Limits(steps=50_000_000, wall_seconds=20)).run(trapped)
    assert (result.stdout, result.exit_status) == ("caught\n", 3)


def test_random_loops_are_taken_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above would prove nothing if every loop took its own way."""
    taken: list[int] = []
    run = counting._Turns.run
    monkeypatch.setattr(counting._Turns, "run", lambda *arguments: taken.append(run(*arguments)) or taken[-1])
    for seed in range(100):
        run_fast(f"{loop(random.Random(seed))}; :")
    assert sum(map(bool, taken)) > 60 and sum(taken) > 2_000
