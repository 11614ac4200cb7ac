"""The JSON Schema of a capability manifest."""

from __future__ import annotations

from sandhook.hooks.event import JsonObject
from sandhook.hooks.manifest import KINDS, VERSION

_DIGEST: JsonObject = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}
_TEXTS: JsonObject = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}

_MEANINGS = {
    "reads": "Paths whose contents the hook reads: ~/ is the home directory, ./ the project, * any characters.",
    "writes": "Paths that the hook creates, changes or removes.",
    "programs": "Names of programs that the hook runs; shells and built-ins need no entry.",
    "hosts": "Hosts with their ports that the hook reaches.",
    "variables": "Variables of the agent's environment that the hook sees.",
}

MANIFEST_SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Capability manifest of sandhook",
    "type": "object",
    "required": ["sandhook_manifest", "files", "hooks"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string"},
        "sandhook_manifest": {"const": VERSION, "description": "The version of the format."},
        "files": {
            "type": "object",
            "additionalProperties": _DIGEST,
            "description": "The hashes of all files that run, by path relative to the bundle.",
        },
        "hooks": {"type": "array", "items": {"$ref": "#/$defs/hook"}},
    },
    "$defs": {
        "hook": {
            "type": "object",
            "required": ["id", "event", "digest", "files", *KINDS],
            "additionalProperties": False,
            "properties": {
                "id": {"type": "string"},
                "event": {"type": "string"},
                "digest": {
                    **_DIGEST,
                    "description": "The hash of what the configuration says that the hook runs.",
                },
                "files": {**_TEXTS, "description": "The files of the bundle that run, keys of files."},
                **{kind: {**_TEXTS, "description": meaning} for kind, meaning in _MEANINGS.items()},
                "observed": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": dict.fromkeys(KINDS, _TEXTS),
                    "description": "The entries that only runs in the sandbox showed.",
                },
            },
        }
    },
}
