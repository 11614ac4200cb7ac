"""``sandhook restore``: write back what a configuration was before the first change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.cli.arguments import Parser
from sandhook.cli.installing import (
    add_agents,
    add_dry_run,
    print_outcomes,
    recorded_places,
    reported,
    run_twice,
)
from sandhook.cli.output import put

if TYPE_CHECKING:
    import argparse

    from sandhook.installation.changes import Changer, Outcome


def parser() -> Parser:
    result = Parser(
        "restore",
        "--agent NAME... [OPTION]...",
        "Write back the bytes that the configuration of an agent had before `sandhook install` or\n"
        "`sandhook wrap` changed it first. A file that sandhook created is removed.\n\n"
        "Exit status: 0 restored (or there was nothing), 1 usage or configuration error, or the file was\n"
        "edited since.",
    )
    add_agents(result, required=True, scope="the project's own that is not shared (default: all)")
    result.add_argument(
        "--force", action="store_true", help="also when somebody edited the file: the edits are lost"
    )
    add_dry_run(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return reported(lambda: _restore(parser().parse_args(arguments)))


def _restore(options: argparse.Namespace) -> int:
    known = recorded_places(options)

    def change(changer: Changer) -> list[Outcome]:
        return [changer.restore(place, force=options.force) for place in known]

    if not known:
        put("there is nothing to restore")
    return print_outcomes(options, run_twice(options, change))
