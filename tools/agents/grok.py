"""What a record of Grok Build says."""

from __future__ import annotations

from tools.agents.records import Facts, Object, Record, joined, rounds

CONTRACT = "grok"
TITLE = "Grok Build"
TOUCH: Object = {"tool": "run_terminal_command", "input": {"command": "touch marker", "description": "t"}}
LAYERS = {
    "user": "home/.grok/hooks/own.json",
    "project": "project/.grok/hooks/guards.json",
    "claude": "home/.claude/settings.json",
    "claude-project": "project/.claude/settings.json",
    "cursor": "home/.cursor/hooks.json",
    "managed": "etc/grok/managed_config.toml",
    "managed-requirements": "etc/grok/requirements.toml",
}
EVENTS: dict[str, str] = {}
_DASH = (
    "/bin/sh is dash there, which reports the status 137 for a script that a signal ended, and the agent reads the output;"
    " bash ends with the signal, and the agent drops it"
)
_ANSWERED = "with always-approve nobody sees the question; asked.* have it"
INCOMPARABLE: dict[str, str] = {
    **dict.fromkeys(("PreToolUse.out.ask", "PreToolUse.out.inner-ask", "several.defer-ask"), _ANSWERED),
    **dict.fromkeys(("blends.killed-deny", "spread.stop.killed", "sweep.signals-deny"), _DASH),
    "mcp.updated-text": "the agent reads the text as an object, and asks the hooks again about the call that results",
    "managed.broken": "the agent does not start with a broken file of the organisation",
    **dict.fromkeys(
        (
            f"updates.{name}"
            for name in ("part", "empty", "command-missing", "command-null", "command-number")
        ),
        "the agent knows the schema of its tool, and the engine does not",
    ),
    **dict.fromkeys(
        ("settings.event-case", "parts.claude-project-event-case"),
        "the order of an event's two names changes from run to run",
    ),
    "command.home": "the home directory of the sandbox is its own",
    "command.process": "the reason is an error message of the shell, which is dash there",
    "PreToolUse.out.updated-schema": "the agent knows the schema of its tool, and the engine does not",
}

_DENIED = "Hook denied: "


def payloads(record: Record) -> list[Object]:
    """Return the payloads of the events that the record's hooks wait for."""
    event, first = record.event, (record.calls or [TOUCH])[0]
    tool, given = first["tool"], first["input"]
    if tool == "use_tool" and isinstance(given, dict):  # hooks see the tool that it calls
        tool = given["tool_name"]
    call: Object = {"toolName": tool, "toolUseId": "call_0_0", "toolInput": given}
    own: dict[str, Object] = {
        "UserPromptSubmit": {"prompt": record.prompt},
        "Stop": {"reason": "end_turn", "stopHookActive": False, "lastAssistantMessage": "done"},
        "SessionStart": {"source": "new"},
        "SessionEnd": {"reason": "shutdown"},
        "StopFailure": {"error": "invalid_request"},
        "StopCancelled": {"reason": "max_turns", "cancelledBy": "runtime"},
        "SubagentStart": {"subagentId": "s", "subagentType": "explore"},
        "SubagentStop": {"subagentId": "s", "subagentType": "explore", "stopHookActive": False},
        "PreToolUse": call,
        "PermissionDenied": call,
        "PostToolUse": {**call, "toolResult": {"type": "Bash", "output_for_prompt": "plain-result"}},
        "PostToolUseFailure": call,
    }
    common: Object = {
        "sessionId": "s",
        "cwd": "@W@/project",
        "workspaceRoot": "@W@/project/",
        "timestamp": "",
        "permissionMode": "bypassPermissions",
    }
    return [{"hookEventName": event, **common, **own.get(event, {})}]


def facts(record: Record) -> Facts:
    """Return what the agent did."""
    event, requests, ran = record.event, record.number("requests"), record.texts("ran")
    results, said = record.texts("tool_results"), record.texts("said")
    if event == "Stop":  # the last is that of the session's end
        return {"ran": [*sorted(set(ran))], "stops": rounds(record) - 1, "context": "\n".join(said)}
    did: Facts = {"ran": list(ran), "texts": joined(results, said)}
    if event == "PreToolUse":
        did["refused"] = any(text.startswith(_DENIED) for text in results)
        did["touched"] = list(record.texts("files"))
        if did["refused"]:
            did["message"] = results[0]
    elif event == "UserPromptSubmit":
        did["refused"] = requests == 0
    elif event == "SubagentStop":
        did = {"ran": [*sorted(set(ran))], "refused": rounds(record) > 1}
    return did
