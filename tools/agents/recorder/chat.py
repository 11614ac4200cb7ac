"""Reading requests in the format of OpenAI's Chat Completions, and turns that agents read as lines."""

from __future__ import annotations

from collections.abc import Callable

from tools.agents.recorder.model import ModelServer
from tools.agents.recorder.world import Ended, World
from tools.agents.records import Json, Object, listed, objects


def turns(case: Object) -> Json:
    """Return a line for each turn of the user, or None for a case whose prompt is on the command line."""
    if case.get("turns") is None:
        return None
    return [{"type": "user", "message": {"role": "user", "content": each}} for each in listed(case["turns"])]


def instructions(request: Object) -> str:
    """Return the texts of the system."""
    messages = (each for each in objects(request.get("messages")) if each.get("role") == "system")
    return "\n".join(text for message in messages for text in _flat(message.get("content")))


def texts(request: Object, *hidden: str) -> list[str]:
    """Return the user's texts, without those that begin with a word of ``hidden``."""
    messages = (each for each in objects(request.get("messages")) if each.get("role") == "user")
    found = [text for message in messages for text in _flat(message.get("content"))]
    return [text for text in found if not (hidden and text.startswith(hidden))]


def results(request: Object) -> list[str]:
    """Return what the model got for its calls."""
    messages = (each for each in objects(request.get("messages")) if each.get("role") == "tool")
    return [text for message in messages for text in _flat(message.get("content"))]


def observed(
    case: Object, world: World, model: ModelServer, ended: Ended, texts: Callable[[Object], list[str]]
) -> Object:
    """Return what can be seen of a run: requests, results, texts of the first and last request and between them."""
    first = texts(model.requests[0]) if model.requests else []
    last = texts(model.requests[-1]) if model.requests else []
    edges = {*first, *last}
    between = [text for request in model.requests for text in texts(request) if text not in edges]
    return {
        "requests": len(model.requests),
        "exit": ended.status,
        "ran": world.ran(),
        "files": list(world.new_files()),
        "tool_results": [*results(model.requests[-1])] if model.requests else [],
        "said": [text for text in last if text not in first],
        "first": [text for text in first if text != case.get("prompt", "do it")],
        "between": [*dict.fromkeys(between)],
        "stderr": ended.stderr,
        "posted": [*model.posted],
    }


def _flat(content: Json) -> list[str]:
    if isinstance(content, str):
        return [content]
    return [str(part["text"]) for part in objects(content) if "text" in part]
