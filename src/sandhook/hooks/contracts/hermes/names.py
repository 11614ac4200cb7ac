"""Names and bounds of Hermes Agent's shell hooks."""

from __future__ import annotations

from sandhook.hooks.contracts._rows import Row

_IDS = ("task_id", "tool_call_id", "turn_id", "api_request_id")
_REQUEST = ("task_id?", "turn_id?", "api_request_id?")

#: What events about an approval have, before and after the user's choice.
_APPROVAL = ("command", "description", "pattern_key?", "pattern_keys?", "session_key?", "surface?")
_TRACE = ("turn_id?", "tool_call_id?", "telemetry_schema_version?")

#: Events, with the keys of the payload's ``extra``.
ROWS = {
    "pre_tool_call": Row("tool.pre", _IDS, "tool_name"),
    "post_tool_call": Row(
        "tool.post",
        ("result", "status", "error_type?", "error_message", "duration_ms", *_IDS),
        "tool_name",
    ),
    "pre_llm_call": Row("model.pre", ("turn_id?", "user_message?", "model?", "platform?")),
    "post_llm_call": Row(
        "model.post", ("turn_id?", "user_message?", "assistant_response?", "model?", "platform?")
    ),
    "pre_verify": Row("stop"),
    "on_session_start": Row("session.start", ("model", "platform")),
    "on_session_end": Row(
        "turn.end", ("task_id", "turn_id", "completed", "interrupted", "model", "platform")
    ),
    "on_session_finalize": Row("session.end", ("platform?",)),
    "on_session_reset": Row("x.on_session_reset", ("platform?",)),
    "subagent_start": Row("subagent.start", ("child_session_id?", "child_role?")),
    "subagent_stop": Row(
        "subagent.stop",
        ("parent_turn_id", "child_session_id", "child_role", "child_summary", "child_status", "duration_ms"),
    ),
    "pre_api_request": Row("x.pre_api_request", (*_REQUEST, "user_message?")),
    "post_api_request": Row("x.post_api_request", _REQUEST),
    "api_request_error": Row("x.api_request_error", _REQUEST),
    "pre_approval_request": Row("x.pre_approval_request", (*_APPROVAL, *_TRACE)),
    "post_approval_response": Row("x.post_approval_response", (*_APPROVAL, "choice", *_TRACE)),
}
EVENTS = {name: row.kind for name, row in ROWS.items()}

#: Events for plugins in Python alone.
PYTHON_ONLY = (
    *("transform_terminal_output", "transform_tool_result", "transform_llm_output", "pre_gateway_dispatch"),
)

#: Keys below ``hooks`` that are not events.
SETTINGS = ("output_spill",)

FIELDS = ("command", "matcher", "timeout", "fail_closed", "failClosed")

#: Seconds.
DEFAULT_TIMEOUT, MAX_TIMEOUT = 60, 300

#: The reason of a refusal that has none, and the characters of standard error that a reason may have.
BLOCKED, MAX_REASON = "Blocked by shell hook.", 400
