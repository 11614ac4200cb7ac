"""Twenty engines fire eighty hooks at once: nothing of one is seen by another, all decide as alone."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sandhook.hooks import HookEngine
from sandhook.hooks.events import ToolPre
from sandhook.hooks.model import Decision
from sandhook.hooks.report import to_json

ENGINES, HOOKS = 20, 4

#: Leaves a variable, a function, an option, a directory, a file and a trap, and reports any
#: that an other hook left.
SCRIPT = """
[ -z "${left-}" ] || { echo "variable of $left" >&2; exit 49; }
[ "$(type -t leftover)" = "" ] || { echo "function" >&2; exit 49; }
[ "$PWD" = /workspace ] || { echo "directory $PWD" >&2; exit 49; }
case $- in *f*) echo "option" >&2; exit 49;; esac
for file in /workspace/left-* /tmp/left-*; do
  case $file in *'*'|*-ENGINE-*) ;; *) echo "file $file" >&2; exit 49;; esac
done
[ "$OWN" = ENGINE ] || { echo "environment $OWN" >&2; exit 49; }
left=ENGINE; leftover() { :; }; export OWN=changed; umask 077
echo ENGINE >> left-ENGINE-NUMBER; echo x > /tmp/left-ENGINE-NUMBER
command=$(jq -r .tool_input.command)
cd /tmp; set -f
case $command in
  *NUMBER) echo "ENGINE refuses $command" >&2; exit 2;;
  *) echo '{"context": "ENGINE-NUMBER"}';;
esac
"""


def made(number: int) -> HookEngine:
    hooks = [
        {"command": SCRIPT.replace("ENGINE", f"e{number}").replace("NUMBER", f"n{at}")} for at in range(HOOKS)
    ]
    return HookEngine.load({"hooks": {"PreToolUse": hooks}}, "crush", env={"OWN": f"e{number}"})


def event(number: int, turn: int) -> ToolPre:
    return ToolPre("bash", {"command": f"run n{(number + turn) % (HOOKS + 2)}"})


def plain(decision: Decision) -> dict[str, Any]:
    """Return all of a decision but the time that it took."""
    value = to_json(decision)
    for outcome in value["outcomes"]:
        outcome.pop("duration_ms", None)
    return value


@pytest.fixture(scope="module")
def serially() -> list[list[dict[str, Any]]]:
    """Return the decisions of every engine when they fire one after the other, twice."""
    engines = [made(number) for number in range(ENGINES)]
    return [
        [plain(engine.fire(event(number, turn))) for number, engine in enumerate(engines)] for turn in (0, 1)
    ]


def test_alone_they_decide_and_leak_nothing(serially: list[list[dict[str, Any]]]) -> None:
    refused = [value["refused"] for turn in serially for value in turn]
    assert any(refused) and not all(refused)
    for turn in serially:
        for number, value in enumerate(turn):
            assert not value["halt"], value["reason"]
            assert value["could_not_run"] == []
            assert len(value["outcomes"]) == HOOKS and all(each["ran"] for each in value["outcomes"])
            if value["refused"]:
                assert value["reason"].startswith(f"e{number} refuses")
            else:
                said = "\n".join(text["text"] for text in value["context"]).split("\n")
                assert said == [f"e{number}-n{at}" for at in range(HOOKS)]


def test_from_threads_they_decide_the_same(serially: list[list[dict[str, Any]]]) -> None:
    engines = [made(number) for number in range(ENGINES)]
    before = (dict(os.environ), os.getcwd())
    with ThreadPoolExecutor(16) as pool:
        for turn in (0, 1):
            fired = [pool.submit(engine.fire, event(number, turn)) for number, engine in enumerate(engines)]
            assert [plain(each.result()) for each in fired] == serially[turn]
    assert (dict(os.environ), os.getcwd()) == before


def test_from_one_event_loop_they_decide_the_same(serially: list[list[dict[str, Any]]]) -> None:
    engines = [made(number) for number in range(ENGINES)]

    async def all_at_once(turn: int) -> list[Decision]:
        return list(
            await asyncio.gather(
                *(engine.afire(event(number, turn)) for number, engine in enumerate(engines))
            )
        )

    for turn in (0, 1):
        assert [plain(each) for each in asyncio.run(all_at_once(turn))] == serially[turn]


def test_one_engine_from_many_threads(serially: list[list[dict[str, Any]]]) -> None:
    engine = made(7)
    calls = [event(7, turn) for turn in range(24)]
    with ThreadPoolExecutor(8) as pool:
        together = [plain(each) for each in pool.map(engine.fire, calls)]
    alone = made(7)
    assert together == [plain(alone.fire(call)) for call in calls]
