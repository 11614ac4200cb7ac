"""Qwen Code's hooks of the type http."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandhook.hooks import HookEngine, ToolPre
from sandhook.hooks.contracts import Document
from sandhook.hooks.http import Call, HttpRunner, Reply
from sandhook.hooks.model import Decision, RunResult

URL = "https://hooks.example.com/a"
DENY = {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}
BOTH = pytest.mark.parametrize("compat", ["strict", "better"])


def settings(**more: Any) -> dict[str, Any]:
    return {"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": URL, **more}]}]}}


class Server:
    """Answers calls, and keeps them."""

    def __init__(self, body: str = "", status: int = 200) -> None:
        self.reply, self.calls = Reply(status, body.encode()), list[Call]()

    def __call__(self, call: Call) -> Reply:
        self.calls.append(call)
        return self.reply


def fired(server: Server, config: dict[str, Any] | None = None, *, allow: str = URL, **more: Any) -> Decision:
    runner = HttpRunner([allow], resolve=lambda host, port: ["93.184.216.34"], send=server)
    engine = HookEngine.load(config or settings(), "qwen", executors={"http": runner}, **more)
    return engine.fire(ToolPre("run_shell_command", {"command": "ls"}))


@BOTH
@pytest.mark.parametrize("status", [200, 201, 206, 299])
def test_an_answer_refuses(status: int, compat: Any) -> None:
    server = Server(json.dumps(DENY), status)
    decision = fired(server, compat=compat)
    assert (decision.refused, decision.reason) == (True, "no")
    sent = json.loads(server.calls[0].body)
    assert (sent["hook_event_name"], sent["tool_name"]) == ("PreToolUse", "run_shell_command")


@BOTH
@pytest.mark.parametrize("status", [302, 304, 401, 503])
def test_another_status_is_a_hook_that_could_not_run(status: int, compat: Any) -> None:
    decision = fired(Server(json.dumps(DENY), status), compat=compat)
    assert not decision.refused
    assert f"HTTP status {status}" in str(decision.outcomes[0].could_not_run)
    assert fired(Server(json.dumps(DENY), status), compat=compat, fail_closed=True).refused


@BOTH
@pytest.mark.parametrize("body", ["no", "[1]", json.dumps(json.dumps(DENY)), "{"])
def test_an_answer_that_is_no_object_decides_nothing(body: str, compat: Any) -> None:
    assert not fired(Server(body), compat=compat).refused
    assert fired(Server(body), compat=compat, fail_closed="strict").refused


def test_an_empty_answer_has_no_objection() -> None:
    assert not fired(Server(status=204), fail_closed=True).refused


def test_a_url_that_the_host_does_not_allow_is_not_called() -> None:
    server = Server(json.dumps(DENY))
    decision = fired(server, allow="https://other.example.com/*")
    assert "not on the list" in str(decision.outcomes[0].could_not_run)
    assert fired(server, allow="https://other.example.com/*", fail_closed=True).refused
    assert server.calls == []


def test_long_texts_are_cut() -> None:
    shown = fired(Server(json.dumps({"systemMessage": "x" * 10_003}))).system_message
    assert str(shown).count("x") == 10_000
    assert "3 more characters" in str(shown)


def test_variables_of_the_url_and_the_headers() -> None:
    config = settings(
        url="https://hooks.example.com/$PART",
        headers={"Authorization": "Bearer ${KEY}", "X-Own": "<$QWEN_SERVER_TOKEN$OTHER>"},
        allowedEnvVars=["PART", "KEY", "QWEN_SERVER_TOKEN"],
    )
    env = {"PART": "a", "KEY": "k", "QWEN_SERVER_TOKEN": "s", "OTHER": "o"}
    server = Server(json.dumps(DENY))
    assert fired(server, config, env=env).refused
    (call,) = server.calls
    assert call.url.path == "/a"
    assert (call.headers["Authorization"], call.headers["X-Own"]) == ("Bearer k", "<>")
    assert not fired(server, config, env={**env, "PART": "b"}).refused
    assert len(server.calls) == 1


def test_a_value_that_makes_no_url_is_not_shown() -> None:
    config = settings(url="$WHERE", allowedEnvVars=["WHERE"])
    why = str(fired(Server(), config, env={"WHERE": "ftp://secret"}).outcomes[0].could_not_run)
    assert "$WHERE" in why
    assert "secret" not in why


@BOTH
@pytest.mark.parametrize("value", ["a\r\nB: c", "a\nb", "a\0b", "a\x07b", "\u00e9"])
def test_a_header_that_would_break_the_request_is_not_sent(value: str, compat: Any) -> None:
    config, server = settings(headers={"X-A": "$A"}, allowedEnvVars=["A"]), Server(json.dumps(DENY))
    decision = fired(server, config, env={"A": value}, compat=compat, fail_closed=True)
    assert decision.refused
    assert "characters that a header cannot carry" in str(decision.outcomes[0].could_not_run)
    assert server.calls == []


def layered(*, user: list[str] | None, project: list[str] | None, layer: str, compat: Any) -> HookEngine:
    values: dict[str, dict[str, Any]] = {"user": {}, "project": {}}
    for name, patterns in (("user", user), ("project", project)):
        if patterns is not None:
            values[name]["security"] = {"allowedHttpHookUrls": patterns}
    values[layer].update(settings())
    documents = [
        Document(value, f"{name}/settings.json", layer=name, contract="qwen")  # type: ignore[arg-type]
        for name, value in values.items()
    ]
    return HookEngine.load(
        documents,
        "qwen",
        compat=compat,
        trust=lambda spec: True,
        executors={"http": lambda request: RunResult(0, json.dumps(DENY).encode())},
    )


def calls(engine: HookEngine) -> bool:
    """Return whether the hook of an engine is called; a hook that may not be called could not run, or is withheld."""
    decision = engine.fire(ToolPre("run_shell_command", {"command": "ls"}))
    whys = [str(each.could_not_run) for each in decision.outcomes] + [each.why for each in engine.withheld]
    assert decision.refused == (not any("allowedHttpHookUrls does not allow its URL" in why for why in whys))
    return decision.refused


@BOTH
def test_the_users_list_counts(compat: Any) -> None:
    other, same = ["https://other.example.com/*"], ["HTTPS://hooks\\.example\\.com/*"]
    for project in (None, same, []):
        assert not calls(layered(user=other, project=project, layer="project", compat=compat))
    assert calls(layered(user=same, project=other, layer="project", compat=compat))
    assert calls(layered(user=[], project=other, layer="project", compat=compat))
    assert not calls(layered(user=None, project=other, layer="project", compat=compat))


def test_a_projects_list_does_not_silence_hooks_of_the_user() -> None:
    other = ["https://other.example.com/*"]
    assert calls(layered(user=None, project=other, layer="user", compat="better"))
    assert not calls(layered(user=None, project=other, layer="user", compat="strict"))


@pytest.mark.parametrize(("compat", "refused"), [("better", True), ("strict", False)])
def test_a_hook_whose_url_is_forbidden_refuses_when_failures_do(compat: Any, refused: bool) -> None:
    config = {**settings(), "security": {"allowedHttpHookUrls": ["https://other.example.com/*"]}}
    server = Server(json.dumps(DENY))
    decision = fired(server, config, compat=compat, fail_closed=True)
    assert decision.refused == refused
    assert server.calls == []
    assert not refused or "does not allow its URL" in str(decision.reason)


def test_faults() -> None:
    found = HookEngine.load(settings(url=None, headers={"A": 1}, allowedEnvVars="A"), "qwen").problems
    assert [each.path.removeprefix("hooks.PreToolUse[0].hooks[0].") for each in found] == [
        "url",
        "headers.A",
        "allowedEnvVars",
    ]
    listed = {**settings(), "security": {"allowedHttpHookUrls": "x"}}
    assert HookEngine.load(listed, "qwen").problems


def test_the_timeout_is_always_in_seconds() -> None:
    def timeout(**more: Any) -> float:
        return HookEngine.load(settings(**more), "qwen").hooks[0].timeout

    assert (timeout(), timeout(timeout=1000), timeout(timeout=0)) == (600.0, 1000.0, 600.0)
