"""One event of a record as a line of JSON: the schema, its version, and a checksum that detects damage.

A line is ASCII, begins with its time and ends with ``"crc":"xxxxxxxx"}``, the CRC-32 of what precedes it.
"""

from __future__ import annotations

import json
import zlib
from operator import itemgetter

from sandhook.errors import LimitName
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.model import PERMISSIONS, OutcomeState, Permission
from sandhook.journal.errors import DamagedLine
from sandhook.record import Record, new_record
from sandhook.typed import Literal, TypeVar

#: The version of the schema. It grows when a field changes its meaning or goes; a reader ignores fields it does not know.
RECORD_VERSION = 1

#: The ``type`` of a line that has an event; other audit lines have other types.
EVENT_TYPE = "event.decided"

#: Where an event was recorded: by an engine while it decided, or read from the transcript of an agent.
Origin = Literal["live", "transcript"]

_MARK = ',"crc":"'
_MARK_BYTES = _MARK.encode("ascii")


class HookRun(Record):
    """What one hook did that wanted the event.

    Attributes:
        id: The hook's id.
        hash: Digest of its entry and of its approved files; the same hook has the same hash.
        state: See ``model.OutcomeState``.
        decision: The contract's own term, None for a hook that did not run.
        reason: Its reason.
        could_not_run: Why it could not decide, or None.
        exit_status: Of its run.
        duration_ms: Of its run.
        timeout_s: The time that it had.
        limit: The limit that ended it, or None.
    """

    id: str
    hash: str
    state: OutcomeState = "selected"
    decision: str | None = None
    reason: str | None = None
    could_not_run: str | None = None
    exit_status: int | None = None
    duration_ms: float | None = None
    timeout_s: float = 0.0
    limit: LimitName | None = None


class Decided(Record):
    """What all hooks decided together; see ``model.Decision``.

    Attributes:
        changes: What hooks changed: the input, the prompt or the result, each as operations.
    """

    refused: bool
    permission: Permission = "none"
    force_continue: bool = False
    reason: str | None = None
    changes: JsonObject | None = None
    could_not_run: tuple[str, ...] = ()
    fail_closed: tuple[str, ...] = ()


class Entry(Record):
    """One event of a record.

    Attributes:
        time: RFC 3339, UTC, with milliseconds.
        id: Identifies the event.
        agent: Contract whose words the payload has; "" for a neutral event.
        event: The agent's name of the event.
        kind: The neutral kind.
        payload: As the agent sent it, secrets masked.
        tool: Name of the tool, or None.
        session_id, cwd: As the agent has them.
        masked: Secrets that were removed.
        raw: Nothing was masked because the user asked for that.
        origin: See Origin.
        hooks: The hooks that wanted the event.
        unmatched: Ids of the hooks that wait for such events and did not want this one.
        decision: None if nobody knows what was decided.
        duration_ms: Of all hooks together.
        version: The version of sandhook.
    """

    time: str
    id: str
    agent: str
    event: str
    kind: str
    payload: Json
    tool: str | None = None
    session_id: str | None = None
    cwd: str | None = None
    masked: int = 0
    raw: bool = False
    origin: Origin = "live"
    hooks: tuple[HookRun, ...] = ()
    unmatched: tuple[str, ...] = ()
    decision: Decided | None = None
    duration_ms: float | None = None
    version: str = ""


def encode(entry: Entry) -> str:
    """Return an event as one line, without a line feed."""
    value: JsonObject = {"time": entry.time, "type": EVENT_TYPE, "record": RECORD_VERSION}
    for name in Entry._fields[1:]:
        value[name] = _plain(getattr(entry, name))
    body = json.dumps(value, separators=(",", ":")).replace("\x7f", "\\u007f")[:-1]
    return f'{body}{_MARK}{zlib.crc32(body.encode("ascii")):08x}"}}'


def _plain(value: object) -> Json:
    if isinstance(value, HookRun | Decided):
        return {name: _plain(each) for name, each in zip(value._fields, value)}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    plain: Json = value  # type: ignore[assignment]
    return plain


def decode(data: bytes) -> Entry | None:
    """Return the event of a line, None for another line of an audit log. Raises DamagedLine."""
    try:
        line = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DamagedLine(f"is not UTF-8 at its byte {error.start + 1}") from None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        why = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        raise DamagedLine(f"is not JSON: {why}") from None
    if not isinstance(value, dict):
        raise DamagedLine("is not a JSON object")
    kind = value.get("type")
    if isinstance(kind, str) and kind.startswith("hook."):
        return None
    if kind != EVENT_TYPE:
        raise DamagedLine(f"has the type {kind!r}; wanted {EVENT_TYPE!r}")
    if value.get("record") != RECORD_VERSION:
        raise DamagedLine(
            f"has version {value.get('record')!r} of the record; this sandhook reads {RECORD_VERSION}"
        )
    body, mark, rest = data.rpartition(_MARK_BYTES)
    if not mark or rest != b'%08x"}' % zlib.crc32(body):
        raise DamagedLine("does not have the checksum of its text")
    return _entry(value)


def _entry(value: JsonObject) -> Entry:
    """Return an event whose line is whole; what another program wrote may still be wrong."""
    try:
        fields = _in_order(value)
    except KeyError:
        raise _wrong_field(value) from None
    types = tuple(map(type, fields))
    if types not in _RIGHT_TYPES:
        if any(not isinstance(each, wanted) for each, wanted in zip(fields, _TYPES.values())):
            raise _wrong_field(value)
        _RIGHT_TYPES.add(types)
    *same, hooks, unmatched, decision, duration, version = fields
    try:
        decided = None if decision is None else _checked(_record(decision, Decided))
        runs = tuple([_record(each, HookRun) for each in hooks])
    except TypeError as error:
        raise DamagedLine(f"hooks or decision: {error}") from None
    return new_record(Entry, (*same, runs, tuple(map(str, unmatched)), decided, duration, version))


def _wrong_field(value: JsonObject) -> DamagedLine:
    """Return what is wrong about the first field of a wrong type."""
    for name, wanted in _TYPES.items():
        if name not in value or not isinstance(value[name], wanted):
            return DamagedLine(f"{name}: wanted {_wanted(wanted)}")
    raise AssertionError("every field has its type")


def _checked(decided: Decided) -> Decided:
    if not isinstance(decided.refused, bool) or decided.permission not in PERMISSIONS:
        raise DamagedLine("decision: refused or permission has a wrong value")
    *same, could_not_run, fail_closed = decided
    return new_record(Decided, (*same, tuple(map(str, could_not_run)), tuple(map(str, fail_closed))))


R = TypeVar("R", HookRun, Decided)


def _record(value: Json, kind: type[R]) -> R:
    """Return the record of an object; fields that it does not have get their defaults."""
    if not isinstance(value, dict):
        raise DamagedLine(f"hooks or decision: wanted an object, got {type(value).__name__}")
    try:
        return new_record(kind, kind._in_order(value))
    except KeyError:
        return kind(**{name: value[name] for name in kind._fields if name in value})


_NoneType = type(None)

_TYPES: dict[str, tuple[type, ...]] = {
    "time": (str,),
    "id": (str,),
    "agent": (str,),
    "event": (str,),
    "kind": (str,),
    "payload": (dict,),
    "tool": (str, _NoneType),
    "session_id": (str, _NoneType),
    "cwd": (str, _NoneType),
    "masked": (int,),
    "raw": (bool,),
    "origin": (str,),
    "hooks": (list,),
    "unmatched": (list,),
    "decision": (dict, _NoneType),
    "duration_ms": (int, float, _NoneType),
    "version": (str,),
}

_in_order = itemgetter(*_TYPES)

#: Types of fields that were checked; values of JSON have so few types that there are some hundred combinations.
_RIGHT_TYPES: set[tuple[type, ...]] = set()

_WORDS = {
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
}


def _wanted(types: tuple[type, ...]) -> str:
    return " or ".join(dict.fromkeys(_WORDS.get(each, "null") for each in types))
