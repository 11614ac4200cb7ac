"""Fires live and kept: filters, numbers, and fires that become expectations."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandhook.proving.places import read
from sandhook.studio.live import Filter
from tests.studio.studiotools import GUARD, Studio, settings

FILES = {".claude/settings.json": settings('bash "$CLAUDE_PROJECT_DIR"/guard.sh'), "guard.sh": GUARD}


@pytest.fixture
def own(studio: Callable[..., Studio]) -> Studio:
    return _fired(studio, editable=True)


def _fired(studio: Callable[..., Studio], **more: Any) -> Studio:
    made = studio(FILES, **more)
    made.approve(".claude/settings.json")
    made.fire("ls -la")
    made.fire("rm -rf /")
    return made


def test_the_last_fires_are_listed_by_filters(own: Studio) -> None:
    both = own.get("/v1/studio/history")["fires"]
    assert [each["decision"]["refused"] for each in both] == [True, False]
    assert own.get("/v1/studio/history", outcome="refused")["fires"] == both[:1]
    assert own.get("/v1/studio/history", outcome="passed")["fires"] == both[1:]
    assert own.get("/v1/studio/history", outcome="failed")["fires"] == []
    assert (
        own.get("/v1/studio/history", agent="claude_code", event="PreToolUse", tool="Bash")["fires"] == both
    )
    assert own.get("/v1/studio/history", agent="cursor")["fires"] == []
    hook = both[0]["hooks"][0]["hook_id"]
    assert own.get("/v1/studio/history", hook=hook)["fires"] == both
    assert own.get("/v1/studio/history", hook="x")["fires"] == []
    assert own.get("/v1/studio/history", before=str(both[0]["id"]))["fires"] == both[1:]
    assert own.get("/v1/studio/history", count="1")["fires"] == both[:1]


def test_a_fire_whose_hooks_are_withheld_did_not_pass(studio: Callable[..., Studio]) -> None:
    """No hook ran that wanted the event, so that nothing was decided."""
    made = studio(FILES)
    made.fire("rm -rf /")
    (fire,) = made.get("/v1/studio/history")["fires"]
    assert fire["decision"]["withheld"] == 1
    assert made.get("/v1/studio/history", outcome="failed")["fires"] == [fire]
    assert made.get("/v1/studio/history", outcome="passed")["fires"] == []
    made.approve(".claude/settings.json")
    made.fire("ls -la")
    assert made.get("/v1/studio/history")["fires"][0]["decision"]["withheld"] == 0


@pytest.mark.parametrize("query", ["outcome=x", "count=x", "before=-1"])
def test_a_wrong_filter_is_an_error(own: Studio, query: str) -> None:
    assert own.ask("GET", f"/v1/studio/history?{query}").status == 400


def test_a_workspace_is_a_directory_and_not_a_beginning_of_its_name() -> None:
    fires = [{"cwd": each} for each in ("/a", "/a/b", "/ab", None)]
    assert [Filter(directory="/a").wants(dict(each)) for each in fires] == [True, True, False, False]
    assert [Filter().wants(dict(each)) for each in fires] == [True] * 4


def test_hooks_are_counted_with_a_histogram(own: Studio) -> None:
    """The page's own trials are no fires of an agent: only what the service fires is counted."""
    assert own.get("/v1/studio/numbers")["hooks"] == []
    from sandhook.serve.tally import HookTally, Tally

    ran = HookTally("h", "deny", could_not_run=False, seconds=0.0012)
    own.service.metrics.fire("decided", Tally("claude_code", "PreToolUse", 0.002, (ran,)))
    ran = HookTally("h", "none", could_not_run=True, seconds=100.0)
    own.service.metrics.fire("decided", Tally("claude_code", "PreToolUse", 100.0, (ran,)))
    numbers = own.get("/v1/studio/numbers")
    hook = numbers["hooks"][0]
    assert (hook["hook"], hook["runs"], hook["could_not_run"]) == ("h", 2, 1)
    assert hook["decisions"] == {"deny": 1, "none": 1}
    assert len(hook["counts"]) == len(numbers["bounds"]) + 1
    assert hook["counts"][numbers["bounds"].index(0.002)] == 1 and hook["counts"][-1] == 1


def test_only_wanted_fires_are_streamed(own: Studio) -> None:
    async def run() -> str:
        sent: list[bytes] = []
        refused = asyncio.Event()

        async def receive() -> Any:
            await asyncio.Future()

        async def send(message: Any) -> None:
            data = message.get("body", b"")
            sent.append(data)
            if b"event: fire" in data:
                refused.set()

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "method": "GET",
            "path": "/v1/studio/live",
            "query_string": b"outcome=refused",
            "headers": [(b"host", b"127.0.0.1:8000"), (b"authorization", b"Bearer " + _token())],
            "server": ("127.0.0.1", 8000),
        }
        task = asyncio.create_task(own.app(scope, receive, send))  # type: ignore[arg-type]
        while not any(b": sandhook" in each for each in sent):
            await asyncio.sleep(0.01)
        for refuses in (False, True):
            decision = {"refused": refuses, "could_not_run": [], "outcomes": []}
            record = {"agent": "claude_code", "event": "PreToolUse", "decision": decision}
            own.service.fires.add("http", "decided", json.dumps(record).encode())
        await asyncio.wait_for(refused.wait(), 30)
        task.cancel()
        return b"".join(sent).decode()

    text = asyncio.run(run())
    assert text.count("event: fire") == 1 and '"refused": true' in text


def _token() -> bytes:
    from tests.studio.studiotools import TOKEN

    return TOKEN.encode()


def test_a_fire_becomes_an_expectation_that_holds(own: Studio) -> None:
    refused, passed = own.get("/v1/studio/history")["fires"]
    saved = own.post("/v1/studio/expectation", id=refused["id"], name="no deletion")
    assert saved["expect"] == "deny" and saved["path"] == own.path(".claude/recorded.expect.yaml")
    again = own.post("/v1/studio/expectation", id=passed["id"])
    assert again["expect"] == "proceed"
    (file,) = read([saved["path"]]).files
    assert [each.expected.decision for each in file.cases] == ["deny", "proceed"]
    from sandhook.proving.chaos import chaos

    report = chaos([own.path(".claude/settings.json")])
    assert [guard.tried for guard in report.guards] == [("no deletion",)]


def test_nothing_else_is_overwritten_by_an_expectation(own: Studio) -> None:
    path = Path(own.path(".claude/recorded.expect.yaml"))
    (refused, _) = own.get("/v1/studio/history")["fires"]
    for text in ("[", "version: 1\n", "version: 1\ncontract: cursor\ncases: []\n"):
        path.write_text(text)
        assert own.try_post("/v1/studio/expectation", id=refused["id"], name="x").status == 400
        assert path.read_text() == text
    path.unlink()
    own.post("/v1/studio/expectation", id=refused["id"], name="x")
    before = path.read_text()
    reply = own.try_post("/v1/studio/expectation", id=refused["id"], name="x")
    assert reply.status == 400 and "a case of the name" in reply.json["error"] and path.read_text() == before


def test_an_expectation_needs_the_permission_to_edit_and_the_fire(studio: Callable[..., Studio]) -> None:
    own = _fired(studio)
    number = own.get("/v1/studio/history")["fires"][0]["id"]
    assert own.try_post("/v1/studio/expectation", id=number).status == 403
    assert not Path(own.path(".claude/recorded.expect.yaml")).exists()


@pytest.mark.parametrize("number", [None, 999, "1", True])
def test_a_fire_that_is_not_kept_is_an_error(own: Studio, number: object) -> None:
    assert own.try_post("/v1/studio/expectation", id=number).status == 404


@pytest.mark.parametrize("path", ["expectation", "tasks", "tasks/1/cancel", "tasks/1/cell"])
def test_what_changes_something_needs_token_origin_and_type(own: Studio, path: str) -> None:
    own.post("/v1/studio/tasks", kind="portability")
    place, body = f"/v1/studio/{path}", b"{}"
    json_type = "application/json"
    assert own.ask("POST", place, body, content_type=json_type, authorization="").status == 401
    assert own.ask("POST", place, body, content_type=json_type, origin="http://evil.example").status == 403
    assert own.ask("POST", place, body, content_type=json_type, host="evil.example").status == 421
    assert own.ask("GET", place).status == 405
