"""The cases of conformance/hooks/everruns, in both modes; with --oracle on the host's bash as well.

Oracle: bash 5.2 and jq, with /workspace a temporary directory (matchers and decoding are ours).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import Decision, HookEngine
from sandhook.hooks.contracts import get
from sandhook.vfs.path import VirtualPath

CASES = Path(__file__).parents[2] / "conformance" / "hooks" / "everruns"
KNOWN = {"name", "source", "config", "fire", "compat", "oracle"}
KNOWN_EXPECTATIONS = {
    *("refused", "hooks", "reason", "user_message", "message", "arguments", "prompt", "result", "error"),
    *("files", "warnings"),
}
IDS = {"session_id": "ses_1", "turn_id": "trn_1", "org_id": "org_1", "agent_id": "agent_1"}


def cases() -> list[Any]:
    found = []
    for path in sorted(CASES.glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            for compat in [case["compat"]] if "compat" in case else ["better", "strict"]:
                found.append(pytest.param(case, compat, id=f"{case['name']} [{compat}]"))
    return found


@pytest.mark.parametrize(("case", "compat"), cases())
def test_case(case: dict[str, Any], compat: str, load: Callable[..., HookEngine], oracle: bool) -> None:
    assert not set(case) - KNOWN, "an unknown directive"
    source = case["config"]
    if isinstance(source, str):
        source = (CASES / source).resolve()
    options = {} if not oracle or case.get("oracle", True) else {"runner": None}
    engine = load(source, compat=compat, **options)
    assert engine.problems == ()
    for step in case["fire"]:
        payload = {
            "event": step["event"],
            **IDS,
            **step.get("ids", {}),
            "ts": "2026-05-28T00:00:00Z",
            "data": step["data"],
        }
        event = get("everruns").event(step["event"], payload)
        check(step["expect"], engine.fire(event), event, engine, compat)


def check(expect: dict[str, Any], decision: Decision, event: Any, engine: HookEngine, compat: str) -> None:
    assert not set(expect) - KNOWN_EXPECTATIONS, "an unknown expectation"
    got: dict[str, Any] = {
        "refused": decision.refused,
        "hooks": {
            outcome.hook_id: outcome.verdict.label if outcome.run else None for outcome in decision.outcomes
        },
        "reason": decision.reason,
        "user_message": decision.user_message,
        "message": decision.message,
        "prompt": decision.apply_to_prompt(event.prompt) if event.prompt is not None else None,
        "warnings": sum(len(outcome.verdict.warnings) for outcome in decision.outcomes),
    }
    if event.tool is not None:
        got["arguments"] = decision.apply_to(event.tool.input)
    if event.result is not None:
        result = decision.apply_to_result(event.result)
        got["result"], got["error"] = result.value, result.error
    if compat == "strict" and decision.permission == "deny":
        expect = {**expect, "user_message": None} if "user_message" in expect else expect
    wanted = {key: value for key, value in expect.items() if key != "files"}
    assert {key: got[key] for key in wanted} == wanted, decision
    for path, content in expect.get("files", {}).items():
        if content is None:
            assert not engine.fs.exists(VirtualPath(path))
        else:
            assert engine.fs.read_bytes(VirtualPath(path)).decode() == content


def test_every_published_example_has_a_case() -> None:
    names = " ".join(
        case["name"]
        for path in CASES.glob("*.json")
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]
    )
    wanted = [f"E{number:02}" for number in range(1, 14)] + [f"Y{number:02}" for number in range(1, 5)]
    assert [name for name in wanted if name not in names] == []
