"""The host's side: deadlines, deaths, restarts, threads, forks, and that nothing is left over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from sandhook.errors import WorkerError
from sandhook.worker import client, frames, launch
from sandhook.worker.client import IDLE, OutOfTime, Pool, Worker, WorkerDied
from sandhook.worker.greeting import with_greeting
from sandhook.worker.requests import Request
from tests.host.programs import gone, until
from tests.worker.asking import output, request

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX processes")


#: A host that uses a worker and then does nothing until it is killed.
HOST = """
import time
from sandhook.worker.client import Pool, Worker
from sandhook.worker.greeting import greeting
from sandhook.worker.requests import Request
POOL = Pool(lambda: Worker(module='jq.server'))
POOL.call(Request(b'[tojson]', b'1'), lambda: 10.0, lambda kind, payload: None)
print(POOL._idle[0].pid, flush=True)
time.sleep(60)
"""


def only_worker(pool: Pool) -> client.Worker:
    (worker,) = pool._idle
    return worker


def alive(pid: int) -> bool:
    """Return whether a process is there, zombies included."""
    return psutil.pid_exists(pid)


def gone_within(pid: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not alive(pid):
            return True
        time.sleep(0.01)
    return False


def test_answers_with_every_result(ask):
    assert ask(b".a, .b", b'{"a": 1.000, "b": "x"}') == b'1.000\n"x"\n'


def test_one_worker_serves_many_calls(pool):
    for number in range(20):
        assert output(pool, request(b". + 1", b"%d" % number)) == b"%d\n" % (number + 1)
    assert len(pool._idle) == 1


def test_a_large_request_and_a_large_answer(ask):
    text = b'"' + b"x" * 3_000_000 + b'"'
    assert ask(b".", text) == text + b"\n"


def test_the_deadline_kills_and_the_next_call_works(pool):
    output(pool, request(b"1"))
    pid = only_worker(pool).pid
    began = time.monotonic()
    with pytest.raises(OutOfTime):
        output(pool, request(b"def f: f; f"), seconds=0.3)
    assert time.monotonic() - began > 0.25
    assert not alive(pid)
    assert output(pool, request(b"2")) == b"2\n"


@pytest.mark.parametrize(
    "program",
    [
        b'"x" * 1e9 | length',
        b'reduce range(60) as $i ("x"; . + .) | length',
        b"def f(x): f(x + 1); f(1)",
    ],
)
def test_the_memory_limit_ends_the_worker_alone(pool, program):
    with pytest.raises(WorkerDied):
        output(pool, request(program))
    assert output(pool, request(b"2")) == b"2\n"


def test_an_unknown_frame_is_no_answer(monkeypatch):
    """A worker whose bytes are not of the protocol counts as dead, and is not used again."""
    answers = [(frames.OUTPUT, b"1"), (95, b"")]
    monkeypatch.setattr(client.Worker, "frame", lambda self: answers.pop(0))
    pool = Pool()
    try:
        with pytest.raises(WorkerDied):
            output(pool, request(b"1"))
        assert pool._idle == []
    finally:
        pool.close()


@pytest.mark.parametrize(
    "report", [b"", b"[]", b"[1, 2]", b"[[], {}]", b'[{"files": 1}, {}]', b"[" * 100_000]
)
def test_a_report_that_cannot_be_read_is_a_worker_that_did_not_start(report, monkeypatch):
    sent = with_greeting(report)
    monkeypatch.setattr(client.Worker, "frame", lambda self: (frames.READY, sent))
    pool = Pool()
    try:
        worker = pool.acquire(10.0)
        with pytest.raises(WorkerError, match="could not be started: not a report"):
            worker._await_ready()
    finally:
        pool.close()


def test_less_memory_is_granted(ask):
    assert ask(b'"x" * 10000000 | length') == b"10000000\n"


def test_output_streams_and_stops_when_nobody_wants_more(pool):
    class Enough(Exception):
        pass

    taken: list[int] = []

    def take(kind: int, payload: bytes) -> None:
        taken.append(len(payload))
        raise Enough

    with pytest.raises(Enough):
        pool.call(request(b"range(1e9)"), lambda: 10.0, take)
    assert len(taken) == 1
    assert taken[0] <= frames.CHUNK
    worker = only_worker(pool)
    assert output(pool, request(b"2")) == b"2\n"
    assert only_worker(pool) is worker, "it was stopped, not killed"


def test_a_caller_that_fails_over_an_error_message_ends_the_call(pool):
    def take(kind: int, payload: bytes) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pool.call(request(b'error("x")'), lambda: 10.0, take)
    assert not pool._busy
    assert output(pool, request(b"2")) == b"2\n"


def test_a_worker_that_died_while_idle_is_replaced(pool):
    output(pool, request(b"1"))
    pid = only_worker(pool).pid
    psutil.Process(pid).kill()
    time.sleep(0.05)
    assert output(pool, request(b"2")) == b"2\n"
    assert only_worker(pool).pid != pid
    assert not alive(pid), "no zombie is left"


def test_a_worker_ends_itself_when_its_host_does_not(pool, monkeypatch):
    monkeypatch.setattr(client, "_GRACE", 0.0)
    output(pool, request(b"1"))
    worker = pool.acquire(1.0)
    worker.ask(request(b"def f: f; f"), 0.2)
    psutil.Process(worker.pid).wait(3)  # raises when it is still running, with nobody who would kill it
    pool.drop(worker)


def test_an_idle_worker_outlives_the_deadline_of_its_last_call(pool, monkeypatch):
    monkeypatch.setattr(client, "_GRACE", 0.0)
    output(pool, request(b"1"))  # a start may take long
    output(pool, request(b"1"), seconds=0.2)
    pid = only_worker(pool).pid
    time.sleep(0.4)
    assert output(pool, request(b"2")) == b"2\n"
    assert only_worker(pool).pid == pid


def test_a_worker_ends_with_its_host():
    host = subprocess.Popen(
        [
            sys.executable,
            "-c",
            HOST,
        ],
        stdout=subprocess.PIPE,
    )
    assert host.stdout is not None
    pid = int(host.stdout.readline())
    host.kill()
    host.wait()
    host.stdout.close()
    until(lambda: gone(pid))


def test_close_leaves_no_process(pool):
    output(pool, request(b"1"))
    pid = only_worker(pool).pid
    pool.close()
    assert not alive(pid)


def test_eight_threads_at_once(pool):
    wrong: list[object] = []

    def work(number: int) -> None:
        for turn in range(25):
            got = output(pool, request(b". * 2", b"%d" % (number * 1000 + turn)))
            if got != b"%d\n" % ((number * 1000 + turn) * 2):
                wrong.append((number, turn, got))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert not pool._busy
    assert 1 <= len(pool._idle) <= IDLE


def test_waits_for_a_free_worker_no_longer_than_its_time(pool, monkeypatch):
    monkeypatch.setattr(client, "MOST", 1)
    worker = pool.acquire(10.0)
    with pytest.raises(OutOfTime):
        pool.acquire(0.05)
    pool.release(worker)
    assert pool.acquire(0.05) is worker
    pool.release(worker)


@posix
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_workers_of_its_own(pool, monkeypatch):
    monkeypatch.setattr(client, "POOL", pool)
    os.register_at_fork(after_in_child=pool.forget)
    assert output(client.POOL, request(b"1")) == b"1\n"
    mine = client.POOL._idle[-1].pid
    child = os.fork()
    if child == 0:
        try:
            sound = output(client.POOL, request(b"2")) == b"2\n"
            own = all(worker.pid != mine for worker in client.POOL._idle)
            client.POOL.close()
        except BaseException:
            os._exit(3)
        os._exit(0 if sound and own else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert output(client.POOL, request(b"3")) == b"3\n"
    assert client.POOL._idle[-1].pid == mine, "the child has not disturbed it"


def test_prestart_starts_one_worker_once(pool):
    pool.prestart()
    worker = only_worker(pool)
    pool.prestart()
    assert output(pool, request(b"1")) == b"1\n"
    assert only_worker(pool) is worker


def test_a_worker_that_cannot_start_is_named(monkeypatch):
    monkeypatch.setattr(launch, "command_line", lambda module: [sys.executable, "-c", "pass"])
    with pytest.raises(WorkerError, match="could not be started"):
        output(Pool(), request(b"1"))


def test_a_program_that_does_not_compile_is_reported(pool):
    said: list[tuple[int, bytes]] = []
    pool.call(Request(b"1 +", b"null"), lambda: 10.0, lambda kind, payload: said.append((kind, payload)))
    ((kind, message),) = said
    assert kind == frames.BROKEN
    assert b"syntax error" in message


@posix
def test_descriptors_do_not_pile_up(pool):
    output(pool, request(b"1"))
    before = len(os.listdir("/dev/fd"))
    for _ in range(5):
        with pytest.raises(OutOfTime):
            output(pool, request(b"def f: f; f"), seconds=0.02)
        output(pool, request(b"1"))
    assert len(os.listdir("/dev/fd")) == before


def test_the_host_goes_on_while_a_worker_works(pool):
    beats = 0
    done = threading.Event()

    def beat() -> None:
        nonlocal beats
        while not done.wait(0.01):
            beats += 1

    thread = threading.Thread(target=beat)
    thread.start()
    with pytest.raises(OutOfTime):
        output(pool, request(b"def f: f; f"), seconds=0.5)
    done.set()
    thread.join()
    assert beats > 5, "on a busy machine, too"


@pytest.mark.parametrize(
    ("module", "kind"),
    [
        ("jq.server", frames.DONE),
        ("jq.server", frames.FAILED),
        pytest.param("jq.native", frames.DONE, marks=posix),
        ("sqlite.session", frames.DONE),
    ],
)
def test_a_worker_whose_frame_is_too_short_is_dead(monkeypatch, module, kind):
    pool = Pool(lambda: Worker(module=module))
    monkeypatch.setattr(Worker, "frame", lambda self: (kind, bytes(frames.SHORTEST[module][kind] - 1)))
    received = []
    try:
        with pytest.raises(WorkerDied, match="sent a frame that is too short"):
            pool.call(request(b"1"), lambda: 5.0, lambda *frame: received.append(frame))
        assert received == []
        assert not pool._busy and not pool._idle
    finally:
        pool.close()


@pytest.mark.parametrize("script", ["jq -n 1", "echo 'select 1;' | sqlite3"])
def test_a_frame_that_is_too_short_is_a_failed_run_and_no_defect(monkeypatch, script):
    from sandhook.shell import Shell

    with monkeypatch.context() as patch:
        patch.setattr(Worker, "frame", lambda self: (frames.DONE, b""))
        result = Shell().run(script)
    assert result.defect is None
    assert result.failure is not None and result.failure.endswith("worker sent a frame that is too short")
    assert Shell().run(script).stdout == "1\n"


@posix
def test_a_worker_that_does_not_read_holds_up_nobody(pool):
    output(pool, request(b"1"))
    worker = only_worker(pool)
    os.kill(worker.pid, signal.SIGSTOP)
    with pytest.raises(OutOfTime):
        output(pool, request(b"1", b'"' + b"x" * (4 << 20) + b'"'), seconds=0.3)
    assert output(pool, request(b"2")) == b"2\n"
