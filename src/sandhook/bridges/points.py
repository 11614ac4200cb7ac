"""What hooks decided, for each point where a framework lets others intervene."""

from __future__ import annotations

from typing import Literal

from sandhook.hooks.event import Json, ToolResult
from sandhook.hooks.model import Decision
from sandhook.record import Record


class Actor(Record):
    """The agent that acts, as its framework knows it.

    Attributes:
        session_id: The conversation; None when the framework has none.
        turn_id: The run.
        agent_id: The agent within the run.
        agent_type: The agent's name, which hooks for sub-agents match.
        depth: Agents above it: 0 for the top-level agent.
    """

    session_id: str | None = None
    turn_id: str | None = None
    agent_id: str | None = None
    agent_type: str | None = None
    depth: int = 0


#: An agent of which nothing is known.
TOP_LEVEL = Actor()


class BeforeTool(Record):
    """What hooks decided about a tool call.

    Attributes:
        action: "go" and call the tool, "ask" the user first, "refuse" the call, or refuse it and "stop" the agent.
        input: The arguments for the tool, as hooks changed them.
        decision: All that the hooks decided.
        reason: For the model, or for the question.
        context: Texts to add to the result.
    """

    action: Literal["go", "ask", "refuse", "stop"]
    input: Json
    decision: Decision
    reason: str = ""
    context: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return bool(self.decision.input)


class AfterTool(Record):
    """What hooks decided about a tool's result.

    Attributes:
        action: "go", "refuse" the result, which the model must not see, or "stop" the agent.
        result: The result for the model, as hooks changed it; with the action "refuse" an error with the reason.
        decision: All that the hooks decided.
        reason: Why the result is refused, or the agent stops.
        context: Texts to add to the result.
    """

    action: Literal["go", "refuse", "stop"]
    result: ToolResult
    decision: Decision
    reason: str = ""
    context: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return self.action == "refuse" or bool(self.decision.result or self.decision.error)


class OnPrompt(Record):
    """What hooks decided about a message of the user.

    Attributes:
        action: "go", "refuse" the message, or "stop" the agent.
        prompt: The message as hooks changed it.
        decision: All that the hooks decided.
        reason: Why it is refused.
        context: Texts to add to the message.
    """

    action: Literal["go", "refuse", "stop"]
    prompt: str
    decision: Decision
    reason: str = ""
    context: tuple[str, ...] = ()


class OnStart(Record):
    """What hooks decided at the start of a session or a sub-agent.

    Attributes:
        action: "go" or "stop" the agent.
        context: Texts for the model.
        decision: All that the hooks decided; None when the session had started before.
        reason: Why the agent stops.
    """

    action: Literal["go", "stop"] = "go"
    context: tuple[str, ...] = ()
    decision: Decision | None = None
    reason: str = ""


class OnStop(Record):
    """What hooks decided about an agent that wants to stop.

    Attributes:
        action: "stop", or "go_on" with ``reason`` as the next message.
        decision: All that the hooks decided.
        reason: The message for the agent, or why hooks ended it.
    """

    action: Literal["stop", "go_on"]
    decision: Decision
    reason: str = ""
