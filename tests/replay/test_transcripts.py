"""Transcripts of agents as events. The files are what the agents wrote when they ran headless, without long texts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sandhook.hooks import contracts
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
    assert set(events) == {"prompt.submit", "tool.pre", *(() if refused else ("tool.post",))}
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


RESULTS = {
    "claude_code": {
        "stdout": "",
        "stderr": "",
        "interrupted": False,
        "isImage": False,
        "noOutputExpected": True,
    },
    "codex": "",
    "gemini": {
        "llmContent": "<untrusted_context>\nOutput: (empty)\nProcess Group PGID: 1741\n</untrusted_context>",
        "returnDisplay": "",
    },
    "copilot": {"resultType": "success", "textResultForLlm": "\n<shellId: 0 completed with exit code 0>"},
}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_result_is_what_hooks_after_the_call_see(agent: str) -> None:
    call, result = [
        each for each in imported(FILES / f"{agent}.jsonl") if each.kind in ("tool.pre", "tool.post")
    ]
    event = read_event(result)
    assert event.result is not None and event.result.value == RESULTS[agent]
    assert event.tool == read_event(call).tool
    assert result.decision is None  # a transcript does not have it
    assert result.time >= call.time and result.id != call.id


FAILURES: dict[str, list[JsonObject]] = {
    "claude_code": [
        {
            "message": {
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "ID",
                        "is_error": True,
                        "content": "Exit code 3\npartial",
                    }
                ]
            },
            "toolUseResult": "Error: Exit code 3\npartial",
        }
    ],
    "copilot": [{"data": {"success": False, "result": None, "error": {"message": "Exit code 3\npartial"}}}],
}


@pytest.mark.parametrize("agent", sorted(FAILURES))
def test_a_call_that_failed(agent: str) -> None:
    lines = [json.loads(line) for line in (FILES / f"{agent}.jsonl").read_text().splitlines()]
    for line in lines:
        for change in FAILURES[agent]:
            if "tool_result" in json.dumps(line) or line["type"] == "tool.execution_complete":
                text = json.dumps(change).replace('"ID"', json.dumps(_identifier_in(line)))
                _merge(line, json.loads(text))
    call = list(format_of(agent).calls(lines, "path"))[-1]
    assert call.event in ("PostToolUseFailure", "postToolUseFailure")
    event = contracts.get(agent).event(call.event, call.payload)
    assert event.kind == "tool.fail" and event.result is not None
    assert event.result.error == "Exit code 3\npartial"


def _identifier_in(line: JsonObject) -> str:
    found = re.search(r'"tool_use_id": "([^"]*)"', json.dumps(line))
    return found[1] if found else ""


def _merge(line: JsonObject, change: JsonObject) -> None:
    for key, value in change.items():
        own = line.get(key)
        if isinstance(own, dict) and isinstance(value, dict):
            _merge(own, value)
        else:
            line[key] = value


@pytest.mark.parametrize(
    ("result", "more"),
    [
        ({"content": "The user doesn't want to proceed with this tool use."}, {}),
        ({"content": "<tool_use_error>InputValidationError: x</tool_use_error>"}, {}),
        ({"content": "x"}, {"permissionDecision": {"decision": "reject", "source": "config"}}),
    ],
)
def test_a_call_of_claude_code_that_did_not_run_has_no_result(result: JsonObject, more: JsonObject) -> None:
    item: JsonObject = {"type": "tool_result", "tool_use_id": "t", "is_error": True, **result}
    use: JsonObject = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
    values: list[JsonObject] = [
        {"type": "assistant", "message": {"content": [use]}},
        {"type": "user", "message": {"content": [item]}, **more},
    ]
    calls = list(format_of("claude_code").calls(values, "path"))
    assert [(call.event, call.refused) for call in calls] == [("PreToolUse", False)]


def test_the_name_of_a_tool_is_that_which_hooks_see() -> None:
    names = {
        agent: sorted({each.tool for each in imported(FILES / f"{agent}.jsonl") if each.tool})
        for agent in AGENTS
    }
    assert names == {
        "claude_code": ["Bash"],
        "codex": ["Bash"],
        "gemini": ["run_shell_command"],
        "copilot": ["bash"],
    }


def test_a_directory_stands_for_its_transcripts(tmp_path: Path) -> None:
    assert len(imported(FILES)) == 20
    assert len(imported(FILES, "codex")) == 5
    (tmp_path / "other.json").write_text("{}")
    assert imported(tmp_path) == []
    with pytest.raises(JournalError, match="is no transcript of claude_code, codex"):
        imported(tmp_path / "other.json")


def test_events_have_the_same_id_at_each_import() -> None:
    assert [each.id for each in imported(FILES)] == [each.id for each in imported(FILES)]
    assert len({each.id for each in imported(FILES)}) == 20


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
    assert len(found) == 3 and len(problems) == 3
    assert problems[0] == f"{path}:2: is not a JSON object"
