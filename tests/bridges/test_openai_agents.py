"""Hooks and bash in agents of the OpenAI Agents SDK, with a model that follows a script."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed: make test-bridges")

import agents
from agents import Agent, FunctionTool, InputGuardrailTripwireTriggered, Model, ModelResponse, Runner, Usage
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from sandhook.bridges.core import Guard
from sandhook.bridges.openai_agents import HookRunner, StoppedByHook, bash_tool, shell_executor
from sandhook.bridges.shelltool import ShellTool
from tests.bridges.scenarios import (
    ASK,
    COMMAND,
    HALT,
    PROMPT,
    SCENARIOS,
    Call,
    Recorder,
    Scenario,
    Script,
    Trace,
    check,
    settings,
)

pytestmark = pytest.mark.filterwarnings("default")  # what a framework warns of is not ours

agents.set_tracing_disabled(True)

needs_approvals = pytest.mark.skipif(
    "needs_approval" not in FunctionTool.__dataclass_fields__, reason="this version has no approvals"
)


class Scripted(Model):
    """A model that follows a script."""

    def __init__(self, script: Script) -> None:
        self.script = script

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
        items = [input] if isinstance(input, str) else [_text(item) for item in input]
        step = self.script.next(*items)
        if isinstance(step, Call):
            output: Any = ResponseFunctionToolCall(
                arguments=json.dumps(step.input), call_id=step.id, name=step.tool, type="function_call"
            )
        else:
            text = ResponseOutputText(text=step, type="output_text", annotations=[])
            output = ResponseOutputMessage(
                id="m", content=[text], role="assistant", status="completed", type="message"
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def _text(item: Any) -> str:
    content = item.get("content") or item.get("output") or ""
    return content if isinstance(content, str) else "\n".join(str(part.get("text")) for part in content)


def agent(script: Script, *tools: Any, **more: Any) -> Agent:
    return Agent(name=more.pop("name", "dev"), model=Scripted(script), tools=list(tools), **more)


def drive(scenario: Scenario, config: dict[str, object], shell: Recorder) -> Trace:
    script = Script([Call("bash", {"command": COMMAND})])
    runner = HookRunner(Guard(config))
    inner = agent(script, bash_tool(shell), name="researcher")
    if not scenario.sub_agent:
        runner.run_sync(inner, PROMPT)
        return Trace(shell.commands, script.requests)
    outer = Script([Call("delegate", {"input": PROMPT})])
    runner.run_sync(agent(outer, runner.as_tool(inner, "delegate", "Delegate a task.")), PROMPT)
    return Trace(shell.commands, script.requests, outer.requests)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.name)
def test_decides_what_fire_decides(scenario: Scenario) -> None:
    check(scenario, drive)


@needs_approvals
@pytest.mark.parametrize("approves", [True, False])
def test_ask_is_an_approval(approves: bool) -> None:
    async def run() -> None:
        script, shell = Script([Call("bash", {"command": COMMAND})]), Recorder()
        runner, dev = HookRunner(settings(PreToolUse=ASK)), agent(Script([]), bash_tool(shell))
        dev.model = Scripted(script)
        first = await runner.run(dev, PROMPT)
        (item,) = first.interruptions
        assert shell.commands == []
        state = first.to_state()
        state.approve(item) if approves else state.reject(item)
        result = await runner.run(dev, state)
        assert result.final_output == "done"
        assert shell.commands == ([COMMAND] if approves else [])

    asyncio.run(run())


@needs_approvals
def test_a_hook_runs_once_for_a_call() -> None:
    script = Script([Call("bash", {"command": COMMAND})])
    texts: list[str] = []
    guard = Guard(settings(PreToolUse="""echo '{"systemMessage": "once"}'"""), notify=texts.append)
    HookRunner(guard).run_sync(agent(script, bash_tool()), PROMPT)
    assert texts == ["once"]


def test_a_refused_message_is_a_tripwire() -> None:
    script = Script(["never"])
    runner = HookRunner(settings(UserPromptSubmit="echo not this >&2; exit 2"))
    with pytest.raises(InputGuardrailTripwireTriggered) as caught:
        runner.run_sync(agent(script), PROMPT)
    assert caught.value.guardrail_result.output.output_info == "not this"
    with pytest.raises(InputGuardrailTripwireTriggered):
        asyncio.run(Runner.run(runner.guard(agent(script)), PROMPT))


def test_a_guarded_agent_has_hooks_in_the_runner_of_the_sdk() -> None:
    script, shell = Script([Call("bash", {"command": COMMAND})]), Recorder()
    runner = HookRunner(settings(PreToolUse="echo no >&2; exit 2"))
    asyncio.run(Runner.run(runner.guard(agent(script, bash_tool(shell))), PROMPT))
    assert shell.commands == []
    assert "no" in script.requests[-1].splitlines()
    runner = HookRunner(settings(UserPromptSubmit="echo context"))
    with pytest.raises(InputGuardrailTripwireTriggered) as caught:
        asyncio.run(Runner.run(runner.guard(agent(Script(["never"]))), PROMPT))
    assert "HookRunner.run" in caught.value.guardrail_result.output.output_info


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_a_halt_ends_the_agent(event: str) -> None:
    script, shell = Script([Call("bash", {"command": COMMAND}), "never"]), Recorder()
    with pytest.raises(StoppedByHook, match="enough"):
        HookRunner(settings(**{event: HALT})).run_sync(agent(script, bash_tool(shell)), PROMPT)
    assert len(script.requests) == 1
    assert bool(shell.commands) == (event == "PostToolUse")


def test_agents_that_are_handed_off_to_have_hooks() -> None:
    inner, shell = Script([Call("bash", {"command": COMMAND}, "call_2")]), Recorder()
    other = agent(inner, bash_tool(shell), name="other")
    outer = Script([Call("transfer_to_other", {})])
    first = agent(outer, handoffs=[other])
    other.handoffs = [first]
    result = HookRunner(settings(PreToolUse="echo no >&2; exit 2")).run_sync(first, PROMPT)
    assert result.final_output == "done"
    assert shell.commands == []
    assert "no" in inner.requests[-1].splitlines()


def test_tools_that_no_hook_sees_are_refused() -> None:
    dev = agent(Script(["ok"]), agents.WebSearchTool())
    with pytest.raises(ValueError, match="no hook sees a WebSearchTool; pass hosted=True"):
        HookRunner({}).run_sync(dev, PROMPT)
    assert HookRunner({}, hosted=True).run_sync(dev, PROMPT).final_output == "ok"


@pytest.mark.skipif(not hasattr(agents, "ShellTool"), reason="this version has no ShellTool")
def test_the_shell_tool_of_the_sdk_runs_here_and_has_hooks() -> None:
    from agents.tool import ShellActionRequest, ShellCallData, ShellCommandRequest

    shell = Recorder()
    tool = agents.ShellTool(executor=shell_executor(shell))
    guard = "jq -e '.tool_input.command | test(\"^rm\") | not' >/dev/null || { echo no rm >&2; exit 2; }"
    dev = HookRunner(settings(PreToolUse=guard)).guard(agent(Script([]), tool))

    async def run() -> Any:
        (guarded,) = await dev.get_all_tools(agents.RunContextWrapper(None))
        action = ShellActionRequest(["echo one", "rm x", "exit 3", "while :; do :; done"], 500, 99)
        request = ShellCommandRequest(agents.RunContextWrapper(None), ShellCallData("c", action))
        return await guarded.executor(request)

    result = asyncio.run(run())
    one, refused, three, slow = result.output
    assert (one.stdout, one.exit_code) == ("one\n", 0)
    assert refused.stderr == "no rm"
    assert three.exit_code == 3
    assert slow.status == "timeout"
    assert result.max_output_length == 99
    assert "rm x" not in shell.commands


def test_the_shell_is_restored_and_wrong_arguments_are_reported() -> None:
    shell = ShellTool()
    script = Script([Call("bash", {"command": "x=stored; exit 3"}), Call("bash", {"wrong": 1}, "call_2")])
    HookRunner({}).run_sync(agent(script, bash_tool(shell)), PROMPT)
    assert "[exit status 3]" in script.requests[1]
    assert "the arguments must be" in script.requests[2]
    script = Script([Call("bash", {"command": "echo $x"})])
    HookRunner({}).run_sync(agent(script, bash_tool(ShellTool.restore(shell.snapshot()))), PROMPT)
    assert "stored" in script.requests[-1]
