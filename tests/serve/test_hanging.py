"""Workers that hang, are stopped, or send something else than answers: each is replaced, and its task done again."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sandhook import cli
from sandhook.cli.observer import OBSERVER
from sandhook.client.wire import Printed
from sandhook.hooks.audit import FiredEvent
from sandhook.hooks.contracts import Answer, Contract
from sandhook.serve import lanes, patience, pipes, processes
from sandhook.serve.firing import FireCall, Fired
from sandhook.serve.lanes import EnginePool
from sandhook.serve.patience import Patience, report_of, seconds_of
from sandhook.serve.processes import CommandPool
from sandhook.serve.release import Release, WorkerEnded, first_message
from sandhook.serve.tally import Tally
from tests.serve.servetools import GUARD, HAS_UNIX, Running, claude, settings

ALLOW = Fired("decided", Answer(b"allow"), b'{"agent": ""}', Tally("", "", 0.0))
REFUSAL = ALLOW._replace(answer=Answer(b"refusal"))

#: A program that speaks as a worker. What it does with its first task is the test's; the next process of it answers.
WORKER = """
import os, signal, struct, sys, time

def pack(fields):
    return b"".join(b"%d:%b" % (len(field), field) for field in fields)

def frame(fields):
    data = pack(fields)
    return struct.pack(">I", len(data)) + data

def send(data):
    while data:
        data = data[os.write(1, data):]

def task():
    data = sys.stdin.buffer.read(4)
    if not data:
        os._exit(0)
    data = sys.stdin.buffer.read(*struct.unpack(">I", data))
    colon = data.index(b":", 2 + int(data[:1]))
    return data[colon + 1:colon + 1 + int(data[2 + int(data[:1]):colon])]

GREETING, ANSWER, OTHER = {constants}
with open({seen!r}, "ab") as file:
    file.write(b"x")
    count = file.tell()
send(frame(GREETING))
while True:
    number = task()
    if count <= {faulty}:
{fault}
    send(frame([number, *ANSWER]))
"""

FAULTS = {
    "it hangs": "time.sleep(100)",
    "it closes its pipe": "os.close(1); time.sleep(100)",
    "it ends": "os._exit(3)",
    "it sends half an answer": "send(frame([number, *OTHER])[:-3]); time.sleep(100)",
    "it sends a part of a length": "send(b'\\0\\0'); time.sleep(100)",
    "it sends garbage": "send(struct.pack('>I', 50) + bytes(range(50))); time.sleep(100)",
    "it sends a frame of no fields": "send(frame([])); time.sleep(100)",
    "it sends a length beyond the bound": "send(b'\\xff' * 4 + b'x' * 100); time.sleep(100)",
    "it floods": "while True: send(b'\\x7f' * 65536)",
    "it floods with reports": "while True: send(frame([b'within', b'1e9']))",
    "it reports no seconds": "send(frame([b'within', b'inf'])); time.sleep(100)",
    "it answers another task": "send(frame([b'7', *OTHER])); time.sleep(100)",
    "its answer has too few fields": "send(frame([number, *OTHER[:-1]])); time.sleep(100)",
    "its answer has another ending": "send(frame([number, b'', b'maybe', *OTHER[2:]])); time.sleep(100)",
    "its answer has no numbers": "send(frame([number, *OTHER[:-1], b'[1]'])); time.sleep(100)",
    "its audit lines are not UTF-8": "send(frame([number, b'\\xff', *OTHER[1:]])); time.sleep(100)",
}
if HAS_UNIX:
    FAULTS["it is stopped"] = "os.kill(os.getpid(), signal.SIGSTOP)"

#: The processes of the pools of a test.
PROCESSES: list[asyncio.SubprocessTransport] = []

#: Found by silence, and not by what was sent.
SILENT = ("it hangs", "it sends half an answer", "it sends a part of a length")


@pytest.fixture
def workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Return ``workers(code, answer, other, faulty=1)``, which makes these the workers of pools.

    The times of workers are short.
    """
    monkeypatch.setattr(patience, "MARGIN_SECONDS", 0.3)
    monkeypatch.setattr(patience, "FIRST_SECONDS", 0.4)
    for module in (lanes, processes):
        monkeypatch.setattr(module, "LOOK_SECONDS", 0.05)

    class Noting(pipes.WorkerPipes):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.SubprocessTransport)
            PROCESSES.append(transport)
            super().connection_made(transport)

    for module in (lanes, processes):
        monkeypatch.setattr(module, "WorkerPipes", Noting)

    def make(code: str, answer: list[bytes], other: list[bytes], faulty: int = 1) -> list[str]:
        text = WORKER.format(
            constants=repr((first_message(), answer, other)),
            seen=str(tmp_path / "seen"),
            fault=f"        {code}",
            faulty=faulty,
        )
        monkeypatch.setattr(pipes, "command_line", lambda _: [sys.executable, "-I", "-S", "-c", text])
        return reasons

    reasons: list[str] = []
    return make


async def all_ended() -> None:
    """Wait until the killed processes are gone: an event loop that is closed before leaves them unclosed."""
    while any(each.get_returncode() is None for each in PROCESSES):
        await asyncio.sleep(0.01)
    PROCESSES.clear()


def fire_at(reasons: list[str]) -> list[Fired | Exception]:
    """Fire two events at a pool of one worker."""

    async def fired() -> list[Fired | Exception]:
        pool = EnginePool([], 1, audit=None, restarted=reasons.append, release=Release(print))
        await pool.start()
        answers = []
        for _ in range(2):
            answers.append(asyncio.get_running_loop().create_future())
            pool.fire(FireCall("claude_code", None, "", claude()), answers[-1].set_result)
        results = await asyncio.gather(*answers)
        await pool.close()
        await all_ended()
        return list(results)

    return asyncio.run(fired())


def run_at(reasons: list[str]) -> Printed | WorkerEnded | None:
    """Run a command at a pool."""

    async def ran() -> Printed | WorkerEnded | None:
        pool = CommandPool([], most=2, waiting=2, restarted=reasons.append, release=Release(print))
        try:
            return (await pool.run(b"x" * 300_000)).printed
        except WorkerEnded as error:
            return error
        finally:
            await pool.close()
            await all_ended()

    return asyncio.run(ran())


def fields_of(fired: Fired) -> list[bytes]:
    return [b"", *fired.to_fields()]


@pytest.mark.parametrize("fault", FAULTS)
def test_an_event_is_fired_again(workers: Callable[..., list[str]], fault: str) -> None:
    """What the faulty worker sends would be an allow, and is never used."""
    reasons = workers(FAULTS[fault], fields_of(REFUSAL), fields_of(ALLOW))
    assert fire_at(reasons) == [REFUSAL, REFUSAL]
    assert len(reasons) == 1
    assert ("did not answer within 0.4 seconds" in reasons[0]) == (fault in SILENT), reasons
    assert ("stopped by a signal" in reasons[0]) == (fault == "it is stopped"), reasons


def test_an_event_that_hangs_twice_is_an_error_and_the_next_one_is_fired(
    workers: Callable[..., list[str]],
) -> None:
    reasons = workers(FAULTS["it hangs"], fields_of(REFUSAL), fields_of(ALLOW), faulty=2)
    first, second = fire_at(reasons)
    assert isinstance(first, WorkerEnded) and "did not answer within" in str(first)
    assert second == REFUSAL and len(reasons) == 2


@pytest.mark.parametrize("fault", FAULTS)
def test_a_command_is_run_again(workers: Callable[..., list[str]], fault: str) -> None:
    refusal, allow = Printed(2, b"", b"no"), Printed(0, b"", b"")
    reasons = workers(FAULTS[fault], [b"", refusal.pack(), b"{}"], [b"", allow.pack(), b"{}"])
    printed = run_at(reasons)
    assert isinstance(printed, Printed) and printed.status == 2, printed
    assert len(reasons) == 1


def test_a_command_that_hangs_twice_is_its_clients(workers: Callable[..., list[str]]) -> None:
    reasons = workers(FAULTS["it hangs"], [b"", b"", b""], [b"", b"", b""], faulty=2)
    assert isinstance(run_at(reasons), WorkerEnded)
    assert len(reasons) == 2


def test_hooks_may_take_what_the_worker_reports(workers: Callable[..., list[str]]) -> None:
    """Longer than without a report; and then no longer."""
    code = "send(frame([b'within', b'1.2'])); time.sleep(0.8)"
    reasons = workers(code, fields_of(REFUSAL), fields_of(ALLOW), faulty=9)
    assert fire_at(reasons) == [REFUSAL, REFUSAL] and reasons == []


def test_what_a_worker_reports() -> None:
    assert seconds_of(report_of(2.5)) == 2.5
    assert seconds_of([b"1", b"", b"decided"]) is None
    for wrong in (b"nan", b"inf", b"-1", b"", b"x"):
        with pytest.raises(ValueError):
            seconds_of([b"within", wrong])
    waiting = Patience()
    waiting.begin(100.0)
    waiting.report(100.0, 5.0)
    with pytest.raises(ValueError):
        waiting.report(101.0, 5.0)
    waiting.begin(200.0)
    waiting.report(200.0, 5.0)
    assert not waiting.fault(214.0, os.getpid()) and waiting.fault(215.0, os.getpid())


class Limits:
    """An observer that keeps how long hooks may take."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def begins(self, seconds: float, /) -> None:
        self.seconds.append(seconds)

    def audit(self, line: str, /) -> None:
        pass

    def decided(self, agent: Contract, fired: FiredEvent, /) -> None:
        assert self.seconds, "it was decided before it began"


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        (["hook", "--contract", "claude_code", "--timeout", "7", "--", "-c", "exit 0"], [7.0]),
        (["hook", "--contract", "claude_code", "--", "absent.sh"], None),
        (["fire", "--as-hook", "claude_code", "--hooks", "hooks.json"], [12.0]),
    ],
)
def test_commands_report_how_long_their_hooks_may_take(
    words: list[str], seconds: list[float] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one event, all hooks one after the other."""

    def hooks(*timeouts: int) -> list[dict[str, object]]:
        return [{"hooks": [{"type": "command", "command": "exit 0", "timeout": each} for each in timeouts]}]

    (tmp_path / "hooks.json").write_text(
        json.dumps({"hooks": {"PreToolUse": hooks(3, 9), "PostToolUse": hooks(11)}})
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(claude())))
    observer = Limits()
    token = OBSERVER.set(observer)
    try:
        if seconds is None:
            monkeypatch.setattr(Limits, "decided", lambda *_: None)
        cli.main(words)
    finally:
        OBSERVER.reset(token)
    assert observer.seconds == (seconds or [])


# ---------------------------------------------------------------------- a service


@pytest.mark.slow
@pytest.mark.skipif(not HAS_UNIX, reason="signals of POSIX")
def test_stopped_workers_of_a_service_are_replaced(serve: Callable[..., Running]) -> None:
    """For the worker that fires and for the one that runs commands; each time with SIGSTOP from outside."""
    service = serve(
        "--hooks", "hooks.json", "--processes", "1", "--audit", "log", files={"hooks.json": settings(GUARD)}
    )
    words = ("hook", "--contract", "claude_code", "--fail-closed", "--", "-c", GUARD)
    assert service.fire("ls").json == {}
    assert service.sandhook(*words, stdin=claude()).status == 0
    stopped = service.ask("GET", "/healthz").json["workers"]
    assert len(stopped) == 2
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    began = time.monotonic()
    answer = service.fire("rm -rf /").json["hookSpecificOutput"]
    assert (answer["permissionDecision"], answer["permissionDecisionReason"]) == ("deny", "no rm -rf")
    before = len(service.decisions())
    ran = service.sandhook(*words, stdin=claude("rm -rf /"))
    assert (ran.status, ran.stderr) == (2, "no rm -rf\n")
    assert len(service.decisions()) == before + 1, "the client ran it itself"
    assert time.monotonic() - began < patience.FIRST_SECONDS, "not found by their state"
    assert not set(service.ask("GET", "/healthz").json["workers"]) & set(stopped)
    text = "a worker was stopped by a signal; another one takes its place"
    assert service.messages().count(text) == 2
    assert b"sandhook_worker_restarts_total 2.0" in service.ask("GET", "/metrics").body
    lines = [json.loads(line) for line in (service.project / "log").read_text().splitlines()]
    assert sum(line["type"] == "event.decided" for line in lines) == 4


@pytest.mark.slow
@pytest.mark.skipif(not HAS_UNIX, reason="signals of POSIX")
def test_a_service_whose_end_takes_long_can_be_restarted(serve: Callable[..., Running]) -> None:
    """Its worker does not end by itself. The next service must not find the place of the old one taken."""
    service = serve("--processes", "1")
    first = service.ask("GET", "/healthz").json
    for pid in first["workers"]:
        os.kill(pid, signal.SIGSTOP)
    assert service.process is not None
    try:
        ran = service.sandhook("serve", "--restart")
        assert (ran.status, ran.stdout.split()[:3]) == (0, ["ended", "process", str(first["pid"])]), ran
        assert service.ask("GET", "/healthz").json["arguments"] == ["--processes", "1"]
    finally:
        service.sandhook("serve", "--stop")
