"""The JSON Schemas of what commands print with ``--format json``; ``cli.output.OUTPUT_VERSION`` is their version.

A new field does not change the version, so the schemas allow fields that they do not know.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from sandhook.cli.output import OUTPUT_VERSION
from sandhook.cli.outputs.fields import Fields, described
from sandhook.hooks.event import JsonObject

#: Commands with JSON, and the modules that have their ``FIELDS`` and ``DEFINITIONS``.
OUTPUTS = {
    "chaos": "proofs",
    "check": "findings",
    "convert": "changes",
    "doctor": "proofs",
    "explain": "hooks",
    "fire": "decision",
    "init": "changes",
    "install": "changes",
    "list": "hooks",
    "portability": "places",
    "record": "replaying",
    "replay": "replaying",
    "restore": "changes",
    "serve": "serving",
    "stats": "replaying",
    "status": "hooks",
    "test": "cases",
    "trust": "changes",
    "uninstall": "changes",
    "unwrap": "changes",
    "vet": "vetting",
    "watch": "watching",
    "wrap": "changes",
}


def schema_id(kind: str, name: str) -> str:
    """Return the ``$id`` of a schema: of the "output" of a command, or of a "configuration"."""
    return f"urn:sandhook:schema:{kind}:{name}:{OUTPUT_VERSION}"


def output_schema(command: str) -> JsonObject:
    """Return the schema (2020-12) of the JSON of a command, a key of OUTPUTS."""
    module = import_module(f"sandhook.cli.outputs.{OUTPUTS[command]}")
    fields: Fields = module.FIELDS[command]
    definitions: Callable[[], JsonObject] = module.definitions
    own = described(fields)
    common = described(
        {
            "version": ({"const": OUTPUT_VERSION}, "version of this form; new fields do not change it"),
            "command": ({"const": command}, "the command that printed it"),
        }
    )
    properties, required = own["properties"], own["required"]
    assert isinstance(properties, dict) and isinstance(required, list)
    known = common["properties"]
    assert isinstance(known, dict)
    schema: JsonObject = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": schema_id("output", command),
        "title": f"Output of `sandhook {command} --format json`",
        "type": "object",
        "properties": {**known, **properties},
        "required": ["version", "command", *required],
    }
    used = definitions()
    if used:
        schema["$defs"] = {name: each for name, each in used.items() if _uses(schema, used, name)}
    return schema


def _uses(schema: JsonObject, definitions: JsonObject, name: str) -> bool:
    """Return whether a schema, or a definition that it uses, refers to a definition."""
    pending, seen = [repr(schema)], set[str]()
    while pending:
        text = pending.pop()
        for each in definitions:
            if each not in seen and f"'#/$defs/{each}'" in text:
                seen.add(each)
                pending.append(repr(definitions[each]))
    return name in seen
