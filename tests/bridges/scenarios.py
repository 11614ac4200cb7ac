"""The scenarios of all frameworks: one table of hooks, and what ``HookEngine.fire`` decides about them.

A framework has a driver: it runs an agent whose model follows a script, with the hooks and a bash tool, and returns a
Trace. ``expected`` computes the same Trace from the decisions of ``fire`` alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sandhook.bridges.shelltool import ShellOutput, ShellTool
from sandhook.hooks import Decision, Event, HookEngine, PromptSubmit, SessionStart, Stop, ToolPost, ToolPre

#: What the user writes, and the command that the model calls.
PROMPT, COMMAND = "please look", "echo real"


@dataclass(frozen=True)
class Call:
    """A step of the model: it calls a tool."""

    tool: str
    input: Mapping[str, object]
    id: str = "call_1"


@dataclass
class Script:
    """What a fake model does, step by step, and what it received before each step.

    Attributes:
        steps: Texts that the model writes, and calls.
        requests: All texts of each request, in its order.
    """

    steps: Sequence[str | Call]
    requests: list[str] = field(default_factory=list)

    def next(self, *texts: object) -> str | Call:
        """Return the next step; the texts are those of the request."""
        self.requests.append("\n".join(map(str, texts)))
        at = len(self.requests) - 1
        return self.steps[at] if at < len(self.steps) else "done"


class Recorder(ShellTool):
    """A bash tool that records its commands."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.commands: list[str] = []

    def run(self, command: str, **arguments: Any) -> ShellOutput:
        self.commands.append(command)
        return super().run(command, **arguments)

    async def arun(self, command: str, **arguments: Any) -> ShellOutput:
        self.commands.append(command)
        return await super().arun(command, **arguments)


@dataclass(frozen=True)
class Scenario:
    """Hooks in the format of Claude Code, and texts that reach the model only if the hooks work."""

    name: str
    hooks: Mapping[str, Sequence[str]]
    timeout: float = 60
    sub_agent: bool = False


def _specific(event: str, **fields: object) -> str:
    return f"cat <<'E'\n{json.dumps({'hookSpecificOutput': {'hookEventName': event, **fields}})}\nE"


SCENARIOS = (
    Scenario("refuse", {"PreToolUse": ["echo refused-because >&2; exit 2"]}),
    Scenario(
        "rewrite input",
        {
            "PreToolUse": [
                _specific(
                    "PreToolUse", permissionDecision="allow", updatedInput={"command": "echo rewritten"}
                )
            ]
        },
    ),
    Scenario("rewrite output", {"PostToolUse": [_specific("PostToolUse", updatedToolOutput="redacted")]}),
    Scenario(
        "context",
        {
            "SessionStart": ["echo context-of-session"],
            "UserPromptSubmit": ["echo context-of-prompt"],
            "PostToolUse": [_specific("PostToolUse", additionalContext="context-of-result")],
        },
    ),
    Scenario(
        "stop and go on",
        {"Stop": ["[ $(jq .stop_hook_active) = true ] || { echo go-on-please >&2; exit 2; }"]},
    ),
    Scenario("timeout", {"PreToolUse": ["while :; do :; done"]}, timeout=0.5),
    Scenario("crash", {"PreToolUse": ["kill -KILL $$"]}),
    Scenario("could not run", {"PreToolUse": ["/opt/nosuch/guard --check"]}),
    Scenario(
        "two hooks",
        {
            "PreToolUse": [
                _specific("PreToolUse", additionalContext="context-of-first"),
                "echo second-refuses >&2; exit 2",
            ],
            "PostToolUse": ["echo text-of-a-hook-that-does-not-run >&2; exit 2"],
        },
    ),
    Scenario(
        "sub-agent",
        {
            "PreToolUse": [
                '[ "$(jq -r \'.agent_id // ""\')" = "" ] || { echo not-for-sub-agents >&2; exit 2; }'
            ],
            "SubagentStart": [_specific("SubagentStart", additionalContext="context-of-sub-agent")],
            "SubagentStop": ["[ $(jq .stop_hook_active) = true ] || { echo sub-agent-goes-on >&2; exit 2; }"],
        },
        sub_agent=True,
    ),
)


def configuration(scenario: Scenario) -> dict[str, object]:
    """Return the hooks of a scenario as settings of Claude Code."""
    return {
        "hooks": {
            event: [
                {"hooks": [{"type": "command", "command": command, "timeout": scenario.timeout}]}
                for command in commands
            ]
            for event, commands in scenario.hooks.items()
        }
    }


#: Commands of hooks that ask, and that end the agent.
ASK = """echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask",\
"permissionDecisionReason":"sure?"}}'"""
HALT = """echo '{"continue":false,"stopReason":"enough"}'"""


def settings(**hooks: str) -> dict[str, object]:
    """Return settings of Claude Code with a command for each event."""
    return configuration(Scenario("", {event: [command] for event, command in hooks.items()}))


@dataclass
class Trace:
    """What an agent did.

    Attributes:
        commands: The commands that the bash tool ran.
        requests: The texts of each request to the model that calls bash.
        outer: The same of the agent above it, in the scenario with a sub-agent.
    """

    commands: list[str]
    requests: list[str]
    outer: list[str] = field(default_factory=list)


#: Runs an agent with hooks: the scenario, its configuration, and the bash tool.
Driver = Callable[[Scenario, dict[str, object], Recorder], Trace]


@dataclass
class Expected:
    """What ``fire`` decides: the commands, and texts that requests have and do not have, by their number."""

    commands: list[str]
    texts: dict[int, list[str]]
    absent: list[str]
    requests: int


def expected(scenario: Scenario) -> Expected:
    """Return what the hooks of a scenario make of the script, by ``HookEngine.fire``."""
    engine = HookEngine.load(configuration(scenario), "claude_code", fail_closed=True)
    inside: dict[str, Any] = {"is_sub_agent": True, "depth": 1, "agent_id": "a"} if scenario.sub_agent else {}
    first, second, third = [PROMPT], list[str](), list[str]()
    start = Event("subagent.start", **inside) if inside else SessionStart()
    first += _context(engine.fire(start))
    if not inside:
        prompt = engine.fire(PromptSubmit(PROMPT))
        first += [prompt.apply_to_prompt(PROMPT), *_context(prompt)]
    pre = engine.fire(ToolPre("Bash", {"command": COMMAND}, **inside))
    commands: list[str] = []
    absent: list[str] = ["text-of-a-hook-that-does-not-run"]
    if pre.refused:
        second.append(pre.reason or "")
        absent.append("real\n")
    else:
        input = pre.apply_to({"command": COMMAND})
        assert isinstance(input, dict)
        commands.append(str(input["command"]))
        out = commands[0].removeprefix("echo ")
        post = engine.fire(ToolPost("Bash", input, result=out, **inside))
        value = post.apply_to_result(ToolPost("Bash", result=out).result).value  # type: ignore[arg-type]
        second += [str(value), *_context(pre), *_context(post)]
        if value != out:
            absent.append(f"{out}\n")
    stop = engine.fire(Event("subagent.stop", **inside) if inside else Stop())
    if stop.force_continue:
        third.append(stop.reason or "")
    texts = {0: first, 1: second, **({2: third} if third else {})}
    return Expected(commands, texts, absent, 2 + bool(third))


def _context(decision: Decision) -> list[str]:
    return [text for text, _ in decision.context]


def check(scenario: Scenario, drive: Driver, leaves_out: Sequence[str] = ()) -> None:
    """Run an agent, and compare what it did with what ``fire`` decides.

    Args:
        leaves_out: Texts that the framework has no place for.
    """
    want = expected(scenario)
    trace = drive(scenario, configuration(scenario), Recorder())
    assert trace.commands == want.commands
    assert len(trace.requests) == want.requests, trace.requests
    for at, texts in want.texts.items():
        for text in texts:
            if text not in leaves_out:
                assert text in trace.requests[at], (text, trace.requests)
    for text in want.absent:
        assert all(text not in request for request in trace.requests), (text, trace.requests)
    assert bool(trace.outer) == scenario.sub_agent
