"""The state of a subshell goes when the subshell ends, not when garbage is next collected: variables are memory."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from sandhook import Shell
from sandhook.interp.runtime import Runtime
from sandhook.state.state import State


class Counted(State):
    """A state that is counted as long as it lives."""

    __slots__ = ()
    alive = 0

    def __new__(cls, *_: object, **__: object) -> Counted:
        Counted.alive += 1
        return super().__new__(cls)

    def __del__(self) -> None:
        Counted.alive -= 1


@pytest.fixture
def uncollected(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(Runtime, "state_class", Counted)
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize(
    "step",
    [
        "(:)",
        "(x=1; f() { local y; }; f)",
        "x=$(:)",
        "x=$(cat f)",
        "x=$(tail -n 1 f)",
        "x=$(sed p f)",
        "x=$(awk 1 f)",
        "x=$(grep a f)",
        "x=$(jq . j)",
        "x=$(sort f)",
        "x=$(echo a | tr a b)",
        "x=`printf a`",
        "x=$(env y=1 cat f)",
        "x=$(xargs echo < f)",
        "x=$(find . -exec echo {} \\;)",
        "x=$(bash -c 'echo a')",
        "x=$(./h.sh)",
        "x=$(exit 3)",
        "x=$(set -e; false)",
        "x=$(trap ':' EXIT)",
        "x=$(kill -TERM $BASHPID)",
        "x=$(eval 'echo a')",
        "x=$(. ./h.sh)",
        "x=$(nothing 2> /dev/null)",
        "x=$(f() { return 3; }; f)",
        "x=$(for i in 1 2; do break; done)",
        "x=$(${y?} 2> /dev/null)",
        "cat f | sed p | wc -l",
        "yes | head -n 1",
        "cat <(echo a)",
        "echo a > >(cat); sleep 0.01",
        "sleep 0 & wait",
        "{ echo a; } | while read -r x; do :; done",
        "cat f > /dev/null &\nwait $!",
    ],
)
def test_a_subshell_leaves_nothing(step: str, uncollected: None) -> None:
    counts: list[int] = []

    def count(data: bytes) -> None:
        if data in (b"one\n", b"two\n"):
            counts.append(Counted.alive)

    shell = Shell(files={"f": "a\nb\n", "j": "{}", "h.sh": b"#!/bin/bash\necho a\n"})
    script = f"chmod +x h.sh; {step}\n/bin/echo one >&2\n{step}\n{step}\n{step}\n/bin/echo two >&2"
    result = shell.run(script, stderr=count)
    assert (result.limit, result.defect) == (None, None)
    assert counts[1] == counts[0], f"{counts[1] - counts[0]} states are left"
