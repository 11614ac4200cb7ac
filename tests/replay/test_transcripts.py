"""Transcripts of agents as events. The files are what the agents wrote when they ran headless, without long texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sandhook.hooks.event import JsonObject
from sandhook.journal.errors import JournalError
from sandhook.journal.masking import Masker
from sandhook.journal.schema import Entry
from sandhook.journal.transcripts import AGENTS, entries, format_of, transcripts
from sandhook.replay.firing import read_event

FILES = Path(__file__).parent / "transcripts"


def imported(path: Path, agent: str | None = None) -> list[Entry]:
    problems: list[str] = []
    found = [
        each for one in transcripts(str(path), agent) for each in entries(one, Masker(), problems.append)
    ]
    assert problems == []
    return found


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("refused", [False, True])
def test_a_transcript_is_read(agent: str, refused: bool) -> None:
    path = FILES / f"{agent}{'-refused' if refused else ''}.jsonl"
    events = {each.kind: each for each in imported(path)}
    assert set(events) == {"prompt.submit", "tool.pre"}
    call, prompt = events["tool.pre"], events["prompt.submit"]
    assert call.agent == agent and call.origin == "transcript"
    assert call.decision is not None and call.decision.refused is refused
    assert prompt.decision is not None and not prompt.decision.refused
    assert read_event(prompt).prompt == "do it"
    event = read_event(call)
    assert event.tool is not None and isinstance(event.tool.input, dict)
    assert event.tool.input["command"] == "touch marker"
    assert event.session_id and call.time.startswith("2026-11-23T08:3") and call.time.endswith("+00:00")
    if agent != "gemini":  # its transcripts have no directory: the file next to them does
        assert call.cwd == "/tmp/w/project"
    if refused and agent in ("claude_code", "codex", "gemini"):
        assert call.decision.reason == "NOPE"


def test_the_name_of_a_tool_is_that_which_hooks_see() -> None:
    names = {
        agent: [each.tool for each in imported(FILES / f"{agent}.jsonl") if each.tool] for agent in AGENTS
    }
    assert names == {
        "claude_code": ["Bash"],
        "codex": ["Bash"],
        "gemini": ["run_shell_command"],
        "copilot": ["bash"],
    }


def test_a_directory_stands_for_its_transcripts(tmp_path: Path) -> None:
    assert len(imported(FILES)) == 16
    assert len(imported(FILES, "codex")) == 4
    (tmp_path / "other.json").write_text("{}")
    assert imported(tmp_path) == []
    with pytest.raises(JournalError, match="is no transcript of claude_code, codex"):
        imported(tmp_path / "other.json")


def test_events_have_the_same_id_at_each_import() -> None:
    assert [each.id for each in imported(FILES)] == [each.id for each in imported(FILES)]
    assert len({each.id for each in imported(FILES)}) == 16


def test_the_directory_of_gemini_is_in_its_list_of_projects(tmp_path: Path) -> None:
    chats = tmp_path / ".gemini" / "tmp" / "project" / "chats"
    chats.mkdir(parents=True)
    (chats / "session-1.jsonl").write_bytes((FILES / "gemini.jsonl").read_bytes())
    (tmp_path / ".gemini" / "projects.json").write_text('{"projects": {"/home/ann/app": "project"}}')
    assert {each.cwd for each in imported(tmp_path)} == {"/home/ann/app"}


def test_a_session_of_gemini_in_one_object(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (FILES / "gemini.jsonl").read_text().splitlines()]
    value = {**lines[0], "messages": [line for line in lines[1:] if "$set" not in line]}
    (tmp_path / "session.json").write_text(json.dumps(value, indent=1))
    assert [each.id for each in imported(tmp_path)] == [each.id for each in imported(FILES / "gemini.jsonl")]


@pytest.mark.parametrize(
    ("item", "tool", "given"),
    [
        (
            {"type": "local_shell_call", "action": {"command": ["bash", "-lc", "ls"]}},
            "Bash",
            {"command": "ls"},
        ),
        (
            {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls", "a b"]}'},
            "Bash",
            {"command": "ls 'a b'"},
        ),
        (
            {"type": "custom_tool_call", "name": "apply_patch", "input": "*** x"},
            "apply_patch",
            {"command": "*** x"},
        ),
        ({"type": "function_call", "name": "view_image", "arguments": "{"}, "view_image", {"arguments": "{"}),
    ],
)
def test_tools_of_codex(item: JsonObject, tool: str, given: JsonObject) -> None:
    value: JsonObject = {"type": "response_item", "timestamp": "t", "payload": {**item, "call_id": "c"}}
    call = next(iter(format_of("codex").calls([value], "path")))
    assert (call.tool, call.payload["tool_input"], call.refused) == (tool, given, None)


def test_an_older_transcript_of_claude_code() -> None:
    lines = [json.loads(line) for line in (FILES / "claude_code-refused.jsonl").read_text().splitlines()]
    for line in lines:
        line.pop("permissionDecision", None)
    calls = list(format_of("claude_code").calls(lines, "path"))
    assert [(call.event, call.refused) for call in calls] == [
        ("UserPromptSubmit", False),
        ("PreToolUse", True),
    ]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_damaged_transcript_is_read_as_far_as_it_can_be(agent: str, tmp_path: Path) -> None:
    lines = (FILES / f"{agent}.jsonl").read_bytes().splitlines()
    path = tmp_path / "t.jsonl"
    path.write_bytes(
        b"\n".join(
            [
                lines[0],
                b"\xff{",
                b"[]",
                b'{"type": 5, "message": 7, "payload": []}',
                *lines[1:],
                lines[-1][:50],
            ]
        )
    )
    problems: list[str] = []
    found = [
        each for one in transcripts(str(path), agent) for each in entries(one, Masker(), problems.append)
    ]
    assert len(found) == 2 and len(problems) == 3
    assert problems[0] == f"{path}:2: is not a JSON object"
