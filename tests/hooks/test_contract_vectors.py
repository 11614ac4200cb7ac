"""Single facts of the contract pages, in classes where independent vectors once failed.

Each table is one class: Crush's own dispatch of scripts and its results, ub's programs, Everruns' patches, and the
switches of Claude Code and Codex. A row is a configuration, an event, and what the agent's page says of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import HookEngine, PromptSubmit, ToolPost, ToolPre, ToolResult
from tests.hooks.vectortools import CALL, ENV, PLACES, Files, claude, codex, crush, printing, shell, ub

# Crush


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("command", "files", "status", "out"),
    [
        ("./a.sh", {"a.sh": "#!/usr/bin/env -S bash -e -u\nfalse\necho on\n"}, 1, ""),
        ("./a.sh 'a b'", {"a.sh": "#!/usr/bin/env -S bash -u\nprintf '<%s>' \"$@\"\n"}, 0, "<a b>"),
        ("./a.sh", {"a.sh": "#!/usr/bin/env -S\tbash\nprintf on\n"}, 0, "on"),
        ("./a.sh", {"a.sh": "#!/usr/bin/env bash\r\nprintf on"}, 0, "on"),
        ("./a.sh", {"a.sh": "#!/opt/nosuch/env bash\nprintf on\n"}, 0, "on"),
        ("./a.sh", {"a.sh": "#!/nosuch/sh\nprintf on\n"}, 0, "on"),
        ("./a.sh", {"a.sh": "#!   \nprintf on\n"}, 126, ""),
        ("./a.sh", {"a.sh": "#!/usr/bin/env -i bash\nprintf on\n"}, 126, ""),
        ("./a.sh", {"a.sh": "#!/usr/bin/env -u X bash\nprintf on\n"}, 126, ""),
        ("./a.sh", {"a.sh": "#!/usr/bin/env nosuch-program\n"}, 127, ""),
        ("./a.sh", {"a.sh": "printf on # " + "x" * 130 + "\0\n"}, 0, "on"),
        ("./a.sh", {"a.sh": "MZ is no text"}, 126, ""),
        ("./a.sh; printf after", {"a.sh": "exit 3\n"}, 0, "after"),
        ("./a.sh && printf after", {"a.sh": "exit 3\n"}, 3, ""),
        ("! ./a.sh", {"a.sh": "exit 3\n"}, 0, ""),
        ("cd d && ./a.sh", {"d/a.sh": "printf on\n"}, 0, "on"),
        ("x=1; ./a.sh", {"a.sh": "printf \"[$x]\"; x=2\n"}, 0, "[]"),
        ("export x=1; ./a.sh", {"a.sh": 'printf "[$x]"\n'}, 0, "[1]"),
        ("./a.sh; printf \"[$x]\"", {"a.sh": "x=2\n"}, 0, "[]"),
        ("./a.sh one | cat", {"a.sh": 'printf "$1"\n'}, 0, "one"),
        ("./gone.sh; printf \"$?\"", {}, 0, "1"),
        ("./d; printf \"$?\"", {"d/a.sh": ""}, 0, "1"),
    ],
)  # fmt: skip
def test_crush_runs_scripts_itself(
    place: str, compat: str, command: str, files: dict[str, str], status: int, out: str, tmp_path: Path
) -> None:
    decision = Files(place, tmp_path, files).fire(crush(command), "crush", compat=compat)
    (outcome,) = decision.outcomes
    assert outcome.run is not None
    assert (outcome.run.exit_status, outcome.stdout) == (status, out), outcome.stderr


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize(
    ("commands", "wanted"),
    [
        (["exit 2"], ("deny", False, "blocked by hook")),
        ([printing({"decision": "allow"}) + "; exit 2"], ("deny", False, "blocked by hook")),
        (["exit 49"], ("deny", True, "turn halted by hook")),
        (["echo over >&2; exit 49"], ("deny", True, "over")),
        ([printing({"decision": "DENY", "reason": "r"})], ("deny", False, "r")),
        ([printing({"Decision": "deny", "Reason": "r"})], ("deny", False, "r")),
        ([printing({"decision": "allow"}), printing({"halt": True, "reason": "r"})], ("allow", True, "r")),
        (["echo a >&2; exit 2", "exit 0", "echo b >&2; exit 2"], ("deny", False, "a\nb")),
        (["sleep 0.2; echo a >&2; exit 2", "echo b >&2; exit 49"], ("deny", True, "a\nb")),
        ([printing({"decision": "allow", "reason": "fine"}), "echo b >&2; exit 2"], ("deny", False, "b")),
    ],
)
def test_crush_joins_what_hooks_decide(
    compat: str, commands: list[str], wanted: tuple[str, bool, str], tmp_path: Path
) -> None:
    decision = Files("sandbox", tmp_path, {}).fire(crush(*commands), "crush", compat=compat)
    assert (decision.permission, decision.halt, decision.reason) == wanted
    assert decision.refused  # a halt refuses the call, whatever hooks allow


@pytest.mark.parametrize(
    ("output", "context", "arguments"),
    [
        ({"context": ["a", "", "b"]}, ["a\nb"], {"command": "x", "n": {"a": 1}}),
        ({"context": 5}, [], {"command": "x", "n": {"a": 1}}),
        ({"updated_input": {"n": {"b": 2}}}, [], {"command": "x", "n": {"b": 2}}),
        ({"updated_input": '{"command": "y"}'}, [], {"command": "y", "n": {"a": 1}}),
        ({"updated_input": "[1]"}, [], {"command": "x", "n": {"a": 1}}),
        (
            {"hookSpecificOutput": {"additionalContext": "c", "updatedInput": {"command": "y"}}},
            ["c"],
            {"command": "y", "n": {"a": 1}},
        ),
    ],
)
def test_crush_reads_context_and_changes(
    output: Any, context: list[str], arguments: Any, tmp_path: Path
) -> None:
    event = ToolPre("bash", {"command": "x", "n": {"a": 1}})
    decision = Files("sandbox", tmp_path, {}).fire(crush(printing(output)), "crush", event, compat="strict")
    assert [text for text, _ in decision.context] == context
    assert decision.apply_to({"command": "x", "n": {"a": 1}}) == arguments


# ub


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("hooks", "wanted"),
    [
        ([shell("exit 1", tools=["bas"])], ("none", None)),
        ([shell("exit 1", tools=["bash"])], ("deny", "hook /bin/sh exit 1")),
        ([shell("exit 1", on_failure="warn")], ("none", None)),
        ([{"command": [], "on_failure": "block"}], ("none", None)),
        ([shell("echo '{\"decision\":\"deny\"}'")], ("none", None)),
        ([shell("echo first >&2; exit 1"), shell("echo second >&2; exit 1")], ("deny", "first")),
        ([shell("echo warn >&2; exit 1", on_failure="warn"), shell("exit 7")], ("deny", "hook /bin/sh exit 7")),
        ([shell("sleep 5", timeout="50ms")], ("deny", "hook /bin/sh timeout after 50ms (killed)")),
        ([shell("sleep 5", timeout=300_000_000)], ("deny", "hook /bin/sh timeout after 300ms (killed)")),
        ([shell("sleep 5", timeout="0.25s")], ("deny", "hook /bin/sh timeout after 250ms (killed)")),
        ([shell("kill -9 $$")], ("deny", "hook /bin/sh exit -1")),
        ([shell("printf '  why \\n\\n' >&2; exit 1")], ("deny", "why")),
    ],
)  # fmt: skip
def test_ub_blocks_by_the_exit_status_alone(
    place: str, compat: str, hooks: list[dict[str, Any]], wanted: tuple[str, str | None], tmp_path: Path
) -> None:
    decision = Files(place, tmp_path, {}).fire(ub(*hooks), "ub", compat=compat, env=ENV)
    assert (decision.permission, decision.reason or None) == wanted


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("env", "out"),
    [
        (["GREETING"], "[hello]"),
        (["NOSUCH"], "[]"),
        (["$GREETING"], "[]"),
        ([], "[]"),
    ],
)
def test_ub_copies_the_variables_that_it_lists(place: str, env: list[str], out: str, tmp_path: Path) -> None:
    hook = {"command": ["/bin/sh", "-c", 'printf "[$GREETING]"'], "env": env}
    (outcome,) = Files(place, tmp_path, {}).fire(ub(hook), "ub", env=ENV).outcomes
    assert outcome.stdout == out


@pytest.mark.parametrize("place", PLACES)
def test_ub_looks_a_program_up_in_the_agents_path(place: str, tmp_path: Path) -> None:
    hook = {"command": ["sh", "-c", "exit 4"], "env": ["HOME"], "on_failure": "block"}
    assert Files(place, tmp_path, {}).fire(ub(hook), "ub", env=ENV).reason == "hook sh exit 4"


@pytest.mark.parametrize("place", PLACES)
def test_ubs_reason_has_4096_bytes(place: str, tmp_path: Path) -> None:
    text = "head -c 9000 /dev/zero | tr '\\0' x >&2; exit 1"
    decision = Files(place, tmp_path, {}).fire(ub(shell(text, env=["PATH"])), "ub", env=ENV)
    assert decision.reason == "x" * 4096


def test_ub_has_no_opinion_after_a_call(tmp_path: Path) -> None:
    event = ToolPost("bash", {"command": "x"}, result="hi")
    config = ub(shell("exit 1"), event="post_tool_call")
    decision = Files("sandbox", tmp_path, {}).fire(config, "ub", event, env=ENV)
    assert (decision.permission, decision.block) == ("none", False)


# Everruns


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize(
    ("patches", "value"),
    [
        ([{"additional_context": "a"}], {"stdout": "x", "hook_context": "a"}),
        ([{"additional_context": "a"}, {"additional_context": "b"}], {"stdout": "x", "hook_context": "b"}),
        ([{"result": 5}, {"additional_context": "a"}], {"value": 5, "hook_context": "a"}),
        ([{"result": None}], None),
        ([{"additional_context": 5}], {"stdout": "x"}),
        ([{"result": {"n": 1}, "additional_context": "a"}], {"n": 1, "hook_context": "a"}),
    ],
)
def test_a_context_of_everruns_is_part_of_the_result_alone(
    compat: str, patches: list[Any], value: Any, tmp_path: Path
) -> None:
    hooks = [
        {
            "event": "post_tool_use",
            "executor": {
                "type": "bash",
                "command": printing({"decision": "mutate", "patch": patch}),
            },
        }
        for patch in patches
    ]
    result = ToolResult({"stdout": "x"})
    decision = Files("sandbox", tmp_path, {}).fire(
        {"hooks": hooks}, "everruns", ToolPost("bash", {}, result={"stdout": "x"}), compat=compat
    )
    assert decision.apply_to_result(result).value == value
    assert decision.context == ()


# Switches


GUARD = {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}


@pytest.mark.parametrize(
    ("layers", "strict", "better"),
    [
        ({"user": {"disableAllHooks": True, "hooks": GUARD}}, False, False),
        ({"user": {"disableAllHooks": True, "hooks": GUARD}, "project": {"disableAllHooks": False}}, True, True),
        ({"user": {"hooks": GUARD}, "project": {"disableAllHooks": True}}, False, True),
        ({"user": {"disableAllHooks": False, "hooks": GUARD}, "project": {"disableAllHooks": True}}, False, True),
        ({"user": {"disableAllHooks": True}, "project": {"disableAllHooks": False, "hooks": GUARD}}, True, True),
        ({"user": {"disableAllHooks": True}, "project": {"hooks": GUARD}}, False, False),
        ({"managed": {"hooks": GUARD}, "user": {"disableAllHooks": True}}, True, True),
        ({"managed": {"disableAllHooks": True, "hooks": GUARD}}, False, False),
        ({"managed": {"allowManagedHooksOnly": True}, "project": {"hooks": GUARD}}, False, False),
        ({"managed": {"allowManagedHooksOnly": False}, "project": {"hooks": GUARD}}, True, True),
    ],
)  # fmt: skip
def test_switches_of_claude_code(layers: dict[str, Any], strict: bool, better: bool) -> None:
    event = ToolPre("Bash", {"command": "ls"})
    assert claude(layers, "strict").fire(event).refused == strict
    assert claude(layers, "better").fire(event).refused == better


_HOOKS_JSON = json.dumps(
    {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}}
)


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize(
    ("layers", "trusted", "refused"),
    [
        ({"project:hooks.json": _HOOKS_JSON}, True, True),
        ({"project:hooks.json": _HOOKS_JSON}, False, False),
        (
            {
                "managed:requirements.toml": "allow_managed_hooks_only = true\n",
                "project:hooks.json": _HOOKS_JSON,
            },
            True,
            False,
        ),
        (
            {"managed:requirements.toml": "allow_managed_hooks_only = true\n", "user:hooks.json": _HOOKS_JSON},
            True,
            False,
        ),
        (
            {"managed:requirements.toml": "allow_managed_hooks_only = false\n", "user:hooks.json": _HOOKS_JSON},
            True,
            True,
        ),
    ],
)  # fmt: skip
def test_codex_runs_hooks_that_somebody_trusts(
    compat: str, layers: dict[str, str], trusted: bool, refused: bool
) -> None:
    assert codex(layers, compat, trusted).fire(ToolPre("Bash", {"command": "ls"})).refused == refused


# Words of the upstream with durations as Go prints them


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize(
    ("contract", "config", "words"),
    [
        ("jcode", {"hooks": {"PreToolUse": [{"hooks": [{"command": "sleep 5", "timeout": 1}]}]}}, "1s"),
        ("jcode", {"hooks": {"UserPromptSubmit": [{"hooks": [{"command": "sleep 5", "timeout": 1}]}]}}, "1s"),
        ("crush", {"hooks": {"PreToolUse": [{"command": "sleep 5", "timeout": 1}]}}, "1s"),
    ],
)
def test_a_timeout_is_said_in_the_upstreams_words(
    contract: str, config: dict[str, Any], words: str, compat: str, tmp_path: Path
) -> None:
    event = PromptSubmit("hi") if "UserPromptSubmit" in config["hooks"] else CALL
    decision = Files("sandbox", tmp_path, {}).fire(config, contract, event, compat=compat)
    (outcome,) = decision.outcomes
    assert decision.permission == "none"
    assert any(f" {words}" in note for note in outcome.verdict.diagnostics), outcome.verdict.diagnostics


# Keys as Go's decoder reads them


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize(
    ("contract", "output", "permission"),
    [
        ("crush", {"hookSpecificOutput": {"PermissionDecision": "deny"}, "decision": "allow"}, "deny"),
        ("crush", {"HookSpecificOutput": {"permissionDecision": "deny"}}, "none"),
        ("crush", {"decision": "allow", "DECISION": "deny"}, "deny"),
        ("crush", {"Decision": "deny", "reason": 5}, "none"),
        ("crush", {"decision": "deny", "Reason": 5}, "none"),
        ("jcode", {"HookSpecificOutput": {"PermissionDecision": "deny"}}, "deny"),
        ("jcode", {"hookSpecificOutput": {"permissionDecision": "allow", "PERMISSIONDECISION": "deny"}}, "deny"),
        ("jcode", {"SystemMessage": 5, "hookSpecificOutput": {"permissionDecision": "deny"}}, "none"),
        ("jcode", {"hookSpecificOutput": {"permissionDecision": "deny", "hookEventName": 5}}, "deny"),
        ("jcode", {"hookSpecificOutput": {"permissionDecision": "deny", "hookEventName": "Stop"}}, "deny"),
    ],
)  # fmt: skip
def test_the_case_of_a_key_does_not_count(
    contract: str, output: Any, permission: str, compat: str, tmp_path: Path
) -> None:
    group = {"hooks": [{"command": printing(output)}]}
    config = crush(printing(output)) if contract == "crush" else {"hooks": {"PreToolUse": [group]}}
    assert Files("sandbox", tmp_path, {}).fire(config, contract, compat=compat).permission == permission


# Names of events


@pytest.mark.parametrize(
    ("contract", "names", "payload"),
    [
        ("crush", ["PreToolUse", "pre_tool_use", "PRE_TOOL_USE"], {"event": "{}", "tool_name": "bash"}),
        ("copilot", ["preToolUse", "PreToolUse"], {"hook_event_name": "{}", "tool_name": "bash"}),
        ("grok", ["PreToolUse", "pre_tool_use", "preToolUse"], {"hookEventName": "{}", "toolName": "bash"}),
        ("openhands", ["PreToolUse", "pre_tool_use"], {"event_type": "{}", "tool_name": "bash"}),
    ],
)
def test_an_event_has_all_names_that_its_agent_reads(
    contract: str, names: list[str], payload: dict[str, str]
) -> None:
    group = {"type": "command", "command": "exit 2", "hooks": [{"type": "command", "command": "exit 2"}]}
    engine = HookEngine.load({"version": 1, "hooks": {"PreToolUse": [group]}}, contract)
    for name in names:
        described = {key: text.replace("{}", name) for key, text in payload.items()}
        assert engine.fire_native(described).refused, name
        assert engine.fire_native(described, name).refused, name
