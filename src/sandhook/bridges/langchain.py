"""LangChain, LangGraph and Deep Agents: hooks as middleware, and a bash tool.

    agent = create_agent(model, tools=[bash_tool()], middleware=[HookMiddleware(".claude/settings.json")])

Hooks fire before the agent (session start, the user's message), around each tool, and when the agent wants to stop.
"ask" becomes an interrupt in the form of ``HumanInTheLoopMiddleware``; without a checkpointer, which an interrupt
needs, it is a refusal. An agent in a tool of a guarded agent is a sub-agent.

Source: langchain 1.0.0 and 1.5.0, ``AgentMiddleware`` and ``create_agent``; langgraph ``ToolNode``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, NotRequired, TypeAlias, cast

from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.tools import StructuredTool, ToolException
from langgraph.config import get_config, get_stream_writer
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command, interrupt

from sandhook.bridges.core import error_text, guard_of, inside_tool, with_context
from sandhook.bridges.points import Actor, AfterTool, BeforeTool, OnPrompt, OnStart, OnStop
from sandhook.bridges.shelltool import SCHEMA, command_of, shell_of
from sandhook.hooks.event import Json, ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from langchain.agents.middleware.types import ToolCallRequest
    from langgraph.runtime import Runtime

    from sandhook.bridges.core import GuardArguments, Hooks
    from sandhook.bridges.shelltool import ShellArguments, ShellTool

    #: What a tool node writes.
    Response: TypeAlias = ToolMessage | Command

    #: Changes of the agent's state.
    Update: TypeAlias = dict[str, object] | None

#: Where LangGraph keeps the checkpointer of a run.
_CHECKPOINTER = "__pregel_checkpointer"


def _last(old: str, new: str) -> str:
    return new


class HookState(AgentState):
    """The state of the agent, with what the middleware remembers of a run."""

    sandhook_laps: NotRequired[Annotated[int, PrivateStateAttr]]  # type: ignore[valid-type]
    sandhook_ended: NotRequired[Annotated[str, _last, PrivateStateAttr]]  # type: ignore[valid-type]


class HookMiddleware(AgentMiddleware):
    """Hooks for an agent of ``create_agent`` or ``create_deep_agent``.

    ``wrap_tool_call`` and ``awrap_tool_call`` also fit LangGraph's ``ToolNode``, which then has hooks for tools alone.

    Args:
        hooks: A Guard, or what makes one: an engine, paths, or decoded configurations.
        agent: The agent's name for hooks; the one that ``create_agent`` has by default.
        arguments: Those of ``sandhook.bridges.core.Guard``.
    """

    state_schema = HookState
    tools = ()

    def __init__(
        self, hooks: Hooks, *, agent: str | None = None, **arguments: Unpack[GuardArguments]
    ) -> None:
        super().__init__()
        self.guard = guard_of(hooks, **arguments)
        self._agent = agent

    # The agent.

    @hook_config(can_jump_to=["end"])
    def before_agent(self, state: HookState, runtime: Runtime) -> Update:
        """Fire the start of the session, and the user's message."""
        actor = self._actor(get_config())
        start = self.guard.start(actor)
        prompt = _last_prompt(state)
        on = self.guard.prompt(_text(prompt), actor) if prompt and start.action == "go" else None
        return _begun(start, prompt, on)

    @hook_config(can_jump_to=["end"])
    async def abefore_agent(self, state: HookState, runtime: Runtime) -> Update:
        """Fire the start of the session, and the user's message."""
        actor = self._actor(get_config())
        start = await self.guard.astart(actor)
        prompt = _last_prompt(state)
        on = await self.guard.aprompt(_text(prompt), actor) if prompt and start.action == "go" else None
        return _begun(start, prompt, on)

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: HookState, runtime: Runtime) -> Update:
        """End the agent if a hook of a tool stopped it."""
        reason = state.get("sandhook_ended")
        return {"messages": [AIMessage(reason)], "jump_to": "end"} if reason else None

    @hook_config(can_jump_to=["model"])
    def after_agent(self, state: HookState, runtime: Runtime) -> Update:
        """Fire the stop; the agent goes on if hooks want it."""
        if state.get("sandhook_ended"):
            return None
        laps = state.get("sandhook_laps", 0)
        return _stopped(self.guard.stop(self._actor(get_config()), laps=laps), laps)

    @hook_config(can_jump_to=["model"])
    async def aafter_agent(self, state: HookState, runtime: Runtime) -> Update:
        """Fire the stop; the agent goes on if hooks want it."""
        if state.get("sandhook_ended"):
            return None
        laps = state.get("sandhook_laps", 0)
        return _stopped(await self.guard.astop(self._actor(get_config()), laps=laps), laps)

    # Tools.

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Response]
    ) -> Response:
        """Fire the hooks before and after a tool."""
        actor = self._actor(request.runtime.config)
        before = self.guard.before_tool(*_named(request), actor, call_id=request.tool_call["id"])
        if before.action == "ask":
            before = _reviewed(request, before)
        if before.action == "ask":  # the user changed the input
            name, call_id = request.tool_call["name"], request.tool_call["id"]
            before = self.guard.before_tool(name, before.input, actor, call_id=call_id)
        if before.action in ("refuse", "stop"):
            return _refused(request, before)
        request, call = _changed(request, before)
        try:
            with inside_tool():
                response = handler(request)
        except GraphBubbleUp:
            raise
        except Exception as error:
            self.guard.after_tool(call, ToolResult(error=error_text(error)), actor)
            raise
        message = _message_of(response, call)
        after = self.guard.after_tool(call, _result_of(message), actor)
        return _answered(response, message, before, after)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Response]]
    ) -> Response:
        """Fire the hooks before and after a tool."""
        actor = self._actor(request.runtime.config)
        before = await self.guard.abefore_tool(*_named(request), actor, call_id=request.tool_call["id"])
        if before.action == "ask":
            before = _reviewed(request, before)
        if before.action == "ask":  # the user changed the input
            name, call_id = request.tool_call["name"], request.tool_call["id"]
            before = await self.guard.abefore_tool(name, before.input, actor, call_id=call_id)
        if before.action in ("refuse", "stop"):
            return _refused(request, before)
        request, call = _changed(request, before)
        try:
            with inside_tool():
                response = await handler(request)
        except GraphBubbleUp:
            raise
        except Exception as error:
            await self.guard.aafter_tool(call, ToolResult(error=error_text(error)), actor)
            raise
        message = _message_of(response, call)
        after = await self.guard.aafter_tool(call, _result_of(message), actor)
        return _answered(response, message, before, after)

    def _actor(self, config: Mapping[str, object]) -> Actor:
        configurable = cast("Mapping[str, object]", config.get("configurable") or {})
        metadata = cast("Mapping[str, object]", config.get("metadata") or {})
        thread, name = configurable.get("thread_id"), self._agent or metadata.get("lc_agent_name")
        return Actor(None if thread is None else str(thread), agent_type=str(name) if name else None)


def bash_tool(shell: ShellTool | None = None, **arguments: Unpack[ShellArguments]) -> StructuredTool:
    """Return a bash tool; its artifact has the outputs and the exit status. Output is streamed in the mode "custom".

    Args:
        shell: The ShellTool to use; keep it to store the session with ``snapshot``.
        arguments: Those of a new ShellTool.
    """
    tool = shell_of(shell, arguments)

    def run(**arguments: object) -> tuple[str, dict[str, object]]:
        output = tool.run(_command(arguments), write=_writer(tool.name))
        return output.text, output.facts()

    async def arun(**arguments: object) -> tuple[str, dict[str, object]]:
        output = await tool.arun(_command(arguments), write=_writer(tool.name))
        return output.text, output.facts()

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        func=run,
        coroutine=arun,
        args_schema=SCHEMA,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )


def _command(arguments: Mapping[str, object]) -> str:
    try:
        return command_of(arguments)
    except ValueError as error:
        raise ToolException(str(error)) from None


def _writer(name: str) -> Callable[[str], object] | None:
    """Return what streams output, in a run of LangGraph that streams."""
    try:
        write = get_stream_writer()
    except (RuntimeError, KeyError):  # not in a graph
        return None
    return lambda text: write({"tool": name, "output": text})


# The agent.


def _last_prompt(state: HookState) -> HumanMessage | None:
    messages = state["messages"]
    return messages[-1] if messages and isinstance(messages[-1], HumanMessage) else None


def _text(message: HumanMessage | None) -> str:
    content = message.content if message is not None else ""
    if isinstance(content, str):
        return content
    return "\n".join(
        str(block["text"] if isinstance(block, dict) else block) for block in content if _is_text(block)
    )


def _is_text(block: object) -> bool:
    return isinstance(block, str) or (isinstance(block, dict) and block.get("type") == "text")


def _with_text(message: HumanMessage, text: str) -> HumanMessage:
    """Return a message with another text, and what else it has."""
    content = message.content
    if not isinstance(content, str):
        rest = [block for block in content if not _is_text(block)]
        content = [{"type": "text", "text": text}, *rest]
        return cast("HumanMessage", message.model_copy(update={"content": content}))
    return cast("HumanMessage", message.model_copy(update={"content": text}))


def _begun(start: OnStart, prompt: HumanMessage | None, on: OnPrompt | None) -> Update:
    """Return the state at the beginning of a run, with the message as hooks changed it."""
    update: dict[str, object] = {"sandhook_laps": 0, "sandhook_ended": ""}
    refused = start if start.action == "stop" else on if on is not None and on.action != "go" else None
    if refused is not None:
        answer: list[AnyMessage] = [AIMessage(refused.reason)]
        return {**update, "sandhook_ended": refused.reason, "messages": answer, "jump_to": "end"}
    context = (*start.context, *(on.context if on is not None else ()))
    if prompt is not None and on is not None and (context or on.prompt != _text(prompt)):
        update["messages"] = [_with_text(prompt, with_context(on.prompt, context))]
    elif context:
        update["messages"] = [HumanMessage(with_context("", context))]
    return update


def _stopped(stop: OnStop, laps: int) -> Update:
    if stop.action == "stop":
        return None
    return {"messages": [HumanMessage(stop.reason)], "sandhook_laps": laps + 1, "jump_to": "model"}


# Tools.


def _named(request: ToolCallRequest) -> tuple[str, object]:
    return request.tool_call["name"], request.tool_call["args"]


def _reviewed(request: ToolCallRequest, before: BeforeTool) -> BeforeTool:
    """Ask the user; return a decision to go, to refuse, or to "ask" hooks again about what the user changed.

    Raises GraphInterrupt the first time: LangGraph runs the node again with the answer.
    """
    configurable = (get_config().get("configurable") or {}) if request.runtime else {}
    if not configurable.get(_CHECKPOINTER):
        return before._replace(
            action="refuse", reason=f"{before.reason} (nobody can be asked: no checkpointer)"
        )
    name = request.tool_call["name"]
    answer = interrupt(
        {
            "action_requests": [{"name": name, "args": before.input, "description": before.reason}],
            "review_configs": [{"action_name": name, "allowed_decisions": ["approve", "edit", "reject"]}],
        }
    )
    decision = answer["decisions"][0]
    if decision["type"] == "approve":
        return before._replace(action="go")
    if decision["type"] == "edit":
        return before._replace(input=decision["edited_action"]["args"])
    return before._replace(
        action="refuse", reason=decision.get("message") or f"the user rejected it: {before.reason}"
    )


def _refused(request: ToolCallRequest, before: BeforeTool) -> Response:
    message = ToolMessage(
        with_context(before.reason, before.context),
        name=request.tool_call["name"],
        tool_call_id=request.tool_call["id"],
        status="error",
    )
    if before.action == "stop":
        return Command(update={"messages": [message], "sandhook_ended": before.reason})
    return message


def _changed(request: ToolCallRequest, before: BeforeTool) -> tuple[ToolCallRequest, ToolCall]:
    call = request.tool_call
    if before.input != call["args"]:
        call = {**call, "args": before.input}
        request = replace(request, tool_call=call)
    return request, ToolCall(call["name"], before.input, call["id"])


def _message_of(response: Response, call: ToolCall) -> ToolMessage | None:
    """Return the tool's own message, which may be one of the changes of a Command."""
    if isinstance(response, ToolMessage):
        return response
    update = response.update if isinstance(response.update, dict) else {}
    messages = update.get("messages") or []
    return next(
        (each for each in messages if isinstance(each, ToolMessage) and each.tool_call_id == call.call_id),
        None,
    )


def _result_of(message: ToolMessage | None) -> ToolResult:
    if message is None:
        return ToolResult()
    value = cast("Json", message.content)
    return ToolResult(error=with_context(value, ())) if message.status == "error" else ToolResult(value)


def _answered(
    response: Response, message: ToolMessage | None, before: BeforeTool, after: AfterTool
) -> Response:
    """Return the result of a tool as hooks changed it."""
    context = (*before.context, *after.context)
    update: dict[str, object] = {}
    if message is not None and (after.changed or context):
        value = after.result.value if after.result.ok else after.result.error
        if isinstance(value, list):  # blocks
            content: object = [*value, *({"type": "text", "text": text} for text in context)]
        else:
            content = with_context(value, context)
        changes: dict[str, object] = {"content": content, "status": "success" if after.result.ok else "error"}
        if after.changed:
            changes["artifact"] = None  # it has the result that hooks changed
        changed = message.model_copy(update=changes)
        if response is message:
            response = changed
        else:
            old = response.update["messages"]
            update["messages"] = [changed if each is message else each for each in old]
    if after.action == "stop":
        update["sandhook_ended"] = after.reason
    if not update:
        return response
    if isinstance(response, ToolMessage):
        return Command(update={"messages": [response], **update})
    return replace(response, update={**(response.update or {}), **update})
