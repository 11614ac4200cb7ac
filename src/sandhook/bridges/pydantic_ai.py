"""Pydantic AI: hooks as a capability or around a toolset, and a bash tool.

    agent = Agent(model, tools=[bash_tool()], capabilities=[HookCapability(".claude/settings.json")])

The capability fires hooks for the start, the user's prompt, each tool and the end of a run. ``HookToolset`` wraps one
toolset, for tools alone. A refused call is a failed tool result. "ask" is ``ApprovalRequired``: the run ends with
DeferredToolRequests where the output type has them, and goes on with the approval. A refused prompt, and a hook that
ends the agent, raise StoppedByHook.

Source: pydantic-ai 2.68.0, ``AbstractCapability`` and ``WrapperToolset``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from pydantic_ai import CallDeferred, ModelRetry, RunContext, Tool
from pydantic_ai.agent import ModelRequestNode, UserPromptNode
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import AgentRunError, ApprovalRequired, UserError
from pydantic_ai.messages import ModelRequest, ToolReturn, UserPromptPart
from pydantic_ai.toolsets import AbstractToolset, WrapperToolset
from pydantic_graph import End

from sandhook.bridges.core import Guard, error_text, guard_of, inside_tool, json_of, with_context
from sandhook.bridges.points import Actor, AfterTool, BeforeTool
from sandhook.bridges.shelltool import SCHEMA, command_of, shell_of
from sandhook.hooks.event import ToolCall, ToolResult

try:
    from pydantic_ai.exceptions import ToolFailed as _Refused
except ImportError:  # an older version, where a refused call is an ordinary result
    _Refused = None

try:
    from pydantic_ai.messages import CustomEvent
except ImportError:  # an older version, whose tools have no events
    CustomEvent = None

if TYPE_CHECKING:
    from typing import Unpack

    from pydantic_ai.toolsets import ToolsetTool

    from sandhook.bridges.core import GuardArguments, Hooks
    from sandhook.bridges.shelltool import ShellArguments, ShellTool

#: Exceptions of a tool that do not end it.
_CONTROL = (ApprovalRequired, CallDeferred)


class StoppedByHook(AgentRunError):
    """A hook refused the prompt, or ended the agent; the message is its reason."""


@dataclass
class HookCapability(AbstractCapability):
    """Hooks for an agent; make it with ``HookCapability.of(...)`` to pass arguments of a Guard.

    Attributes:
        hooks: A Guard, or what makes one: an engine, paths, or decoded configurations.
        agent_name: The agent's name for hooks; the agent's own by default.
    """

    hooks: Guard
    agent_name: str | None = None
    _laps: int = field(default=0, init=False, repr=False)
    _ended: str = field(default="", init=False, repr=False)

    def __init__(
        self, hooks: Hooks, *, agent_name: str | None = None, **arguments: Unpack[GuardArguments]
    ) -> None:
        self.hooks = guard_of(hooks, **arguments)
        self.agent_name = agent_name
        self._laps, self._ended = 0, ""

    async def for_run(self, ctx: RunContext) -> HookCapability:
        """Return a capability that counts for one run."""
        return HookCapability(self.hooks, agent_name=self.agent_name)

    async def wrap_node_run(
        self, ctx: RunContext, *, node: object, handler: Callable[[object], Awaitable[object]]
    ) -> object:
        """Fire the start and the prompt before the first request, and the stop when the run would end."""
        actor = _actor(ctx, self.agent_name)
        if isinstance(node, UserPromptNode) and node.user_prompt is not None:
            node = replace(node, user_prompt=await self._prompt(node.user_prompt, actor))
        following = await handler(node)
        if self._ended:
            raise StoppedByHook(self._ended)
        if not isinstance(following, End):
            return following
        stop = await self.hooks.astop(actor, laps=self._laps)
        if stop.action == "stop":
            return following
        self._laps += 1
        return ModelRequestNode(ModelRequest(parts=[UserPromptPart(stop.reason)]))

    async def _prompt(self, prompt: object, actor: Actor) -> object:
        start = await self.hooks.astart(actor)
        if start.action == "stop":
            raise StoppedByHook(start.reason)
        parts = [prompt] if isinstance(prompt, str) else list(cast("Sequence[object]", prompt))
        text = "\n".join(part for part in parts if isinstance(part, str))
        on = await self.hooks.aprompt(text, actor)
        if on.action != "go":
            raise StoppedByHook(on.reason)
        context = (*start.context, *on.context)
        if not context and on.prompt == text:
            return prompt
        changed = with_context(on.prompt, context)
        others = [part for part in parts if not isinstance(part, str)]
        return [changed, *others] if others else changed

    async def wrap_tool_execute(
        self,
        ctx: RunContext,
        *,
        call: object,
        tool_def: object,
        args: dict[str, object],
        handler: Callable[[dict[str, object]], Awaitable[object]],
    ) -> object:
        """Fire the hooks before and after a tool."""
        tool = _GuardedTool(self.hooks, ctx, str(getattr(tool_def, "name", "")), self.agent_name)
        result = await tool.run(args, handler)
        self._ended = self._ended or tool.ended
        return result


@dataclass
class HookToolset(WrapperToolset):
    """A toolset whose tools have hooks. ``HookToolset(toolset, Guard(...))``."""

    hooks: Guard = field(kw_only=False, default=cast("Guard", None))
    agent_name: str | None = None

    def __init__(
        self,
        wrapped: AbstractToolset,
        hooks: Hooks,
        *,
        agent_name: str | None = None,
        **arguments: Unpack[GuardArguments],
    ) -> None:
        self.wrapped = wrapped
        self.hooks = guard_of(hooks, **arguments)
        self.agent_name = agent_name

    async def call_tool(
        self, name: str, tool_args: dict[str, object], ctx: RunContext, tool: ToolsetTool
    ) -> object:
        """Fire the hooks before and after a tool."""

        async def call(args: dict[str, object]) -> object:
            return await self.wrapped.call_tool(name, args, ctx, tool)

        guarded = _GuardedTool(self.hooks, ctx, name, self.agent_name)
        result = await guarded.run(tool_args, call)
        if guarded.ended:
            raise StoppedByHook(guarded.ended)
        return result


class _GuardedTool:
    """One call of a tool with its hooks; ``ended`` is why a hook ends the agent."""

    def __init__(self, guard: Guard, ctx: RunContext, name: str, agent: str | None) -> None:
        self._guard, self._ctx, self._name = guard, ctx, name
        self._actor = _actor(ctx, agent)
        self.ended = ""

    async def run(
        self, args: dict[str, object], handler: Callable[[dict[str, object]], Awaitable[object]]
    ) -> object:
        guard, call_id = self._guard, self._ctx.tool_call_id
        before = await guard.abefore_tool(self._name, args, self._actor, call_id=call_id)
        if before.action == "ask":
            if not self._ctx.tool_call_approved:
                raise ApprovalRequired(metadata={"reason": before.reason})
        elif before.action != "go":
            return self._refused(before.action == "stop", before.reason, before.context)
        call = ToolCall(self._name, before.input, call_id)
        try:
            with inside_tool():
                result = await handler(_merged(args, before))
        except _CONTROL:
            raise
        except Exception as error:
            await guard.aafter_tool(call, ToolResult(error=error_text(error)), self._actor)
            raise
        value = result.return_value if isinstance(result, ToolReturn) else result
        after = await guard.aafter_tool(call, ToolResult(json_of(value)), self._actor)
        return self._answered(result, before, after)

    def _answered(self, result: object, before: BeforeTool, after: AfterTool) -> object:
        context = (*before.context, *after.context)
        if after.action != "go":
            return self._refused(after.action == "stop", after.reason, context)
        if not after.result.ok:
            return self._refused(False, after.result.error or "", context)
        if not after.changed and not context:
            return result
        value = after.result.value
        changed: object = with_context(value, context) if context else value
        if isinstance(result, ToolReturn):
            return replace(result, return_value=changed, metadata=None if after.changed else result.metadata)
        return changed

    def _refused(self, stops: bool, reason: str, context: Sequence[str]) -> str:
        """Return or raise a refusal; raises ModelRetry in no case, whose budget would end the run."""
        text = with_context(reason, context)
        if stops:
            self.ended = reason
            return text
        if _Refused is not None:
            raise _Refused(text)
        return text


if CustomEvent is not None:

    @dataclass(kw_only=True)
    class SandhookOutput(CustomEvent):
        """A piece of output of a command that runs, in the stream of events.

        Attributes:
            output: The text.
        """

        output: str


async def _emit(ctx: RunContext, text: str) -> None:
    """Emit a piece of output, where the run has a stream of events."""
    if CustomEvent is not None:
        with suppress(UserError):  # no agent runs, or the tool belongs to a capability with its own events
            await ctx.emit(SandhookOutput(output=text))


def bash_tool(shell: ShellTool | None = None, **arguments: Unpack[ShellArguments]) -> Tool:
    """Return a bash tool; the metadata of its results has the outputs and the exit status.

    Output is streamed as events, ``SandhookOutput``, in versions that have them.

    Args:
        shell: The ShellTool to use; keep it to store the session with ``snapshot``.
        arguments: Those of a new ShellTool.
    """
    tool = shell_of(shell, arguments)

    async def run(ctx: RunContext, **arguments: object) -> ToolReturn:
        try:
            command = command_of(arguments)
        except ValueError as error:
            raise ModelRetry(str(error)) from None
        output = await tool.arun(command, write=lambda text: _emit(ctx, text))
        return ToolReturn(return_value=output.text, metadata=output.facts())

    return Tool.from_schema(run, tool.name, tool.description, SCHEMA, takes_ctx=True, sequential=True)


def _actor(ctx: RunContext, agent: str | None) -> Actor:
    own = getattr(getattr(ctx, "agent", None), "name", None)
    session = getattr(ctx, "conversation_id", None) or getattr(ctx, "run_id", None)
    return Actor(session, getattr(ctx, "run_id", None), agent_type=agent or own)


def _merged(args: dict[str, object], before: BeforeTool) -> dict[str, object]:
    """Return the arguments with what hooks changed; others keep their types of Python."""
    if not before.changed or not isinstance(before.input, Mapping):
        return args
    old = cast("Mapping[str, object]", json_of(args))
    new = cast("Mapping[str, object]", before.input)
    return {
        name: args[name] if name in args and old.get(name) == value else value for name, value in new.items()
    }
