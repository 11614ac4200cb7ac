"""What each command of a run in a worker did: the same as in the thread, within bounds."""

from __future__ import annotations

import json

import pytest

from sandhook import Limits, Shell
from sandhook.interp.steps import Step, Steps
from sandhook.isolation import steps as coding
from sandhook.isolation.steps import decode, encode

SCRIPTS = {
    "a guard": 'f() { echo "no: $1" >&2; exit 2; }\ncase $(cat) in *rm*) f rm ;; esac',
    "variables": "a=(1 2); declare -A m=([k]=v); unset a; b=x; b+=y",
    "bytes": "x=$(printf '\\351\\0'); printf '\\377\\n' | tee /dev/stderr; echo $'\\e[1m'",
    "a signal": "(kill -TERM $BASHPID); false",
    "a syntax error": "echo 1\nif",
    "nothing": "",
    "jobs": "sleep 1 & wait; { echo a; echo b; } | sort -r",
}


def noted(script: str, isolation: str, limits: Limits | None = None) -> Steps:
    steps = Steps()
    Shell(isolation=isolation, limits=limits).run(script, stdin="rm", steps=steps)  # type: ignore[arg-type]
    return steps


def timeless(steps: Steps) -> list[Step]:
    return [step._replace(seconds=0.0) for step in steps.steps]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_worker_notes_what_the_thread_notes(name: str) -> None:
    assert timeless(noted(SCRIPTS[name], "process")) == timeless(noted(SCRIPTS[name], "thread"))


def test_a_limit_leaves_the_steps_before_it() -> None:
    limits = Limits(steps=50)
    confined = noted("echo 1; while :; do x=$x.; done", "process", limits)
    assert confined.steps[0].output == b"1\n"
    assert timeless(confined) == timeless(noted("echo 1; while :; do x=$x.; done", "thread", limits))


def test_beyond_the_bound_steps_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = noted("for i in {1..100}; do x=$i; done", "thread")
    whole, dropped = decode(encode(steps))
    assert (tuple(whole), dropped) == (steps.steps, 0)
    monkeypatch.setattr(coding, "MOST_STEP_BYTES", 10_000)
    kept, _ = decode(encode(steps))
    assert len(kept) == len(steps.steps) and kept[0] == steps.steps[0]
    assert (kept[-1].number, kept[-1].text, kept[-1].variables) == (steps.steps[-1].number, "x=$i", ())


FIELDS = json.loads(encode(noted("echo 1", "thread")).decode().split("\n")[1])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x",
        b"0\n{}",
        b"0\n" + b"[" * 100_000,
        b"0\n\xff",
        b"0\n" + json.dumps({**FIELDS, "line": "x"}).encode(),
        b"0\n" + json.dumps({**FIELDS, "variables": [1]}).encode(),
        b"0\n" + json.dumps({**FIELDS, "output": "\u20ac"}).encode(),
        b"0" + b"\n{}" * 10_001,
    ],
)
def test_what_no_worker_sends_breaks_the_protocol(data: bytes) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        decode(data)
