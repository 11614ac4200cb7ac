"""Cline: directories of files, their names, what starts them, payloads, and the way back."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import Decision, HookEngine, PromptSubmit, RunResult, ToolPost, ToolPre
from sandhook.hooks.contracts import get
from sandhook.hooks.contracts.cline.names import event_of_file, starter
from sandhook.hooks.discovery import discover
from sandhook.hooks.sources import documents
from tests.hooks.hooktools import Scripted

CLINE = get("cline")
CALL = ToolPre("run_commands", {"commands": ["ls"], "n": 1}, call_id="c", session_id="t")


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("PreToolUse", "PreToolUse"),
        ("pretooluse", "PreToolUse"),
        ("PreToolUse.sh", "PreToolUse"),
        ("PreToolUse .zsh", "PreToolUse"),
        ("TaskStart.mts", "TaskStart"),
        ("PreCompact.py", "PreCompact"),
        ("PreToolUse.SH", None),
        ("PreToolUse.txt", None),
        ("PreToolUse.sh.bak", None),
        ("PreToolUse.cmd", None),
        ("README.md", None),
    ],
)
def test_names_of_files(name: str, event: str | None) -> None:
    assert event_of_file(name) == event


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("PreToolUse", "echo", ("bash",)),
        ("PreToolUse.zsh", "echo", ("bash",)),
        ("PreToolUse.py", "print()", ("python3",)),
        ("PreToolUse.cjs", "", ("node",)),
        ("PreToolUse.ts", "", ("bun", "run")),
        ("PreToolUse.ps1", "", ("pwsh", "-File")),
        ("PreToolUse.py", "#!/nosuch/bash -e\r\n", ("bash", "-e")),
        ("PreToolUse", "#!/usr/bin/env python3\n", ("python3",)),
        ("PreToolUse", "#!/usr/bin/env -S bash\n", ("-S", "bash")),  # which Cline cannot start
        ("PreToolUse", "#!/opt/x/ruby\n", ("/opt/x/ruby",)),
        ("PreToolUse", "#!\n", ("bash",)),
    ],
)
def test_what_starts_a_file(name: str, text: str, words: tuple[str, ...]) -> None:
    assert starter(name, text) == words


def project(tmp_path: Path, files: dict[str, str]) -> tuple[Path, dict[str, str]]:
    """Write files of a project and of a user; return the project, and the environment."""
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("latin-1"))
    (tmp_path / "p").mkdir(exist_ok=True)
    home = (tmp_path / "home").as_posix()
    return tmp_path / "p", {"HOME": home, "USERPROFILE": home}


def test_files_of_four_directories_are_hooks_in_the_order_of_their_paths(tmp_path: Path) -> None:
    names = ["home/Documents/Cline/Hooks/PreToolUse", "home/.cline/hooks/PreToolUse.sh"]
    names += ["p/.clinerules/hooks/PreToolUse", "p/.cline/hooks/pretooluse.py"]
    here, env = project(tmp_path, dict.fromkeys(names, "echo '{}'\n"))
    found = discover(CLINE, here, env=env)
    assert found.problems == ()
    engine = HookEngine.load(
        list(found.documents), CLINE, trust=lambda spec: spec.layer == "project", env=env
    )
    root = tmp_path.resolve().as_posix()
    assert [spec.executor.text for spec in engine.hooks] == [
        f"bash {root}/home/.cline/hooks/PreToolUse.sh",
        f"bash {root}/home/Documents/Cline/Hooks/PreToolUse",
        "python3 .cline/hooks/pretooluse.py",
        "bash .clinerules/hooks/PreToolUse",
    ]
    assert {spec.timeout for spec in engine.hooks} == {120.0}


def test_other_files_of_a_directory_are_no_fault_and_a_misspelt_name_is_noted(tmp_path: Path) -> None:
    files = {f"p/.clinerules/hooks/{name}": text for name, text in {
        "README.md": "words", "lib.dat": "\xff", "PreTolUse": "exit 0", "PreCompact": "exit 0",
    }.items()}  # fmt: skip
    here, env = project(tmp_path, files)
    found = discover(CLINE, here, env=env)
    engine = HookEngine.load(list(found.documents), CLINE, trust=lambda spec: True)
    assert (found.problems, engine.hooks, engine.problems) == ((), (), ())
    notes = "\n".join(map(str, engine.diagnostics))
    assert "Cline does not start PreTolUse; did you mean PreToolUse?" in notes
    assert "never fires" in notes


def test_a_hook_that_cannot_be_read_is_a_problem_and_the_others_run(tmp_path: Path) -> None:
    files = {"p/.clinerules/hooks/PreToolUse": "exit 0", "p/.clinerules/hooks/PreToolUse.sh": "\xff"}
    here, env = project(tmp_path, files)
    found = discover(CLINE, here, env=env)
    assert [problem.file.rpartition("/")[2] for problem in found.problems] == ["PreToolUse.sh"]
    assert len(found.documents) == 1


@pytest.mark.skipif(os.name == "nt", reason="the script is one of POSIX")
def test_a_file_is_recognised_by_its_place(tmp_path: Path) -> None:
    here, _ = project(tmp_path, {"p/.clinerules/hooks/PreToolUse": "exit 0", "p/PreToolUse": "{}"})
    (document,) = documents((here / ".clinerules/hooks/PreToolUse").as_posix())
    assert document.contract == "cline"
    (document,) = documents((here / "PreToolUse").as_posix())
    assert document.contract == ""


def test_a_payload_comes_back() -> None:
    for event in (CALL, ToolPost("run_commands", {"commands": "x"}, result="out", error="bad")):
        (spec,) = HookEngine.load(
            {"hooks": {"PreToolUse" if event is CALL else "PostToolUse": [{"command": "x"}]}}, "cline"
        ).hooks
        sent = json.loads(CLINE.request(spec, event, "strict").stdin)
        back = CLINE.event(spec.native_event, sent)
        assert (back.kind, back.tool, back.result) == (event.kind, event.tool, event.result)
        assert CLINE.event_name(sent, {}) == ("tool_call" if event is CALL else "tool_result")


def test_the_arguments_are_texts_too() -> None:
    (spec,) = HookEngine.load({"hooks": {"PreToolUse": [{"command": "x"}]}}, "cline").hooks
    sent = json.loads(CLINE.request(spec, CALL, "strict").stdin)
    assert sent["preToolUse"] == {"toolName": "run_commands", "parameters": {"commands": '["ls"]', "n": "1"}}


def test_the_extensions_payload_is_read_too() -> None:
    payload = {"hookName": "PreToolUse", "taskId": "t", "preToolUse": {"toolName": "execute_command", "parameters": {"command": "ls"}}}  # fmt: skip
    event = CLINE.event("PreToolUse", payload)
    assert event.tool is not None
    assert (event.tool.name, event.tool.input) == ("execute_command", {"command": "ls"})


@pytest.mark.parametrize(
    ("decision", "printed"),
    [
        (Decision("tool.pre", permission="deny", reason="r"), {"cancel": True, "errorMessage": "r"}),
        (Decision("tool.pre", permission="allow"), None),
        (Decision("tool.pre", context=(("a", "result"), ("b", "result"))), {"contextModification": "a\nb"}),
        (Decision("tool.post", halt=True, reason="r"), {"cancel": True, "errorMessage": "r"}),
    ],
)
def test_the_way_back(decision: Decision, printed: Any) -> None:
    answer = CLINE.answer(decision, CALL)
    assert answer.exit_status == 0
    assert (json.loads(answer.stdout) if answer.stdout else None) == printed
    assert json.loads(CLINE.refuse("why").stdout) == {"cancel": True, "errorMessage": "why"}


def test_a_prompt_is_not_refused() -> None:
    config = {"hooks": {"UserPromptSubmit": [{"command": "x"}]}}
    engine = HookEngine.load(config, "cline", runner=Scripted(RunResult(0, b'{"cancel": true}')))
    assert not engine.fire(PromptSubmit("p")).refused
    assert engine.wait(5)


def test_a_long_context_is_cut() -> None:
    printed = json.dumps({"context": "x" * 60_000}).encode()
    config = {"hooks": {"PreToolUse": [{"command": "x"}]}}
    decision = HookEngine.load(config, "cline", runner=Scripted(RunResult(0, printed))).fire(CALL)
    ((text, _),) = decision.context
    assert text == "x" * 50_000 + "\n[hook context truncated: exceeded 50000 characters]"


def test_hooks_of_another_agent_lose_their_matchers_and_times() -> None:
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": "./g.sh", "timeout": 5}]}
    specs = HookEngine.load({"hooks": {"PreToolUse": [group]}}, "claude_code").hooks
    value, lost = CLINE.render(specs)
    assert value == {"hooks": {"PreToolUse": [{"command": "./g.sh"}]}}
    assert lost == (
        "PreToolUse[0]: Cline has no matcher on PreToolUse",
        "PreToolUse[0]: its timeout of 5 seconds; Cline's is 120 for every hook",
    )
