"""The JSON Schema of a file of expectations, for editors and checks."""

from __future__ import annotations

from sandhook.conformance.expectations.keys import CASE_KEYS, EXPECT_KEYS, FILE_KEYS
from sandhook.conformance.expectations.model import VERSION, WORDS
from sandhook.hooks.contracts import COMPAT, names
from sandhook.hooks.event import JsonObject

_TEXT: JsonObject = {"type": "string"}
_PATTERN: JsonObject = {"type": "string", "format": "regex"}
_FLAG: JsonObject = {"type": "boolean"}
_TEXTS: JsonObject = {"type": "object", "additionalProperties": {"type": "string"}}
_OPTIONAL_TEXTS: JsonObject = {"type": "object", "additionalProperties": {"type": ["string", "null"]}}
_WORD: JsonObject = {"enum": list(WORDS)}

_TYPES: dict[str, JsonObject] = {
    "version": {"const": VERSION},
    "hooks": {"oneOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]},
    "contract": {"type": "string", "examples": list(names())},
    "compat": {"enum": list(COMPAT)},
    "host": _FLAG,
    "stop_active": _FLAG,
    "only": _PATTERN,
    "env": _TEXTS,
    "files": _OPTIONAL_TEXTS,
    "input": {"type": "object"},
    "payload": {"type": "object"},
    "result": {},
    "cases": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/case"}},
    "expect": {"oneOf": [_WORD, {"$ref": "#/$defs/expect"}]},
}

_EXPECT_TYPES: dict[str, JsonObject] = {
    "decision": _WORD,
    "reason": _PATTERN,
    "context": _PATTERN,
    "message": _PATTERN,
    "input": {},
    "result": {},
    "files": _OPTIONAL_TEXTS,
}


def _object(keys: dict[str, str], types: dict[str, JsonObject], required: list[str]) -> JsonObject:
    properties: JsonObject = {
        key: {**types.get(key, _TEXT), "description": description} for key, description in keys.items()
    }
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


EXPECTATIONS_SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Expectations about agent hooks (sandhook test)",
    **_object(FILE_KEYS, _TYPES, ["version", "hooks", "cases"]),
    "$defs": {
        "case": _object(CASE_KEYS, _TYPES, ["name", "expect"]),
        "expect": _object(EXPECT_KEYS, _EXPECT_TYPES, ["decision"]),
    },
}
