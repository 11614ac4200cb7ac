"""Hooks and bash in agents of Microsoft Agent Framework, with a client that follows a script."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("agent_framework", reason="agent-framework-core is not installed: make test-bridges")

import agent_framework
from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
)

from sandhook.bridges.agent_framework import StoppedByHook, bash_tool, hook_middleware
from sandhook.bridges.core import Guard
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


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """A client that follows a script."""

    def __init__(self, script: Script) -> None:
        super().__init__()
        self.script = script

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> Any:
        step = self.script.next(*(_text(content) for message in messages for content in message.contents))
        if isinstance(step, Call):
            content = Content.from_function_call(step.id, step.tool, arguments=json.dumps(step.input))
        else:
            content = Content.from_text(step)
        if stream:

            async def updates() -> Any:
                yield ChatResponseUpdate(role="assistant", contents=[content])

            return ResponseStream(updates(), finalizer=ChatResponse.from_updates)

        async def respond() -> ChatResponse:
            return ChatResponse(messages=[Message(role="assistant", contents=[content])])

        return respond()


def _text(content: Any) -> str:
    return str(content.text or content.result or "") if content.type != "function_call" else ""


def agent(script: Script, hooks: Any, *tools: Any, name: str = "dev") -> Agent:
    return Agent(
        client=Scripted(script),
        name=name,
        description="Look things up.",
        tools=list(tools),
        middleware=hook_middleware(hooks),
    )


def drive(scenario: Scenario, config: dict[str, object], shell: Recorder) -> Trace:
    script = Script([Call("bash", {"command": COMMAND})])
    guard = Guard(config)
    inner = agent(script, guard, bash_tool(shell), name="researcher")
    if not scenario.sub_agent:
        asyncio.run(inner.run(PROMPT))
        return Trace(shell.commands, script.requests)
    outer = Script([Call("researcher", {"task": PROMPT})])
    asyncio.run(agent(outer, guard, inner.as_tool()).run(PROMPT))
    return Trace(shell.commands, script.requests, outer.requests)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.name)
def test_decides_what_fire_decides(scenario: Scenario) -> None:
    check(scenario, drive)


@pytest.mark.parametrize("approves", [True, False])
def test_ask_is_an_approval(approves: bool) -> None:
    async def run() -> None:
        script, shell = Script([Call("bash", {"command": COMMAND})]), Recorder()
        dev = agent(script, settings(PreToolUse=ASK), bash_tool(shell))
        session = dev.create_session()
        first = await dev.run(PROMPT, session=session)
        assert shell.commands == []
        if not first.user_input_requests:
            assert "nobody can be asked" in script.requests[-1]
            pytest.skip("in this version no middleware can ask")
        (request,) = first.user_input_requests
        assert request.additional_properties["reason"] == "sure?"
        answer = Message(role="user", contents=[request.to_function_approval_response(approves)])
        assert (await dev.run(answer, session=session)).text == "done"
        assert shell.commands == ([COMMAND] if approves else [])

    asyncio.run(run())


def test_a_refused_message_never_reaches_the_model() -> None:
    script = Script(["never"])
    dev = agent(script, settings(UserPromptSubmit="echo not this >&2; exit 2"))
    assert asyncio.run(dev.run(PROMPT)).text == "not this"
    assert script.requests == []

    async def stream() -> None:
        async for _ in dev.run(PROMPT, stream=True):
            pass

    with pytest.raises(StoppedByHook, match="not this"):
        asyncio.run(stream())


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse", "SessionStart"])
def test_a_halt_ends_the_agent(event: str) -> None:
    script, shell = Script([Call("bash", {"command": COMMAND}), "never"]), Recorder()
    response = asyncio.run(agent(script, settings(**{event: HALT}), bash_tool(shell)).run(PROMPT))
    assert response.text == "enough"
    assert len(script.requests) == (event != "SessionStart")
    assert bool(shell.commands) == (event == "PostToolUse")


def test_runs_that_stream_have_hooks() -> None:
    script, shell = Script([Call("bash", {"command": COMMAND})]), Recorder()
    dev = agent(
        script, settings(PreToolUse="echo no >&2; exit 2", UserPromptSubmit="echo today"), bash_tool(shell)
    )

    async def stream() -> str:
        return "".join([update.text async for update in dev.run(PROMPT, stream=True)])

    assert asyncio.run(stream()) == "done"
    again = Script(["first", "second"])
    dev = agent(again, settings(Stop="[ $(jq .stop_hook_active) = true ] || { echo go on >&2; exit 2; }"))
    assert asyncio.run(stream()) == "firstsecond"
    assert "go on" in again.requests[1]
    dev = agent(
        Script([Call("bash", {"command": COMMAND}), "never"]), settings(PreToolUse=HALT), bash_tool(shell)
    )
    with pytest.raises(StoppedByHook, match="enough"):
        asyncio.run(stream())
    assert shell.commands == []
    assert "today" in script.requests[0]
    assert "no" in script.requests[1].splitlines()


def test_failures_of_tools_are_events() -> None:
    @agent_framework.tool
    def broken() -> str:
        """Break."""
        raise OSError("broken pipe")

    texts: list[str] = []
    hook = 'echo "{\\"systemMessage\\": \\"$(jq -r .error)\\"}"'
    guard = Guard(settings(PostToolUseFailure=hook), notify=texts.append)
    asyncio.run(agent(Script([Call("broken", {})]), guard, broken).run(PROMPT))
    assert texts == ["OSError: broken pipe"]


def test_an_agent_goes_on_in_its_session() -> None:
    async def run() -> list[str]:
        script = Script(["first", "second"])
        dev = agent(
            script,
            settings(Stop="[ $(jq .stop_hook_active) = true ] || { echo go on >&2; exit 2; }"),
        )
        await dev.run(PROMPT, session=dev.create_session())
        return script.requests

    assert asyncio.run(run()) == [PROMPT, f"{PROMPT}\nfirst\ngo on"]


def test_the_shell_is_restored() -> None:
    shell = ShellTool()
    script = Script([Call("bash", {"command": "x=stored; exit 3"})])
    asyncio.run(agent(script, {}, bash_tool(shell)).run(PROMPT))
    assert "[exit status 3]" in script.requests[1]
    script = Script([Call("bash", {"command": "echo $x"})])
    asyncio.run(agent(script, {}, bash_tool(ShellTool.restore(shell.snapshot()))).run(PROMPT))
    assert "stored" in script.requests[-1]
