"""Microsoft Agent Framework: hooks as middleware, and a bash tool.

    agent = Agent(client=client, tools=[bash_tool()], middleware=hook_middleware(".claude/settings.json"))

The agent middleware fires hooks for the start, the message and the stop, the function middleware around each tool. A
refused call is its result, with the reason. A refused message is answered with the reason. "ask" is the framework's
approval request, in versions that let middleware request one. An agent that runs inside a tool is a sub-agent.

Source: agent-framework-core 1.23.0, ``AgentMiddleware`` and ``FunctionMiddleware``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, cast

from agent_framework import (
    AgentContext,
    AgentMiddleware,
    AgentResponse,
    Content,
    FunctionInvocationContext,
    FunctionMiddleware,
    FunctionTool,
    Message,
    MiddlewareTermination,
    ResponseStream,
)
from agent_framework.exceptions import AgentFrameworkException

from sandhook.bridges.core import Guard, error_text, guard_of, inside_tool, json_of, with_context
from sandhook.bridges.points import Actor, BeforeTool
from sandhook.bridges.shelltool import SCHEMA, shell_of
from sandhook.hooks.event import Json, ToolCall, ToolResult

if TYPE_CHECKING:
    from typing import Unpack

    from agent_framework import AgentResponseUpdate

    from sandhook.bridges.core import GuardArguments, Hooks
    from sandhook.bridges.shelltool import ShellArguments, ShellTool

    Next = Callable[[], Awaitable[None]]


class StoppedByHook(AgentFrameworkException):
    """A hook refused the message of a run that streams, or ended it; the message is its reason."""


class _Run:
    """A run of an agent: who acts, and why a hook ended it."""

    def __init__(self, actor: Actor) -> None:
        self.actor = actor
        self.ended = ""
        self.laps = 0


#: The run that surrounds a tool.
_run: ContextVar[_Run | None] = ContextVar("sandhook_run", default=None)


def hook_middleware(
    hooks: Hooks, **arguments: Unpack[GuardArguments]
) -> list[AgentMiddleware | FunctionMiddleware]:
    """Return middleware for an agent: both are needed.

    Args:
        hooks: A Guard, or what makes one: an engine, paths, or decoded configurations.
        arguments: Those of ``sandhook.bridges.core.Guard``.
    """
    guard = guard_of(hooks, **arguments)
    return [_Agents(guard), _Functions(guard)]


class _Agents(AgentMiddleware):
    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    async def process(self, context: AgentContext, call_next: Next) -> None:
        """Fire the start, the message and the stop; hooks may make the agent go on."""
        session = getattr(context, "session", None)
        actor = Actor(getattr(session, "session_id", None), agent_type=getattr(context.agent, "name", None))
        run = _Run(actor)
        token = _run.set(run)
        try:
            reason = await self._prompt(context, actor)
            if reason:
                _end(context, reason)
                return
            await self._until_it_stops(context, call_next, run)
        finally:
            _run.reset(token)

    async def _prompt(self, context: AgentContext, actor: Actor) -> str:
        """Fire the start and the message; return why it is refused, or ""."""
        start = await self._guard.astart(actor)
        if start.action == "stop":
            return start.reason
        last = context.messages[-1] if context.messages else None
        if last is None or last.role != "user" or not last.text:
            return ""
        on = await self._guard.aprompt(last.text, actor)
        if on.action != "go":
            return on.reason
        changed = with_context(on.prompt, (*start.context, *on.context))
        if changed != last.text:
            others = [content for content in last.contents if content.type != "text"]
            message = Message(role="user", contents=[Content.from_text(changed), *others])
            context.messages = [*context.messages[:-1], message]
        return ""

    async def _until_it_stops(self, context: AgentContext, call_next: Next, run: _Run) -> None:
        await call_next()
        if context.stream:
            updates = self._updates(cast("ResponseStream", context.result), context, call_next, run)
            context.result = ResponseStream(updates, finalizer=AgentResponse.from_updates)
            return
        while await self._goes_on(context, cast("AgentResponse", context.result), run):
            await call_next()
        if run.ended:
            _end(context, run.ended)

    async def _updates(
        self, stream: ResponseStream, context: AgentContext, call_next: Next, run: _Run
    ) -> AsyncIterator[AgentResponseUpdate]:
        """Yield what the agent writes; tools run between two updates."""
        while True:
            updates = aiter(stream)
            while True:
                token = _run.set(run)
                try:
                    update = await anext(updates)
                except StopAsyncIteration:
                    break
                finally:
                    _run.reset(token)
                yield update
            if not await self._goes_on(context, await stream.get_final_response(), run):
                break
            await call_next()
            stream = cast("ResponseStream", context.result)
        if run.ended:
            raise StoppedByHook(run.ended)

    async def _goes_on(self, context: AgentContext, response: AgentResponse, run: _Run) -> bool:
        """Fire the stop; return whether the agent goes on, with the reason as its next message."""
        if run.ended or getattr(response, "user_input_requests", None):
            return False
        stop = await self._guard.astop(run.actor, laps=run.laps)
        if stop.action == "stop":
            return False
        run.laps += 1
        message = Message(role="user", contents=[stop.reason])
        earlier = [] if context.session is not None else [*context.messages, *response.messages]
        context.messages = [*earlier, message]
        return True


class _Functions(FunctionMiddleware):
    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    async def process(self, context: FunctionInvocationContext, call_next: Next) -> None:
        """Fire the hooks before and after a tool."""
        run = _run.get() or _Run(Actor())
        name, call_id = context.function.name, context.metadata.get("call_id")
        before = await self._guard.abefore_tool(name, context.arguments, run.actor, call_id=call_id)
        if before.action == "ask" and not _approved(context):
            context.result = _request(context, before)
            return
        if before.action in ("refuse", "stop"):
            _refuse(context, run, before.action == "stop", before.reason, before.context)
            return
        if before.changed:
            context.arguments = before.input
        call = ToolCall(name, before.input, call_id)
        try:
            with inside_tool():
                await call_next()
        except MiddlewareTermination:
            raise
        except Exception as error:
            await self._guard.aafter_tool(call, ToolResult(error=error_text(error)), run.actor)
            raise
        value = _value(context.result)
        after = await self._guard.aafter_tool(call, ToolResult(value), run.actor)
        added = (*before.context, *after.context)
        if after.action != "go":
            _refuse(context, run, after.action == "stop", after.reason, added)
        elif after.changed or added:
            context.result = with_context(
                after.result.value if after.result.ok else after.result.error, added
            )


def _end(context: AgentContext, reason: str) -> None:
    """End a run with a reason as its answer. Raises StoppedByHook for a run that streams."""
    if context.stream:
        raise StoppedByHook(reason)
    message = Message(role="assistant", contents=[reason])
    context.result = AgentResponse(messages=[message])


def _refuse(
    context: FunctionInvocationContext, run: _Run, stops: bool, reason: str, added: Sequence[str]
) -> None:
    """Set the result to a refusal. Raises MiddlewareTermination if it ends the agent."""
    context.result = with_context(reason, added)
    if stops:
        run.ended = reason
        raise MiddlewareTermination(reason)


def _approved(context: FunctionInvocationContext) -> bool:
    return bool(getattr(context.metadata.get("approval_response"), "approved", False))


def _request(context: FunctionInvocationContext, before: BeforeTool) -> object:
    """Return what asks the user; a refusal where the framework has no way for middleware to ask."""
    call_id = context.metadata.get("call_id")
    occurrence = context.metadata.get("function_call_occurrence_id")
    if call_id is None or occurrence is None:
        return with_context(f"{before.reason} (nobody can be asked)", before.context)
    arguments = cast("dict[str, object]", json_of(context.arguments))
    call = Content.from_function_call(call_id, context.function.name, arguments=arguments, id=occurrence)
    reason = {"reason": before.reason}
    return Content.from_function_approval_request(
        id=occurrence, function_call=call, additional_properties=reason
    )


def _value(result: object) -> Json:
    """Return a tool's result as hooks see it: the text of contents that are text."""
    if isinstance(result, (list, tuple)) and all(getattr(each, "type", None) == "text" for each in result):
        return "\n".join(str(each.text) for each in result)
    if isinstance(result, (list, tuple)) and all(hasattr(each, "to_dict") for each in result):
        return json_of([each.to_dict() for each in result])
    return json_of(result)


def bash_tool(shell: ShellTool | None = None, **arguments: Unpack[ShellArguments]) -> FunctionTool:
    """Return a bash tool.

    Args:
        shell: The ShellTool to use; keep it to store the session with ``snapshot``.
        arguments: Those of a new ShellTool.
    """
    tool = shell_of(shell, arguments)

    async def run(command: str) -> str:
        return (await tool.arun(command)).text

    return FunctionTool(name=tool.name, description=tool.description, func=run, input_model=SCHEMA)
