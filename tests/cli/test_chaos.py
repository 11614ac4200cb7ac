"""``sandhook chaos``: the grid, its exit statuses, JSON, and usage errors."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sandhook.proving.faults import NAMES
from tests.cli.conftest import RunResult
from tests.cli.terminals import in_terminal
from tests.proving.provingtools import CAREFUL, EXPECTATIONS, USUAL, WRAPPED, project

Run = Callable[..., RunResult]


def test_the_grid(sandhook: Run, tmp_path: Path) -> None:
    config = project(tmp_path, USUAL)
    result = sandhook("chaos", config, "--fault", "no-jq,empty-stdin", "--fault", "no-home,tool-case,killed")
    assert result.status == 1
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0].split() == [
        "1",
        "crush",
        f"{config.as_posix()}:1",
        "PreToolUse[0]",
        "1",
        "of",
        "1",
        "cases",
        "./guard.sh",
    ]
    grid = {line.split(maxsplit=1)[0]: line.split(maxsplit=1)[1] for line in lines[2:7]}
    assert grid == {
        "no-jq": "allowed",
        "killed": "crashed: allowed",
        "empty-stdin": "allowed",
        "tool-case": "uncovered",
        "no-home": "refused",
    }
    (reason,) = [line for line in lines if line.startswith("no-jq, guard 1: exit status 0: ")]
    assert reason.endswith("guard.sh: line 2: jq: command not found (case: rm -rf is refused)")
    assert lines[-1] == "1 guard, 5 faults: 3 let an action pass, 1 not covered by the matcher"


def two_guards(root: Path) -> Path:
    """Write a project with the same guard twice, under two names."""
    config = project(root, USUAL, files={"other.sh": USUAL})
    (root / "other.sh").chmod(0o755)
    hooks = [{"command": f"./{name}.sh", "matcher": "^bash$"} for name in ("guard", "other")]
    config.write_text(json.dumps({"hooks": {"PreToolUse": hooks}}), encoding="utf-8")
    return config


def test_guards_that_fail_alike_are_reported_once(sandhook: Run, tmp_path: Path) -> None:
    result = sandhook("chaos", two_guards(tmp_path), "--fault", "no-jq,killed")
    notes = [line for line in result.stdout.splitlines() if ", guard" in line]
    assert [note.partition(": ")[0] for note in notes] == ["no-jq, guards 1, 2", "killed, guards 1, 2"]
    assert notes[1].endswith("(guard 1, case: rm -rf is refused)")
    assert result.stdout.splitlines()[-1] == "2 guards, 2 faults: 4 let an action pass"


def test_guards_have_the_order_of_their_file(sandhook: Run, tmp_path: Path) -> None:
    config = two_guards(tmp_path)
    config.write_text(config.read_text().replace("}, {", "},\n{"))
    (tmp_path / "a.expect.yaml").write_text(EXPECTATIONS + "only: other\n")
    result = sandhook("chaos", config, "--fault", "no-jq", "--format", "json")
    assert [guard["line"] for guard in json.loads(result.stdout)["guards"]] == [1, 2]


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal")
def test_a_narrow_terminal_joins_equal_results(tmp_path: Path) -> None:
    shown = in_terminal("chaos", two_guards(tmp_path), "--fault", "killed", cwd=tmp_path, columns=40)
    assert "killed\n  1, 2: crashed: allowed\n" in shown.text


def test_an_agent_that_starts_a_program_misses_it(sandhook: Run, tmp_path: Path) -> None:
    """ub refuses if a hook that may refuse does not start; a program that is no shell needs none."""
    expectations = EXPECTATIONS.replace("crush.json", "config.json").replace("crush", "ub")
    expectations = expectations.replace("PreToolUse", "pre_tool_call")
    found = []
    for name, words in (("shell", ["bash", "-c", "./guard.sh"]), ("program", ["./guard.sh"])):
        root = tmp_path / name
        root.mkdir()
        project(root, "#!/bin/bash\nexit 2\n", expectations=expectations)
        hook = {"command": words, "tools": ["bash"], "on_failure": "block", "env": ["PATH"]}
        (root / "config.json").write_text(json.dumps({"hooks": {"pre_tool_call": [hook]}}))
        result = sandhook("chaos", root / "config.json", "--fault", "no-shell", "--format", "json")
        ((cell,),) = [guard["cells"] for guard in json.loads(result.stdout)["guards"]]
        found.append((cell["result"], cell["held"]))
    assert found == [("crashed", True), ("skipped", True)]


def test_exit_statuses(sandhook: Run, tmp_path: Path) -> None:
    good = tmp_path / "good"
    good.mkdir()
    config = project(good, CAREFUL, command=f"{WRAPPED}./guard.sh")
    assert sandhook("chaos", config).status == 0
    assert sandhook("chaos", config, "--strict").status == 1
    bad = tmp_path / "bad"
    bad.mkdir()
    assert sandhook("chaos", project(bad, USUAL)).status == 1
    assert sandhook("chaos", project(bad, USUAL), "--fault", "killed", "--fail-closed").status == 0
    assert sandhook("chaos", project(bad, USUAL.replace("exit 2", "exit 1"))).status == 1
    (bad / "guard.expect.yaml").unlink()
    result = sandhook("chaos", bad / "crush.json")
    assert result.status == 3
    assert "expect: deny" in result.stdout
    assert result.stdout.splitlines()[-1] == "no guard was tried, 1 hook not tried"


def test_a_guard_without_expectations_is_shown_a_file_that_is_found(
    sandhook: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is printed must work where it is said to be, and next to the agent's own directory, too."""
    monkeypatch.chdir(tmp_path)
    own = tmp_path / ".gemini"
    own.mkdir()
    hook = {"type": "command", "name": "g", "command": "echo no >&2; exit 2"}
    groups = [{"matcher": "run_shell_command", "hooks": [hook]}]
    (own / "settings.json").write_text(json.dumps({"hooks": {"BeforeTool": groups}}))
    command = ("chaos", ".gemini/settings.json", "--fault", "no-home")
    lines = sandhook(*command).stdout.splitlines()
    at = next(index for index, line in enumerate(lines) if line.startswith("a file such as "))
    place = tmp_path / lines[at].split()[4]
    text = "\n".join(line[2:] for line in lines[at + 1 : at + 9]) + "\n"
    assert place == own / "guard.expect.yaml"
    place.write_text(text)
    assert sandhook(*command).stdout.splitlines()[-1] == "1 guard, 1 fault: no action passed"

    place.unlink()
    above = tmp_path / "rules.expect.yaml"
    above.write_text(text.replace("hooks: settings.json", "hooks: .gemini/settings.json"))
    assert sandhook(*command).stdout.splitlines()[-1] == "1 guard, 1 fault: no action passed"


def test_json(sandhook: Run, tmp_path: Path) -> None:
    result = sandhook("chaos", project(tmp_path, USUAL), "--format", "json")
    value = json.loads(result.stdout)
    assert (value["version"], value["status"], value["held"]) == (1, result.status, False)
    (guard,) = value["guards"]
    assert (guard["hook_id"], guard["contract"], guard["tried_cases"]) == (
        "PreToolUse[0]",
        "crush",
        ["rm -rf is refused"],
    )
    assert [cell["fault"] for cell in guard["cells"]] == list(NAMES)
    assert set(guard["cells"][0]) == {"fault", "result", "held", "reason", "case"}


def test_one_event(sandhook: Run, tmp_path: Path) -> None:
    config = project(tmp_path, USUAL, expectations="")
    payload = '{"tool_name": "bash", "tool_input": {"command": "rm -rf /"}}'
    event = ("--event", "PreToolUse", "--cwd", tmp_path, "--fault", "no-jq")
    assert sandhook("chaos", config, *event, "--payload", payload).status == 1
    assert sandhook("chaos", config, *event, "--payload", payload.replace("rm", "ls")).status == 1
    for arguments in (event, (*event, "--payload", "{"), ("--payload", payload)):
        assert sandhook("chaos", config, *arguments).status == 2
    result = sandhook("chaos", config, "--event", "PreToolUze", "--payload", payload)
    assert result.status == 2
    assert "PreToolUze" in result.stderr


def test_list_faults(sandhook: Run) -> None:
    lines = sandhook("chaos", "--list-faults").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(NAMES)
    faults = json.loads(sandhook("chaos", "--list-faults", "--format", "json").stdout)["faults"]
    assert [fault["name"] for fault in faults] == list(NAMES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "needs a FILE"),
        (("gone.json",), "gone.json"),
        (("crush.json", "--fault", "no-jk"), "did you mean no-jq?"),
        (("crush.json", "--fault", "zzz"), "--list-faults lists them"),
        (("crush.json", "--cases", "-1"), "--cases must be 0 or more"),
        (("crush.json", "--expect", "gone.expect.yaml"), "gone.expect.yaml"),
        (("gone.expect.yaml",), "gone.expect.yaml"),
    ],
)
def test_usage_errors(
    sandhook: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    project(tmp_path, USUAL)
    monkeypatch.chdir(tmp_path)
    result = sandhook("chaos", *arguments)
    assert (result.status, result.stdout) == (2, "") or "gone.expect" in message
    assert result.status == 2
    assert message in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("columns", [50, 100])
def test_on_a_terminal(tmp_path: Path, columns: int) -> None:
    from tests.cli.terminals import in_terminal

    config = project(tmp_path, USUAL)
    shown = in_terminal("chaos", config, "--fault", "no-jq,no-home", cwd=tmp_path, columns=columns)
    assert shown.status == 1
    assert "\x1b[" in shown.raw
    assert "no-jq" in shown.text
    assert all(len(line) <= columns for line in shown.text.splitlines())
    plain = in_terminal("chaos", config, cwd=tmp_path, columns=columns, NO_COLOR="1")
    assert "\x1b[3" not in plain.raw
