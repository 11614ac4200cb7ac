"""Hooks and bash in agents of LangChain, with a model that follows a script."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Any

import pytest

pytest.importorskip("langchain.agents.middleware", reason="langchain is not installed: make test-bridges")

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from sandhook.bridges.core import Guard
from sandhook.bridges.langchain import HookMiddleware, bash_tool
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


class Model(BaseChatModel):
    """A chat model that follows a script."""

    script: Any

    @property
    def _llm_type(self) -> str:
        return "script"

    def bind_tools(self, tools: Any, **_: Any) -> Model:
        return self

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        step = self.script.next(*(message.content for message in messages))
        if isinstance(step, Call):
            call = {"name": step.tool, "args": dict(step.input), "id": step.id, "type": "tool_call"}
            message = AIMessage("", tool_calls=[call])
        else:
            message = AIMessage(step)
        return ChatResult(generations=[ChatGeneration(message=message)])


def agent(script: Script, hooks: Any, *tools: Any, name: str | None = None, **more: Any) -> Any:
    return create_agent(
        Model(script=script), tools=list(tools), middleware=[HookMiddleware(hooks)], name=name, **more
    )


def ask(graph: Any, text: str = PROMPT, thread: str = "t", *, use_async: bool = False) -> Any:
    given = {"messages": [HumanMessage(text)]} if isinstance(text, str) else text
    config = {"configurable": {"thread_id": thread}}
    return asyncio.run(graph.ainvoke(given, config)) if use_async else graph.invoke(given, config)


def drive(scenario: Scenario, config: dict[str, object], shell: Recorder, *, use_async: bool) -> Trace:
    script = Script([Call("bash", {"command": COMMAND})])
    guard = Guard(config)
    inner = agent(script, guard, bash_tool(shell), name="researcher")
    if not scenario.sub_agent:
        ask(inner, use_async=use_async)
        return Trace(shell.commands, script.requests)

    @tool
    def delegate(task: str) -> str:
        """Delegate a task."""
        return str(inner.invoke({"messages": [HumanMessage(task)]})["messages"][-1].content)

    outer = Script([Call("delegate", {"task": PROMPT})])
    ask(agent(outer, guard, delegate), use_async=use_async)
    return Trace(shell.commands, script.requests, outer.requests)


@pytest.mark.parametrize("use_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.name)
def test_decides_what_fire_decides(scenario: Scenario, use_async: bool) -> None:
    check(scenario, partial(drive, use_async=use_async))


def resume(*decisions: dict[str, object]) -> Command:
    return Command(resume={"decisions": list(decisions)})


@pytest.mark.parametrize("use_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize(
    ("answer", "commands", "seen"),
    [
        ({"type": "approve"}, [COMMAND], "real"),
        ({"type": "reject", "message": "better not"}, [], "better not"),
        ({"type": "reject"}, [], "sure?"),
        (
            {"type": "edit", "edited_action": {"name": "bash", "args": {"command": "echo edited"}}},
            ["echo edited"],
            "edited",
        ),
        ({"type": "edit", "edited_action": {"name": "bash", "args": {"command": "rm x"}}}, [], "no rm"),
    ],
)
def test_ask_interrupts(answer: Any, commands: list[str], seen: str, use_async: bool) -> None:
    script, shell = Script([Call("bash", {"command": COMMAND})]), Recorder()
    guard_rm = "jq -e '.tool_input.command | test(\"^rm\") | not' >/dev/null || { echo no rm >&2; exit 2; }; "
    graph = agent(script, settings(PreToolUse=guard_rm + ASK), bash_tool(shell), checkpointer=InMemorySaver())
    state = ask(graph, use_async=use_async)
    (request,) = state["__interrupt__"]
    assert request.value["action_requests"] == [
        {"name": "bash", "args": {"command": COMMAND}, "description": "sure?"}
    ]
    assert shell.commands == []
    ask(graph, resume(answer), use_async=use_async)
    assert (shell.commands, seen in script.requests[-1]) == (commands, True)


def test_ask_refuses_if_nobody_can_be_asked() -> None:
    script, shell = Script([Call("bash", {"command": COMMAND})]), Recorder()
    ask(agent(script, settings(PreToolUse=ASK), bash_tool(shell)))
    assert shell.commands == []
    assert "sure?" in script.requests[-1]


@pytest.mark.parametrize("use_async", [False, True], ids=["sync", "async"])
def test_a_refused_message_never_reaches_the_model(use_async: bool) -> None:
    script = Script(["never"])
    hooks = settings(UserPromptSubmit="echo not this >&2; exit 2", Stop="echo go on >&2; exit 2")
    state = ask(agent(script, hooks), use_async=use_async)
    assert script.requests == []
    assert "not this" in state["messages"][-1].content


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse", "SessionStart", "Stop"])
def test_a_halt_ends_the_agent(event: str) -> None:
    script, shell = Script([Call("bash", {"command": COMMAND}), "never"]), Recorder()
    state = ask(agent(script, settings(**{event: HALT}), bash_tool(shell)))
    assert len(script.requests) == {"SessionStart": 0, "Stop": 2}.get(event, 1)
    assert bool(shell.commands) == (event in ("PostToolUse", "Stop"))
    assert event == "Stop" or "enough" in state["messages"][-1].content


def test_an_ended_agent_answers_the_next_message() -> None:
    script, shell = Script([Call("bash", {"command": COMMAND}), "second"]), Recorder()
    graph = agent(script, settings(PreToolUse=HALT), bash_tool(shell), checkpointer=InMemorySaver())
    ask(graph)
    assert ask(graph, "and now?")["messages"][-1].content == "second"


def test_hooks_see_failures_of_tools_and_messages_of_blocks() -> None:
    @tool
    def broken() -> str:
        """Break."""
        raise ValueError("broken pipe")

    texts: list[str] = []
    hook = 'echo "{\\"systemMessage\\": \\"$(jq -r \'.error // .prompt\')\\"}"'
    guard = Guard(settings(PostToolUseFailure=hook, UserPromptSubmit=hook), notify=texts.append)
    blocks = {"messages": [HumanMessage([{"type": "text", "text": "of blocks"}])]}
    with pytest.raises(ValueError, match="broken pipe"):
        ask(agent(Script([Call("broken", {})]), guard, broken), blocks)
    assert texts == ["of blocks", "ValueError: broken pipe"]


def test_changes_of_blocks_keep_what_is_not_text() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    blocks = {"messages": [HumanMessage([{"type": "text", "text": "see"}, image])]}
    state = ask(agent(Script(["ok"]), settings(UserPromptSubmit="echo today")), blocks)
    assert state["messages"][0].content == [{"type": "text", "text": "see\n\ntoday"}, image]


def test_results_in_a_command_are_changed_too() -> None:
    @tool
    def note(tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
        """Note."""
        return Command(update={"messages": [ToolMessage("secret", tool_call_id=tool_call_id)]})

    new = """echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"new"}}'"""
    script = Script([Call("note", {})])
    ask(agent(script, settings(PostToolUse=new), note))
    assert "new" in script.requests[-1] and "secret" not in script.requests[-1]


def test_output_is_streamed_and_the_artifact_has_the_exit_status() -> None:
    script = Script([Call("bash", {"command": "echo one; exit 3"})])
    graph = agent(script, {}, bash_tool())
    pieces = list(graph.stream({"messages": [HumanMessage("go")]}, stream_mode="custom"))
    assert pieces == [{"tool": "bash", "output": "one\n"}]
    call = {"name": "bash", "args": {"command": "echo one; exit 3"}, "id": "1", "type": "tool_call"}
    message = bash_tool().invoke(call)
    assert message.content == "one\n[exit status 3]"
    assert message.artifact["exit_status"] == 3


def test_a_tool_has_the_state_of_its_shell() -> None:
    shell = ShellTool(max_chars=8)
    tool = bash_tool(shell)
    tool.invoke({"command": "x=stored"})
    restored = bash_tool(ShellTool.restore(shell.snapshot()))
    assert restored.invoke({"command": "echo $x"}) == "stored"
    assert tool.invoke({"command": "seq 100"}).startswith("1\n2\n\n[... 284 characters cut ...]")
    with pytest.raises(ValueError, match="max_chars: pass them to the ShellTool"):
        bash_tool(shell, max_chars=1)


def test_tool_nodes_of_LangGraph_have_hooks() -> None:
    from langgraph.graph import START, MessagesState, StateGraph

    prebuilt = pytest.importorskip("langgraph.prebuilt", exc_type=ImportError)  # needs a newer langgraph
    hooks = HookMiddleware(settings(PreToolUse="echo no >&2; exit 2"))
    shell = Recorder()
    builder = StateGraph(MessagesState)
    node = prebuilt.ToolNode(
        [bash_tool(shell)], wrap_tool_call=hooks.wrap_tool_call, awrap_tool_call=hooks.awrap_tool_call
    )
    builder.add_node("tools", node)
    builder.add_edge(START, "tools")
    call = {"name": "bash", "args": {"command": COMMAND}, "id": "1", "type": "tool_call"}
    state = builder.compile().invoke({"messages": [AIMessage("", tool_calls=[call])]})
    assert (state["messages"][-1].content, state["messages"][-1].status) == ("no", "error")
    assert shell.commands == []


def test_deep_agents_and_their_sub_agents_have_hooks() -> None:
    deepagents = pytest.importorskip("deepagents", reason="deepagents is not installed")
    hooks = settings(
        PreToolUse='[ "$(jq -r \'.agent_type // ""\')" = "" ] || { echo not for researchers >&2; exit 2; }'
    )
    inner, shell = Script([Call("bash", {"command": COMMAND})]), Recorder()
    outer = Script([Call("task", {"description": PROMPT, "subagent_type": "researcher"})])
    guard = Guard(hooks)
    graph = deepagents.create_deep_agent(
        Model(script=outer),
        tools=[bash_tool(shell)],
        middleware=[HookMiddleware(guard)],
        subagents=[
            {
                "name": "researcher",
                "description": "Look things up.",
                "system_prompt": "Research.",
                "tools": [bash_tool(shell)],
                "model": Model(script=inner),
                "middleware": [HookMiddleware(guard)],
            }
        ],
    )
    ask(graph)
    assert shell.commands == []
    assert "not for researchers" in inner.requests[1]
    assert len(outer.requests) == 2
