"""What a record of Claude Code says."""

from __future__ import annotations

import json
import re

from tools.agents.records import Facts, Object, Record, commands, listed, mapping, objects, rounds

CONTRACT = "claude_code"
TITLE = "Claude Code"
TOUCH: Object = {"tool": "Bash", "input": {"command": "touch marker", "description": "t"}}
LAYERS = {
    "user": "home/.claude/settings.json",
    "project": "project/.claude/settings.json",
    "local": "project/.claude/settings.local.json",
    "managed": "etc/claude-code/managed-settings.json",
    "managed-part": "etc/claude-code/managed-settings.d/10-part.json",
    "plugin": "home/plug/hooks/hooks.json",
}
#: Records whose hook waits for another event than the one that they are listed under.
EVENTS = {"fault.hooks-null": "Stop"}
INCOMPARABLE = {
    "streams.child-late": "what a child prints after its hook has ended counts in the sandbox (L-HOOKS-010)",
    "PermissionDenied.fires": "the agent raised no such event: only its classifier does",
    "PermissionRequest.not-needed": "the agent raised no such event: the call needs no permission",
    "PreToolUse.bashism": "depends on what /bin/sh is on the machine (L-CLAUDE-006)",
}

_TOOLS = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied")
_MODES = (*_TOOLS, "UserPromptSubmit", "Stop", "PostToolBatch", "UserPromptExpansion")
#: A refusal by the organisation is wrapped.
_REFUSED = re.compile(r"^(?:<tool_use_error>)?PreToolUse:\S+ hook error: (.*?)(?:</tool_use_error>)?$", re.S)
_BLOCKED = re.compile(r"^\w+ operation blocked by hook:\n(.*?)(?:\n*Original prompt: .*)?$", re.S)
_ADDED = re.compile(
    r"<system-reminder>\n(\w+(?::\S+)? hook .*?)(?:\n</system-reminder>|\Z)"
    r"|^(Stop hook feedback:.*?)(?:\n</system-reminder>|\Z)|^(PostModelSwitch hook additional context: .*?)\n\n",
    re.S | re.M,
)
_WHOLE = re.compile(r"^(.*)$", re.S)
_FEEDBACK = re.compile(r"^\w+ hook feedback:\n(.*)$", re.S)
#: What follows is the agent's own description of a fault of a hook or of an http answer.
_EXPLANATION = re.compile(
    r"(Hook JSON output validation failed).*|\[http:\S+\]: (failed; blocking because onFailure is \"block\"\n).*",
    re.S,
)
#: What the agent says besides of a refusal by a hook of a plugin.
_OF_PLUGIN = re.compile(r"\n\nThis hook comes from the \S+ plugin.*", re.S)
#: What the recorder's server says of the answer to its question.
_ANSWERED = re.compile(r"answered (\{.*\})")
#: How the agent wraps a reason; what stands for a reason that the hook did not write.
_STOPPED = "Operation stopped by hook: "
#: What the agent says of a conversation that it may not compact, whatever the reason.
_FULL = "Prompt is too long"
_NO_REASON = ("No stderr output", "Blocked by hook")


def payloads(record: Record) -> list[Object]:
    """Return the payloads of the events that the record's hooks wait for."""
    event = record.event
    common: Object = {
        "session_id": "00000000-0000-4000-8000-000000000000",
        "transcript_path": "@W@/home/.claude/projects/x/t.jsonl",
        "cwd": "@W@/project",
        "hook_event_name": event,
    }
    if event != "SessionStart":
        common["prompt_id"] = "00000000-0000-4000-8000-000000000001"
    if event in _MODES:
        common["permission_mode"] = "default"
    calls = record.calls or [TOUCH]
    first = calls[0]
    own: dict[str, Object] = {
        "UserPromptSubmit": {"prompt": record.prompt},
        "UserPromptExpansion": {
            "expansion_type": "slash_command",
            "command_name": "hey",
            "command_args": "you",
            "command_source": "projectSettings",
            "prompt": record.prompt,
        },
        "SessionStart": {"source": "startup", "model": "claude-sonnet-4-5"},
        "SessionEnd": {"reason": "other"},
        "Stop": {"stop_hook_active": False, "last_assistant_message": "done"},
        "PostToolBatch": {
            "tool_calls": [
                {
                    "tool_name": first["tool"],
                    "tool_input": first["input"],
                    "tool_use_id": "toolu_0000_0",
                    "tool_response": "plain-result",
                }
            ]
        },
    }
    if event in own:
        return [{**common, **own[event]}]
    several = calls if event == "PreToolUse" and record.id.startswith("if.") else calls[:1]
    return [{**common, **_call(event, call)} for call in several]


def _call(event: str, call: Object) -> Object:
    fields: Object = {
        "tool_name": call["tool"],
        "tool_input": call["input"],
        "tool_use_id": "toolu_0000_0",
    }
    if event == "PostToolUse":
        mcp = str(call["tool"]).startswith("mcp__")
        fields["tool_response"] = "plain-result" if mcp else _shell_result()
    if event == "PostToolUseFailure":
        fields.update(error="Exit code 3\npartial", is_interrupt=False)
    return fields


def _shell_result() -> Object:
    return {
        "stdout": "plain-result",
        "stderr": "",
        "interrupted": False,
        "isImage": False,
        "noOutputExpected": False,
    }


def facts(record: Record) -> Facts:
    """Return what the agent did."""
    event, final = record.event, mapping(record.seen.get("final"))
    results = objects(record.seen.get("tool_results")) or objects(record.seen.get("shown_results"))
    result = str(results[0]["text"]) if results else ""
    halt = final.get("terminal_reason") in ("hook_stopped", "stop_hook_prevented")
    read = [*record.texts("said"), *record.texts("first"), *record.texts("between")]
    texts = [*read, *(str(each["text"]) for each in results)]
    added = "\n".join("".join(found) for text in texts for found in _ADDED.findall(text)).replace("&lt;", "<")
    did: Facts = {"ran": list(record.texts("ran")), "halt": halt}
    special = _special(record, results, final)
    if special is not None:
        return {"ran": did["ran"], "context": _ours(added), **special}
    if not halt:
        did["context"] = _ours(added)
    if event == "PreToolUse":
        if _touches(record):
            did["touched"] = list(record.texts("files"))
        refused = bool(results) and _REFUSED.match(result) is not None and bool(results[0].get("error"))
        did["refused"] = refused
        if refused:
            did["reason"] = _reason(_REFUSED, result, record)
    elif event == "PermissionRequest" and "keys" in record.scene:  # the user refuses what no hook answered
        files = list(record.texts("files"))
        asked = 1 in listed(record.seen.get("typed"))
        did = {"ran": did["ran"], "touched": files, "refused": not files and not asked}
    elif event == "PermissionRequest":
        did = {
            "ran": did["ran"],
            "touched": list(record.texts("files")),
            "halt": record.number("requests") == 1,
        }
    elif event == "SessionStart":
        did["halt"] = record.number("requests") == 0
    elif event in ("UserPromptSubmit", "UserPromptExpansion"):
        del did["halt"]
        refused = record.number("requests") == 0
        did["refused"] = refused
        if refused:
            did.pop("context", None)
            did["reason"] = _reason(_BLOCKED, str(final.get("result", "")), record)
    elif event == "Stop" and len(set(commands(record.layers))) == 1:
        did["stops"] = len(objects(record.seen.get("hooks"))) or record.number("requests")
    elif event == "PostToolUse" and ".updated" in record.id:
        did["result"] = result.split("\n\n<system-reminder>")[0]
    return did


def _special(record: Record, results: list[Object], final: Object) -> Facts | None:
    """Return what happened on an event whose effect shows in a place of its own, or None."""
    event, requests = record.event, record.number("requests")
    if event in ("Notification", "FileChanged"):
        return {"halt": requests == 1}
    if event == "WorktreeRemove":
        return {"halt": requests < 3}
    if event == "StopFailure":
        return {}
    if event == "ConfigChange":
        ran = record.texts("ran")
        return {"ran": [each for each in ran if each != "added"], "refused": "added" not in ran}
    if event == "TeammateIdle":
        ran = record.texts("ran")
        return {
            "ran": [*dict.fromkeys(ran)],
            "refused": rounds(record) > 1,
        }  # again and again, until the agent ends it
    if event in ("Elicitation", "ElicitationResult"):
        match = _ANSWERED.match(str(results[0]["text"])) if results else None
        answer = mapping(json.loads(match[1])) if match else {}
        return {"answer": {key: value for key, value in answer.items() if value != {}}} if answer else {}
    subtypes = [each.get("subtype") for each in objects(record.seen.get("notices"))]
    if event in ("Setup", "InstructionsLoaded", "CwdChanged", "SessionEnd", "MessageDisplay"):
        return {"halt": requests == 0}
    if event == "SubagentStart":
        return {"halt": "go" not in record.texts("between")}
    if event == "SubagentStop":
        return {"stops": rounds(record)}
    if event in ("PreCompact", "PostCompact"):
        refused = "compact_boundary" not in subtypes
        text = str(final.get("result", "")).removeprefix("Compaction blocked by PreCompact hook: ")
        shown = refused and text != _FULL
        return {"refused": refused, **({"reason": _reason(_WHOLE, text, record)} if shown else {})}
    if event in ("TaskCreated", "TaskCompleted"):
        text = str(results[-1]["text"])
        refused = text.startswith(f"{event} hook feedback:")
        reason = {"reason": _reason(_FEEDBACK, text, record)} if refused else {}
        return {"refused": refused, **reason}
    if event == "PreModelSwitch":
        return {"refused": not any("opus" in each for each in record.texts("models"))}
    if event == "PostModelSwitch":
        return {"halt": requests == 0}
    if event == "WorktreeCreate":
        return {"refused": bool(results) and str(results[0]["text"]).startswith("WorktreeCreate hook failed")}
    return None


def _ours(added: str) -> str:
    """Return what the model received, without where the agent stored a text that is too long for it."""
    return re.sub(r"Full output saved to: [^\n]*", "Full output saved to: FILE", added)


def _touches(record: Record) -> bool:
    command = mapping((record.calls or [TOUCH])[0].get("input")).get("command", "")
    return str(command).startswith("touch marker") and not record.id.startswith("if.")


def _reason(pattern: re.Pattern[str], text: str, record: Record) -> str:
    """Return the hook's own words in a refusal, without the agent's wrapper and the command that it names."""
    text = text.replace(_STOPPED, "")
    match = pattern.search(text)
    text = match[1].strip() if match else text
    for command in commands(record.layers):
        for each in (command, command.replace("${CLAUDE_PLUGIN_ROOT}", "@W@/home/plug")):
            for sign in (f"[{each}]: ", f"[{each}]:", f"[{each}]"):
                text = text.replace(sign, "")
    text = _OF_PLUGIN.sub("", _EXPLANATION.sub(r"\1\2…", text))
    return "" if text in _NO_REASON else text
