"""Journal: receives the events that an engine decided, and writes them to a record.

journal = Journal("sqlite:decisions.db")
engine = HookEngine.load("hooks.json", audit=journal)
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import blake2b

from sandhook.hooks.audit import FiredEvent
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.model import Decision, HookSpec, Operation, Outcome
from sandhook.journal.appending import present_time
from sandhook.journal.masking import Masker
from sandhook.journal.neutral import event_json
from sandhook.journal.schema import Decided, Entry, HookRun, encode
from sandhook.journal.targets import open_target
from sandhook.version import __version__


class Journal:
    """An open record, for ``HookEngine.load(..., audit=...)``.

    Args:
        target: ``FILE`` for JSON lines, ``sqlite:FILE``, or ``parquet:DIR``.
        mask: Rules in addition to the known formats of secrets, see ``masking``.
        raw: Mask nothing.

    Raises JournalError.
    """

    def __init__(self, target: str, *, mask: Sequence[str] = (), raw: bool = False) -> None:
        self._masker = Masker(mask, raw=raw)
        self._target = open_target(target)

    def write_event(self, fired: FiredEvent) -> None:
        """Write an event. Raises JournalError."""
        self._target.write([encode(entry_of(fired, self._masker))])

    def close(self) -> None:
        """Close the record. Raises JournalError."""
        self._target.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def entry_of(fired: FiredEvent, masker: Masker) -> Entry:
    """Return what is recorded of an event."""
    event, decision = fired.event, fired.decision
    payload: Json = fired.payload if fired.payload is not None else event_json(event)
    shown, masked = masker.masked(payload)
    wanting = [each for each in decision.outcomes if each.matched]
    return Entry(
        time=present_time(),
        id=os.urandom(12).hex(),
        agent=fired.agent if fired.payload is not None else "",
        event=fired.name or decision.event or event.kind,
        kind=event.kind,
        payload=shown,
        tool=event.tool.name if event.tool is not None else None,
        session_id=event.session_id,
        cwd=event.cwd,
        masked=masked,
        raw=masker.raw,
        hooks=tuple(_hook_run(each, masker) for each in wanting),
        unmatched=tuple(each.spec.id for each in decision.outcomes if not each.matched),
        decision=decided_of(decision, masker),
        duration_ms=round(fired.seconds * 1000, 3),
        version=__version__,
    )


def decided_of(decision: Decision, masker: Masker | None = None) -> Decided:
    """Return what is recorded, and compared, of a decision."""
    changes = _changes_of(decision)
    reason = decision.reason
    plain: Json = json.loads(json.dumps(changes)) if changes else None
    if masker is not None:
        plain = masker.masked(plain)[0] if changes else None
        reason = None if reason is None else masker.text(reason)
    return Decided(
        refused=decision.refused,
        permission=decision.permission,
        force_continue=decision.force_continue,
        reason=reason,
        changes=plain if isinstance(plain, dict) and plain else None,
        could_not_run=decision.could_not_run,
        fail_closed=decision.fail_closed,
    )


def _changes_of(decision: Decision) -> JsonObject:
    changes: JsonObject = {}
    operations: tuple[Operation, ...]
    for name, operations in (
        ("input", decision.input),
        ("prompt", decision.prompt),
        ("result", decision.result),
        ("error", decision.error),
    ):
        if operations:
            changes[name] = [{"op": each.kind, "value": each.value} for each in operations]
    if decision.context:
        changes["context"] = [[text, place] for text, place in decision.context]
    return changes


def _hook_run(outcome: Outcome, masker: Masker) -> HookRun:
    spec, run, verdict = outcome.spec, outcome.run, outcome.verdict
    basic = HookRun(spec.id, hook_hash(spec), outcome.state, timeout_s=spec.timeout)
    if run is None:
        return basic
    return basic._replace(
        decision=verdict.label,
        reason=None if verdict.reason is None else masker.text(verdict.reason),
        could_not_run=verdict.could_not_run,
        exit_status=run.exit_status,
        duration_ms=round(run.duration * 1000, 3),
        limit=run.limit,
    )


def hook_hash(spec: HookSpec) -> str:
    """Return a digest of what a hook is: its entry in the configuration, its event, and its approved files."""
    digest = _HASHES.get(id(spec))
    if digest is not None and digest[0] is spec:
        return digest[1]
    executor = spec.executor
    value = [spec.native_event, spec.entry, executor.type, executor.text, list(executor.argv), executor.env]
    hashed = blake2b(json.dumps(value, sort_keys=True, default=_plain).encode("ascii"), digest_size=16)
    for name, data in spec.snapshot:
        hashed.update(f"\0{name}\0{len(data)}\0".encode("utf-8", "surrogatepass") + data)
    for name, sha256 in spec.hashed:
        hashed.update(f"\0{name}\0{sha256}\0".encode("utf-8", "surrogatepass"))
    if len(_HASHES) >= _MOST_HASHES:
        _HASHES.clear()
    _HASHES[id(spec)] = (spec, text := hashed.hexdigest())
    return text


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else repr(value)


_MOST_HASHES = 4096

#: Digests of hooks by identity; each entry keeps its hook, so that no other has that identity.
_HASHES: dict[int, tuple[HookSpec, str]] = {}
