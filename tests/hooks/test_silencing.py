"""A file of a weaker layer takes no hook of a stronger layer away: it adds refusals, and removes none.

Each row is a switch, a name or another means of one contract. The file of the project comes after that of the user
or the organisation, as when the agent's own files are read; its hooks are approved, or not.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandhook.hooks import Decision, HookEngine, RunResult
from sandhook.hooks.contracts import Document, get, may_override, names
from sandhook.hooks.events import ToolPre
from sandhook.hooks.model import Request
from tests.sandbox.tools import every

#: The guard's command, by which the runner recognises it.
GUARD = "guard"


def group(command: str = GUARD, **more: Any) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": command, **more}]}


#: A configuration with one guard for every tool call, by contract.
GUARDS: dict[str, Any] = {
    "everruns": {"hooks": [{"id": "g", "event": "pre_tool_use", "on_error": "block",
                            "executor": {"type": "bash", "command": GUARD}}]},
    "crush": {"hooks": {"PreToolUse": [{"command": GUARD, "name": "g"}]}},
    "jcode": {"hooks": {"PreToolUse": [group()]}},
    "ub": {"hooks": {"pre_tool_call": [{"command": [GUARD], "on_failure": "block"}]}},
    "claude_code": {"hooks": {"PreToolUse": [group()]}},
    "codex": {"hooks": {"PreToolUse": [group()]}},
    "gemini": {"hooks": {"BeforeTool": [group(name="g")]}},
    "mistral_vibe": {"hooks": [{"name": "g", "type": "pre_tool", "command": GUARD, "strict": True}]},
    "cursor": {"version": 1, "hooks": {"preToolUse": [{"command": GUARD}]}},
    "copilot": {"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": GUARD}]}},
    "docker_agent": {"agents": {"root": {"hooks": {"pre_tool_use": [group()]}}}},
    "kiro": {"hooks": {"preToolUse": [{"command": GUARD}]}},
    "qwen": {"hooks": {"PreToolUse": [group(name="g")]}},
    "kimi": {"hooks": [{"event": "PreToolUse", "command": GUARD}]},
    "goose": {"hooks": {"PreToolUse": [{"hooks": [{"command": GUARD}]}]}},
    "antigravity": {"g": {"PreToolUse": [group()]}},
    "grok": {"hooks": {"PreToolUse": [group()]}},
    "hermes": {"hooks": {"pre_tool_call": [{"command": GUARD}]}},
    "openhands": {"hooks": {"PreToolUse": [{"hooks": [{"command": GUARD}]}]}},
    "droid": {"hooks": {"PreToolUse": [group()]}},
    "cline": {"hooks": {"PreToolUse": [{"command": GUARD}]}},
}  # fmt: skip

OFF = {"enabled": False, "disabled": ["g", GUARD, "user:g", "PreToolUse[0]"], "disableAllHooks": True}

#: Files of a project that try to silence the guard. Every contract also has those of ``GENERAL``.
SWITCHES: dict[str, list[Any]] = {
    "everruns": [
        {"disabled": ["g"]},
        {"disabled": ["user:g"]},
        {"disabled_contributions": ["user:g"]},
        {"disabled_contributions": ["user:*"]},
        {"disabled_contributions": ["*"]},
        {"hooks": [{"id": "g", "event": "pre_tool_use", "executor": {"type": "bash", "command": "true"}}]},
        {"hooks": [{"id": "g", "event": "turn_end", "executor": {"type": "bash", "command": "true"}}]},
        {"capabilities": [{"ref": "user_hooks", "config": {"disabled": ["g"], "disabled_contributions": ["*"]}}]},
        {"capabilities": []},
    ],
    "crush": [{"hooks": {"include_sub_agents": False}}, {"hooks": {"PreToolUse": []}}],
    "ub": [{"hooks": {"pre_tool_call": []}}],
    "claude_code": [
        {"disableAllHooks": True},
        {"allowManagedHooksOnly": True},
        {"strictPluginOnlyCustomization": True},
        {"strictPluginOnlyCustomization": ["hooks"]},
        {"allowedHttpHookUrls": []},
    ],
    "codex": [
        {"features": {"hooks": False, "codex_hooks": False}},
        {"hooks": {"state": {"x": {"enabled": False}}}},
        {"allow_managed_hooks_only": True},
    ],
    "gemini": [
        {"hooksConfig": {"enabled": False}},
        {"hooks": {"enabled": False}},
        {"hooks": {"disabled": ["g"]}},
        {"hooksConfig": {"disabled": ["g"]}},
        {"hooksConfig": {"disabled": [GUARD]}},
        {"tools": {"enableHooks": False}},
        {"hooks": {"BeforeTool": [{"sequential": True, "hooks": [{"type": "command", "command": "true", "name": "g"}]}]}},
        {"hooks": {"BeforeTool": [group(name="g", timeout=1, env={"PATH": "/none"})]}},
    ],
    "mistral_vibe": [
        {"hooks": [{"name": "g", "type": "pre_tool", "command": "true"}]},
        {"hooks": [{"name": "g", "type": "post_tool", "command": "true"}]},
        {"hooks": [{"name": "g", "type": "pre_tool", "command": "true", "match": "nosuch"}]},
        {"enable_experimental_hooks": False},
    ],
    "cursor": [{"version": 1, "hooks": {"nosuch": []}}, {"version": 2, "hooks": {}}],
    "copilot": [{"version": 1, "disableAllHooks": True, "hooks": {}}, {"version": 2, "hooks": {}}],
    "docker_agent": [{"agents": {"root": {"hooks": {"pre_tool_use": []}}}}, {"agents": {"root": {"hooks": None}}}],
    "kiro": [
        {"version": "v1", "hooks": [{"name": "g", "trigger": "preToolUse", "enabled": False,
                                     "action": {"type": "command", "command": GUARD}}]},
        {"name": "default", "hooks": {}},
    ],
    "jcode": [{"hooks": {"PreToolUse": []}}],
    "qwen": [
        {"disableAllHooks": True},
        {"hooks": {"enabled": False, "disabled": ["g", GUARD]}},
        {"hooks": {"PreToolUse": [{"sequential": True, "hooks": [{"type": "command", "command": "true", "name": "g"}]}]}},
        {"hooks": {"PreToolUse": [group(name="g", timeout=0.01, env={"PATH": "/none"})]}},
    ],
    "kimi": [
        {"hooks": [{"event": "PreToolUse", "command": GUARD, "fail_mode": "open"}]},
        {"hooks": [{"event": "nosuch", "command": GUARD}]},
        {"hooks": [{"event": "Stop", "command": GUARD}]},
    ],
    "hermes": [
        {"hooks": {"pre_tool_call": []}},
        {"hooks_auto_accept": False, "hooks": {"pre_tool_call": [{"command": GUARD, "matcher": "nosuch"}]}},
    ],
    "droid": [
        {"hooks": {"hooksDisabled": True}},
        {"hooksDisabled": True, "PreToolUse": []},
        {"hooks": {"PreToolUse": [{"matcher": "(", "hooks": [{"type": "command", "command": GUARD}]}]}},
        {"allowManagedHooksOnly": True, "hooks": {"PreToolUse": []}},
    ],
    "cline": [{"hooks": {"PreToolUse": []}}],
    "openhands": [
        {"hooks": {"PreToolUse": []}},
        {"pre_tool_use": [{"matcher": "nosuch", "hooks": [{"command": GUARD}]}]},
        {"hooks": {"PreToolUse": [{"hooks": [{"command": GUARD, "async": True}]}]}},
    ],
    "grok": [
        {"hooks": {"PreToolUse": [group(env={"PATH": "/none"})]}},
        {"hooks": {"PreToolUse": [{"matcher": "(", "hooks": [{"type": "command", "command": GUARD}]}]}},
    ],
    "antigravity": [
        {"g": {"enabled": False}},
        {"g": {"enabled": False, "PreToolUse": [group()]}},
        {"g": {"PreToolUse": []}},
        {"enabled": False},
    ],
    "goose": [
        {"disabledPlugins": ["g", "hooks", "strong.json", ""]},
        {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"command": GUARD, "on_failure": "never"}]}]}},
        {"hooks": {"PreToolUse": [{"hooks": [{"command": "true", "on_failure": "allow"}]}]}},
    ],
}  # fmt: skip

#: What every contract is tried with: switches of other agents, and files that are not as they should be.
GENERAL: list[Any] = [
    {},
    OFF,
    {"hooks": OFF},
    {"hooks": None},
    {"hooks": []},
    {"hooks": {}},
    {"hooks": 5},
    [],
    "text",
    {"hooksConfig": OFF},
    {"hooks": {"PreToolUse": "x"}},
]

#: The guard's own text in a file of the project, with less time and with other variables.
COPIES: dict[str, Any] = {
    "everruns": {"hooks": [{**GUARDS["everruns"]["hooks"][0], "on_error": "allow", "timeout_ms": 100}]},
    "crush": {"hooks": {"PreToolUse": [{"command": GUARD, "name": "g", "timeout": 1}]}},
    "jcode": {"hooks": {"PreToolUse": [group(timeout=1)]}},
    "claude_code": {"hooks": {"PreToolUse": [group(timeout=1)]}},
    "codex": {"hooks": {"PreToolUse": [group(timeout=1)]}},
    "gemini": {"hooks": {"BeforeTool": [group(timeout=1, env={"PATH": "/nosuch"}, name="g")]}},
    "mistral_vibe": {"hooks": [{"name": "g", "type": "pre_tool", "command": GUARD, "timeout": 0.01}]},
    "cursor": {"version": 1, "hooks": {"preToolUse": [{"command": GUARD, "timeout": 0.01}]}},
    "copilot": {"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": GUARD, "timeout": 0.01}]}},
    "kiro": {"hooks": {"preToolUse": [{"command": GUARD, "timeout_ms": 1}]}},
    "ub": {"hooks": {"pre_tool_call": [{"command": [GUARD], "timeout": "1ms"}]}},
    "docker_agent": {"agents": {"root": {"hooks": {"pre_tool_use": [group(timeout=1)]}}}},
    "qwen": {"hooks": {"PreToolUse": [group(timeout=0.01, env={"PATH": "/nosuch"}, name="g")]}},
    "kimi": {"hooks": [{"event": "PreToolUse", "command": GUARD, "timeout": 1}]},
    "goose": {"hooks": {"PreToolUse": [{"hooks": [{"command": GUARD, "timeout": 0.01}]}]}},
    "antigravity": {"g": {"PreToolUse": [group(timeout=1)]}},
    "grok": {"hooks": {"PreToolUse": [group(timeout=1)]}},
    "hermes": {"hooks": {"pre_tool_call": [{"command": GUARD, "timeout": 1}]}},
    "openhands": {"hooks": {"PreToolUse": [{"hooks": [{"command": GUARD, "timeout": 1}]}]}},
    "droid": {"hooks": {"PreToolUse": [group(timeout=1)]}},
    "cline": {"hooks": {"PreToolUse": [{"command": GUARD, "timeout": 1}]}},
}  # fmt: skip

ATTEMPTS = [(name, attempt) for name in names() for attempt in [*SWITCHES[name], *GENERAL, COPIES[name]]]


def title(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)[:60]


class Runner:
    """Refuses as the guard of a layer, and succeeds without a word as any other hook.

    Attributes:
        guarded: The layers whose guards ran.
    """

    def __init__(self, name: str, layer: str) -> None:
        self.name = name
        self.layer = layer
        self.guarded: list[str] = []

    def __call__(self, request: Request) -> RunResult:
        words = (request.spec.executor.text, *request.spec.executor.argv)
        if all(word.rpartition("/")[2] != GUARD for word in words):  # some agents look next to the file
            return RunResult(0)
        self.guarded.append(request.spec.layer)
        if request.spec.layer != self.layer:
            return RunResult(0)  # a copy that changes the guard's time or variables does not refuse
        event = ToolPre("Bash", {"command": "ls"})
        answer = get(self.name).answer(Decision("tool.pre", permission="deny", reason="no"), event)
        return RunResult(answer.exit_status or (1 if self.name == "ub" else 0), answer.stdout, answer.stderr)


def fire(
    name: str, *documents: Document, strong: str = "user", approved: bool = False, **options: Any
) -> tuple[Decision, Runner]:
    runner = Runner(name, strong)
    engine = HookEngine.load(documents, name, runner=runner, trust=lambda spec: approved, **options)
    return engine.fire(ToolPre("Bash", {"command": "ls"})), runner


@pytest.mark.parametrize("name", names())
def test_the_guard_refuses_alone(name: str) -> None:
    decision, runner = fire(name, Document(GUARDS[name], "user", layer="user"))
    assert decision.refused
    assert runner.guarded == ["user"]


@pytest.mark.parametrize("approved", [False, True])
@pytest.mark.parametrize("strong", ["managed", "user", ""])
@pytest.mark.parametrize(("name", "attempt"), every(3, ATTEMPTS), ids=title)
def test_a_project_cannot_silence_a_guard(name: str, attempt: Any, strong: str, approved: bool) -> None:
    for weak in ("project", "local", "bundle"):
        guard = Document(GUARDS[name], "strong.json", layer=strong)
        other = Document(attempt, f"{weak}.json", layer=weak)
        for documents in ((guard, other), (other, guard)):
            decision, runner = fire(name, *documents, strong=strong, approved=approved)
            assert decision.refused, (weak, documents[0].name)
            assert strong in runner.guarded


@pytest.mark.parametrize(("name", "attempt"), ATTEMPTS, ids=title)
def test_a_user_cannot_silence_the_organisation(name: str, attempt: Any) -> None:
    guard = Document(GUARDS[name], "managed.json", layer="managed")
    user = Document(attempt, "user.json", layer="user")
    decision, _ = fire(name, guard, user, strong="managed")
    assert decision.refused


@pytest.mark.parametrize(
    ("name", "attempt"),
    [
        ("gemini", {"hooksConfig": {"enabled": False}}),
        ("gemini", {"hooksConfig": {"disabled": ["g"]}}),
        ("everruns", {"disabled": ["g"]}),
        ("everruns", {"disabled_contributions": ["user:g"]}),
        ("claude_code", {"disableAllHooks": True}),
        ("qwen", {"disableAllHooks": True}),
    ],
)
def test_equal_and_stronger_layers_can(name: str, attempt: Any) -> None:
    for layer, other in (("user", "user"), ("project", "user"), ("project", "project"), ("", "")):
        guard = Document(GUARDS[name], "guard.json", layer=layer)
        weaker = Document(attempt, "other.json", layer=other)
        decision, _ = fire(name, guard, weaker, strong=layer, approved=True)
        assert not decision.refused


@pytest.mark.parametrize(
    ("name", "attempt"),
    [
        ("gemini", {"hooksConfig": {"enabled": False}}),
        ("everruns", {"disabled": ["g"]}),
        ("qwen", {"disableAllHooks": True}),
    ],
)
def test_a_switch_without_effect_is_reported(name: str, attempt: Any) -> None:
    guard = Document(GUARDS[name], "guard.json", layer="user")
    other = Document(attempt, "other.json", layer="project")
    engine = HookEngine.load([guard, other], name, runner=Runner(name, "user"))
    assert any("has no effect on hooks of the user layer" in note for note in engine.diagnostics)


def test_a_project_cannot_replace_what_the_host_contributes() -> None:
    contributed = {"event": "pre_tool_use", "executor": {"type": "bash", "command": GUARD}, "id": "g"}
    for attempt in (
        {"capabilities": [{"ref": "cap", "definition": {"name": "cap", "user_hooks": []}}]},
        {"capabilities": [{"ref": "cap"}]},
        {"disabled_contributions": ["cap:g", "*"]},
        {"definition": {"name": "cap", "user_hooks": []}},
    ):
        project = Document(attempt, "project.json", layer="project")
        decision, runner = fire("everruns", project, strong="", contributions={"cap": [contributed]})
        assert (decision.refused, runner.guarded) == (True, [""]), attempt


def test_a_capability_of_an_object_has_the_layer_of_the_object() -> None:
    hooks = [{"event": "pre_tool_use", "executor": {"type": "bash", "command": GUARD}, "id": "g"}]
    project = Document({"definition": {"name": "cap", "user_hooks": hooks}}, layer="project")
    engine = HookEngine.load(project, "everruns")
    assert engine.hooks == ()
    assert [each.state for each in engine.withheld] == ["untrusted"]


def test_a_project_cannot_replace_what_the_user_declares() -> None:
    hooks = [{"event": "pre_tool_use", "executor": {"type": "bash", "command": GUARD}, "id": "g"}]
    user = Document({"definition": {"name": "cap", "user_hooks": hooks}}, "user.json", layer="user")
    for attempt in (
        {"capabilities": [{"ref": "cap", "definition": {"name": "cap", "user_hooks": []}}]},
        {"capabilities": [{"ref": "cap"}]},
        {"definition": {"name": "cap", "user_hooks": []}},
    ):
        project = Document(attempt, "project.json", layer="project")
        for documents in ((user, project), (project, user)):
            decision, runner = fire("everruns", *documents)
            assert (decision.refused, runner.guarded) == (True, ["user"]), attempt


def test_a_project_cannot_restrict_http_hooks_of_the_user() -> None:
    guard = {"type": "http", "url": "https://example.com/h", "headers": {"A": "$T"}, "allowedEnvVars": ["T"]}
    user = Document({"hooks": {"PreToolUse": [{"hooks": [guard]}]}}, "user.json", layer="user")
    attempt = {"allowedHttpHookUrls": [], "httpHookAllowedEnvVars": []}
    for layer in ("project", "local"):
        engine = HookEngine.load(
            [user, Document(attempt, "p.json", layer=layer)],
            "claude_code",
            executors={"http": Runner("crush", "user")},
        )
        (spec,) = engine.hooks
        assert spec.env_names == ("T",)


def test_a_project_cannot_keep_a_guard_from_sub_agents() -> None:
    config = {"hooks": {"include_sub_agents": True, **GUARDS["crush"]["hooks"]}}
    off = Document({"hooks": {"include_sub_agents": False}}, "project.json", layer="project")
    engine = HookEngine.load([Document(config, "user.json", layer="user"), off], "crush")
    assert [spec.include_sub_agents for spec in engine.hooks] == [True]


@pytest.mark.parametrize(
    ("layer", "others"),
    [
        ("managed", ["managed", "user", "", "project", "local", "bundle", "nosuch"]),
        ("user", ["user", "", "project", "local", "bundle", "nosuch"]),
        ("", ["user", "", "project", "local", "bundle", "nosuch"]),
        ("project", ["project", "local", "bundle", "nosuch"]),
        ("nosuch", ["project", "local", "bundle", "nosuch"]),
    ],
)
def test_which_layer_may_override_which(layer: str, others: list[str]) -> None:
    known = ["managed", "user", "", "project", "local", "bundle", "nosuch"]
    assert [other for other in known if may_override(layer, other)] == others
