"""Files of expectations: what a case compares, the faults of a file, and how failures read."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sandhook.conformance.expectations import keys
from sandhook.conformance.expectations.model import WORDS
from sandhook.conformance.expectations.reader import below, read_expectations
from sandhook.conformance.expectations.run import check_hooks, run_file
from sandhook.conformance.expectations.schema import EXPECTATIONS_SCHEMA
from sandhook.errors import ConfigError

GUARD = r"""#!/bin/bash
payload=$(cat)
case $(jq -r '.tool_input.command // .prompt // ""' <<<"$payload") in
  *deny*) echo "no deny here" >&2; exit 2 ;;
  *change*) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls"}}}' ;;
  *ask*) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}' ;;
  *halt*) echo '{"continue":false,"stopReason":"enough"}' ;;
  *context*) echo '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"read NOTES"}}' ;;
  *missing*) exec no-such-program ;;
  *log*) echo logged >> log.txt ;;
  *file*) [[ -e extra.txt && $TEAM == blue ]] || exit 2 ;;
esac
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with one hook on tool calls, prompts and stops of Claude Code."""
    handler = {"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/guard.sh'}
    stop = {"type": "command", "command": "echo 'run the tests' >&2; exit 2"}
    hooks = {
        "PreToolUse": [{"hooks": [handler]}],
        "UserPromptSubmit": [{"hooks": [handler]}],
        "Stop": [{"hooks": [stop]}],
    }
    (tmp_path / "settings.json").write_text(json.dumps({"hooks": hooks}))
    (tmp_path / "guard.sh").write_text(GUARD, newline="\n")
    (tmp_path / "guard.sh").chmod(0o755)
    return tmp_path


def write(project: Path, cases: str, head: str = "") -> str:
    """Write a file of expectations and return its path."""
    path = project / "guard.expect.yaml"
    path.write_text(f"version: 1\nhooks: settings.json\ncontract: claude_code\n{head}cases:\n{cases}")
    return path.as_posix()


def details(project: Path, cases: str, head: str = "") -> dict[str, str]:
    """Return the difference of each case that is not as expected, as one text."""
    report = run_file(read_expectations(write(project, cases, head)))
    return {outcome.case.name: "\n".join(outcome.details) for outcome in report.outcomes if outcome.details}


SHELL = "event: tool.pre\ntool: shell\n"


@pytest.mark.parametrize(
    ("command", "expect"),
    [
        ("ls", "proceed"),
        ("deny", "deny"),
        ("deny", "{decision: deny, reason: no .* here, message: no deny}"),
        ("change", "allow"),
        ("change", "{decision: proceed, input: {command: ls}}"),
        ("ask", "ask"),
        ("halt", "{decision: halt, reason: ^enough$}"),
        ("missing", "could-not-run"),
        ("log", "{decision: proceed, files: {log.txt: '^logged$', other.txt: null}}"),
        ("file", "proceed"),
    ],
)
def test_what_is_as_expected(project: Path, command: str, expect: str) -> None:
    case = f"  - {{name: a, input: {{command: {command}}}, expect: {expect}}}\n"
    assert details(project, case, SHELL + "files: {extra.txt: x}\nenv: {TEAM: blue}\n") == {}


@pytest.mark.parametrize(
    ("command", "expect", "line"),
    [
        ("ls", "deny", "decision: expected deny, got proceed"),
        ("deny", "proceed", "decision: expected proceed, got deny"),
        ("ls", "allow", "decision: expected allow, got proceed"),
        (
            "deny",
            "{decision: deny, reason: other}",
            "reason: expected a match of /other/, got 'no deny here'",
        ),
        ("missing", "proceed", "decision: expected proceed, got could-not-run"),
        (
            "change",
            "{decision: allow, input: {command: cat}}",
            'input: expected {"command":"cat"}, got {"command":"ls"}',
        ),
        (
            "log",
            "{decision: proceed, files: {log.txt: null}}",
            r"files: log.txt: expected no such file, got 'logged\n'",
        ),
        (
            "ls",
            "{decision: proceed, files: {log.txt: x}}",
            "files: log.txt: expected a match of /x/, but there is no such file",
        ),
    ],
)
def test_what_is_not_as_expected(project: Path, command: str, expect: str, line: str) -> None:
    case = f"  - {{name: a, because: of this, input: {{command: {command}}}, expect: {expect}}}\n"
    text = details(project, case, SHELL)["a"]
    assert text.splitlines()[:2] == ["because of this", line]
    assert "what the hooks did:\n  PreToolUse: 1 hook(s)\n    PreToolUse[0]" in text


def test_prompts_stops_and_own_payloads(project: Path) -> None:
    cases = """
  - {name: context, event: prompt.submit, prompt: context, expect: {decision: proceed, context: NOTES}}
  - {name: stop, event: Stop, expect: {decision: keep-working, reason: tests}}
  - name: own payload
    payload: {hook_event_name: PreToolUse, tool_name: Bash, tool_input: {command: deny}}
    expect: deny
"""
    assert details(project, cases) == {}


def test_only_some_hooks_run(project: Path) -> None:
    case = "  - {name: a, event: Stop, expect: proceed}\n"
    assert details(project, case, "only: guard.sh\n") == {}
    assert "got keep-working" in details(project, case, "only: run the tests\n")["a"]
    with pytest.raises(ConfigError, match="only: no hook has a command with a match of /nosuch/"):
        check_hooks(read_expectations(write(project, case, "only: nosuch\n")))


def test_each_case_begins_anew(project: Path) -> None:
    once = "input: {command: log}, expect: {decision: proceed, files: {log.txt: '\\Alogged\\n\\Z'}}"
    cases = f"  - {{name: a, {once}}}\n  - {{name: b, {once}}}\n"
    assert details(project, cases, SHELL) == {}
    assert not (project / "log.txt").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a bash on the machine")
@pytest.mark.skipif(shutil.which("jq") is None, reason="the hook calls jq")
def test_on_this_machine_hooks_change_a_copy(project: Path) -> None:
    case = "  - {name: a, input: {command: log}, expect: {decision: proceed, files: {log.txt: logged}}}\n"
    assert details(project, case, SHELL + "host: true\n") == {}
    assert not (project / "log.txt").exists()


FAULTS = [
    ("  - {name: a, expect: dney}\n", SHELL, "cases[0].expect: wanted one of", "did you mean deny?"),
    ("  - {name: a, expct: deny}\n", SHELL, "cases[0].expct: unknown key; did you mean expect?", ""),
    ("  - {name: a, expct: deny}\n", SHELL, "cases[0].expect: is missing", ""),
    ("  - {expect: deny}\n", SHELL, "cases[0].name: is missing", ""),
    ("  - {name: a, expect: {reason: x}}\n", SHELL, "cases[0].expect.decision: is missing", ""),
    ("  - {name: a, expect: {decision: deny, reason: '('}}\n", SHELL, "not a regular expression", ""),
    (
        "  - {name: a, expect: {decision: deny, files: {x: '('}}}\n",
        SHELL,
        "expect.files.x: not a regular",
        "",
    ),
    ("  - {name: a, expect: deny}\n", "", "cases[0].event: is missing", ""),
    ("  - {name: a, expect: deny}\n", "event: tool.pre\n", "cases[0].tool: is missing", ""),
    (
        "  - {name: a, expect: deny}\n",
        "event: tool.per\ntool: shell\n",
        "event: claude_code has no event",
        "",
    ),
    ("  - {name: a, tool: shel, expect: deny}\n", SHELL, "no tool shel; did you mean shell?", ""),
    ("  - {name: a, tool: bash, expect: deny}\n", SHELL, "no tool bash; did you mean Bash?", ""),
    ("  - {name: a, tool: Bsh, expect: deny}\n", SHELL, "no tool Bsh; did you mean Bash?", ""),
    (
        "  - {name: a, tool: run_shell_command, expect: deny}\n",
        SHELL,
        "but of gemini; did you mean Bash?",
        "",
    ),
    ("  - {name: a, prompt: x, expect: deny}\n", SHELL, "cases[0].prompt: does not go with tool.pre", ""),
    ("  - {name: a, event: Stop, input: {}, expect: deny}\n", SHELL, "input: does not go with Stop", ""),
    ("  - {name: a, payload: {a: 1}, expect: deny}\n", "", "cases[0].payload: claude_code:", "the key event"),
    ("  - {name: a, payload: 3, expect: deny}\n", SHELL, "cases[0].payload: wanted a mapping", ""),
    ("  - {name: a, input: [1], expect: deny}\n", SHELL, "cases[0].input: wanted a mapping, got", ""),
    ("  - {name: a, files: {../x: y}, expect: deny}\n", SHELL, "cases[0].files.../x: wanted a path in", ""),
    ("  - {name: a, files: {x: 1}, expect: deny}\n", SHELL, "cases[0].files.x: wanted a string", "quotes"),
    ("  - {name: a, env: {X: null}, expect: deny}\n", SHELL, "cases[0].env.X: wanted a string", ""),
    ("  - {name: a, host: 1, expect: deny}\n", SHELL, "cases[0].host: wanted true or false", ""),
    ("  - {name: a, compat: strit, expect: deny}\n", SHELL, "cases[0].compat: wanted one of", "strict?"),
    ("  - {name: a, expect: deny}\n  - {name: a, expect: deny}\n", SHELL, "cases[1].name: the case of", ""),
    ("  - 3\n", SHELL, "cases[0]: wanted a mapping", ""),
    ("  []\n", SHELL, "cases: wanted a list, got an empty one", ""),
]


@pytest.mark.parametrize(("cases", "head", "message", "more"), FAULTS)
def test_faults_are_named_with_their_lines(
    project: Path, cases: str, head: str, message: str, more: str
) -> None:
    path = write(project, cases, head)
    with pytest.raises(ConfigError) as caught:
        read_expectations(path)
    lines = [str(problem) for problem in caught.value.problems]
    assert any(message in line and more in line for line in lines), lines
    assert all(problem.file == path and problem.line > 0 for problem in caught.value.problems), lines


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version: 1\nhooks: nosuch.json\ncases: []\n", "hooks: "),
        ("version: 1\nhooks: [settings.json, 3]\ncases: []\n", "hooks: wanted the hook file"),
        (
            "version: 1\nhooks: settings.json\ncontract: claude\ncases: []\n",
            "x.expect.yaml:3: contract: unknown contract 'claude'; did you mean claude_code?\n",
        ),
        (
            "version: 1\nhooks: settings.json\nproject: nosuch\ncases: []\n",
            "x.expect.yaml:3: project: there is no directory nosuch; wanted that which the hooks see",
        ),
        ("version: 1\nhooks: settings.json\nproject: guard.sh\ncases: []\n", "no directory guard.sh"),
        ("version: 1\nhooks: guard.sh\ncases: []\n", "hooks: "),
        ("hooks: settings.json\ncontract: claude_code\ncases: []\n", "version: wanted 1, got nothing"),
        ("version: 9\nhooks: settings.json\ncontract: claude_code\ncases: []\n", "version: wanted 1, got 9"),
        ("version: 1\nversion: 1\n", "version"),
        ("- 1\n", "wanted a mapping"),
        ("", "wanted a mapping"),
        ("a: [\n", "line 2"),
    ],
)
def test_faults_of_the_whole_file(project: Path, text: str, message: str) -> None:
    path = project / "x.expect.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_expectations(path.as_posix())
    assert message in str(caught.value)


def test_the_schema_has_the_keys_that_are_read() -> None:
    def properties(value: object) -> dict[str, object]:
        assert isinstance(value, dict)
        return value["properties"]

    definitions = EXPECTATIONS_SCHEMA["$defs"]
    assert isinstance(definitions, dict)
    assert list(properties(EXPECTATIONS_SCHEMA)) == list(keys.FILE_KEYS)
    assert list(properties(definitions["case"])) == list(keys.CASE_KEYS)
    assert list(properties(definitions["expect"])) == list(keys.EXPECT_KEYS)
    assert properties(definitions["expect"])["decision"]["enum"] == list(WORDS)  # type: ignore[index]


@pytest.mark.slow  # tests/pytest_plugin has the short form
@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_pytest_collects_the_cases(project: Path, workers: list[str]) -> None:
    cases = (
        "  - {name: good, input: {command: ls}, expect: proceed}\n  - {name: bad, input: {}, expect: deny}\n"
    )
    write(project, cases, SHELL)
    (project / "faulty.expect.yaml").write_text("version: 1\n")
    (project / "conftest.py").write_text('pytest_plugins = ["sandhook.pytest_plugin"]\n')
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *workers]
    run = subprocess.run([*command, "guard.expect.yaml"], cwd=project, capture_output=True, text=True)
    assert run.returncode == 1
    assert "1 failed, 1 passed" in run.stdout
    assert "guard.expect.yaml:8: bad\ndecision: expected deny, got proceed" in run.stdout
    assert "Traceback" not in run.stdout
    run = subprocess.run([*command, "faulty.expect.yaml"], cwd=project, capture_output=True, text=True)
    assert "faulty.expect.yaml:1: hooks: is missing" in run.stdout
    assert "Traceback" not in run.stdout


@pytest.mark.parametrize(
    ("directory", "name", "path"),
    [
        ("c:/p/x", "C:/other/h.json", "C:/other/h.json"),
        ("c:/p/x", "../h.json", "c:/p/h.json"),
        ("c:/p", "D:\\a\\..\\b", "D:/b"),
        ("c:/p", "a\\h.json", "c:/p/a/h.json"),
        ("//server/share/p", "../h.json", "//server/share/h.json"),
        (".claude", "C:/other/h.json", "C:/other/h.json"),
        (".claude", "../h.json", "h.json"),
        ("", "h.json", "h.json"),
        ("/p", "../h.json", "/h.json"),
        ("/p", "/other/h.json", "/other/h.json"),
        ("/p", "C:/x", "/p/C:/x"),
    ],
)
def test_a_hook_file_may_be_absolute_on_each_system(directory: str, name: str, path: str) -> None:
    assert below(directory, name) == path
