"""Cases of every ending and output of a hook, by agent and event: python -m tools.agents.grid AGENT > CASES.json

They are the input of tools.agents.record. The single cases of conformance/hooks/AGENT/recorded that are not here were
written by hand.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Mapping

from tools.agents.records import Json, Object

#: Exit statuses and texts, as shell text after the label.
ENDINGS = {
    "silent": "exit 0",
    "text": "echo plain",
    "exit2": "echo no >&2; exit 2",
    "exit2-silent": "exit 2",
    "exit1": "echo oops >&2; exit 1",
    "exit1-text": "echo plain; exit 1",
    "broken": """printf '%s\\n' '{"decision":'""",
    "array": """printf '%s\\n' '["block"]'""",
    "empty-object": """printf '%s\\n' '{}'""",
    "signal": "kill -TERM $$",
}
#: Outputs at the top of an object that several agents know.
OUTPUTS: dict[str, Object] = {
    "block": {"decision": "block", "reason": "not so"},
    "block-noreason": {"decision": "block"},
    "deny": {"decision": "deny", "reason": "not so"},
    "approve": {"decision": "approve", "reason": "fine"},
    "halt": {"continue": False, "stopReason": "over"},
    "halt-noreason": {"continue": False},
    "system": {"systemMessage": "a notice"},
    "suppress": {"suppressOutput": True, "systemMessage": "a notice"},
    "unknown": {"nosuch": 1},
    "top-context": {"additionalContext": "more to know"},
}


def probe(label: str, body: str = "") -> str:
    """Return a hook that keeps what it received, and then ends as the body says."""
    keep = f'cat >"$PROBE/{label}.stdin"; env >"$PROBE/{label}.env"; pwd >"$PROBE/{label}.cwd"'
    return f'{keep}; echo {label} >>"$PROBE/ran"' + (f"; {body}" if body else "")


def printing(value: Json, more: str = "") -> str:
    """Return shell text that prints a value."""
    text = json.dumps(value).replace("'", "'\\''")
    return f"printf '%s\\n' '{text}'" + more


def bodies(outputs: Mapping[str, Object]) -> dict[str, str]:
    """Return the endings and outputs, by the last part of a case's identifier."""
    found = dict(ENDINGS)
    for name, value in outputs.items():
        found[f"out.{name}"] = printing(value)
    for name in ("block", "context"):
        if name in outputs:
            found[f"out.{name}-exit1"] = printing(outputs[name], "; exit 1")
            found[f"out.{name}-exit2"] = printing(outputs[name], "; echo no >&2; exit 2")
    return found


def specific(event: str) -> dict[str, Object]:
    """Return the outputs in ``hookSpecificOutput``."""
    return {
        "context": {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "more to know"}},
        "context-unnamed": {"hookSpecificOutput": {"additionalContext": "more to know"}},
        "context-misnamed": {"hookSpecificOutput": {"hookEventName": "Other", "additionalContext": "more"}},
    }


def claude_shaped(event: str, command: str, **handler: Json) -> Object:
    """Return hooks in Claude Code's form."""
    hooks: Json = [{"type": "command", "command": command, **handler}]
    return {"hooks": {event: [{"hooks": hooks}]}}


SUBAGENT: list[Json] = [
    {"tool": "Agent", "input": {"description": "d", "prompt": "go", "subagent_type": "Explore"}},
    {"text": "sub done"},
    {"text": "done"},
]
#: How each event of Claude Code is brought about without a user.
CLAUDE_CODE: dict[str, Object] = {
    "Setup": {"args": ["--init"], "script": [{"text": "done"}]},
    "InstructionsLoaded": {"files": {"project/CLAUDE.md": "# hello\n"}, "script": [{"text": "done"}]},
    "SubagentStart": {"script": SUBAGENT, "allowed": "Bash,Agent"},
    "SubagentStop": {"script": SUBAGENT, "allowed": "Bash,Agent"},
    "PreCompact": {
        "turns": ["do it", "/compact"],
        "script": [{"text": "one"}, {"text": "a summary"}],
    },
    "PostCompact": {"turns": ["do it", "/compact"], "script": [{"text": "one"}, {"text": "a summary"}]},
    "TaskCreated": {
        "script": [{"tool": "TaskCreate", "input": {"subject": "s", "description": "d", "activeForm": "f"}}],
        "allowed": "TaskCreate",
    },
    "TaskCompleted": {
        "script": [
            {"tool": "TaskCreate", "input": {"subject": "s", "description": "d", "activeForm": "f"}},
            {"tool": "TaskUpdate", "input": {"taskId": "1", "status": "completed"}},
        ],
        "allowed": "TaskCreate,TaskUpdate",
    },
    "PostToolUseFailure": {
        "script": [{"tool": "Bash", "input": {"command": "echo partial; exit 3", "description": "t"}}]
    },
    "PostToolBatch": {},
    "PermissionRequest": {"allowed": ""},
    "UserPromptExpansion": {
        "prompt": "/hey you",
        "files": {"project/.claude/commands/hey.md": "Say hey to $ARGUMENTS\n"},
        "script": [{"text": "done"}],
    },
    "CwdChanged": {
        "script": [{"tool": "Bash", "input": {"command": "mkdir -p sub; cd sub", "description": "t"}}]
    },
    "SessionEnd": {"script": [{"text": "done"}]},
    "PreModelSwitch": {"turns": ["/model opus", "do it"], "script": [{"text": "done"}]},
    "PostModelSwitch": {"turns": ["/model opus", "do it"], "script": [{"text": "done"}]},
    "WorktreeCreate": {
        "script": [{"tool": "EnterWorktree", "input": {"name": "wt"}}],
        "allowed": "EnterWorktree",
    },
    "MessageDisplay": {"script": [{"text": "done"}]},
}


#: The model says that it read more than there is room for, so that the agent makes a summary by itself.
_FULL: Object = {
    "env": {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"},
    "turns": ["do it", "again"],
    "script": [
        {"tool": "Bash", "input": {"command": "printf x", "description": "t"}, "tokens": 190000},
        {"text": "a summary"},
        {"text": "done"},
    ],
}


def claude_code() -> list[Object]:
    """Return the grid of Claude Code."""
    cases: list[Object] = []
    for event in ("PreCompact", "PostCompact"):
        ends = {**bodies({**OUTPUTS, **specific(event)}), "timeout": "sleep 20; exit 2"}
        for name in ("silent", "text", "exit2", "exit1", "out.block", "out.halt", "out.context"):
            made = claude_shaped(event, probe("a", ends[name]))
            cases.append({"id": f"{event}.auto.{name}", "event": event, "layers": {"project": made}, **_FULL})
    for event, scene in CLAUDE_CODE.items():
        outputs = {**OUTPUTS, **specific(event)}
        if event == "PermissionRequest":
            outputs |= behaviors(event)
        if event == "PreModelSwitch":
            for word in ("allow", "deny", "ask"):
                outputs[f"permission-{word}"] = {
                    "hookSpecificOutput": {
                        "hookEventName": event,
                        "permissionDecision": word,
                        "permissionDecisionReason": "not so",
                    }
                }
        cases += _cases(event, scene, outputs, {"timeout": 1})
    return cases


_ESCALATED: Json = {
    "tool": "exec_command",
    "input": {"cmd": "touch marker", "sandbox_permissions": "require_escalated", "justification": "j"},
}
_SPAWN: Json = {"tool": "spawn_agent", "namespace": "multi_agent_v1", "input": {"message": "go"}}
_WAIT: Json = {"tool": "exec_command", "input": {"cmd": "sleep 3"}}
_TRUSTED = "--dangerously-bypass-hook-trust"
CODEX: dict[str, Object] = {
    "PermissionRequest": {
        "sandbox": "read-only",
        "script": [_ESCALATED, {"text": "done"}],
        "args": [_TRUSTED, "-c", 'approvals_reviewer="auto_review"', "-c", 'approval_policy="on-request"'],
    },
    "PreCompact": {"config": "model_auto_compact_token_limit = 1\n", "args": [_TRUSTED]},
    "PostCompact": {"config": "model_auto_compact_token_limit = 1\n", "args": [_TRUSTED]},
    # Both agents wait, whichever of them asks first: the sub-agent ends while the other still runs.
    "SubagentStart": {"script": [_SPAWN, _WAIT, {"text": "done"}], "args": [_TRUSTED]},
    "SubagentStop": {"script": [_SPAWN, _WAIT, {"text": "done"}], "args": [_TRUSTED]},
    "SessionEnd": {"script": [{"text": "done"}], "args": [_TRUSTED]},
}
GEMINI: dict[str, Object] = {
    "SessionStart": {"script": [{"text": "done"}]},
    "SessionEnd": {"script": [{"text": "done"}]},
    "BeforeAgent": {"script": [{"text": "done"}]},
    "AfterAgent": {"script": [{"text": "done"}]},
    "BeforeModel": {"script": [{"text": "done"}]},
    "AfterModel": {"script": [{"text": "done"}]},
    "BeforeToolSelection": {"script": [{"text": "done"}]},
    "AfterTool": {
        "script": [
            {"tool": "run_shell_command", "input": {"command": "printf plain-result", "description": "t"}}
        ]
    },
    "PreCompress": {"script": [{"text": "done"}]},
}
_TASK: Json = {
    "tool": "task",
    "input": {"description": "d", "prompt": "go", "agent_type": "explore", "name": "n"},
}
_DELEGATED: Object = {"script": [_TASK, {"text": "sub done"}, {"text": "done"}]}
COPILOT: dict[str, Object] = {
    "sessionStart": {"script": [{"text": "done"}]},
    "sessionEnd": {"script": [{"text": "done"}]},
    "userPromptSubmitted": {"script": [{"text": "done"}]},
    "userPromptTransformed": {"script": [{"text": "done"}]},
    "permissionRequest": {"args": []},
    "postToolUse": {
        "script": [{"tool": "bash", "input": {"command": "printf plain-result", "description": "t"}}]
    },
    "agentStop": {"script": [{"text": "done"}]},
    "subagentStart": _DELEGATED,
    "subagentStop": _DELEGATED,
    "preCompact": {"prompt": "/compact"},
    "errorOccurred": {"script": [{"status": 400}]},
    "notification": {"args": []},
    "PreToolUse": {},
    "UserPromptSubmit": {"script": [{"text": "done"}]},
    "PostToolUse": {
        "script": [{"tool": "bash", "input": {"command": "printf plain-result", "description": "t"}}]
    },
    "Stop": {"script": [{"text": "done"}]},
    "PermissionRequest": {"args": []},
    "SubagentStop": _DELEGATED,
}


_EXPLORE: list[Json] = [
    {
        "tool": "agent",
        "input": {
            "description": "d",
            "prompt": "go",
            "subagent_type": "Explore",
            "run_in_background": False,
        },
    },
    {"text": "sub done"},
    {"text": "done"},
]


def _todo(*states: str) -> list[Json]:
    """Return a script that writes a list of one item in each of the states."""
    lists: list[Json] = [
        {"tool": "todo_write", "input": {"todos": [{"id": "1", "content": "c", "status": state}]}}
        for state in states
    ]
    return [*lists, {"text": "done"}]


_HEY = "project/.qwen/commands/hey.md"
QWEN: dict[str, Object] = {
    "SessionStart": {"script": [{"text": "done"}]},
    "SubagentStart": {"script": _EXPLORE},
    "SubagentStop": {"script": _EXPLORE},
    "PostToolUse": {},
    "PostToolUseFailure": {
        "script": [
            {
                "tool": "run_shell_command",
                "input": {"command": "exit 3", "description": "t", "is_background": False},
            },
            {"text": "done"},
        ]
    },
    "PostToolBatch": {},
    "UserPromptExpansion": {
        "prompt": "/hey you",
        "files": {_HEY: "Say hey to {{args}}\n"},
        "script": [{"text": "done"}],
    },
    "TodoCreated": {"script": _todo("pending")},
    "TodoCompleted": {"script": _todo("pending", "completed")},
    "MessageDisplay": {"script": [{"text": "done"}]},
    "Notification": {"script": [{"text": "done"}]},
    "InstructionsLoaded": {"script": [{"text": "done"}]},
}
KIMI: dict[str, Object] = {
    "SubagentStart": {
        "script": [
            {"tool": "Agent", "input": {"description": "d", "prompt": "go", "subagent_type": "explore"}},
            {"text": "sub done"},
            {"text": "done"},
        ]
    },
    "PostToolUseFailure": {
        "script": [
            {"tool": "Bash", "input": {"command": "exit 3", "description": "t"}},
            {"text": "done"},
        ]
    },
    "SessionStart": {"script": [{"text": "done"}]},
    "TurnStarted": {"script": [{"text": "done"}]},
    "StopFailure": {"script": [{"status": 400}]},
    "TaskStarted": {
        "script": [
            {"tool": "Bash", "input": {"command": "sleep 1", "description": "t", "run_in_background": True}},
            {"tool": "Bash", "input": {"command": "sleep 2", "description": "t"}},
            {"text": "done"},
        ]
    },
}
KIMI["SubagentStop"] = KIMI["SubagentStart"]
KIMI["Notification"] = KIMI["TaskStarted"]
#: Events whose hooks only watch, so that few outputs show all there is.
_WATCHED = ("silent", "text", "exit2", "exit1", "out.denied", "out.block", "out.halt", "out.top-context")


def qwen() -> list[Object]:
    """Return the grid of Qwen Code."""
    cases: list[Object] = []
    for event, scene in QWEN.items():
        made = _cases(event, scene, {**OUTPUTS, **specific(event)}, {"timeout": 1})
        watched = event in ("MessageDisplay", "Notification", "InstructionsLoaded")
        ends = {f"{event}.{name}" for name in (*_WATCHED, "timeout")}
        cases += [case for case in made if case["id"] in ends or not watched]
    return cases


def kimi() -> list[Object]:
    """Return the grid of Kimi Code, whose configuration is TOML."""
    denied: Object = {
        "hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "not so"}
    }
    ends = {**bodies({**OUTPUTS, "denied": denied}), "timeout": "sleep 20; exit 2"}
    cases: list[Object] = []
    for event, scene in KIMI.items():
        for name in (*_WATCHED, "timeout"):
            text = f'[[hooks]]\nevent = "{event}"\ncommand = {json.dumps(probe("a", ends[name]))}\n'
            text += "timeout = 1\n" if name == "timeout" else ""
            cases.append({"id": f"{event}.{name}", "event": event, "layers": {"user": text}, **scene})
    return cases


def codex() -> list[Object]:
    """Return the grid of Codex."""
    cases: list[Object] = []
    for event, scene in CODEX.items():
        outputs = {**OUTPUTS, **specific(event)}
        if event == "PermissionRequest":
            outputs |= behaviors(event)
        cases += _cases(event, scene, outputs, {"timeout": 1})
    return cases


def gemini() -> list[Object]:
    """Return the grid of Gemini CLI."""
    cases: list[Object] = []
    for event, scene in GEMINI.items():
        outputs = {**OUTPUTS, **specific(event)}
        for word in ("allow", "ask", "maybe"):
            outputs[word] = {"decision": word, "reason": "not so"}
        if event == "BeforeToolSelection":
            for mode in ("NONE", "ANY"):
                config: Json = {"mode": mode, "allowedFunctionNames": ["read_file"]}
                outputs[f"mode-{mode}"] = {
                    "hookSpecificOutput": {"hookEventName": event, "toolConfig": config}
                }
        if event in ("BeforeModel", "AfterModel"):
            content: Json = {"role": "model", "parts": ["made by the hook"]}
            response: Json = {"candidates": [{"content": content, "finishReason": "STOP"}]}
            outputs["response"] = {"hookSpecificOutput": {"hookEventName": event, "llm_response": response}}
        if event == "AfterAgent":
            outputs["clear"] = {"hookSpecificOutput": {"hookEventName": event, "clearContext": True}}
        cases += _cases(event, scene, outputs, {"timeout": 1000})
    return cases


def copilot() -> list[Object]:
    """Return the grid of Copilot CLI, whose hooks have no groups."""
    cases: list[Object] = []
    for event, scene in COPILOT.items():
        outputs: dict[str, Object] = {**OUTPUTS, "context": specific(event)["context"]}
        outputs |= _modified(event)
        if event.lower() == "permissionrequest":
            outputs |= {f"top-{name}": {"behavior": name, "message": "not so"} for name in ("allow", "deny")}
            outputs["top-interrupt"] = {"behavior": "deny", "message": "not so", "interrupt": True}
            outputs |= behaviors(event)
        ends = {**bodies(outputs), "timeout": "sleep 20; exit 2"}
        for name, body in ends.items():
            limit = {"timeoutSec": 1} if name == "timeout" else {}
            handler: Json = {"type": "command", "bash": probe("a", body), **limit}
            layers: Object = {"project": {"version": 1, "hooks": {event: [handler]}}}
            cases.append({"id": f"{event}.{name}", "event": event, "layers": layers, **scene})
    return cases


def _modified(event: str) -> dict[str, Object]:
    """Return what may change a prompt, a result or an answer; a PreToolUse may also decide."""
    if event in ("userPromptSubmitted", "UserPromptSubmit"):
        return {"modified-prompt": {"modifiedPrompt": "another"}}
    if event == "userPromptTransformed":
        return {"modified-transformed": {"modifiedTransformedPrompt": "another"}}
    if event in ("postToolUse", "PostToolUse"):
        result: Json = {"resultType": "success", "textResultForLlm": "another"}
        return {"modified-result": {"modifiedResult": result}}
    if event in ("agentStop", "Stop", "subagentStop"):
        return {"modified-response": {"modifiedResponse": "another"}}
    outputs: dict[str, Object] = {}
    for word in ("allow", "deny", "ask") if event == "PreToolUse" else ():
        top: Object = {"permissionDecision": word, "permissionDecisionReason": "not so"}
        outputs[f"permission-{word}"] = top
        outputs[f"inner-{word}"] = {"hookSpecificOutput": {"hookEventName": event, **top}}
    return outputs


def behaviors(event: str) -> dict[str, Object]:
    """Return what hooks of a request for permission may say."""
    decisions: dict[str, Object] = {
        "allow": {"behavior": "allow"},
        "deny": {"behavior": "deny", "message": "not so"},
        "deny-nomessage": {"behavior": "deny"},
        "ask": {"behavior": "ask"},
        "interrupt": {"behavior": "deny", "message": "not so", "interrupt": True},
        "updated": {"behavior": "allow", "updatedInput": {"command": "touch other"}},
    }
    return {
        f"behavior-{name}": {"hookSpecificOutput": {"hookEventName": event, "decision": decision}}
        for name, decision in decisions.items()
    }


def _cases(event: str, scene: Object, outputs: Mapping[str, Object], limit: Object) -> list[Object]:
    """Return an event's cases, for an agent whose configuration is Claude Code's in form."""
    cases: list[Object] = []
    for name, body in {**bodies(outputs), "timeout": "sleep 20; exit 2"}.items():
        handler = limit if name == "timeout" else {}
        layers: Object = {"project": claude_shaped(event, probe("a", body), **handler)}
        cases.append({"id": f"{event}.{name}", "event": event, "layers": layers, **scene})
    return cases


GRIDS = {
    "claude_code": claude_code,
    "codex": codex,
    "gemini": gemini,
    "copilot": copilot,
    "qwen": qwen,
    "kimi": kimi,
}

#: Agents whose cases are in modules of their own.
OTHERS = ("goose", "grok", "hermes", "openhands", "droid", "cline", "mistral_vibe")


def cases_of(agent: str) -> list[Object]:
    """Return the cases of an agent, and those that a user in a terminal brings about."""
    if agent in OTHERS:
        made: list[Object] = importlib.import_module(f"tools.agents.cases.{agent}").cases()
        return made
    typed: list[Object] = importlib.import_module(f"tools.agents.cases.terminal.{agent}").cases()
    return [*GRIDS[agent](), *typed]


def main(arguments: list[str]) -> int:
    """Print the cases of an agent."""
    if len(arguments) != 1 or arguments[0] not in (*GRIDS, *OTHERS):
        print(__doc__, file=sys.stderr)
        return 2
    json.dump(cases_of(arguments[0]), sys.stdout, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
