"""What an event is answered over HTTP: the output of a command hook, as the body that http hooks of an agent read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sandhook.record import Record

if TYPE_CHECKING:
    from sandhook.hooks.event import JsonObject
    from sandhook.serve.firing import Fired

#: The exit status by which a command hook refuses.
_REFUSAL = 2

JSON = "application/json"


class HttpAnswer(Record):
    """Status, body and media type of an answer."""

    status: int
    body: bytes
    media_type: str = JSON


def _blocked(reason: str) -> JsonObject:
    return {"decision": "block", "reason": reason}


def _denied(reason: str) -> JsonObject:
    return {"permissionDecision": "deny", "permissionDecisionReason": reason}


#: Agents with http hooks, which read the body as they read the output of a command, and how a body refuses where a
#: command refuses by its exit status. They take another status than 2xx for a failure that allows.
HTTP_AGENTS = {
    "claude_code": _blocked,
    "docker_agent": _blocked,
    "copilot": _denied,
    "qwen": _blocked,
    "grok": _blocked,
}


def answer_of(agent: str, fired: Fired) -> HttpAnswer:
    """Return the HTTP answer for a fire.

    Args:
        agent: Whose words the request had, "" for a neutral event. Agents without http hooks get what a command
            hook would print, as an object.
    """
    answer = fired.answer
    if not agent:
        if fired.ending == "failed":
            return HttpAnswer(400, _json({"error": _line(answer.stderr)}))
        return HttpAnswer(200, answer.stdout)
    refuses = HTTP_AGENTS.get(agent)
    if refuses is None:
        printed: JsonObject = {
            "exit_status": answer.exit_status,
            "stdout": answer.stdout.decode("utf-8", "replace"),
            "stderr": answer.stderr.decode("utf-8", "replace"),
        }
        return HttpAnswer(200 if fired.ending != "failed" else 400, _json(printed))
    if answer.exit_status == 0:
        body = answer.stdout.strip()
        if body and body[:1] != b"{":
            return HttpAnswer(200, answer.stdout, "text/plain; charset=utf-8")
        return HttpAnswer(200, body or b"{}")
    if answer.exit_status == _REFUSAL:
        return HttpAnswer(200, _json(refuses(_line(answer.stderr) or "refused")))
    return HttpAnswer(400 if fired.ending == "failed" else 500, _json({"error": _line(answer.stderr)}))


def _line(text: bytes) -> str:
    return text.decode("utf-8", "replace").strip()


def _json(value: JsonObject) -> bytes:
    return json.dumps(value).encode("ascii") + b"\n"
