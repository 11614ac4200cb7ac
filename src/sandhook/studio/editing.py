"""Tries an edited hook on events, compares it with the saved one, and saves it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from sandhook.conformance.expectations.judge import effect_of, is_incomplete
from sandhook.errors import SandhookError
from sandhook.hooks.adapters import caller
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.sources import AgentConfiguration
from sandhook.proving.places import expectations_of
from sandhook.record import Record
from sandhook.studio.bench import StudioError, Trial
from sandhook.studio.diff import difference, is_comparable
from sandhook.studio.lines import with_line_ends
from sandhook.studio.overview import text_of
from sandhook.studio.trials import fire_event

if TYPE_CHECKING:
    from sandhook.hooks.event import Event, Json, JsonObject
    from sandhook.hooks.model import Decision
    from sandhook.studio.bench import Bench

#: Events that one comparison fires.
MAX_EVENTS = 200


#: Characters of an event's name.
_MOST_NAME = 100

#: Where an event comes from.
Source = Literal["page", "history", "expectation"]


class Sample(Record):
    """An event to fire at both texts.

    Attributes:
        name: For people.
        source: See Source.
        event: The event, or why its payload cannot be read.
        native: The agent's name of it.
    """

    name: str
    source: Source
    event: Event | str
    native: str = ""


def sample_of(
    setup: AgentConfiguration, name: str, source: Source, payload: str, native: str | None
) -> Sample:
    """Return the event of a payload.

    Args:
        name: For people; "" for what the event is about.
    """
    try:
        data = payload.encode("utf-8", "surrogatepass")
        event, own = caller.event_of(setup.contract, native or None, data, {})
    except (SandhookError, DecodeError) as error:
        return Sample(name, source, " ".join(str(error).split()))
    return Sample(name or _about(event) or own, source, event, own)


def _about(event: Event) -> str:
    """Return the tool and the first text of its input, or the prompt."""
    if event.tool is None:
        return _short(event.prompt or "")
    value = event.tool.input
    texts = [each for each in value.values() if isinstance(each, str)] if isinstance(value, dict) else []
    return _short(f"{event.tool.name}: {texts[0]}" if texts else event.tool.name)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_NAME else f"{line[:_MOST_NAME]}..."


def expectation_samples(setup: AgentConfiguration) -> list[Sample]:
    """Return the events of the expectations about the configurations of an agent."""
    contract = setup.contract
    files = expectations_of([document.name for document in setup.documents if document.name]).files
    names = {kind: name for name, kind in reversed(list(contract.events.items()))}
    return [
        Sample(case.name, "expectation", case.event, names[case.event.kind])
        for file in files
        if file.contract.name == contract.name
        for case in file.cases
        if case.event.kind in names
    ]


def compare(
    bench: Bench, setup: AgentConfiguration, path: str, text: str, samples: Sequence[Sample]
) -> JsonObject:
    """Fire events at the saved and at the edited text of a file; both run as if they were approved.

    Raises StudioError, SandhookError.
    """
    saved = text_of(bench, setup, path)
    edited = with_line_ends(saved.data, text)
    rows: list[Json] = []
    for sample in samples[:MAX_EVENTS]:
        row: JsonObject = {"name": sample.name, "source": sample.source, "event": sample.native}
        if isinstance(sample.event, str):
            row["error"] = sample.event
        else:
            row.update(_compared(bench, setup, sample, {path: edited}))
        rows.append(row)
    before = saved.data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    return {
        "rows": rows,
        "left_out": max(0, len(samples) - MAX_EVENTS),
        "text": _text_rows(before, text),
        "changed": edited != saved.data,
    }


def _compared(bench: Bench, setup: AgentConfiguration, sample: Sample, texts: dict[str, bytes]) -> JsonObject:
    assert not isinstance(sample.event, str)
    event, native = sample.event, sample.native
    before = _summary(lambda: fire_event(bench, setup, Trial(unapproved=True), event, native).decision)
    after = _summary(lambda: fire_event(bench, setup, Trial(texts, unapproved=True), event, native).decision)
    return {"saved": before, "edited": after, "same": before == after}


def _summary(decide: Callable[[], Decision]) -> JsonObject:
    """Return what an agent would notice of a decision."""
    try:
        decision = decide()
    except (SandhookError, DecodeError) as error:
        return {"word": "error", "reason": " ".join(str(error).split())}
    return {
        "word": effect_of(decision),
        "incomplete": is_incomplete(decision),
        "reason": decision.reason,
        "message": decision.message,
        "user_message": decision.user_message,
        "context": [text for text, _ in decision.context],
        "operations": [
            json.dumps([name, operation.kind, operation.value], default=str)
            for name in ("input", "prompt", "result", "error")
            for operation in getattr(decision, name)
        ],
        "could_not_run": list(decision.could_not_run),
    }


def _text_rows(before: str, after: str) -> Json:
    if not is_comparable(before, after):
        return []
    return [row.json() for row in difference(before, after)]


def save(bench: Bench, setup: AgentConfiguration, path: str, text: str, digest: str) -> JsonObject:
    """Save an edited text.

    Args:
        digest: The hash of the file that was edited; another one means that somebody else changed it.

    Raises:
        StudioError: The file changed meanwhile, is not UTF-8, or cannot be written.
    """
    saved = text_of(bench, setup, path)
    if saved.digest != digest:
        raise StudioError(f"{path}: changed since the page read it; load it again and compare")
    try:
        saved.data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StudioError(f"{path}: not UTF-8 at byte {error.start + 1}, so it is not saved") from None
    data = with_line_ends(saved.data, text)
    if data != saved.data:
        bench.save(path, data)
    return {"path": path, "digest": sha256(data).hexdigest(), "bytes": len(data)}
