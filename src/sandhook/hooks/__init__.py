"""The hook engine: events in, one decision out, whatever agent the hooks were written for."""

from __future__ import annotations

from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.hooks.contracts import ContractError, Document, Layer
    from sandhook.hooks.discovery import Discovery, discover
    from sandhook.hooks.engine import HookEngine, NopEngine
    from sandhook.hooks.event import Event, ToolCall, ToolResult
    from sandhook.hooks.events import (
        PromptSubmit,
        SessionEnd,
        SessionStart,
        Stop,
        ToolFail,
        ToolPost,
        ToolPre,
        TurnEnd,
        TurnStart,
    )
    from sandhook.hooks.loading import Findings, Withheld
    from sandhook.hooks.messages import Message
    from sandhook.hooks.model import (
        ContextFile,
        Decision,
        Executor,
        HookSpec,
        Operation,
        Outcome,
        Request,
        RunResult,
        Verdict,
    )
    from sandhook.hooks.runner import Runner, SandboxRunner
    from sandhook.hooks.workspace import Workspace

    #: The name of RunResult in version 0.1.
    Ran = RunResult

_HOMES = {
    "ContextFile": "model",
    "ContractError": "contracts",
    "Decision": "model",
    "Discovery": "discovery",
    "Document": "contracts",
    "Event": "event",
    "Executor": "model",
    "Findings": "loading",
    "HookEngine": "engine",
    "HookSpec": "model",
    "Layer": "contracts",
    "Message": "messages",
    "NopEngine": "engine",
    "Operation": "model",
    "Outcome": "model",
    "PromptSubmit": "events",
    "Ran": "model",
    "Request": "model",
    "RunResult": "model",
    "Runner": "runner",
    "SandboxRunner": "runner",
    "SessionEnd": "events",
    "SessionStart": "events",
    "Stop": "events",
    "ToolCall": "event",
    "ToolFail": "events",
    "ToolPost": "events",
    "ToolPre": "events",
    "ToolResult": "event",
    "TurnEnd": "events",
    "TurnStart": "events",
    "Verdict": "model",
    "Withheld": "loading",
    "Workspace": "workspace",
    "discover": "discovery",
}

__all__ = [
    "HookEngine",
    "NopEngine",
    "Findings",
    "Withheld",
    "Message",
    "Document",
    "Layer",
    "Discovery",
    "discover",
    "Event",
    "ToolCall",
    "ToolResult",
    "SessionStart",
    "SessionEnd",
    "PromptSubmit",
    "ToolPre",
    "ToolPost",
    "ToolFail",
    "TurnStart",
    "TurnEnd",
    "Stop",
    "Decision",
    "ContextFile",
    "Outcome",
    "Operation",
    "HookSpec",
    "Executor",
    "Runner",
    "SandboxRunner",
    "Workspace",
    "Request",
    "RunResult",
    "Ran",
    "Verdict",
    "ContractError",
]


def __getattr__(name: str) -> object:
    """Load the public names when they are first asked for: the command line needs few of them."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'sandhook.hooks' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"sandhook.hooks.{home}"), "RunResult" if name == "Ran" else name)
