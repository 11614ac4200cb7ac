"""Transcripts of Codex: ``~/.codex/sessions/YEAR/MONTH/DAY/rollout-TIME-ID.jsonl``.

Source: what Codex 0.169.0 writes. Hooks see its shell tools as ``Bash`` with ``command``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from sandhook.hooks.event import Json, JsonObject
from sandhook.journal.transcripts import Call, after, joined, member, text_in

#: What the result of a call begins with if a hook refused it, and what follows the reason.
_REFUSAL, _AFTER_REASON = "Command blocked by PreToolUse hook: ", ". Command: "

#: What the result of a shell has before its output.
_CHUNK, _OUTPUT = "Chunk ID: ", "\nOutput:\n"

_SHELLS = frozenset({"exec_command", "shell", "shell_command", "local_shell", "container.exec"})

#: What a message begins with that no user wrote.
_NO_PROMPT = ("<environment_context>", "<user_instructions>", "<turn_aborted>", "# AGENTS.md")


def recognises(value: JsonObject) -> bool:
    return value.get("type") == "session_meta" and isinstance(value.get("payload"), dict)


def calls(values: Iterable[JsonObject], path: str) -> Iterator[Call]:
    pending: dict[str, Call] = {}
    common: JsonObject = {"transcript_path": path}
    for number, value in enumerate(values):
        item = value.get("payload")
        kind = text_in(item, "type")
        if value.get("type") == "session_meta":
            common["session_id"] = text_in(item, "session_id") or text_in(item, "id")
        if value.get("type") in ("session_meta", "turn_context") and text_in(item, "cwd"):
            common["cwd"] = text_in(item, "cwd")
        if value.get("type") != "response_item" or not isinstance(item, dict):
            continue
        if kind in ("function_call", "custom_tool_call", "local_shell_call"):
            identifier = text_in(item, "call_id") or text_in(item, "id") or str(number)
            pending[identifier] = _call(item, kind, identifier, common, text_in(value, "timestamp"))
        elif kind.endswith("_output"):
            call = pending.pop(text_in(item, "call_id"), None)
            if call is not None:
                decided = _decided(call, item.get("output"))
                yield decided
                if not decided.refused:
                    answer: JsonObject = {"tool_response": _answer(call, item.get("output"))}
                    fields = {"hook_event_name": "PostToolUse", **answer}
                    yield after(call, text_in(value, "timestamp"), "PostToolUse", fields)
        elif kind == "message" and item.get("role") == "user":
            text = joined(item.get("content"))
            if text and not text.startswith(_NO_PROMPT):
                payload = {**common, "hook_event_name": "UserPromptSubmit", "prompt": text}
                identifier = text_in(item, "id") or str(number)
                yield Call(
                    identifier, text_in(value, "timestamp"), "UserPromptSubmit", payload, refused=False
                )
    yield from pending.values()


def _call(item: JsonObject, kind: str, identifier: str, common: JsonObject, time: str) -> Call:
    name = text_in(item, "name") or "local_shell"
    if kind == "custom_tool_call":
        given: Json = {"command": text_in(item, "input")}
    elif kind == "local_shell_call":
        given = member(item, "action")
    else:
        given = _decoded(text_in(item, "arguments"))
    if name in _SHELLS:
        name, given = "Bash", {"command": _command(given)}
    payload: JsonObject = {
        **common,
        "hook_event_name": "PreToolUse",
        "tool_name": name,
        "tool_input": given,
        "tool_use_id": identifier,
    }
    return Call(identifier, time, "PreToolUse", payload, name)


def _decoded(text: str) -> Json:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return {"arguments": text}
    return value


def _command(given: Json) -> str:
    """Return the text of a command, which may be a list of words of a shell."""
    value = member(given, "cmd") or member(given, "command")
    if isinstance(value, list):
        words = [str(word) for word in value]
        if len(words) == 3 and words[1] in ("-c", "-lc"):
            return words[2]
        from sandhook.text.quoting import quote_word

        return " ".join(map(quote_word, words))
    return value if isinstance(value, str) else ""


def _answer(call: Call, output: Json) -> str:
    """Return the result of a call as hooks see it: of a shell, the output alone."""
    text = _text(output)
    head, found, rest = text.partition(_OUTPUT)
    return rest if call.tool == "Bash" and found and head.startswith(_CHUNK) else text


def _text(output: Json) -> str:
    return output if isinstance(output, str) else text_in(output, "content") or joined(output)


def _decided(call: Call, output: Json) -> Call:
    text = _text(output)
    if not text.startswith(_REFUSAL):
        return call._replace(refused=False)
    return call._replace(refused=True, reason=text.removeprefix(_REFUSAL).rpartition(_AFTER_REASON)[0])
