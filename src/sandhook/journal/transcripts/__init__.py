"""Reads the transcripts of agents as events: the prompts, the tool calls and their results that hooks would have seen.

A transcript has no decisions of hooks that let an action pass. A call that ran, or that somebody else refused, was not
refused by a hook. What hooks decided about a result is not known. Each format was read from what the agent writes; the modules name the versions.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from importlib import import_module

from sandhook.hooks.event import Json, JsonObject
from sandhook.journal.errors import JournalError
from sandhook.journal.masking import Masker
from sandhook.journal.schema import Decided, Entry
from sandhook.record import Record
from sandhook.typed import Protocol

#: Agents whose transcripts can be read, and their modules.
AGENTS = ("claude_code", "codex", "gemini", "copilot")

#: Lines that are looked at to find out whose transcript it is, and the longest one that is read.
_LOOKED_AT, _LONGEST = 20, 64 << 20


class Call(Record):
    """A tool call, its result or a prompt of a transcript.

    Attributes:
        id: Identifies it in its session.
        time: As the transcript has it.
        event: The agent's name of the event of a hook.
        payload: What a hook would have read.
        tool: The name of the tool that a hook would have seen, or None.
        refused: Whether a hook refused it, None if nobody knows.
        reason: Of the refusal.
    """

    id: str
    time: str
    event: str
    payload: JsonObject
    tool: str | None = None
    refused: bool | None = None
    reason: str | None = None


class Format(Protocol):
    """A module that reads the transcripts of one agent."""

    def recognises(self, value: JsonObject) -> bool:
        """Return whether a line is one of this agent's."""
        ...

    def calls(self, values: Iterable[JsonObject], path: str) -> Iterator[Call]:
        """Yield the calls of a transcript."""
        ...


class Transcript(Record):
    """A file and the agent that wrote it."""

    path: str
    agent: str


def format_of(agent: str) -> Format:
    """Return the module of an agent."""
    module: Format = import_module(f"sandhook.journal.transcripts.{agent}")
    return module


def transcripts(path: str, agent: str | None) -> Iterator[Transcript]:
    """Yield the transcripts of a file or of all files below a directory; other files are left out.

    Raises JournalError for a named file that is no transcript.
    """
    if not os.path.isdir(path):  # noqa: PTH112 - pathlib costs 10 ms
        found = agent or _agent_of(path)
        if found is None:
            raise JournalError(f"{path}: is no transcript of {', '.join(AGENTS)}; --agent names its agent")
        yield Transcript(path, found)
        return
    for parent, directories, names in os.walk(path):
        directories.sort()
        for name in sorted(names):
            file = f"{parent}/{name}"
            if name.endswith((".jsonl", ".json")) and (found := _agent_of(file)) in (
                AGENTS if agent is None else (agent,)
            ):
                yield Transcript(file, str(found))


def _agent_of(path: str) -> str | None:
    for value, _ in zip(values_of(path, lambda why: None), range(_LOOKED_AT)):
        for agent in AGENTS:
            if format_of(agent).recognises(value):
                return agent
    return None


def values_of(path: str, report: Callable[[str], object]) -> Iterator[JsonObject]:
    """Yield the objects of a file of JSON lines, or the one object of a file of JSON.

    Args:
        report: Receives a message for each line that cannot be read.

    Raises JournalError if the file cannot be opened.
    """
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs 10 ms
            if file.readline(_LONGEST).strip() in (b"{", b"["):
                file.seek(0)
                whole = _object(file.read(_LONGEST))
                if whole is not None:
                    yield whole
                return
            file.seek(0)
            for number, line in enumerate(iter(lambda: file.readline(_LONGEST), b""), 1):
                if not line.strip():
                    continue
                value = _object(line)
                if value is None:
                    report(f"{path}:{number}: is not a JSON object")
                else:
                    yield value
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror}") from None


def _object(data: bytes) -> JsonObject | None:
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def entries(transcript: Transcript, masker: Masker, report: Callable[[str], object]) -> Iterator[Entry]:
    """Yield the events of a transcript. Raises JournalError."""
    from sandhook.hooks import contracts
    from sandhook.hooks.contracts import ContractError
    from sandhook.hooks.decode import DecodeError

    agent = contracts.get(transcript.agent)
    for call in format_of(transcript.agent).calls(values_of(transcript.path, report), transcript.path):
        try:
            event = agent.event(call.event, call.payload)
        except (ContractError, DecodeError) as error:
            report(f"{transcript.path}: {call.id}: {error}")
            continue
        time = _utc(call.time)
        if time is None:
            report(f"{transcript.path}: {call.id}: has no time")
            continue
        payload, masked = masker.masked(call.payload)
        reason = None if call.reason is None else masker.text(call.reason)
        decided = None if call.refused is None else Decided(call.refused, "deny" if call.refused else "none")
        yield Entry(
            time=time,
            id=_identifier(transcript.agent, event.session_id or "", call.id),
            agent=transcript.agent,
            event=call.event,
            kind=event.kind,
            payload=payload,
            tool=event.tool.name if event.tool is not None else None,
            session_id=event.session_id,
            cwd=event.cwd,
            masked=masked,
            raw=masker.raw,
            origin="transcript",
            decision=None if decided is None else decided._replace(reason=reason),
        )


def _identifier(agent: str, session: str, call: str) -> str:
    """Return the id of an event: the same one at each import."""
    text = f"{agent}\0{session}\0{call}".encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=12).hexdigest()


def _utc(text: str) -> str | None:
    try:
        return datetime.fromisoformat(text).astimezone(UTC).isoformat(timespec="milliseconds")
    except ValueError:
        return None


# What the modules of the agents share.


def after(call: Call, time: str, event: str, fields: JsonObject) -> Call:
    """Return the event after a call that ran; nobody knows what hooks decided about it.

    Args:
        fields: What its payload has in addition to that of the call.
    """
    return Call(f"{call.id}/after", time or call.time, event, {**call.payload, **fields}, call.tool)


def member(value: Json, *keys: str) -> Json:
    """Return a value within objects, None if it is not there."""
    for key in keys:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def text_in(value: Json, *keys: str) -> str:
    """Return a text within objects, "" if it is not there."""
    found = member(value, *keys)
    return found if isinstance(found, str) else ""


def objects_in(value: Json, *keys: str) -> list[JsonObject]:
    """Return the objects of a list within objects."""
    found = member(value, *keys)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def joined(value: Json) -> str:
    """Return a content as text: a text, or a list of objects with texts."""
    if isinstance(value, str):
        return value
    return "\n".join(text_in(each, "text") for each in objects_in({"": value}, "") if text_in(each, "text"))
