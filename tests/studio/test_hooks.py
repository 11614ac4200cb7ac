"""The hooks of all layers: states, approvals, findings at their lines, and the texts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.studio.studiotools import GUARD, Studio, settings

Make = Callable[..., Studio]

PROJECT: dict[str, str | bytes] = {
    ".claude/settings.json": settings("bash .claude/hooks/guard.sh", "exit 0"),
    ".claude/hooks/guard.sh": GUARD,
}


def test_layers_approvals_and_findings(studio: Make) -> None:
    made = studio(PROJECT, home={".claude/settings.json": settings("true")})
    (agent,) = made.get("/v1/studio/hooks")["agents"]
    assert agent["name"] == "claude_code"
    assert [(each["layer"], each["state"], each["order"]) for each in agent["hooks"]] == [
        ("user", "trusted", 1),
        ("project", "untrusted", None),
        ("project", "untrusted", None),
    ]
    guard = agent["hooks"][1]
    assert guard["needs_approval"] and "sandhook trust" in guard["remedy"]
    assert guard["matcher"] == 'tool "Bash"'
    assert [each["path"] for each in guard["scripts"]] == [made.path(".claude/hooks/guard.sh")]
    places = {each["path"]: each for each in agent["places"]}
    project = places[made.path(".claude/settings.json")]
    assert project["needs_approval"] and project["files"][0]["hooks"] == 2
    assert "parallel" in agent["facts"]["order"]


def test_an_approved_hook_is_in_force_with_its_time(studio: Make) -> None:
    made = studio(PROJECT)
    made.approve(".claude/settings.json")
    hook = made.get("/v1/studio/hooks")["agents"][0]["hooks"][0]
    assert (hook["state"], hook["order"], hook["remedy"]) == ("trusted", 1, "")
    assert hook["approved"].startswith("20") and len(hook["approval"]) == 64
    (made.project / ".claude/hooks/guard.sh").write_text("exit 0\n")
    hooks = made.get("/v1/studio/hooks")["agents"][0]["hooks"]
    (guard,) = [each for each in hooks if each["scripts"]]
    assert guard["state"] == "untrusted" and "guard.sh changed since it was approved" in guard["why"]


def test_what_is_switched_off_or_faulty_says_why(studio: Make) -> None:
    made = studio(
        {".claude/settings.json": '{"hooks": {"PreToolUse": [{"matcher": 3, "hooks": []}]}}'},
        home={
            ".claude/settings.json": '{"disableAllHooks": true, "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}'
        },
    )
    (agent,) = made.get("/v1/studio/hooks")["agents"]
    assert [(each["state"], bool(each["why"])) for each in agent["hooks"]] == [("muted", True)]
    assert agent["problems"][0]["file"] == made.path(".claude/settings.json")


def test_a_file_that_is_no_configuration_is_a_problem_and_not_an_error(studio: Make) -> None:
    (agent,) = studio({".claude/settings.json": "{"}).get("/v1/studio/hooks")["agents"]
    assert agent["hooks"] == [] and agent["problems"][0]["message"]


def test_a_project_without_hooks(studio: Make) -> None:
    assert studio({}).get("/v1/studio/hooks")["agents"] == []


def test_named_files_replace_those_of_the_agents(studio: Make) -> None:
    made = studio({**PROJECT, "mine.json": settings("exit 2")}, named=("mine.json",))
    (agent,) = made.get("/v1/studio/hooks")["agents"]
    assert [each["command"] for each in agent["hooks"]] == ["exit 2"]
    assert made.get("/v1/studio/about")["files"] == [made.path("mine.json")]


def test_a_text_has_its_findings_at_their_lines(studio: Make) -> None:
    made = studio({**PROJECT, ".claude/hooks/guard.sh": b'#!/bin/bash\r\nx=$(jq -r .y)\r\n[ -z "$x" ]\r\n'})
    text = made.get("/v1/studio/text", agent="claude_code", path=made.path(".claude/hooks/guard.sh"))
    assert text["text"] == '#!/bin/bash\nx=$(jq -r .y)\n[ -z "$x" ]\n'
    assert text["line_ends"] == "CRLF" and text["utf8"]
    found = {(each["rule"], each["line"]) for each in text["findings"]}
    assert found >= {("E-BYTES", 1), ("W-NULL", 3)}
    configuration = made.get("/v1/studio/text", agent="claude_code", path=made.path(".claude/settings.json"))
    assert {each["rule"] for each in configuration["findings"]} >= {"N-STATE"}


@pytest.mark.parametrize("name", ["secret.txt", "../home/secret", ".claude/../secret.txt", "/etc/passwd", ""])
def test_no_other_file_is_read(studio: Make, name: str) -> None:
    made = studio({**PROJECT, "secret.txt": "SECRET"}, home={"secret": "SECRET"})
    path = name if name[:1] in ("/", "") else f"{made.project.as_posix()}/{name}"
    reply = made.ask("GET", f"/v1/studio/text?agent=claude_code&path={path}")
    assert reply.status == 400 and b"SECRET" not in reply.body
