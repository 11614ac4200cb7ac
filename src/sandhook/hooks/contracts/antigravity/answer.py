"""A decision as the output of a hook for Antigravity: always one JSON object with a decision before a call."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this.

    Silence is not the same in all versions, and an object without a decision denies: a hook without an opinion
    allows, which does not skip the agent's own question.
    """
    reply: JsonObject = {}
    if event.kind == "tool.pre":
        if decision.refused:
            reply.update(decision="deny", reason=decision.reason or "refused")
        else:
            reply["decision"] = "ask" if decision.permission == "ask" else "allow"
            if decision.reason:
                reply["reason"] = decision.reason
            reply.update(decision.extras or {})
    elif event.kind == "stop" and decision.force_continue:
        reply.update(decision="continue", reason=decision.reason or "go on")
    elif event.kind != "tool.post":
        return Answer()
    return Answer(stdout=encode(reply).encode() + b"\n")
