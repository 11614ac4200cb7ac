"""Hooks as callbacks of the Claude Agent SDK, in the process: no fork, no shell of the host.

    engine = HookEngine.load(".claude/settings.json", "claude_code", trust=...)
    ClaudeAgentOptions(setting_sources=[], hooks=matchers(engine, HookMatcher))

The engine's hooks may be any agent's. Source: claude-agent-sdk 0.2.143, ``HookCallback`` and
``HookMatcher``; events that the Python SDK lacks are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, TypeVar, cast

from sandhook.errors import SandhookError
from sandhook.hooks.contracts.claude_code import CONTRACT
from sandhook.hooks.contracts.claude_code.answer import output
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.model import Decision

if TYPE_CHECKING:
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.event import Event

#: The SDK's HookMatcher, which is not imported here.
Matcher = TypeVar("Matcher")

#: A callback of the SDK. It receives the payload, the id of the tool call, and a context that is not used here.
Callback = Callable[[Mapping[str, object], "str | None", object], Coroutine[object, object, JsonObject]]

#: Events of Python's SDK.
EVENTS = (
    *("PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "Stop", "SubagentStart"),
    *("SubagentStop", "PreCompact", "Notification", "PermissionRequest"),
)

#: Keys that Python's SDK writes with an underscore, because they are keywords of Python.
_RENAMED = {"continue": "continue_", "async": "async_"}


def callbacks(engine: HookEngine, *, project_dir: str | None = None) -> dict[str, Callback]:
    """Return one callback for each event that the engine has hooks for.

    A callback fires the event in a thread and returns the hooks' decision; ``{}`` is not an opinion.
    When the SDK cancels it, the hooks end. A payload that cannot be read refuses where the event can
    be refused, because the SDK treats a failed callback as no opinion.

    Args:
        project_dir: The project's root; the payload's working directory when None.
    """
    kinds = {spec.event for spec in engine.hooks}
    return {name: _callback(engine, name, project_dir) for name in EVENTS if CONTRACT.events[name] in kinds}


def matchers(
    engine: HookEngine,
    hook_matcher: Callable[..., Matcher],
    *,
    project_dir: str | None = None,
    timeout: float | None = None,
) -> dict[str, list[Matcher]]:
    """Return what ``ClaudeAgentOptions(hooks=...)`` takes.

    Args:
        hook_matcher: ``claude_agent_sdk.HookMatcher``.
        timeout: Seconds that the SDK waits; when None, those of the event's slowest hook and one more,
            so that a hook's own timeout expires first.
    """
    matchers_by_event = {}
    for name, call in callbacks(engine, project_dir=project_dir).items():
        slowest = max(spec.timeout for spec in engine.hooks if spec.event == CONTRACT.events[name])
        seconds = slowest + 1 if timeout is None else timeout
        matchers_by_event[name] = [hook_matcher(matcher=None, hooks=[call], timeout=seconds)]
    return matchers_by_event


def _callback(engine: HookEngine, name: str, project_dir: str | None) -> Callback:
    async def hook(input_data: Mapping[str, object], tool_use_id: str | None, context: object) -> JsonObject:
        try:
            event = event_of(name, input_data, tool_use_id, project_dir)
            decision = await engine.afire(event)
        except Exception as error:  # a defect must not look like permission
            event = CONTRACT.event(name, {"tool_name": "", "prompt": ""})
            known = isinstance(error, (SandhookError, DecodeError))
            reason = str(error) if known else f"internal error: {error.__class__.__name__}: {error}"
            decision = refusal(event, f"sandhook: {reason}")
        return written(decision, event)

    return hook


def written(decision: Decision, event: Event) -> JsonObject:
    """Return a decision as a callback of the SDK answers it."""
    return {_RENAMED.get(key, key): value for key, value in output(decision, event).items()}


def event_of(name: str, raw: Mapping[str, object], call_id: str | None, project_dir: str | None) -> Event:
    """Return the event of a callback's payload. Raises ContractError."""
    payload = {key: cast("Json", value) for key, value in raw.items() if value is not None}
    if call_id is not None:
        payload.setdefault("tool_use_id", call_id)
    event = CONTRACT.event(name, payload)
    return event.with_(project_dir=project_dir) if project_dir is not None else event


def refusal(event: Event, reason: str) -> Decision:
    """Return a refusal, or a note on an event that cannot be refused."""
    if event.kind not in CONTRACT.refusable:
        return Decision(event.kind, system_message=reason)
    if event.tool is not None:
        return Decision(event.kind, permission="deny", reason=reason)
    return Decision(event.kind, block=True, reason=reason)
