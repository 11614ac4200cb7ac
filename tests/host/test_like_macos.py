"""Host mode where there is no /proc, no descriptor of a process, and signals have other numbers, as on macOS."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

if sys.platform == "win32":
    pytest.skip("POSIX alone has it", allow_module_level=True)

from sandhook import Host, HostShell, Limits
from sandhook.host import streams, tree
from sandhook.host.machine import Machine
from sandhook.host.signals import _natives, _shells, from_native, to_native
from tests.host.programs import LONG, Left

PYTHON = f'"{sys.executable}" -S'


@pytest.fixture
def macos(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take away what Linux has."""
    psutil.Process().parents()  # loaded for the real system
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(tree, "this_machine", Machine)
    monkeypatch.setattr(streams, "_ROOM", 512)
    for module, name in ((os, "pidfd_open"), (signal, "pidfd_send_signal")):
        monkeypatch.delattr(module, name, raising=False)
    yield


@pytest.fixture
def numbers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give signals the numbers that they have on macOS."""
    there = {
        "SIGBUS": 10,
        "SIGSYS": 12,
        "SIGURG": 16,
        "SIGSTOP": 17,
        "SIGUSR1": 30,
        "SIGUSR2": 31,
        "SIGCHLD": 20,
    }
    for name, number in there.items():
        monkeypatch.setattr(signal, name, number)
    for name in ("SIGSTKFLT", "SIGPWR", "SIGRTMIN", "SIGRTMAX"):
        monkeypatch.delattr(signal, name, raising=False)
    for table in (_natives, _shells):
        table.cache_clear()
    yield
    for table in (_natives, _shells):
        table.cache_clear()


def test_signals_are_known_by_their_names(numbers: None) -> None:
    assert [to_native(number) for number in (0, 9, 10, 7, 12, 31)] == [0, 9, 30, 10, 31, 12]
    assert [from_native(number) for number in (9, 30, 10, 31, 12)] == [9, 10, 7, 12, 31]
    for missing in (16, 30, 34, 64, 99):
        with pytest.raises(OSError, match="Invalid argument"):
            to_native(missing)


def test_signals_that_the_system_numbers_from_a_least_one() -> None:
    if sys.platform == "linux":
        assert [to_native(number) for number in range(1, 32)] == list(range(1, 32))
        assert to_native(37) == signal.SIGRTMIN + 3
        assert to_native(60) == signal.SIGRTMAX - 4


def test_a_program_is_killed_by_the_systems_number(numbers: None, tmp_path: Path) -> None:
    """10 is USR1 for the shell; the system that is simulated calls it 30, and this one knows 30 as another."""
    shell = HostShell(cwd=tmp_path)
    result = shell.run("sleep 20 & sleep 0.2; kill -USR1 $!; wait $!; echo $?")
    # the real number 30 kills, and is reported by the name that it has there
    assert result.stdout == f"{128 + from_native(30)}\n" == "138\n"


def test_programs_are_waited_for_and_pipelines_work(macos: None, tmp_path: Path) -> None:
    before = Left()
    shell = HostShell(cwd=tmp_path)
    lines = f'{PYTHON} -c \'print("x\\n" * 50000, end="")\''
    script = f"{lines} | cat | /usr/bin/wc -l | tr -d ' '; yes | head -n 1; echo ${{PIPESTATUS[0]}}; sh -c 'kill -9 $$'; echo $?"
    result = shell.run(script)
    assert result.stdout == "50000\ny\n141\n137\n"
    assert Left() <= before


def test_what_is_left_is_ended(macos: None, tmp_path: Path) -> None:
    """A grandchild that left its session and hears no signal is found by the mark in its environment."""
    (tmp_path / "stays.py").write_text(
        "import os, signal, time\nos.setsid()\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "open('pid', 'w').write(str(os.getpid()))\ntime.sleep(300)\n"
    )
    begun = time.monotonic()
    shell = HostShell(cwd=tmp_path, limits=Limits.generous().with_(wall_seconds=LONG))
    result = shell.run(f"sh -c '{PYTHON} stays.py & exit 0'; until [ -s pid ]; do sleep 0.02; done; cat pid")
    assert result.exit_status == 0
    assert (
        not psutil.pid_exists(int(result.stdout)) or psutil.Process(int(result.stdout)).status() == "zombie"
    )
    assert time.monotonic() - begun < LONG


def test_a_limit_ends_programs(macos: None, tmp_path: Path) -> None:
    before = Left()
    shell = HostShell(cwd=tmp_path, limits=Limits.generous().with_(wall_seconds=1))
    begun = time.monotonic()
    assert shell.run("sleep 300 | sleep 300 & sleep 300").limit == "wall_seconds"
    assert time.monotonic() - begun < LONG
    assert Left() <= before


def test_only_linux_adopts_orphans(macos: None, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="only Linux"):
        HostShell(cwd=tmp_path, host=Host(subreaper=True)).run(":")


def test_limits_that_the_system_lacks_are_the_shells(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import resource

    monkeypatch.delattr(resource, "RLIMIT_NICE", raising=False)
    monkeypatch.delattr(resource, "RLIMIT_RTPRIO", raising=False)
    shell = HostShell(cwd=tmp_path)
    assert shell.run("ulimit -e 0; ulimit -e; ulimit -r; /bin/echo ok").stdout == "0\n0\nok\n"


def test_the_machine_is_named_as_bash_does(monkeypatch: pytest.MonkeyPatch) -> None:
    from sandhook.host.convert import machine_facts

    known = os.uname_result(("Darwin", "mac", "23.6.0", "Darwin Kernel", "arm64"))
    monkeypatch.setattr(os, "uname", lambda: known)
    machine_facts.cache_clear()
    try:
        assert dict(machine_facts()) == {
            "HOSTNAME": "mac",
            "HOSTTYPE": "arm64",
            "MACHTYPE": "arm64-apple-darwin23",
            "OSTYPE": "darwin23",
        }
    finally:
        machine_facts.cache_clear()
