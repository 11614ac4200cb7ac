"""OpenAI Agents SDK: a runner whose agents have hooks, a bash tool, and an executor for the SDK's own shell tool.

    runner = HookRunner(".claude/settings.json")
    result = await runner.run(Agent(name="dev", tools=[bash_tool()]), "List the files.")

The SDK's guardrails and run hooks can refuse and observe, and change nothing. So the runner wraps the tools of the
agent, of its MCP servers and of the agents that it hands off to. A refused call is a tool result with the reason. A
refused message raises InputGuardrailTripwireTriggered, as an input guardrail does. "ask" interrupts the run for an
approval where the SDK has that. ``guard`` returns a guarded agent for the SDK's own Runner.

Source: openai-agents 0.24.0, ``FunctionTool``, ``ShellTool``, ``Agent.get_all_tools``, ``InputGuardrail``.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from json import dumps, loads
from typing import TYPE_CHECKING, cast

from agents import (
    Agent,
    AgentsException,
    FunctionTool,
    GuardrailFunctionOutput,
    InputGuardrail,
    InputGuardrailResult,
    InputGuardrailTripwireTriggered,
    Runner,
)

from sandhook.bridges.core import error_text, guard_of, inside_tool, json_of, with_context
from sandhook.bridges.points import Actor, AfterTool, BeforeTool
from sandhook.bridges.shelltool import SCHEMA, command_of, shell_of
from sandhook.hooks.event import ToolCall, ToolResult

try:
    from agents import ShellCallOutcome, ShellCommandOutput, ShellResult
    from agents import ShellTool as SdkShellTool
except ImportError:  # an older version
    SdkShellTool = None

if TYPE_CHECKING:
    from typing import Unpack

    from agents import Handoff, ShellCommandRequest, Tool
    from agents.run import RunResult, RunResultStreaming
    from agents.tool_context import ToolContext

    from sandhook.bridges.core import Guard, GuardArguments, Hooks
    from sandhook.bridges.shelltool import ShellArguments, ShellTool

    Input = str | list[dict[str, object]]

#: Decisions that wait for the user, by call.
_PENDING = 1_000


class StoppedByHook(AgentsException):
    """A hook ended the agent; the message is its reason."""


class HookRunner:
    """Runs agents with hooks; its methods have the arguments of the SDK's Runner.

    Args:
        hooks: A Guard, or what makes one: an engine, paths, or decoded configurations.
        hosted: Agents may have tools that run at the provider, which no hook sees.
        arguments: Those of ``sandhook.bridges.core.Guard``.
    """

    def __init__(self, hooks: Hooks, *, hosted: bool = False, **arguments: Unpack[GuardArguments]) -> None:
        self.hooks = guard_of(hooks, **arguments)
        self._hosted = hosted

    def guard(self, agent: Agent, *, session_id: str | None = None) -> Agent:
        """Return a copy of an agent whose tools have hooks, and with it the agents that it hands off to.

        For the SDK's own Runner: an input guardrail fires the hooks for the message, which it can refuse. A message
        that a hook changes is refused, because a guardrail cannot change it.
        """
        actor = Actor(session_id, agent_type=agent.name)
        guarded = _Guarding(self.hooks, self._hosted, actor).agent(agent)
        guarded.input_guardrails = [*guarded.input_guardrails, _guardrail(self.hooks, actor)]
        return guarded

    async def run(self, agent: Agent, input: Input, **arguments: object) -> RunResult:
        """Run an agent; hooks may make it go on. Raises InputGuardrailTripwireTriggered for a refused message."""
        actor = _actor(agent, arguments)
        guarded = _Guarding(self.hooks, self._hosted, actor).agent(agent)
        input = await self._prompt(input, actor)
        laps = 0
        while True:
            result = await Runner.run(guarded, input, **arguments)
            if getattr(result, "interruptions", None):
                return result
            stop = await self.hooks.astop(actor, laps=laps)
            if stop.action == "stop":
                return result
            laps += 1
            message: list[dict[str, object]] = [{"role": "user", "content": stop.reason}]
            input = message if arguments.get("session") is not None else [*result.to_input_list(), *message]

    def run_sync(self, agent: Agent, input: Input, **arguments: object) -> RunResult:
        """Run an agent without an event loop."""
        import asyncio

        return asyncio.run(self.run(agent, input, **arguments))

    async def run_streamed(self, agent: Agent, input: Input, **arguments: object) -> RunResultStreaming:
        """Return a run that streams; hooks cannot make it go on, because its stream has ended then."""
        actor = _actor(agent, arguments)
        guarded = _Guarding(self.hooks, self._hosted, actor).agent(agent)
        return Runner.run_streamed(guarded, await self._prompt(input, actor), **arguments)

    def as_tool(self, agent: Agent, name: str, description: str) -> FunctionTool:
        """Return a tool that runs an agent with hooks: as a sub-agent, where a guarded agent calls it."""

        async def invoke(context: ToolContext, arguments: str) -> str:
            result = await self.run(agent, str(loads(arguments)["input"]), context=context.context)
            return str(result.final_output)

        schema = {
            "type": "object",
            "properties": {"input": {"type": "string"}},
            "required": ["input"],
            "additionalProperties": False,
        }
        return FunctionTool(
            name=name, description=description, params_json_schema=schema, on_invoke_tool=invoke
        )

    async def _prompt(self, input: Input, actor: Actor) -> Input:
        """Fire the start and the last message of the user; a state that is resumed has neither."""
        if not isinstance(input, (str, list)):
            return input
        start = await self.hooks.astart(actor)
        if start.action == "stop":
            raise _tripwire(start.reason)
        text = _last_text(input)
        if text is None:
            return input
        on = await self.hooks.aprompt(text, actor)
        if on.action != "go":
            raise _tripwire(on.reason)
        changed = with_context(on.prompt, (*start.context, *on.context))
        return input if changed == text else _with_text(input, changed)


def bash_tool(shell: ShellTool | None = None, **arguments: Unpack[ShellArguments]) -> FunctionTool:
    """Return a bash tool.

    Args:
        shell: The ShellTool to use; keep it to store the session with ``snapshot``.
        arguments: Those of a new ShellTool.
    """
    tool = shell_of(shell, arguments)

    async def invoke(context: ToolContext, text: str) -> str:
        try:
            command = command_of(loads(text))
        except ValueError as error:  # also of what is not JSON
            return f"error: {error}"
        return (await tool.arun(command)).text

    return FunctionTool(
        name=tool.name, description=tool.description, params_json_schema=SCHEMA, on_invoke_tool=invoke
    )


def shell_executor(
    shell: ShellTool | None = None, **arguments: Unpack[ShellArguments]
) -> Callable[..., object]:
    """Return an executor for the SDK's ``ShellTool``, with the model's timeout and bound of output."""
    tool = shell_of(shell, arguments)

    async def execute(request: ShellCommandRequest) -> ShellResult:
        action = request.data.action
        seconds = None if action.timeout_ms is None else max(action.timeout_ms, 1) / 1000
        outputs = []
        for command in action.commands:
            output = await tool.arun(command, timeout=seconds)
            timed_out = output.limit == "wall_seconds"
            outcome = (
                ShellCallOutcome(type="timeout")
                if timed_out
                else ShellCallOutcome(type="exit", exit_code=output.exit_status)
            )
            outputs.append(
                ShellCommandOutput(
                    stdout=output.stdout, stderr=output.stderr, outcome=outcome, command=command
                )
            )
        return ShellResult(output=outputs, max_output_length=action.max_output_length or tool.max_chars)

    return execute


class _Guarding:
    """Wraps agents and their tools for one run, each agent once."""

    def __init__(self, guard: Guard, hosted: bool, actor: Actor) -> None:
        self._guard, self._hosted, self._actor = guard, hosted, actor
        self._agents: dict[int, Agent] = {}
        self._pending: OrderedDict[str, BeforeTool] = OrderedDict()

    def agent(self, agent: Agent) -> Agent:
        if id(agent) in self._agents:
            return self._agents[id(agent)]
        wrapped: dict[int, tuple[Tool, Tool]] = {}

        own = type(agent)

        async def get_all_tools(inner: Agent, run_context: object) -> list[Tool]:
            tools = await own.get_all_tools(inner, run_context)
            return [wrapped.setdefault(id(tool), (tool, self._tool(tool)))[1] for tool in tools]

        values = {each.name: getattr(agent, each.name) for each in fields(agent) if each.init}
        for tool in agent.tools:
            self._tool(tool)  # a tool that no hook would see is reported now
        members = {"get_all_tools": get_all_tools, "__module__": own.__module__}
        guarded = type(own.__name__, (own,), members)(**values)
        self._agents[id(agent)] = guarded
        guarded.handoffs = [self._handoff(each) for each in agent.handoffs]
        return guarded

    def _handoff(self, handoff: Agent | Handoff) -> Agent | Handoff:
        if isinstance(handoff, Agent):
            return self.agent(handoff)
        invoke = handoff.on_invoke_handoff

        async def guarded(*arguments: object) -> Agent:
            return self.agent(await invoke(*arguments))

        return replace(handoff, on_invoke_handoff=guarded)

    def _tool(self, tool: Tool) -> Tool:
        if isinstance(tool, FunctionTool):
            return self._function_tool(tool)
        if SdkShellTool is not None and isinstance(tool, SdkShellTool) and tool.executor is not None:
            return replace(tool, executor=self._executor(tool.name, tool.executor))
        if not self._hosted:
            name = getattr(tool, "name", type(tool).__name__)
            raise ValueError(
                f"tool {name}: no hook sees a {type(tool).__name__}; pass hosted=True to permit it"
            )
        return tool

    def _function_tool(self, tool: FunctionTool) -> FunctionTool:
        async def invoke(context: ToolContext, text: str) -> object:
            return await self._invoke(tool, context, text)

        changes: dict[str, object] = {"on_invoke_tool": invoke}
        if _has(tool, "needs_approval"):

            async def needs_approval(context: object, arguments: dict[str, object], call_id: str) -> bool:
                before = await self._guard.abefore_tool(tool.name, arguments, self._actor, call_id=call_id)
                self._pending[call_id] = before
                if len(self._pending) > _PENDING:
                    self._pending.popitem(last=False)
                own = tool.needs_approval
                if callable(own):
                    result = own(context, arguments, call_id)
                    own = await result if isinstance(result, Awaitable) else result
                return before.action == "ask" or bool(own)

            changes["needs_approval"] = needs_approval
        return replace(tool, **changes)

    async def _invoke(self, tool: FunctionTool, context: ToolContext, text: str) -> object:
        call_id = getattr(context, "tool_call_id", None)
        before = self._pending.pop(call_id or "", None)
        if before is None:
            before = await self._guard.abefore_tool(tool.name, _arguments(text), self._actor, call_id=call_id)
        approved = (
            before.action == "ask"
            and _has(tool, "needs_approval")
            and bool(context.is_tool_approved(tool.name, call_id))
        )
        if before.action != "go" and not approved:
            return _refused(before)
        call = ToolCall(tool.name, before.input, call_id)
        changed = dumps(before.input) if before.changed else text
        try:
            with inside_tool():
                result = await tool.on_invoke_tool(context, changed)
        except Exception as error:
            await self._guard.aafter_tool(call, ToolResult(error=error_text(error)), self._actor)
            raise
        after = await self._guard.aafter_tool(call, ToolResult(json_of(result)), self._actor)
        return _answered(result, before, after)

    def _executor(
        self, name: str, execute: Callable[[object], object]
    ) -> Callable[[object], Awaitable[object]]:
        """Return an executor that fires hooks for each command of a call."""

        async def guarded(request: ShellCommandRequest) -> ShellResult:
            outputs: list[object] = []
            action = request.data.action
            for command in action.commands:
                outputs += await self._command(name, execute, request, command)
            return ShellResult(output=outputs, max_output_length=action.max_output_length)

        return guarded

    async def _command(
        self, name: str, execute: Callable[[object], object], request: ShellCommandRequest, command: str
    ) -> Sequence[object]:
        call_id = request.data.call_id
        before = await self._guard.abefore_tool(name, {"command": command}, self._actor, call_id=call_id)
        if before.action != "go":
            outcome = ShellCallOutcome(type="exit", exit_code=126)
            return [ShellCommandOutput(stderr=_refused(before), outcome=outcome, command=command)]
        input = cast("dict[str, object]", before.input)
        action = replace(request.data.action, commands=[str(input["command"])])
        with inside_tool():
            pending = execute(replace(request, data=replace(request.data, action=action)))
            result: ShellResult = await pending if isinstance(pending, Awaitable) else pending
        if isinstance(result, str):
            result = ShellResult(output=[ShellCommandOutput(stdout=result, command=command)])
        outputs = []
        call = ToolCall(name, before.input, call_id)
        for output in result.output:
            text = "\n".join(filter(None, (output.stdout, output.stderr)))
            after = await self._guard.aafter_tool(call, ToolResult(text), self._actor)
            if after.changed or before.context or after.context or after.action == "stop":
                output = replace(output, stdout=str(_answered(text, before, after)), stderr="")
            outputs.append(output)
        return outputs


def _refused(before: BeforeTool) -> str:
    if before.action == "stop":
        raise StoppedByHook(before.reason)
    return with_context(before.reason, before.context)


def _answered(result: object, before: BeforeTool, after: AfterTool) -> object:
    context = (*before.context, *after.context)
    if after.action == "stop":
        raise StoppedByHook(after.reason)
    if not after.changed and not context:
        return result
    value = after.result.value if after.result.ok else after.result.error
    return with_context(value, context)


def _guardrail(guard: Guard, actor: Actor) -> InputGuardrail:
    async def sandhook(context: object, agent: object, input: Input) -> GuardrailFunctionOutput:
        start = await guard.astart(actor)
        text = _last_text(input)
        on = None if text is None or start.action == "stop" else await guard.aprompt(text, actor)
        reason = start.reason
        if on is not None and on.action != "go":
            reason = on.reason
        elif on is not None and (on.prompt != text or on.context or start.context):
            reason = "a hook changes the message, which a guardrail cannot: use HookRunner.run"
        return GuardrailFunctionOutput(output_info=reason, tripwire_triggered=bool(reason))

    guardrail = InputGuardrail(guardrail_function=sandhook)
    if _has(guardrail, "run_in_parallel"):
        guardrail.run_in_parallel = False
    return guardrail


def _tripwire(reason: str) -> InputGuardrailTripwireTriggered:
    async def sandhook(context: object, agent: object, input: object) -> GuardrailFunctionOutput:
        return output

    output = GuardrailFunctionOutput(output_info=reason, tripwire_triggered=True)
    error = InputGuardrailTripwireTriggered(InputGuardrailResult(InputGuardrail(sandhook), output))
    error.add_note(reason)
    return error


def _has(value: object, name: str) -> bool:
    return is_dataclass(value) and any(each.name == name for each in fields(value))


def _actor(agent: Agent, arguments: dict[str, object]) -> Actor:
    session = getattr(arguments.get("session"), "session_id", None)
    group = getattr(arguments.get("run_config"), "group_id", None)
    conversation = arguments.get("conversation_id")
    session_id = next((str(each) for each in (session, group, conversation) if each), None)
    return Actor(session_id, agent_type=agent.name)


def _arguments(text: str) -> object:
    try:
        return loads(text) if text else {}
    except ValueError:
        return text


def _last_text(input: Input) -> str | None:
    """Return the text of the last message if it is the user's, else None."""
    if isinstance(input, str):
        return input
    last = input[-1] if input else {}
    if last.get("role") != "user":
        return None
    content = last.get("content")
    if isinstance(content, str):
        return content
    parts = cast("list[dict[str, object]]", content or [])
    return "\n".join(str(part["text"]) for part in parts if part.get("type") == "input_text")


def _with_text(input: Input, text: str) -> Input:
    if isinstance(input, str):
        return text
    *earlier, last = input
    content = last.get("content")
    if not isinstance(content, str):
        parts = cast("list[dict[str, object]]", content or [])
        rest = [part for part in parts if part.get("type") != "input_text"]
        return [*earlier, {**last, "content": [{"type": "input_text", "text": text}, *rest]}]
    return [*earlier, {**last, "content": text}]
