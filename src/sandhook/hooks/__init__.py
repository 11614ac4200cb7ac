"""The hook engine: events in, one decision out, whatever agent the hooks were written for."""

from __future__ import annotations

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

#: The name of RunResult in version 0.1.
Ran = RunResult

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
    "Request",
    "RunResult",
    "Ran",
    "Verdict",
    "ContractError",
]
