"""Everything that a run started ends with it, wherever in the system it went."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import psutil
import pytest

from sandhook.host.children import Supervisor
from sandhook.host.poller import inbound
from tests.host.programs import LONG, Left, gone, in_threads, line_of, linux, posix, shell, spawn, until, wait

#: Text of a program that starts another one, prints its number, and goes on or ends.
START = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, '-S', '-c', sys.argv[1]], **{more})
print(child.pid, flush=True)
{then}
"""

DEAF = """
import os, signal, time
for n in (2, 15) if os.name == 'nt' else (1, 2, 15): signal.signal(n, signal.SIG_IGN)
"""
SLEEP = "import time; time.sleep(100)"

#: The words of a shell that start a program in a session of its own; macOS lacks setsid(1).
SETSID = (
    f'{shlex.quote(sys.executable)} -ISc "import os, sys; os.setsid(); os.execvp(sys.argv[1], sys.argv[1:])"'
)
#: Prints nothing by itself: its parent waits until it ignores what it shall ignore.
DEAF_SLEEP = DEAF + "open(READY, 'w').close()\ntime.sleep(100)"


@pytest.fixture(params=["plain", pytest.param("subreaper", marks=linux)])
def supervisor(request: pytest.FixtureRequest) -> Iterator[Supervisor]:
    with Supervisor(subreaper=request.param == "subreaper") as made:
        yield made


def started(supervisor: Supervisor, inner: str, *, more: str = "{}", then: str = "time.sleep(100)") -> int:
    """Start a program that starts another one, and return the latter's number."""
    ours, theirs = inbound()
    text = START.replace("{more}", more).replace("{then}", then)
    child = supervisor.start(spawn(text, inner, files={1: theirs}))
    os.close(theirs)
    pid = int(line_of(ours))
    os.close(ours)
    if not then:
        wait(child)
    return pid


@pytest.mark.parametrize("then", ["time.sleep(100)", ""], ids=["parent lives", "parent has ended"])
@pytest.mark.parametrize(
    "more",
    [
        "{}",
        pytest.param("{'start_new_session': True}", marks=posix),
        pytest.param("{'process_group': 0}", marks=posix),
        pytest.param("{'creationflags': 0x208}", marks=pytest.mark.skipif(os.name != "nt", reason="Windows")),
    ],
    ids=["plain", "new session", "new group", "detached"],
)
def test_a_descendant_is_found_and_ended(supervisor: Supervisor, more: str, then: str) -> None:
    pid = started(supervisor, SLEEP, more=more, then=then)
    assert pid in supervisor.alive()
    supervisor.end()
    assert gone(pid)
    assert supervisor.alive() == []


@pytest.mark.parametrize("session", [False, True])
def test_a_deaf_descendant_is_ended(supervisor: Supervisor, session: bool, tmp_path: object) -> None:
    ready = f"{tmp_path}/ready"
    more = f"{{'start_new_session': {session}}}" if os.name == "posix" else "{}"
    pid = started(supervisor, DEAF_SLEEP.replace("READY", repr(ready)), more=more, then="")
    until(lambda: os.path.exists(ready))
    supervisor.end(grace=0.05)
    assert gone(pid)


def test_one_whose_parents_ended_and_who_left_its_session_is_ended(supervisor: Supervisor) -> None:
    """The way of daemons: twice forked, a session of its own, another directory, no streams."""
    inner = START.replace("{more}", "{'stdout': 1}").replace("{then}", "")
    inner = inner.replace("sys.argv[1]", repr(SLEEP))
    more = "{'start_new_session': True}" if os.name == "posix" else "{}"
    ours, theirs = inbound()
    text = START.replace("{more}", more).replace("{then}", "child.wait()")
    wait(supervisor.start(spawn(text, inner, files={1: theirs})))
    os.close(theirs)
    line_of(ours)
    os.close(ours)
    pids = supervisor.alive()
    assert pids  # on Windows a console's own process may be among them
    supervisor.end()
    assert all(map(gone, pids))
    assert supervisor.alive() == []


@posix
def test_one_that_lost_the_mark_is_found_by_its_session_or_its_parent(supervisor: Supervisor) -> None:
    supervisor.start(shell("env -i sleep 100 & env -i sleep 100 & exit"))
    supervisor.start(shell(f"{SETSID} env -i sh -c 'sleep 100 & {SETSID} sleep 100; :' ; :"))
    until(lambda: len(supervisor.alive()) == 6)
    pids = supervisor.alive()
    supervisor.end()
    assert all(map(gone, pids))


@linux
def test_a_subreaper_finds_one_that_lost_all() -> None:
    before = Left()
    with Supervisor(subreaper=True) as supervisor:
        # many times, for it must be marked before it can start anything
        for number in range(20):
            wait(supervisor.start(shell(f"(setsid env -i sleep {100 + number} &)")))
        until(lambda: len(supervisor.alive()) == 20)
        pids = supervisor.alive()
        supervisor.end()
        for pid in pids:
            assert not os.path.exists(f"/proc/{pid}"), "it was not waited for"
    assert Left() <= before


@linux
def test_a_subreaper_waits_for_orphans_that_ended_by_themselves() -> None:
    before = Left()
    with Supervisor(subreaper=True) as supervisor:
        wait(supervisor.start(shell("(env -i setsid true &) ; (setsid true &) ; true & sleep 0.2")))
        supervisor.end()
        assert Left() <= before


@linux
def test_a_subreaper_leaves_the_hosts_own_children_alone() -> None:
    mine = subprocess.Popen(["sh", "-c", "exit 7"], start_new_session=True)
    with Supervisor(subreaper=True) as supervisor:
        other = subprocess.Popen(["sleep", "100"], start_new_session=True)
        wait(supervisor.start(shell("sleep 0.1")))
        assert supervisor.alive() == []
        supervisor.end()
    assert mine.wait() == 7
    assert other.poll() is None
    other.kill()
    other.wait()


def subreaper_flag() -> int:
    import ctypes

    found = ctypes.c_int()
    assert ctypes.CDLL(None).prctl(37, ctypes.byref(found), 0, 0, 0) == 0
    return found.value


@linux
def test_the_process_adopts_orphans_only_while_it_is_asked_to() -> None:
    assert subreaper_flag() == 0
    with Supervisor():
        assert subreaper_flag() == 0
    first, second = Supervisor(subreaper=True), Supervisor(subreaper=True)
    first.close()
    assert subreaper_flag() == 1
    second.close()
    assert subreaper_flag() == 0
    with Supervisor(subreaper=True):
        assert subreaper_flag() == 1
    assert subreaper_flag() == 0


def test_a_neighbour_is_left_alone() -> None:
    with Supervisor() as mine, Supervisor() as other:
        for each in (mine, other):
            each.start(spawn(SLEEP))
        pids = other.alive()
        mine.end()
        assert mine.alive() == []
        assert other.alive() == pids and len(pids) == 1


def test_a_nested_run_ends_with_the_outer_one(supervisor: Supervisor) -> None:
    text = f"""
import os, sys
sys.path[:0] = {[os.getcwd(), *sys.path]}
from sandhook.host.children import Supervisor
from tests.host.programs import spawn
supervisor = Supervisor()
child = supervisor.start(spawn("import os, time; os.name == 'posix' and os.setsid; time.sleep(100)"))
print(child.pid, flush=True)
os._exit(0)
"""
    ours, theirs = inbound()
    wait(supervisor.start(spawn(text, files={1: theirs})))
    os.close(theirs)
    pid = int(line_of(ours))
    os.close(ours)
    if os.name == "nt":
        assert gone(pid)  # the inner job was closed with its process
    else:
        assert supervisor.alive() == [pid]
    supervisor.end()
    assert gone(pid)


@posix
def test_an_interrupt_comes_first_when_there_is_a_grace(tmp_path: object) -> None:
    with Supervisor() as supervisor:
        child = supervisor.start(
            shell(
                f"trap 'echo bye >{tmp_path}/said; exit 9' INT; touch {tmp_path}/up; while :; do sleep 0.01; done"
            )
        )
        until(lambda: os.path.exists(f"{tmp_path}/up"))
        began = time.monotonic()
        supervisor.end(grace=LONG)
        assert time.monotonic() - began < LONG / 2
        assert (child.status, child.signal) == (9, 0)
    assert os.path.exists(f"{tmp_path}/said")


@posix
def test_a_stopped_process_hears_the_interrupt_too() -> None:
    with Supervisor() as supervisor:
        child = supervisor.start(shell("trap 'exit 9' INT; kill -STOP $$; :"))
        until(lambda: psutil.Process(child.pid).status() == psutil.STATUS_STOPPED)
        supervisor.end(grace=LONG)
        assert child.status == 9


@posix
def test_without_a_grace_nothing_is_said(tmp_path: object) -> None:
    with Supervisor() as supervisor:
        child = supervisor.start(
            shell(f"trap 'touch {tmp_path}/said' INT TERM HUP; touch {tmp_path}/up; sleep 100")
        )
        until(lambda: os.path.exists(f"{tmp_path}/up"))
        supervisor.end()
        assert (child.status, child.signal) == (128 + 9, 9)
    assert not os.path.exists(f"{tmp_path}/said")


@posix
def test_what_forks_all_the_time_is_ended() -> None:
    """A chain in which every process starts the next one and ends."""
    text = """
import os, sys, time
last = time.monotonic() + 120  # so that a failure leaves nothing that runs for ever
while time.monotonic() < last:
    if os.fork():
        os._exit(0)
    if sys.argv[1] == 'sessions':
        os.setsid()
    time.sleep(0.001)
"""
    for how in ("one session", "sessions"):
        with Supervisor() as supervisor:
            wait(supervisor.start(spawn(text, how)))
            began = time.monotonic()
            supervisor.end()
            assert time.monotonic() - began < LONG
            until(lambda: supervisor.alive() == [])


@linux
def test_processes_are_found_without_proc_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on other systems than Linux: psutil reports it, and there are no handles of processes."""
    from sandhook.host import tree
    from sandhook.host.machine import Machine

    monkeypatch.setattr(tree, "this_machine", Machine)
    monkeypatch.delattr(os, "pidfd_open")
    with Supervisor() as supervisor:
        supervisor.start(shell("(setsid sleep 100 &) ; sleep 100 & sleep 100"))
        wait(supervisor.start(shell("env -i sleep 100 & (setsid sleep 100 &)")))
        until(lambda: len(supervisor.alive()) == 6)
        pids = supervisor.alive()
        supervisor.end()
        assert all(map(gone, pids))


@linux
def test_children_are_ended_where_processes_cannot_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    from sandhook.host import tree
    from sandhook.host.machine import Machine, Process

    class Blind(Machine):
        def pids(self) -> list[int]:
            return []

        def look(self, pid: int) -> Process | None:
            return None

    monkeypatch.setattr(tree, "this_machine", Blind)
    with Supervisor() as supervisor:
        child = supervisor.start(shell("sleep 100 & sleep 100"))
        assert supervisor.alive() == [child.pid]
        supervisor.end()
        assert child.status == 128 + 9


@linux
def test_a_process_in_the_middle_of_an_exec_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no environment then, and it may be in it for long on a busy machine."""
    from sandhook.host import tree
    from sandhook.host.machine import Linux

    looks: list[int] = []

    class Busy(Linux):
        def environment(self, pid: int) -> bytes | None:
            looks.append(pid)
            return None if len(looks) < 8 else super().environment(pid)

    monkeypatch.setattr(tree, "this_machine", Busy)
    ours, theirs = inbound()
    with Supervisor() as supervisor:
        child = supervisor.start(shell("setsid sh -c 'echo $$; exec sleep 100' &", files={1: theirs}))
        os.close(theirs)
        pid = int(line_of(ours))
        wait(child)
    assert len(looks) >= 8
    assert gone(pid)
    os.close(ours)


@linux
def test_an_empty_environment_is_told_from_one_that_is_still_to_come() -> None:
    from sandhook.host.machine import Linux

    machine = Linux()
    bare = subprocess.Popen(["sleep", "100"], env={})
    try:
        until(lambda: machine.environment(bare.pid) is not None)
        assert machine.environment(bare.pid) == b""
        assert b"PATH" in (machine.environment(os.getpid()) or b"")
        assert machine.environment(1 << 30) == b""
    finally:
        bare.kill()
        bare.wait()


@linux
def test_a_number_that_was_given_again_is_not_signalled() -> None:
    """A process that was seen ends, and another one has its number: its start distinguishes them."""
    from sandhook.host.machine import Process
    from sandhook.host.tree import Tree

    other = subprocess.Popen(["sleep", "100"])
    Tree()._signal([Process(other.pid, 1, 1, 12345.0, False)], (signal.SIGKILL,))
    time.sleep(0.05)
    assert other.poll() is None
    other.kill()
    other.wait()


def test_runs_in_threads_end_their_own() -> None:
    before = Left()
    wrong: list[str] = []

    def run() -> None:
        try:
            with Supervisor() as supervisor:
                pid = started(supervisor, SLEEP, then="")
                supervisor.end()
                if not gone(pid):
                    wrong.append(f"{pid} lives")
        except BaseException as error:
            wrong.append(repr(error))

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert Left() <= before


@posix
@pytest.mark.parametrize("subreaper", [False, pytest.param(True, marks=linux)])
def test_processes_that_end_late_do_not_stay_zombies(
    subreaper: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine ends a process some time after it was killed, when nobody waits for it any more."""
    from sandhook.host import tree

    monkeypatch.setattr(tree, "LAST", -1.0)
    before = Left()
    pids: list[int] = []
    for _ in range(10):
        ours, theirs = inbound()
        with Supervisor(subreaper=subreaper) as supervisor:
            supervisor.start(shell(HOLD, files={1: theirs}))
            os.close(theirs)
            line_of(ours)
            pids.extend(supervisor.alive())
        os.close(ours)
    assert len(pids) >= 30
    until(lambda: all(map(gone, pids)))
    until(lambda: Left() <= before)


#: Starts two that hear no signal and hold standard output, one of them in a session of its own.
HOLD = f"(trap '' INT TERM HUP; echo; exec {SETSID} sleep 600) & (trap '' TERM INT; sleep 600) & sleep 600"


@posix
@pytest.mark.slow
@pytest.mark.parametrize("subreaper", [False, pytest.param(True, marks=linux)])
def test_a_thousand_runs_leave_nothing(subreaper: bool) -> None:
    before = Left()
    pids: list[int] = []

    def run() -> float:
        ours, theirs = inbound()
        with Supervisor(subreaper=subreaper) as supervisor:
            supervisor.start(shell(HOLD, files={1: theirs}))
            os.close(theirs)
            line_of(ours)
            pids.extend(supervisor.alive())
            began = time.monotonic()
        os.close(ours)
        return time.monotonic() - began

    late, busy = in_threads(1000, run)
    assert late < 1.5 + busy
    assert len(pids) >= 3000
    until(lambda: all(map(gone, pids)))
    until(lambda: Left() <= before)


@posix
@pytest.mark.slow
def test_a_thousand_scripts_that_run_out_of_time_leave_nothing() -> None:
    """Through the host shell, too, each returns in time, with what was written until then."""
    from sandhook.host.shell import HostShell
    from sandhook.limits import Limits

    before = Left()
    seconds = 0.5

    def run() -> float:
        made = HostShell(limits=Limits.generous().with_(wall_seconds=seconds))  # one does a run at a time
        began = time.monotonic()
        result = made.run(f"sh -c {shlex.quote(HOLD)}; echo never")
        took = time.monotonic() - began
        assert result.limit == "wall_seconds" and "never" not in result.stdout
        return took - seconds

    late, busy = in_threads(1000, run)
    assert late < 1.5 + busy
    until(
        lambda: all(
            "sleep 600" not in " ".join(each.info["cmdline"] or ())
            for each in psutil.process_iter(["cmdline"])
        )
    )
    until(lambda: Left() <= before)
