"""What the payload encoders of several contracts share."""

from __future__ import annotations

from typing import Any

from sandhook.hooks.contracts import ContractError
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, Json

_HTML = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def go_json(value: Json) -> str:
    """Return compact JSON as Go's encoding/json writes it: HTML's characters escaped.

    Raises DecodeError for a value that is no JSON.
    """
    return encode(value).translate(_HTML)


def directory(event: Event) -> str:
    """Return where hooks of an event run: the agent's directory if it is an absolute path, else /workspace.

    A drive's (``C:\\x``, ``C:/x``) is one; each runner takes it as its own system has it.
    """
    cwd = event.cwd or ""
    return cwd if cwd[:1] == "/" or cwd[1:3] in (":\\", ":/") else "/workspace"


def variable(text: str) -> str:
    """Return a text that an environment can hold: no NUL, no lone surrogate."""
    text = text.replace("\0", "")
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def text_field(payload: dict[str, Json], key: str) -> str | None:
    """Return a payload's string, or None when it is absent; ContractError for another type."""
    value = payload.get(key)
    if value is not None and not isinstance(value, str):
        raise ContractError(f"the payload's {key} must be a string")
    return value


def an_object(payload: Json) -> dict[str, Any]:
    """Return a payload that is an object; ContractError for another."""
    if not isinstance(payload, dict):
        raise ContractError("the payload must be a JSON object")
    return payload
