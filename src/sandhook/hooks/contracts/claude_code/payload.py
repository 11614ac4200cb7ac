"""The event as a hook of Claude Code gets it: one JSON object on standard input, and variables."""

from __future__ import annotations

from sandhook.hooks.contracts import ContractError
from sandhook.hooks.contracts._claude_shape import substitute
from sandhook.hooks.contracts._forbidden import check
from sandhook.hooks.contracts._payload import an_object, directory, kind_of_event, text_field, variable
from sandhook.hooks.contracts.claude_code.names import (
    DEFAULTS,
    ENV_FILE_EVENTS,
    EVENTS,
    MAX_OUTPUT,
    ROWS,
    TOOL_EVENTS,
)
from sandhook.hooks.decode import encode, texts_of
from sandhook.hooks.event import Event, Json, JsonObject, ToolCall, ToolResult
from sandhook.hooks.matcher import as_text
from sandhook.hooks.model import Executor, HookSpec, Request
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.hooks.event import EventFields

_COMMON = ("session_id", "transcript_path", "cwd", "hook_event_name")
_MODES = (*TOOL_EVENTS, "UserPromptSubmit", "Stop", "SubagentStop")


class _Absent:
    """The type of ABSENT."""


#: Stands for a field that an event does not have; None is JSON's null.
_ABSENT = _Absent()


def request(spec: HookSpec, event: Event) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON, and for a URL that is forbidden."""
    check(spec)
    name = spec.native_event
    payload = fields_of(name, event)
    text = encode(payload)
    env = _environment(spec, name, event, payload)
    return Request(
        spec=spec._replace(executor=_substituted(spec, env, payload, text)),
        env=env,
        stdin=text.encode() + b"\n",
        cwd=directory(event),
        limits={"wall_seconds": spec.timeout, "output_bytes": MAX_OUTPUT},
        payload=text,
        overflow="drop",
    )


def fields_of(name: str, event: Event) -> JsonObject:
    """Return the payload, without optional fields that the event does not have."""
    extras = dict(event.extras or {})
    payload: JsonObject = {
        "session_id": event.session_id or "",
        "transcript_path": event.transcript_path or "",
        "cwd": event.cwd or "/workspace",
    }
    if "prompt_id" in extras:
        payload["prompt_id"] = extras["prompt_id"]
    if name in _MODES or "permission_mode" in extras:
        payload["permission_mode"] = extras.get("permission_mode", "default")
    if event.agent_id is not None:
        payload["agent_id"] = event.agent_id
        agent_type = value_of(name, "agent_type", event)
        if not isinstance(agent_type, _Absent):
            payload["agent_type"] = agent_type
    payload["hook_event_name"] = name
    for key in ROWS[name].fields:
        value = value_of(name, key.rstrip("?"), event)
        if not isinstance(value, _Absent):
            payload[key.rstrip("?")] = value
    for key, value in extras.items():
        payload.setdefault(key, value)
    return payload


def value_of(name: str, key: str, event: Event) -> Json | _Absent:
    """Return one field of a payload, or _ABSENT when the event does not have it."""
    extras = event.extras or {}
    if key in extras:
        return extras[key]
    tool, result = event.tool, event.result
    if key in ("tool_name", "tool_input", "tool_use_id") and tool is not None:
        value = {"tool_name": tool.name, "tool_input": tool.input, "tool_use_id": tool.call_id}[key]
        return _ABSENT if value is None and key == "tool_use_id" else value
    if key == "tool_response" and result is not None:
        return result.error if result.value is None and result.error is not None else result.value
    if key == "error" and result is not None:
        return result.error or ""
    if key == "stop_hook_active":
        return event.stop_active
    if key == "tool_calls":
        return list(event.tool_calls)
    known = {"prompt": event.prompt, "reason": event.reason, "agent_id": event.agent_id}.get(key)
    if known is not None:
        return known
    return DEFAULTS.get((name, key), _ABSENT)


def looked_at(name: str, event: Event) -> str:
    """Return the value that matchers of an event test; "" when the event does not have it."""
    value = value_of(name, ROWS[name].matched, event)
    text = "" if isinstance(value, _Absent) else as_text(value)
    if name == "FileChanged":
        return text.replace("\\", "/").rpartition("/")[2]
    return text


def env_file(session_id: str | None) -> str:
    """Return the file in which hooks set variables for the rest of a session, as shell text."""
    plain = "".join(c if c.isalnum() or c in "-_" else "_" for c in session_id or "session")
    return f"/tmp/claude-env-{plain[:80]}.sh"


def _environment(spec: HookSpec, name: str, event: Event, payload: JsonObject) -> dict[str, str]:
    extras = spec.extras or {}
    env = {
        "CLAUDE_PROJECT_DIR": variable(event.project_dir or event.cwd or "/workspace"),
        "CLAUDECODE": "1",
        "CLAUDE_CODE_CHILD_SESSION": "1",
        "CLAUDE_CODE_SESSION_ID": variable(event.session_id or ""),
        **texts_of(extras, "plugin"),
    }
    for key, text in texts_of(extras, "user_config").items():
        env[f"CLAUDE_PLUGIN_OPTION_{key}"] = variable(text)
    effort = payload.get("effort")
    level = effort.get("level") if isinstance(effort, dict) else None
    if isinstance(level, str):
        env["CLAUDE_EFFORT"] = variable(level)
    if name in ENV_FILE_EVENTS:
        env["CLAUDE_ENV_FILE"] = env_file(event.session_id)
    return env


# Placeholders.


def _substituted(spec: HookSpec, env: dict[str, str], payload: JsonObject, text: str) -> Executor:
    """Return what to run, with the placeholders of its type filled in."""
    executor = spec.executor
    if executor.type == "argv":
        values = {key: env[key] for key in env if key in _PLACES}
        user_config = texts_of(spec.extras or {}, "user_config")
        values.update({f"user_config.{key}": value for key, value in user_config.items()})
        return executor._replace(argv=tuple(substitute(word, values) for word in executor.argv))
    if executor.type == "mcp_tool":
        config = dict(executor.config or {})
        config["input"] = _filled(config.get("input"), payload)
        return executor._replace(config=config)
    if executor.type in ("prompt", "agent"):
        return executor._replace(text=_with_arguments(executor.text, text))
    return executor


_PLACES = ("CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA")


def _filled(value: Json, payload: JsonObject) -> Json:
    """Replace each ``${dotted.path}`` by the payload's value, as text."""
    if isinstance(value, dict):
        return {key: _filled(item, payload) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, payload) for item in value]
    if not isinstance(value, str) or "${" not in value:
        return value
    parts = value.split("${")
    filled = [parts[0]]
    for part in parts[1:]:
        path, brace, rest = part.partition("}")
        value_of_path = _dotted(payload, path) if brace else _ABSENT
        filled.append(f"${{{part}" if isinstance(value_of_path, _Absent) else as_text(value_of_path) + rest)
    return "".join(filled)


def _dotted(payload: Json, path: str) -> Json | _Absent:
    value = payload
    for key in path.split("."):
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isascii() and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return _ABSENT
    return value


def _with_arguments(prompt: str, payload: str) -> str:
    r"""Replace ``$ARGUMENTS`` by the payload, or append it to a prompt without; ``\$`` is a dollar sign."""
    parts = prompt.split("\\$")
    filled = [part.replace("$ARGUMENTS", payload) for part in parts]
    text = "$".join(filled)
    return text if any("$ARGUMENTS" in part for part in parts) else f"{text}\n\n{payload}"


# From payload to event.


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes."""
    kind = kind_of_event(name, EVENTS)
    fields = an_object(payload)
    common: EventFields = {
        "session_id": text_field(fields, "session_id"),
        "cwd": text_field(fields, "cwd"),
        "transcript_path": text_field(fields, "transcript_path"),
    }
    agent = text_field(fields, "agent_id")
    known_keys = {*_COMMON, "agent_id"}
    common["agent_id"] = agent
    common["is_sub_agent"] = agent is not None and name not in ("SubagentStart",)
    if name in TOOL_EVENTS:
        tool = text_field(fields, "tool_name")
        if tool is None:
            raise ContractError("the payload has no tool_name")
        common["tool"] = ToolCall(tool, fields.get("tool_input", {}), text_field(fields, "tool_use_id"))
        known_keys |= {"tool_name", "tool_input", "tool_use_id"}
    if name == "PostToolUse":
        common["result"] = ToolResult(fields.get("tool_response"))
        known_keys.add("tool_response")
    elif name == "PostToolUseFailure":
        common["result"] = ToolResult(None, text_field(fields, "error") or "")
        known_keys.add("error")
    elif name == "UserPromptSubmit":
        common["prompt"] = text_field(fields, "prompt") or ""
        known_keys.add("prompt")
    elif name in ("Stop", "SubagentStop"):
        common["stop_active"] = fields.get("stop_hook_active") is True
        known_keys.add("stop_hook_active")
    elif name in ("SessionEnd", "PermissionDenied"):
        common["reason"] = text_field(fields, "reason")
        known_keys.add("reason")
    elif name == "PostToolBatch":
        calls = fields.get("tool_calls") or []
        if not isinstance(calls, list):
            raise ContractError("the payload's tool_calls must be an array")
        common["tool_calls"] = tuple(calls)
        known_keys.add("tool_calls")
    common["extras"] = {key: value for key, value in fields.items() if key not in known_keys} or None
    return Event(kind, **common)
