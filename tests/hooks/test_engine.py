"""The engine: selection, failure as a state of its own, threads, loops, and what it reports."""

from __future__ import annotations

import asyncio
import io
import json
import threading
from typing import Any

import pytest

from sandhook.hooks import (
    Event,
    Executor,
    HookEngine,
    HookSpec,
    PromptSubmit,
    Request,
    RunResult,
    SandboxRunner,
    Stop,
    ToolFail,
    ToolPre,
    TurnStart,
)
from sandhook.hooks.contracts import get
from sandhook.hooks.engine import Group
from sandhook.hooks.report import to_json, to_text
from tests.hooks.hooktools import Scripted, config, engine, hook, read, said

BLOCK = said('{"decision":"block","reason":"no","user_message":"Sorry."}')


def test_a_decision_says_what_to_do() -> None:
    decision = engine(hook(), answers=(BLOCK,))[0].fire(ToolPre("bash", {"command": "x"}))
    assert decision.refused and not decision.proceed
    assert (decision.permission, decision.reason, decision.user_message) == ("deny", "no", "Sorry.")
    assert decision.message == "blocked by pre_tool_use hook: no"


def test_events_without_a_hook_proceed() -> None:
    made, runner = engine(hook(), answers=(BLOCK,))
    for event in (PromptSubmit("x"), Stop(), TurnStart(), ToolFail("bash", error="e")):
        decision = made.fire(event)
        assert decision.proceed and decision.outcomes == () and decision.message is None
    assert runner.requests == []


def test_hooks_behind_a_refusal_are_reported_as_skipped() -> None:
    made, runner = engine(
        hook(id="a"), hook(id="b"), hook(id="c", matcher={"tool_name": "x"}), answers=(BLOCK,)
    )
    first, second, third = made.fire(ToolPre("bash")).outcomes
    assert len(runner.requests) == 1
    assert (first.matched, second.matched, third.matched) == (True, True, False)
    assert second.why == "skipped: an earlier hook refused" and second.run is None
    assert third.why == 'tool name "bash" is not "x"'


def test_a_runner_that_raises_is_could_not_run() -> None:
    def broken(request: Request) -> RunResult:
        raise OSError("no such worker")

    made = HookEngine.load(config(hook(id="x")), runner=broken)
    decision = made.fire(ToolPre("bash"))
    assert decision.proceed and decision.could_not_run == ("user:x",)
    assert decision.outcomes[0].verdict.warnings == ("hook execution error: OSError: no such worker",)
    assert HookEngine.load(config(hook()), runner=broken, fail_closed=True).fire(ToolPre("bash")).refused


def test_an_executor_that_nobody_registered_is_could_not_run() -> None:
    spec = HookSpec("x", "tool.pre", "pre_tool_use", Executor("webhook"))
    decision = HookEngine([Group(get("everruns"), (spec,))], runner=Scripted(said())).fire(ToolPre("bash"))
    assert decision.could_not_run == ("x",)


def test_a_defect_of_the_interpreter_is_no_decision() -> None:
    class Broken:
        __module__ = "sandhook.utilities.broken"  # in a utility of others it would be an exit status
        RAW = True

        def run(self, *_: Any) -> int:
            raise ZeroDivisionError("ours")

    runner = SandboxRunner(utilities={"broken": Broken()})
    command = 'echo \'{"decision":"allow"}\'; broken'
    made = HookEngine.load(config(hook(id="x", command=command)), runner=runner, fail_closed=True)
    decision = made.fire(ToolPre("bash"))
    assert decision.refused and decision.fail_closed == ("user:x",)
    assert decision.outcomes[0].run is not None and decision.outcomes[0].run.failure is not None


def test_sub_agents() -> None:
    runner = Scripted(BLOCK)
    specs = [
        HookSpec("in", "tool.pre", "pre_tool_use", Executor("bash", "true")),
        HookSpec("out", "tool.pre", "pre_tool_use", Executor("bash", "true"), include_sub_agents=False),
    ]
    made = HookEngine([Group(get("everruns"), tuple(specs[::-1]))], runner=runner)
    outcomes = made.fire(ToolPre("bash", is_sub_agent=True, depth=1)).outcomes
    assert [(each.hook_id, each.matched) for each in outcomes] == [("out", False), ("in", True)]
    assert outcomes[0].why == "not for sub-agents"


def test_a_detached_hook_decides_nothing() -> None:
    spec = HookSpec("x", "tool.pre", "pre_tool_use", Executor("bash", "true"), background=True)
    assert HookEngine([Group(get("everruns"), (spec,))], runner=Scripted(BLOCK)).fire(ToolPre("bash")).proceed


@pytest.mark.parametrize("options", [{"compat": "loose"}, {"fail_closed": "maybe"}, {"fail_closed": 2}])
def test_options_that_are_none(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be"):
        engine(hook(), **options)


def test_an_event_keeps_its_class_and_refuses_unknown_fields() -> None:
    event = ToolPre("bash", {"a": 1}, call_id="c").with_(session_id="s")
    assert isinstance(event, ToolPre) and event.session_id == "s" and event.kind == "tool.pre"
    with pytest.raises((TypeError, ValueError)):
        event.with_(nosuch=1)
    with pytest.raises(TypeError):
        ToolPre("bash", nosuch=1)


# In the sandbox.


def test_hooks_of_an_engine_share_files_and_nothing_else() -> None:
    made = HookEngine.load(
        config(
            hook(command="x=1; export y=2; cd /tmp; umask 0; echo one > /workspace/f; f() { :; }"),
            hook(
                command='echo "$x$y$PWD$(umask)" >> /workspace/f; type f >/dev/null 2>&1 && echo leak >> /workspace/f; true'
            ),
        )
    )
    made.fire(ToolPre("bash"))
    assert read(made, "/workspace/f") == "one\n/workspace0022\n"
    made.fire(ToolPre("bash"))
    assert read(made, "/workspace/f") == "one\n/workspace0022\n"


def test_files_to_begin_with() -> None:
    runner = SandboxRunner(
        files={"guard.sh": "#!/bin/bash\necho no >&2; exit 1\n", "/home/agent/policy": "x"}
    )
    made = HookEngine.load(config(hook(command="./guard.sh")), runner=runner)
    assert made.fire(ToolPre("bash")).reason == "no"


def test_the_hosts_environment_is_not_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "s3cret")
    made = HookEngine.load(config(hook(command="env > /workspace/env")))
    made.fire(ToolPre("bash"))
    assert "SECRET" not in read(made, "/workspace/env")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("while :; do :; done", "hook timed out after 200 ms"),
        ("sleep 60", "hook timed out after 200 ms"),
        ("echo '{}'; sleep 60", "hook timed out after 200 ms"),
        ("printf '%65537s' ''", "hook execution error: output is longer than 65536 bytes"),
        (
            "printf '%40000s' '' >&2; printf '{%40000s}' ''",
            "hook execution error: output is longer than 65536 bytes",
        ),
        ("echo '{}'; if", "hook execution error: "),
    ],
)
def test_what_cannot_run_is_refused_when_the_hook_says_so(command: str, message: str) -> None:
    made = HookEngine.load(config(hook(id="x", command=command, timeout_ms=200, on_error="block")))
    reason = made.fire(ToolPre("bash")).reason
    assert reason is not None and reason.startswith(f"hook user:x errored: {message}")


def test_output_a_byte_short_of_the_ceiling_is_read() -> None:
    made = HookEngine.load(config(hook(id="x", command="printf '{%65534s}' ''")))
    assert made.fire(ToolPre("bash")).outcomes[0].verdict.label == "allow"


def test_many_threads_may_fire_at_one_engine() -> None:
    made = HookEngine.load(config(hook(command="echo x >> /workspace/log")))
    threads = [threading.Thread(target=made.fire, args=(ToolPre("bash"),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read(made, "/workspace/log") == "x\n" * 8


def test_an_event_loop_goes_on_meanwhile() -> None:
    made = HookEngine.load(config(hook(command="while :; do :; done", timeout_ms=300)))

    async def main() -> int:
        turns = 0
        task = asyncio.create_task(made.afire(ToolPre("bash")))
        while not task.done():
            await asyncio.sleep(0.02)
            turns += 1
        assert (await task).could_not_run == ("user:pre_tool_use_0",)
        return turns

    assert asyncio.run(main()) > 2


# What it reports.


def records(
    *hooks: Any, event: Event, answers: tuple[RunResult, ...], **options: Any
) -> list[dict[str, Any]]:
    lines: list[str] = []
    made, _ = engine(*hooks, answers=answers, audit=lines.append, **options)
    made.fire(event)
    return [json.loads(line) for line in lines]


def test_the_four_audit_events() -> None:
    event = ToolPre("bash", session_id="s", call_id="c")
    got = records(
        hook(id="a"),
        hook(id="b", matcher={"tool_name": "x"}),
        hook(id="c"),
        event=event,
        answers=(said("text", duration=0.0012), BLOCK),
    )
    assert got == [
        {"type": "hook.invoked", "hook_id": "user:a", "event": "pre_tool_use", "session_id": "s", "tool_call_id": "c", "matched": True},
        {"type": "hook.completed", "hook_id": "user:a", "decision": "error", "duration_ms": 1.2, "stdout_bytes": 4, "exit_code": 0},
        {"type": "hook.warning", "hook_id": "user:a", "message": "hook stdout is not JSON (first 80 bytes: text)"},
        {"type": "hook.invoked", "hook_id": "user:b", "event": "pre_tool_use", "session_id": "s", "tool_call_id": "c", "matched": False},
        {"type": "hook.invoked", "hook_id": "user:c", "event": "pre_tool_use", "session_id": "s", "tool_call_id": "c", "matched": True},
        {"type": "hook.completed", "hook_id": "user:c", "decision": "block", "duration_ms": 0.0, "stdout_bytes": len(BLOCK.stdout), "exit_code": 0},
        {"type": "hook.blocked", "hook_id": "user:c", "reason": "no", "user_message": "Sorry."},
    ]  # fmt: skip


def test_a_hook_that_the_watchdog_ended_is_audited() -> None:
    ended = said("", 124, limit="wall_seconds", interrupted=True)
    got = records(hook(id="a"), event=ToolPre("bash"), answers=(ended,))
    assert {
        "type": "hook.warning",
        "hook_id": "user:a",
        "message": "the watchdog ended the hook after its deadline: report this fault",
    } in got


def test_a_refusal_of_the_callers_is_audited_too() -> None:
    got = records(hook(id="a"), event=PromptSubmit("x"), answers=(said("text"),), fail_closed=True)
    assert got == []
    got = records(
        hook("user_prompt_submit", id="a"), event=PromptSubmit("x"), answers=(said("text"),), fail_closed=True
    )
    assert [record["type"] for record in got] == [
        "hook.invoked",
        "hook.completed",
        "hook.blocked",
        "hook.warning",
    ]


def test_an_audit_line_is_ascii_and_bounded() -> None:
    lines: list[str] = []
    nasty = "a\n\x1b[31m\x7f\u202e\ud800" + "x" * 100_000
    made, _ = engine(
        hook(),
        answers=(said(json.dumps({"decision": "block", "reason": "\n\x1b\x7f\u202e" + nasty[-90_000:]})),),
        audit=lines.append,
    )
    made.fire(ToolPre("bash", call_id=nasty, session_id=nasty))
    assert all(line.isascii() and line.isprintable() and len(line) < 20_000 for line in lines)
    assert len(lines) == 3
    assert json.loads(lines[0])["session_id"].endswith("more characters)")


def test_a_file_may_be_the_sink_and_faults_of_the_configuration_are_audited() -> None:
    file = io.StringIO()
    made, _ = engine(hook(timeout_ms=1), hook(), audit=file)
    made.fire(ToolPre("bash"))
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert [line["type"] for line in lines] == ["hook.warning", "hook.invoked", "hook.completed"]
    assert "out of range" in lines[0]["message"]


def test_a_decision_as_json_has_everything() -> None:
    answer = said('{"decision":"mutate","patch":{"arguments":{"a":1}}}', 3, "err", duration=0.5)
    made, _ = engine(hook(id="x"), hook(id="y", matcher={"tool_name": "z"}), answers=(answer,))
    record = json.loads(json.dumps(to_json(made.fire(ToolPre("bash")))))
    assert record["input"] == [{"op": "merge", "value": {"a": 1}}]
    assert record["refused"] is False
    assert record["outcomes"][0] == {
        "hook_id": "user:x",
        "path": "hooks[0]",
        "matched": True,
        "why": "no matcher: every event",
        "ran": True,
        "decision": "mutate",
        "reason": None,
        "user_message": None,
        "could_not_run": None,
        "warnings": [],
        "diagnostics": ["exit status 3 is ignored: the JSON decides"],
        "exit_status": 3,
        "signal": None,
        "timed_out": False,
        "limit": None,
        "drift": [],
        "truncated": False,
        "stdout": answer.stdout.decode(),
        "stderr": "err",
        "duration_ms": 500.0,
    }
    assert record["outcomes"][1]["ran"] is False


def test_text_is_neutralised_where_it_is_shown() -> None:
    answer = said(
        json.dumps({"decision": "block", "reason": "\x1b[2J\u202eno\nway", "user_message": "\u200bhi\x00"})
    )
    decision = engine(hook(), answers=(answer,))[0].fire(ToolPre("bash\x07"))
    shown = "\n".join(to_text(decision, output=True))
    assert all(c == "\n" or c.isprintable() for c in shown)
    assert "\\x1b[2J\\u202eno\\nway" in shown and "\\u200bhi\\x00" in shown


@pytest.mark.parametrize(("compat", "strict"), [("better", False), ("strict", True)])
def test_scripts_run_as_in_bash_in_strict_mode(compat: str, strict: bool) -> None:
    made, runner = engine(hook(), compat=compat)
    made.fire(ToolPre("bash"))
    assert runner.requests[0].strict is strict


@pytest.mark.parametrize(("strict", "stdout"), [(False, b"b\n"), (True, b"")])
def test_a_script_with_crlf_runs_unless_the_mode_is_strict(strict: bool, stdout: bytes) -> None:
    spec = HookSpec("crlf", "tool.pre", "before", Executor("bash", "case x in\r\nx) echo b;;\r\nesac\r\n"))
    ran = SandboxRunner()(Request(spec, {}, strict=strict))
    assert ran.stdout == stdout
    assert bool(ran.diagnostics) is not strict
