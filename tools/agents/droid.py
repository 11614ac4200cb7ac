"""What a record of Factory Droid says."""

from __future__ import annotations

from tools.agents.records import Facts, Object, Record, rounds, what_was_read

CONTRACT = "droid"
TITLE = "Factory Droid"
_RISK: Object = {"summary": "s", "riskLevel": "low", "riskLevelReason": "r", "timeout": 10}
TOUCH: Object = {"tool": "Execute", "input": {"command": "touch marker", **_RISK}}
LAYERS = {
    "user": "home/.factory/hooks.json",
    "project": "project/.factory/hooks.json",
    "user-settings": "home/.factory/settings.json",
    "project-settings": "project/.factory/settings.json",
    "project-local": "project/.factory/settings.local.json",
    "user-legacy": "home/.factory/hooks/hooks.json",
    "project-legacy": "project/.factory/hooks/hooks.json",
}
EVENTS: dict[str, str] = {}
INCOMPARABLE: dict[str, str] = {
    "streams.child-late": "what a child prints after its hook has ended counts in the sandbox (L-HOOKS-010)",
    "mixed.caught": "the hook catches the signal of its time limit, which the sandbox does not send (L-DROID-006)",
}


def payloads(record: Record) -> list[Object]:
    """Return the payloads of the events that the record's hooks wait for."""
    event, first = record.event, (record.calls or [TOUCH])[0]
    call: Object = {"tool_name": first["tool"], "tool_input": first["input"]}
    own: dict[str, Object] = {
        "PreToolUse": call,
        "PostToolUse": {**call, "tool_response": "plain-result"},
        "UserPromptSubmit": {"prompt": record.prompt},
        "Stop": {"stop_hook_active": False},
        "SubagentStop": {"stop_hook_active": False},
        "SessionStart": {"source": "startup"},
        "SessionEnd": {"reason": "other"},
    }
    common: Object = {
        "session_id": "s",
        "transcript_path": "@W@/home/.factory/sessions/x.jsonl",
        "cwd": "@W@/project",
        "permission_mode": "auto-high",
        "hook_event_name": event,
    }
    return [{**common, **own.get(event, {})}]


def facts(record: Record) -> Facts:
    """Return what the agent did."""
    event, requests = record.event, record.number("requests")
    did = what_was_read(record, "tool_results", "said", "first")
    if event == "PreToolUse":
        did.update(touched=list(record.texts("files")), halt=requests == 1)
    elif event == "UserPromptSubmit":
        did["refused"] = requests == 0
    elif event == "Stop":  # the agent goes on without a bound, until the recorder ends it
        did.pop("texts", None)
        did["refused"] = rounds(record) > 1
    return did
