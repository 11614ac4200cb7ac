"""The cases of conformance/hooks/<contract>, in both modes.

A case loads a configuration (`config`: an object, or a text with `config_name`; `layers`: several of
them with their layer) over `files`, then fires events: `event` is the contract's own name, `payload`
what the agent would send. `expect` holds what is looked at. Without `compat` a case holds in both
modes. Each case says where it comes from in `source`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import Decision, Event, HookEngine, SandboxRunner
from sandhook.hooks.contracts import Document, get
from sandhook.vfs.path import VirtualPath

ROOT = Path(__file__).parents[2] / "conformance" / "hooks"
CONTRACTS = sorted(path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "everruns")
KNOWN = {
    *("name", "source", "contract", "config", "config_name", "layers", "files", "env", "fire", "compat"),
    *("problems", "fail_closed", "withheld"),
}


def cases() -> list[Any]:
    found = []
    for contract in CONTRACTS:
        for path in sorted((ROOT / contract).glob("*.json")):
            document = json.loads(path.read_text(encoding="utf-8"))
            assert document["format"] == "sandhook hook cases 1"
            for case in document["cases"]:
                assert not set(case) - KNOWN, f"{path.name}: {case['name']}: an unknown directive"
                for compat in [case["compat"]] if "compat" in case else ["better", "strict"]:
                    name = case.get("contract", document["contract"])
                    found.append(
                        pytest.param(name, case, compat, id=f"{contract}: {case['name']} [{compat}]")
                    )
    return found


@pytest.mark.parametrize(("contract", "case", "compat"), cases())
def test_case(contract: str, case: dict[str, Any], compat: str) -> None:
    made = engine(contract, case, compat)
    assert list(map(str, made.problems)) == case.get("problems", [])
    assert [each.why for each in made.withheld] == case.get("withheld", [])
    for step in case["fire"]:
        event = get(contract).event(step["event"], step["payload"]).with_(**step.get("fields", {}))
        check(step["expect"], made.fire(event), event, made)


def engine(contract: str, case: dict[str, Any], compat: str) -> HookEngine:
    env = case.get("env", {})
    made = get(contract)
    layers = case.get("layers") or [{"config": case["config"], "name": case.get("config_name", "")}]
    documents = []
    for layer in layers:
        config, name = layer["config"], layer.get("name", "")
        document = made.parse(config, name, env) if isinstance(config, str) else Document(config, name)
        documents.append(document._replace(layer=layer.get("layer", "")))
    return HookEngine.load(
        documents,
        contract,
        compat=compat,
        env=env,
        runner=SandboxRunner(files=case.get("files")),
        fail_closed=case.get("fail_closed", False),
    )


def check(expect: dict[str, Any], decision: Decision, event: Event, made: HookEngine) -> None:
    got: dict[str, Any] = {
        name: getattr(decision, name)
        for name in (
            *("refused", "permission", "block", "halt", "force_continue", "reason", "user_message"),
            *("system_message", "message", "extras"),
        )
    }
    got["hooks"] = {each.hook_id: each.verdict.label if each.run else None for each in decision.outcomes}
    got["words"] = [each.verdict.label if each.run else None for each in decision.outcomes]
    got["stdout"] = [each.stdout for each in decision.outcomes if each.run]
    got["exit"] = [each.run.exit_status for each in decision.outcomes if each.run]
    got["context"] = [text for text, _ in decision.context]
    got["placements"] = [place for _, place in decision.context]
    got["context_files"] = [file.path for file in decision.context_files]
    got["could_not_run"] = len(decision.could_not_run)
    got["prompt"] = decision.apply_to_prompt(event.prompt) if event.prompt is not None else None
    if event.tool is not None:
        got["input"] = decision.apply_to(event.tool.input)
    if event.result is not None:
        result = decision.apply_to_result(event.result)
        got["result"], got["error"] = result.value, result.error
    special = {"files", "diagnostics"}
    assert not set(expect) - set(got) - special, "an unknown expectation"
    wanted = {key: value for key, value in expect.items() if key not in special}
    assert {key: got[key] for key in wanted} == wanted, decision
    for part in expect.get("diagnostics", ()):
        assert any(part in line for line in decision.diagnostics), decision.diagnostics
    for path, content in expect.get("files", {}).items():
        if content is None:
            assert not made.fs.exists(VirtualPath(path))
        else:
            assert made.fs.read_bytes(VirtualPath(path)).decode() == content
