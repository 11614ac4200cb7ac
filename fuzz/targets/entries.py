"""Entries of the cache on disk: a tree, or nothing; a damaged entry is removed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from fuzz.pieces import Pieces, promise
from fuzz.targets import trees
from sandhook.cli.cache import DiskStore, _digest, tree_key
from sandhook.syntax import ParseOptions, store

WORDS = trees.WORDS

_OPTIONS = ParseOptions()


def seeds() -> Iterable[bytes]:
    for number, seed in enumerate(trees.seeds()):
        yield bytes([number % 2]) + store._HEADER + seed


@cache
def disk() -> tuple[DiskStore, Path]:
    """Return a cache in a directory of this process, and the file of the entry."""
    directory = tempfile.mkdtemp(prefix="fuzz-")
    cache_ = DiskStore(directory)
    return cache_, Path(cache_._path(tree_key("text", repr(_OPTIONS))))


def target(data: bytes) -> None:
    pieces = Pieces(data)
    sealed = pieces.number(2) == 0
    content = pieces.rest()
    cache_, path = disk()
    path.write_bytes(_digest(content) + content if sealed else content)
    units = cache_.load("text", _OPTIONS)
    if units is None:
        promise(not path.exists(), "a damaged entry is removed", data)
        return
    promise(sealed or data[1:33] == _digest(data[33:]), "only a whole entry is read", data)
    cache_.save("text", _OPTIONS, units)
    promise(cache_.load("text", _OPTIONS) == units, "what was read is stored as it is", data)
