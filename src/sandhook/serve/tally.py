"""What a service counts of one fire: small, so that it travels between processes and is counted without the record."""

from __future__ import annotations

import json

from sandhook.hooks.event import Json, JsonObject
from sandhook.record import Record


class HookTally(Record):
    """One hook that ran.

    Attributes:
        decision: Its label, such as "allow".
        could_not_run: The hook did not decide.
        seconds: How long it ran.
    """

    hook: str
    decision: str
    could_not_run: bool
    seconds: float


class Tally(Record):
    """One fire.

    Attributes:
        agent: "neutral" for a neutral event.
        event: The agent's name of it, "" when it could not be read.
        seconds: How long all its hooks took, without the queue.
        workspace: The directory whose hooks it was fired at; "" when it was not fired.
    """

    agent: str
    event: str
    seconds: float
    hooks: tuple[HookTally, ...] = ()
    workspace: str = ""

    def to_bytes(self) -> bytes:
        """Return it as JSON text, for another process."""
        return json.dumps([self.agent, self.event, self.seconds, self.hooks, self.workspace]).encode("ascii")

    @classmethod
    def from_bytes(cls, data: bytes) -> Tally:
        """Return what ``to_bytes`` wrote. Raises ValueError."""
        try:
            agent, event, seconds, hooks, workspace = json.loads(data)
            return cls(agent, event, seconds, tuple([HookTally(*each) for each in hooks]), workspace)
        except TypeError:
            raise ValueError("not a tally") from None


def tally_of(record: JsonObject) -> Tally:
    """Return what is counted of a record of a fire."""
    decision = record.get("decision")
    outcomes = decision.get("outcomes") if isinstance(decision, dict) else None
    return Tally(
        _text(record.get("agent")) or "neutral",
        _text(record.get("event")),
        _seconds(record.get("duration_ms")),
        tuple(
            [
                HookTally(
                    _text(each.get("hook_id")),
                    _text(each.get("decision")),
                    each.get("could_not_run") is not None,
                    _seconds(each.get("duration_ms")),
                )
                for each in (outcomes if isinstance(outcomes, list) else ())
                if isinstance(each, dict) and each.get("ran")
            ]
        ),
        _text(record.get("workspace")),
    )


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _seconds(milliseconds: Json) -> float:
    return milliseconds / 1000 if isinstance(milliseconds, int | float) else 0.0
