"""Edited hooks: fired, compared with the saved ones, and saved with the line ends of their files."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable

import pytest

from sandhook.studio.diff import difference
from sandhook.studio.lines import with_line_ends
from tests.studio.studiotools import GUARD, Studio, payload, settings

Make = Callable[..., Studio]

NAME = ".claude/hooks/guard.sh"

PROJECT: dict[str, str | bytes] = {".claude/settings.json": settings(f"bash {NAME}"), NAME: GUARD}

HARMLESS = GUARD.replace("rm -rf", "never")


def test_an_edited_script_is_fired_and_not_saved(studio: Make) -> None:
    made = studio(PROJECT)
    edited = {"path": made.path(NAME), "text": HARMLESS, "unapproved": True}
    assert made.fire("rm -rf /", **edited)["word"] == "proceed"
    assert made.fire("rm -rf /", unapproved=True)["word"] == "deny"
    assert (made.project / NAME).read_text() == GUARD


def test_an_edited_configuration_is_fired(studio: Make) -> None:
    made = studio(PROJECT)
    path = made.path(".claude/settings.json")
    fired = made.fire("ls", path=path, text=settings("exit 2"), unapproved=True)
    assert fired["word"] == "deny"
    reply = made.try_post(
        "/v1/studio/fire", agent="claude_code", payload=payload(), path=path, text="{", unapproved=True
    )
    assert reply.status == 400 and "settings.json" in reply.json["error"]


def test_an_edited_script_of_the_user(studio: Make) -> None:
    made = studio({}, home={".claude/settings.json": settings("bash ~/guard.sh"), "guard.sh": GUARD})
    path = (made.home / "guard.sh").as_posix()
    assert made.fire("rm -rf /")["word"] == "deny"
    assert made.fire("rm -rf /", path=path, text=HARMLESS)["word"] == "proceed"


def test_findings_are_those_of_the_edited_text(studio: Make) -> None:
    made = studio(PROJECT)
    broken = GUARD.replace("esac\n", "")

    def findings(name: str, text: str) -> list[tuple[int, str]]:
        found = made.post("/v1/studio/check", agent="claude_code", path=made.path(name), text=text)[
            "findings"
        ]
        return [(each["line"], each["severity"]) for each in found if each["rule"] != "N-STATE"]

    assert findings(NAME, broken) == [(9, "error")]
    assert findings(NAME, GUARD) == [(2, "warning")]
    assert findings(NAME, f"#!/bin/bash\n{GUARD}") == [(3, "warning")]
    config = ".claude/settings.json"
    assert findings(config, settings(f"bash {NAME}")) == []
    assert findings(config, settings("bash absent.sh")) == [(7, "error")]
    assert (made.project / NAME).read_text() == GUARD
    reply = made.try_post("/v1/studio/check", agent="claude_code", path=made.path(config), text='{"hooks": }')
    assert reply.status == 400 and "line 1 column 11" in reply.json["error"]
    reply = made.try_post("/v1/studio/check", agent="claude_code", path="/etc/passwd", text="")
    assert reply.status == 400 and "no hook of claude_code consists of this file" in reply.json["error"]


def test_the_difference_over_recorded_events(studio: Make) -> None:
    made = studio(PROJECT)
    for command in ("ls", "rm -rf /", "ls"):
        made.fire(command)
    compared = made.post(
        "/v1/studio/compare", agent="claude_code", path=made.path(NAME), text=HARMLESS, recorded=10
    )
    assert [
        (row["source"], row["saved"]["word"], row["edited"]["word"], row["same"]) for row in compared["rows"]
    ] == [
        ("history", "proceed", "proceed", True),
        ("history", "deny", "proceed", False),
    ]
    assert {row["kind"] for row in compared["text"]} >= {"add", "remove"} and compared["changed"]
    fewer = made.post(
        "/v1/studio/compare", agent="claude_code", path=made.path(NAME), text=HARMLESS, recorded=1
    )
    assert len(fewer["rows"]) == 1


EXPECTATIONS = """\
version: 1
hooks: settings.json
event: tool.pre
cases:
  - name: removing all
    because: it cannot be undone
    tool: shell
    input: {command: rm -rf /}
    expect: {decision: deny}
"""


def test_the_difference_over_expectations_and_the_page(studio: Make) -> None:
    made = studio({**PROJECT, ".claude/guard.expect.yaml": EXPECTATIONS})
    values = {"agent": "claude_code", "path": made.path(NAME), "text": HARMLESS}
    compared = made.post("/v1/studio/compare", **values, payload=payload(), expectations=True)
    assert [(row["name"], row["source"], row["same"]) for row in compared["rows"]] == [
        ("Bash: ls", "page", True),
        ("removing all", "expectation", False),
    ]
    broken = made.post("/v1/studio/compare", **values, payload="{")
    assert "Expecting property name" in broken["rows"][0]["error"]


def test_a_reason_that_differs_is_a_difference(studio: Make) -> None:
    made = studio(PROJECT)
    (row,) = made.post(
        "/v1/studio/compare",
        agent="claude_code",
        path=made.path(NAME),
        text=GUARD.replace("no rm", "never rm"),
        payload=payload("rm -rf /"),
    )["rows"]
    assert (row["saved"]["word"], row["edited"]["word"], row["same"]) == ("deny", "deny", False)


# --------------------------------------------------------------------------- saving


def saved(made: Studio, name: str, text: str) -> None:
    path = made.path(name)
    digest = made.get("/v1/studio/text", agent="claude_code", path=path)["digest"]
    made.post("/v1/studio/save", agent="claude_code", path=path, text=text, digest=digest)


def test_nothing_is_saved_without_edit(studio: Make) -> None:
    made = studio(PROJECT)
    digest = made.get("/v1/studio/text", agent="claude_code", path=made.path(NAME))["digest"]
    values = {"agent": "claude_code", "path": made.path(NAME), "text": "exit 0\n", "digest": digest}
    reply = made.try_post("/v1/studio/save", **values)
    assert reply.status == 403 and "--edit" in reply.json["error"]
    assert (made.project / NAME).read_text() == GUARD


@pytest.mark.parametrize(
    ("old", "text", "new"),
    [
        (b"a\nb\n", "a\nc\n", b"a\nc\n"),
        (b"a\r\nb\r\n", "a\nc\nd\n", b"a\r\nc\r\nd\r\n"),
        (b"\xef\xbb\xbfa\r\n", "b\n", b"\xef\xbb\xbfb\r\n"),
        (b"a\r\nb\nc\r\n", "a\nb\nnew\nc\n", b"a\r\nb\nnew\nc\r\n"),
        (b"a\r\nb", "a\nb\n", b"a\r\nb\r\n"),
        (b"", "a\n", b"a\n"),
        ("\u00e4\r\n".encode(), "\u00f6\n", "\u00f6\r\n".encode()),
    ],
)
def test_line_ends_stay(studio: Make, old: bytes, text: str, new: bytes) -> None:
    made = studio({**PROJECT, NAME: old}, editable=True)
    saved(made, NAME, text)
    assert (made.project / NAME).read_bytes() == new


def test_an_unchanged_text_has_the_same_bytes() -> None:
    source = random.Random(17)
    for _ in range(500):
        ends = source.choice([["\n"], ["\r\n"], ["\n", "\r\n"]])
        lines = [
            source.choice(["", "a", "b", "if x"]) + source.choice(ends) for _ in range(source.randrange(9))
        ]
        mark = source.choice(["", "\ufeff"])
        data = (mark + "".join(lines) + source.choice(["", "last"])).encode()
        shown = data.decode("utf-8-sig").replace("\r\n", "\n")
        assert with_line_ends(data, shown) == data


def test_a_file_that_somebody_else_changed_is_not_overwritten(studio: Make) -> None:
    made = studio(PROJECT, editable=True)
    path = made.path(NAME)
    digest = made.get("/v1/studio/text", agent="claude_code", path=path)["digest"]
    (made.project / NAME).write_text("exit 2\n")
    reply = made.try_post("/v1/studio/save", agent="claude_code", path=path, text="exit 0\n", digest=digest)
    assert reply.status == 400 and "changed since" in reply.json["error"]
    assert (made.project / NAME).read_text() == "exit 2\n"


def test_a_file_that_is_not_utf_8_is_not_saved(studio: Make) -> None:
    made = studio({**PROJECT, NAME: b"# \xff\n"}, editable=True)
    path = made.path(NAME)
    text = made.get("/v1/studio/text", agent="claude_code", path=path)
    assert not text["utf8"]
    reply = made.try_post(
        "/v1/studio/save", agent="claude_code", path=path, text="exit 0\n", digest=text["digest"]
    )
    assert reply.status == 400 and "not UTF-8" in reply.json["error"]


def test_only_files_of_hooks_are_saved(studio: Make) -> None:
    made = studio({**PROJECT, "other": "x"}, editable=True)
    for path in (made.path("other"), "/etc/passwd", "other"):
        reply = made.try_post("/v1/studio/save", agent="claude_code", path=path, text="y", digest="")
        assert reply.status == 400 and "no hook" in reply.json["error"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_permissions_and_links_stay(studio: Make) -> None:
    made = studio(PROJECT, editable=True)
    script = made.project / NAME
    script.chmod(0o750)
    saved(made, NAME, "exit 0\n")
    assert script.stat().st_mode & 0o7777 == 0o750
    target = made.project / "real.json"
    configuration = made.project / ".claude/settings.json"
    configuration.rename(target)
    configuration.symlink_to(target)
    saved(made, ".claude/settings.json", settings("exit 0"))
    assert configuration.is_symlink() and target.read_text() == settings("exit 0")
    assert [each.name for each in made.project.iterdir() if each.name.endswith(".new")] == []


# --------------------------------------------------------------------------- differences


def test_rows_of_a_difference_are_both_texts() -> None:
    source = random.Random(3)
    for _ in range(300):
        old = "".join(source.choice("abc") + "\n" for _ in range(source.randrange(30)))
        new = "".join(source.choice("abcd") + "\n" for _ in range(source.randrange(30)))
        rows = difference(old, new, context=1000)
        if old == new:
            assert rows == []
            continue
        assert [row.text for row in rows if row.old] == old.splitlines()
        assert [row.text for row in rows if row.new] == new.splitlines()
        assert [row.old for row in rows if row.old] == list(range(1, old.count("\n") + 1))


def test_left_out_lines_are_counted() -> None:
    old = "".join(f"{number}\n" for number in range(100))
    rows = difference(old, old.replace("50\n", "x\n", 1))
    assert [row.text for row in rows if row.kind == "gap"] == ["47 unchanged lines", "46 unchanged lines"]
    assert len(rows) == 2 + 3 + 2 + 3


def test_line_ends_are_a_difference() -> None:
    rows = difference("a\nb\n", "a\r\nb\n")
    assert [(row.kind, row.text) for row in rows] == [("remove", "a"), ("add", "a\r"), ("same", "b")]
    assert [(row.kind, row.text) for row in difference("a\n", "a")] == [
        ("remove", "a"),
        ("add", "a (no line feed)"),
    ]
