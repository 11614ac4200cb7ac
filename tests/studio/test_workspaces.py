"""A service with several workspaces: the page shows one at a time, and nothing of another one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.serve.servetools import HAS_UNIX, Running
from tests.studio.studiotools import payload, settings

FILES = {
    "one/.claude/settings.json": settings("echo one >&2; exit 2"),
    "two/.claude/settings.json": settings("exit 0"),
    "other/x": "",
}


class Asking:
    """Requests of the page to a service, each about one of its workspaces."""

    def __init__(self, service: Running) -> None:
        self.service = service

    def path(self, name: str) -> str:
        return (self.service.project / name).as_posix()

    def try_(self, method: str, path: str, name: str, /, body: Any = None, **query: str) -> Any:
        wanted = {**query, **({"workspace": self.path(name)} if name else {})}
        data = None if body is None else json.dumps(body).encode()
        target = f"/v1/studio/{path}?{urlencode(wanted)}"
        return self.service.ask(method, target, data, **{"Content-Type": "application/json"})

    def get(self, path: str, name: str = "", /, **query: str) -> Any:
        reply = self.try_("GET", path, name, **query)
        assert reply.status == 200, reply.body
        return reply.json

    def post(self, path: str, name: str, /, **body: Any) -> Any:
        reply = self.try_("POST", path, name, body)
        assert reply.status == 200, reply.body
        return reply.json

    def event(self, name: str) -> Any:
        """Post an event as an agent in a directory does."""
        return self.service.fire("ls", cwd=self.path(name)).json


@pytest.fixture
def asking(serve: Callable[..., Running], request: pytest.FixtureRequest) -> Asking:
    """Return requests to a service for two directories; a parameter says with how many worker processes."""
    words = ("--ui", "--edit", "--sandbox", "--processes", getattr(request, "param", "0"))
    places = [word for name in ("one", "two") for word in ("--workspace", name)]
    return Asking(serve(*words, *places, files=FILES, **({} if HAS_UNIX else {"tcp": True})))


with_and_without_processes = pytest.mark.parametrize("asking", ["0", "1"], indirect=True)


@with_and_without_processes
def test_hooks_and_fires_are_those_of_the_workspace(asking: Asking) -> None:
    assert asking.get("workspaces")["workspaces"] == [asking.path("one"), asking.path("two")]
    for name in ("one", "two"):
        assert asking.get("about", name)["directory"] == asking.path(name)
        (agent,) = asking.get("hooks", name)["agents"]
        assert {each["file"] for each in agent["hooks"]} == {asking.path(f"{name}/.claude/settings.json")}
    assert asking.get("about")["directory"] == asking.path("one")
    words = {
        name: asking.post("fire", name, agent="claude_code", payload=payload(), unapproved=True)["word"]
        for name in ("one", "two")
    }
    assert words == {"one": "deny", "two": "proceed"}


@with_and_without_processes
def test_history_is_that_of_the_workspace(asking: Asking) -> None:
    asking.event("one")
    asking.event("two")
    asking.post("fire", "two", agent="claude_code", payload=payload("from the page"))
    asking.event("other")  # refused: it is in no workspace
    counts = {name: len(asking.get("history", name)["fires"]) for name in ("one", "two", "")}
    assert counts == {"one": 1, "two": 2, "": 4}
    (fire,) = asking.get("history", "one")["fires"]
    assert asking.get(f"fires/{fire['id']}")["workspace"] == asking.path("one")
    other = asking.get("history")["fires"][0]
    assert asking.get(f"fires/{other['id']}")["workspace"] == ""


def test_a_comparison_fires_no_event_of_another_workspace(asking: Asking) -> None:
    asking.event("two")
    file = asking.path("one/.claude/settings.json")
    text = asking.get("text", "one", agent="claude_code", path=file)["text"]
    body = {"agent": "claude_code", "path": file, "text": text, "recorded": 20}
    assert asking.post("compare", "one", **body)["rows"] == []
    assert asking.try_("POST", "compare", "two", body).status == 400, "the file of another workspace"


def test_an_expectation_is_saved_next_to_the_hooks_that_decided(asking: Asking) -> None:
    asking.event("two")
    (fire,) = asking.get("history", "two")["fires"]
    saved = asking.post("expectation", "one", id=fire["id"], name="x")
    assert saved["path"].startswith(asking.path("two"))
    asking.event("other")
    refused = asking.try_("POST", "expectation", "one", {"id": fire["id"] + 1, "name": "y"})
    assert refused.status == 400 and b"no workspace" in refused.body


def test_another_directory_is_no_workspace(asking: Asking) -> None:
    for path in ("about", "hooks", "history", "live"):
        reply = asking.try_("GET", path, "other")
        assert reply.status == 404 and b"no such workspace" in reply.body, path
    assert asking.try_("POST", "tasks", "other", {"kind": "vet"}).status == 404


def test_a_task_is_of_its_workspace(asking: Asking) -> None:
    number = asking.post("tasks", "one", kind="vet")["id"]
    assert asking.try_("GET", f"tasks/{number}", "two").status == 400
    assert asking.get(f"tasks/{number}", "one")["kind"] == "vet"


def test_workspaces_that_no_option_names_appear_with_their_events(serve: Callable[..., Running]) -> None:
    asking = Asking(serve("--ui", "--sandbox", files=FILES))
    assert len(asking.get("workspaces")["workspaces"]) == 1
    asking.event("two")
    assert asking.path("two") in asking.get("workspaces")["workspaces"]
    assert len(asking.get("history", "two")["fires"]) == 1
