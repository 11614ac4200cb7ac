"""``sandhook uninstall``: remove installed hooks from the configurations of agents."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sandhook.cli import UsageError
from sandhook.cli.arguments import Parser
from sandhook.cli.installing import add_agents, add_dry_run, reported, undo

if TYPE_CHECKING:
    import argparse


def parser() -> Parser:
    result = Parser(
        "uninstall",
        "[FILE] [--agent NAME...] [OPTION]...",
        "Remove the hooks that `sandhook install` added. A file that nobody edited since gets its old\n"
        "bytes back, and a file that sandhook created is removed. In a file that somebody edited, only\n"
        "the installed hooks are removed; those that were changed are left, and listed.",
    )
    result.add_argument(
        "file", nargs="?", metavar="FILE", help="the file that was installed (default: all of the agents)"
    )
    add_agents(result, required=False)
    add_dry_run(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return reported(lambda: _uninstall(parser().parse_args(arguments)))


def _uninstall(options: argparse.Namespace) -> int:
    if options.file is None and not options.agents:
        raise UsageError("uninstall needs a FILE or --agent NAME")
    source = None
    if options.file is not None:
        source = os.path.abspath(options.file).replace("\\", "/")  # noqa: PTH100 - pathlib costs 10 ms
    return undo(
        "uninstall", options, lambda changer, place: changer.uninstall(place, source), "nothing is installed"
    )
