"""What a service records of the events that it fires."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from sandhook.cli import UsageError, hook
from sandhook.cli.observer import OBSERVER
from sandhook.cli.serve import parser
from sandhook.cli.serve.engines import firing_of
from sandhook.cli.serve.recording import check_recording, line_of
from sandhook.cli.serve.worker import Observations
from sandhook.journal.schema import decode
from sandhook.serve.firing import FireCall

PAYLOAD = {
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "deploy CUST-77 password=hunter2hunter"},
    "session_id": "s",
    "cwd": "/tmp/nowhere",
}


def fired(tmp_path: Path, *options: str, call: FireCall | None = None) -> list[str]:
    """Return the audit lines of one event."""
    (tmp_path / "hooks.json").write_text(
        json.dumps(
            {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}}
        )
    )
    lines: list[str] = []
    parsed = parser().parse_args(["--hooks", str(tmp_path / "hooks.json"), *options])
    firing = firing_of(parsed, lines.append, lambda message: None)
    firing.fire(call or FireCall("claude_code", None, "", json.dumps(PAYLOAD).encode()))
    return lines


def test_an_event_is_recorded_as_the_agent_sent_it(tmp_path: Path) -> None:
    lines = fired(tmp_path, "--audit", "x", "--audit-mask", "text:CUST-[0-9]+")
    assert [json.loads(line)["type"] for line in lines] == [
        "hook.invoked",
        "hook.completed",
        "hook.blocked",
        "event.decided",
    ]
    entry = decode(lines[-1].encode())
    assert entry is not None and entry.decision is not None and entry.decision.refused
    assert entry.payload == {**PAYLOAD, "tool_input": {"command": "deploy [redacted] password=[redacted]"}}
    assert (entry.agent, entry.event, entry.masked, entry.hooks[0].reason) == (
        "claude_code",
        "PreToolUse",
        1,
        "no",
    )


def test_a_raw_record_has_everything(tmp_path: Path) -> None:
    entry = decode(fired(tmp_path, "--audit", "x", "--audit-raw")[-1].encode())
    assert entry is not None and entry.payload == PAYLOAD and entry.raw


def test_a_neutral_event_is_recorded(tmp_path: Path) -> None:
    body = b'{"kind": "tool.pre", "tool": {"name": "Bash", "input": {"command": "ls"}}}'
    entry = decode(fired(tmp_path, "--audit", "x", call=FireCall("", None, "", body))[-1].encode())
    assert entry is not None
    assert (entry.agent, entry.payload) == (
        "",
        {"kind": "tool.pre", "tool": {"name": "Bash", "input": {"command": "ls"}}},
    )


def test_nothing_is_recorded_without_a_target(tmp_path: Path) -> None:
    assert line_of(parser().parse_args([])) is None
    assert all("event.decided" not in line for line in fired(tmp_path))


@pytest.mark.parametrize(
    "options", [["--audit-raw"], ["--audit-mask", "key:a"], ["--audit", "x", "--audit-mask", "y"]]
)
def test_options_that_do_not_fit(options: list[str]) -> None:
    with pytest.raises(UsageError, match="serve: --audit-mask"):
        check_recording(parser().parse_args(options))


def observed(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Observations:
    """Return what a worker of a service with --audit sees of ``sandhook hook``."""
    seen = Observations(line_of(parser().parse_args(["--audit", "x"])), lambda seconds: None)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(PAYLOAD).encode())))
    token = OBSERVER.set(seen)
    try:
        hook.run(["--contract", "claude_code", *arguments])
    finally:
        OBSERVER.reset(token)
    return seen


@pytest.mark.parametrize(
    ("script", "options", "refused", "could_not_run"),
    [
        ("echo no >&2; exit 2", [], True, False),
        ("exit 0", [], False, False),
        ("while :; do :; done", ["--timeout", "0.05"], False, True),
        ("while :; do :; done", ["--timeout", "0.05", "--fail-closed"], True, True),
    ],
)
def test_a_hook_that_a_client_runs_is_recorded(
    script: str, options: list[str], refused: bool, could_not_run: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = observed(monkeypatch, *options, "--", "-c", script, "guard")
    entry = decode(seen.lines[-1].encode())
    assert entry is not None and entry.decision is not None
    assert (entry.agent, entry.event, entry.tool) == ("claude_code", "PreToolUse", "Bash")
    assert entry.decision.refused is refused
    assert [bool(each.could_not_run) for each in entry.hooks] == [could_not_run]
    assert entry.hooks[0].id == "guard" and entry.hooks[0].hash
    assert seen.record["decision"]


def test_a_script_that_is_missing_is_recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = observed(monkeypatch, "--", str(tmp_path / "gone.sh"))
    entry = decode(seen.lines[-1].encode())
    assert entry is not None and entry.decision is not None and entry.decision.could_not_run
