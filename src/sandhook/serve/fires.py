"""The last fires of a service, and a stream of those that come."""

from __future__ import annotations

import json
from asyncio import Queue, QueueFull
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from sandhook.hooks.event import Json, JsonObject

#: Fires that are kept, and their bytes as JSON; the oldest go first.
MOST_FIRES = 500
MOST_BYTES = 32 << 20

#: Events that a slow reader of the stream may be late.
MOST_LATE = 256

#: Fields of a record that a list has; the whole record has the payload, the outputs and all outcomes.
_LISTED = (
    "id",
    "time",
    "source",
    "agent",
    "kind",
    "event",
    "tool",
    "session_id",
    "cwd",
    "workspace",
    "duration_ms",
    "ending",
)

#: Fields of a decision that a list has.
_OF_DECISION = ("refused", "permission", "block", "halt", "reason", "could_not_run")


#: Whether a reader wants a fire, of which it receives what a list has.
Wanted = Callable[[JsonObject], bool]


class Live:
    """One reader of the stream: receives texts of server-sent events."""

    def __init__(self, wanted: Wanted | None = None) -> None:
        self.wanted = wanted
        self.queue: Queue[str | None] = Queue(MOST_LATE)
        self._lost = 0

    def put(self, text: str) -> None:
        """Add an event; a reader that is too late loses it, and reads how many it lost."""
        try:
            if self._lost:
                self.queue.put_nowait(f'event: lost\ndata: {{"events": {self._lost}}}\n\n')
                self._lost = 0
            self.queue.put_nowait(text)
        except QueueFull:
            self._lost += 1

    def end(self) -> None:
        """Let the reader end after the events that it has."""
        try:
            self.queue.put_nowait(None)
        except QueueFull:
            self.queue.get_nowait()
            self.queue.put_nowait(None)


class _Kept:
    """One fire that is kept: its text, and what a list has of it, once somebody asked."""

    __slots__ = ("_summary", "text")

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._summary: JsonObject | None = None

    def summary(self) -> JsonObject:
        if self._summary is None:
            self._summary = summary(json.loads(self.text))
        return self._summary


class Fires:
    """Keeps records of fires. Only the thread of the event loop uses it."""

    def __init__(self, most: int = MOST_FIRES, most_bytes: int = MOST_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._kept: OrderedDict[int, _Kept] = OrderedDict()
        self._bytes = 0
        self._last = 0
        self._readers: set[Live] = set()

    def add(self, source: str, ending: str, record: bytes) -> None:
        """Keep a record, the text of a JSON object with fields, and send it to the readers."""
        self._last += 1
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        head = f'{{"id": {self._last}, "time": "{now}", "source": "{source}", "ending": "{ending}", '
        kept = _Kept(head.encode("ascii") + record[1:])
        self._kept[self._last] = kept
        self._bytes += len(kept.text)
        while self._kept and (len(self._kept) > self._most or self._bytes > self._most_bytes):
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= len(oldest.text)
        if self._readers:
            self._send("fire", kept.summary(), self._last)

    def report(self, message: str) -> None:
        """Send a message of the service to the readers."""
        self._send("service", {"message": message}, None)

    def listed(self, count: int, before: int | None = None, wanted: Wanted | None = None) -> list[JsonObject]:
        """Return the last fires, the newest first."""
        chosen: list[JsonObject] = []
        for number in reversed(self._kept):
            if len(chosen) >= count:
                break
            if before is None or number < before:
                short = self._kept[number].summary()
                if wanted is None or wanted(short):
                    chosen.append(short)
        return chosen

    def text_of(self, number: int, wanted: Wanted | None = None) -> bytes | None:
        """Return the whole record of a fire as JSON text, None when it is not kept, or not wanted."""
        known = self._kept.get(number)
        if known is None or (wanted is not None and not wanted(known.summary())):
            return None
        return known.text

    @contextmanager
    def reader(self, wanted: Wanted | None = None) -> Iterator[Live]:
        """Add a reader of the stream, and remove it at the end."""
        live = Live(wanted)
        self._readers.add(live)
        try:
            yield live
        finally:
            self._readers.discard(live)

    def end(self) -> None:
        """End all streams."""
        for live in list(self._readers):
            live.end()

    def _send(self, name: str, value: JsonObject, number: int | None) -> None:
        if self._readers:
            line = f"id: {number}\n" if number is not None else ""
            text = f"event: {name}\n{line}data: {json.dumps(value)}\n\n"
            for live in self._readers:
                if number is None or live.wanted is None or live.wanted(value):
                    live.put(text)


def of_workspace(directory: str) -> Wanted:
    """Return what wants the fires of one workspace.

    An event has the workspace whose hooks it was fired at. A client's command has only the directory that it ran in.
    """
    workspace = directory.replace("\\", "/").rstrip("/") or "/"
    place = f"{workspace.rstrip('/')}/"

    def wants(fire: JsonObject) -> bool:
        noted = fire.get("workspace")
        if isinstance(noted, str) and noted:
            return noted == workspace
        return f"{fire.get('cwd') or ''}/".replace("\\", "/").startswith(place)

    return wants


def summary(record: JsonObject) -> JsonObject:
    """Return a record without its long texts."""
    short: JsonObject = {name: record.get(name) for name in _LISTED}
    decision = record.get("decision")
    if isinstance(decision, dict):
        withheld = len(_list(decision.get("withheld")))
        short["decision"] = {**{name: decision.get(name) for name in _OF_DECISION}, "withheld": withheld}
        short["hooks"] = [_hook(each) for each in _list(decision.get("outcomes")) if isinstance(each, dict)]
    else:
        short["decision"] = None
    return short


def _hook(outcome: JsonObject) -> JsonObject:
    return {
        name: outcome.get(name)
        for name in ("hook_id", "matched", "ran", "decision", "could_not_run", "duration_ms")
    }


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
