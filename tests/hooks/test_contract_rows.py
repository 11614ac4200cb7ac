"""More single facts of the contract pages of Crush, ub, Everruns, Claude Code and Codex, a row each.

They were written from the pages alone, before any of them ran.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import Event, PromptSubmit, SessionStart, Stop, ToolPost, ToolPre, ToolResult
from tests.hooks.vectortools import ENV, PLACES, Files, claude, codex, crush, printing, shell, ub

BOTH = pytest.mark.parametrize("compat", ["better", "strict"])
EVERYWHERE = pytest.mark.parametrize("place", PLACES)

# Crush: its own dispatch


@BOTH
@EVERYWHERE
@pytest.mark.parametrize(
    ("command", "text", "status", "out"),
    [
        ("./a.sh", "#!/bin/bash -e\nfalse\nprintf on\n", 1, ""),
        ("./a.sh", "#!/bin/bash -e -u\nprintf on\n", 1, ""),  # one argument, as the kernel passes it
        ("./a.sh", "#!/usr/bin/env bash -e\nfalse\nprintf on\n", 1, ""),
        ("./a.sh", "#!env bash\nprintf on\n", 0, "on"),
        ("./a.sh", "#! /bin/bash\nprintf on\n", 0, "on"),
        ("./a.sh", "#!/bin/sh\nprintf on\n", 0, "on"),
        ("./a.sh", "#!/usr/bin/env -S bash -u\r\nprintf on", 0, "on"),
        ("./a.sh '' b", "printf $#", 0, "2"),
        ("./a.sh 'a  b' c", "printf '<%s>' \"$@\"", 0, "<a  b><c>"),
        ("./a.sh & wait $!; printf $?", "exit 5", 0, "5"),
        ("printf \"[$(./a.sh)]\"", "printf in", 0, "[in]"),
        ("if ./a.sh; then printf yes; else printf no; fi", "exit 1", 0, "no"),
        ("./a.sh <<< hi", "read -r x; printf \"$x\"", 0, "hi"),
        ("./a.sh > out; cat out", "printf on", 0, "on"),
        ("f() { ./a.sh; }; f; printf $?", "exit 9", 0, "9"),
        (". ./a.sh; printf \"[$x]\"", "x=2", 0, "[2]"),
        ("./a.sh; printf \"[$x]\"", "export x=2", 0, "[]"),
        ("./a.sh || printf after", "exit 3", 0, "after"),
        ("for i in 1 2; do ./a.sh $i; done", "printf \"$1\"", 0, "12"),
        ("set -e; ./a.sh; printf on", "exit 4", 4, ""),
    ],
)  # fmt: skip
def test_crush_dispatches(
    place: str, compat: str, command: str, text: str, status: int, out: str, tmp_path: Path
) -> None:
    decision = Files(place, tmp_path, {"a.sh": text}).fire(crush(command), "crush", compat=compat)
    (outcome,) = decision.outcomes
    assert outcome.run is not None
    assert (outcome.run.exit_status, outcome.stdout) == (status, out), outcome.stderr
    assert decision.refused == (status == 2)


@BOTH
@EVERYWHERE
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CRUSH", "1"),
        ("AGENT", "crush"),
        ("AI_AGENT", "crush"),
        ("CRUSH_EVENT", "PreToolUse"),
        ("CRUSH_TOOL_NAME", "bash"),
        ("CRUSH_SESSION_ID", "s"),
        ("CRUSH_TOOL_INPUT_COMMAND", '["a",1]'),
        ("CRUSH_TOOL_INPUT_FILE_PATH", "unset"),
        ("TERM", "xterm-256color"),
        ("EDITOR", "false"),
        ("GIT_PAGER", "cat"),
        ("JJ_EDITOR", "false"),
    ],
)
def test_crush_sets_variables(place: str, compat: str, name: str, value: str, tmp_path: Path) -> None:
    event = ToolPre("bash", {"command": ["a", 1]}, session_id="s")
    config = crush(f'printf %s "${{{name}-unset}}"')
    (outcome,) = Files(place, tmp_path, {}).fire(config, "crush", event, compat=compat).outcomes
    assert outcome.stdout == value


def test_crush_writes_a_payload_as_go_does(tmp_path: Path) -> None:
    event = ToolPre("bash", {"command": "a <b> && c"}, session_id="s")
    (outcome,) = Files("sandbox", tmp_path, {}).fire(crush("cat"), "crush", event, compat="strict").outcomes
    assert outcome.stdout == (
        '{"event":"PreToolUse","session_id":"s","cwd":"/workspace","tool_name":"bash",'
        '"tool_input":{"command":"a \\u003cb\\u003e \\u0026\\u0026 c"}}'
    )


@BOTH
@pytest.mark.parametrize(
    ("matcher", "tool", "runs"),
    [
        ("ash", "bash", True),
        ("^ash", "bash", False),
        ("^Bash$", "bash", False),
        ("(?i)^BASH$", "bash", True),
        ("^mcp_", "mcp_github_get_me", True),
        ("[[:digit:]]", "v8", True),
        (r"\pL", "bash", True),
        ("", "anything", True),
        ("[invalid", "bash", False),
    ],
)
def test_matchers_of_crush(compat: str, matcher: str, tool: str, runs: bool, tmp_path: Path) -> None:
    config = {"hooks": {"PreToolUse": [{"matcher": matcher, "command": "exit 2"}]}}
    decision = Files("sandbox", tmp_path, {}).fire(config, "crush", ToolPre(tool, {}), compat=compat)
    assert decision.refused == runs


@BOTH
@pytest.mark.parametrize("name", ["pretooluse", "PRE_TOOL_USE", "preToolUse", "pre_tool_use"])
def test_names_of_crushs_event(compat: str, name: str, tmp_path: Path) -> None:
    config = {"hooks": {name: [{"command": "exit 2"}]}}
    assert Files("sandbox", tmp_path, {}).fire(config, "crush", compat=compat).refused


@pytest.mark.parametrize(
    ("commands", "permission", "halt"),
    [
        ([printing({"decision": "allow"}), "exit 0"], "allow", False),
        ([printing({"decision": "ask"})], "none", False),
        ([printing({"decision": "block", "reason": "r"})], "none", False),
        ([printing({"decision": "deny", "reason": 5})], "none", False),
        ([printing({"version": 99, "decision": "deny", "reason": "future"})], "deny", False),
        ([printing({"decision": "deny", "hookSpecificOutput": {}})], "none", False),
        ([printing({"hookSpecificOutput": {"permissionDecision": "deny"}})], "deny", False),
        ([printing({"hookSpecificOutput": {"permissionDecision": "ask"}})], "none", False),
        ([printing({"halt": True})], "none", True),
        ([printing({"halt": "yes", "decision": "deny"})], "none", False),
        (["echo deny", printing({"decision": "allow"})], "allow", False),
        ([printing([{"decision": "deny"}])], "none", False),
        ([printing({"decision": None, "halt": True, "reason": "r"})], "none", True),
    ],
)
def test_crush_reads_an_output_in_strict_mode(
    commands: list[str], permission: str, halt: bool, tmp_path: Path
) -> None:
    decision = Files("sandbox", tmp_path, {}).fire(crush(*commands), "crush", compat="strict")
    assert (decision.permission, decision.halt) == (permission, halt)


@BOTH
@pytest.mark.parametrize(
    ("patches", "arguments"),
    [
        ([{"command": "first", "keep": "me"}, {"command": "second"}],
         {"command": "second", "keep": "me", "timeout": 60, "env": {"BAZ": "qux"}}),
        ([{"env": {"FOO": "bar"}}], {"command": "orig", "timeout": 60, "env": {"FOO": "bar"}}),
        (["not-an-object", {"timeout": 1}], {"command": "orig", "timeout": 1, "env": {"BAZ": "qux"}}),
        (["{broken json", {"timeout": 1}], {"command": "orig", "timeout": 1, "env": {"BAZ": "qux"}}),
        ([{"command": None}], {"command": None, "timeout": 60, "env": {"BAZ": "qux"}}),
    ],
)  # fmt: skip
def test_crush_merges_patches(compat: str, patches: list[Any], arguments: Any, tmp_path: Path) -> None:
    original = {"command": "orig", "timeout": 60, "env": {"BAZ": "qux"}}
    config = crush(*(printing({"updated_input": patch}) for patch in patches))
    decision = Files("sandbox", tmp_path, {}).fire(config, "crush", ToolPre("bash", original), compat=compat)
    assert decision.apply_to(original) == arguments


@BOTH
def test_crush_runs_a_command_once_and_joins_reasons(compat: str, tmp_path: Path) -> None:
    files = Files("sandbox", tmp_path, {})
    same = files.fire(crush("echo r >&2; exit 2", "echo r >&2; exit 2"), "crush", compat=compat)
    assert ([each.state for each in same.outcomes], same.reason) == (["selected", "skipped"], "r")
    two = files.fire(crush("echo r >&2; exit 2", "echo r >&2; exit 2 # again"), "crush", compat=compat)
    assert (len(two.outcomes), two.reason) == (2, "r\nr")


@BOTH
def test_a_refusal_of_crush_drops_context_and_changes(compat: str, tmp_path: Path) -> None:
    speaks = printing({"context": "c", "updated_input": {"command": "y"}})
    decision = Files("sandbox", tmp_path, {}).fire(crush(speaks, "exit 2"), "crush", compat=compat)
    assert decision.refused and decision.context == () and decision.input == ()


@pytest.mark.parametrize(("written", "seconds"), [(0, 30.0), (-5, 30.0), (7, 7.0), (100_000, 100_000.0)])
def test_timeouts_of_crush(written: int, seconds: float, tmp_path: Path) -> None:
    config = {"hooks": {"PreToolUse": [{"command": "x", "timeout": written}]}}
    assert Files("sandbox", tmp_path, {}).engine(config, "crush").hooks[0].timeout == seconds


# ub


@BOTH
@EVERYWHERE
@pytest.mark.parametrize(
    ("hook", "refused"),
    [
        (shell("exit 1", tools=["Bash"]), False),
        (shell("exit 1", tools=["edit", "bash"]), True),
        (shell("exit 1", tools=["multibash"]), False),
        (shell("exit 1", tools=[]), True),
        (shell("exit 1", on_failure="BLOCK"), False),
        (shell("exit 1", on_failure="deny"), False),
        (shell("exit 0"), False),
        (shell("exit 2"), True),
        ({"command": ["nosuch-program"], "on_failure": "block"}, True),
        ({"command": ["nosuch-program"], "on_failure": "warn"}, False),
        ({"command": ["nosuch-program"]}, False),
        ({"command": ["./plain.sh"], "on_failure": "block"}, True),  # no permission to execute
        ({"command": ["./gone.sh"], "on_failure": "block"}, True),
        ({"command": ["."], "on_failure": "block"}, True),
    ],
)
def test_ub_refuses(place: str, compat: str, hook: dict[str, Any], refused: bool, tmp_path: Path) -> None:
    files = Files(place, tmp_path, {"plain.sh": "#!/bin/sh\nexit 0\n"})
    assert files.fire(ub(hook), "ub", compat=compat, env=ENV).refused == refused


@BOTH
@EVERYWHERE
@pytest.mark.parametrize(
    ("text", "refused"),
    [("#!/bin/sh\nexit 0\n", False), ("#!/bin/sh\nexit 3\n", True), ("exit 0\n", True)],
)
def test_ub_executes_a_script_by_its_first_line(
    place: str, compat: str, text: str, refused: bool, tmp_path: Path
) -> None:
    files = Files(place, tmp_path, {"a.sh": text}, 0o755)
    hook = {"command": ["./a.sh"], "on_failure": "block"}
    assert files.fire(ub(hook), "ub", compat=compat, env=ENV).refused == refused


@BOTH
@EVERYWHERE
@pytest.mark.parametrize(
    ("command", "out"),
    [
        (["printf", "[%s]", "a b"], "[a b]"),
        (["echo", "*"], "*\n"),
        (["echo", "$HOME"], "$HOME\n"),
        (["echo", "a;echo b"], "a;echo b\n"),
        (["sh", "-c", 'printf "$UB_HOOK_EVENT"'], "pre_tool_call"),
        (["sh", "-c", 'printf "$UB_HOOK_TOOL_NAME:$UB_HOOK_TOOL_USE_ID"'], "bash:c"),
        (["sh", "-c", 'printf "$UB_HOOK_SESSION_ID"'], "s"),
        (["sh", "-c", 'printf "${HOME-unset}"'], "unset"),
    ],
)
def test_ub_runs_a_program_with_words_as_they_are(
    place: str, compat: str, command: list[str], out: str, tmp_path: Path
) -> None:
    (outcome,) = (
        Files(place, tmp_path, {}).fire(ub({"command": command}), "ub", compat=compat, env=ENV).outcomes
    )
    assert outcome.stdout == out


@EVERYWHERE
def test_ub_passes_no_path_if_a_list_lacks_it(place: str, tmp_path: Path) -> None:
    hook = {"command": ["env"], "env": ["GREETING"]}
    (outcome,) = Files(place, tmp_path, {}).fire(ub(hook), "ub", env=ENV).outcomes
    names = {line.partition("=")[0] for line in outcome.stdout.splitlines()}
    assert "PATH" not in names and "GREETING" in names


def test_ub_writes_a_payload_as_go_does(tmp_path: Path) -> None:
    hook = {"command": ["cat"]}
    event = ToolPre("bash", {"command": "a > b"}, call_id="c", session_id="s")
    (outcome,) = Files("sandbox", tmp_path, {}).fire(ub(hook), "ub", event, env=ENV, compat="strict").outcomes
    assert outcome.stdout == (
        '{"event":"pre_tool_call","session_id":"s","tool":{"args":{"command":"a \\u003e b"},'
        '"name":"bash","use_id":"c"},"turn":0}'
    )


@BOTH
def test_ub_runs_every_hook_after_a_refusal(compat: str, tmp_path: Path) -> None:
    hooks = [shell("exit 1"), shell("echo second"), shell("echo third >&2; exit 1")]
    decision = Files("sandbox", tmp_path, {}).fire(ub(*hooks), "ub", compat=compat, env=ENV)
    assert [outcome.stdout for outcome in decision.outcomes] == ["", "second\n", ""]
    assert decision.reason == "hook /bin/sh exit 1"


@BOTH
def test_ub_never_refuses_a_prompt(compat: str, tmp_path: Path) -> None:
    config = ub(shell("exit 1"), event="pre_user_turn")
    event = Event("turn.start", session_id="s")
    decision = Files("sandbox", tmp_path, {}).fire(config, "ub", event, compat=compat, env=ENV)
    assert not decision.refused and len(decision.outcomes) == 1


@pytest.mark.parametrize(
    ("written", "seconds"), [("0s", 10), ("-1s", 10), ("2m", 60), ("1m0.5s", 60), ("1500ms", 1.5)]
)
def test_timeouts_of_ub(written: str, seconds: float, tmp_path: Path) -> None:
    config = ub({"command": ["x"], "timeout": written})
    assert Files("sandbox", tmp_path, {}).engine(config, "ub").hooks[0].timeout == seconds


# Everruns


def everruns(event: str, *commands: str, **more: Any) -> dict[str, Any]:
    return {
        "hooks": [
            {"event": event, "id": f"h{i}", "executor": {"type": "bash", "command": text}, **more}
            for i, text in enumerate(commands)
        ]
    }


def mutate(**patch: Any) -> str:
    return printing({"decision": "mutate", "patch": patch})


@BOTH
@pytest.mark.parametrize(
    ("commands", "arguments"),
    [
        ([mutate(arguments={"nested": {"new": 1}})], {"command": "old", "keep": 7, "nested": {"new": 1}}),
        ([mutate(arguments={"command": "a"}), mutate(arguments={"keep": 8})],
         {"command": "a", "keep": 8, "nested": {"old": True}}),
        ([mutate(name="edit", id="other")], {"command": "old", "keep": 7, "nested": {"old": True}}),
        ([mutate(arguments=[1])], {"command": "old", "keep": 7, "nested": {"old": True}}),
        ([mutate(arguments=None)], {"command": "old", "keep": 7, "nested": {"old": True}}),
        ([printing({"decision": "mutate"})], {"command": "old", "keep": 7, "nested": {"old": True}}),
        ([printing({"patch": {"arguments": {"command": "a"}}})],
         {"command": "old", "keep": 7, "nested": {"old": True}}),
        ([mutate(arguments={"command": "a"}) + "; exit 7"],
         {"command": "a", "keep": 7, "nested": {"old": True}}),
    ],
)  # fmt: skip
def test_patches_of_arguments(compat: str, commands: list[str], arguments: Any, tmp_path: Path) -> None:
    original = {"command": "old", "keep": 7, "nested": {"old": True}}
    decision = Files("sandbox", tmp_path, {}).fire(
        everruns("pre_tool_use", *commands), "everruns", ToolPre("bash", original), compat=compat
    )
    assert not decision.refused
    assert decision.apply_to(original) == arguments


@BOTH
@pytest.mark.parametrize("original", [[1, 2], None])
def test_arguments_that_are_no_object_become_the_patch(compat: str, original: Any, tmp_path: Path) -> None:
    config = everruns("pre_tool_use", mutate(arguments={"a": 1}))
    event = ToolPre("bash", original)
    decision = Files("sandbox", tmp_path, {}).fire(config, "everruns", event, compat=compat)
    assert decision.apply_to(original) == {"a": 1}


@BOTH
@pytest.mark.parametrize(
    ("patches", "value", "error"),
    [
        ([{"error": "bad"}], {"stdout": "x"}, "bad"),
        ([{"error": 5}], {"stdout": "x"}, None),
        ([{"result": "r"}], "r", None),
        ([{"result": [1], "additional_context": "c"}], {"value": [1], "hook_context": "c"}, None),
        ([{"result": {"hook_context": "own"}}, {"additional_context": "c"}], {"hook_context": "c"}, None),
        ([{"result": False, "error": "bad"}], False, "bad"),
        ([{"images": []}], {"stdout": "x"}, None),
    ],
)
def test_patches_of_a_result(
    compat: str, patches: list[Any], value: Any, error: str | None, tmp_path: Path
) -> None:
    config = everruns("post_tool_use", *(mutate(**patch) for patch in patches))
    event = ToolPost("bash", {}, result={"stdout": "x"})
    decision = Files("sandbox", tmp_path, {}).fire(config, "everruns", event, compat=compat)
    changed = decision.apply_to_result(ToolResult({"stdout": "x"}))
    assert (changed.value, changed.error) == (value, error)


@BOTH
@pytest.mark.parametrize(
    ("command", "on_error", "refused", "reason"),
    [
        (printing({"decision": "block"}) + "; exit 7", "warn", True, "hook blocked"),
        ("printf ' \\n'; exit 7", "warn", True, "hook exited non-zero"),
        ("echo why >&2; exit 1", "allow", True, "why"),
        ("printf '{} more'", "warn", False, None),
        (printing({"decision": "Block"}), "warn", False, None),
        (printing({"decision": "Block"}), "block", True, "hook user:h0 errored: unknown hook decision `Block`"),
        (printing({"decision": "allow", "reason": 5}), "allow", False, None),
        ("echo plain", "block", True,
         "hook user:h0 errored: hook stdout is not JSON (first 80 bytes: plain\n)"),
        ("echo plain", "warn", False, None),
        ("printf '  {}'; exit 3", "block", False, None),
        (printing({"decision": None}), "block", False, None),
    ],
)  # fmt: skip
def test_outputs_of_everruns(
    compat: str, command: str, on_error: str, refused: bool, reason: str | None, tmp_path: Path
) -> None:
    config = everruns("pre_tool_use", command, on_error=on_error)
    decision = Files("sandbox", tmp_path, {}).fire(config, "everruns", compat=compat)
    assert decision.refused == refused
    if reason is not None:
        assert (decision.reason or "").strip() == reason.strip()


@BOTH
def test_the_next_hook_sees_what_the_one_before_changed(compat: str, tmp_path: Path) -> None:
    config = everruns("pre_tool_use", mutate(arguments={"command": "rm x"}), "echo no >&2; exit 1")
    config["hooks"][1]["matcher"] = {"args_jsonpath": "$.command", "deny_regex": "^rm"}
    decision = Files("sandbox", tmp_path, {}).fire(config, "everruns", compat=compat)
    assert (decision.refused, decision.reason) == (True, "no")
    config["hooks"][1]["matcher"] = {"args_jsonpath": "$.command", "deny_regex": "^x"}
    assert not Files("sandbox", tmp_path, {}).fire(config, "everruns", compat=compat).refused


@BOTH
def test_a_refusal_after_a_call_and_of_a_lifecycle_is_ignored(compat: str, tmp_path: Path) -> None:
    block = printing({"decision": "block", "reason": "r"})
    post = ToolPost("bash", {}, result={"stdout": "x"})
    files = Files("sandbox", tmp_path, {})
    decision = files.fire(everruns("post_tool_use", block), "everruns", post, compat=compat)
    assert not decision.refused and decision.apply_to_result(ToolResult({"stdout": "x"})).value == {
        "stdout": "x"
    }
    start = files.fire(everruns("session_start", block), "everruns", SessionStart(), compat=compat)
    assert not start.refused


@BOTH
@pytest.mark.parametrize(("patch", "prompt"), [({"message": "new"}, "new"), ({"message": 42}, "old")])
def test_patches_of_a_prompt(compat: str, patch: Any, prompt: str, tmp_path: Path) -> None:
    config = everruns("user_prompt_submit", mutate(**patch))
    decision = Files("sandbox", tmp_path, {}).fire(config, "everruns", PromptSubmit("old"), compat=compat)
    assert decision.apply_to_prompt("old") == prompt


# Claude Code: switches in layers

GUARD = {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}
ON, OFF = {"disableAllHooks": False}, {"disableAllHooks": True}


@pytest.mark.parametrize(
    ("layers", "strict", "better"),
    [
        ({"user": OFF, "project": {"hooks": GUARD}, "local": ON}, True, True),
        ({"user": {"hooks": GUARD}, "project": OFF, "local": ON}, True, True),
        ({"user": {"hooks": GUARD}, "project": ON, "local": OFF}, False, True),
        ({"project": {"hooks": GUARD}, "local": OFF}, False, False),
        ({"project": {**OFF, "hooks": GUARD}}, False, False),
        ({"user": OFF, "local": {**ON, "hooks": GUARD}}, True, True),
        ({"managed": {"hooks": GUARD}, "project": OFF}, True, True),
        ({"managed": {"hooks": GUARD}, "local": OFF, "user": OFF}, True, True),
        ({"managed": ON, "user": {**OFF, "hooks": GUARD}}, True, True),
        ({"managed": OFF, "project": {**ON, "hooks": GUARD}}, False, False),
        ({"managed": {"allowManagedHooksOnly": True, "hooks": GUARD}}, True, True),
        ({"managed": {"allowManagedHooksOnly": True}, "user": {**ON, "hooks": GUARD}}, False, False),
        ({"managed": {"allowManagedHooksOnly": True}, "local": {"hooks": GUARD}}, False, False),
        ({"user": {"allowManagedHooksOnly": True, "hooks": GUARD}}, True, True),
        ({"project": {"allowManagedHooksOnly": True}, "user": {"hooks": GUARD}}, True, True),
    ],
)
def test_switches_of_claude_code_in_three_files(layers: dict[str, Any], strict: bool, better: bool) -> None:
    event = ToolPre("Bash", {"command": "ls"})
    assert claude(layers, "strict").fire(event).refused == strict
    assert claude(layers, "better").fire(event).refused == better


# Codex: managed hooks, switches, and its strict reading

HOOKS_JSON = json.dumps(
    {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}}
)
OFF_TOML = "[features]\nhooks = false\n"
ON_TOML = "[features]\nhooks = true\n"


@pytest.mark.parametrize(
    ("layers", "trusted", "strict", "better"),
    [
        ({"managed:hooks.json": HOOKS_JSON}, False, True, True),
        ({"managed:hooks.json": HOOKS_JSON, "managed:requirements.toml": "allow_managed_hooks_only = true\n"},
         False, True, True),
        ({"user:config.toml": "allow_managed_hooks_only = true\n", "user:hooks.json": HOOKS_JSON},
         True, True, True),
        ({"project:config.toml": "allow_managed_hooks_only = true\n", "user:hooks.json": HOOKS_JSON},
         True, True, True),
        ({"project:config.toml": OFF_TOML, "user:hooks.json": HOOKS_JSON}, True, False, True),
        ({"user:config.toml": OFF_TOML, "project:hooks.json": HOOKS_JSON}, True, False, False),
        ({"managed:requirements.toml": OFF_TOML, "user:hooks.json": HOOKS_JSON}, True, False, False),
        ({"managed:requirements.toml": ON_TOML, "user:config.toml": OFF_TOML, "user:hooks.json": HOOKS_JSON},
         True, True, True),
        ({"user:config.toml": OFF_TOML, "project:config.toml": ON_TOML, "project:hooks.json": HOOKS_JSON},
         True, True, True),
        ({"project:hooks.json": HOOKS_JSON, "user:hooks.json": HOOKS_JSON}, False, False, True),
    ],
)  # fmt: skip
def test_switches_of_codex(layers: dict[str, str], trusted: bool, strict: bool, better: bool) -> None:
    event = ToolPre("Bash", {"command": "ls"})
    assert codex(layers, "strict", trusted).fire(event).refused == strict
    assert codex(layers, "better", trusted).fire(event).refused == better


def specific(**fields: Any) -> str:
    return printing({"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}})


@pytest.mark.parametrize(
    ("command", "strict", "better"),
    [
        ("exit 2", "none", "deny"),
        ("echo no >&2; exit 2", "deny", "deny"),
        ("echo no >&2; exit 1", "none", "none"),
        (specific(permissionDecision="deny", permissionDecisionReason="r"), "deny", "deny"),
        (specific(permissionDecision="deny"), "none", "deny"),
        (specific(permissionDecision="deny", permissionDecisionReason=" "), "none", "deny"),
        (specific(permissionDecision="allow"), "none", "none"),
        (specific(permissionDecision="allow", updatedInput={"command": "true"}), "allow", "allow"),
        (specific(updatedInput={"command": "true"}), "none", "none"),
        (specific(permissionDecision="deny", permissionDecisionReason="r", nosuch=1), "none", "deny"),
        (printing({"decision": "block", "reason": "r"}), "deny", "deny"),
        (printing({"decision": "block"}), "none", "deny"),
        (printing({"decision": "approve"}), "none", "none"),
        (printing({"suppressOutput": True}), "none", "none"),
        ("echo text", "none", "none"),
    ],
)
def test_codex_reads_strictly_before_a_call(command: str, strict: str, better: str, tmp_path: Path) -> None:
    config = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}
    files = Files("sandbox", tmp_path, {})
    event = ToolPre("Bash", {"command": "ls"})
    assert files.fire(config, "codex", event, compat="strict").permission == strict
    assert files.fire(config, "codex", event, compat="better").permission == better


@BOTH
@pytest.mark.parametrize(
    ("decision", "permission"),
    [
        ({"behavior": "allow"}, "allow"),
        ({"behavior": "deny", "message": "m"}, "deny"),
    ],
)
def test_codex_answers_a_request(compat: str, decision: Any, permission: str, tmp_path: Path) -> None:
    output = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}
    config = {"hooks": {"PermissionRequest": [{"hooks": [{"type": "command", "command": printing(output)}]}]}}
    event = Event("permission.request", tool=ToolPre("Bash", {"command": "ls"}).tool)
    assert Files("sandbox", tmp_path, {}).fire(config, "codex", event, compat=compat).permission == permission


@pytest.mark.parametrize(
    "field", [{"updatedInput": {"command": "x"}}, {"updatedPermissions": []}, {"interrupt": True}]
)
def test_a_field_that_codex_reserves_voids_an_approval(field: dict[str, Any], tmp_path: Path) -> None:
    """Version 0.169.0 then asks its user; in better mode the call is refused, as the documentation has it."""
    decision = {"behavior": "allow", **field}
    output = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}}
    config = {"hooks": {"PermissionRequest": [{"hooks": [{"type": "command", "command": printing(output)}]}]}}
    event = Event("permission.request", tool=ToolPre("Bash", {"command": "ls"}).tool)
    files = Files("sandbox", tmp_path, {})
    assert files.fire(config, "codex", event, compat="strict").permission == "none"
    assert files.fire(config, "codex", event, compat="better").permission == "deny"


@BOTH
@pytest.mark.parametrize(
    ("matcher", "tool", "runs"),
    [
        ("^Write$", "apply_patch", True),
        ("Edit", "apply_patch", True),
        ("Edit|Write", "Bash", False),
        ("*", "Bash", True),
        ("", "Bash", True),
        ("^Ba", "Bash", True),
        ("(", "Bash", False),
    ],
)
def test_matchers_of_codex(compat: str, matcher: str, tool: str, runs: bool, tmp_path: Path) -> None:
    hooks = [{"type": "command", "command": "echo no >&2; exit 2"}]
    config = {"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": hooks}]}}
    decision = Files("sandbox", tmp_path, {}).fire(
        config, "codex", ToolPre(tool, {"command": "x"}), compat=compat
    )
    assert decision.refused == runs


@BOTH
@pytest.mark.parametrize(
    ("command", "goes_on"),
    [
        (printing({"decision": "block", "reason": "more"}), True),
        ("echo more >&2; exit 2", True),
        ("echo more", False),
        (printing({"continue": False, "decision": "block", "reason": "more"}), False),
        ("exit 0", False),
    ],
)
def test_stops_of_codex(compat: str, command: str, goes_on: bool, tmp_path: Path) -> None:
    config = {"hooks": {"Stop": [{"matcher": "ignored", "hooks": [{"type": "command", "command": command}]}]}}
    decision = Files("sandbox", tmp_path, {}).fire(config, "codex", Stop(), compat=compat)
    assert (decision.force_continue and not decision.halt) == goes_on


@BOTH
@pytest.mark.parametrize(
    ("command", "context"),
    [("echo text", ["text"]), ("printf '[x] text'", []), (printing({"systemMessage": "m"}), [])],
)
def test_text_for_a_prompt_of_codex(compat: str, command: str, context: list[str], tmp_path: Path) -> None:
    config = {
        "hooks": {"UserPromptSubmit": [{"matcher": "no", "hooks": [{"type": "command", "command": command}]}]}
    }
    decision = Files("sandbox", tmp_path, {}).fire(config, "codex", PromptSubmit("hi"), compat=compat)
    assert [text for text, _ in decision.context] == context


@pytest.mark.parametrize(
    ("event", "written", "seconds"),
    [
        ("PreToolUse", None, 600), ("PreToolUse", 0, 1), ("PreToolUse", 1000, 1000),
        ("SessionEnd", None, 1), ("SessionEnd", 60, 3), ("Interrupt", 60, 3),
    ],
)  # fmt: skip
def test_timeouts_of_codex(event: str, written: int | None, seconds: float, tmp_path: Path) -> None:
    handler: dict[str, Any] = {"type": "command", "command": "x"}
    if written is not None:
        handler["timeout"] = written
    config = {"hooks": {event: [{"hooks": [handler]}]}}
    assert Files("sandbox", tmp_path, {}).engine(config, "codex").hooks[0].timeout == seconds
