"""The JSON of commands that write: each fits its schema, and a dry run has the same shape."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import contracts
from tests.cli.schemas import check

Sandhook = Callable[..., Any]

GUARD = {
    "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}]}
}
JSON = ("--format", "json")
CLAUDE = ("--agent", "claude_code")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    (made / "guard.json").write_bytes(json.dumps(GUARD).encode())
    (made / "guard.sh").write_bytes(b"#!/bin/bash\ncurl x\nexit 2\n")
    monkeypatch.chdir(made)
    return made


def output(ran: Any, command: str, status: int = 0, stderr: str = "") -> Any:
    """Return the JSON of a command, after a comparison with its schema."""
    assert (ran.status, ran.stderr) == (status, stderr), ran
    return check(command, ran.stdout)


def test_install_and_what_undoes_it(sandhook: Sandhook, project: Path) -> None:
    install = ("install", "guard.json", *CLAUDE, *JSON)
    would = output(sandhook(*install, "--dry-run"), "install")
    settings = project / ".claude" / "settings.json"
    assert (would["dry_run"], would["written"], settings.exists()) == (True, True, False)
    done = output(sandhook(*install), "install")
    assert done == {**would, "dry_run": False} and settings.exists()
    (file,) = done["files"]
    assert (file["agent"], file["scope"], file["done"], file["hooks"]) == (
        "claude_code",
        "project",
        "installed",
        1,
    )
    assert (
        file["diff"].startswith("--- /dev/null\n")
        and "+" in file["diff"]
        and done["source"].endswith("guard.json")
    )
    again = output(sandhook(*install), "install")
    assert (again["written"], again["files"][0]["done"], again["files"][0]["diff"]) == (
        False,
        "unchanged",
        "",
    )
    gone = output(sandhook("uninstall", "guard.json", *JSON), "uninstall")
    assert (gone["files"][0]["done"], gone["files"][0]["exists"], gone["files"][0]["exact"]) == (
        "uninstalled",
        False,
        True,
    )
    assert output(sandhook("uninstall", "guard.json", *JSON), "uninstall")["files"] == []


def test_what_would_be_lost(sandhook: Sandhook, project: Path) -> None:
    value = output(sandhook("install", "guard.json", "--agent", "ub", *JSON), "install", 1)
    assert value["lost"] and (value["written"], value["files"]) == (False, [])
    assert (
        value["notes"][-1]
        == f"nothing is written: {len(value['lost'])} thing(s) would be lost; --lossy installs the rest"
    )
    value = output(sandhook("convert", "--to", "ub", "guard.json", *JSON), "convert", 1)
    assert value["lost"] and (value["configuration"], value["text"]) == (None, None)


def test_a_hook_that_was_edited_is_left(sandhook: Sandhook, project: Path) -> None:
    assert sandhook("install", "guard.json", *CLAUDE).status == 0
    settings = project / ".claude" / "settings.json"
    settings.write_text(settings.read_text().replace('"Bash"', '"Write"'))
    value = output(sandhook("restore", *CLAUDE, *JSON), "restore", 1)
    assert value["files"] == [] and "was edited since" in value["notes"][0]
    value = output(sandhook("uninstall", "guard.json", "--dry-run", *JSON), "uninstall", 1)
    assert value["files"][0]["left"] == 1 and "left as they are" in value["notes"][0]
    value = output(sandhook("restore", *CLAUDE, "--force", *JSON), "restore")
    assert (value["files"][0]["done"], settings.exists()) == ("restored", False)


def test_wrap_and_unwrap(sandhook: Sandhook, project: Path) -> None:
    (project / ".claude").mkdir()
    hooks = {
        "PreToolUse": [{"hooks": [{"type": "command", "command": "true"}, {"type": "prompt", "prompt": "x"}]}]
    }
    (project / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}))
    value = output(sandhook("wrap", *CLAUDE, "--program", "nosuch", *JSON), "wrap", 1)
    assert (value["files"][0]["done"], value["written"], len(value["skipped"])) == ("wrapped", True, 1)
    assert "there is no program nosuch" in value["notes"][0]
    value = output(sandhook("unwrap", *CLAUDE, *JSON), "unwrap")
    assert (value["files"][0]["done"], value["files"][0]["exact"]) == ("unwrapped", True)
    assert output(sandhook("wrap", "--agent", "crush", *JSON), "wrap")["files"] == []


@pytest.mark.parametrize("name", contracts.configured())
def test_convert_to_every_agent(sandhook: Sandhook, project: Path, name: str) -> None:
    convert = ("convert", "--to", name, "--lossy", "guard.json")
    plain = sandhook(*convert)
    value = output(sandhook(*convert, *JSON), "convert")
    assert (value["source"], value["target"], value["text"]) == ("claude_code", name, plain.stdout)
    if not plain.stdout.startswith("{"):
        assert "hooks" in value["configuration"], "TOML"
    else:
        assert json.loads(plain.stdout) == value["configuration"]
    notes = [line.removeprefix("note: ") for line in plain.stderr.splitlines() if line.startswith("note: ")]
    assert value["notes"] == notes


def test_init(sandhook: Sandhook, project: Path) -> None:
    init = ("init", *CLAUDE, "--recipe", "destructive-commands", *JSON)
    would = output(sandhook(*init, "--dry-run"), "init")
    assert (would["dry_run"], would["written"], would["next"]) == (True, True, [])
    assert not (project / ".claude").exists()
    done = output(sandhook(*init), "init")
    assert (done["files"], done["dry_run"]) == (would["files"], False)
    assert {file["action"] for file in done["files"]} == {"write"}
    assert {file["kind"] for file in done["files"]} >= {"hooks", "script", "expectations"}
    assert all((project / file["path"]).is_file() for file in done["files"])
    assert "sandhook doctor --agent claude_code" in [step["command"] for step in done["next"]]
    kept = output(sandhook(*init), "init", 1)
    assert kept["written"] is False and "keep" in {file["action"] for file in kept["files"]}
    assert any("--force replaces it" in file["why"] for file in kept["files"])
    forced = output(sandhook(*init, "--force"), "init")
    assert "replace" in {file["action"] for file in forced["files"]}


def test_the_recipes(sandhook: Sandhook) -> None:
    value = output(sandhook("init", "--list", *JSON), "init")
    recipes = {each["name"]: each for each in value["recipes"]}
    assert len(recipes) >= 15 and value["files"] == []
    assert "claude_code" in recipes["destructive-commands"]["agents"]


def test_trust(sandhook: Sandhook, project: Path) -> None:
    store = ("--store", project / "store", *JSON)
    asks = sandhook("trust", "guard.json", *store)
    assert (asks.status, asks.stdout) == (2, "") and "--format json asks nothing" in asks.stderr
    shown = output(sandhook("trust", "guard.json", "--show", *store), "trust")
    (hook,) = shown["hooks"]
    assert (hook["approved"], hook["reaches_out"], shown["approved"]) == (False, ["curl"], 0)
    assert [Path(file["path"]).name for file in hook["files"]] == ["guard.sh"]
    done = output(sandhook("trust", "guard.json", "--yes", *store), "trust")
    assert (done["hooks"], done["approved"]) == ([{**hook, "approved": True}], 1)
    assert output(sandhook("trust", "guard.json", "--yes", *store), "trust")["approved"] == 0
    (approval,) = output(sandhook("trust", "--list", *store), "trust")["approvals"]
    assert (approval["digest"], approval["hook"]) == (hook["digest"], hook["id"])
    (project / "guard.sh").write_bytes(b"#!/bin/bash\nexit 0\n")
    changed = output(sandhook("trust", "guard.json", "--show", *store), "trust")
    assert "guard.sh changed since it was approved" in changed["hooks"][0]["change"]
    assert output(sandhook("trust", "guard.json", "--revoke", *store), "trust")["revoked"] == 1


def test_what_cannot_be_known_is_not_approved(sandhook: Sandhook, project: Path) -> None:
    (project / "guard.sh").write_bytes(b'#!/bin/bash\neval "$(jq -r .x)"\n')
    store = ("--store", project / "store", *JSON)
    value = output(sandhook("trust", "guard.json", "--yes", *store), "trust", 1)
    assert (value["approved"], value["hooks"][0]["approved"]) == (0, False)
    assert value["hooks"][0]["unknown"] and "--unknown approves it" in value["problems"][0]
    value = output(sandhook("trust", "guard.json", "--yes", "--unknown", *store), "trust")
    assert (value["approved"], value["problems"]) == (1, [])


def test_watch_prints_a_line_for_each_run(sandhook: Sandhook, project: Path) -> None:
    expectations = "version: 1\nhooks: guard.json\ncases:\n  - name: one\n    event: PreToolUse\n    tool: Bash\n    expect: allow\n"
    (project / "guard.expect.yaml").write_bytes(expectations.encode())
    ran = sandhook("watch", "--once", "guard.json", *JSON)
    assert (ran.status, ran.stderr) == (1, "")
    check_, test = (check("watch", line) for line in ran.stdout.splitlines())
    assert (check_["name"], test["name"]) == ("guard.json", "guard.expect.yaml")
    assert (test["state"], test["summary"]) == ("failed", "0 pass, 1 fail") and test["lines"]


@pytest.mark.parametrize(
    "command", ["convert", "init", "install", "restore", "trust", "uninstall", "unwrap", "watch", "wrap"]
)
def test_an_error_is_text(sandhook: Sandhook, project: Path, command: str) -> None:
    ran = sandhook(command, *JSON, "--nosuch")
    assert (ran.status, ran.stdout) == (2, "") and ran.stderr.startswith(f"sandhook: {command}: ")


def test_the_file_of_the_service(
    sandhook: Sandhook, project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALAPPDATA", str(home))
    install = ("install", "--service", *JSON)
    would = output(sandhook(*install, "--dry-run", "--", "--fail-closed"), "install")
    path = Path(would["service"]["path"])
    assert (would["dry_run"], would["written"], would["files"], path.exists()) == (True, True, [], False)
    done = output(sandhook(*install, "--", "--fail-closed"), "install")
    assert done == {**would, "dry_run": False}
    assert (
        path.read_bytes().decode() == done["service"]["text"] and "--fail-closed" in done["service"]["text"]
    )
    assert done["service"]["switch_on"] != done["service"]["switch_off"]
    ran = sandhook(*install, "--", "--format", "json")
    assert (ran.status, ran.stdout) == (2, "") and "--format json goes with --start" in ran.stderr


def test_a_service_that_does_not_run(sandhook: Sandhook, project: Path, tmp_path: Path) -> None:
    place = ("--socket", str(tmp_path / "none"))
    for action, status in (("status", 3), ("stop", 0)):
        value = output(sandhook("serve", f"--{action}", *place, *JSON), "serve", status)
        assert (value["action"], value["running"], value["state"], value["pid"]) == (
            action,
            False,
            None,
            None,
        )
        assert value["socket"] == str(tmp_path / "none") and value["ended"] is None
    ran = sandhook("serve", *place, *JSON)
    assert (ran.status, ran.stdout) == (2, "") and "--format json goes with --start" in ran.stderr
