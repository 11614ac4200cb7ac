"""Executable files in the sandbox and on Linux: the same "#!" lines, the same outputs and messages.

Each script runs by its path in bash, and by utilities that call execvp. On Linux both are also run by the
machine's bash and kernel, which have the last word.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sandhook import Shell
from tests.machine import has_bash_5_2

COMMANDS = "./s a 'b c'; echo =$?; env ./s q; echo =$?; echo z | xargs ./s; echo =$?; timeout 9 ./s; echo =$?"

#: Files next to the script: interpreters that are scripts themselves, and files that are not scripts.
HELPERS = {
    "interp": b'#!/bin/sh\necho INTERP "$0" "$@"\n',
    "text": b'echo TEXT "$@"\n',
    "elf": b"\x7fELFxx",
    "empty": b"",
    "missing": b"#!/nosuchinterp\n",
    "level1": b"#!/bin/echo level1\n",
    **{f"level{n}": b"#!./level%d level%d\n" % (n - 1, n) for n in range(2, 7)},
}

SCRIPTS = {
    "one argument, with the blanks inside it": b"#!/bin/echo  a  \t b  \nx\n",
    "tabs": b"#!\t/bin/echo\ta\n",
    "blanks only": b"#!/bin/echo  \t \nx\n",
    "no newline": b"#!/bin/echo",
    "a relative interpreter": b"#!interp  x\n",
    "bytes that are not UTF-8": b"#!/bin/echo \xff\xe9\nx",
    "env -S": b"#!/usr/bin/env -S echo a  b\n",
    "nothing after #!": b"#!\necho hi\n",
    "only blanks after #!": b"#! \t\necho hi $1\n",
    "a NUL after the interpreter": b"#!/bin/cat\0x\nhi\n",
    "a NUL in the argument": b"#!/bin/echo a b\0x\nhi\n",
    "a NUL at once": b"#!\0/bin/echo\necho hi\n",
    "a NUL after blanks": b"#! \0/bin/echo\necho hi\n",
    "an argument that is cut": b"#!/bin/echo " + b"x" * 400 + b"\nx\n",
    "254 bytes": b"#!/bin/echo " + b"y" * 242 + b"\n",
    "255 bytes": b"#!/bin/echo " + b"y" * 243 + b"\n",
    "256 bytes": b"#!/bin/echo " + b"y" * 244 + b"\n",
    "an interpreter that is too long": b"#!/" + b"x" * 400 + b"\necho hi\n",
    "an interpreter that just fits": b"#!" + b"/" * 245 + b"bin/echo\n",
    "an interpreter without #!": b"#!./text\necho A $1\n",
    "an interpreter that is a damaged program": b"#!./elf\necho A\n",
    "an empty interpreter": b"#!./empty\necho A\n",
    "an interpreter that is not executable": b"#!/etc/passwd\necho A\n",
    "an interpreter that is a directory": b"#!/tmp\necho A\n",
    "an interpreter that is missing": b"#!/nosuch\necho A\n",
    "an interpreter whose interpreter is missing": b"#!./missing\nx",
    "an interpreter below a file": b"#!./text/x\necho A\n",
    "its own interpreter": b"#!./s\necho A\n",
    "five interpreters": b"#!./level4 s\n",
    "six interpreters": b"#!./level5 s\n",
    "an empty file": b"",
}

#: What only bash runs as the test expects: elsewhere another sh reads the file.
BY_BASH = {
    "a byte order mark": b"\xef\xbb\xbf#!/bin/sh\necho hi $1\n",
    "a NUL in the first line": b"a\0b\n",
    "a NUL in the second line": b"echo q\na\0b\n",
    "a NUL in the line after an empty #!": b"#!\n\0",
}


def sandboxed(script: bytes, commands: str) -> tuple[bytes, bytes]:
    files = {f"/workspace/{name}": data for name, data in {**HELPERS, "s": script}.items()}
    files["/etc/passwd"] = b""
    result = Shell(files=files).run("chmod +x *; " + commands)
    return (
        result.stdout.encode("utf-8", "surrogateescape"),
        result.stderr.encode("utf-8", "surrogateescape"),
    )


def real(place: Path, script: bytes, commands: str) -> tuple[bytes, bytes]:
    for name, data in {**HELPERS, "s": script}.items():
        (place / name).write_bytes(data)
        (place / name).chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", commands],
        cwd=place,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    return done.stdout, done.stderr


on_linux = pytest.mark.skipif(
    sys.platform != "linux" or not has_bash_5_2(), reason="compares with Linux's kernel and bash 5.2"
)


@on_linux
@pytest.mark.parametrize("name", SCRIPTS)
def test_every_way_is_that_of_linux(name: str, tmp_path: Path) -> None:
    assert sandboxed(SCRIPTS[name], COMMANDS) == real(tmp_path, SCRIPTS[name], COMMANDS)


@on_linux
@pytest.mark.parametrize("name", BY_BASH)
def test_bash_runs_what_the_kernel_refuses(name: str, tmp_path: Path) -> None:
    commands = "./s a 'b c'; echo $?"
    assert sandboxed(BY_BASH[name], commands) == real(tmp_path, BY_BASH[name], commands)


@pytest.mark.parametrize(
    ("script", "stdout", "stderr"),
    [
        (b"#!\necho hi\n", b"hi\n0\n", b""),
        (
            b"\xef\xbb\xbf#!/bin/sh\necho hi\n",
            b"hi\n0\n",
            b"./s: line 1: \xef\xbb\xbf#!/bin/sh: No such file or directory\n",
        ),
        (b"#!./text\necho mine\n", b"mine\n0\n", b""),
        (b"#!\0x\n", b"126\n", b"bash: ./s: : bad interpreter: Permission denied\n"),
        (b"#!/bin/echo a b\0c\n", b"a b ./s\n0\n", b""),
        (b"#!/nosuch\n", b"127\n", b"bash: line 1: ./s: cannot execute: required file not found\n"),
        (b"#!/opt/x/bash\r\necho hi\n", b"hi\n0\n", b""),  # L-SHEBANG-001
    ],
)
def test_runs_by_its_first_line(script: bytes, stdout: bytes, stderr: bytes) -> None:
    assert sandboxed(script, "./s; echo $?") == (stdout, stderr)


@pytest.mark.parametrize(
    ("command", "message", "status"),
    [
        ("env ./s", "env: './s'", 127),
        ("nice ./s", "nice: './s'", 127),
        ("xargs ./s", "xargs: ./s", 127),
        ("timeout 1 ./s", "timeout: failed to run command './s'", 127),
        ("nohup ./s", "nohup: failed to run command './s'", 127),
        ("stdbuf -o0 ./s", "stdbuf: failed to run command './s'", 127),
        ("setsid ./s", "setsid: failed to execute ./s", 127),
        ("flock f ./s", "flock: failed to execute ./s", 69),
        ("chronic ./s", "chronic: ./s", 127),
        ("run-parts d", "run-parts: failed to exec d/s", 1),
        ("find s -exec ./{} \\;", "find: './s'", 0),
    ],
)
def test_utilities_report_a_missing_interpreter_in_their_own_words(
    command: str, message: str, status: int
) -> None:
    stdout, stderr = sandboxed(b"#!/nosuch\n", f"mkdir d; cp s d; {command}; echo $?")
    assert stdout == b"%d\n" % status
    assert stderr.splitlines()[0] == f"{message}: No such file or directory".encode()


def test_a_missing_program_of_the_host_is_named_after_the_message() -> None:
    _, stderr = sandboxed(b"#!/usr/bin/python3\n", "env ./s")
    first, second = stderr.decode().splitlines()
    assert first == "env: './s': No such file or directory"
    assert second.startswith("sandhook: the sandbox has no python3, ")


@pytest.mark.parametrize("line", [b"#!/bin/bash\r\n", b"#!/usr/bin/env bash\r\n", b"#!/bin/bash -e\r\n"])
def test_without_crlf_a_carriage_return_belongs_to_the_line(line: bytes) -> None:
    files = {"a.sh": line + b"echo ran\n"}
    assert Shell(files=files).run("./a.sh").stdout == "ran\n"
    result = Shell(files=files, crlf=False).run("./a.sh")
    assert result.stdout == ""
    assert result.exit_status == 127 or (b"-e" in line and result.exit_status != 0)
