"""``sandhook install`` for Cline, whose hooks are files: one for each hook, with the name of its event."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import HookEngine, contracts, discover

INSTALL = ("install", "../calls.json", "--agent", "cline")


def written(around: Path, *commands: str, name: str = "calls.json") -> None:
    """Write hooks of calls, in Cline's own form."""
    hooks = {"PreToolUse": [{"command": command} for command in commands]}
    (around / name).write_text(json.dumps({"hooks": hooks}))


def files(around: Path) -> dict[str, str]:
    """Return the files of the project and the home, by their names below them."""
    found = {}
    for root in (around / "project", around / "home"):
        for path in root.rglob("*"):
            if path.is_file() and "sandhook" not in path.parts:
                found[path.relative_to(around).as_posix()] = path.read_bytes().decode()
    return found


def test_each_hook_is_a_file_and_is_removed_again(sandhook: Callable[..., Any], around: Path) -> None:
    written(around, "./a.sh", "echo '{\"cancel\": true}'\necho x >&2")
    ran = sandhook(*INSTALL, "--from", "cline")
    assert ran.status == 0 and ran.stdout.count("1 hook(s) installed in") == 2
    assert files(around) == {
        "project/.cline/hooks/PreToolUse": "#!/usr/bin/env bash\n./a.sh\n",
        "project/.cline/hooks/PreToolUse.sh": "#!/usr/bin/env bash\necho '{\"cancel\": true}'\necho x >&2\n",
    }
    assert sandhook(*INSTALL, "--from", "cline").stdout.count("nothing to do") == 2
    assert sandhook("status").stdout.startswith("unchanged")
    assert sandhook("uninstall", "../calls.json").status == 0
    assert list((around / "project").iterdir()) == []


def test_the_agent_runs_them(sandhook: Callable[..., Any], around: Path) -> None:
    written(around, "true", 'echo \'{"cancel": true, "errorMessage": "no"}\'')
    assert sandhook(*INSTALL, "--from", "cline").status == 0
    env = dict.fromkeys(("HOME", "USERPROFILE"), (around / "home").as_posix())
    found = discover(contracts.get("cline"), around / "project", env=env)
    engine = HookEngine.load(list(found.documents), "cline", trust=lambda spec: True)
    assert [spec.native_event for spec in engine.hooks] == ["PreToolUse"] * 2


def test_another_version_of_the_file_replaces_and_removes(sandhook: Callable[..., Any], around: Path) -> None:
    written(around, "./a.sh", "./b.sh")
    assert sandhook(*INSTALL, "--from", "cline").status == 0
    written(around, "./c.sh")
    ran = sandhook(*INSTALL, "--from", "cline")
    assert ran.status == 0 and "replaced in" in ran.stdout and "uninstalled from" in ran.stdout
    assert files(around) == {"project/.cline/hooks/PreToolUse": "#!/usr/bin/env bash\n./c.sh\n"}


def test_files_of_others_stay_and_the_hook_gets_another_name(
    sandhook: Callable[..., Any], around: Path
) -> None:
    own = around / "project" / ".clinerules" / "hooks" / "PreToolUse"
    own.parent.mkdir(parents=True)
    own.write_text("exit 0")
    written(around, "./a.sh", "./b.sh")
    assert sandhook(*INSTALL, "--from", "cline").status == 0
    assert [name.rpartition("/")[2] for name in sorted(files(around))] == [
        *("PreToolUse", "PreToolUse.bash", "PreToolUse.sh"),
    ]
    written(around, "./c.sh", "./d.sh", name="more.json")
    ran = sandhook("install", "../more.json", "--agent", "cline", "--from", "cline")
    assert ran.status == 2 and "have other hooks of PreToolUse" in ran.stderr
    assert sandhook("uninstall", "--agent", "cline").status == 0
    assert files(around) == {"project/.clinerules/hooks/PreToolUse": "exit 0"}


def test_what_somebody_edited_is_left(sandhook: Callable[..., Any], around: Path) -> None:
    written(around, "./a.sh")
    assert sandhook(*INSTALL, "--from", "cline").status == 0
    path = around / "project" / ".cline" / "hooks" / "PreToolUse"
    path.write_text(path.read_text() + "exit 0\n")
    assert sandhook("status").stdout.startswith("edited")
    ran = sandhook("uninstall", "../calls.json")
    assert ran.status == 1 and "1 hook(s) were changed by others: left as they are" in ran.stderr
    assert path.exists()


def test_a_file_that_somebody_removed_is_gone(sandhook: Callable[..., Any], around: Path) -> None:
    written(around, "./a.sh")
    assert sandhook(*INSTALL, "--from", "cline").status == 0
    (around / "project" / ".cline" / "hooks" / "PreToolUse").unlink()
    assert sandhook("status").stdout.startswith("gone")
    assert sandhook("uninstall", "../calls.json").status == 0
    assert sandhook("status").stdout == "no hooks are installed\n"


@pytest.mark.parametrize("scope", ["user", "project"])
def test_scopes(sandhook: Callable[..., Any], around: Path, scope: str) -> None:
    written(around, "./a.sh")
    assert sandhook(*INSTALL, "--from", "cline", "--scope", scope).status == 0
    root = "home" if scope == "user" else "project"
    assert list(files(around)) == [f"{root}/.cline/hooks/PreToolUse"]
    assert sandhook("uninstall", "--agent", "cline", "--scope", scope).status == 0
    assert files(around) == {}
    ran = sandhook(*INSTALL, "--from", "cline", "--scope", "local")
    assert (ran.status, ran.stderr) == (
        2,
        "sandhook: cline: there is no scope local; this agent has user, project\n",
    )


def test_hooks_of_another_agent_name_what_is_lost_and_that_the_status_is_not_read(
    sandhook: Callable[..., Any], around: Path
) -> None:
    ran = sandhook("install", "../guard.json", "--agent", "cline")
    assert ran.status == 1 and "Cline has no matcher" in ran.stderr and files(around) == {}
    ran = sandhook("install", "../guard.json", "--agent", "cline", "claude_code", "--lossy")
    assert ran.status == 0
    assert "note: cline: this agent does not read the exit status of a hook" in ran.stderr
    script = files(around)["project/.cline/hooks/PreToolUse"]
    assert script == "#!/usr/bin/env bash\nprintf 'no \"$1\" ${x} $$'; exit 2\n"
    assert sandhook("restore", "--agent", "cline").status == 0
    assert list(files(around)) == ["project/.claude/settings.json"]


def test_a_file_that_is_a_hook_of_cline_already_is_not_installed_there(
    sandhook: Callable[..., Any], around: Path
) -> None:
    path = around / "project" / ".clinerules" / "hooks" / "PreToolUse"
    path.parent.mkdir(parents=True)
    path.write_text("exit 0")
    ran = sandhook("install", ".clinerules/hooks/PreToolUse", "--agent", "cline")
    assert ran.status == 2 and "reads this file already" in ran.stderr
