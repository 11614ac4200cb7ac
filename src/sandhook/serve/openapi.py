"""The OpenAPI description of a service's paths."""

from __future__ import annotations

from sandhook.hooks import contracts
from sandhook.hooks.event import KINDS, Json, JsonObject
from sandhook.version import __version__

_OBJECT: JsonObject = {"type": "object"}


def description() -> JsonObject:
    """Return the description as OpenAPI 3.1."""
    agents: list[Json] = list(contracts.names())
    return {
        "openapi": "3.1.0",
        "info": {"title": "sandhook serve", "version": __version__},
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}],
        "paths": {**_events(agents), **_lists(agents)},
    }


def _events(agents: list[Json]) -> JsonObject:
    """Return the paths to which events are posted."""
    return {
        "/v1/hooks/{contract}": {
            "post": {
                "summary": "Fire an event in an agent's own words; the answer is in its words, too.",
                "parameters": [
                    _in_path("contract", {"enum": agents}),
                    _query("event", "The agent's name of the event, when the payload does not have it."),
                    _query("workspace", "The directory that hooks see (default: that of the payload)."),
                ],
                "requestBody": _body(_OBJECT),
                "responses": _answers("What a hook of the agent answers."),
            }
        },
        "/v1/events": {
            "post": {
                "summary": "Fire a neutral event; the answer is the decision with all outcomes.",
                "parameters": [_query("workspace", "The directory that hooks see.")],
                "requestBody": _body(_event()),
                "responses": _answers("The decision."),
            }
        },
    }


def _lists(agents: list[Json]) -> JsonObject:
    """Return the paths that report what is known."""
    return {
        "/v1/hooks": {
            "get": {
                "summary": "List the hooks of the engines in use.",
                "parameters": [
                    _query("contract", "Only of this agent."),
                    _query("workspace", "Only there."),
                ],
                "responses": _answers("Engines and their hooks."),
            }
        },
        "/v1/decisions": {
            "get": {
                "summary": "List the last fires, the newest first.",
                "parameters": [
                    _query("count", "At most so many."),
                    _query("before", "Only with a lower id."),
                    _query("workspace", "Only of this workspace."),
                ],
                "responses": _answers("Fires without payloads and outputs."),
            }
        },
        "/v1/decisions/{id}": {
            "get": {
                "summary": "Return one fire: payload, decision, all outcomes, answer.",
                "parameters": [
                    _in_path("id", {"type": "integer"}),
                    _query("workspace", "Only if it is of this workspace."),
                ],
                "responses": _answers("The fire."),
            }
        },
        "/v1/live": {
            "get": {
                "summary": "Stream what is fired from now on: events fire, service and lost.",
                "parameters": [_query("workspace", "Only what is fired at this workspace.")],
                "responses": {
                    "200": {"description": "Server-sent events.", "content": {"text/event-stream": {}}}
                },
            }
        },
        "/v1/contracts": _get("List the agents, their events, and which of these a hook can refuse."),
        "/v1/schemas/{contract}": {
            "get": {
                "summary": "Return the JSON Schema of an agent's configuration.",
                "parameters": [_in_path("contract", {"enum": agents})],
                "responses": _answers("The schema."),
            }
        },
        "/v1/stop": {"post": {"summary": "End the service.", "responses": _answers("It ends.")}},
        "/healthz": _get("Report whether the service works; with the token, what is wrong."),
        "/metrics": {
            "get": {
                "summary": "Return counters and histograms for Prometheus.",
                "responses": {"200": {"description": "Metrics.", "content": {"text/plain": {}}}},
            }
        },
    }


def _get(summary: str) -> JsonObject:
    return {"get": {"summary": summary, "responses": _answers("An object.")}}


def _in_path(name: str, schema: JsonObject) -> JsonObject:
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _query(name: str, text: str) -> JsonObject:
    return {"name": name, "in": "query", "description": text, "schema": {"type": "string"}}


def _body(schema: JsonObject) -> JsonObject:
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _answers(text: str) -> JsonObject:
    return {"200": {"description": text, "content": {"application/json": {"schema": _OBJECT}}}}


def _event() -> JsonObject:
    return {
        "type": "object",
        "required": ["kind"],
        "properties": {
            "kind": {"enum": list(KINDS)},
            "contract": {"type": "string", "description": "Whose names of tools the event has."},
            "session_id": {"type": "string"},
            "cwd": {"type": "string"},
            "project_dir": {"type": "string"},
            "prompt": {"type": "string"},
            "reason": {"type": "string"},
            "tool": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "input": {}, "call_id": {"type": "string"}},
            },
            "result": {"type": "object", "properties": {"value": {}, "error": {"type": "string"}}},
        },
    }
