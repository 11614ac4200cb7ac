"""Fires the events of agents at engines, and answers in the words of each agent. Blocks; any thread may call."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, get_args

from sandhook.errors import SandhookError
from sandhook.hooks import contracts
from sandhook.hooks.adapters import caller
from sandhook.hooks.adapters.caller import fire_for, refusal, refused
from sandhook.hooks.contracts import Answer, Contract
from sandhook.hooks.decode import (
    DATA_DEPTH,
    BoundExceeded,
    DecodeError,
    decode,
    decode_object,
    object_of,
    text_of,
)
from sandhook.hooks.event import KINDS, Event, Json, JsonObject, ToolCall, ToolResult
from sandhook.hooks.model import Decision
from sandhook.hooks.report import to_json
from sandhook.hooks.telemetry import default_tracer, traced
from sandhook.journal.errors import JournalError
from sandhook.record import Record
from sandhook.serve.tally import Tally, tally_of

if TYPE_CHECKING:
    from sandhook.hooks.audit import FiredEvent
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.telemetry import Tracer
    from sandhook.serve.engines import EngineSource, Loaded
    from sandhook.serve.release import Release

#: What became of an event: hooks decided, sandhook refused it, or it was not fired.
Ending = Literal["decided", "refused", "failed"]

#: Payloads in records are cut at so many bytes.
MAX_PAYLOAD_SHOWN = 1 << 18

#: A refusal reads a payload up to so many bytes, to find out what it refuses.
_READ_TO_REFUSE = 1 << 20

_TOOL_KINDS = ("tool.pre", "tool.post", "tool.fail", "permission.request")


class FireCall(Record):
    """An event to fire.

    Attributes:
        agent: Name of the contract whose words the payload has; "" for a neutral event.
        event: The agent's name of the event, None when the payload has it.
        directory: The workspace that the request names, "" for that of the event.
        body: The payload.
    """

    agent: str
    event: str | None
    directory: str
    body: bytes


class Fired(Record):
    """What became of an event.

    Attributes:
        ending: See Ending.
        answer: In the agent's words.
        record: The event, the decision with all outcomes, and what was answered, as the text of a JSON object.
            It is made once, where the hooks ran; who only counts and keeps it need not read it.
        tally: What is counted.
    """

    ending: Ending
    answer: Answer
    record: bytes
    tally: Tally

    def to_fields(self) -> list[bytes]:
        """Return it as fields for another process."""
        stdout, stderr, status = self.answer.stdout, self.answer.stderr, self.answer.exit_status
        return [self.ending.encode(), b"%d" % status, stdout, stderr, self.record, self.tally.to_bytes()]

    @classmethod
    def from_fields(cls, fields: Sequence[bytes]) -> Fired:
        """Return what ``to_fields`` wrote. Raises ValueError."""
        ending, status, stdout, stderr, record, tally = fields
        if ending not in _ENDINGS or record[:2] != b'{"':  # the rest of the record is read when somebody asks
            raise ValueError("not what became of an event")
        return cls(_ENDINGS[ending], Answer(stdout, stderr, int(status)), record, Tally.from_bytes(tally))


_ENDINGS: dict[bytes, Ending] = {each.encode(): each for each in get_args(Ending)}


class _Result(Record):
    """What became of an event, before its record is complete."""

    ending: Ending
    answer: Answer
    record: JsonObject

    def to_fired(self) -> Fired:
        record = json.dumps(self.record).encode("ascii")
        return Fired(self.ending, self.answer, record, tally_of(self.record))


class Firing:
    """Fires events.

    Args:
        source: Finds engines.
        fail_closed: Also refuse events that cannot be read, and configurations with problems.
        record: Writes an event and its decision to a record. Raises JournalError.
        begins: Called before hooks run with the most seconds that they may take.
        release: Compares this version with that of the files, from which the workers of hooks are started.
    """

    def __init__(
        self,
        source: EngineSource,
        *,
        fail_closed: bool = False,
        record: Callable[[FiredEvent], object] | None = None,
        begins: Callable[[float], object] | None = None,
        release: Release | None = None,
    ) -> None:
        self.source = source
        self._release = release
        self._begins = begins
        self._write_event = record
        self.fail_closed = fail_closed
        self._tracer: Tracer | None = default_tracer()

    def fire(self, call: FireCall) -> Fired:
        """Fire an event. Never raises.

        A defect of sandhook, a payload beyond its bounds, and an audit log that cannot be written are refusals.
        """
        began = time.monotonic()
        agent: Contract | None = None
        event: Event | None = None
        try:
            if call.agent:
                agent = contracts.get(call.agent)
            agent, event = read_event(call)
            result = self._decided(agent, call, event)
        except (SandhookError, DecodeError) as error:
            reason = f"sandhook: {' '.join(str(error).split())}"
            if self.fail_closed or isinstance(error, BoundExceeded | JournalError):
                result = _refusal(agent, event, reason, call)
            else:
                result = _Result("failed", _failure(reason), _record(agent, event, call, None, [reason]))
        except Exception as error:
            result = _refusal(agent, event, internal(error), call)
        result.record["duration_ms"] = round((time.monotonic() - began) * 1000, 3)
        return result.to_fired()

    def _decided(self, agent: Contract, call: FireCall, event: Event) -> _Result:
        directory = call.directory or event.project_dir or event.cwd or ""
        loaded = self.source.find(agent, directory, strict=bool(call.directory))
        notes = [*(f"problem: {each}" for each in loaded.built.problems), *loaded.built.notes]
        if loaded.built.problems and self.fail_closed:
            return _at(loaded, _refusal(agent, event, f"sandhook: {notes[0]}", call))
        if loaded.stale:
            notes.append(f"a change of the configuration is not in use: {loaded.stale}")
        contract = loaded.built.contract if call.agent else agent
        if self._begins is not None:
            self._begins(loaded.built.seconds)
        began = time.monotonic()
        decision, more = fire_for(
            agent, self._traced(loaded), contract, _inside(event, loaded.built.workspace)
        )
        if decision.could_not_run and self._release is not None:
            self._release.look()
            if self._release.fault:  # hooks need workers of this version, which can no longer be started
                return _at(loaded, _refusal(agent, event, f"sandhook: {self._release.fault}", call))
        if self._write_event is not None:
            self._write_event(fired_event(call, agent, event, decision, time.monotonic() - began))
        if call.agent:
            answer = agent.answer(decision, event)
        else:
            answer = Answer(json.dumps(to_json(decision)).encode("ascii") + b"\n")
        ending: Ending = "refused" if decision.fail_closed else "decided"
        record = _record(agent, event, call, decision, [*notes, *more], answer)
        return _at(loaded, _Result(ending, answer, record))

    def _traced(self, loaded: Loaded) -> HookEngine:
        if self._tracer is None:
            return loaded.built.engine
        engine: HookEngine = traced(loaded.built.engine, self._tracer)  # type: ignore[assignment]
        return engine


def _inside(event: Event, workspace: str) -> Event:
    """Return an event with directories that its hooks have: those outside of the workspace become the workspace.

    An agent in a container names directories of its own, in which no hook could be started.
    """
    if not workspace:
        return event
    above = f"{workspace.rstrip('/')}/"
    if _is_below(event.cwd, above) and _is_below(event.project_dir, above):
        return event
    cwd = event.cwd if _is_below(event.cwd, above) else workspace
    project = event.project_dir if _is_below(event.project_dir, above) else workspace
    return event.with_(cwd=cwd, project_dir=project)


def _is_below(path: str | None, above: str) -> bool:
    return not path or f"{path}/".replace("\\", "/").startswith(above)


def _at(loaded: Loaded, result: _Result) -> _Result:
    """Note the workspace whose hooks an event was fired at."""
    result.record["workspace"] = loaded.built.workspace or None
    return result


def fired_event(
    call: FireCall, agent: Contract, event: Event, decision: Decision, seconds: float
) -> FiredEvent:
    """Return what is recorded of a call."""
    from sandhook.hooks.audit import FiredEvent

    fired = FiredEvent(event, decision, seconds)
    if not call.agent:
        return fired
    payload = decode(_text(call.body), max_depth=DATA_DEPTH).value
    return fired._replace(agent=call.agent, name=_name_of(agent, event), payload=payload)


def refuse(call: FireCall, reason: str) -> Fired:
    """Return a refusal in the words of the agent, of an event that was not fired."""
    agent: Contract | None = None
    event: Event | None = None
    try:
        agent = contracts.get(call.agent) if call.agent else None
        if len(call.body) <= _READ_TO_REFUSE:
            agent, event = read_event(call)
    except (SandhookError, DecodeError):
        event = None
    return _refusal(agent, event, reason, call).to_fired()


def internal(error: Exception) -> str:
    """Return a line about a defect of sandhook."""
    return f"sandhook: internal error: {error.__class__.__name__}: {' '.join(str(error).split())}"


def read_event(call: FireCall) -> tuple[Contract, Event]:
    """Return the agent and the event of a call. Raises ContractError, DecodeError."""
    if call.agent:
        agent = contracts.get(call.agent)
        return agent, caller.event_of(agent, call.event, call.body, {})[0]
    return _neutral(call.body)


def _neutral(body: bytes) -> tuple[Contract, Event]:
    """Return a neutral event: ``{"kind": "tool.pre", "tool": {"name": ..., "input": ...}, "cwd": ...}``."""
    value = decode_object(_text(body)).value
    kind = text_of(value, "kind") or ""
    if kind not in KINDS:
        raise DecodeError(f"kind: wanted one of {', '.join(KINDS)}, got {kind!r}")
    agent = contracts.get(text_of(value, "contract") or "claude_code")
    event = Event(
        kind,
        session_id=text_of(value, "session_id"),
        cwd=text_of(value, "cwd"),
        project_dir=text_of(value, "project_dir"),
        prompt=text_of(value, "prompt"),
        reason=text_of(value, "reason"),
    )
    if kind == "prompt.submit" and event.prompt is None:
        raise DecodeError("prompt: wanted a text")
    if kind in _TOOL_KINDS:
        tool = object_of(value, "tool")
        name = text_of(tool, "name")
        if not name:
            raise DecodeError("tool.name: wanted a text")
        event = event.with_(tool=ToolCall(name, tool.get("input", {}), text_of(tool, "call_id")))
        if kind != "tool.pre":
            result = object_of(value, "result")
            event = event.with_(result=ToolResult(result.get("value"), text_of(result, "error")))
    return agent, event


def _text(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DecodeError(f"the event is not UTF-8 at byte {error.start + 1}") from None


def _failure(reason: str) -> Answer:
    return Answer(stderr=reason.encode("utf-8", "replace") + b"\n", exit_status=caller.FAILURE)


def _refusal(agent: Contract | None, event: Event | None, reason: str, call: FireCall) -> _Result:
    decision = None
    if agent is not None and event is not None:
        decision = refused(agent, event, reason)
    if call.agent and agent is not None:
        answer = refusal(agent, event, reason)
    elif decision is not None:
        answer = Answer(json.dumps(to_json(decision)).encode("ascii") + b"\n")
    else:
        answer = Answer(json.dumps({"refused": True, "reason": reason}).encode("ascii") + b"\n")
    return _Result("refused", answer, _record(agent, event, call, decision, [reason], answer))


def _record(
    agent: Contract | None,
    event: Event | None,
    call: FireCall,
    decision: Decision | None,
    notes: list[str],
    answer: Answer | None = None,
) -> JsonObject:
    """Return what is kept of a fire, for people who look at it later."""
    record = event_record(call.agent, agent, event, decision)
    record["payload"] = call.body[:MAX_PAYLOAD_SHOWN].decode("utf-8", "replace")
    record["answer"] = shown_answer(answer)
    record["notes"] = list(notes)
    return record


def event_record(
    name: str, agent: Contract | None, event: Event | None, decision: Decision | None
) -> JsonObject:
    """Return an event and its decision as JSON values."""
    return {
        "agent": name,
        "kind": event.kind if event is not None else "",
        "event": _name_of(agent, event),
        "tool": event.tool.name if event is not None and event.tool is not None else None,
        "session_id": event.session_id if event is not None else None,
        "cwd": event.cwd if event is not None else None,
        "decision": to_json(decision) if decision is not None else None,
    }


def shown_answer(answer: Answer | None) -> Json:
    """Return an answer as JSON values."""
    if answer is None:
        return None
    return {
        "exit_status": answer.exit_status,
        "stdout": answer.stdout.decode("utf-8", "replace"),
        "stderr": answer.stderr.decode("utf-8", "replace"),
    }


def _name_of(agent: Contract | None, event: Event | None) -> str:
    if agent is None or event is None:
        return ""
    return next((name for name, kind in agent.events.items() if kind == event.kind), event.kind)
