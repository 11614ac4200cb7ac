"""/proc shows the virtual processes of the run, and nothing of the host."""

from __future__ import annotations

import os

import pytest

from sandhook import Shell
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import VirtualPath

CASES = [
    ("cat /proc/self/comm /proc/$$/comm", "cat\nbash\n"),
    ("read -r name < /proc/self/comm; echo $name", "bash\n"),
    ("bash -c 'tr \"\\0\" \" \" < /proc/$$/cmdline' x 'a b'", 'bash -c tr "\\0" " " < /proc/$$/cmdline x a b '),
    ("awk '/^P?Pid:/ {print $2}' /proc/$$/status", "1000\n1\n"),
    ("read -r pid comm state ppid rest < /proc/$$/stat; echo $pid $comm $ppid; set -- $rest; echo $#", "1000 (bash) 1\n48\n"),
    ("cd /tmp; readlink /proc/$$/cwd /proc/self/exe /proc/self/root; cd /proc/self/cwd; pwd -P", "/tmp\n/usr/bin/readlink\n/\n/tmp\n"),
    ("tr '\\0' '\\n' < /proc/self/environ | grep ^HOME", "HOME=/home/agent\n"),
    ("X=secret; export X; grep -c secret /proc/self/environ", "0\n"),
    ("[ -d /proc/$$ ]; echo $?; [ -e /proc/4242 ]; echo $?; [ -e /proc/x ]; echo $?", "0\n1\n1\n"),
    ("sleep 9 & [ -d /proc/$! ] && echo there; kill $!; wait $! 2>/dev/null; [ -d /proc/$! ] || echo gone", "there\ngone\n"),
    ("echo /proc/[0-9]*; ls -d /proc/[0-9]* | wc -l", "/proc/1000\n2\n"),
    ("exec 7< /dev/null; echo /proc/self/fd/*; ls /dev/fd/; [ -e /proc/$$/fd/7 ]; echo $?; [ -e /dev/fd/8 ]; echo $?",
     "/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/7\n0\n1\n2\n7\n0\n1\n"),
    ("echo a > /proc/self/fd/1; (echo b > /proc/$$/fd/1); cat /proc/self/fd/0 <<< c; cat 3<<< d < /dev/fd/3", "a\nb\nc\nd\n"),
    ("stat -c '%F %a' /proc/self/status /proc/$$ /proc/$$/cwd", "regular file 444\ndirectory 555\nsymbolic link 777\n"),
    ("find /proc/self/ -name st\\*; cp /proc/self/comm /tmp/c; cat /tmp/c", "/proc/self/stat\n/proc/self/status\ncp\n"),
]  # fmt: skip


@pytest.mark.parametrize(("script", "stdout"), CASES)
def test_a_script_reads_its_processes(script: str, stdout: str) -> None:
    result = Shell().run(script)
    assert (result.stdout, result.stderr) == (stdout, "")


@pytest.mark.parametrize(
    "script",
    [
        "echo x > /proc/$$/comm",
        "rm -f /proc/$$/comm",
        "chmod u+w /proc/self; rm -f /proc/self/comm",
        "chmod u+w /proc/self; mv /proc/self/comm /tmp/x",
        "ln /proc/self/environ /tmp/x",
        "mkdir /proc/5",
        "rmdir /proc/$$",
        "cat /proc/1/environ",
        f"cat /proc/{os.getpid()}/cmdline",
    ],
)
def test_nothing_of_it_can_be_changed_kept_or_found_on_the_host(script: str) -> None:
    result = Shell().run(script)
    assert (
        result.exit_status != 0 and result.stderr and not result.stdout and "Traceback" not in result.stderr
    )


def test_the_host_sees_no_processes_and_copies_keep_the_files() -> None:
    shell = Shell()
    shell.run("cat /proc/$$/comm; echo x > /tmp/x")
    assert isinstance(shell.fs, MemoryFileSystem)
    assert "1000" not in {entry.name for entry in shell.fs.listdir(VirtualPath("/proc"))}
    assert not shell.fs.exists("/proc/1000") and not shell.fs.exists("/proc/self/comm")
    assert shell.fs.read_bytes("/proc/self/cgroup") == b"0::/\n"
    restored = MemoryFileSystem()
    restored.restore(shell.fs.snapshot())
    for fs in (restored, shell.fs.fork()):
        assert Shell(fs=fs).run("cat /proc/self/comm; head -n 1 /proc/self/mounts").exit_status == 0
