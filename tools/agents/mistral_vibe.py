"""What a record of Mistral Vibe says."""

from __future__ import annotations

import re

from tools.agents.records import Facts, Object, Record, what_was_read

CONTRACT = "mistral_vibe"
TITLE = "Mistral Vibe"
TOUCH: Object = {"tool": "bash", "input": {"command": "touch marker"}}
LAYERS = {"user": "home/.vibe/hooks.toml", "project": "project/.vibe/hooks.toml"}
EVENTS: dict[str, str] = {}
#: How the result of a call begins that ran, and that no hook changed.
_RAN = '{"command":'
#: What follows is the parser's own description of a fault.
_PARSER = re.compile(r"(did not match the hook response schema: ).*", re.S)
INCOMPARABLE: dict[str, str] = {
    "layers.same-name-other-event": "the first of two hooks of one name waits for another event",
    "pre_tool.signal-strict": "the reason is an error message of the shell, which is dash there",
    **dict.fromkeys(
        (
            f"updates.{name}"
            for name in (
                "command-empty",
                "command-missing",
                "command-null",
                "command-number",
                "empty",
                "more",
            )
        ),
        "the agent knows the schema of its tool, and the engine does not",
    ),
    **dict.fromkeys(
        ("settings.timeout-zero", "settings.timeout-negative"),
        "a hook without any time may end before its first command",
    ),
}


def payloads(record: Record) -> list[Object]:
    """Return the payloads of the events that the record's hooks wait for."""
    first = (record.calls or [TOUCH])[0]
    call: Object = {"tool_name": first["tool"], "tool_call_id": "call_0_0", "tool_input": first["input"]}
    own: dict[str, Object] = {
        "pre_tool": call,
        "post_tool": {
            **call,
            "tool_status": "success",
            "tool_output": {},
            "tool_output_text": "plain-result",
            "tool_error": None,
            "duration_ms": 0,
        },
    }
    common: Object = {
        "hook_event_name": record.event,
        "session_id": "s",
        "parent_session_id": None,
        "transcript_path": "",
        "cwd": "@W@/project",
    }
    return [{**common, **own.get(record.event, {})}]


def facts(record: Record) -> Facts:
    """Return what the agent did."""
    did = what_was_read(record)
    results = record.texts("tool_results")
    if record.event == "pre_tool":
        did["touched"] = list(record.texts("files"))
        did["refused"] = not any(text.startswith(_RAN) for text in results)
        if did["refused"]:
            did["message"] = _PARSER.sub(r"\1…", results[0])
    elif record.event == "post_tool" and not results[0].startswith(
        _RAN
    ):  # else the model gets the output itself
        did["result"] = results[0]
    elif record.event == "post_agent":
        did["stops"] = record.number("requests")
    return did
