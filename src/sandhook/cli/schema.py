"""``sandhook schema``: the JSON Schema of an agent's hook configuration, or of a file of expectations."""

from __future__ import annotations

from sandhook.cli.arguments import Parser
from sandhook.cli.configuration import guarded
from sandhook.cli.output import put_json
from sandhook.hooks import contracts


def parser() -> Parser:
    result = Parser(
        "schema",
        "CONTRACT",
        "Print the JSON Schema (2020-12) of an agent's hook configuration, for editors and checks.\n"
        "The name expectations stands for the files named *.expect.yaml of `sandhook test`.",
    )
    result.add_argument("contract", metavar="CONTRACT", help="the agent, or expectations")
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    return guarded(lambda: _schema(parser().parse_args(arguments).contract))


def _schema(name: str) -> int:
    if name == "expectations":
        from sandhook.conformance.expectations.schema import EXPECTATIONS_SCHEMA

        put_json(EXPECTATIONS_SCHEMA)
    else:
        put_json(contracts.get(name).schema())
    return 0
