"""``sandhook exec --host``: on this machine, on this process's own streams."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from sandhook.cli import main

PYTHON = f'"{Path(sys.executable).as_posix()}"'


def sandhook(*arguments: str, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "sandhook.cli", "exec", "--host", *arguments],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        timeout=60,
        check=False,
    )


def test_a_script_runs_where_it_stands_on_the_streams_of_the_command(tmp_path):
    script = f"read -r first; echo \"$first\"; {PYTHON} -c 'import sys; print(sys.stdin.read().strip())'; echo err >&2; exit 3"
    ran = sandhook("-c", script, cwd=tmp_path, stdin=b"one\ntwo\n")
    assert (ran.returncode, ran.stdout.split(), ran.stderr) == (3, [b"one", b"two"], b"err\n")


def test_a_file_with_arguments(tmp_path):
    (tmp_path / "s.sh").write_bytes(b'echo "$0 $1"; ls\n')
    ran = sandhook("s.sh", "a b", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"s.sh a b\ns.sh\n", b"")


def test_a_limit_is_named(tmp_path):
    ran = sandhook("--timeout", "0.5", "-c", f"{PYTHON} -c 'import time; time.sleep(60)'", cwd=tmp_path)
    assert ran.returncode == 124
    assert ran.stderr.endswith(b"sandhook: exec: limit reached: wall_seconds\n")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGPIPE")
def test_a_reader_that_goes_away_ends_the_script(tmp_path):
    line = f"{sys.executable} -m sandhook.cli exec --host -c 'while :; do echo y; done' | head -n 1"
    ran = subprocess.run(
        ["bash", "-c", f"{line}; echo ${{PIPESTATUS[0]}}"], capture_output=True, timeout=60, check=False
    )
    assert ran.stdout == b"y\n141\n"


def test_streams_that_are_not_the_processes_are_used_as_they_are(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert main(["exec", "--host", "-c", f"echo ours; {PYTHON} -c 'print(1)'; echo two >&2"]) == 0
    captured = capsysbinary.readouterr()
    assert (captured.out.split(), captured.err) == ([b"ours", b"1"], b"two\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "--mount", ".:/x", "-c", ":"], "--mount is for the sandbox"),
        (["--prefer", "own", "-c", ":"], "--prefer: only with --host"),
        (
            ["--own-shell", "never", "--keep-env", "X", "-c", ":"],
            "--own-shell, --keep-env: only with --host",
        ),
        (["--host", "--cwd", "no-such-dir", "-c", ":"], "--cwd: host: cwd: "),
        (["--host", "--timeout", "0", "-c", ":"], "--timeout must be more than 0 seconds"),
    ],
)
def test_what_does_not_go_together_is_named(arguments, message, capsys):
    assert main(["exec", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_variable_that_loads_code_is_kept_when_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("NODE_OPTIONS", "--x")
    assert sandhook("-c", "echo [$NODE_OPTIONS]", cwd=tmp_path).stdout == b"[]\n"
    assert (
        sandhook("--keep-env", "NODE_OPTIONS", "-c", "echo [$NODE_OPTIONS]", cwd=tmp_path).stdout
        == b"[--x]\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="the program that stands for bash is a script")
@pytest.mark.parametrize(
    ("own_shell", "with_bash", "without"),
    [("never", b"theirs\n", b"127\n"), ("missing", b"theirs\n", b"ours\n"), ("always", b"ours\n", b"ours\n")],
)
def test_who_runs_scripts_for_bash(own_shell, with_bash, without, tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    (tmp_path / "hook").write_text("#!/no/such/bash\necho ours\n")
    run = ["--env", f"PATH={programs}", "--own-shell", own_shell, "-c", "./hook || echo $?"]
    assert sandhook(*run, cwd=tmp_path).stdout == without
    (programs / "bash").write_text("#!/bin/sh\necho theirs\n")
    (programs / "bash").chmod(0o755)
    assert sandhook(*run, cwd=tmp_path).stdout == with_bash
    for line in (
        "bash ./hook",
        "bash -c 'echo ours'",
        "command bash hook",
        "(exec bash hook)",
        "type -P x; bash < hook",
    ):
        assert sandhook(*run[:-1], line, cwd=tmp_path).stdout == with_bash, line


@pytest.mark.skipif(sys.platform == "win32", reason="needs the machine's own programs")
@pytest.mark.parametrize("shell", ["bash", "/bin/bash", "sh", "/bin/sh"])
def test_always_means_the_words_of_shells_too(shell: str, tmp_path: Path) -> None:
    """The machine's shells have a real process in $$, and dash has no arrays."""
    script = f"""{shell} -c 'a=(1 2); echo "${{#a[@]}} $(( $$ >= 8388608 )) $0"' name"""
    assert sandhook("--own-shell", "always", "-c", script, cwd=tmp_path).stdout == b"2 1 name\n"
