"""sandhook: run agent hooks in a real bash interpreter inside the Python process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.version import __version__

if TYPE_CHECKING:
    from sandhook.errors import ConfigError, LimitExceeded, SandhookError, ShellSyntaxError, UnsupportedError
    from sandhook.limits import Cancellation, Limits
    from sandhook.shell import Result, Session, Shell
    from sandhook.utilities._own import UtilityContext, utility

_HOMES = {
    "Cancellation": "limits",
    "ConfigError": "errors",
    "LimitExceeded": "errors",
    "Limits": "limits",
    "Result": "shell",
    "SandhookError": "errors",
    "Session": "shell",
    "Shell": "shell",
    "ShellSyntaxError": "errors",
    "UnsupportedError": "errors",
    "UtilityContext": "utilities._own",
    "utility": "utilities._own",
}

__all__ = [
    "Cancellation",
    "ConfigError",
    "LimitExceeded",
    "Limits",
    "Result",
    "SandhookError",
    "Session",
    "Shell",
    "ShellSyntaxError",
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
