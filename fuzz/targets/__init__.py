"""The targets by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

#: Every target, in the order in which they run.
NAMES = (
    "parser",
    "scripts",
    "utilities",
    "extras",
    "contracts",
    "decoders",
    "payloads",
    "approvals",
    "reviews",
    "trees",
    "entries",
    "snapshots",
    "sessions",
    "frames",
    "confined",
    "bundles",
    "checks",
    "cases",
    "expectations",
    "documents",
    "edits",
    "globs",
    "regexes",
    "numbers",
    "programs",
    "printf",
    "dates",
    "repositories",
)

DIRECTORY = Path(__file__).resolve().parents[1]


class Target(Protocol):
    """A module of this package.

    Attributes:
        WORDS: What its grammar knows, for mutations.
    """

    WORDS: Sequence[str]

    def target(self, data: bytes) -> None:
        """Raise an exception for an input that breaks a promise."""
        ...

    def seeds(self) -> Iterable[bytes]:
        """Return a few inputs to begin with."""
        ...


def load(name: str) -> Target:
    """Return a target. Raises KeyError for an unknown name."""
    if name not in NAMES:
        raise KeyError(name)
    return cast("Target", import_module(f"fuzz.targets.{name}"))


def unavailable(target: Target) -> str:
    """Return why a target cannot run on this machine, "" if it can."""
    check = getattr(target, "unavailable", None)
    return str(check()) if check is not None else ""


def corpus(name: str) -> list[bytes]:
    """Return the inputs of the target's directory: seeds, and former findings."""
    return [path.read_bytes() for path in sorted((DIRECTORY / "corpus" / name).glob("*"))]
