"""Builds the event of a command line: from ``--tool``, ``--input`` and ``--prompt``, or from a payload."""

from __future__ import annotations

import sys

from sandhook.cli import UsageError
from sandhook.hooks.decode import DecodeError, decode, type_name
from sandhook.hooks.event import Event, Json, ToolCall, ToolResult
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from sandhook.cli.arguments import Parser
    from sandhook.hooks.contracts import Contract

#: Ids of events that come from the command line.
_IDS = {"session_id": "cli-session", "turn_id": "cli-turn"}
_CALL_ID = "cli-call"


def add_event(parser: Parser) -> None:
    """Add the options that describe an event."""
    add = parser.add_argument
    add("--tool", metavar="NAME", help="name of the tool, for a tool event")
    add("--input", metavar="JSON", help="arguments of the tool (default {})")
    add("--prompt", metavar="TEXT", help="text of the prompt, for a prompt event")
    add(
        "--payload",
        metavar="FILE",
        help="payload of the event, as JSON: its data alone or the whole (- is standard input)",
    )


def event_of(options: argparse.Namespace, contract: Contract, native: str, kind: str) -> Event:
    """Build the event from ``--payload``, or from ``--tool``, ``--input`` and ``--prompt``."""
    event_options = [name for name in ("tool", "input", "prompt") if getattr(options, name) is not None]
    if options.payload is not None:
        if event_options:
            raise UsageError(f"--payload goes without --{event_options[0]}")
        event = contract.event(native, _json(read(options.payload), "--payload"))
        return event.with_(
            session_id=_IDS["session_id"] if event.session_id is None else event.session_id,
            turn_id=_IDS["turn_id"] if event.turn_id is None else event.turn_id,
        )
    event = Event(kind, session_id=_IDS["session_id"], turn_id=_IDS["turn_id"])
    if kind.startswith("tool."):
        if options.prompt is not None:
            raise UsageError(f"--prompt does not go with {native}; use --input JSON")
        if options.tool is None:
            raise UsageError(f"{native} needs --tool NAME (or --payload FILE)")
        value = {} if options.input is None else _json(options.input, "--input: wanted a JSON object")
        if not isinstance(value, dict):
            raise UsageError(f"--input: wanted an object, got {type_name(value)}")
        event = event.with_(tool=ToolCall(options.tool, value, _CALL_ID))
        if kind != "tool.pre":
            event = event.with_(result=ToolResult())
    elif options.tool is not None or options.input is not None:
        way = "--prompt TEXT" if kind == "prompt.submit" else "--payload FILE"
        raise UsageError(f"--{event_options[0]} does not go with {native}; use {way}")
    if kind == "prompt.submit":
        if options.prompt is None:
            raise UsageError(f"{native} needs --prompt TEXT (or --payload FILE)")
        event = event.with_(prompt=options.prompt)
    elif options.prompt is not None:
        raise UsageError(f"--prompt does not go with {native}; use --payload FILE")
    if kind == "turn.end":
        event = event.with_(success=True)
    return event


def note_of_tool(event: Event, contract: Contract) -> str | None:
    """Return a note about an event whose tool the agent does not have: no matcher fits a misspelt name."""
    if event.tool is None or event.tool.name in contract.vocabulary().tools:
        return None
    from sandhook.hooks.checks.matchers import tool_advice
    from sandhook.hooks.matcher import quote

    advice = tool_advice(event.tool.name, contract)
    if advice is None:
        return None
    return f"note: {quote(event.tool.name)} is not a tool of {contract.name}{advice}"


def read(name: str) -> str:
    """Return the text of a file, or of standard input for "-". Raises UsageError."""
    try:
        if name == "-":
            data = sys.stdin.buffer.read() if sys.stdin is not None else b""
        else:
            with open(name, "rb") as file:  # noqa: PTH123 - pathlib costs 10 ms
                data = file.read()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: not UTF-8 at byte {error.start + 1}") from None


def _json(text: str, source: str) -> Json:
    try:
        return decode(text).value
    except DecodeError as error:
        raise UsageError(f"{source}: {error}") from None
