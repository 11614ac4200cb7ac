"""sandhook: run agent hooks in a real bash interpreter inside the Python process."""

from __future__ import annotations

from sandhook.version import __version__

TYPE_CHECKING = False  # the import of typing takes 5 ms, for which every hook would wait
if TYPE_CHECKING:
    from sandhook.command.own import UtilityContext, utility
    from sandhook.errors import (
        ConfigError,
        LimitExceeded,
        SandhookError,
        ShellSyntaxError,
        SnapshotError,
        UnsupportedError,
    )
    from sandhook.hooks.host import HostRunner
    from sandhook.host.command import HostCommand
    from sandhook.host.shell import HostShell
    from sandhook.host.world import Host
    from sandhook.interp.result import Result
    from sandhook.interp.steps import Step, Steps
    from sandhook.limits import Cancellation, Limits
    from sandhook.net.network import Network
    from sandhook.sessions.changes import SessionDiff
    from sandhook.sessions.stream import Piece, Stream
    from sandhook.shell import Session, Shell
    from sandhook.vfs.mapping import Files

_HOMES = {
    "Cancellation": "limits",
    "ConfigError": "errors",
    "Files": "vfs.mapping",
    "Host": "host.world",
    "HostCommand": "host.command",
    "HostRunner": "hooks.host",
    "HostShell": "host.shell",
    "LimitExceeded": "errors",
    "Limits": "limits",
    "Network": "net.network",
    "Piece": "sessions.stream",
    "Restrictions": "kernel.settings",
    "Result": "interp.result",
    "SandhookError": "errors",
    "Session": "shell",
    "SessionDiff": "sessions.changes",
    "Shell": "shell",
    "ShellSyntaxError": "errors",
    "SnapshotError": "errors",
    "Step": "interp.steps",
    "Steps": "interp.steps",
    "Stream": "sessions.stream",
    "UnsupportedError": "errors",
    "UtilityContext": "command.own",
    "utility": "command.own",
}

__all__ = [
    "Cancellation",
    "ConfigError",
    "Files",
    "Host",
    "HostCommand",
    "HostRunner",
    "HostShell",
    "LimitExceeded",
    "Limits",
    "Network",
    "Piece",
    "Restrictions",
    "Result",
    "SandhookError",
    "Session",
    "SessionDiff",
    "Shell",
    "ShellSyntaxError",
    "SnapshotError",
    "Step",
    "Steps",
    "Stream",
    "UnsupportedError",
    "UtilityContext",
    "__version__",
    "utility",
]


def __getattr__(name: str) -> object:
    """Load the public names when they are first asked for: the command line needs few of them."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'sandhook' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"sandhook.{home}"), name)
