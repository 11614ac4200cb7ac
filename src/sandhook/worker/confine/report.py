"""What confines a worker: protections in force, with the mechanisms that enforce them, and what is missing."""

from __future__ import annotations

from json import dumps

TYPE_CHECKING = False  # as a type checker reads it; the module typing costs time at each start

if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Protection: TypeAlias = Literal[
        "files",
        "network",
        "programs",
        "processes",
        "signals",
        "new_code",
        "privileges",
        "memory",
        "processor_time",
        "descriptors",
        "host_end",
    ]

#: Every protection, and what it means for the process.
PROTECTIONS: dict[Protection, str] = {
    "files": "opens, changes and removes no file",
    "network": "opens no socket",
    "programs": "executes no program",
    "processes": "starts no process and no thread",
    "signals": "signals and traces no process",
    "new_code": "makes no memory executable",
    "privileges": "gains no privileges",
    "memory": "has a bound of memory",
    "processor_time": "has a bound of processor time",
    "descriptors": "has no descriptors but its pipes",
    "host_end": "ends with its host, also while it works",
}


class Report:
    """What was put in force so far.

    Attributes:
        in_force: The mechanisms that enforce each protection.
        unavailable: Mechanisms that this system does not offer, with the reason.
        reads: Files below the directories that the caller named stay readable.
    """

    def __init__(self) -> None:
        self.in_force: dict[str, list[str]] = {}
        self.unavailable: dict[str, str] = {}
        self.reads = False

    def enforced(self, mechanism: str, *protections: Protection) -> None:
        """Record that a mechanism is in force, and what it protects."""
        for protection in protections:
            self.in_force.setdefault(protection, []).append(mechanism)

    def lacking(self, mechanism: str, reason: str) -> None:
        """Record that a mechanism could not be used."""
        self.unavailable[mechanism] = reason

    def refute(self, protection: Protection, reason: str) -> None:
        """Record that a protection is not real, whatever its mechanisms returned."""
        mechanisms = self.in_force.pop(protection, [])
        self.unavailable[", ".join(mechanisms) or protection] = reason

    def encode(self) -> bytes:
        """Return the report as JSON text, for the host."""
        return dumps([self.in_force, self.unavailable]).encode()
