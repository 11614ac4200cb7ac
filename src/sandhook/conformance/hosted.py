"""Runs cases on sandhook's host mode: real files in a separate directory, and real programs."""

from __future__ import annotations

from time import monotonic

from sandhook.conformance.model import Observation
from sandhook.conformance.oracle import RealShell
from sandhook.conformance.runner import observation_of
from sandhook.host.search import Preference
from sandhook.host.shell import HostShell
from sandhook.host.world import Host
from sandhook.limits import Limits


class HostedShell(RealShell):
    """Runs scripts with ``HostShell`` in the way of ``RealShell``.

    Args:
        prefer: Use the utilities of the "machine", or sandhook's "own"; see ``Host``.
    """

    def __init__(
        self,
        *,
        root: str | None = None,
        jobs: int = 1,
        timeout: float | None = None,
        prefer: Preference = "own",
    ) -> None:
        super().__init__("host", root=root, jobs=jobs, timeout=timeout)
        self._host = Host(prefer=prefer, executable_bit=True)

    def _version(self) -> tuple[int, ...]:
        return ()

    def _find(self) -> str:
        return ""  # scripts run in this process

    def _in(self, directory: str, script: str, seconds: float) -> Observation:
        start = monotonic()
        limits = Limits.generous().with_(wall_seconds=seconds)
        shell = HostShell(host=self._host, env=self.environment(directory), cwd=directory, limits=limits)
        return observation_of(shell.run(script), monotonic() - start)
