"""Spans of the commands of clients: with a tracer of the test, which has the interface of OpenTelemetry's."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from sandhook.client.wire import Call, Printed
from sandhook.hooks.telemetry import Attributes
from sandhook.serve.engines import FixedEngine
from sandhook.serve.firing import Firing
from sandhook.serve.processes import Answered
from sandhook.serve.service import Service, ThreadBackend
from tests.serve.test_parts import engine


class Span:
    def __init__(self, name: str, start: int | None, attributes: Attributes) -> None:
        self.name = name
        self.start = start
        self.attributes = attributes
        self.stop: int | None = None

    def set_attributes(self, attributes: Attributes, /) -> None:
        self.attributes.update(attributes)

    def record_exception(self, exception: BaseException, /) -> None:
        raise AssertionError(exception)

    def end(self, end_time: int | None = None) -> None:
        self.stop = end_time


class Tracer:
    def __init__(self) -> None:
        self.spans: list[Span] = []

    def start_span(
        self,
        name: str,
        context: object = None,
        *,
        attributes: Attributes | None = None,
        start_time: int | None = None,
    ) -> Span:
        self.spans.append(Span(name, start_time, dict(attributes or {})))
        return self.spans[-1]


class Commands:
    """Answers as the workers do."""

    is_full = False

    def __init__(self, record: dict[str, Any], status: int) -> None:
        self._record = record
        self._status = status

    async def run(self, call: bytes) -> Answered:
        record = json.dumps(self._record).encode() if self._record else b""
        return Answered([b"", Printed(self._status, b"", b"no rm\n").pack(), record])


CALL = Call(
    installation=b"",
    view=b"",
    directory=b"/p",
    encoding=b"utf-8",
    stdin=b"",
    arguments=[b"hook", b"--", b"guard.sh"],
    env=[],
)


def spans(record: dict[str, Any], status: int) -> list[Span]:
    tracer = Tracer()

    async def run() -> None:
        firing = Firing(FixedEngine(engine()))
        commands: Any = Commands(record, status)
        service = Service(ThreadBackend(firing, 1), firing=firing, commands=commands, tracer=tracer)
        assert await service.run(CALL, b"") is not None

    asyncio.run(run())
    return tracer.spans


def test_a_command_is_a_span_with_a_child_for_each_hook_that_ran() -> None:
    secret = "AKIAIOSFODNN7EXAMPLE"
    outcomes = [
        {"hook_id": "a", "ran": True, "decision": "deny", "reason": f"key {secret}", "exit_status": 2, "duration_ms": 2.0},
        {"hook_id": "b", "ran": False},
        {"hook_id": "c", "ran": True, "could_not_run": "no jq", "duration_ms": 0.5},
    ]  # fmt: skip
    record = {
        "agent": "claude_code",
        "event": "PreToolUse",
        "kind": "tool.pre",
        "tool": "Bash",
        "session_id": None,
        "decision": {"refused": True, "reason": "no", "outcomes": outcomes},
    }
    command, first, second = spans(record, 2)
    assert (command.name, first.name, second.name) == ("sandhook.command", "sandhook.hook", "sandhook.hook")
    assert command.attributes["sandhook.command"] == "hook" and command.attributes["process.exit.code"] == 2
    assert command.attributes["sandhook.refused"] is True and command.attributes["sandhook.tool"] == "Bash"
    assert (command.attributes["sandhook.hooks"], command.attributes["sandhook.hooks_run"]) == (3, 2)
    assert "sandhook.session_id" not in command.attributes
    assert first.attributes["sandhook.hook_id"] == "a" and first.attributes["process.exit.code"] == 2
    assert secret not in str(first.attributes["sandhook.reason"])
    assert second.attributes["sandhook.could_not_run"] == "no jq"
    assert first.start is not None and first.stop == first.start + 2_000_000 == second.start
    assert command.start is not None and command.stop is not None and command.start <= command.stop


def test_a_command_that_fired_nothing_is_a_span_too() -> None:
    (command,) = spans({}, 1)
    assert command.attributes == {"sandhook.command": "hook", "process.exit.code": 1}
