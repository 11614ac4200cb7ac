"""``sandhook restore``: write back what a configuration was before the first change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.cli.arguments import Parser
from sandhook.cli.installing import add_agents, add_dry_run, reported, undo

if TYPE_CHECKING:
    import argparse


def parser() -> Parser:
    result = Parser(
        "restore",
        "--agent NAME... [OPTION]...",
        "Write back the bytes that the configuration of an agent had before `sandhook install` or\n"
        "`sandhook wrap` changed it first. A file that sandhook created is removed.",
    )
    add_agents(result)
    result.add_argument(
        "--force", action="store_true", help="also when somebody edited the file: the edits are lost"
    )
    add_dry_run(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return reported(lambda: _restore(parser().parse_args(arguments)))


def _restore(options: argparse.Namespace) -> int:
    return undo(
        "restore",
        options,
        lambda changer, place: changer.restore(place, force=options.force),
        "there is nothing to restore",
    )
