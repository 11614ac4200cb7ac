"""``sandhook fire``: exit statuses, both formats, payloads, workspaces, traces."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hooks.hooktools import hook

BUNDLES = Path(__file__).parents[2] / "examples" / "hook-bundles"
GUARD = hook(
    id="guard",
    command='echo \'{"decision":"block","reason":"no","user_message":"Sorry."}\'',
    matcher={"tool_name": "bash", "args_jsonpath": "$.command", "deny_regex": "rm"},
)
RM = '{"command":"rm x"}'
LS = '{"command":"ls"}'

Run = Callable[..., Any]
Write = Callable[..., Path]


def test_a_refusal(sandhook: Run, hooks: Write) -> None:
    ran = sandhook("fire", "pre_tool_use", "--hooks", hooks(GUARD), "--tool", "bash", "--input", RM)
    assert ran.status == 2 and ran.stderr == ""
    assert ran.stdout == (
        "pre_tool_use: 1 hook(s), in a copy of the current directory\n"
        "  user:guard  block: no\n"
        '    because tool name "bash" is "bash", $.command = "rm x" is matched by /rm/\n'
        "    exit status 0\n"
        "decision: refused\n"
        "  message: blocked by pre_tool_use hook: no\n"
        "  to the user: Sorry.\n"
    )


def test_its_harmless_neighbour(sandhook: Run, hooks: Write) -> None:
    ran = sandhook("fire", "tool.pre", "--hooks", hooks(GUARD), "--tool", "bash", "--input", LS)
    assert ran.status == 0 and ran.stderr == ""
    assert ran.stdout == (
        "pre_tool_use: 1 hook(s), in a copy of the current directory\n"
        '  user:guard  not run: $.command = "ls" is not matched by /rm/\n'
        "decision: proceed\n"
    )


def test_json_is_the_decision_with_all_outcomes(sandhook: Run, hooks: Write) -> None:
    path = hooks(GUARD, hook(id="later"))
    ran = sandhook(
        "fire", "pre_tool_use", "--hooks", path, "--tool", "bash", "--input", RM, "--format", "json"
    )
    record = json.loads(ran.stdout)
    assert ran.status == 2
    assert (record["refused"], record["contract"], record["reason"]) == (True, "everruns", "no")
    assert [(each["hook_id"], each["decision"]) for each in record["outcomes"]] == [
        ("user:guard", "block"),
        ("user:later", None),
    ]


def test_a_change_is_shown(sandhook: Run) -> None:
    path = BUNDLES / "prepend-style-note.json"
    ran = sandhook("fire", "user_prompt_submit", "--hooks", path, "--prompt", "fix the bug")
    assert ran.status == 0
    assert "decision: proceed, prompt changed\n" in ran.stdout
    assert 'prompt replace: "[reminder: follow the house style guide]\\nfix the bug"' in ran.stdout


@pytest.mark.parametrize(
    "payload",
    [
        {"tool_name": "bash", "arguments": {"command": "rm x"}},
        {
            "event": "pre_tool_use",
            "session_id": "s",
            "data": {"tool_name": "bash", "tool_call_id": "c", "arguments": {"command": "rm x"}},
        },
    ],
)
def test_a_payload_from_a_file_or_standard_input(
    sandhook: Run, hooks: Write, tmp_path: Path, payload: dict[str, Any]
) -> None:
    file = tmp_path / "payload.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(payload).encode())
    command = ("fire", "pre_tool_use", "--hooks", hooks(GUARD), "--payload")
    assert sandhook(*command, file).status == 2
    assert sandhook(*command, "-", stdin=file.read_bytes()).status == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["nosuch", "--tool", "x"],
            "unknown event 'nosuch' for everruns; known are session_start (session.start), ",
        ),
        (["stop"], "unknown event 'stop' for everruns"),
        (["pre_tool_use"], "pre_tool_use needs --tool NAME (or --payload FILE)"),
        (["pre_tool_use", "--tool", "x", "--prompt", "y"], "--prompt does not go with pre_tool_use"),
        (["user_prompt_submit"], "user_prompt_submit needs --prompt TEXT (or --payload FILE)"),
        (["turn_end", "--tool", "x"], "--tool does not go with turn_end"),
        (["turn_end", "--prompt", "x"], "--prompt does not go with turn_end"),
        (
            ["pre_tool_use", "--tool", "x", "--input", "{"],
            "--input: wanted a JSON object: Expecting property name",
        ),
        (["pre_tool_use", "--tool", "x", "--payload", "-"], "--payload goes without --tool"),
        (["pre_tool_use", "--payload", "-"], "--payload: it is empty, and wanted is JSON"),
        (["pre_tool_use", "--payload", "/nosuch/file"], "/nosuch/file: No such file or directory"),
        (["turn_end", "--write-back"], "--write-back needs --workspace DIR"),
        (["turn_end", "--workspace", "/nosuch/dir"], "/nosuch/dir: Not a directory"),
        (["turn_end", "--contract", "nosuch"], "unknown contract 'nosuch'; known are everruns"),
    ],
)
def test_a_usage_error(sandhook: Run, hooks: Write, arguments: list[str], message: str) -> None:
    ran = sandhook("fire", *arguments, "--hooks", hooks(GUARD))
    assert (ran.status, ran.stdout) == (1, "")
    assert ran.stderr.startswith(f"sandhook: {message}") and ran.stderr.count("\n") == 1


def test_a_bad_configuration_prints_every_problem_with_its_path(sandhook: Run, hooks: Write) -> None:
    path = hooks(GUARD, hook("nosuch", timeout_ms=1), hook(matcher={"tool_name_glob": "a?"}))
    ran = sandhook("fire", "pre_tool_use", "--hooks", path, "--tool", "bash", "--input", RM)
    assert ran.status == 2  # the hook without a fault runs
    assert ran.stdout.startswith(
        "not in force: hooks or files with 3 problem(s), see standard error\npre_tool_use:"
    )
    lines = [line for line in ran.stderr.splitlines() if not line.startswith("note: ")]
    assert len(lines) == 3
    assert lines[0].startswith(
        f"{path}:1: hooks[1].event: user_hooks config parse failed: unknown variant `nosuch`"
    )
    assert lines[1] == (
        f"{path}:1: hooks[1].timeout_ms: user_hooks.hooks[1]: hook timeout_ms 1 is out of range (100..=30000)"
    )
    assert lines[2] == (
        f"{path}:1: hooks[2].matcher.tool_name_glob: user_hooks.hooks[2]: "
        "hook tool_name_glob `a?` contains unsupported syntax"
    )


def test_a_fault_is_in_the_first_line_the_json_and_the_exit_status(
    sandhook: Run, hooks: Write, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    call = ("fire", "pre_tool_use", "--hooks", hooks(GUARD), "--hooks", broken, "--tool", "bash")
    proceeds = sandhook(*call, "--input", '{"command": "ls"}')
    assert proceeds.status == 3
    assert proceeds.stdout.startswith("not in force: hooks or files with 1 problem(s)")
    assert "decision: proceed" in proceeds.stdout
    assert f"{broken}: Expecting property name" in proceeds.stderr
    refused = sandhook(*call, "--input", RM, "--format", "json")
    assert refused.status == 2
    record = json.loads(refused.stdout)
    assert record["refused"] is True
    assert [problem.startswith(f"{broken}: ") for problem in record["problems"]] == [True]
    closed = sandhook(*call, "--input", '{"command": "ls"}', "--fail-closed")
    assert (closed.status, closed.stdout) == (1, "")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="FIFOs of POSIX")
def test_a_fifo_as_a_configuration_does_not_wait(sandhook: Run, hooks: Write, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.json")
    call = (
        "fire",
        "pre_tool_use",
        "--hooks",
        hooks(GUARD),
        "--hooks",
        tmp_path / "fifo.json",
        "--tool",
        "bash",
    )
    ran = sandhook(*call, "--input", RM)
    assert (ran.status, "fifo.json: not a regular file" in ran.stderr) == (2, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "Expecting property name enclosed in double quotes at line 1 column 2"),
        ("#!/bin/bash\nexit 2\n", "it is a script, and wanted is JSON"),
        ("", "it is empty, and wanted is JSON"),
        (" \n", "it is empty, and wanted is JSON"),
        ('{"hooks": [\n  1, \n]}', "a comma before ] at line 2 column 4"),
        ('{"hooks": {},}', "a comma before } at line 1 column 13"),
        ('{\n  // all\n  "hooks": {}}', "a comment, which JSON does not have at line 2 column 3"),
        ('{"hooks": [1 2]}', "Expecting ',' delimiter at line 1 column 14"),
    ],
)
def test_a_file_that_is_no_json(sandhook: Run, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "hooks.json"
    path.write_text(text)
    assert sandhook("fire", "turn_end", "--hooks", path) == (1, "", f"{path}: {message}\n")


def test_a_file_that_fits_no_contract(sandhook: Run, tmp_path: Path) -> None:
    path = tmp_path / "hooks.json"
    path.write_text('{"other":1}')
    ran = sandhook("fire", "turn_end", "--hooks", path)
    assert ran.status == 1
    assert ran.stderr.startswith(f"sandhook: {path}: fits none of the known contracts (everruns, ")


def test_oddities_are_noted_and_layers_are_in_order(sandhook: Run, hooks: Write) -> None:
    low = hooks(hook("turn_end", id="a"), name="low.json", odd=1)
    high = hooks(hook("turn_end", id="b"), name="high.json")
    ran = sandhook("fire", "turn_end", "--hooks", low, "--hooks", high)
    assert ran.status == 0
    assert ran.stdout.index("user:a") < ran.stdout.index("user:b")
    assert ran.stderr == f"note: {low}: odd: unknown field, ignored\n"


def test_fail_closed(sandhook: Run, hooks: Write) -> None:
    command = ("fire", "pre_tool_use", "--hooks", hooks(hook(id="x", command="echo text")), "--tool", "bash")
    open_, closed = sandhook(*command), sandhook(*command, "--fail-closed")
    assert (open_.status, closed.status) == (3, 2)
    assert open_.stdout.endswith("decision: proceed (1 could not run)\n")
    assert "could not run: hook stdout is not JSON (first 80 bytes: text\\n)" in open_.stdout
    assert "decision: refused (fail closed) (1 could not run)\n" in closed.stdout


def test_compat(sandhook: Run) -> None:
    path = BUNDLES / "security-pack.declarative.json"
    command = ("fire", "pre_tool_use", "--hooks", path, "--tool", "bash", "--input", '{"command":"rm -rf /"}')
    assert sandhook(*command).status == 2
    assert sandhook(*command, "--compat", "strict").status == 0


def test_a_trace_has_audit_lines_and_what_hooks_printed(sandhook: Run, hooks: Write) -> None:
    path = hooks(hook(id="x", command="echo '{}'; echo oops >&2"))
    ran = sandhook("fire", "pre_tool_use", "--hooks", path, "--tool", "bash", "--trace")
    assert [json.loads(line)["type"] for line in ran.stderr.splitlines()] == [
        "hook.invoked",
        "hook.completed",
    ]
    assert "    stdout| {}\n    stderr| oops\n" in ran.stdout


def test_steps_say_what_each_command_did(sandhook: Run, hooks: Write) -> None:
    arguments = ("fire", "tool.pre", "--hooks", hooks(GUARD), "--tool", "bash", "--input", RM, "--steps")
    ran = sandhook(*arguments)
    assert ran.status == 2
    assert re.search(r"^    main:1 +0  echo '{\"decision\"", ran.stdout, re.MULTILINE), ran.stdout
    steps = json.loads(sandhook(*arguments, "--format", "json").stdout)["outcomes"][0]["steps"]
    assert (steps[0]["words"][0], steps[0]["status"]) == ("echo", 0)
    assert json.loads(steps[0]["stdout"])["decision"] == "block"
    confined = sandhook(*arguments, "--isolation", "process")
    assert re.search(r"^    main:1 +0  echo '{\"decision\"", confined.stdout, re.MULTILINE), confined.stdout


def test_a_workspace_is_changed_in_a_copy(sandhook: Run, hooks: Write, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a").write_text("old")
    path = hooks(hook("turn_end", command="cat a > b; echo new > a; mkdir d; echo '{}'"))
    command = ("fire", "turn_end", "--hooks", path, "--workspace", work)
    ran = sandhook(*command)
    assert ran.status == 0
    assert re.sub(r" \([-d][-rwx]{9}\)", "", ran.stderr) == (
        "modified: /workspace/a\ncreated: /workspace/b\ncreated: /workspace/d\n"
        f"3 change(s) not written back to {work} (--write-back does it)\n"
    )
    assert [each.name for each in work.iterdir()] == ["a"] and (work / "a").read_text() == "old"
    ran = sandhook(*command, "--write-back")
    assert ran.stderr.splitlines()[-1] == f"3 change(s) written to {work}"
    assert (work / "a").read_text() == "new\n" and (work / "b").read_text() == "old"
    assert sorted(each.name for each in work.iterdir()) == ["a", "b", "d"]


def test_hooks_of_several_files_change_a_workspace_apart(sandhook: Run, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "a").write_text("old")
    files = []
    for number, command in enumerate(("echo one > a; touch $PWD/one", "cat a > seen; echo two > a")):
        path = tmp_path / f"{number}.json"
        path.write_text(
            json.dumps({"hooks": [hook("turn_end", id=f"h{number}", command=f"{command}; echo '{{}}'")]})
        )
        files += ["--hooks", path]
    ran = sandhook("fire", "turn_end", *files, "--workspace", work, "--write-back")
    assert ran.status == 0
    second = f":{tmp_path / '1.json'}"
    assert f"conflict: /workspace/a: hooks of several files change it; {second} counts" in ran.stderr
    assert (work / "seen").read_text() == "old"
    assert (work / "a").read_text() == "two\n"
    assert (work / "one").exists()


def test_a_workspace_that_no_hook_changes_is_not_mentioned(
    sandhook: Run, hooks: Write, tmp_path: Path
) -> None:
    path = hooks(hook("turn_end", command="ls > /tmp/list; echo '{}'"))
    assert sandhook("fire", "turn_end", "--hooks", path, "--workspace", tmp_path).stderr == ""


def test_hooks_cannot_move_the_cursor(sandhook: Run, hooks: Write) -> None:
    path = hooks(hook(id="x\x1b[2J", command="printf '\\033[31mred\\033[0m\\n\\342\\200\\256' >&2; exit 1"))
    ran = sandhook("fire", "pre_tool_use", "--hooks", path, "--tool", "ba\x07sh", "--trace")
    assert all(c == "\n" or c.isprintable() for c in ran.stdout + ran.stderr)
    assert ran.status == 2


def test_hooks_on_this_machine(
    sandhook: Run, hooks: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    touching = hook(id="touch", command='echo "$PWD" > made; exit 0')
    arguments = ("fire", "pre_tool_use", "--hooks", hooks(touching), "--tool", "bash", "--input", LS)
    assert sandhook(*arguments).status == 0
    assert not (tmp_path / "made").exists()
    ran = sandhook(*arguments, "--host")
    assert (ran.status, ran.stderr) == (0, "")
    assert (tmp_path / "made").exists()


def test_how_the_machine_is_used(sandhook: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PERL5LIB", "lib")
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "guard").write_text('#!/no/such/bash\necho "[$PERL5LIB]" >&2\nexit 2\n')
    (tmp_path / "crush.json").write_text(json.dumps({"hooks": {"PreToolUse": [{"command": "./guard"}]}}))
    arguments = ("fire", "PreToolUse", "--hooks", "crush.json", "--tool", "bash")
    assert "[]" in sandhook(*arguments, "--host").stdout
    assert "[lib]" in sandhook(*arguments, "--host", "--keep-env", "PERL5LIB").stdout
    assert "nor is bash in PATH" in sandhook(*arguments, "--host", "--own-shell", "never").stdout
    assert sandhook(*arguments, "--prefer", "own").stderr == "sandhook: --prefer: only with --host\n"


def test_a_program_of_the_machine_is_known_as_one(sandhook: Run, tmp_path: Path) -> None:
    hooks = tmp_path / "crush.json"
    hooks.write_text(json.dumps({"hooks": {"PreToolUse": [{"command": "python3 guard.py"}]}}))
    fire = ("fire", "PreToolUse", "--hooks", hooks, "--cwd", tmp_path, "--tool", "bash")
    ran = sandhook(*fire)
    assert ran.status == 3
    assert "    hint: the sandbox has no python3, a program of the host: host mode, or " in ran.stdout
    assert "    stderr| sandhook: the sandbox has no python3" in sandhook(*fire, "--trace").stdout


def test_hooks_of_a_project_stay_in_the_sandbox_until_they_are_approved(
    sandhook: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crush.json").write_text(json.dumps({"hooks": {"PreToolUse": [{"command": "echo > made"}]}}))
    arguments = ("fire", "PreToolUse", "--contract", "crush", "--tool", "bash", "--input", LS, "--host")
    skipped = sandhook(*arguments)
    assert "not trusted" in skipped.stdout and not (tmp_path / "made").exists()
    sandhook(*arguments, "--sandbox")
    assert not (tmp_path / "made").exists()
    assert sandhook("trust", "crush.json", "--yes").status == 0
    sandhook(*arguments)
    assert (tmp_path / "made").exists()


def test_the_directory_of_the_agent_is_shown(
    sandhook: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    (project / "guard.sh").write_text("#!/bin/sh\necho no >&2\necho x > seen\nexit 2\n")
    (project / "guard.sh").chmod(0o755)
    value = {"hooks": {"PreToolUse": [{"command": "./guard.sh"}]}}
    (project / "crush.json").write_text(json.dumps(value))
    fire = ("fire", "PreToolUse", "--tool", "bash", "--hooks", project / "crush.json")
    ran = sandhook(*fire)
    assert ran.status == 2
    assert ran.stdout.startswith("PreToolUse: 1 hook(s), in a copy of the current directory\n")
    assert ran.stderr.startswith("created: /workspace/seen")
    assert not (project / "seen").exists()
    record = json.loads(sandhook(*fire, "--format", "json").stdout)
    assert record["workspace"] == str(project)
    monkeypatch.chdir(tmp_path)
    assert sandhook(*fire).status == 3  # another directory has no guard.sh
    for option in ("--cwd", "--workspace"):
        ran = sandhook(*fire, option, "project")
        assert ran.status == 2 and ran.stdout.startswith("PreToolUse: 1 hook(s), in a copy of project\n")
    payload = b'{"event": "PreToolUse", "tool_name": "bash", "tool_input": {}}'
    monkeypatch.chdir(project)
    assert sandhook("fire", "--as-hook", "crush", "--hooks", "crush.json", stdin=payload).status == 2


def test_a_damaged_store_of_approvals_is_named(
    sandhook: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crush.json").write_text('{"hooks": {"PreToolUse": [{"command": "exit 2"}]}}')
    (tmp_path / "store").write_text("{")
    base = ("fire", "PreToolUse", "--contract", "crush", "--store", "store")
    ran = sandhook(*base, "--tool", "bash")
    assert (ran.status, ran.stdout) == (1, "")
    assert ran.stderr.startswith("sandhook: store: ") and "nothing is trusted until" in ran.stderr
    payload = b'{"event": "PreToolUse", "tool_name": "bash", "tool_input": {}}'
    ran = sandhook(*base, "--as-hook", "crush", "--fail-closed", stdin=payload)
    assert ran.status == 2 and "nothing is trusted until" in ran.stderr


@pytest.mark.parametrize(("text", "kind"), [("[]", "an array"), ("5", "a number"), ('"x"', "a string")])
def test_the_input_of_a_tool_is_an_object(sandhook: Run, hooks: Write, text: str, kind: str) -> None:
    path = hooks(hook("pre_tool_use", "exit 0"))
    ran = sandhook("fire", "pre_tool_use", "--hooks", path, "--tool", "bash", "--input", text)
    assert ran == (1, "", f"sandhook: --input: wanted an object, got {kind}\n")


def test_a_path_that_only_the_sandbox_does_not_split(
    sandhook: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "my project"
    project.mkdir()
    (project / "g.sh").write_bytes(b"exit 2\n")
    monkeypatch.chdir(project)
    fire = ("fire", "PreToolUse", "--hooks", "h.json", "--contract", "claude_code", "--tool", "Bash")
    split = f"$CLAUDE_PROJECT_DIR is not quoted, and is '{project}': the shell splits it"
    for command, note in (
        ("$CLAUDE_PROJECT_DIR/g.sh", f"note: PreToolUse[0]: outside of the sandbox: {split}\n"),
        ('"$CLAUDE_PROJECT_DIR"/g.sh', ""),
    ):
        group = {"matcher": "Bash", "hooks": [{"type": "command", "command": f"bash {command}"}]}
        (project / "h.json").write_text(json.dumps({"hooks": {"PreToolUse": [group]}}))
        ran = sandhook(*fire)
        assert (ran.status, ran.stderr) == (2, note)
