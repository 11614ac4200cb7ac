"""The options of ``exec`` and ``fire`` for ``--host``, which runs scripts on this machine."""

from __future__ import annotations

import sys

from sandhook.cli import UsageError
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.arguments import Parser
    from sandhook.host.world import Host


def add_host(parser: Parser, summary: str) -> None:
    """Add --host, with ``summary`` as its help, and the options that depend on it."""
    add = parser.add_argument
    add("--host", action="store_true", help=summary)
    add(
        "--prefer",
        choices=("machine", "own"),
        help="with --host, use the machine's utilities (default, except on Windows) or sandhook's own",
    )
    add(
        "--own-shell",
        choices=("never", "missing", "always"),
        help="with --host, when to run scripts for sh or bash in sandhook's shell"
        " (default missing: when the machine has no such program)",
    )
    add(
        "--keep-env",
        action="append",
        default=[],
        metavar="NAME",
        help="with --host, keep a variable that makes programs load code, such as NODE_OPTIONS",
    )


def host_of(options: argparse.Namespace, *, inherit: bool = False) -> Host | None:
    """Return the use of this machine that the options describe; None without --host.

    Args:
        options: The parsed options of ``add_host``.
        inherit: Scripts use the streams of this process.

    Raises:
        UsageError: An option needs --host, which is absent.
    """
    dependent = {"--prefer": options.prefer, "--own-shell": options.own_shell, "--keep-env": options.keep_env}
    if not options.host:
        if useless := [name for name, value in dependent.items() if value]:
            raise UsageError(f"{', '.join(useless)}: only with --host")
        return None
    from sandhook.host.world import Host

    return Host(
        prefer=options.prefer,
        own_shell=options.own_shell or "missing",
        inherit=inherit,
        subreaper=sys.platform == "linux",
    )
