"""Hooks and bash in agents of smolagents, with a model that follows a script."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

pytest.importorskip("smolagents", reason="smolagents is not installed: make test-bridges")

from smolagents import CodeAgent, Model, ToolCallingAgent, tool
from smolagents.models import ChatMessage, ChatMessageToolCall, MessageRole

try:
    from smolagents.models import ChatMessageToolCallFunction as Function
except ImportError:  # an older version
    from smolagents.models import ChatMessageToolCallDefinition as Function

from sandhook.bridges.core import Guard
from sandhook.bridges.shelltool import ShellTool
from sandhook.bridges.smolagents import RefusedByHook, bash_tool, guarded
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


class Scripted(Model):
    """A model that follows a script, with calls of tools or with code."""

    def __init__(self, script: Script, *, code: bool) -> None:
        super().__init__(model_id="script")
        self.script, self.code = script, code

    def generate(self, messages: Any, **_: Any) -> ChatMessage:
        step = self.script.next(*map(_text, messages))
        if isinstance(step, str):
            step = Call("final_answer", {"answer": step}, f"call_{len(self.script.requests)}")
        if self.code:
            arguments = ", ".join(f"{name}={value!r}" for name, value in step.input.items())
            code = f"{step.tool}({arguments})"
            if step.tool != "final_answer":
                code = f"print({code})"
            # both forms of code blocks that versions read
            return ChatMessage(
                role=MessageRole.ASSISTANT, content=f"<code>\n{code}\n</code>\n```py\n{code}\n```<end_code>"
            )
        function = Function(name=step.tool, arguments=dict(step.input))
        call = ChatMessageToolCall(function=function, id=step.id, type="function")
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call])


def _text(message: Any) -> str:
    content = message["content"] if isinstance(message, dict) else message.content
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content or ())


def agent(script: Script, *tools: Any, code: bool = False, **more: Any) -> Any:
    kind = CodeAgent if code else ToolCallingAgent
    return kind(tools=list(tools), model=Scripted(script, code=code), verbosity_level=0, max_steps=4, **more)


def drive(scenario: Scenario, config: dict[str, object], shell: Recorder, *, code: bool) -> Trace:
    script = Script([Call("bash", {"command": COMMAND})])
    guard = Guard(config)
    inner = agent(script, bash_tool(shell), code=code, name="researcher", description="Look things up.")
    if not scenario.sub_agent:
        guarded(inner, guard).run(PROMPT)
        return Trace(shell.commands, script.requests)
    outer = Script([Call("researcher", {"task": PROMPT, "additional_args": {}})])
    guarded(agent(outer, code=code, managed_agents=[inner]), guard).run(PROMPT)
    return Trace(shell.commands, script.requests, outer.requests)


@pytest.mark.parametrize("code", [False, True], ids=["calls", "code"])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.name)
def test_decides_what_fire_decides(scenario: Scenario, code: bool) -> None:
    check(scenario, partial(drive, code=code))


def test_ask_refuses_with_the_reason() -> None:
    script, shell = Script([Call("bash", {"command": COMMAND})]), Recorder()
    guarded(agent(script, bash_tool(shell)), settings(PreToolUse=ASK)).run(PROMPT)
    assert shell.commands == []
    assert "sure?" in script.requests[-1]


def test_a_refused_task_never_reaches_the_model() -> None:
    script = Script(["never"])
    with pytest.raises(RefusedByHook, match="not this"):
        guarded(agent(script), settings(UserPromptSubmit="echo not this >&2; exit 2")).run(PROMPT)
    assert script.requests == []


@pytest.mark.parametrize("code", [False, True], ids=["calls", "code"])
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_a_halt_ends_the_agent(event: str, code: bool) -> None:
    script, shell = Script([Call("bash", {"command": COMMAND}), "never"]), Recorder()
    with pytest.raises(RefusedByHook, match="enough"):
        guarded(agent(script, bash_tool(shell), code=code), settings(**{event: HALT})).run(PROMPT)
    assert len(script.requests) == 1
    assert bool(shell.commands) == (event == "PostToolUse")


def test_a_call_of_a_managed_agent_is_a_tool_call() -> None:
    inner = Script(["never"])
    managed = agent(inner, name="researcher", description="Look things up.")
    outer = Script([Call("researcher", {"task": PROMPT, "additional_args": {}})])
    guarded(agent(outer, managed_agents=[managed]), settings(PreToolUse="jq -r .tool_name >&2; exit 2")).run(
        PROMPT
    )
    assert inner.requests == []
    assert "RefusedByHook: researcher" in outer.requests[-1] or "researcher" in outer.requests[-1]


def test_failures_of_tools_are_events() -> None:
    @tool
    def broken() -> str:
        """Break."""
        raise OSError("broken pipe")

    texts: list[str] = []
    hook = 'echo "{\\"systemMessage\\": \\"$(jq -r .error)\\"}"'
    guard = Guard(settings(PostToolUseFailure=hook), notify=texts.append)
    guarded(agent(Script([Call("broken", {})]), broken), guard).run(PROMPT)
    assert texts == ["OSError: broken pipe"]


def test_runs_that_stream_have_hooks() -> None:
    script, shell = Script([Call("bash", {"command": COMMAND})]), Recorder()
    hooked = guarded(agent(script, bash_tool(shell)), settings(PreToolUse="echo no >&2; exit 2"))
    assert list(hooked.run(PROMPT, stream=True))
    assert shell.commands == []
    assert "no" in script.requests[-1]


def test_an_agent_keeps_its_class_and_has_hooks_once() -> None:
    hooked = guarded(agent(Script([])), {})
    assert isinstance(hooked, ToolCallingAgent) and type(hooked).__name__ == "ToolCallingAgent"
    with pytest.raises(ValueError, match="it has hooks already"):
        guarded(hooked, {})


def test_the_shell_is_restored() -> None:
    shell = ShellTool()
    assert bash_tool(shell)(command="x=stored; exit 3") == "[exit status 3]"
    assert bash_tool(ShellTool.restore(shell.snapshot()))(command="echo $x") == "stored"
