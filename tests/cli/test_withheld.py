"""``sandhook fire`` says first which hooks are not in force, and its exit status says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.hooks.test_silencing import GUARDS


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(GUARDS["claude_code"]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


FIRE = ("fire", "PreToolUse", "--contract", "claude_code", "--tool", "Bash", "--input", "{}")


def test_the_first_line(sandhook: Any, project: Path) -> None:
    ran = sandhook(*FIRE, "--store", project / "store")
    assert ran.status == 3
    first, *_, last = ran.stdout.splitlines()
    assert first.startswith("not in force: PreToolUse[0]: not trusted: ")
    assert last == "decision: proceed (1 not in force)"


def test_json(sandhook: Any, project: Path) -> None:
    ran = sandhook(*FIRE, "--store", project / "store", "--format", "json")
    assert ran.status == 3
    (withheld,) = json.loads(ran.stdout)["withheld"]
    assert withheld["hook_id"] == "PreToolUse[0]"
    assert withheld["why"].startswith("not trusted: ")


def test_fail_closed(sandhook: Any, project: Path) -> None:
    ran = sandhook(*FIRE, "--store", project / "store", "--fail-closed")
    assert ran.status == 2
    assert ran.stdout.splitlines()[-2].startswith("decision: refused (fail closed) (1 not in force)")


def test_as_a_hook(sandhook: Any, project: Path) -> None:
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}, "session_id": "s"}
    fire = ("fire", "--contract", "claude_code", "--as-hook", "claude_code", "--store", project / "store")
    ran = sandhook(*fire, stdin=json.dumps(payload).encode())
    assert ran.status == 0
    assert "not trusted" in ran.stderr
    ran = sandhook(*fire, "--fail-closed", stdin=json.dumps(payload).encode())
    assert "is not in force: not trusted" in ran.stdout + ran.stderr
    assert ran.status == 2 or json.loads(ran.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"guard.sh": ": # edited\n"}, "guard.sh changed since it was approved on 20"),
        ({"guard.sh": None}, "guard.sh is gone since it was approved on 20"),
        ({"part.sh": "exit 0\n"}, "part.sh is new since it was approved on 20"),
        ({"guard.sh": ": # edited\n. ./part.sh\n", "part.sh": "exit 0\n"}, "guard.sh changed; part.sh is new since"),
        ({".claude/settings.json": "other matcher"}, "the hook changed since it was approved on 20"),
    ],
)  # fmt: skip
def test_what_changed_since_the_approval(
    sandhook: Any, project: Path, change: dict[str, str | None], why: str
) -> None:
    hook = {"type": "command", "command": "bash guard.sh"}
    value = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}
    settings = project / ".claude" / "settings.json"
    settings.write_text(json.dumps(value))
    (project / "guard.sh").write_bytes(b"[ -f part.sh ] && . ./part.sh\nexit 2\n")
    store = ("--store", project / "store")
    assert sandhook("trust", settings, "--yes", *store).status == 0
    assert sandhook(*FIRE, *store).status == 2
    for name, text in change.items():
        if text == "other matcher":
            value["hooks"]["PreToolUse"][0]["matcher"] = "Bash|Write"
            settings.write_text(json.dumps(value))
        elif text is None:
            (project / name).unlink()
        else:
            (project / name).write_bytes(text.encode())
    ran = sandhook(*FIRE, *store)
    assert ran.status == 3
    first = ran.stdout.splitlines()[0]
    assert first.startswith(f"not in force: PreToolUse[0]: {why}")
    assert first.endswith(f"; `sandhook trust {settings.as_posix()}` approves it")


def test_an_approval_of_an_older_version_knows_no_files(sandhook: Any, project: Path) -> None:
    store = project / "store"
    hook = {"type": "command", "command": "bash guard.sh"}
    value = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}
    (project / ".claude" / "settings.json").write_text(json.dumps(value))
    (project / "guard.sh").write_bytes(b"exit 2\n")
    assert sandhook("trust", project / ".claude" / "settings.json", "--yes", "--store", store).status == 0
    approvals = json.loads(store.read_text())
    for entry in approvals["approved"].values():
        del entry["sha256"]
    store.write_text(json.dumps(approvals))
    assert sandhook(*FIRE, "--store", store).status == 2
    (project / "guard.sh").write_bytes(b"exit 0\n")
    ran = sandhook(*FIRE, "--store", store)
    assert ran.stdout.startswith(
        "not in force: PreToolUse[0]: what it executes changed since it was approved on 20"
    )


def test_list_has_the_reason(sandhook: Any, project: Path) -> None:
    settings, store = project / ".claude" / "settings.json", ("--store", project / "store")
    hook = {"type": "command", "command": "bash guard.sh"}
    value = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}
    settings.write_text(json.dumps(value))
    (project / "guard.sh").write_bytes(b"exit 2\n")
    command = ("list", "--contract", "claude_code", *store)
    approval = f"; `sandhook trust {settings.as_posix()}` approves it"

    row, reason = sandhook(*command).stdout.splitlines()
    assert row.startswith("untrusted  claude_code  project  PreToolUse  PreToolUse[0]  ")
    assert reason.startswith("  not in force: not trusted: ") and reason.endswith(approval)

    assert sandhook("trust", settings, "--yes", *store).status == 0
    (row,) = sandhook(*command).stdout.splitlines()
    assert row.startswith("trusted")

    (project / "guard.sh").write_bytes(b"exit 0\n")
    _, reason = sandhook(*command).stdout.splitlines()
    assert reason.startswith("  not in force: guard.sh changed since it was approved on 20")
    assert reason.endswith(approval)

    local = settings.with_name("settings.local.json")
    local.write_text('{"disableAllHooks": true}')
    row, reason = sandhook(*command).stdout.splitlines()
    assert row.startswith("muted")
    assert reason == f"  not in force: disableAllHooks in {local.as_posix()}"


def test_check_of_a_named_file_has_what_changed_since_the_approval(sandhook: Any, project: Path) -> None:
    settings, store = ".claude/settings.json", ("--store", project / "store")
    hook = {"type": "command", "command": "bash guard.sh"}
    value = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}
    (project / settings).write_text(json.dumps(value))
    (project / "guard.sh").write_bytes(b"exit 2\n")
    command = ("check", settings, *store)
    ran = sandhook(*command)
    assert (ran.status, ran.stdout.count("N-STATE")) == (0, 1)  # a file that is named needs no approval
    never = f"{settings}: note N-STATE: nobody approved 1 hook, and sandhook runs it only after: sandhook trust {settings}"
    assert ran.stdout.splitlines()[0] == never
    assert sandhook("trust", settings, "--yes", *store).status == 0
    assert "N-STATE" not in sandhook(*command).stdout

    (project / "guard.sh").write_bytes(b"exit 0\n")
    note = "note N-STATE: guard.sh changed since it was approved on 20"
    ran = sandhook(*command)
    assert ran.status == 0 and ran.stdout.count("N-STATE") == 1
    assert f"{settings}:1: hooks.PreToolUse[0].hooks[0]: {note}" in ran.stdout

    (project / "guard.sh").write_bytes(b"exit 2\n")
    value["hooks"]["PreToolUse"][0]["matcher"] = "Write"
    (project / settings).write_text(json.dumps(value))
    assert "note N-STATE: the hook changed since it was approved on 20" in sandhook(*command).stdout

    (project / "store").write_text("{")
    ran = sandhook(*command)
    assert ran.status == 0 and "nothing is trusted until it is repaired or removed" in ran.stdout


def test_check_of_a_file_that_no_agent_reads_says_nothing_about_approvals(
    sandhook: Any, project: Path
) -> None:
    (project / "hooks.json").write_bytes((project / ".claude/settings.json").read_bytes())
    ran = sandhook("check", "hooks.json", "--contract", "claude_code", "--store", project / "store")
    assert "N-STATE" not in ran.stdout


COMPUTED = 'bash "$(cat where)/guard.sh"'


@pytest.mark.parametrize(
    ("command", "unbound"),
    [(COMPUTED, True), ('bash "$(git rev-parse --show-toplevel)/guard.sh"', False), ("bash guard.sh", False)],
)
@pytest.mark.parametrize("named", [True, False])
def test_a_file_that_no_approval_covers_is_noted(
    sandhook: Any, project: Path, command: str, unbound: bool, named: bool
) -> None:
    settings = ".claude/settings.json"
    hook = {"type": "command", "command": command}
    (project / settings).write_text(
        json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}})
    )
    (project / ".git").mkdir()
    (project / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (project / "guard.sh").write_bytes(b"exit 2\n")
    store = ("--store", project / "store")
    ran = sandhook("check", *([settings] if named else ["--contract", "claude_code"]), *store)
    assert ("N-UNBOUND" in ran.stdout) is unbound
    shown = sandhook("trust", settings, "--show", *store).stdout
    assert ("no approval covers a file that is named only when the hook runs." in shown) is unbound
    ran = sandhook("trust", settings, "--yes", "--unknown", *store)
    assert ran.status == 0
    doctor = sandhook("doctor", "--agent", "claude_code", "--sandbox", *store, "--format", "json")
    checks = [check for each in json.loads(doctor.stdout)["hooks"] for check in each["checks"]]
    notes = [each for each in checks if (each["check"], each["state"]) == ("approved", "note")]
    assert bool(notes) is unbound
