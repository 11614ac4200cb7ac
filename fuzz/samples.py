"""Texts of the project's own tests, for seeds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]


def scripts(*patterns: str, longest: int = 400) -> list[str]:
    """Return the scripts of case files below ``conformance``: the middle one of each file, of at most so many characters."""
    from sandhook.conformance.reader import read

    chosen: list[str] = []
    for pattern in patterns:
        for path in sorted((ROOT / "conformance").glob(pattern)):
            cases = [case.script for case in read(path.read_text("utf-8"), path.name).cases]
            short = [script for script in cases if 20 < len(script) <= longest]
            chosen += short[len(short) // 2 :][:1]
    return chosen


def spread(values: Sequence[Any], count: int) -> list[Any]:
    """Return at most so many of the values, at even distances."""
    step = max(1, -(-len(values) // count))
    return list(values[::step])


class Block(NamedTuple):
    """A hook, an event and two outputs of a contract, from its table of tests."""

    contract: str
    event: str
    config: Any
    payload: Any
    allow: bytes
    deny: bytes


def blocks() -> Iterator[Block]:
    """Yield the blocks of ``tests/hooks/tables``."""
    for path in sorted((ROOT / "tests" / "hooks" / "tables").glob("*.txt")):
        for part in path.read_text("utf-8").split("\n\n"):
            head = dict(
                line.split(": ", 1)
                for line in part.splitlines()
                if ": " in line and "|" not in line.partition(":")[0] and line[:1] != "#"
            )
            if "event" in head:
                texts = (head.get(word, "").encode() for word in ("allow", "deny"))
                yield Block(
                    path.stem, head["event"], json.loads(head["config"]), json.loads(head["payload"]), *texts
                )
