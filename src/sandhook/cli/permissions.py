"""The options of ``exec`` and ``fire`` for what scripts may reach: this machine, the network, and repositories."""

from __future__ import annotations

import sys

from sandhook.cli import UsageError
from sandhook.cli.arguments import add_git_writes
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.arguments import Parser
    from sandhook.host.world import Host
    from sandhook.net.network import Network


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


def add_network(parser: Parser) -> None:
    """Add --allow-url and --allow-private."""
    add = parser.add_argument
    add(
        "--allow-url",
        action="append",
        default=[],
        metavar="URL",
        help="allow curl and wget this scheme, host and port; paths below with * (again for more)",
    )
    add("--allow-private", action="store_true", help="also allow addresses that are not public")


def add_permissions(parser: Parser) -> None:
    """Add the options about the network, and --git-writes."""
    add_network(parser)
    add_git_writes(parser)


def network_of(options: argparse.Namespace) -> Network | None:
    """Return the allowed network; None if no URL is allowed."""
    if not options.allow_url:
        if options.allow_private:
            raise UsageError("--allow-private needs --allow-url URL")
        return None
    from sandhook.net.network import Network

    try:
        return Network(options.allow_url, private=options.allow_private)
    except ValueError as error:
        raise UsageError(f"--allow-url: {error}") from None
