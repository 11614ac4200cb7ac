"""The outputs of ``replay``, ``record`` and ``stats``."""

from __future__ import annotations

from sandhook.cli.outputs.fields import (
    COUNT,
    NUMBER,
    TEXT,
    TEXTS,
    Fields,
    described,
    list_of,
    one_of,
    or_null,
    reference,
)
from sandhook.hooks.event import JsonObject
from sandhook.replay.compare import CHANGES
from sandhook.replay.tally import MEASURED

_COUNTS: JsonObject = {"type": "object", "additionalProperties": COUNT}
_UNCHANGING = [name for name in CHANGES if name not in MEASURED]

_RECORDED: Fields = {
    "matched": (COUNT, "events that it wanted"),
    "refused": (COUNT, "events whose reason it gave"),
    "could_not_run": (COUNT, "events for which it could not run"),
}

FIELDS: dict[str, Fields] = {
    "replay": {
        "events": (COUNT, "events of the records"),
        "selected": (COUNT, "events that --where and --sample selected"),
        "compared": (COUNT, "events with a decision to compare with"),
        "masked": (COUNT, "events whose payload had secrets"),
        "unfired": (_COUNTS, "events that could not be fired, by reason"),
        "refused": (described({"old": (COUNT, "before"), "new": (COUNT, "now")}), "refused events"),
        "changes": (described(dict.fromkeys(_UNCHANGING, (COUNT, "events"))), "events by what changed"),
        "groups": (list_of(reference("group")), "changed events by hook, tool and shape, the largest first"),
        "groups_left_out": (_COUNTS, "groups that are not listed, by what changed"),
        "hooks": (list_of(reference("replayed_hook")), "what each new hook did"),
        "skipped": (list_of(reference("skipped")), "what could not be read"),
        "skipped_count": (COUNT, "places that could not be read"),
        "failed": (list_of(reference("failed")), "partitions that were not replayed"),
        "measured": (reference("measured"), "what depends on the machine"),
        "broken": (TEXTS, "rules of --fail-on that are broken"),
    },
    "record": {
        "events": (COUNT, "imported events"),
        "files": (list_of({"type": "object"}), "transcripts: file, agent, events"),
        "problems": (TEXTS, "what could not be read"),
    },
    "stats": {
        "events": (COUNT, "events"),
        "first": (or_null(TEXT), "time of the first event"),
        "last": (or_null(TEXT), "time of the last event"),
        "masked": (COUNT, "events whose payload had secrets"),
        "decisions": (_COUNTS, "events by decision"),
        "agents": (_COUNTS, "events by agent"),
        "tools": (list_of({"type": "object"}), "events by tool"),
        "hooks": (list_of(reference("recorded_hook")), "what each hook did"),
        "never_matched": (TEXTS, "hooks that no event of the record matched"),
        "skipped": (list_of(reference("skipped")), "what could not be read"),
    },
}


def definitions() -> JsonObject:
    """Return the objects of the outputs."""
    return {
        "group": described(
            {
                "change": (one_of(*_UNCHANGING), "what changed"),
                "hook": (TEXT, "the hook that decides"),
                "tool": (TEXT, "the tool, or nothing"),
                "shape": (TEXT, "the command without its operands"),
                "events": (COUNT, "events"),
                "examples": (list_of({"type": "object"}), "the first events, with both decisions"),
            }
        ),
        **_recorded(),
        "replayed_hook": described(
            {
                "hook": (TEXT, "id of the hook"),
                "seen": (COUNT, "events that it waits for"),
                "matched": (COUNT, "events that it wanted"),
                "refused": (COUNT, "events that it refused"),
                "could_not_run": (COUNT, "events for which it could not run"),
            }
        ),
        "skipped": described(
            {
                "file": (TEXT, "the file"),
                "unit": (one_of("byte", "row", "group", "file"), "what the place counts"),
                "place": (NUMBER, "where it is"),
                "line": (or_null(COUNT), "number of the line"),
                "reason": (TEXT, "why"),
                "recovered": (COUNT, "whole events that were read nevertheless"),
            }
        ),
        "failed": described(
            {
                "file": (TEXT, "the file"),
                "kind": (one_of("lines", "sqlite", "parquet"), "its form"),
                "start": (NUMBER, "where the partition begins"),
                "end": (NUMBER, "where it ends"),
                "reason": (TEXT, "what happened at the last try"),
                "events": (TEXTS, "ids of its events"),
            }
        ),
        "measured": described(
            {"slower": (COUNT, "events"), "latency": (list_of(reference("latency")), "times of hooks")}
        ),
        "latency": described(
            {
                "hook": (TEXT, "id of the hook"),
                "side": (one_of("old", "new"), "whose hook"),
                "runs": (COUNT, "runs"),
                "p50_ms": (NUMBER, "median"),
                "p95_ms": (NUMBER, "95th percentile"),
                "p99_ms": (NUMBER, "99th percentile"),
            }
        ),
    }


def _recorded() -> JsonObject:
    """Return the objects of ``stats``."""
    return {
        "recorded_hook": described(
            {
                "hook": (TEXT, "id of the hook"),
                **_RECORDED,
                "seen": (COUNT, "events of its kind"),
                "timeout_s": (or_null(NUMBER), "the longest time that it had"),
                "last_match": (or_null(TEXT), "time of the last event that it wanted"),
                "p50_ms": (or_null(NUMBER), "median of its times"),
                "p95_ms": (or_null(NUMBER), "95th percentile"),
                "p99_ms": (or_null(NUMBER), "99th percentile"),
                "versions": (list_of(reference("recorded_version")), "what each version did, by time"),
            }
        ),
        "recorded_version": described(
            {
                "hash": (or_null(TEXT), "digest of its entry and approved files; null for all beyond 100"),
                "first": (TEXT, "time of the first event that it wanted"),
                "last": (TEXT, "time of the last one"),
                **_RECORDED,
            }
        ),
    }
