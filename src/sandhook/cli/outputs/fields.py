"""The words of the schemas: types, and objects as rows of fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandhook.hooks.event import Json, JsonObject

#: Field to its schema and meaning; "?" after a name marks a field that may be absent.
Fields = Mapping[str, tuple[JsonObject, str]]

TEXT: JsonObject = {"type": "string"}
FLAG: JsonObject = {"type": "boolean"}
COUNT: JsonObject = {"type": "integer", "minimum": 0}
NUMBER: JsonObject = {"type": "number"}
ANY: JsonObject = {}
TEXTS: JsonObject = {"type": "array", "items": TEXT}


def or_null(schema: JsonObject) -> JsonObject:
    """Return the schema of a value or null."""
    if "enum" in schema:
        words = schema["enum"]
        return {"enum": [*words, None]} if isinstance(words, list) else schema
    kind = schema.get("type")
    return (
        {**schema, "type": [kind, "null"]} if isinstance(kind, str) else {"anyOf": [schema, {"type": "null"}]}
    )


def one_of(*words: str) -> JsonObject:
    return {"enum": list(words)}


def words_of(words: Sequence[str]) -> JsonObject:
    return one_of(*words)


def list_of(schema: JsonObject) -> JsonObject:
    return {"type": "array", "items": schema}


def reference(name: str) -> JsonObject:
    return {"$ref": f"#/$defs/{name}"}


def described(fields: Fields) -> JsonObject:
    """Return the schema of an object."""
    properties: dict[str, Json] = {
        name.rstrip("?"): {**schema, "description": meaning} for name, (schema, meaning) in fields.items()
    }
    required: list[Json] = [name for name in fields if not name.endswith("?")]
    return {"type": "object", "properties": properties, "required": required}
