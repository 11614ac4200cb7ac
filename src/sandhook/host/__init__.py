"""Real programs and real files, for hooks that a user trusts.

The sandbox reaches nothing of this part: a run has the host's powers only when its caller starts it
in host mode.
"""

from __future__ import annotations

from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.host.command import HostCommand
    from sandhook.host.shell import HostShell
    from sandhook.host.world import Host, HostWorld

_HOMES = {"Host": "world", "HostCommand": "command", "HostShell": "shell", "HostWorld": "world"}

__all__ = ["Host", "HostCommand", "HostShell", "HostWorld"]


def __getattr__(name: str) -> object:
    """Import a public name on first use, so that one module can be imported without all others."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'sandhook.host' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"sandhook.host.{home}"), name)
