"""What the system refuses native code in a worker, what the report says, and a kernel that offers less."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from struct import iter_unpack

import psutil
import pytest

from sandhook.shell import Shell
from sandhook.worker.client import Pool, Worker, WorkerDied
from sandhook.worker.confine import landlock, seccomp
from sandhook.worker.confine.report import PROTECTIONS, Report
from sandhook.worker.confinement import decode
from tests.host.programs import gone, until
from tests.worker import hostile
from tests.worker.asking import output, request

linux = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine not in seccomp.ARCHITECTURES, reason="needs seccomp"
)
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


def run_hostile(canary: Path, before: str = "", mode: str = "everything") -> dict:
    """Run ``hostile.main`` in a process that is started like a worker.

    With ``before``, which is run first, it tries what can be done to files only. The mode "library" is that of a
    worker that runs the shell: Python's library stays readable.
    """
    ours, lifeline = os.pipe()
    try:
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                f"import os; os.dup2({ours}, 3); {before}\nfrom tests.worker.hostile import main; main()",
                str(canary),
                str(os.getpid()),
                "files" if before else mode,
            ],
            pass_fds=[ours],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            timeout=60,
        )
    finally:
        os.close(ours)
        os.close(lifeline)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return json.loads(done.stdout)


@linux
def test_native_code_is_refused_everything(tmp_path):
    canary = tmp_path / "canary"
    canary.write_text("secret")
    result = run_hostile(canary)
    done = {
        act: errno.errorcode.get(code, code) for act, code in result["acts"].items() if code != errno.EPERM
    }
    assert done == {}
    assert set(result["harmless"].values()) == {True}
    assert [path.name for path in tmp_path.iterdir()] == ["canary"]
    assert set(result["report"][0]) == set(PROTECTIONS)


@linux
def test_native_code_in_a_shell_worker_reads_python_s_library_alone(tmp_path):
    canary = tmp_path / "canary"
    canary.write_text("secret")
    result = run_hostile(canary, mode="library")
    refused = (errno.EPERM, errno.EACCES)
    done = {act: code for act, code in result["acts"].items() if code not in refused}
    assert done == {"read from another descriptor": errno.EAGAIN}, "the lifeline is empty"
    assert result["acts"]["read a file"] == errno.EACCES
    assert set(result["harmless"].values()) == {True} and "library" in result["harmless"]
    assert [path.name for path in tmp_path.iterdir()] == ["canary"]


@linux
def test_the_same_acts_are_possible_without_confinement(tmp_path):
    canary = tmp_path / "canary"
    canary.write_text("secret")
    assert hostile.call("openat", -100, os.fsencode(canary), os.O_RDONLY) == 0
    assert hostile.call("socket", 1, 1, 0) == 0
    assert hostile.call("kill", os.getpid(), 0) == 0
    assert hostile.call("mmap", None, ctypes.c_size_t(4096), 7, 0x22, -1, None) == 0
    assert hostile.call("renameat2", -100, os.fsencode(canary), -100, os.fsencode(canary) + b".moved", 0) == 0


#: A kernel without some mechanisms, as a program sees it.
WITHOUT_SECCOMP = "from sandhook.worker.confine import seccomp; seccomp._SECCOMP = (9999, 9999)"
WITHOUT_LANDLOCK = "from sandhook.worker.confine import landlock; landlock._CREATE_RULESET = 9999"


@linux
@pytest.mark.parametrize(
    ("before", "unavailable", "missing"),
    [
        (WITHOUT_SECCOMP, {"seccomp"}, {"network", "programs", "new_code"}),
        (WITHOUT_LANDLOCK, {"Landlock"}, set()),
        (
            f"{WITHOUT_SECCOMP}; {WITHOUT_LANDLOCK}",
            {"seccomp", "Landlock"},
            {"files", "network", "programs", "new_code", "signals"},
        ),
    ],
)
def test_a_kernel_that_offers_less_is_reported(tmp_path, before, unavailable, missing):
    canary = tmp_path / "canary"
    canary.write_text("secret")
    result = run_hostile(canary, before)
    report = decode(json.dumps(result["report"]).encode())
    assert unavailable <= set(report.unavailable)
    assert set(report.missing) - {"processes"} == missing, (
        "the limit of processes does not bind the superuser"
    )
    assert not report.complete or not missing
    assert all(any(line.startswith(f"{name}: MISSING") for line in report.lines()) for name in missing)


@linux
def test_landlock_alone_refuses_files(tmp_path):
    canary = tmp_path / "canary"
    canary.write_text("secret")
    acts = run_hostile(canary, WITHOUT_SECCOMP)["acts"]
    if acts["look whether a file exists"] != 0:
        pytest.fail("the filter was in force")
    assert acts["read a file"] == acts["create a file"] == errno.EACCES


def test_a_protection_that_does_not_hold_is_missing():
    report = Report()
    report.enforced("a mechanism", "files", "network")
    report.refute("files", "a file could be opened")
    seen = decode(report.encode())
    assert "files" in seen.missing and "network" not in seen.missing
    assert seen.unavailable == {"a mechanism": "a file could be opened"}


def test_an_older_kernel_gets_the_ruleset_that_it_knows():
    assert [len(landlock.ruleset(version)) for version in range(1, 9)] == [8, 8, 8, 16, 16, 24, 24, 24]


# The filter, run by a small interpreter of classic BPF: other machines cannot be had here.


def verdict(
    machine: str, number: int, *arguments: int, architecture: int | None = None, reads: bool = False
) -> int:
    """Return what the filter for a machine answers to a system call of process 7."""
    architecture = seccomp.ARCHITECTURES[machine] if architecture is None else architecture
    words = [number, architecture, 0, 0]
    for argument in (*arguments, 0, 0, 0, 0, 0, 0)[:6]:
        words += [argument & 0xFFFFFFFF, argument >> 32 & 0xFFFFFFFF]
    code = list(iter_unpack("=HBBI", seccomp.program(machine, 7, reads=reads)))
    at, accumulator = 0, 0
    while True:
        operation, true, false, value = code[at]
        at += 1
        match operation:
            case seccomp._RETURN:
                return value
            case seccomp._LOAD:
                accumulator = words[value // 4]
            case seccomp._EQUAL:
                at += true if accumulator == value else false
            case seccomp._AT_LEAST:
                at += true if accumulator >= value else false
            case seccomp._ANY_BIT:
                at += true if accumulator & value else false


@pytest.mark.parametrize(("column", "machine"), list(enumerate(seccomp.ARCHITECTURES)))
def test_the_filter_allows_its_list_alone(column, machine):
    allowed = {number for number in range(600) if verdict(machine, number, 99, 99, 4) == seccomp._ALLOW}
    assert allowed == {numbers[column] for numbers in seccomp.PLAIN.values()} - {-1}
    assert verdict(machine, seccomp.READ[column], 0) == seccomp._ALLOW
    assert verdict(machine, seccomp.READ[column], 1) == seccomp._REFUSE
    assert verdict(machine, seccomp.WRITE[column], 1) == seccomp._ALLOW
    assert verdict(machine, seccomp.WRITE[column], 2) == seccomp._REFUSE
    assert verdict(machine, seccomp.MMAP[column], 0, 4096, 3) == seccomp._ALLOW
    assert verdict(machine, seccomp.MPROTECT[column], 0, 4096, 5) == seccomp._REFUSE
    assert verdict(machine, seccomp.TGKILL[column], 7, 7, 6) == seccomp._ALLOW
    assert verdict(machine, seccomp.TGKILL[column], 8, 8, 6) == seccomp._REFUSE
    assert verdict(machine, seccomp.PRLIMIT[column], 0, 0) == seccomp._ALLOW
    assert verdict(machine, seccomp.PRLIMIT[column], 0, 9) == seccomp._REFUSE


@pytest.mark.parametrize(("column", "machine"), list(enumerate(seccomp.ARCHITECTURES)))
def test_a_worker_that_reads_opens_nothing_for_writing(column, machine):
    allowed = {
        number for number in range(600) if verdict(machine, number, 99, 99, 4, reads=True) == seccomp._ALLOW
    }
    plain = {numbers[column] for numbers in (*seccomp.PLAIN.values(), *seccomp.READING.values())} - {-1}
    assert allowed == plain
    openat = seccomp._OPENAT[column]
    assert verdict(machine, openat, 0, 0, os.O_RDONLY | 0o2000000, reads=True) == seccomp._ALLOW
    for flag in (1, 2, 0o100, 0o1000, 0o2000, 0o20000000):  # WRONLY, RDWR, CREAT, TRUNC, APPEND, TMPFILE
        assert verdict(machine, openat, 0, 0, flag, reads=True) == seccomp._REFUSE


@pytest.mark.parametrize("machine", list(seccomp.ARCHITECTURES))
def test_calls_of_another_architecture_end_the_process(machine):
    assert verdict(machine, 1, 1, architecture=0x40000003) == seccomp._KILL


def test_the_x32_interface_ends_the_process():
    assert verdict("x86_64", 0x40000000 | 1, 1) == seccomp._KILL


# How a worker ended.


@pytest.fixture
def kill_at_work(monkeypatch):
    """Return a function: from now on each worker is sent a signal when it has received its request."""

    def begin(number: int) -> None:
        assert Shell().run("jq -n 1; sqlite3 :memory: 'select 1'").stdout == "1\n1\n"  # they have started
        ask = Worker.ask

        def ask_and_kill(self, request, seconds):
            ask(self, request, seconds)
            os.kill(self.pid, number)

        monkeypatch.setattr(Worker, "ask", ask_and_kill)

    return begin


@posix
@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGTERM"])
def test_a_worker_that_a_signal_ends_is_reported_as_that(kill_at_work, name):
    kill_at_work(signal.Signals[name])
    result = Shell().run("jq -n 'def f: f; f'")
    assert result.failure == f"the jq worker was ended by {name}"
    assert (result.limit, result.exit_status, result.defect) == (None, 137, None)


@posix
def test_a_crash_is_not_caught_by_the_script(kill_at_work, monkeypatch):
    with monkeypatch.context():
        kill_at_work(signal.SIGKILL)
        endless = "with recursive c(x) as (select 1 union all select x+1 from c) select count(*) from c"
        result = Shell().run(f"trap 'echo caught' EXIT; sqlite3 :memory: '{endless}' || echo caught; echo on")
    assert result.failure == "the sqlite worker was ended by SIGKILL"
    assert result.stdout == ""
    monkeypatch.undo()
    assert Shell().run("sqlite3 :memory: 'select 2'").stdout == "2\n"


@posix
def test_a_crash_is_a_hook_that_could_not_run(kill_at_work):
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.events import ToolPre

    kill_at_work(signal.SIGSEGV)
    command = "jq -e 'def f: f; f' && exit 2; exit 0"
    hooks = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}
    decision = HookEngine.load(hooks, "claude_code").fire(ToolPre("Bash", {"command": "rm"}))
    (outcome,) = decision.outcomes
    assert outcome.verdict.could_not_run == "the jq worker was ended by SIGSEGV"


def test_memory_is_still_memory():
    pool = Pool(lambda: Worker(module="jq.server"))
    try:
        with pytest.raises(WorkerDied) as death:
            output(pool, request(b'"x" * 1e9 | length'))
        assert death.value.out_of_memory
    finally:
        pool.close()
    assert Shell().run("""jq -n '"x" * 1e9 | length'""").limit == "memory_bytes"


#: A host with a worker that computes for ten minutes; the host prints the worker's id.
BUSY_HOST = """
import threading, time
from sandhook.worker.client import Pool, Worker
from sandhook.worker.requests import Request
POOL = Pool(lambda: Worker(module='jq.server'))
POOL.call(Request(b'[tojson]', b'1'), lambda: 10.0, lambda kind, payload: None)
pid = POOL._idle[0].pid
endless = lambda: POOL.call(Request(b'def f: f; f', b'1'), lambda: 600.0, lambda kind, payload: None)
threading.Thread(target=endless, daemon=True).start()
while not POOL._busy:
    time.sleep(0.01)
time.sleep(0.2)
print(pid, flush=True)
time.sleep(60)
"""


@posix
def test_a_busy_worker_ends_with_a_killed_host():
    host = subprocess.Popen([sys.executable, "-c", BUSY_HOST], stdout=subprocess.PIPE)
    assert host.stdout is not None
    pid = int(host.stdout.readline())
    assert psutil.pid_exists(pid)
    host.kill()
    host.wait()
    host.stdout.close()
    until(lambda: gone(pid))
