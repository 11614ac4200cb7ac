"""Google ADK: hooks as a plugin, and a bash tool.

    app = App(name="app", root_agent=agent, plugins=[HookPlugin(".claude/settings.json")])
    runner = InMemoryRunner(app=app)

A plugin's callbacks fire hooks for the message, the start of a session and of sub-agents, before and after each tool,
and before the final answer. A refused call is a tool response with "error". "ask" is ADK's tool confirmation, where
the version has it. When hooks want the agent to go on, the plugin asks the model again with the reason: ADK has no
other point where a final answer can be refused. An agent below another one is a sub-agent.

Source: google-adk 2.13.0, ``BasePlugin`` and ``flows.llm_flows``.
"""

from __future__ import annotations

from collections import OrderedDict
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, cast

from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.genai import types

from sandhook.bridges.core import error_text, guard_of, inside_tool, json_of, tools_around, with_context
from sandhook.bridges.points import Actor, AfterTool, BeforeTool
from sandhook.bridges.shelltool import COMMAND, command_of, shell_of
from sandhook.hooks.event import Json, ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias, Unpack

    from google.adk.agents import BaseAgent
    from google.adk.agents.callback_context import CallbackContext
    from google.adk.agents.invocation_context import InvocationContext
    from google.adk.models.llm_request import LlmRequest
    from google.adk.tools.tool_context import ToolContext

    from sandhook.bridges.core import GuardArguments, Hooks
    from sandhook.bridges.shelltool import ShellArguments, ShellTool

    #: A response of a tool.
    Response: TypeAlias = dict[str, object]

#: Invocations and calls that a plugin remembers; those that were cancelled are never removed otherwise.
_REMEMBERED = 10_000


class _Call:
    """A tool call between its callbacks."""

    def __init__(self, before: BeforeTool, call: ToolCall) -> None:
        self.before, self.call = before, call
        self.around: AbstractContextManager[None] | None = None

    def enter(self) -> None:
        self.around = inside_tool()
        self.around.__enter__()

    def leave(self) -> None:
        if self.around is not None:
            with suppress(ValueError):  # ADK called back in another task, whose variables are its own
                self.around.__exit__(None, None, None)
            self.around = None


class _Turn:
    """What the plugin remembers of an agent in an invocation."""

    def __init__(self, agent: BaseAgent | None, request: LlmRequest | None = None) -> None:
        self.agent, self.request = agent, request
        self.context: tuple[str, ...] = ()
        self.laps = 0


class HookPlugin(BasePlugin):
    """Hooks for all agents of a runner.

    Args:
        hooks: A Guard, or what makes one: an engine, paths, or decoded configurations.
        name: The plugin's name.
        arguments: Those of ``sandhook.bridges.core.Guard``.
    """

    def __init__(self, hooks: Hooks, *, name: str = "sandhook", **arguments: Unpack[GuardArguments]) -> None:
        super().__init__(name=name)
        self.hooks = guard_of(hooks, **arguments)
        self._ended: OrderedDict[str, str] = OrderedDict()
        self._turns: OrderedDict[tuple[str, str], _Turn] = OrderedDict()
        self._calls: OrderedDict[int, _Call] = OrderedDict()

    # The run.

    async def on_user_message_callback(
        self, *, invocation_context: InvocationContext, user_message: types.Content
    ) -> types.Content | None:
        """Fire the start and the message; ``before_run_callback`` ends a run that is refused."""
        actor = _actor(invocation_context.agent, invocation_context.session.id)
        start = await self.hooks.astart(actor)
        if start.action == "stop":
            self._end(invocation_context.invocation_id, start.reason)
            return None
        parts = list(user_message.parts or ())
        text = "\n".join(part.text for part in parts if part.text)
        if not text:  # a confirmation, or a file
            return None
        on = await self.hooks.aprompt(text, actor)
        if on.action != "go":
            self._end(invocation_context.invocation_id, on.reason)
            return _content("user", "[a message that a hook refused]")
        changed = with_context(on.prompt, (*start.context, *on.context))
        if changed == text:
            return None
        others = [part for part in parts if not part.text]
        return types.Content(role=user_message.role, parts=[types.Part(text=changed), *others])

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> types.Content | None:
        """End a run whose message is refused, with the reason as its answer."""
        reason = self._ended.pop(invocation_context.invocation_id, None)
        return None if reason is None else _content("model", reason)

    async def before_agent_callback(
        self, *, agent: BaseAgent, callback_context: CallbackContext
    ) -> types.Content | None:
        """Fire the start of a sub-agent that another one transfers to."""
        turn = self._turn(callback_context, agent)
        if agent.parent_agent is None or tools_around():
            return None
        start = await self.hooks.astart(_actor(agent, _session(callback_context)))
        turn.context = start.context
        return _content("model", start.reason) if start.action == "stop" else None

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Add the context of a sub-agent's start; end an agent that a hook ended."""
        reason = self._ended.pop(callback_context.invocation_id, None)
        if reason is not None:
            return LlmResponse(content=_content("model", reason))
        turn = self._turn(callback_context)
        if turn.context:
            llm_request.append_instructions([with_context("", turn.context)])
        turn.request = llm_request
        return None

    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        """Fire the stop when an answer is final; ask the model again if hooks want the agent to go on."""
        turn = self._turn(callback_context)
        answer, agent = llm_response, turn.agent
        while _is_final(answer) and turn.request is not None and agent is not None:
            actor = _actor(agent, _session(callback_context))
            stop = await self.hooks.astop(actor, laps=turn.laps)
            if stop.action == "stop":
                break
            turn.laps += 1
            turn.request.contents += [cast("types.Content", answer.content), _content("user", stop.reason)]
            async for each in agent.canonical_model.generate_content_async(turn.request, stream=False):
                answer = each
        return None if answer is llm_response else answer

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Forget the run."""
        of_run = [key for key in self._turns if key[0] == invocation_context.invocation_id]
        for key in of_run:
            del self._turns[key]
        self._ended.pop(invocation_context.invocation_id, None)

    # Tools.

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, object], tool_context: ToolContext
    ) -> Response | None:
        """Fire the hooks before a tool; a response instead of None refuses the call."""
        actor = self._actor_of(tool_context)
        call_id = tool_context.function_call_id
        before = await self.hooks.abefore_tool(tool.name, tool_args, actor, call_id=call_id)
        if before.action == "ask":
            waiting = _ask(tool_context, before)
            if waiting is not None:
                self._remember(tool_args, _Call(before, ToolCall(tool.name, before.input, call_id)))
                return waiting
        call = _Call(before, ToolCall(tool.name, before.input, call_id))
        self._remember(tool_args, call)
        if before.action in ("refuse", "stop"):
            if before.action == "stop":
                self._end(tool_context.invocation_id, before.reason)
            return _refusal(before.reason, before.context)
        if before.changed and isinstance(before.input, dict):
            tool_args.clear()
            tool_args.update(before.input)
        call.enter()
        return None

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, object], tool_context: ToolContext, result: object
    ) -> Response | None:
        """Fire the hooks after a tool that ran."""
        call = self._calls.pop(id(tool_args), None)
        if call is None or call.around is None:  # refused, or it waits for a confirmation
            return None
        call.leave()
        after = await self.hooks.aafter_tool(
            call.call, ToolResult(_unwrapped(result)), self._actor_of(tool_context)
        )
        if after.action == "stop":
            self._end(tool_context.invocation_id, after.reason)
        return _answered(result, call.before, after)

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, object], tool_context: ToolContext, error: Exception
    ) -> Response | None:
        """Fire the hooks for a tool that failed; its error stays."""
        call = self._calls.pop(id(tool_args), None)
        if call is not None and call.around is not None:
            call.leave()
            actor = self._actor_of(tool_context)
            await self.hooks.aafter_tool(call.call, ToolResult(error=error_text(error)), actor)
        return None

    # What the plugin remembers.

    def _end(self, invocation_id: str, reason: str) -> None:
        self._ended[invocation_id] = reason
        if len(self._ended) > _REMEMBERED:
            self._ended.popitem(last=False)

    def _remember(self, tool_args: dict[str, object], call: _Call) -> None:
        self._calls[id(tool_args)] = call  # ADK passes one dictionary to all callbacks of a call
        if len(self._calls) > _REMEMBERED:
            self._calls.popitem(last=False)

    def _turn(self, context: CallbackContext, agent: BaseAgent | None = None) -> _Turn:
        key = (context.invocation_id, context.agent_name)
        turn = self._turns.setdefault(key, _Turn(agent))
        if agent is not None:
            turn.agent = agent
        if len(self._turns) > _REMEMBERED:
            self._turns.popitem(last=False)
        return turn

    def _actor_of(self, context: ToolContext) -> Actor:
        agent = self._turn(context).agent
        if agent is None:
            return Actor(_session(context), agent_type=context.agent_name)
        return _actor(agent, _session(context))


def _actor(agent: BaseAgent, session_id: str | None) -> Actor:
    depth, above = 0, agent.parent_agent
    while above is not None:
        depth, above = depth + 1, above.parent_agent
    return Actor(session_id, agent_type=agent.name, depth=depth + tools_around())


def _session(context: CallbackContext) -> str | None:
    session = getattr(context, "session", None) or context._invocation_context.session
    return str(session.id)


def _content(role: str, text: str) -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


def _is_final(response: LlmResponse) -> bool:
    """Return whether a response is an answer, and not a piece of one or a call of a tool."""
    if response.partial or response.content is None or response.error_code:
        return False
    parts = response.content.parts or ()
    return any(part.text for part in parts) and not any(part.function_call for part in parts)


def _ask(context: ToolContext, before: BeforeTool) -> Response | None:
    """Return the response that waits for the user or refuses; None if the user confirmed the call."""
    if not hasattr(context, "request_confirmation"):
        return _refusal(f"{before.reason} (nobody can be asked)", before.context)
    answer = context.tool_confirmation
    if answer is None:
        context.request_confirmation(hint=before.reason)
        context.actions.skip_summarization = True
        return {"error": f"this call needs a confirmation: {before.reason}"}
    return None if answer.confirmed else _refusal(f"the user rejected it: {before.reason}", before.context)


def _refusal(reason: str, context: Sequence[str]) -> Response:
    return {"error": with_context(reason, context)}


def _answered(result: object, before: BeforeTool, after: AfterTool) -> Response | None:
    """Return the response that hooks changed; None if they changed nothing."""
    context = (*before.context, *after.context)
    if after.action == "refuse" or not after.result.ok:
        return _refusal(after.result.error or after.reason, context)
    if not after.changed and not context:
        return None
    value = after.result.value if after.changed else _unwrapped(result)
    response: Response = dict(value) if isinstance(value, dict) else {"result": value}
    if context:
        response["context"] = "\n\n".join(context)
    return response


def _unwrapped(result: object) -> Json:
    """Return what a tool returned: ADK wraps a value that is not an object."""
    value = json_of(result)
    return value["result"] if isinstance(value, dict) and list(value) == ["result"] else value


class BashTool(BaseTool):
    """A bash tool; its response has the output as "result", as that of any function which returns text."""

    def __init__(self, shell: ShellTool) -> None:
        super().__init__(name=shell.name, description=shell.description)
        self.shell = shell

    def _get_declaration(self) -> types.FunctionDeclaration:
        command = types.Schema(type=types.Type.STRING, description=COMMAND["description"])
        parameters = types.Schema(
            type=types.Type.OBJECT, properties={"command": command}, required=["command"]
        )
        return types.FunctionDeclaration(name=self.name, description=self.description, parameters=parameters)

    async def run_async(self, *, args: dict[str, object], tool_context: ToolContext) -> Response:
        """Run the command."""
        try:
            command = command_of(args)
        except ValueError as error:
            return {"error": str(error)}
        return {"result": (await self.shell.arun(command)).text}


def bash_tool(shell: ShellTool | None = None, **arguments: Unpack[ShellArguments]) -> BashTool:
    """Return a bash tool.

    Args:
        shell: The ShellTool to use; keep it to store the session with ``snapshot``.
        arguments: Those of a new ShellTool.
    """
    return BashTool(shell_of(shell, arguments))
