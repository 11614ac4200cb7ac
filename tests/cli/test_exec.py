"""``sandhook exec``: bytes in, bytes out, the script's exit status; the host stays out of reach."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandhook.cli import UsageError
from sandhook.cli.files import split_mount

Run = Callable[..., Any]


def test_streams_and_status_are_the_scripts(sandhook: Run) -> None:
    assert sandhook("exec", "-c", "cat; echo err >&2; exit 3", stdin=b"in\n") == (3, "in\n", "err\n")


def test_bytes_go_through_as_they_are(sandhook: Run) -> None:
    assert sandhook("exec", "-c", "cat", stdin=b"\xff\x00\r\n").stdout == "\udcff\0\r\n"


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["-c", 'echo "$0|$1|$#"'], "bash||0\n"),
        (["-c", 'echo "$0|$1|$#"', "name", "-x", "--env"], "name|-x|2\n"),
        (["-c", 'echo "$0|$1|$#"', "--", "name", "--"], "name|--|1\n"),
        (["--env", "A=1", "--env", "B=x=y", "-c", 'echo "$A $B"'], "1 x=y\n"),
        (["-c", "pwd"], "/workspace\n"),
        (["--cwd", "/tmp/new", "-c", "pwd"], "/tmp/new\n"),
        (
            ["-c", 'echo "$HOME $PATH $USER $SHELL"'],
            "/home/agent /usr/local/bin:/usr/bin:/bin agent /bin/bash\n",
        ),
        (["--env", "HOME=/tmp", "-c", "echo ~"], "/tmp\n"),
    ],
)
def test_arguments_and_environment(sandhook: Run, argv: list[str], stdout: str) -> None:
    ran = sandhook("exec", *argv)
    assert (ran.status, ran.stdout) == (0, stdout)


def test_a_file_is_the_script(sandhook: Run, tmp_path: Path) -> None:
    file = tmp_path / "script.sh"
    file.write_bytes(b'#!/bin/bash\r\necho "$1" $#\r\n')
    assert sandhook("exec", file, "a b", "-c").stdout == "a b 2\n"


def test_the_script_is_on_standard_input(
    sandhook: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-").write_text("echo file\n")
    script = b'echo "$0|$1|$#"; nosuch 2>&1; cat; exit 3\n'
    ran = sandhook("exec", "-", "a", "-c", stdin=script)
    assert (ran.status, ran.stdout) == (3, "bash|a|2\nbash: line 1: nosuch: command not found\n")
    assert sandhook("exec", "-").stdout == ""
    assert sandhook("exec", "./-").stdout == "file\n"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["/nosuch/file"], "exec: /nosuch/file: No such file or directory"),
        (["--env", "A", "-c", ":"], "--env A: wanted NAME=VALUE"),
        (["--env", "1=2", "-c", ":"], "--env 1=2: wanted NAME=VALUE"),
        (["--timeout", "0", "-c", ":"], "--timeout must be more than 0 seconds"),
        (
            ["--mount", "/tmp", "-c", ":"],
            "--mount /tmp: wanted HOST:VIRTUAL[:ro|overlay|rw] with an absolute VIRTUAL",
        ),
        (["--mount", "/nosuch:/m", "-c", ":"], "/nosuch: Not a directory"),
        (["--mount", "/tmp:/", "-c", ":"], "--mount /tmp:/: "),
    ],
)
def test_a_usage_error(sandhook: Run, argv: list[str], message: str) -> None:
    ran = sandhook("exec", *argv)
    assert ran.status == 2 and ran.stderr.startswith(f"sandhook: {message}")


def test_a_limit_is_told(sandhook: Run) -> None:
    ran = sandhook("exec", "--timeout", "30", "-c", "echo before; sleep 100")  # the clock of a run jumps
    assert ran == (124, "before\n", "sandhook: exec: limit reached: wall_seconds\n")


def test_a_script_that_does_not_parse_is_status_2(sandhook: Run) -> None:
    ran = sandhook("exec", "-c", "echo before\nif")
    assert (ran.status, ran.stdout) == (2, "before\n")
    assert "syntax error" in ran.stderr


def test_the_host_is_out_of_reach(sandhook: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_text("s3cret")
    monkeypatch.setenv("SECRET", "s3cret")
    script = f'cat {tmp_path}/secret; echo "$SECRET"; env; cat /proc/self/environ'
    assert "s3cret" not in sandhook("exec", "-c", script).stdout


def test_mounts(sandhook: Run, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old\n")
    script = "cat /m/f; echo new > /m/f && cat /m/f"
    assert sandhook("exec", "--mount", f"{tmp_path}:/m", "-c", script).stdout == "old\nnew\n"
    assert (tmp_path / "f").read_text() == "old\n"
    ran = sandhook("exec", "--mount", f"{tmp_path}:/m:ro", "-c", script)
    assert ran == (1, "old\n", "bash: line 1: /m/f: Read-only file system\n")
    assert sandhook("exec", "--mount", f"{tmp_path}:/m:rw", "-c", script).status == 0
    assert (tmp_path / "f").read_text() == "new\n"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("/a:/b", ("/a", "/b", "overlay")),
        ("/a:/b:ro", ("/a", "/b", "ro")),
        ("rel:/b/c:rw", ("rel", "/b/c", "rw")),
        ("C:\\work:/b:overlay", ("C:\\work", "/b", "overlay")),
        ("C:/work:/b", ("C:/work", "/b", "overlay")),
        ("/with:colon:/b", ("/with:colon", "/b", "overlay")),
    ],
)
def test_a_mount_has_three_parts(text: str, parts: tuple[str, str, str]) -> None:
    assert split_mount(text) == parts


@pytest.mark.parametrize("text", ["/a:/b:rx", ".:/x:wr", "/a:/b:", "C:/work:/b:RO"])
def test_a_mode_that_does_not_exist(text: str) -> None:
    with pytest.raises(UsageError, match="the mode must be one of ro, overlay, rw, not "):
        split_mount(text)


def test_a_mount_point_may_have_a_colon() -> None:
    assert split_mount("/a:/b:rx:ro") == ("/a", "/b:rx", "ro")


@pytest.mark.parametrize("text", ["/a", "/a:b", "/a:b:ro", ":/b", ""])
def test_what_is_no_mount(text: str) -> None:
    with pytest.raises(UsageError):
        split_mount(text)


# As a process.


def process(*argv: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "sandhook.cli", "exec", *argv],
        capture_output=True,
        timeout=30,
        check=False,
        **options,
    )


def test_a_process_with_no_standard_input() -> None:
    done = process("-c", "cat; echo ok", stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"ok\n", b"")


def test_a_reader_that_goes_away_ends_the_script() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "sandhook.cli", "exec", "-c", "while :; do echo y; done"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None and running.stderr is not None
        assert running.stdout.readline() == b"y\n"
        running.stdout.close()
        assert running.wait(20) == 141
        assert running.stderr.read() == b""


def test_an_endless_input_is_read_as_the_script_asks_for_it() -> None:
    """A writer that never ends, and one that never begins."""
    endless = [sys.executable, "-c", "while True: print('y' * 100)"]
    silent = [sys.executable, "-c", "import time; time.sleep(60)"]
    for writer, script, seconds, status, stdout in (
        (endless, "head -c 3", "60", 0, b"yyy"),
        (silent, "echo started; cat", "1", 124, b"started\n"),
    ):
        with subprocess.Popen(writer, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as source:
            command = [sys.executable, "-m", "sandhook.cli", "exec", "--timeout", seconds, "-c", script]
            done = subprocess.run(command, stdin=source.stdout, capture_output=True, check=False)
            source.kill()
        assert (done.returncode, done.stdout) == (status, stdout), done.stderr


def test_urls_are_reached_only_when_they_are_named(sandhook: Run) -> None:
    script = "curl -sS http://127.0.0.1:1/; echo $?"
    assert sandhook("exec", "-c", script).stdout == "6\n"
    assert sandhook("exec", "--allow-url", "http://127.0.0.1:1", "-c", script).stdout == "7\n"
    refused = sandhook("exec", "--allow-url", "http://a.example", "-c", script)
    assert "not on the list of URLs" in refused.stderr
    wrong = sandhook("exec", "--allow-url", "a.example", "-c", ":")
    assert (wrong.status, "--allow-url: 'a.example' is not an http or https URL" in wrong.stderr) == (2, True)
    assert sandhook("exec", "--allow-private", "-c", ":").status == 2


@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_steps_are_printed_after_the_script(sandhook: Run, isolation: str) -> None:
    options = ("--steps", "--isolation", isolation)
    ran = sandhook("exec", *options, "-c", 'x=$(echo "\x1b[2J"); f() { cat; }; echo 1 | f; false', stdin=b"")
    assert (ran.status, ran.stdout) == (1, "1\n")
    assert ran.stderr.splitlines() == [
        'main:1             0  x=$(echo "\\x1b[2J")',
        "                        x='\\x1b[2J'",
        'main:1             0    echo "\\x1b[2J"',
        "                          + echo '\\x1b[2J'",
        "main:1             0    echo 1",
        "                          | 1",
        "main:1             0    f",
        "f:1                0      cat",
        "                            > 1",
        "main:1             1  false",
    ]


def test_steps_on_this_machine(sandhook: Run, tmp_path: Path) -> None:
    ran = sandhook("exec", "--host", "--steps", "--cwd", tmp_path, "-c", "x=1; exit 3")
    assert (ran.status, ran.stderr.splitlines()[-1]) == (3, "main:1             3  exit 3")
