"""An audit log of hooks: one JSON line per event, written to a sink that no script can reach.

Four events: ``hook.invoked``, ``hook.completed``, ``hook.blocked``, ``hook.warning``. Lines are
ASCII, so that they cannot move a cursor, and every text in them is bounded.
Source: the events that Everruns plans for user hooks; every contract writes them here.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.formats.json_core import compact_json
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Decision, Outcome
from sandhook.record import Record
from sandhook.typed import Protocol, cast

#: Characters of one text; the rest is cut, and its length reported.
MAX_TEXT = 2048

#: Characters searched for secrets. More than MAX_TEXT, because a secret may lie across the cut.
_LOOKED_AT = 4 * MAX_TEXT

#: Fields that hold no text of a hook.
_NAMES = frozenset({"type", "hook_id", "event", "session_id", "tool_call_id", "decision"})

#: A shorter text holds no secret.
_SHORT = 8


class Writable(Protocol):
    """The method of a text file that is called here."""

    def write(self, text: str, /) -> object: ...


class FiredEvent(Record):
    """An event and what was decided.

    Attributes:
        event: The event, before hooks changed it.
        decision: What the hooks decided together.
        seconds: The time that all of them needed.
        agent: Contract of the agent whose payload it is; "" without a payload.
        name: The agent's name of the event, or "".
        payload: As the agent sent it, or None.
    """

    event: Event
    decision: Decision
    seconds: float
    agent: str = ""
    name: str = ""
    payload: Json = None


class Recorder(Protocol):
    """Receives events as a whole, with their decisions."""

    def write_event(self, fired: FiredEvent, /) -> object: ...


#: Where lines go: a callable that takes one line without its newline, or a text file. A recorder receives events.
Sink = Callable[[str], object] | Writable | Recorder


class Audit:
    """Writes the events of one engine; without a sink it does nothing."""

    __slots__ = ("_write", "decided")

    def __init__(self, sink: Sink | None = None) -> None:
        self._write: Callable[[str], object] | None
        #: Receives each event after its decision; None if nobody wants it.
        self.decided: Callable[[FiredEvent], object] | None = getattr(sink, "write_event", None)
        if self.decided is not None:
            self._write = None
        elif sink is None or callable(sink):
            self._write = sink
        else:
            write = cast("Writable", sink).write
            self._write = lambda line: write(line + "\n")

    def invoked(self, outcome: Outcome, event: Event) -> None:
        """Report that a hook was considered, before it runs, whether it matches or not."""
        if self._write is None:
            return
        record: JsonObject = {
            "type": "hook.invoked",
            "hook_id": outcome.spec.id,
            "event": outcome.spec.native_event,
            "session_id": event.session_id,
        }
        if event.tool is not None and event.tool.call_id is not None:
            record["tool_call_id"] = event.tool.call_id
        record["matched"] = outcome.matched
        self._emit(record)

    def completed(self, outcome: Outcome) -> None:
        """Report one hook that ran: its decision, a refusal, and its warnings."""
        if self._write is None or outcome.run is None:
            return
        run, verdict = outcome.run, outcome.verdict
        self._emit(
            {
                "type": "hook.completed",
                "hook_id": outcome.spec.id,
                "decision": verdict.label,
                "duration_ms": round(run.duration * 1000, 3),
                "stdout_bytes": len(run.stdout),
                "exit_code": run.exit_status,
            }
        )
        if run.interrupted:
            self.warning(outcome.spec.id, "the watchdog ended the hook after its deadline: report this fault")
        if verdict.refuses:
            record: JsonObject = {
                "type": "hook.blocked",
                "hook_id": outcome.spec.id,
                "reason": verdict.reason or "",
            }
            if verdict.user_message is not None:
                record["user_message"] = verdict.user_message
            self._emit(record)
        for message in verdict.warnings:
            self.warning(outcome.spec.id, message)

    def warning(self, hook_id: str, message: str) -> None:
        self._emit({"type": "hook.warning", "hook_id": hook_id, "message": message})

    def _emit(self, record: JsonObject) -> None:
        if self._write is not None:
            self._write(line(record))


def line(record: JsonObject) -> str:
    """Return one JSON line in ASCII, with texts cut at MAX_TEXT and without control characters and secrets."""
    short = {
        key: _cut(value, key not in _NAMES) if isinstance(value, str) else value
        for key, value in record.items()
    }
    return compact_json(short).replace("\x7f", "\\u007f")


def _cut(text: str, free: bool) -> str:
    """Return a text without secrets, and cut."""
    head = text[:_LOOKED_AT]
    if free and len(head) >= _SHORT:
        from sandhook.hooks.secrets import redact

        head = redact(head)
    more = max(len(head) - MAX_TEXT, 0) + len(text) - len(text[:_LOOKED_AT])
    return f"{head[:MAX_TEXT]}... ({more} more characters)" if more else head
