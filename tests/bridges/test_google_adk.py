"""Hooks and bash in agents of Google ADK, with a model that follows a script."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from functools import partial
from typing import Any

import pytest

pytest.importorskip("google.adk.plugins", reason="google-adk is not installed: make test-bridges")

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools.agent_tool import AgentTool
from google.genai import types

from sandhook.bridges.core import Guard
from sandhook.bridges.google_adk import HookPlugin, bash_tool
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


class Scripted(BaseLlm):
    """A model that follows a script."""

    script: Any

    async def generate_content_async(
        self, llm_request: Any, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        texts = [llm_request.config.system_instruction or ""]
        for content in llm_request.contents:
            for part in content.parts:
                response = part.function_response
                texts.append(part.text or (str(response.response) if response else ""))
        step = self.script.next(*texts)
        if isinstance(step, Call):
            call = types.FunctionCall(name=step.tool, args=dict(step.input), id=step.id)
            part = types.Part(function_call=call)
        else:
            part = types.Part(text=step)
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def agent(script: Script, *tools: Any, name: str = "dev", **more: Any) -> LlmAgent:
    return LlmAgent(
        name=name,
        model=Scripted(model="script", script=script),
        tools=list(tools),
        description="Look things up.",
        **more,
    )


def ask(root: LlmAgent, hooks: Any, *messages: Any) -> list[Any]:
    """Run an agent for messages of one session, and return its events."""

    async def run() -> list[Any]:
        sessions = InMemorySessionService()
        session = await sessions.create_session(app_name="app", user_id="u")
        app = App(name="app", root_agent=root, plugins=[HookPlugin(hooks)])
        runner = Runner(app=app, session_service=sessions)
        events: list[Any] = []
        for message in messages:
            content = message(events) if callable(message) else message
            if isinstance(content, str):
                content = types.Content(role="user", parts=[types.Part(text=content)])
            async for event in runner.run_async(user_id="u", session_id=session.id, new_message=content):
                events.append(event)
        return events

    return asyncio.run(run())


def drive(
    scenario: Scenario, config: dict[str, object], shell: Recorder, *, transfers: bool = False
) -> Trace:
    script = Script([Call("bash", {"command": COMMAND}, "call_2")])
    guard = Guard(config)
    inner = agent(script, bash_tool(shell), name="researcher")
    if not scenario.sub_agent:
        ask(inner, guard, PROMPT)
        return Trace(shell.commands, script.requests)
    if transfers:
        outer = Script([Call("transfer_to_agent", {"agent_name": "researcher"})])
        ask(agent(outer, sub_agents=[inner]), guard, PROMPT)
    else:
        outer = Script([Call("researcher", {"request": PROMPT})])
        ask(agent(outer, AgentTool(inner)), guard, PROMPT)
    return Trace(shell.commands, script.requests, outer.requests)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.name)
def test_decides_what_fire_decides(scenario: Scenario) -> None:
    check(scenario, drive)


def test_agents_that_are_transferred_to_are_sub_agents() -> None:
    check(SCENARIOS[-1], partial(drive, transfers=True))


def _text(events: list[Any]) -> str:
    return "".join(part.text or "" for part in events[-1].content.parts)


@pytest.mark.skipif(
    not hasattr(__import__("google.adk.tools", fromlist=["ToolContext"]).ToolContext, "request_confirmation"),
    reason="this version has no confirmations",
)
@pytest.mark.parametrize("confirms", [True, False])
def test_ask_is_a_confirmation(confirms: bool) -> None:
    script, shell = Script([Call("bash", {"command": COMMAND})]), Recorder()

    def answer(events: list[Any]) -> types.Content:
        assert shell.commands == []
        (call,) = [
            call
            for event in events
            for call in event.get_function_calls()
            if call.name == "adk_request_confirmation"
        ]
        assert call.args["toolConfirmation"]["hint"] == "sure?"
        response = types.FunctionResponse(
            id=call.id, name="adk_request_confirmation", response={"confirmed": confirms}
        )
        return types.Content(role="user", parts=[types.Part(function_response=response)])

    events = ask(agent(script, bash_tool(shell)), settings(PreToolUse=ASK), PROMPT, answer)
    assert _text(events) == "done"
    assert shell.commands == ([COMMAND] if confirms else [])


def test_a_refused_message_never_reaches_the_model() -> None:
    script = Script(["never"])
    events = ask(agent(script), settings(UserPromptSubmit="echo not this >&2; exit 2"), PROMPT)
    assert script.requests == []
    assert _text(events) == "not this"


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse", "SessionStart"])
def test_a_halt_ends_the_agent(event: str) -> None:
    script, shell = Script([Call("bash", {"command": COMMAND}), "never"]), Recorder()
    events = ask(agent(script, bash_tool(shell)), settings(**{event: HALT}), PROMPT)
    assert len(script.requests) == (event != "SessionStart")
    assert bool(shell.commands) == (event == "PostToolUse")
    assert _text(events) == "enough"


def test_failures_of_tools_are_events() -> None:
    def broken() -> str:
        """Break."""
        raise OSError("broken pipe")

    texts: list[str] = []
    hook = 'echo "{\\"systemMessage\\": \\"$(jq -r .error)\\"}"'
    guard = Guard(settings(PostToolUseFailure=hook), notify=texts.append)
    with pytest.raises(OSError, match="broken pipe"):
        ask(agent(Script([Call("broken", {})]), broken), guard, PROMPT)
    assert texts == ["OSError: broken pipe"]


def test_the_plugin_remembers_nothing_after_a_run() -> None:
    script, shell = Script([Call("bash", {"command": COMMAND})]), Recorder()
    plugin = HookPlugin(settings(PreToolUse="echo no >&2; exit 2"))

    async def run() -> None:
        sessions = InMemorySessionService()
        session = await sessions.create_session(app_name="app", user_id="u")
        app = App(name="app", root_agent=agent(script, bash_tool(shell)), plugins=[plugin])
        runner = Runner(app=app, session_service=sessions)
        message = types.Content(role="user", parts=[types.Part(text=PROMPT)])
        async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=message):
            pass

    asyncio.run(run())
    assert (plugin._turns, plugin._calls, plugin._ended) == ({}, {}, {})


def test_the_shell_is_restored() -> None:
    shell = ShellTool()
    script = Script(
        [Call("bash", {"command": "x=stored; exit 3"}), Call("bash", {"command": "echo $x"}, "c2")]
    )
    ask(agent(script, bash_tool(shell)), {}, PROMPT)
    assert "[exit status 3]" in script.requests[1]
    script = Script([Call("bash", {"command": "echo $x"})])
    ask(agent(script, bash_tool(ShellTool.restore(shell.snapshot()))), {}, PROMPT)
    assert "stored" in script.requests[-1]
