"""The points of a Guard decide what ``HookEngine.fire`` decides, and fail closed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from sandhook.bridges.core import Guard, closed, inside_tool, json_of
from sandhook.bridges.points import Actor
from sandhook.errors import ConfigError
from sandhook.hooks import HookEngine, ToolCall, ToolResult

CALL = ToolCall("bash", {"command": "ls"})
NOSUCH = "nosuch-program"


def settings(timeout: float = 30, **hooks: str) -> dict[str, object]:
    """Return settings of Claude Code with a command for each event."""
    return {
        "hooks": {
            event: [{"hooks": [{"type": "command", "command": command, "timeout": timeout}]}]
            for event, command in hooks.items()
        }
    }


def specific(event: str, **fields: object) -> str:
    """Return a command that prints an answer."""
    text = json.dumps({"hookSpecificOutput": {"hookEventName": event, **fields}})
    return f"cat <<'EOF'\n{text}\nEOF"


def test_a_refusal_has_the_reason() -> None:
    before = Guard(settings(PreToolUse="echo no rm >&2; exit 2")).before_tool("bash", {"command": "rm x"})
    assert (before.action, before.reason) == ("refuse", "no rm")


def test_hooks_for_Bash_run_for_shells_of_frameworks_and_not_for_other_tools() -> None:
    config = settings(PreToolUse="jq -r .tool_name >&2; exit 2")
    config["hooks"]["PreToolUse"][0]["matcher"] = "Bash"  # type: ignore[index]
    guard = Guard(config, tools={"run_in_pod": "shell"})
    reasons = {name: guard.before_tool(name, {}).reason for name in ("bash", "execute", "run_in_pod", "add")}
    assert reasons == {"bash": "Bash", "execute": "Bash", "run_in_pod": "Bash", "add": ""}


def test_input_is_changed() -> None:
    command = specific("PreToolUse", permissionDecision="allow", updatedInput={"command": "ls -l"})
    before = Guard(settings(PreToolUse=command)).before_tool("bash", {"command": "ls"})
    assert (before.action, before.input, before.changed) == ("go", {"command": "ls -l"}, True)


def test_ask_has_the_reason() -> None:
    command = specific("PreToolUse", permissionDecision="ask", permissionDecisionReason="sure?")
    before = Guard(settings(PreToolUse=command)).before_tool("bash", {"command": "ls"})
    assert (before.action, before.reason) == ("ask", "sure?")


def test_a_halt_stops_the_agent() -> None:
    halt = """echo '{"continue": false, "stopReason": "enough"}'"""
    guard = Guard(settings(PreToolUse=halt, PostToolUse=halt, UserPromptSubmit=halt, SessionStart=halt))
    assert guard.before_tool("bash", {}).action == "stop"
    assert guard.after_tool(CALL, ToolResult("out")).action == "stop"
    assert guard.prompt("hi").action == "stop"
    start = guard.start()
    assert (start.action, start.reason) == ("stop", "enough")


def test_results_are_changed_and_have_context() -> None:
    command = specific("PostToolUse", updatedToolOutput="new", additionalContext="note")
    after = Guard(settings(PostToolUse=command)).after_tool(CALL, ToolResult("old"))
    assert (after.action, after.result, after.context, after.changed) == (
        "go",
        ToolResult("new"),
        ("note",),
        True,
    )


def test_failures_go_to_hooks_for_failures() -> None:
    guard = Guard(settings(PostToolUse="echo post >&2; exit 2", PostToolUseFailure="echo fail >&2; exit 2"))
    assert guard.after_tool(CALL, ToolResult("out")).context == ("post",)
    assert guard.after_tool(CALL, ToolResult(error="out")).context == ("fail",)


@pytest.mark.parametrize(
    "command", [NOSUCH, pytest.param("while :; do :; done", marks=pytest.mark.slow), "kill -9 $$", "if"]
)
def test_what_could_not_run_refuses_unless_it_must_not(command: str) -> None:
    config = settings(0.3, PreToolUse=command, PostToolUse=command, UserPromptSubmit=command)
    for guard in (Guard(config), Guard(HookEngine.load(config))):
        assert guard.before_tool("bash", {}).action == "refuse"
        assert guard.prompt("hi").action == "refuse"
        after = guard.after_tool(CALL, ToolResult("secret"))
        assert after.action == "refuse" or command == "if"  # an exit status 2 is feedback
        assert after.result.value is None or command == "if"
    guard = Guard(config, fail_open=True)
    if command != "if":
        assert guard.before_tool("bash", {}).action == "go"
        assert guard.after_tool(CALL, ToolResult("secret")).result == ToolResult("secret")
        assert guard.prompt("hi").action == "go"


def test_a_guard_closes_as_the_engine_does() -> None:
    config = settings(PreToolUse=NOSUCH)
    event = Guard(config)._event("tool.pre", Actor()).with_(tool=CALL)
    ours = closed(HookEngine.load(config).fire(event))
    engine = HookEngine.load(config, fail_closed=True).fire(event)
    for decision in (ours, engine):
        assert (decision.permission, decision.fail_closed) == ("deny", ("PreToolUse[0]",))
    assert ours.reason == engine.reason


def test_hooks_that_nobody_approved_refuse() -> None:
    from sandhook.hooks import Document

    document = Document(settings(PreToolUse="true"), "a.json", layer="project")
    before = Guard(HookEngine.load(document, "claude_code")).before_tool("bash", {})
    assert before.action == "refuse"
    assert "is not in force" in before.reason


def test_faults_of_a_configuration_are_errors() -> None:
    config = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command"}]}]}}
    with pytest.raises(ConfigError):
        Guard(config)


def test_a_defect_of_an_engine_refuses() -> None:
    guard = Guard(settings(PreToolUse="true"))

    class Broken(HookEngine):
        def fire(self, *args: object, **named: object) -> object:  # type: ignore[override]
            raise RuntimeError("gone")

    guard.engine = Broken(())
    assert guard.before_tool("bash", {}).reason == "sandhook: RuntimeError: gone"
    guard.fail_open = True
    with pytest.raises(RuntimeError):
        guard.before_tool("bash", {})


def test_prompts_are_changed_and_have_context() -> None:
    on = Guard(settings(UserPromptSubmit="echo today")).prompt("hi")
    assert (on.action, on.prompt, on.context) == ("go", "hi", ("today",))
    hooks = [
        {
            "event": "user_prompt_submit",
            "executor": {"type": "bash", "command": """jq -c '{decision:"mutate",patch:{message:"HI"}}'"""},
        }
    ]
    assert Guard({"hooks": hooks}).prompt("hi").prompt == "HI"


def test_a_session_starts_once_and_again_after_its_end() -> None:
    guard = Guard(settings(SessionStart="echo ctx", SessionEnd="true"))
    actor = Actor("s")
    assert [guard.start(actor).context for _ in range(2)] == [("ctx",), ()]
    guard.end(actor)
    assert guard.start(actor).context == ("ctx",)
    assert [guard.start().context for _ in range(2)] == [("ctx",), ("ctx",)], (
        "without an id each is a new one"
    )


def test_hooks_make_an_agent_go_on_for_some_laps() -> None:
    guard = Guard(settings(Stop="jq -r .stop_hook_active >&2; exit 2"), laps=2)
    stops = [guard.stop(laps=laps) for laps in range(3)]
    assert [(stop.action, stop.reason) for stop in stops] == [
        ("go_on", "false"),
        ("go_on", "true"),
        ("stop", ""),
    ]


def test_an_agent_inside_a_tool_is_a_sub_agent() -> None:
    hook = "jq -r '[.hook_event_name, .agent_id, .agent_type] | join(\" \")' >&2; exit 2"
    guard = Guard(
        settings(SubagentStop=hook, SubagentStart="echo '{}'", PreToolUse=hook, UserPromptSubmit=hook)
    )
    actor = Actor("s", agent_type="researcher")
    assert guard.stop(actor).action == "stop"
    with inside_tool():
        assert guard.stop(actor).reason == "SubagentStop researcher researcher"
        assert guard.start(actor).decision is not None
        assert guard.before_tool("bash", {}, actor).decision.outcomes
        with inside_tool():
            assert guard._event("tool.pre", actor).depth == 2
        assert guard.prompt("a task, not a message of the user", actor).action == "go"
    assert guard.prompt("hi", actor).action == "refuse"
    assert not guard._event("tool.pre", actor).is_sub_agent


def test_hooks_that_are_not_for_sub_agents_do_not_run_there() -> None:
    guard = Guard({"hooks": {"PreToolUse": [{"command": "exit 2", "include_sub_agents": False}]}})
    assert guard.before_tool("bash", {}).action == "refuse"
    with inside_tool():
        assert guard.before_tool("bash", {}).action == "go"


def test_messages_for_the_user_are_notified() -> None:
    texts: list[str] = []
    Guard(settings(PreToolUse="""echo '{"systemMessage": "hey"}'"""), notify=texts.append).before_tool(
        "b", {}
    )
    assert texts == ["hey"]


def test_async_points_decide_the_same() -> None:
    async def run() -> list[str]:
        deny, feedback = "echo no >&2; exit 2", "echo hm >&2; exit 2"
        guard = Guard(settings(PreToolUse=deny, PostToolUse=feedback, UserPromptSubmit=deny, Stop=feedback))
        before, after = await guard.abefore_tool("bash", {}), await guard.aafter_tool(CALL, ToolResult("out"))
        prompt, stop, start = await guard.aprompt("hi"), await guard.astop(), await guard.astart()
        await guard.aend()
        return [before.reason, after.context[0], prompt.reason, stop.reason, start.action]

    assert asyncio.run(run()) == ["no", "hm", "no", "hm", "go"]


def test_values_become_json() -> None:
    from dataclasses import dataclass

    @dataclass
    class Point:
        x: int

    class Model:
        def model_dump(self, *, mode: str) -> Mapping[str, object]:
            return {"mode": mode}

    value = {"a": (1, b"\xff"), 2: Point(3), "m": Model(), "t": Point, "s": {"x"}}
    assert json_of(value) == {
        "a": [1, "\ufffd"],
        "2": {"x": 3},
        "m": {"mode": "json"},
        "t": str(Point),
        "s": ["x"],
    }


def test_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match=r"tools\['x'\] must be one of shell, .*, not 'shall'"):
        Guard({}, tools={"x": "shall"})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="fail_open must be a bool, not str"):
        Guard({}, fail_open="yes")  # type: ignore[arg-type]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project, the current directory, whose settings name a script in it as `sandhook init` writes them."""
    monkeypatch.chdir(tmp_path)
    hooks = tmp_path / ".claude" / "hooks"
    hooks.mkdir(parents=True)
    script = (
        "#!/bin/bash\njq -r .tool_input.command | grep -qf .claude/words && echo no >&2 && exit 2; exit 0\n"
    )
    (hooks / "guard.sh").write_bytes(script.encode())
    (hooks / "guard.sh").chmod(0o755)
    (tmp_path / ".claude" / "words").write_bytes(b"secret\n")
    config = settings(PreToolUse='"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh')
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(config), encoding="utf-8")
    return tmp_path


def test_hooks_of_a_path_see_the_project(project: Path) -> None:
    guard = Guard(".claude/settings.json")
    assert guard.before_tool("bash", {"command": "cat secret"}).reason == "no"
    assert guard.before_tool("bash", {"command": "ls"}).action == "go"
    (project / ".claude" / "words").write_bytes(b"ls\n")  # as the agent's own tools change files
    assert guard.before_tool("bash", {"command": "ls"}).reason == "no"


def test_hooks_of_a_path_see_the_named_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project / ".claude" / "settings.json"
    monkeypatch.chdir(project.parent)
    assert Guard(path).before_tool("bash", {"command": "ls"}).action == "refuse"  # no script here
    for arguments in (path, [path], str(path)):
        guard = Guard(arguments, project=project)
        assert guard.before_tool("bash", {"command": "cat secret"}).reason == "no"
        assert guard.before_tool("bash", {"command": "ls"}).action == "go"
        assert (guard.cwd, guard.project_dir) == (str(project), str(project))


def test_changes_of_hooks_stay_in_memory(project: Path) -> None:
    guard = Guard(settings(PreToolUse="cat seen >&2; echo again > seen; exit 2"), project=project)
    assert "No such file" in guard.before_tool("bash", {}).reason
    assert guard.before_tool("bash", {}).reason == "again"
    assert not (project / "seen").exists()


def test_a_decoded_configuration_sees_no_directory_that_is_not_named(project: Path) -> None:
    guard = Guard(settings(PreToolUse="ls -a >&2; pwd >&2; exit 2"))
    assert guard.before_tool("bash", {}).reason == ".\n..\n/workspace"


def test_a_project_is_a_directory_and_for_no_engine(project: Path) -> None:
    with pytest.raises(OSError):
        Guard(settings(PreToolUse="true"), project=project / "gone")
    with pytest.raises(TypeError, match="project is for hooks that the Guard loads"):
        Guard(HookEngine.load(settings(PreToolUse="true")), project=project)
