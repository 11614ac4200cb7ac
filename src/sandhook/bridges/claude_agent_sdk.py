"""Claude Agent SDK: hooks as callbacks, and bash as an in-process MCP server.

    options = ClaudeAgentOptions(
        hooks=hook_matchers(".claude/settings.json"),
        mcp_servers={"sandhook": bash_server()},
        allowed_tools=["mcp__sandhook__bash"],
    )

The hooks run in this process: no shell of the machine, and for any agent's hook files. Hooks for ``Bash`` run for
``mcp__sandhook__bash`` too. "ask" is the SDK's own permission: ``can_use_tool``, or the prompt of the CLI. The SDK for
Python has no SessionStart, so those hooks fire with the first message of a session.

Source: claude-agent-sdk 0.2.187, ``HookCallback``, ``HookMatcher``, ``create_sdk_mcp_server``.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING

from claude_agent_sdk import HookMatcher, create_sdk_mcp_server
from claude_agent_sdk import tool as sdk_tool

from sandhook.bridges.core import guard_of
from sandhook.bridges.points import Actor
from sandhook.bridges.shelltool import SCHEMA, command_of, shell_of
from sandhook.hooks.adapters.claude_sdk import EVENTS, event_of, refusal, written
from sandhook.hooks.contracts.claude_code import CONTRACT
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Decision

if TYPE_CHECKING:
    from typing import TypeAlias, Unpack

    from claude_agent_sdk import McpSdkServerConfig

    from sandhook.bridges.core import Guard, GuardArguments, Hooks
    from sandhook.bridges.shelltool import ShellArguments, ShellTool

    #: A callback of the SDK. It receives the payload, the id of the tool call, and a context that is not used here.
    Callback: TypeAlias = Callable[
        [Mapping[str, object], str | None, object], Coroutine[object, object, JsonObject]
    ]

#: The kinds whose hooks fire with another event, by its name.
_WITH = {"UserPromptSubmit": "session.start"}


def hook_matchers(
    hooks: Hooks, *, timeout: float | None = None, **arguments: Unpack[GuardArguments]
) -> dict[str, list[HookMatcher]]:
    """Return what ``ClaudeAgentOptions(hooks=...)`` takes: a callback for each event that has hooks.

    Args:
        hooks: A Guard, or what makes one: an engine, paths, or decoded configurations.
        timeout: Seconds that the SDK waits, and then lets the agent go on; when None, those of all hooks of the event
            and one more, so that the hooks' own timeouts expire first.
        arguments: Those of ``sandhook.bridges.core.Guard``.
    """
    guard = guard_of(hooks, **arguments)
    specs = [*guard.engine.hooks, *(each.spec for each in guard.engine.withheld)]
    matchers = {}
    for name in EVENTS:
        kinds = {CONTRACT.events[name], _WITH.get(name)}
        timeouts = [spec.timeout for spec in specs if spec.event in kinds]
        if timeouts:
            seconds = sum(timeouts) + 1 if timeout is None else timeout
            matchers[name] = [_matcher(_callback(guard, name), seconds)]
    return matchers


def _matcher(callback: Callback, seconds: float) -> HookMatcher:
    if "timeout" in getattr(HookMatcher, "__dataclass_fields__", {}):
        return HookMatcher(matcher=None, hooks=[callback], timeout=seconds)
    return HookMatcher(matcher=None, hooks=[callback])  # an older version


def _callback(guard: Guard, name: str) -> Callback:
    async def hook(input_data: Mapping[str, object], tool_use_id: str | None, context: object) -> JsonObject:
        try:
            event = event_of(name, input_data, tool_use_id, guard.project_dir)
            decision = await guard.afire(event)
            if name == "UserPromptSubmit":
                decision = await _with_start(guard, event, decision)
        except Exception as error:  # a defect must not look like permission
            if guard.fail_open:
                raise
            event = CONTRACT.event(name, {"tool_name": "", "prompt": ""})
            decision = refusal(event, f"sandhook: {error.__class__.__name__}: {error}")
        if name == "PostToolUse" and decision.block and not decision.halt:
            return _without_result(event, decision)
        return written(decision, event)

    return hook


async def _with_start(guard: Guard, event: Event, decision: Decision) -> Decision:
    """Fire the start of the session, and add what it decides to the decision about its first message."""
    start = await guard.astart(Actor(event.session_id))
    if start.action == "stop":
        return decision._replace(halt=True, block=True, reason=start.reason)
    context = tuple((text, "prompt") for text in start.context)
    return decision._replace(context=(*context, *decision.context))


def _without_result(event: Event, decision: Decision) -> JsonObject:
    """Return the answer that keeps a tool's result from the model, in the shape that the CLI wants."""
    reason = decision.reason or "a hook refused the result"
    name = event.tool.name if event.tool is not None else ""
    value = event.result.value if event.result is not None else None
    if name.startswith("mcp__"):
        new: Json = [{"type": "text", "text": reason}]
    else:
        new = _blanked(value, [reason])
    specific = {"hookEventName": "PostToolUse", "updatedToolOutput": new}
    if name.startswith("mcp__"):
        specific["updatedMCPToolOutput"] = new
    return {"decision": "block", "reason": reason, "hookSpecificOutput": specific}


def _blanked(value: Json, texts: list[str]) -> Json:
    """Return a value of the same shape without its texts; ``texts`` replace the first ones."""
    if isinstance(value, str):
        return texts.pop(0) if texts else ""
    if isinstance(value, Mapping):
        return {key: each if key == "type" else _blanked(each, texts) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_blanked(each, texts) for each in value]
    return value


def bash_server(
    shell: ShellTool | None = None, *, server: str = "sandhook", **arguments: Unpack[ShellArguments]
) -> McpSdkServerConfig:
    """Return an in-process MCP server with a bash tool.

    Args:
        shell: The ShellTool to use; keep it to store the session with ``snapshot``.
        server: The server's name; the model's name of the tool is ``mcp__sandhook__bash``.
        arguments: Those of a new ShellTool.
    """
    tool = shell_of(shell, arguments)

    async def run(input: dict[str, object]) -> dict[str, object]:
        try:
            command = command_of(input)
        except ValueError as error:
            return {"content": [{"type": "text", "text": str(error)}], "is_error": True}
        return {"content": [{"type": "text", "text": (await tool.arun(command)).text or "(no output)"}]}

    return create_sdk_mcp_server(
        name=server, version="1.0.0", tools=[sdk_tool(tool.name, tool.description, SCHEMA)(run)]
    )
