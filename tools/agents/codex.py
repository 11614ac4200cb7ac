"""What a record of Codex says."""

from __future__ import annotations

import json
import re

from tools.agents.records import Facts, Object, Record, joined, rounds

CONTRACT = "codex"
TITLE = "Codex"
TOUCH: Object = {"tool": "exec_command", "input": {"cmd": "touch marker"}}
LAYERS = {
    "user": "home/.codex/hooks.json",
    "project": "project/.codex/hooks.json",
    "project-toml": "project/.codex/config.toml",
    "managed": "etc/codex/requirements.toml",
    "managed-json": "etc/codex/hooks.json",
    "managed-toml": "etc/codex/config.toml",
    "plugin": "home/.codex/plugins/cache/mine/guard/1.0.0/hooks/hooks.json",
}
EVENTS: dict[str, str] = {}
INCOMPARABLE: dict[str, str] = {
    **{f"managed.only-{kind}": "the agent does not start with such a file" for kind in ("number", "string")},
    "layers.feature-off": "the agent was started with --disable hooks, which is no part of a configuration",
    "layers.user-toml": "the recorder's list lacks the config.toml of this run",
}

_REFUSED = re.compile(
    r"^(?:Command|Tool call) blocked by PreToolUse hook: (.*?)(?:\. (?:Command|Tool):.*)?$", re.S
)

_REJECTED = re.compile(r'Rejected\(\\"((?!Automatic approval review).*)\\"\)', re.S)

#: How the summary begins that stands for what was said before.
_SUMMARY = "Another language model started to solve this problem"
#: What a sub-agent reads besides, and what the agent above it reads when it ends.
_NOTICE = re.compile(r"^go$|<subagent_notification>.*?</subagent_notification>", re.S | re.M)


def payloads(record: Record) -> list[Object]:
    """Return the payloads of the events that the record's hooks wait for."""
    event = record.event
    fields: Object = {
        "session_id": "01a00000-0000-7000-8000-000000000000",
        "transcript_path": "@W@/home/.codex/sessions/x.jsonl",
        "cwd": "@W@/project",
        "hook_event_name": event,
        "model": "gpt-5.4",
        "permission_mode": "bypassPermissions",
    }
    if event != "SessionStart":
        fields["turn_id"] = "01a00000-0000-7000-8000-000000000001"
    if event in ("PreToolUse", "PostToolUse", "PermissionRequest"):
        fields.update(_call((record.calls or [TOUCH])[0]))
    own: dict[str, Object] = {
        "PostToolUse": {"tool_response": "plain-result\n"},
        "UserPromptSubmit": {"prompt": "do it"},
        "SessionStart": {"source": "startup"},
        "Stop": {"stop_hook_active": False, "last_assistant_message": "done"},
    }
    return [{**fields, **own.get(event, {})}]


def _call(call: Object) -> Object:
    use: Object = {"tool_use_id": "call_0_0"}
    given = call.get("input")
    if call["tool"] == "exec_command" and isinstance(given, dict):
        return {"tool_name": "Bash", "tool_input": {"command": given["cmd"]}, **use}
    value = {"command": call["custom"]} if "custom" in call else given
    return {"tool_name": call["tool"], "tool_input": value, **use}


def facts(record: Record) -> Facts:
    """Return what the agent did."""
    event = record.event
    result = next(iter(record.texts("tool_results")), "")
    texts = joined(record.texts("said"), record.texts("first"), record.texts("between"))
    did: Facts = {"ran": list(record.texts("ran")), "context": _NOTICE.sub("", texts)}
    requests = record.number("requests")
    if event == "PermissionRequest":
        return _asked(record, result)
    if event in ("PreCompact", "PostCompact") and "keys" in record.scene:  # between two turns
        compacted = any(text.startswith(_SUMMARY) for text in record.texts("said"))
        return {"ran": did["ran"], **({"halt": not compacted} if event == "PreCompact" else {})}
    if event in ("PreCompact", "PostCompact"):
        return {"ran": did["ran"], "halt": requests == 1}
    if event == "PreToolUse":
        match = _REFUSED.match(result)
        did["refused"] = match is not None
        if match is not None:
            did["reason"] = match[1]
        did["touched"] = list(record.texts("files"))
    elif event == "UserPromptSubmit":
        did["refused"] = requests == 0
        if did["refused"]:  # and nobody read anything
            del did["context"]
    elif event == "PostToolUse":
        if "plain-result" in json.dumps(record.script):
            did["result"] = result.split("Output:\n", 1)[-1]
        did["halt"] = requests == 1
    elif event == "Stop":
        did["stops"] = requests
    elif event == "SubagentStart":
        did["halt"] = "go" not in texts.split("\n")
    elif event == "SubagentStop":
        del did["context"]
        ran = record.texts("ran")
        did.update(
            ran=[*dict.fromkeys(ran)], refused=rounds(record) > 1
        )  # again and again, until the agent ends
    elif event in ("SessionStart", "SessionEnd"):
        did["halt"] = requests == 0
    return did


def _asked(record: Record, result: str) -> Facts:
    """Return what came of a request for permission; without a decision the agent's own reviewer decides."""
    match = _REJECTED.search(result)
    did: Facts = {"ran": list(record.texts("ran")), "refused": match is not None}
    if match is not None:
        did["reason"] = match[1]
    if record.texts("files"):
        did["touched"] = list(record.texts("files"))
    return did
