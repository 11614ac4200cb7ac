"""What an Everruns hook is given: variables, the envelope, the file, standard input, limits."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from sandhook.hooks import (
    ContractError,
    Event,
    HookEngine,
    PromptSubmit,
    Request,
    SandboxRunner,
    SessionEnd,
    SessionStart,
    ToolCall,
    ToolPost,
    ToolPre,
    TurnEnd,
)
from sandhook.hooks.contracts import get
from sandhook.hooks.contracts.everruns.payload import timestamp, uuid7
from sandhook.vfs.path import VirtualPath
from tests.hooks.hooktools import config, engine, hook, read

IDS = {"session_id": "s", "turn_id": "t", "org_id": "o", "agent_id": "a", "timestamp": "T"}


def request(native: str, event: Event, compat: str = "better", **fields: Any) -> Request:
    made, runner = engine(hook(native, id="x", **fields), compat=compat)
    made.fire(event)
    return runner.requests[0]


def data(native: str, event: Event, compat: str = "better") -> Any:
    return json.loads(request(native, event, compat).payload)["data"]


def test_the_envelope_is_compact_and_in_order() -> None:
    event = ToolPost("edit_file", {"path": "ä.rs"}, result={"changed": True}, call_id="c", **IDS)
    assert request("post_tool_use", event).payload == (
        '{"event":"post_tool_use","hook_id":"user:x","session_id":"s","turn_id":"t","org_id":"o","agent_id":"a",'
        '"ts":"T","data":{"tool_name":"edit_file","tool_call_id":"c","arguments":{"path":"ä.rs"},'
        '"result":{"changed":true},"error":null,"success":true}}'
    )


def test_upstream_knows_no_turn_and_agent_on_tool_events() -> None:
    event = ToolPre("bash", call_id="c", **IDS)
    payload = json.loads(request("pre_tool_use", event, "strict").payload)
    assert (payload["turn_id"], payload["agent_id"], payload["session_id"]) == (None, None, "s")
    assert "EVERRUNS_HOOK_TURN_ID" not in request("pre_tool_use", event, "strict").env
    assert request("pre_tool_use", event).env["EVERRUNS_HOOK_TURN_ID"] == "t"
    assert json.loads(request("turn_end", TurnEnd(**IDS), "strict").payload)["turn_id"] == "t"


def test_unknown_ids_are_null_and_there() -> None:
    payload = json.loads(request("turn_end", TurnEnd()).payload)
    assert [payload[key] for key in ("session_id", "turn_id", "org_id", "agent_id")] == [None] * 4


@pytest.mark.parametrize(
    ("native", "event", "better", "strict"),
    [
        ("session_start", SessionStart(agent_id="a"), {"agent_id": "a"}, {"agent_id": "a"}),
        ("session_start", SessionStart(), {"agent_id": None}, {"agent_id": None}),
        ("session_end", SessionEnd(), {"reason": "deleted"}, {"reason": "deleted"}),
        ("session_end", SessionEnd("archived"), {"reason": "archived"}, {"reason": "archived"}),
        (
            "user_prompt_submit",
            PromptSubmit("m", attachments=({"n": 1},)),
            {"message": "m", "attachments": [{"n": 1}]},
            {"message": "m"},
        ),
        ("turn_end", TurnEnd(False), {"success": False, "tool_calls": []}, {"success": False}),
        (
            "pre_tool_use",
            ToolPre("bash", [1]),
            {"tool_name": "bash", "tool_call_id": None, "arguments": [1]},
            {"tool_name": "bash", "tool_call_id": None, "arguments": [1]},
        ),
    ],
)
def test_data(native: str, event: Event, better: Any, strict: Any) -> None:
    assert data(native, event) == better
    assert data(native, event, "strict") == strict


def test_a_failed_call_has_its_error() -> None:
    made = data("post_tool_use", ToolPost("bash", {}, error="blocked by pre_tool_use hook: no"))
    assert (made["result"], made["error"], made["success"]) == (
        None,
        "blocked by pre_tool_use hook: no",
        False,
    )


def test_the_environment_in_order() -> None:
    made = hook("pre_tool_use", id="x/y z")
    made["executor"]["env"] = {"OWN": "1", "EVERRUNS_HOOK_EVENT": "overridden"}
    engine_, runner = engine(made)
    engine_.fire(ToolPre("bash", call_id="c", session_id="s", timestamp="T"))
    env = dict(runner.requests[0].env)
    path = env.pop("EVERRUNS_HOOK_PAYLOAD_PATH")
    assert path.startswith("/workspace/.hooks/user_x_y_z-") and path.endswith(".json")
    assert env.pop("EVERRUNS_HOOK_PAYLOAD_JSON") == runner.requests[0].payload
    assert env == {
        "HOME": "/home/agent",
        "SHELL": "/bin/bash",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "WORKSPACE": "/workspace",
        "EVERRUNS_HOOK_EVENT": "overridden",
        "EVERRUNS_HOOK_ID": "user:x/y z",
        "EVERRUNS_HOOK_SESSION_ID": "s",
        "EVERRUNS_HOOK_TOOL_NAME": "bash",
        "EVERRUNS_HOOK_TOOL_CALL_ID": "c",
        "OWN": "1",
    }


def test_standard_input_is_the_payload_and_upstreams_is_empty() -> None:
    event = ToolPre("bash", session_id="s")
    made = request("pre_tool_use", event)
    assert made.stdin == made.payload.encode() + b"\n"
    assert request("pre_tool_use", event, "strict").stdin == b""


def test_limits() -> None:
    better = request("pre_tool_use", ToolPre("bash"), timeout_ms=250).limits
    assert better == {"wall_seconds": 0.25, "output_bytes": 65_536}
    strict = request("pre_tool_use", ToolPre("bash"), "strict").limits
    assert strict == {
        "wall_seconds": 5.0,
        "output_bytes": 65_536,
        "script_bytes": 65_536,
        "call_depth": 32,
        "nesting": 64,
        "memory_bytes": 10 << 20,
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("nan"), "null"),
        ([float("inf"), 1.5], "[null,1.5]"),
        ("\ud83d\ude00", '"\U0001f600"'),
        ("a\ud800b", '"a\ufffdb"'),
        ("\0", '"\\u0000"'),
    ],
)
def test_no_value_keeps_a_guard_from_running(value: Any, text: str) -> None:
    event = ToolPre("bash")._replace(tool=ToolCall("bash", value))  # as a payload of an agent may have it
    assert f'"arguments":{text}' in request("pre_tool_use", event).payload


def test_an_event_that_cannot_be_encoded_is_could_not_run() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    made, runner = engine(hook(id="x", on_error="block"))
    decision = made.fire(ToolPre("bash", deep))
    assert decision.refused and runner.requests == []
    assert decision.reason == (
        "hook user:x errored: hook execution error: the event cannot be encoded: the value nests too deeply"
    )


def test_names_with_nul_do_not_keep_a_guard_from_running() -> None:
    made = HookEngine.load(
        config(hook(id="x", command='printf %s "$EVERRUNS_HOOK_TOOL_NAME" > /workspace/n; exit 1')),
        "everruns",
    )
    assert made.fire(ToolPre("ba\0sh\ud800", call_id="\0")).refused
    assert read(made, "/workspace/n") == "bash\ufffd"


def test_the_payload_file_is_gone_afterwards_and_leaves_no_directory() -> None:
    made = HookEngine.load(
        config(
            hook(
                command='cat "$EVERRUNS_HOOK_PAYLOAD_PATH" > /workspace/.snapshot.json; ls -A .hooks | wc -l > n'
            )
        ),
        "everruns",
    )
    made.fire(ToolPre("bash", session_id="s"))
    assert json.loads(read(made, "/workspace/.snapshot.json"))["session_id"] == "s"
    assert read(made, "/workspace/n").strip() == "1"
    assert not made.fs.exists(VirtualPath("/workspace/.hooks"))


def test_a_payload_file_that_cannot_be_written_does_not_stop_the_hook() -> None:
    runner = SandboxRunner(files={".hooks": "in the way"})
    made = HookEngine.load(config(hook(id="x", command="exit 1")), "everruns", runner=runner)
    decision = made.fire(ToolPre("bash"))
    assert decision.refused
    assert "the hook runs without it" in decision.diagnostics[0]


def test_logs_are_kept_when_asked_for() -> None:
    runner = SandboxRunner(keep_logs=True)
    made = HookEngine.load(config(hook(id="x", command="echo '{}'; echo e >&2")), "everruns", runner=runner)
    made.fire(ToolPre("bash", call_id="call/1"))
    assert read(made, "/workspace/.hooks/user_x/call_1.log") == "{}\ne\n"


# Times and names.


@pytest.mark.parametrize(
    ("when", "text"),
    [
        ("as it is", "as it is"),
        (datetime(2026, 5, 28, 12, 34, 56, 789_000, UTC), "2026-05-28T12:34:56.789+00:00"),
        (datetime(2026, 5, 28, 12, 34, 56, 789_001, UTC), "2026-05-28T12:34:56.789001+00:00"),
        (datetime(2026, 5, 28, 12, 34, 56, 0, UTC), "2026-05-28T12:34:56+00:00"),
        (datetime(2026, 5, 28, 12, 0, 0, 0), "2026-05-28T12:00:00+00:00"),
        (datetime(2026, 5, 28, 1, 0, 0, 0, timezone(timedelta(hours=2))), "2026-05-27T23:00:00+00:00"),
    ],
)
def test_timestamps(when: Any, text: str) -> None:
    assert timestamp(when) == text


def test_now_is_now() -> None:
    then = datetime.fromisoformat(timestamp(None))
    assert abs((datetime.now(UTC) - then).total_seconds()) < 5
    assert timestamp(None).endswith("+00:00")


def test_uuid7_is_one() -> None:
    from uuid import UUID

    made = UUID(uuid7())
    assert (made.version, made.variant) == (7, "specified in RFC 4122")
    assert uuid7() != uuid7()


# The way back.


@pytest.mark.parametrize(
    ("native", "event"),
    [
        ("session_start", SessionStart(**IDS)),
        ("session_end", SessionEnd("deleted", **IDS)),
        ("user_prompt_submit", PromptSubmit("m", attachments=({"n": 1},), **IDS)),
        ("pre_tool_use", ToolPre("bash", {"command": "ls"}, call_id="c", **IDS)),
        ("post_tool_use", ToolPost("bash", {}, result=[1], error="e", call_id="c", **IDS)),
        ("turn_end", TurnEnd(False, tool_calls=({"id": "c"},), **IDS)),
    ],
)
def test_a_payload_gives_its_event_again(native: str, event: Event) -> None:
    made = request(native, event)
    assert get("everruns").event(native, json.loads(made.payload)) == event


@pytest.mark.parametrize(
    ("native", "payload", "message"),
    [
        ("turn_end", [], "must be a JSON object"),
        ("turn_end", {"event": "pre_tool_use", "data": {}}, "is of the event 'pre_tool_use'"),
        ("pre_tool_use", {}, "has no tool_name"),
        ("pre_tool_use", {"tool_name": 5}, "tool_name must be a string"),
        ("turn_end", {"tool_calls": {}}, "tool_calls must be an array"),
    ],
)
def test_a_payload_that_does_not_fit(native: str, payload: Any, message: str) -> None:
    with pytest.raises(ContractError, match=message):
        get("everruns").event(native, payload)
