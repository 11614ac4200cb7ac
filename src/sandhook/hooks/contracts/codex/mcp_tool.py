"""Hooks of the type mcp_tool: the host calls a tool of a server, and its text is read as what a hook prints.

Source: recorded runs of 0.171.0 (conformance/hooks/codex/recorded/handler.json).
"""

from __future__ import annotations

from sandhook.hooks.contracts._fields import Fields
from sandhook.hooks.decode import Unfillable, encode
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.model import Executor
from sandhook.lazy import lazily

#: A placeholder; "${}" is text.
_PLACEHOLDER = lazily(r"\$\{([^{}]+)\}")


def executor(fields: Fields, raw: JsonObject, path: str) -> Executor:
    """Return what a hook calls; reports faults to ``fields``."""
    names = [fields.get(raw, key, str, path) or "" for key in ("server", "tool")]
    for key, name in zip(("server", "tool"), names, strict=True):
        if not name and (key not in raw or isinstance(raw[key], str)):
            fields.problem(f"{path}.{key}" if key in raw else path, f"{key} is required")
    arguments = fields.get(raw, "input", dict, path) or {}
    if has_null(arguments):
        fields.problem(f"{path}.input", "has a null, which Codex cannot read")
    server, tool = names
    config: JsonObject = {"server": server, "tool": tool, "input": arguments}
    return Executor("mcp_tool", f"{server}/{tool}", (encode(arguments),), config=config)


def has_null(value: Json) -> bool:
    """Return whether there is a null anywhere in a value; TOML, in which Codex keeps inputs, has none."""
    if isinstance(value, dict):
        return any(map(has_null, value.values()))
    return any(map(has_null, value)) if isinstance(value, list) else value is None


def filled(executor: Executor, payload: JsonObject) -> Executor:
    """Return the executor with the payload's values in place of ``${path}`` in its input.

    Raises:
        Unfillable: The payload has no such value; Codex then does not call the tool.
    """
    config = dict(executor.config or {})
    config["input"] = _filled(config.get("input"), payload)
    return executor._replace(config=config)


def _filled(value: Json, payload: JsonObject) -> Json:
    if isinstance(value, dict):
        return {key: _filled(item, payload) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, payload) for item in value]
    if not isinstance(value, str):
        return value
    whole = _PLACEHOLDER.fullmatch(value)
    if whole is not None:  # keeps its type
        return _at(payload, whole[1])

    def text(path: str) -> str:
        found = _at(payload, path)
        return found if isinstance(found, str) else encode(found)

    return _PLACEHOLDER.sub(lambda match: text(match[1]), value)


def _at(payload: JsonObject, path: str) -> Json:
    value: Json = payload
    for key in path.split("."):
        if not isinstance(value, dict) or key not in value:
            raise Unfillable(f"${{{path}}} of the hook's input is not in the payload")
        value = value[key]
    return value
