"""``sandhook unwrap``: give hooks that ``sandhook wrap`` changed their own commands back."""

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
        "unwrap",
        "--agent NAME... [OPTION]...",
        "Undo `sandhook wrap`. A file that nobody edited since gets its old bytes back. In a file that\n"
        "somebody edited, the wrapped commands alone are changed back.\n\n"
        "Exit status: 0 undone (or there was nothing), 2 hooks were changed since and are left, 1 usage or\n"
        "configuration error.",
    )
    add_agents(result, required=True, scope="the project's own that is not shared (default: all)")
    add_dry_run(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return reported(lambda: _unwrap(parser().parse_args(arguments)))


def _unwrap(options: argparse.Namespace) -> int:
    known = recorded_places(options)

    def change(changer: Changer) -> list[Outcome]:
        outcomes = [changer.unwrap(place) for place in known]
        return [each for each in outcomes if each.done != "absent"]

    outcomes = run_twice(options, change)
    if not outcomes:
        put("no hooks are wrapped")
    return print_outcomes(options, outcomes)
