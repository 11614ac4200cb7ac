"""The event that a command line describes: by ``--tool``, ``--input`` and ``--prompt``, or as a payload."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from sandhook.cli import UsageError
from sandhook.hooks.decode import DecodeError, decode
from sandhook.hooks.event import Event, ToolCall, ToolResult

if TYPE_CHECKING:
    import argparse

    from sandhook.hooks.contracts import Contract

#: Ids of the events that the command line makes up.
_IDS = {"session_id": "cli-session", "turn_id": "cli-turn"}
_CALL_ID = "cli-call"


def add_event(add: Any) -> None:
    """Add the options that describe an event."""
    add("--tool", metavar="NAME", help="the tool of a tool event")
    add("--input", metavar="JSON", help="its arguments (default {})")
    add("--prompt", metavar="TEXT", help="the message of a prompt event")
    add(
        "--payload",
        metavar="FILE",
        help="the event's payload as JSON, its data or all of it; - is standard input",
    )


def event_of(options: argparse.Namespace, contract: Contract, native: str, kind: str) -> Event:
    """Build the event from ``--payload``, or from ``--tool``, ``--input`` and ``--prompt``."""
    given = [name for name in ("tool", "input", "prompt") if getattr(options, name) is not None]
    if options.payload is not None:
        if given:
            raise UsageError(f"--payload goes without --{given[0]}")
        event = contract.event(native, _json(read(options.payload), "--payload"))
        missing = {key: value for key, value in _IDS.items() if getattr(event, key) is None}
        return event.with_(**missing) if missing else event
    common: dict[str, Any] = dict(_IDS)
    if kind.startswith("tool."):
        if options.prompt is not None:
            raise UsageError(f"--prompt does not go with {native}")
        if options.tool is None:
            raise UsageError(f"{native} needs --tool NAME (or --payload FILE)")
        value = {} if options.input is None else _json(options.input, "--input")
        common["tool"] = ToolCall(options.tool, value, _CALL_ID)
        if kind != "tool.pre":
            common["result"] = ToolResult()
    elif options.tool is not None or options.input is not None:
        raise UsageError(f"--{given[0]} does not go with {native}")
    if kind == "prompt.submit":
        if options.prompt is None:
            raise UsageError(f"{native} needs --prompt TEXT (or --payload FILE)")
        common["prompt"] = options.prompt
    elif options.prompt is not None:
        raise UsageError(f"--prompt does not go with {native}")
    if kind == "turn.end":
        common["success"] = True
    return Event(kind, **common)


def read(name: str) -> str:
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


def _json(text: str, what: str) -> Any:
    try:
        return decode(text).value
    except DecodeError as error:
        raise UsageError(f"{what}: {error}") from None
