"""``sandhook schema``: the JSON Schemas of hook configurations, of expectations, and of the JSON of commands."""

from __future__ import annotations

from sandhook.cli import UsageError
from sandhook.cli.arguments import Parser
from sandhook.cli.configuration import guarded
from sandhook.cli.output import put, put_json
from sandhook.cli.outputs import OUTPUTS, output_schema, schema_id
from sandhook.hooks import contracts
from sandhook.hooks.event import Json, JsonObject
from sandhook.text.nearest import hint

#: The name of the schema of `*.expect.yaml` files.
_EXPECTATIONS = "expectations"


def parser() -> Parser:
    result = Parser(
        "schema",
        "CONTRACT | --output [COMMAND]",
        "Print the JSON Schema (2020-12) of an agent's hook configuration, for editors and checks.\n"
        "The name expectations stands for the files named *.expect.yaml of `sandhook test`, and manifest for\n"
        "the capability manifests of `sandhook vet`. With --output, print the schema of what COMMAND prints\n"
        "with `--format json`, or list these commands.",
    )
    result.add_argument(
        "contract", metavar="CONTRACT", nargs="?", help="the agent, expectations, or manifest"
    )
    result.add_argument(
        "--output",
        nargs="?",
        const="",
        metavar="COMMAND",
        help="the schema of the JSON of a command; without COMMAND, the names of the commands",
    )
    return result


def run(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    options = parser().parse_args(arguments)
    if (options.contract is None) == (options.output is None):
        raise UsageError("schema: wanted CONTRACT or --output COMMAND, and not both")
    if options.output == "":
        for name in OUTPUTS:
            put(name)
        return 0
    if options.output is not None:
        if options.output not in OUTPUTS:
            raise UsageError(
                f"schema: {options.output!r} prints no JSON, or is no command; {hint(options.output, OUTPUTS)}"
            )
        put_json(output_schema(options.output))
        return 0
    return guarded(lambda: _print(options.contract))


def _print(name: str) -> int:
    put_json(configuration_schema(name))
    return 0


def configuration_schema(name: str) -> JsonObject:
    """Return the schema of an agent's configuration, or of expectations.

    Raises:
        ContractError: There is no such contract.
    """
    if name == _EXPECTATIONS:
        from sandhook.conformance.expectations.schema import EXPECTATIONS_SCHEMA

        schema: Json = EXPECTATIONS_SCHEMA
    elif name == "manifest":
        from sandhook.hooks.manifest.schema import MANIFEST_SCHEMA

        schema = MANIFEST_SCHEMA
    else:
        schema = contracts.get(name).schema()
    own: JsonObject = {"$id": schema_id("configuration", name)}
    return {**own, **schema} if isinstance(schema, dict) else own
