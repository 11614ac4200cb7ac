"""Snapshots that were changed: each is refused with a place and a reason, or restored and stored alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from fuzz.child import corpus
from fuzz.mutate import Mutator
from fuzz.targets import sessions
from sandhook.errors import SnapshotError
from sandhook.shell import Shell

#: How many are tried: in the fast suite, and by ``pytest -m slow``.
SAMPLE, ALL = 60, 100_000

#: Kinds of inputs of the fuzzer: bytes as they are, sections that get a right digest, documents with other values.
RAW, FRAMED, EDITED = b"\0", b"\1", b"\2"


def test_mutated_snapshots_are_refused_or_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    check(1, SAMPLE, monkeypatch)


@pytest.mark.slow
def test_a_hundred_thousand_mutated_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    check(2, ALL, monkeypatch)


def check(seed: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Try as many of each kind, and see that the readers of all sections were reached."""
    reached: Counter[str] = Counter()
    monkeypatch.setattr(sessions.Shell, "restore", counting(reached))
    random = Random(seed)
    mutator = Mutator(random, sessions.WORDS)
    inputs = {kind: [each for each in corpus("sessions") if each[:1] == kind] for kind in (RAW, FRAMED)}
    for _ in range(count // 3):
        sessions.target(mutator.mutated(inputs[RAW]))
        sessions.target(mutator.mutated(inputs[FRAMED]))
        sessions.target(EDITED + random.randbytes(64))
    assert sum(reached.values()) >= count // 3 * 3
    for part in ("restored", "digest", "document", "files"):
        assert reached[part] > count // 100, reached


def counting(reached: Counter[str]) -> Callable[..., Any]:
    """Return ``Shell.restore``, which counts what became of the snapshots."""
    restore = Shell.restore

    def counted(data: bytes, **options: Any) -> Any:
        try:
            session = restore(data, **options)
        except SnapshotError as error:
            reached[error.where.partition(".")[0]] += 1
            raise
        reached["restored"] += 1
        return session

    return counted
