"""Hooks and bash in agents of Pydantic AI, with a model that follows a script."""

from __future__ import annotations

import asyncio
import json
from datetime import date
from typing import Any

import pytest

pytest.importorskip("pydantic_ai.capabilities", reason="pydantic-ai is not installed: make test-bridges")

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, FunctionToolset, ToolDenied
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

from sandhook.bridges import pydantic_ai as bridge
from sandhook.bridges.core import Guard
from sandhook.bridges.pydantic_ai import HookCapability, HookToolset, StoppedByHook, bash_tool
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


def model(script: Script) -> FunctionModel:
    def answer(messages: Any, info: Any) -> ModelResponse:
        step = script.next(*(getattr(part, "content", "") for each in messages for part in each.parts))
        if isinstance(step, Call):
            return ModelResponse(parts=[ToolCallPart(step.tool, dict(step.input), tool_call_id=step.id)])
        return ModelResponse(parts=[TextPart(step)])

    async def stream(messages: Any, info: Any) -> Any:
        for index, part in enumerate(answer(messages, info).parts):
            if isinstance(part, TextPart):
                yield part.content
            else:
                yield {
                    index: DeltaToolCall(
                        part.tool_name, json.dumps(part.args), tool_call_id=part.tool_call_id
                    )
                }

    return FunctionModel(answer, stream_function=stream)


def agent(script: Script, hooks: Any, *tools: Any, **more: Any) -> Agent:
    return Agent(model(script), tools=list(tools), capabilities=[HookCapability(hooks)], **more)


def drive(scenario: Scenario, config: dict[str, object], shell: Recorder) -> Trace:
    script = Script([Call("bash", {"command": COMMAND})])
    guard = Guard(config)
    inner = agent(script, guard, bash_tool(shell), name="researcher")
    if not scenario.sub_agent:
        asyncio.run(inner.run(PROMPT))
        return Trace(shell.commands, script.requests)

    async def delegate(task: str) -> str:
        """Delegate a task."""
        return str((await inner.run(task)).output)

    outer = Script([Call("delegate", {"task": PROMPT})])
    asyncio.run(agent(outer, guard, delegate).run(PROMPT))
    return Trace(shell.commands, script.requests, outer.requests)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.name)
def test_decides_what_fire_decides(scenario: Scenario) -> None:
    check(scenario, drive)


@pytest.mark.parametrize("answer", [True, False, "denied"])
def test_ask_is_an_approval(answer: Any) -> None:
    script, shell = Script([Call("bash", {"command": COMMAND})]), Recorder()
    asked = agent(script, settings(PreToolUse=ASK), bash_tool(shell), output_type=[str, DeferredToolRequests])
    first = asyncio.run(asked.run(PROMPT))
    assert isinstance(first.output, DeferredToolRequests)
    assert [call.tool_name for call in first.output.approvals] == ["bash"]
    assert first.output.metadata == {"call_1": {"reason": "sure?"}}
    assert shell.commands == []
    approval = ToolDenied("better not") if answer == "denied" else answer
    results = DeferredToolResults(approvals={"call_1": approval})
    asyncio.run(asked.run(message_history=first.all_messages(), deferred_tool_results=results))
    assert shell.commands == ([COMMAND] if answer is True else [])


def test_a_refused_prompt_never_reaches_the_model() -> None:
    script = Script(["never"])
    with pytest.raises(StoppedByHook, match="not this"):
        asyncio.run(agent(script, settings(UserPromptSubmit="echo not this >&2; exit 2")).run(PROMPT))
    assert script.requests == []


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse", "SessionStart"])
def test_a_halt_ends_the_agent(event: str) -> None:
    script, shell = Script([Call("bash", {"command": COMMAND}), "never"]), Recorder()
    with pytest.raises(StoppedByHook, match="enough"):
        asyncio.run(agent(script, settings(**{event: HALT}), bash_tool(shell)).run(PROMPT))
    assert len(script.requests) == (event != "SessionStart")
    assert bool(shell.commands) == (event == "PostToolUse")


def test_a_toolset_has_hooks_without_the_capability() -> None:
    script, shell = Script([Call("bash", {"command": COMMAND})]), Recorder()
    toolset = HookToolset(FunctionToolset([bash_tool(shell)]), settings(PreToolUse="echo no >&2; exit 2"))
    asyncio.run(Agent(model(script), toolsets=[toolset]).run(PROMPT))
    assert shell.commands == []
    assert "no" in script.requests[-1].splitlines()
    toolset = HookToolset(FunctionToolset([bash_tool(shell)]), settings(PreToolUse=HALT))
    with pytest.raises(StoppedByHook):
        asyncio.run(
            Agent(model(Script([Call("bash", {"command": COMMAND})])), toolsets=[toolset]).run(PROMPT)
        )


def test_runs_that_stream_have_hooks() -> None:
    async def run() -> list[str]:
        script, shell = Script([Call("bash", {"command": COMMAND})]), Recorder()
        config = settings(PreToolUse="echo no >&2; exit 2", UserPromptSubmit="echo today")
        guarded = agent(script, config, bash_tool(shell))
        async with guarded.iter(PROMPT) as nodes:
            async for _ in nodes:
                pass
        return [*script.requests, *shell.commands]

    first, second = asyncio.run(run())
    assert "today" in first
    assert "no" in second.splitlines()


def test_arguments_keep_their_types_and_failures_are_events() -> None:
    seen: list[object] = []

    def book(day: date, note: str) -> str:
        """Book."""
        seen.append((day, note))
        raise OSError("booked out")

    new = (
        """jq -c '{hookSpecificOutput:{hookEventName:"PreToolUse",permissionDecision:"allow",updatedInput:"""
        """(.tool_input + {note: "new"})}}'"""
    )
    texts: list[str] = []
    hook = 'echo "{\\"systemMessage\\": \\"$(jq -r .error)\\"}"'
    guard = Guard(settings(PreToolUse=new, PostToolUseFailure=hook), notify=texts.append)
    script = Script([Call("book", {"day": "2026-01-02", "note": "old"})])
    with pytest.raises(OSError, match="booked out"):
        asyncio.run(agent(script, guard, book).run(PROMPT))
    assert seen == [(date(2026, 1, 2), "new")]
    assert texts == ["OSError: booked out"]


def test_the_metadata_has_the_exit_status_and_the_shell_is_restored() -> None:
    shell = ShellTool()
    script = Script([Call("bash", {"command": "x=stored; exit 3"})])
    result = asyncio.run(agent(script, {}, bash_tool(shell)).run(PROMPT))
    (part,) = [
        part for each in result.all_messages() for part in each.parts if isinstance(part, ToolReturnPart)
    ]
    assert part.content == "[exit status 3]"
    assert part.metadata["exit_status"] == 3
    script = Script([Call("bash", {"command": "echo $x"})])
    asyncio.run(agent(script, {}, bash_tool(ShellTool.restore(shell.snapshot()))).run(PROMPT))
    assert "stored" in script.requests[-1]


@pytest.mark.skipif(not hasattr(bridge, "SandhookOutput"), reason="tools have no events in this version")
def test_output_is_streamed_as_events() -> None:
    async def run() -> list[object]:
        script = Script([Call("bash", {"command": "echo one; sleep 1; echo two >&2"})])
        seen: list[object] = []

        async def note(ctx: Any, events: Any) -> None:
            seen.extend([event async for event in events])

        await agent(script, {}, bash_tool()).run(PROMPT, event_stream_handler=note)
        return seen

    events = asyncio.run(run())
    pieces = [event for event in events if isinstance(event, bridge.SandhookOutput)]
    assert [piece.output for piece in pieces] == ["one\n", "two\n"]
    assert {(piece.tool_name, piece.name) for piece in pieces} == {("bash", "sandhook_output")}
    kinds = [type(event).__name__ for event in events]
    assert kinds.index("SandhookOutput") < kinds.index("FunctionToolResultEvent"), "before the result"
