"""Wrong arguments raise at once, with their name: no mistake gives an engine that allows everything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandhook import Shell
from sandhook.hooks import (
    ContractError,
    Document,
    HookEngine,
    NopEngine,
    Request,
    RunResult,
    SandboxRunner,
    discover,
)
from sandhook.hooks.event import Event, ToolCall
from sandhook.hooks.events import PromptSubmit, ToolPre
from tests.hooks.test_silencing import GUARDS

GUARD = GUARDS["claude_code"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"runner": 3}, "runner must be a runner such as SandboxRunner"),
        ({"executors": {"http": "x"}}, r"executors\['http'\] must be a runner, not 'x'"),
        ({"executors": ["http"]}, "executors must map names of types to runners"),
        ({"trust": "yes"}, "trust must be a function of a HookSpec, not 'yes'"),
        ({"max_timeout": "3"}, "max_timeout must be a number of seconds, not '3'"),
        ({"max_timeout": True}, "max_timeout must be a number of seconds, not True"),
        ({"shared_files": "no"}, "shared_files must be True or False, not 'no'"),
        ({"shared_files": None}, "shared_files must be True or False, not None"),
        ({"prestart": 1}, "prestart must be True or False, not 1"),
        ({"git_writes": "yes"}, "git_writes must be True or False, not 'yes'"),
        ({"max_timeout": 0}, "max_timeout must be more than 0 seconds, not 0"),
        ({"max_timeout": float("nan")}, "max_timeout must be more than 0 seconds, not nan"),
        ({"fail_closed": "yes"}, "fail_closed must be False, True or 'strict', not 'yes'"),
        ({"compat": "best"}, "compat must be one of better, strict, not 'best'"),
        ({"on_long_timeout": "cut"}, "on_long_timeout must be 'clamp' or 'reject', not 'cut'"),
        ({"isolation": "proces"}, "isolation must be 'thread' or 'process', not 'proces'"),
        ({"contract": "claude"}, "unknown contract 'claude'"),
        ({"contract": 5}, "contract must be a name or a Contract, not 5"),
        ({"host": "yes"}, "host must be True, False or a HostRunner, not 'yes'"),
        ({"env": {"A": 1}}, r"env\['A'\] must be a text, not 1"),
        ({"env": ["A"]}, "env must map names to texts"),
        ({"audit": 5}, "audit must be a function of a line, a file, or a Journal, not 5"),
        ({"contributions": 5}, "contributions must map capabilities to raw hooks, not 5"),
        ({"network": 5}, "network must be a Network, not 5"),
        ({"utilities": 5}, "utilities must be functions of @utility, or a mapping, not 5"),
    ],
)
def test_arguments_of_load(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(Exception, match=message) as raised:
        HookEngine.load(GUARD, **{"contract": "claude_code", **arguments})
    assert isinstance(raised.value, (TypeError, ValueError)) or "unknown contract" in message


@pytest.mark.parametrize("source", [3, b"hooks.json", 1.5, object(), [GUARD, 3], {"a"}])
def test_what_is_no_configuration(source: Any) -> None:
    with pytest.raises(TypeError, match="sources must be paths, objects or Documents, not "):
        HookEngine.load(source, "claude_code")


@pytest.mark.parametrize("layer", ["projct", "USER", "trusted"])
def test_a_layer_that_is_not_known(layer: Any) -> None:
    with pytest.raises(
        ValueError, match=r"Document\.layer must be one of managed, user, project, local, bundle"
    ):
        HookEngine.load([Document(GUARD, layer=layer)], "claude_code")


@pytest.mark.parametrize("sources", [None, [None], (None, None)])
def test_no_configuration_where_the_engine_fails_closed(sources: Any) -> None:
    assert isinstance(HookEngine.load(sources), NopEngine)
    for fail_closed in (True, "strict"):
        for contract in (None, "claude_code"):
            with pytest.raises(TypeError, match="sources is None: with fail_closed"):
                HookEngine.load(sources, contract, fail_closed=fail_closed)  # type: ignore[arg-type]


def test_no_hooks_is_a_configuration() -> None:
    assert HookEngine.load({}, fail_closed=True).fire(ToolPre("Bash", {})).proceed
    assert HookEngine.load([], fail_closed=True).fire(ToolPre("Bash", {})).proceed


@pytest.mark.parametrize("engine", [HookEngine.load(GUARD, "claude_code", prestart=False), NopEngine()])
@pytest.mark.parametrize("event", ["PreToolUse", None, {"kind": "tool.pre"}, ToolPre])
def test_what_is_no_event(engine: HookEngine, event: Any) -> None:
    with pytest.raises(TypeError, match="event must be an Event, such as ToolPre"):
        engine.fire(event)


@pytest.mark.parametrize("engine", [HookEngine.load(GUARD, "claude_code", prestart=False), NopEngine()])
@pytest.mark.parametrize("kind", ["tool.prex", "PreToolUse", "", "pre_tool_use"])
def test_a_kind_that_is_not_known(engine: HookEngine, kind: str) -> None:
    with pytest.raises(
        ValueError, match=r"event\.kind must be one of session\.start, .*, or begin with 'x\.'"
    ):
        engine.fire(Event(kind))


def test_an_event_that_no_contract_has_is_named() -> None:
    engine = HookEngine.load(GUARDS["ub"], "ub", runner=lambda request: RunResult(2), prestart=False)
    decision = engine.fire(PromptSubmit("x"))
    assert decision.diagnostics == ("ub has no event of the kind prompt.submit",)
    assert engine.fire(ToolPre("Bash", {})).diagnostics == ()


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (Event("prompt.submit", prompt=5), "event.prompt must be a text or None, not 5"),  # type: ignore[arg-type]
        (Event("tool.pre", tool=ToolCall(5)), "event.tool.name must be a text, not 5"),  # type: ignore[arg-type]
        (ToolPre("Bash", {}).with_(cwd=5), "event.cwd must be a text or None, not 5"),  # type: ignore[arg-type]
        (ToolPre("Bash", {}).with_(depth="1"), "event.depth must be a whole number, not '1'"),  # type: ignore[arg-type]
        (ToolPre("Bash", {}).with_(timestamp=1), "event.timestamp must be a datetime"),  # type: ignore[arg-type]
        (ToolPre("Bash", {}).with_(extras=[1]), "event.extras must be a mapping or None"),  # type: ignore[arg-type]
        (Event("tool.pre", tool="Bash"), "event.tool must be a ToolCall or None, not 'Bash'"),  # type: ignore[arg-type]
        (Event("tool.pre"), "event.tool is None: tool.pre needs a ToolCall"),
        (Event("tool.post"), "event.tool is None: tool.post needs a ToolCall"),
        (Event(5), "event.kind must be one of session.start"),  # type: ignore[arg-type]
    ],
)
def test_fields_of_events(event: Event, message: str) -> None:
    engine = HookEngine.load(GUARD, "claude_code", prestart=False)
    with pytest.raises((TypeError, ValueError), match=message):
        engine.fire(event)


def test_what_ends_a_run() -> None:
    engine = HookEngine.load(GUARD, "claude_code", prestart=False)
    with pytest.raises(TypeError, match="cancel must be a Cancellation, not 5"):
        engine.fire(ToolPre("Bash", {}), cancel=5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"files": 5}, "files must map paths to contents, not 5"),
        ({"files": {"a": 1}}, r"files\['a'\] must be a text or bytes, not 1"),
        ({"limits": {"steps": 1}}, r"limits must be a Limits\(...\), not"),
        ({"fs": "/tmp"}, "fs must be a file system, such as MemoryFileSystem"),
        ({"network": ["https://x"]}, "network must be a Network, not"),
        ({"utilities": "jq"}, "utilities must be functions of @utility, or a mapping, not 'jq'"),
    ],
)
def test_arguments_of_a_sandbox(arguments: dict[str, Any], message: str) -> None:
    for make in (Shell, SandboxRunner):
        with pytest.raises(TypeError, match=message):
            make(**arguments)


def refuse(request: Request) -> RunResult:
    return RunResult(2)


def test_native_payloads() -> None:
    engine = HookEngine.load(GUARD, "claude_code", runner=refuse)
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm"}}
    wanted = engine.fire(ToolPre("Bash", {"command": "rm"}))
    assert wanted.refused
    assert engine.fire_native(payload).refused
    del payload["hook_event_name"]
    assert engine.fire_native(payload, "PreToolUse").refused
    for event in (None, "Nosuch"):
        with pytest.raises(ContractError):
            engine.fire_native(payload, event)
    with pytest.raises(ContractError, match="tool_name"):
        engine.fire_native({}, "PreToolUse")
    with pytest.raises(ValueError, match="an engine with one contract, not 0"):
        NopEngine().fire_native(payload, "PreToolUse")


def test_an_agents_own_files(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(GUARD))
    (tmp_path / ".claude" / "settings.local.json").write_text("{")
    found = discover("claude_code", tmp_path, env={"HOME": str(tmp_path / "home")})
    assert [(each.layer, each.contract) for each in found.documents] == [("project", "claude_code")]
    assert [each.file for each in found.problems] == [f"{tmp_path.as_posix()}/.claude/settings.local.json"]
    engine = HookEngine.load(found.documents, "claude_code", trust=lambda spec: True, runner=refuse)
    assert engine.fire(ToolPre("Bash", {"command": "rm"})).refused
    with pytest.raises(NotADirectoryError, match="root must be a directory, not '/nosuch'"):
        discover("claude_code", "/nosuch")


def test_all_messages_are_one_list() -> None:
    value = {"hooks": {"PreToolUse": [{"command": 1}, {"command": "exit 2", "odd": 1}]}}
    engine = HookEngine.load([Document(value, "a.json", layer="project")], "crush", prestart=False)
    found = [(each.severity, each.path, each.hook) for each in engine.messages]
    assert found == [
        ("error", "hooks.PreToolUse[0].command", ""),
        ("warning", "hooks.PreToolUse[1]", "PreToolUse[0]"),
        ("note", "hooks.PreToolUse[1].odd", ""),
    ]
    assert all(each.file == "a.json" and each.text for each in engine.messages)
    assert NopEngine().messages == ()


@pytest.mark.parametrize("manifest", [5, {}, "hooks.manifest.json"])
def test_what_is_no_manifest(manifest: Any) -> None:
    with pytest.raises(
        TypeError, match=r"manifest must be a Manifest, as manifest.parse\(\) returns it, not"
    ):
        HookEngine.load(GUARD, "claude_code", manifest=manifest)
