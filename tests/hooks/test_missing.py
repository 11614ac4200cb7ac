"""A command that cannot be started, or that a signal ends, is no decision of a hook; a status of its own is one.

The interpreter records it: nothing is read from standard error.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from sandhook import HostCommand, HostShell, Shell
from sandhook.hooks.runner import as_ran
from sandhook.interp.result import Result

FILES = {
    "script": "#!/usr/bin/nosuch\n",
    "loop": "#!/workspace/loop\n",
    "binary": b"\x7fELF",
    "plain": "echo\n",
    "calls": "#!/bin/bash\nnosuch\n",
    "dies": "#!/bin/bash\nkill -9 $$\n",
}

#: Scripts whose last command cannot be started.
NOT_STARTED = [
    "nosuch",
    "nosuch 2>/dev/null",
    "exec 2>&-; nosuch",
    "./nosuch",
    "./script",
    "./loop",
    "./binary",
    "/workspace",
    "./plain/x",
    "./plain",
    "bash nosuch.sh",
    "sh -c nosuch",
    "bash -c 'nosuch; exit'",
    "./calls",
    "exec nosuch",
    "exec ./plain",
    "command nosuch",
    "env nosuch",
    "env nosuch 2>/dev/null",
    "nohup nosuch",
    "timeout 5 nosuch",
    "echo x | xargs nosuch",
    "(nosuch)",
    "{ nosuch; }",
    "x=$(nosuch)",
    "set -e; nosuch; exit 0",
    "nosuch || exit",
    "nosuch || exit $?",
    "f() { nosuch; return $?; }; f",
    "set -o pipefail; nosuch | cat",
    "cat </dev/null | nosuch",
    "trap 'echo bye' EXIT; nosuch",
    "eval nosuch",
    "nosuch & wait $!",
    "node x.js",
]

#: Scripts that have their status themselves.
STARTED = [
    "exit 127",
    "exit 126",
    "echo 'bash: line 1: x: command not found' >&2; exit 127",
    "echo 'refused: bad interpreter: no' >&2; exit 126",
    "(exit 127)",
    "bash -c 'exit 127'",
    "nosuch; exit 2",
    "nosuch; true",
    "nosuch || true",
    "nosuch || exit 3",
    "if ! nosuch; then exit 1; fi",
    "wait 9999",
    "command_not_found_handle() { return 127; }; nosuch",
]

SIGNALS = {
    "kill -9 $$": "KILL",
    "kill $$; sleep 1": "TERM",
    "kill -HUP $$; :": "HUP",
    "./dies": "KILL",
    "bash -c 'kill -INT $$'": "INT",
    "sh -c 'kill -KILL $$'; exit $?": "KILL",
}

NO_SIGNALS = [
    "exit 137",
    "trap 'exit 2' TERM; kill $$; :",
    "trap '' TERM; kill $$; exit 0",
    "bash -c 'kill -9 $$'; true",
    "sleep 9 & kill $!; exit 1",
    "timeout 0.1 sleep 5",
]


def sandbox() -> Shell:
    shell = Shell(files=FILES)
    shell.run("chmod +x script loop binary calls dies")
    return shell


@pytest.mark.parametrize("script", NOT_STARTED)
def test_what_cannot_be_started_could_not_run(script: str) -> None:
    ran = as_ran(sandbox().run(script))
    assert ran.exit_status in (126, 127)
    assert ran.missing
    assert ran.could_not_run == ran.missing


@pytest.mark.parametrize("script", STARTED)
def test_a_script_with_a_status_of_its_own_ran(script: str) -> None:
    ran = as_ran(sandbox().run(script))
    assert (ran.missing, ran.could_not_run) == (None, None)


@pytest.mark.parametrize("script", SIGNALS)
def test_what_a_signal_ends_could_not_run(script: str) -> None:
    ran = as_ran(sandbox().run(script))
    assert ran.signal == SIGNALS[script]
    assert ran.could_not_run == f"ended by signal {SIGNALS[script]}"


@pytest.mark.parametrize("script", NO_SIGNALS)
def test_a_script_that_survives_a_signal_ran(script: str) -> None:
    ran = as_ran(sandbox().run(script))
    assert (ran.signal, ran.could_not_run) == (None, None)


def test_standard_error_decides_nothing() -> None:
    text = b"bash: line 1: x: command not found\n"
    assert as_ran(Result(b"", text, 127)).missing is None
    assert as_ran(Result(b"", b"", 127, not_started="x: not found")).missing == "x: not found"


def test_the_message_is_that_of_the_shell() -> None:
    assert as_ran(Shell().run("node x.js")).missing == "bash: line 1: node: command not found"


# Host mode: the machine's own shells, whatever they are.


def shells() -> list[str]:
    """Return the real shells of this machine that hooks are written for."""
    return [name for name in ("/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh") if Path(name).exists()]


@pytest.mark.skipif(sys.platform == "win32", reason="shells of POSIX systems")
@pytest.mark.parametrize("shell", shells())
def test_a_real_shell_that_does_not_find_a_command_could_not_run(tmp_path: Path, shell: str) -> None:
    for name, text in (("missing", "nosuch_command\n"), ("gone", "/nosuch/command\n"), ("end", "exit 3\n")):
        (tmp_path / name).write_text(f"#!{shell}\n{text}")
        (tmp_path / name).chmod(0o755)
    host = HostShell(cwd=str(tmp_path))
    for script in (
        "./missing",
        "./gone",
        f"{shell} missing",
        f"{shell} -c nosuch_command",
        "./missing || exit $?",
    ):
        ran = as_ran(host.run(script))
        assert (ran.exit_status, bool(ran.missing)) == (127, True), script
    assert as_ran(host.run("./end")).could_not_run is None


@pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("sleep") is None, reason="signals of POSIX systems"
)
@pytest.mark.parametrize("shell", shells())
def test_a_real_program_that_a_signal_ends_could_not_run(tmp_path: Path, shell: str) -> None:
    (tmp_path / "dies").write_text(f"#!{shell}\nkill -KILL $$\n")
    (tmp_path / "dies").chmod(0o755)
    host = HostShell(cwd=str(tmp_path))
    for script in ("./dies", "./dies; exit $?", "true; ./dies"):
        assert as_ran(host.run(script)).could_not_run == "ended by signal KILL", script
    assert as_ran(host.run("./dies; true")).could_not_run is None


def test_a_program_that_a_caller_allows_and_the_machine_lacks_could_not_run() -> None:
    command = HostCommand("nosuch_program", ["-x"])
    for script, status in (("nosuch_program -x", 127), ("nosuch_program -y", 126)):
        ran = as_ran(Shell(utilities=[command]).run(script))
        assert (ran.exit_status, bool(ran.missing)) == (status, True)
