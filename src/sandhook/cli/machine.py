"""The options of ``exec`` and ``fire`` that say how ``--host`` uses this machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sandhook.cli import UsageError

if TYPE_CHECKING:
    import argparse

    from sandhook.host.world import Host


def add_host(add: Callable[..., Any], what: str) -> None:
    """Declare --host, whose help is ``what``, and the options that go with it."""
    add("--host", action="store_true", help=what)
    add(
        "--prefer",
        choices=("machine", "own"),
        help="with --host, whose utilities win: the machine's (default but on Windows), or ours",
    )
    add(
        "--own-shell",
        choices=("never", "missing", "always"),
        help="with --host, when scripts whose first line asks for sh or bash run in our shell"
        " (default missing: where the machine has no such program)",
    )
    add(
        "--keep-env",
        action="append",
        default=[],
        metavar="NAME",
        help="with --host, pass on a variable that makes programs load code, such as NODE_OPTIONS",
    )


def host_of(options: argparse.Namespace, *, inherit: bool = False) -> Host | None:
    """Return how this machine is used, or None when it is not.

    Args:
        options: What ``add_host`` declared, parsed.
        inherit: Scripts use this process's own streams.

    Raises:
        UsageError: An option is for --host, which is not given.
    """
    given = {"--prefer": options.prefer, "--own-shell": options.own_shell, "--keep-env": options.keep_env}
    if not options.host:
        if lost := [name for name, value in given.items() if value]:
            raise UsageError(f"{', '.join(lost)}: only with --host")
        return None
    from sandhook.host.world import Host

    return Host(
        prefer=options.prefer,
        own_shell=options.own_shell or "missing",
        inherit=inherit,
        subreaper=sys.platform == "linux",
    )
