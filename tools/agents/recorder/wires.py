"""Replies of a model in the formats of four vendors: the whole, and the events of a stream."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

Value: TypeAlias = "dict[str, Any]"

#: The name of an event, where the format has one, and its data.
Events: TypeAlias = "list[tuple[str | None, Any]]"
Wire: TypeAlias = "Callable[[int, list[Value], Value], tuple[Value, Events]]"


def _tokens(parts: list[Value]) -> int:
    """Return how many tokens the model says that it read: agents make a summary when these are many."""
    return next((int(part["tokens"]) for part in parts if "tokens" in part), 10)


def anthropic(number: int, parts: list[Value], body: Value) -> tuple[Value, Events]:
    blocks: list[Value] = [
        {"type": "text", "text": part["text"]}
        if "text" in part
        else {
            "type": "tool_use",
            "id": f"toolu_{number:04d}_{i}",
            "name": part["tool"],
            "input": part["input"],
        }
        for i, part in enumerate(parts)
    ]
    stop = "tool_use" if any("tool" in part for part in parts) else "end_turn"
    usage = {
        "input_tokens": _tokens(parts),
        "output_tokens": 5,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }
    message = {
        "id": f"msg_{number:04d}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": blocks,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }
    events: Events = [
        (
            "message_start",
            {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        )
    ]
    for i, block in enumerate(blocks):
        if block["type"] == "text":
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start, delta = (
                {**block, "input": {}},
                {"type": "input_json_delta", "partial_json": json.dumps(block["input"])},
            )
        events += [
            ("content_block_start", {"type": "content_block_start", "index": i, "content_block": start}),
            ("content_block_delta", {"type": "content_block_delta", "index": i, "delta": delta}),
            ("content_block_stop", {"type": "content_block_stop", "index": i}),
        ]
    events += [
        (
            "message_delta",
            {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage},
        ),
        ("message_stop", {"type": "message_stop"}),
    ]
    return message, events


def responses(number: int, parts: list[Value], body: Value) -> tuple[Value, Events]:
    items: list[Value] = []
    for i, part in enumerate(parts):
        if "text" in part:
            items.append(
                {
                    "type": "message",
                    "role": "assistant",
                    "id": f"msg_{number}_{i}",
                    "status": "completed",
                    "content": [{"type": "output_text", "text": part["text"], "annotations": []}],
                }
            )
        elif "custom" in part:
            items.append(
                {
                    "type": "custom_tool_call",
                    "id": f"ct_{number}_{i}",
                    "call_id": f"call_{number}_{i}",
                    "name": part["tool"],
                    "input": part["custom"],
                    "status": "completed",
                }
            )
        else:
            items.append(
                {
                    "type": "function_call",
                    "id": f"fc_{number}_{i}",
                    "call_id": f"call_{number}_{i}",
                    "name": part["tool"],
                    "arguments": json.dumps(part["input"]),
                    "status": "completed",
                    **({"namespace": part["namespace"]} if "namespace" in part else {}),
                }
            )
    usage = {
        "input_tokens": _tokens(parts),
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": _tokens(parts) + 5,
    }
    whole = {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": body.get("model"),
        "output": items,
        "usage": usage,
    }
    events: Events = [
        (
            "response.created",
            {
                "type": "response.created",
                "response": {**whole, "output": [], "status": "in_progress", "usage": None},
            },
        )
    ]
    for i, item in enumerate(items):
        events.append(
            (
                "response.output_item.added",
                {"type": "response.output_item.added", "output_index": i, "item": item},
            )
        )
        events.append(
            (
                "response.output_item.done",
                {"type": "response.output_item.done", "output_index": i, "item": item},
            )
        )
    events.append(("response.completed", {"type": "response.completed", "response": whole}))
    return whole, events


def chat(number: int, parts: list[Value], body: Value) -> tuple[Value, Events]:
    text = "".join(part["text"] for part in parts if "text" in part) or None
    calls = [
        {
            "index": i,
            "id": f"call_{number}_{i}",
            "type": "function",
            "function": {"name": part["tool"], "arguments": json.dumps(part["input"])},
        }
        for i, part in enumerate(part for part in parts if "tool" in part)
    ]
    finish = "tool_calls" if calls else "stop"
    head = {"id": f"chat_{number}", "created": 1, "model": body.get("model")}
    message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
    read = _tokens(parts)
    usage = {"prompt_tokens": read, "completion_tokens": 5, "total_tokens": read + 5}
    whole = {
        **head,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage,
    }
    chunk = {**head, "object": "chat.completion.chunk"}
    events: Events = [
        (None, {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
        (None, {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}),
        (None, {**chunk, "choices": [], "usage": usage}),
        (None, "[DONE]"),
    ]
    return whole, events


def gemini(number: int, parts: list[Value], body: Value) -> tuple[Value, Events]:
    content = [
        {"text": part["text"]}
        if "text" in part
        else {"functionCall": {"id": f"call_{number}_{i}", "name": part["tool"], "args": part["input"]}}
        for i, part in enumerate(parts)
    ]
    read = _tokens(parts)
    whole = {
        "candidates": [{"content": {"role": "model", "parts": content}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": read,
            "candidatesTokenCount": 5,
            "totalTokenCount": read + 5,
        },
        "modelVersion": "fake",
    }
    return whole, [(None, whole)]


#: By the end of the path.
WIRES: dict[str, Wire] = {
    "/messages": anthropic,
    "/responses": responses,
    "/chat/completions": chat,
    ":generateContent": gemini,
    ":streamGenerateContent": gemini,
}
