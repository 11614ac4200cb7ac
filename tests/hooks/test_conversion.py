"""Hooks that are converted select the same calls, under the other agent's names."""

from __future__ import annotations

import json
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, RunResult, ToolPre
from sandhook.hooks.contracts import get, names
from sandhook.hooks.conversion import convert
from sandhook.hooks.event import ToolCall
from tests.sandbox.tools import every

CASES = Path(__file__).parents[2] / "conformance" / "hooks"

GUARD = {
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]
    }
}


def load(value: Any, name: str) -> HookEngine:
    return HookEngine.load(value, name, runner=lambda request: RunResult(2, b"", b"no\n"))


def converted(engine: HookEngine, source: str, target: str) -> HookEngine:
    return load(convert(engine.hooks, get(source), get(target)).value, target)


def call(name: str, kind: str) -> ToolPre:
    """Return a call of the agent's first tool of a class."""
    return ToolPre(get(name).vocabulary().of_class(kind)[0], {"command": "ls"})  # type: ignore[arg-type]


#: Agents whose hooks have matchers.
MATCHING = [name for name in names() if name != "cline"]


@pytest.mark.parametrize("target", MATCHING)
@pytest.mark.parametrize("source", MATCHING)
def test_a_guard_refuses_the_same_calls(source: str, target: str) -> None:
    first = converted(load(GUARD, "claude_code"), "claude_code", source)
    assert first.problems == () and len(first.hooks) == 1
    conversion = convert(first.hooks, get(source), get(target))
    second = load(conversion.value, target)
    assert second.problems == () and len(second.hooks) == 1
    refused = first.fire(call(source, "shell")).refused
    if refused and not any("exit status 2 does not refuse" in line for line in conversion.lost):
        assert second.fire(call(target, "shell")).refused
    for name, engine in ((source, first), (target, second)):
        assert selected(engine, call(name, "shell")) == 1
        assert selected(engine, call(name, "write")) == 0


def test_a_status_that_does_not_refuse_is_a_loss() -> None:
    engine = load(GUARD, "claude_code")
    lost = convert(engine.hooks, get("claude_code"), get("mistral_vibe")).lost
    assert "PreToolUse[0]: exit status 2 does not refuse in mistral_vibe" in lost
    for name in ("codex", "gemini", "crush", "qwen", "kimi", "grok", "cursor", "jcode", "kiro"):
        lost = convert(engine.hooks, get("claude_code"), get(name)).lost
        assert not any("exit status" in line for line in lost), name


@cache
def published(name: str) -> list[tuple[Any, list[Event]]]:
    """Return the configurations of an agent's cases, with the tool calls that they are fired with."""
    found = []
    for path in sorted((CASES / name).glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
            if case.get("contract", name) != name or not isinstance(case.get("config"), dict):
                continue
            steps = [step for step in case.get("fire", ()) if "payload" in step]
            events = [get(name).event(step["event"], step["payload"]) for step in steps]
            events = [event for event in events if event.kind == "tool.pre"]
            if events:
                found.append((case["config"], events))
    return found


@pytest.mark.parametrize(("source", "target"), every(3, list(product(names(), names()))))
def test_published_hooks_select_the_same_calls(source: str, target: str) -> None:
    for config, events in published(source):
        engine = load(config, source)
        conversion = convert(engine.hooks, get(source), get(target))
        if any(not line.endswith(HARMLESS) for line in conversion.lost):
            continue
        other = load(conversion.value, target)
        for event in events:
            assert event.tool is not None
            ours, theirs = get(source).vocabulary(), get(target).vocabulary()
            classes = ours.classes_of(event.tool.name)
            same = {name for each in classes for name in theirs.of_class(each)}
            for name in same if source != target else [event.tool.name]:
                renamed = event.with_(tool=ToolCall(name, event.tool.input))
                if selected(other, renamed) != selected(
                    engine, event
                ):  # one tool there stands for several here
                    assert selected(other, renamed) > selected(engine, event), (config, event.tool.name, name)
                    several = any(len(ours.of_class(each)) > 1 for each in classes)
                    assert several or len(theirs.classes_of(name)) > 1


def test_there_are_published_hooks_to_convert() -> None:
    assert sum(len(published(name)) for name in names()) > 80


#: Ends of lines about losses that have nothing to do with which calls a hook sees.
HARMLESS = (
    "reads its exit status alone, and not what it prints",
    "is rounded up",
    "lets the action pass; `sandhook wrap` makes it refuse",
)


def selected(engine: HookEngine, event: Event) -> int:
    return sum(spec.event == event.kind and spec.matcher.check(event).matched for spec in engine.hooks)


@pytest.mark.parametrize(
    ("matcher", "target", "wanted"),
    [
        ("Bash", "gemini", "^run_shell_command$"),
        ("Edit|Write", "gemini", "^(write_file|replace)$"),
        ("Edit|Write", "codex", "^apply_patch$"),
        ("", "gemini", None),
        (".*", "gemini", None),
        ("mcp__github__.*", "gemini", "^(mcp_github_.*)$"),
        ("Bash|mcp__memory__read", "crush", "^(bash|mcp_memory_read)$"),
    ],
)
def test_matchers(matcher: str, target: str, wanted: str | None) -> None:
    engine = load({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [HANDLER]}]}}, "claude_code")
    conversion = convert(engine.hooks, get("claude_code"), get(target))
    assert conversion.lost == ()
    assert found(conversion.value, "matcher") == wanted


HANDLER = {"type": "command", "command": "exit 2", "timeout": 60}


def found(value: Any, key: str) -> Any:
    """Return the first value of a key, however deep."""
    if isinstance(value, dict):
        return (
            value[key]
            if key in value
            else next(filter(None, (found(each, key) for each in value.values())), None)
        )
    return next(filter(None, (found(each, key) for each in value)), None) if isinstance(value, list) else None


@pytest.mark.parametrize(
    ("matcher", "target", "lost"),
    [
        ("Read", "codex", ["codex has no tool for Read", "codex has none of its tools: it is left out"]),
        ("Bash|Read", "codex", ["codex has no tool for Read"]),
        ("Task", "ub", ["ub has no tool for Task", "ub has none of its tools: it is left out"]),
        ("Frobnicate", "crush", ["Frobnicate is not a known tool of claude_code: the name is kept"]),
        ("mcp__memory__.*", "hermes", ["the name of mcp__memory__.* in hermes is not known"]),
    ],
)
def test_what_no_tool_stands_for_is_lost(matcher: str, target: str, lost: list[str]) -> None:
    engine = load({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [HANDLER]}]}}, "claude_code")
    conversion = convert(engine.hooks, get("claude_code"), get(target))
    assert [line.removeprefix("PreToolUse[0]: ") for line in conversion.lost][: len(lost)] == lost


@pytest.mark.parametrize(
    ("source", "command", "target", "wanted", "lost"),
    [
        ("claude_code", '"$CLAUDE_PROJECT_DIR"/g.sh', "crush", '"$CRUSH_PROJECT_DIR"/g.sh', 0),
        ("claude_code", "${CLAUDE_PROJECT_DIR:-.}/g.sh", "jcode", "${JCODE_CWD:-.}/g.sh", 0),
        ("claude_code", "$CLAUDE_PROJECT_DIR/g.sh", "gemini", "$CLAUDE_PROJECT_DIR/g.sh", 0),
        ("claude_code", "$CLAUDE_PROJECT_DIR/g.sh", "codex", "$PWD/g.sh", 0),
        ("claude_code", "$CLAUDE_PROJECT_DIRS/g.sh", "crush", "$CLAUDE_PROJECT_DIRS/g.sh", 0),
        ("claude_code", "$CLAUDE_PLUGIN_ROOT/g.sh", "goose", "$PLUGIN_ROOT/g.sh", 0),
        ("claude_code", "$CLAUDE_PLUGIN_ROOT/g.sh", "crush", "$CLAUDE_PLUGIN_ROOT/g.sh", 1),
        ("crush", "echo $CRUSH_TOOL_NAME", "codex", "echo $CRUSH_TOOL_NAME", 1),
    ],
)
def test_variables(source: str, command: str, target: str, wanted: str, lost: int) -> None:
    handler = {"command": command, "timeout": 60}
    group = handler if source == "crush" else {"hooks": [{"type": "command", **handler}]}
    engine = load({"hooks": {"PreToolUse": [group]}}, source)
    conversion = convert(engine.hooks, get(source), get(target))
    assert found(conversion.value, "command") == wanted
    assert len(conversion.lost) == lost, conversion.lost
    assert bool(conversion.notes) == ("$PWD" in wanted)


@pytest.mark.parametrize("name", names())
def test_an_agents_own_format_is_unchanged(name: str) -> None:
    engine = converted(load(GUARD, "claude_code"), "claude_code", name)
    conversion = convert(engine.hooks, get(name), get(name))
    assert conversion.value == get(name).render(engine.hooks)[0] and conversion.notes == ()
