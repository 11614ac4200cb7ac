"""Stored trees, as the cache of parsed scripts has them: a tree, or ValueError."""

from __future__ import annotations

from collections.abc import Iterable

from fuzz.pieces import promise
from fuzz.samples import scripts, spread
from sandhook.syntax import parse, store

WORDS = (
    ",",
    "\n",
    "-1",
    "0",
    "3",
    "4",
    "5",
    "6",
    "16",
    "38",
    "1024",
    "99999",
    "9" * 30,
    "-",
    "+1",
    "1_0",
    " 1",
)


def seeds() -> Iterable[bytes]:
    for script in spread(scripts("posix/*.test", longest=120), 8):
        yield store.encode(parse(script))[len(store._HEADER) :]


def target(data: bytes) -> None:
    try:
        units = store.decode(store._HEADER + data)
    except ValueError:
        return
    promise(store.decode(store.encode(units)) == units, "a stored tree is stored again as it is")
