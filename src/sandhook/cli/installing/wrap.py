"""``sandhook wrap``: let the existing hooks of agents run through sandhook."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from sandhook.cli.arguments import Parser
from sandhook.cli.installing import (
    LEFT,
    add_agents,
    add_dry_run,
    agents_of,
    print_outcomes,
    reported,
    run_twice,
    surroundings,
)
from sandhook.cli.notes import print_note
from sandhook.cli.output import put
from sandhook.cli.remarks import Remarks
from sandhook.hooks import contracts
from sandhook.installation.places import Place, places
from sandhook.installation.wrapping import Options, wrapping

if TYPE_CHECKING:
    import argparse

    from sandhook.installation.changes import Changer, Outcome
    from sandhook.installation.operations import Wrap


def parser() -> Parser:
    result = Parser(
        "wrap",
        "--agent NAME... [OPTION]...",
        "Change the commands in the configuration of an agent, so that each hook runs through\n"
        "`sandhook hook`: in sandhook's bash, with jq and the other utilities, on every system. A hook\n"
        "that cannot run, or does not end in time, refuses. The hooks run on this machine, as before;\n"
        "with --sandbox they see a copy of the working directory and nothing else. `sandhook unwrap`\n"
        "undoes it.",
    )
    add_agents(result)
    add = result.add_argument
    add("--sandbox", action="store_true", help="run the hooks in the sandbox; what they change is discarded")
    add("--fail-open", action="store_true", help="a hook that cannot run does not refuse")
    add(
        "--program",
        default="sandhook",
        metavar="PATH",
        help="how the agent starts sandhook (default: sandhook, which must be in its PATH)",
    )
    add_dry_run(result)
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return reported(lambda: _wrap(parser().parse_args(arguments)))


def _wrap(options: argparse.Namespace) -> int:
    from sandhook.cli.programs import has_program

    around = surroundings(options)
    settings = Options(
        program=options.program,
        sandbox=options.sandbox,
        fail_closed=not options.fail_open,
        env=dict(os.environ),
        platform=sys.platform,
    )
    known = [place for contract in agents_of(options) for place in places(contract, options.scope, around)]
    skipped: dict[str, None] = {}

    def operation(place: Place, data: bytes) -> Wrap:
        result = wrapping(contracts.get(place.agent), place, data, settings)
        skipped.update(dict.fromkeys(f"{place.file}: not wrapped: {line}" for line in result.skipped))
        return result.operation

    def change(changer: Changer) -> list[Outcome]:
        return [changer.wrap(place, lambda data, place=place: operation(place, data)) for place in known]  # type: ignore[misc]

    outcomes = run_twice(options, change)
    remarks = Remarks(is_json=options.layout == "json")
    if not has_program(options.program):
        remarks.note(f"there is no program {options.program} in PATH: the wrapped hooks cannot start here")
    if not known and not remarks.is_json:
        put("no configuration of these agents exists")
    status = print_outcomes("wrap", options, outcomes, remarks, skipped=list(skipped))
    if not remarks.is_json:
        for line in skipped:
            print_note(line)
    return LEFT if skipped else status
