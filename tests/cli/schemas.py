"""Compare what commands print with their published schemas."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft202012Validator

from sandhook.cli.outputs import output_schema


def closed(schema: Any) -> Any:
    """Return a schema that allows no other fields: what a command prints is in it whole."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if "properties" in result:
        result["additionalProperties"] = False
    return result


def check(command: str, text: str) -> Any:
    value = json.loads(text)
    Draft202012Validator(closed(output_schema(command))).validate(value)
    assert (value["version"], value["command"]) == (1, command)
    return value
