"""The options of ``exec`` and ``fire`` that allow network access, and changes of repositories."""

from __future__ import annotations

from sandhook.cli import UsageError
from sandhook.cli.arguments import add_git_writes
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.arguments import Parser
    from sandhook.net.network import Network


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
