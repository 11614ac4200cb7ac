"""Hooks of one agent that another one calls: each hook is matched under both names of the tool, and runs once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandhook.hooks import HookEngine, SandboxRunner, ToolPost, ToolPre, contracts
from sandhook.hooks.contracts import get
from tests.hooks.hooktools import Scripted, hook, said

#: Agents whose shell has another name than Claude Code's or Gemini CLI's. Cline has no matchers.
NAMES = [name for name in contracts.names() if get(name).vocabulary().shell and name != "cline"]
GEMINI, CLAUDE = get("gemini"), get("claude_code")


def guard(command: str, matcher: str | None = None) -> dict[str, Any]:
    group: dict[str, Any] = {"hooks": [{"type": "command", "command": command}]}
    return group if matcher is None else {"matcher": matcher, **group}


def claude(*groups: dict[str, Any], **options: Any) -> HookEngine:
    return HookEngine.load({"hooks": {"PreToolUse": list(groups)}}, "claude_code", **options)


CALL = ToolPre("run_shell_command", {"command": "rm -rf /"}, session_id="s")


@pytest.mark.parametrize("name", NAMES)
def test_a_hook_for_its_own_agents_shell_runs_for_every_caller(name: str) -> None:
    own = get(name).vocabulary().shell[0]
    spec = HookEngine.load({"hooks": [hook(matcher={"tool_name": own})]}, "everruns", runner=Scripted(said()))
    config, _ = get(name).render(spec.hooks)
    for caller in (GEMINI, CLAUDE):
        runner = Scripted(said())
        engine = HookEngine.load(json.loads(json.dumps(config)), name, runner=runner)
        shell = caller.vocabulary().shell[0]
        engine.fire(ToolPre(shell, {"command": "x"}, session_id="s"), caller=caller)
        assert len(runner.requests) == 1, caller.name
        payload = runner.requests[0].payload
        assert json.dumps(own) in payload, payload
        engine.fire(ToolPre("no_such_tool", {"command": "x"}, session_id="s"), caller=caller)
        assert len(runner.requests) == 1


def test_a_hook_for_all_does_not_hide_a_guard_for_one() -> None:
    text = "jq -r .tool_name | grep -qx Bash && { echo no >&2; exit 2; }; exit 0"
    engine = claude(guard("jq -r .tool_name >&2"), guard(text, "Bash"))
    decision = engine.fire(CALL, caller=GEMINI)
    assert (decision.permission, decision.reason) == ("deny", "no")
    assert [each.state for each in decision.outcomes] == ["selected", "selected"]
    assert decision.outcomes[0].stderr == "run_shell_command\n"  # it matches the caller's name, and sees that


def test_without_a_caller_only_the_events_name_counts() -> None:
    assert not claude(guard("exit 2", "Bash")).fire(CALL).refused


def test_a_hook_that_matches_both_names_runs_once_with_the_callers() -> None:
    runner = Scripted(said())
    engine = claude(guard("x", "Bash|run_shell_command"), runner=runner)
    engine.fire(CALL, caller=GEMINI)
    assert [json.loads(each.payload)["tool_name"] for each in runner.requests] == ["run_shell_command"]


def test_equal_texts_that_see_different_names_both_run() -> None:
    text = "jq -r .tool_name | grep -qx Bash && exit 2; exit 0"
    assert claude(guard(text), guard(text, "Bash")).fire(CALL, caller=GEMINI).refused
    runner = Scripted(said())
    claude(guard(text), guard(text), runner=runner).fire(CALL, caller=GEMINI)
    assert len(runner.requests) == 1


def test_verdicts_are_folded_in_the_order_of_the_configuration() -> None:
    engine = claude(
        guard("echo one >&2; exit 2", "Bash"),
        guard("echo two >&2; exit 2"),
        guard("echo three >&2; exit 2", "Bash"),
    )
    assert engine.fire(CALL, caller=GEMINI).reason == "one\ntwo\nthree"


def test_changes_of_the_input_pass_between_both_kinds_of_hooks() -> None:
    hooks = [
        hook(id="a", matcher={"tool_name": "bash"}, command="""echo '{"decision":"mutate","patch":{"arguments":{"a":1}}}'"""),
        hook(id="b", command="""jq -e .data.arguments.a >/dev/null <<<"$EVERRUNS_HOOK_PAYLOAD_JSON" && echo '{"decision":"block","reason":"saw it"}'"""),
    ]  # fmt: skip
    decision = HookEngine.load({"hooks": hooks}, "everruns").fire(CALL, caller=GEMINI)
    assert decision.reason == "saw it"


def test_a_hook_that_is_not_approved_refuses_under_its_own_name_too() -> None:
    document = contracts.Document(
        {"hooks": {"PreToolUse": [guard("exit 0", "Bash")]}}, "p.json", layer="project"
    )
    engine = HookEngine.load([document], "claude_code", fail_closed=True)
    assert engine.fire(CALL, caller=GEMINI).refused
    assert not engine.fire(CALL).refused


def test_a_result_is_seen_under_the_own_name() -> None:
    engine = HookEngine.load(
        {"hooks": {"PostToolUse": [guard("jq -r .tool_name >&2; exit 2", "Bash")]}}, "claude_code"
    )
    event = ToolPost("run_shell_command", {"command": "x"}, result="y", session_id="s")
    assert engine.fire(event, caller=GEMINI).outcomes[0].stderr == "Bash\n"


def test_tools_of_servers_have_the_own_form_of_name() -> None:
    engine = claude(guard("jq -r .tool_name >&2; exit 2", "mcp__files__write"))
    decision = engine.fire(ToolPre("mcp_files_write", {}, session_id="s"), caller=GEMINI)
    assert decision.outcomes[0].stderr == "mcp__files__write\n"


def test_several_contracts_have_a_name_each() -> None:
    documents = [
        contracts.Document({"hooks": {"PreToolUse": [guard("echo a >&2; exit 0", "Bash")]}}, "a", contract="claude_code"),
        contracts.Document({"hooks": {"PreToolUse": [{"matcher": "^bash$", "command": "echo $CRUSH_TOOL_NAME >&2"}]}}, "b", contract="crush"),
    ]  # fmt: skip
    decision = HookEngine.load(documents, runner=SandboxRunner()).fire(CALL, caller=GEMINI)
    assert [each.stderr for each in decision.outcomes] == ["a\n", "bash\n"]
