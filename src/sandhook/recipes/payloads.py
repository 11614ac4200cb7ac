"""Where an agent's payload has what a hook needs, as expressions of jq.

The contract's own encoder is asked with values that occur nowhere else, so no table can contradict it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from sandhook.hooks.checks.probe import sample
from sandhook.hooks.contracts import Contract
from sandhook.hooks.decode import decode
from sandhook.hooks.event import Event, Json, ToolCall, ToolResult
from sandhook.hooks.model import HookSpec
from sandhook.record import Record

_KEY, _INPUT, _RESULT = "sandhook_key", "sandhook-input", "sandhook-result"
_PROMPT, _SESSION, _TRANSCRIPT = "sandhook-prompt", "sandhook-session", "/sandhook/transcript"

#: Keys and indexes from the top of a payload.
Path = tuple[str | int, ...]


class Paths(Record):
    """Expressions of jq for one event of an agent; "" for what its payload does not have.

    Attributes:
        source: The shell word that has the payload: standard input, or a variable.
        input: The tool's arguments.
        result: The tool's result.
    """

    source: str
    tool: str = ""
    input: str = ""
    result: str = ""
    prompt: str = ""
    session: str = ""
    transcript: str = ""

    def placeholders(self) -> dict[str, str]:
        """Return the expressions by their names in the library; what is optional is null where it is missing."""
        return {
            "@TOOL@": self.tool,
            "@INPUT@": self.input,
            "@RESULT@": self.result,
            "@PROMPT@": self.prompt,
            "@SESSION@": self.session or "null",
            "@TRANSCRIPT@": self.transcript or "null",
        }


def paths_of(contract: Contract, spec: HookSpec) -> Paths:
    """Return the places in the payload of a hook."""
    event = _sample(contract, spec)
    source, payload = _payload(contract, spec, event)
    leaves = list(_leaves(payload, ()))
    tool = event.tool.name if event.tool is not None else ""
    return Paths(
        source,
        tool=_expression(_place(leaves, tool)) if tool else "",
        input=_container(leaves, _INPUT) if tool else "",
        result=_container(leaves, _RESULT) if event.result is not None else "",
        prompt=_expression(_place(leaves, _PROMPT)) if event.prompt else "",
        session=_expression(_place(leaves, _SESSION)),
        transcript=_expression(_place(leaves, _TRANSCRIPT)),
    )


def _sample(contract: Contract, spec: HookSpec) -> Event:
    event = sample(spec.event).with_(session_id=_SESSION, transcript_path=_TRANSCRIPT)
    if event.tool is not None:
        names = contract.vocabulary().shell or ("Bash",)
        event = event.with_(tool=ToolCall(names[0], {_KEY: _INPUT}, "call"))
    if event.result is not None:
        event = event.with_(result=ToolResult({_KEY: _RESULT}))
    return event.with_(prompt=_PROMPT) if event.prompt else event


def _payload(contract: Contract, spec: HookSpec, event: Event) -> tuple[str, Json]:
    """Return the shell word that has the payload, and the payload."""
    request = contract.request(spec, event, "strict")
    if request.stdin:
        return "$(cat)", decode(request.stdin.decode()).value
    for name, text in request.env.items():
        if _SESSION in text and text[:1] == "{":
            return f"${name}", decode(text).value
    raise ValueError(f"{contract.name}: a hook on {spec.event} receives no payload")


def _leaves(value: Json, path: Path) -> Iterator[tuple[Path, Json]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    else:
        yield path, value


def _place(leaves: list[tuple[Path, Json]], text: str) -> Path:
    return next((path for path, value in leaves if value == text), ())


def _container(leaves: list[tuple[Path, Json]], text: str) -> str:
    """Return the expression for the value that has a text: an object, or an object encoded as a string."""
    for path, value in leaves:
        if value == text and path[-1] == _KEY:
            return _expression(path[:-1])
        if isinstance(value, str) and text in value:
            return f"({_expression(path)} | fromjson? // .)"
    return ""


def _expression(path: Path) -> str:
    """Return an expression of jq for a path; "" for the empty path."""
    parts = []
    for part in path:
        plain = isinstance(part, str) and part.isidentifier() and part.isascii()
        parts.append(f".{part}" if plain else f"[{json.dumps(part)}]")
    text = "".join(parts)
    return f".{text}" if text.startswith("[") else text
