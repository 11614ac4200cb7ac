"""What confines the workers of this system, for people and programs that want to know."""

from __future__ import annotations

from collections.abc import Mapping
from json import loads

from sandhook.record import Record
from sandhook.worker.confine.report import PROTECTIONS


class Confinement(Record):
    """What the system refuses a worker.

    Attributes:
        in_force: Protections (see ``confine.report.PROTECTIONS``) with the mechanisms that enforce them.
        missing: Protections that nothing enforces.
        unavailable: Mechanisms that this system does not offer, with the reason.
    """

    in_force: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...]
    unavailable: Mapping[str, str]

    @property
    def complete(self) -> bool:
        """True if no protection is missing."""
        return not self.missing

    def lines(self) -> list[str]:
        """Return one line for each protection and each mechanism that is unavailable."""
        lines = [
            f"{name}: {meaning} ({', '.join(self.in_force[name])})"
            if name in self.in_force
            else f"{name}: MISSING: not ensured that a worker {meaning}"
            for name, meaning in PROTECTIONS.items()
        ]
        return lines + [f"{name} is unavailable: {reason}" for name, reason in self.unavailable.items()]


def decode(report: bytes, *, dies_with_host: bool = False) -> Confinement:
    """Return the report that a worker sent when it was ready.

    Args:
        report: See ``confine.report.Report.encode``.
        dies_with_host: The host's side put the worker into a job that ends with the host.

    Raises:
        ValueError: The bytes are not such a report.
    """
    try:
        enforced, unavailable = loads(report)
        in_force = {name: tuple(map(str, mechanisms)) for name, mechanisms in enforced.items()}
        unavailable = {name: str(reason) for name, reason in unavailable.items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a report of confinement: {error}") from None
    if dies_with_host:
        in_force["host_end"] = (*in_force.get("host_end", ()), "Job Object")
    missing = tuple(name for name in PROTECTIONS if name not in in_force)
    return Confinement(in_force, missing, unavailable)
