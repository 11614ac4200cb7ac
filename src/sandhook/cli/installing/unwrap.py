"""``sandhook unwrap``: give hooks that ``sandhook wrap`` changed their own commands back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.cli.arguments import Parser
from sandhook.cli.installing import add_agents, add_dry_run, reported, undo

if TYPE_CHECKING:
    import argparse


def parser() -> Parser:
    result = Parser(
        "unwrap",
        "--agent NAME... [OPTION]...",
        "Undo `sandhook wrap`. A file that nobody edited since gets its old bytes back. In a file that\n"
        "somebody edited, the wrapped commands alone are changed back.",
    )
    add_agents(result)
    add_dry_run(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return reported(lambda: _unwrap(parser().parse_args(arguments)))


def _unwrap(options: argparse.Namespace) -> int:
    return undo("unwrap", options, lambda changer, place: changer.unwrap(place), "no hooks are wrapped")
