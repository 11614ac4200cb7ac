"""An approval is bound to everything that decides when and how a hook runs: every field, in every contract."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from sandhook.hooks import HookEngine
from sandhook.hooks import contracts as known_contracts
from sandhook.hooks.contracts import Document
from sandhook.hooks.evidence import examine
from tests.hooks.evidencetools import Files

#: By contract: a configuration with one hook, and changes of it, as a path and the new value. A value of ``str``
#: renames the key. The configuration has every field that decides when or how the hook runs.
TABLE: dict[str, tuple[dict[str, Any], list[tuple[str, object]]]] = {
    "antigravity": (
        {"b": {"PreToolUse": [{"matcher": "run", "hooks": [{"command": "g", "matcher": "x"}]}]}},
        [
            ("b.PreToolUse", "PostToolUse"),
            ("b.PreToolUse.0.matcher", "write"),
            ("b.PreToolUse.0.matcher", None),
            ("b.PreToolUse.0.hooks.0.command", "h"),
            ("b.PreToolUse.0.hooks.0.timeout", 5),
        ],
    ),
    "claude_code": (
        {
            "hooks": {
                "PreToolUse": [
                    {
                        "matcher": "Bash",
                        "hooks": [
                            {
                                "type": "command",
                                "command": "g",
                                "if": "Bash(git *)",
                                "timeout": 9,
                                "matcher": "x",
                            }
                        ],
                    }
                ]
            }
        },
        [
            ("hooks.PreToolUse", "PostToolUse"),
            ("hooks.PreToolUse.0.matcher", "Edit"),
            ("hooks.PreToolUse.0.matcher", None),
            ("hooks.PreToolUse.0.hooks.0.command", "h"),
            ("hooks.PreToolUse.0.hooks.0.if", "Bash(rm *)"),
            ("hooks.PreToolUse.0.hooks.0.timeout", 1),
            ("hooks.PreToolUse.0.hooks.0.async", True),
            ("hooks.PreToolUse.0.hooks.0.once", True),
            ("hooks.PreToolUse.0.hooks.0.onFailure", "block"),
            ("hooks.PreToolUse.0.hooks.0.args", ["a"]),
            ("hooks.PreToolUse.0.hooks.0.shell", "bash"),
        ],
    ),
    "codex": (
        {
            "hooks": {
                "PreToolUse": [
                    {"matcher": "Bash", "hooks": [{"type": "command", "command": "g", "matcher": "x"}]}
                ]
            }
        },
        [
            ("hooks.PreToolUse", "PostToolUse"),
            ("hooks.PreToolUse.0.matcher", "Edit"),
            ("hooks.PreToolUse.0.matcher", None),
            ("hooks.PreToolUse.0.hooks.0.command", "h"),
            ("hooks.PreToolUse.0.hooks.0.timeout", 5),
            ("hooks.PreToolUse.0.hooks.0.async", True),
        ],
    ),
    "copilot": (
        {
            "version": 1,
            "hooks": {
                "PreToolUse": [
                    {
                        "matcher": "Bash",
                        "hooks": [{"type": "command", "bash": "g", "matcher": "x", "env": {"A": "1"}}],
                    }
                ]
            },
        },
        [
            ("hooks.PreToolUse", "PostToolUse"),
            ("hooks.PreToolUse", "preToolUse"),
            ("hooks.PreToolUse.0.matcher", "Edit"),
            ("hooks.PreToolUse.0.matcher", None),
            ("hooks.PreToolUse.0.hooks.0.bash", "h"),
            ("hooks.PreToolUse.0.hooks.0.cwd", "sub"),
            ("hooks.PreToolUse.0.hooks.0.env.A", "2"),
            ("hooks.PreToolUse.0.hooks.0.timeoutSec", 5),
        ],
    ),
    "crush": (
        {"hooks": {"PreToolUse": [{"matcher": "bash", "command": "g"}]}},
        [
            ("hooks.PreToolUse", "UserPromptSubmit"),
            ("hooks.PreToolUse.0.matcher", "edit"),
            ("hooks.PreToolUse.0.matcher", None),
            ("hooks.PreToolUse.0.command", "h"),
            ("hooks.PreToolUse.0.timeout", 5),
            ("hooks.PreToolUse.0.include_sub_agents", True),
        ],
    ),
    "cursor": (
        {"version": 1, "hooks": {"preToolUse": [{"matcher": "Shell", "command": "g"}]}},
        [
            ("hooks.preToolUse", "postToolUse"),
            ("hooks.preToolUse", "beforeShellExecution"),
            ("hooks.preToolUse.0.matcher", "Write"),
            ("hooks.preToolUse.0.matcher", None),
            ("hooks.preToolUse.0.command", "h"),
            ("hooks.preToolUse.0.timeout", 5),
            ("hooks.preToolUse.0.failClosed", True),
            ("hooks.preToolUse.0.loop_limit", 1),
        ],
    ),
    "docker_agent": (
        {
            "agents": {
                "root": {
                    "hooks": {
                        "pre_tool_use": [{"matcher": "shell", "hooks": [{"type": "command", "command": "g"}]}]
                    }
                }
            }
        },
        [
            ("agents.root", "other"),
            ("agents.root.hooks.pre_tool_use", "post_tool_use"),
            ("agents.root.hooks.pre_tool_use.0.matcher", "edit"),
            ("agents.root.hooks.pre_tool_use.0.matcher", None),
            ("agents.root.hooks.pre_tool_use.0.hooks.0.command", "h"),
            ("agents.root.hooks.pre_tool_use.0.hooks.0.timeout", 5),
        ],
    ),
    "everruns": (
        {
            "hooks": [
                {
                    "id": "a",
                    "event": "pre_tool_use",
                    "matcher": {"tool_name": "bash", "args_jsonpath": "$.command", "match_regex": "rm"},
                    "executor": {"type": "bash", "command": "g"},
                }
            ]
        },
        [
            ("hooks.0.event", "post_tool_use"),
            ("hooks.0.matcher.tool_name", "edit"),
            ("hooks.0.matcher.args_jsonpath", "$.path"),
            ("hooks.0.matcher.match_regex", "ls"),
            ("hooks.0.matcher", None),
            ("hooks.0.executor.command", "h"),
            ("hooks.0.executor.env", {"A": "1"}),
            ("hooks.0.timeout_ms", 1000),
            ("hooks.0.on_error", "block"),
        ],
    ),
    "gemini": (
        {
            "hooks": {
                "BeforeTool": [
                    {
                        "matcher": "shell",
                        "hooks": [{"type": "command", "command": "g", "matcher": "x", "env": {"A": "1"}}],
                    }
                ]
            }
        },
        [
            ("hooks.BeforeTool", "AfterTool"),
            ("hooks.BeforeTool.0.matcher", "edit"),
            ("hooks.BeforeTool.0.matcher", None),
            ("hooks.BeforeTool.0.sequential", True),
            ("hooks.BeforeTool.0.hooks.0.command", "h"),
            ("hooks.BeforeTool.0.hooks.0.timeout", 5),
            ("hooks.BeforeTool.0.hooks.0.env.A", "2"),
        ],
    ),
    "goose": (
        {"hooks": {"PreToolUse": [{"matcher": "shell", "hooks": [{"command": "g", "matcher": "x"}]}]}},
        [
            ("hooks.PreToolUse", "PostToolUse"),
            ("hooks.PreToolUse.0.matcher", "edit"),
            ("hooks.PreToolUse.0.matcher", None),
            ("hooks.PreToolUse.0.hooks.0.command", "h"),
            ("hooks.PreToolUse.0.hooks.0.timeout", 5),
            ("hooks.PreToolUse.0.hooks.0.on_failure", "block"),
        ],
    ),
    "droid": (
        {
            "hooks": {
                "PreToolUse": [
                    {"matcher": "Execute", "hooks": [{"type": "command", "command": "g", "timeout": 9}]}
                ]
            }
        },
        [
            ("hooks.PreToolUse", "PostToolUse"),
            ("hooks.PreToolUse.0.matcher", "Edit"),
            ("hooks.PreToolUse.0.matcher", ""),
            ("hooks.PreToolUse.0.commandRegex", "rm"),
            ("hooks.PreToolUse.0.hooks.0.command", "h"),
            ("hooks.PreToolUse.0.hooks.0.timeout", 5),
        ],
    ),
    "cline": (
        {"hooks": {"PreToolUse": [{"command": "g"}]}},
        [
            ("hooks.PreToolUse", "PostToolUse"),
            ("hooks.PreToolUse.0.command", "h"),
        ],
    ),
    "openhands": (
        {"hooks": {"PreToolUse": [{"matcher": "terminal", "hooks": [{"command": "g", "matcher": "x"}]}]}},
        [
            ("hooks.PreToolUse", "PostToolUse"),
            ("hooks.PreToolUse.0.matcher", "finish"),
            ("hooks.PreToolUse.0.matcher", None),
            ("hooks.PreToolUse.0.hooks.0.command", "h"),
            ("hooks.PreToolUse.0.hooks.0.timeout", 5),
            ("hooks.PreToolUse.0.hooks.0.async", True),
        ],
    ),
    "grok": (
        {
            "hooks": {
                "PreToolUse": [
                    {
                        "matcher": "Bash",
                        "hooks": [{"type": "command", "command": "g", "matcher": "x", "env": {"A": "1"}}],
                    }
                ]
            }
        },
        [
            ("hooks.PreToolUse", "PostToolUse"),
            ("hooks.PreToolUse.0.matcher", "Edit"),
            ("hooks.PreToolUse.0.matcher", None),
            ("hooks.PreToolUse.0.hooks.0.command", "h"),
            ("hooks.PreToolUse.0.hooks.0.timeout", 9),
            ("hooks.PreToolUse.0.hooks.0.env.A", "2"),
        ],
    ),
    "hermes": (
        {"hooks": {"pre_tool_call": [{"matcher": "terminal", "command": "g"}]}},
        [
            ("hooks.pre_tool_call", "post_tool_call"),
            ("hooks.pre_tool_call.0.matcher", "patch"),
            ("hooks.pre_tool_call.0.matcher", None),
            ("hooks.pre_tool_call.0.command", "h"),
            ("hooks.pre_tool_call.0.timeout", 5),
            ("hooks.pre_tool_call.0.fail_closed", True),
        ],
    ),
    "jcode": (
        {
            "hooks": {
                "PreToolUse": [
                    {"matcher": "execute", "hooks": [{"type": "command", "command": "g", "matcher": "x"}]}
                ]
            }
        },
        [
            ("hooks.PreToolUse", "PostToolUse"),
            ("hooks.PreToolUse.0.matcher", "write"),
            ("hooks.PreToolUse.0.matcher", None),
            ("hooks.PreToolUse.0.hooks.0.command", "h"),
            ("hooks.PreToolUse.0.hooks.0.timeout", 5),
            ("hooks.PreToolUse.0.hooks.0.async", True),
        ],
    ),
    "kimi": (
        {"hooks": [{"event": "PreToolUse", "matcher": "Bash", "command": "g"}]},
        [
            ("hooks.0.event", "PostToolUse"),
            ("hooks.0.matcher", "Edit"),
            ("hooks.0.matcher", None),
            ("hooks.0.command", "h"),
            ("hooks.0.timeout", 5),
        ],
    ),
    "kiro": (
        {"hooks": {"preToolUse": [{"matcher": "shell", "command": "g"}]}},
        [
            ("hooks.preToolUse", "postToolUse"),
            ("hooks.preToolUse.0.matcher", "fs_write"),
            ("hooks.preToolUse.0.matcher", None),
            ("hooks.preToolUse.0.command", "h"),
            ("hooks.preToolUse.0.timeout_ms", 5),
        ],
    ),
    "mistral_vibe": (
        {"hooks": [{"name": "a", "type": "pre_tool", "match": "bash", "command": "g"}]},
        [
            ("hooks.0.type", "post_tool"),
            ("hooks.0.match", "edit"),
            ("hooks.0.match", None),
            ("hooks.0.command", "h"),
            ("hooks.0.timeout", 5),
            ("hooks.0.strict", True),
        ],
    ),
    "qwen": (
        {
            "hooks": {
                "PreToolUse": [
                    {
                        "matcher": "edit",
                        "hooks": [{"type": "command", "command": "g", "matcher": "x", "env": {"A": "1"}}],
                    }
                ]
            }
        },
        [
            ("hooks.PreToolUse", "PostToolUse"),
            ("hooks.PreToolUse.0.matcher", "write_file"),
            ("hooks.PreToolUse.0.matcher", None),
            ("hooks.PreToolUse.0.sequential", True),
            ("hooks.PreToolUse.0.hooks.0.command", "h"),
            ("hooks.PreToolUse.0.hooks.0.args", ["a"]),
            ("hooks.PreToolUse.0.hooks.0.timeout", 5),
            ("hooks.PreToolUse.0.hooks.0.async", True),
            ("hooks.PreToolUse.0.hooks.0.shell", "powershell"),
            ("hooks.PreToolUse.0.hooks.0.env.A", "2"),
        ],
    ),
    "ub": (
        {"hooks": {"pre_tool_call": [{"command": ["g"], "tools": ["bash"], "env": ["A"]}]}},
        [
            ("hooks.pre_tool_call", "post_tool_call"),
            ("hooks.pre_tool_call.0.command", ["h"]),
            ("hooks.pre_tool_call.0.tools", ["edit"]),
            ("hooks.pre_tool_call.0.tools", None),
            ("hooks.pre_tool_call.0.env", ["B"]),
            ("hooks.pre_tool_call.0.timeout", "1s"),
            ("hooks.pre_tool_call.0.on_failure", "block"),
        ],
    ),
}


def digest(contract: str, configuration: dict[str, Any]) -> str:
    """Return the hash of the only hook of a configuration."""
    engine = HookEngine.load([Document(configuration, contract=contract)], prestart=False)
    assert not engine.problems
    (spec,) = engine.hooks
    return examine(spec, contract, "/p", "/home/me", Files()).digest


def changed(configuration: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """Return a copy with one value changed, removed (None), or its key renamed (an event, an agent)."""
    result = copy.deepcopy(configuration)
    *above, last = path.split(".")
    place: Any = result
    for key in above:
        place = place[int(key)] if key.isdecimal() else place[key]
    if isinstance(place.get(last), (dict, list)) and isinstance(value, str):
        place[value] = place.pop(last)
    elif value is None:
        del place[last]
    else:
        place[last] = value
    return result


def test_every_contract_is_here() -> None:
    assert sorted(TABLE) == sorted(known_contracts.names())


@pytest.mark.parametrize(
    ("contract", "path", "value"),
    [(name, path, value) for name, (_, changes) in TABLE.items() for path, value in changes],
)
def test_a_change_of_a_field_is_another_approval(contract: str, path: str, value: object) -> None:
    configuration = TABLE[contract][0]
    other = changed(configuration, path, value)
    assert other != configuration
    assert digest(contract, other) != digest(contract, configuration)


@pytest.mark.parametrize("contract", TABLE)
def test_the_same_configuration_is_the_same_approval(contract: str) -> None:
    """Compiled matchers and the order of keys are no part of it."""
    configuration = TABLE[contract][0]
    assert digest(contract, turned(configuration)) == digest(contract, copy.deepcopy(configuration))


def turned(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: turned(value[key]) for key in reversed(value)}
    return [turned(each) for each in value] if isinstance(value, list) else value
