"""Spans of fired events and of the hooks that ran, on a tracer that remembers them."""

from __future__ import annotations

import asyncio
import json
import sys
from types import ModuleType
from typing import Any

import pytest

from sandhook.hooks.events import ToolPre
from sandhook.hooks.model import RunResult
from sandhook.hooks.telemetry import TracedEngine, default_tracer, traced
from tests.hooks.hooktools import engine, hook

CALL = ToolPre("bash", {"command": "x"}, call_id="c", session_id="s")


class Span:
    def __init__(self, name: str, attributes: dict[str, Any], start: int, context: Any) -> None:
        self.name = name
        self.attributes = dict(attributes)
        self.start = start
        self.context = context
        self.ended: int | None = None
        self.errors: list[BaseException] = []

    def set_attributes(self, attributes: dict[str, Any]) -> None:
        self.attributes.update(attributes)

    def record_exception(self, error: BaseException) -> None:
        self.errors.append(error)

    def end(self, end_time: int = -1) -> None:
        assert self.ended is None
        self.ended = end_time


class Tracer:
    def __init__(self) -> None:
        self.spans: list[Span] = []

    def start_span(
        self, name: str, *, start_time: int, attributes: dict[str, Any], context: Any = None
    ) -> Span:
        self.spans.append(Span(name, attributes, start_time, context))
        return self.spans[-1]


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Tracer:
    """Install a stand-in for opentelemetry-api; return its tracer."""
    tracer = Tracer()
    package, trace = ModuleType("opentelemetry"), ModuleType("opentelemetry.trace")
    trace.get_tracer = lambda name, version: tracer  # type: ignore[attr-defined]
    trace.set_span_in_context = lambda span: ("in", span)  # type: ignore[attr-defined]
    package.trace = trace  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "opentelemetry", package)
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", trace)
    return tracer


def test_a_span_for_the_event_and_one_for_each_hook_that_ran(api: Tracer) -> None:
    said = json.dumps({"decision": "block", "reason": "password=hunter2 is in it"}).encode()
    made, _ = engine(
        hook(id="a"),
        hook(id="b", matcher={"tool_name": "edit"}),
        hook(id="c"),
        answers=(RunResult(0, duration=0.5), RunResult(3, said, duration=0.25)),
    )
    decision = traced(made).fire(CALL)
    assert decision.refused
    fire, first, second = api.spans
    assert fire.name == "sandhook.fire" and fire.ended is not None
    assert fire.attributes == {
        "sandhook.event": "tool.pre",
        "sandhook.session_id": "s",
        "sandhook.tool": "bash",
        "sandhook.tool_call_id": "c",
        "sandhook.contract": "everruns",
        "sandhook.native_event": "pre_tool_use",
        "sandhook.refused": True,
        "sandhook.permission": "deny",
        "sandhook.hooks": 3,
        "sandhook.hooks_run": 2,
        "sandhook.reason": "password=[redacted] is in it",
    }
    assert (first.name, first.context) == ("sandhook.hook", ("in", fire))
    assert first.ended == first.start + 500_000_000 == second.start
    assert second.attributes["sandhook.hook_id"] == "user:c"
    assert second.attributes["process.exit.code"] == 3
    assert second.attributes["sandhook.refuses"] is True
    assert "hunter2" not in str(second.attributes)


def test_a_hook_that_could_not_run(api: Tracer) -> None:
    made, _ = engine(hook(id="a", on_error="block"), answers=(RunResult(124, limit="wall_seconds"),))
    traced(made).fire(CALL)
    assert api.spans[0].attributes["sandhook.could_not_run"] == ["user:a"]
    assert api.spans[1].attributes["sandhook.limit"] == "wall_seconds"
    assert "timed out" in api.spans[1].attributes["sandhook.could_not_run"]


def test_from_an_event_loop_too(api: Tracer) -> None:
    made, _ = engine(hook(id="a"))
    decision = asyncio.run(traced(made).afire(CALL))
    assert not decision.refused and [span.name for span in api.spans] == ["sandhook.fire", "sandhook.hook"]


def test_an_error_of_the_host_ends_the_span(api: Tracer) -> None:
    made, _ = engine(hook())
    made.fire = lambda event, **options: 1 / 0  # type: ignore[method-assign, assignment]
    with pytest.raises(ZeroDivisionError):
        traced(made).fire(CALL)
    (span,) = api.spans
    assert span.ended is not None and isinstance(span.errors[0], ZeroDivisionError)


def test_everything_else_is_the_engines(api: Tracer) -> None:
    made, _ = engine(hook(id="a"))
    spied = traced(made)
    assert isinstance(spied, TracedEngine)
    assert spied.hooks == made.hooks and spied.wait() is True


def test_without_the_api_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    made, _ = engine(hook())
    assert default_tracer() is None and traced(made) is made


def test_a_tracer_without_the_api_still_gets_its_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    tracer = Tracer()
    made, _ = engine(hook(id="a"))
    traced(made, tracer).fire(CALL)
    assert [span.context for span in tracer.spans] == [None, None]
