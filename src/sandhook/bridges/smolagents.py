"""smolagents: an agent with hooks, and a bash tool.

    agent = guarded(CodeAgent(tools=[bash_tool()], model=model), ".claude/settings.json")

Hooks fire for the task, around each tool and managed agent, and before the final answer, which is a check of the
agent. A refused call is an error that the model sees. smolagents has no approvals, so "ask" is a refusal.

Source: smolagents 1.26.0, ``Tool.__call__``, ``MultiStepAgent.run`` and ``final_answer_checks``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from smolagents import MultiStepAgent, Tool

from sandhook.bridges.core import error_text, guard_of, inside_tool, json_of, tools_around, with_context
from sandhook.bridges.points import Actor, AfterTool, BeforeTool
from sandhook.bridges.shelltool import COMMAND, shell_of
from sandhook.hooks.event import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Unpack

    from sandhook.bridges.core import Guard, GuardArguments, Hooks
    from sandhook.bridges.shelltool import ShellArguments, ShellTool

#: The tool by which an agent ends; the check of the final answer fires the stop.
_FINAL = "final_answer"


class RefusedByHook(Exception):
    """A hook refused a task or a tool, or ended the agent; the message is its reason."""


def guarded(
    agent: MultiStepAgent,
    hooks: Hooks,
    *,
    session_id: str | None = None,
    **arguments: Unpack[GuardArguments],
) -> MultiStepAgent:
    """Give an agent, its tools and its managed agents hooks, and return it.

    Args:
        hooks: A Guard, or what makes one: an engine, paths, or decoded configurations.
        session_id: The conversation, for hooks.
        arguments: Those of ``sandhook.bridges.core.Guard``.
    """
    guard = guard_of(hooks, **arguments)
    if isinstance(getattr(agent, "run", None), _HookedRun):
        raise ValueError(f"agent {agent.name or type(agent).__name__}: it has hooks already")
    run = _Run(guard, agent, session_id)
    agent.run = _HookedRun(agent.run, run)
    agent.tools = {
        name: tool if name == _FINAL else _guarded_tool(tool, run) for name, tool in agent.tools.items()
    }
    for name, managed in agent.managed_agents.items():
        if not isinstance(managed.run, _HookedRun):
            guarded(managed, guard, session_id=session_id)
        agent.managed_agents[name] = _ManagedAgent(managed, run)
    agent.final_answer_checks = [*(agent.final_answer_checks or []), run.stop_hook]
    return agent


class _Run:
    """One agent with hooks: its depth and its laps in the run that it is in."""

    def __init__(self, guard: Guard, agent: MultiStepAgent, session_id: str | None) -> None:
        self.guard, self._agent, self._session_id = guard, agent, session_id
        self._depth = self._laps = 0
        self._ended = ""

    @property
    def actor(self) -> Actor:
        name = getattr(self._agent, "name", None)
        return Actor(self._session_id, agent_type=name, depth=self._depth)

    def begin(self, task: str, *, starts: bool) -> str:
        """Return the task as hooks changed it. Raises RefusedByHook."""
        self._depth, self._laps, self._ended = tools_around(), 0, ""
        context: tuple[str, ...] = ()
        if starts:
            start = self.guard.start(self.actor)
            if start.action == "stop":
                raise RefusedByHook(start.reason)
            context = start.context
        on = self.guard.prompt(task, self.actor)
        if on.action != "go":
            raise RefusedByHook(on.reason)
        return with_context(on.prompt, (*context, *on.context))

    def end(self) -> None:
        """Raise RefusedByHook if a hook ended the agent."""
        if self._ended:
            raise RefusedByHook(self._ended)

    def stop_hook(self, answer: object, *_: object, **__: object) -> bool:
        """Fire the stop; an exception makes the agent go on, with the reason."""
        stop = self.guard.stop(self.actor, laps=self._laps)
        if stop.action == "go_on":
            self._laps += 1
            raise RefusedByHook(stop.reason)
        return True

    def call(
        self, name: str, input: Mapping[str, object], run: Callable[[Mapping[str, object]], object]
    ) -> object:
        """Call a tool with its hooks. Raises RefusedByHook."""
        before = self.guard.before_tool(name, input, self.actor)
        if before.action != "go":
            self._refuse(before.action == "stop", with_context(before.reason, before.context))
        call = ToolCall(name, before.input)
        try:
            with inside_tool(self._depth):
                result = run(cast("Mapping[str, object]", before.input) if before.changed else input)
        except Exception as error:
            self.guard.after_tool(call, ToolResult(error=error_text(error)), self.actor)
            raise
        after = self.guard.after_tool(call, ToolResult(json_of(result)), self.actor)
        return self._answered(result, before, after)

    def _answered(self, result: object, before: BeforeTool, after: AfterTool) -> object:
        context = (*before.context, *after.context)
        if after.action != "go" or not after.result.ok:
            reason = after.reason or after.result.error or ""
            self._refuse(after.action == "stop", with_context(reason, context))
        if context:
            return with_context(after.result.value, context)
        return after.result.value if after.changed else result

    def _refuse(self, stops: bool, reason: str) -> None:
        if stops:
            self._ended = reason
            self._agent.interrupt()
        raise RefusedByHook(reason)


class _HookedRun:
    """The method ``run`` of an agent with hooks."""

    def __init__(self, own: Callable[..., object], hooks: _Run) -> None:
        self._own, self._hooks = own, hooks

    def __call__(self, task: str, stream: bool = False, reset: bool = True, **arguments: object) -> object:
        """Run the agent for a task, which hooks may refuse or change."""
        task = self._hooks.begin(task, starts=reset)
        if stream:
            steps = self._own(task, stream=True, reset=reset, **arguments)
            return self._streamed(cast("Iterator[object]", steps))
        try:
            return self._own(task, stream=False, reset=reset, **arguments)
        finally:
            self._hooks.end()

    def _streamed(self, steps: Iterator[object]) -> Iterator[object]:
        try:
            yield from steps
        finally:
            self._hooks.end()


class _ManagedAgent:
    """A managed agent, for the agent that manages it: a call of it is a tool call."""

    def __init__(self, agent: MultiStepAgent, above: _Run) -> None:
        self._agent, self._above = agent, above

    def __getattr__(self, name: str) -> object:
        return getattr(self._agent, name)

    def __call__(self, task: str, **arguments: object) -> object:
        input = {"task": task, **arguments}
        return self._above.call(self._agent.name, input, lambda changed: self._agent(**dict(changed)))


def _guarded_tool(tool: Tool, run: _Run) -> Tool:
    """Return a tool that fires hooks and calls the other one."""

    class Guarded(Tool):
        skip_forward_signature_validation = True
        name, description = tool.name, tool.description
        inputs, output_type = tool.inputs, tool.output_type

        def forward(self, *args: object, **named: object) -> object:
            input = {**dict(zip(tool.inputs, args)), **named}
            return run.call(tool.name, input, lambda changed: tool(**dict(changed)))

    guarded_tool = Guarded()
    if getattr(tool, "output_schema", None) is not None:
        guarded_tool.output_schema = tool.output_schema
    return guarded_tool


def bash_tool(shell: ShellTool | None = None, **arguments: Unpack[ShellArguments]) -> Tool:
    """Return a bash tool.

    Args:
        shell: The ShellTool to use; keep it to store the session with ``snapshot``.
        arguments: Those of a new ShellTool.
    """
    tool = shell_of(shell, arguments)

    class Bash(Tool):
        name, description = tool.name, tool.description
        inputs = {"command": COMMAND}
        output_type = "string"

        def forward(self, command: str) -> str:
            return tool.run(command).text

    return Bash()
