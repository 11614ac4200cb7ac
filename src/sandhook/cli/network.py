"""The options of ``exec`` and ``fire`` that let scripts reach URLs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sandhook.cli import UsageError

if TYPE_CHECKING:
    import argparse

    from sandhook.net.network import Network


def add_network(add: Callable[..., Any]) -> None:
    """Declare --allow-url and --allow-private."""
    add(
        "--allow-url",
        action="append",
        default=[],
        metavar="URL",
        help="let curl and wget reach this scheme, host and port, or paths with * below (again for more)",
    )
    add("--allow-private", action="store_true", help="also under addresses that are not public")


def network_of(options: argparse.Namespace) -> Network | None:
    """Return what the options allow, None for nothing."""
    if not options.allow_url:
        if options.allow_private:
            raise UsageError("--allow-private needs --allow-url URL")
        return None
    from sandhook.net.network import Network

    try:
        return Network(options.allow_url, private=options.allow_private)
    except ValueError as error:
        raise UsageError(f"--allow-url: {error}") from None
