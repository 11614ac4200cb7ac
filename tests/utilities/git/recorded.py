"""Recorded command lines of the real git: reads them, runs them in the sandbox, and records them anew.

``python -m tests.utilities.git.recorded [FILE...]`` writes what the real git prints. A file of ``cases/`` is text::

    #### project: git status -s
    |  M src/main.c
    ! fatal: a line of standard error
    = 128

Each case begins with a fresh copy of a repository of ``repositories.py``. Odd bytes are escaped, and ``\\c`` at the end
of a line says that there is no newline.
"""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from sandhook import Limits, Shell
from sandhook.vfs.memory import MemoryFileSystem
from tests.utilities.git.repositories import HERE, unpack

CASES = HERE / "cases"
LIMITS = Limits(wall_seconds=60.0, output_bytes=4 << 20)
ENVIRONMENT = {
    "HOME": "/nonexistent",
    "TZ": "UTC0",
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ann Author",
    "GIT_AUTHOR_EMAIL": "ann@example.com",
    "GIT_COMMITTER_NAME": "Ann Author",
    "GIT_COMMITTER_EMAIL": "ann@example.com",
    "GIT_AUTHOR_DATE": "1700100000 +0100",
    "GIT_COMMITTER_DATE": "1700100000 +0100",
    "GIT_PAGER": "cat",
}
_ODD = re.compile(r"[\\\x00-\x08\x0b-\x1f\x7f\udc80-\udcff]")


class Outcome(NamedTuple):
    """What a command line printed, and its exit status."""

    stdout: str
    stderr: str
    status: int


class Case(NamedTuple):
    """A command line, and what git does with it."""

    repository: str
    command: str
    wanted: Outcome


# --------------------------------------------------------------------------- text


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return "\\\\" if match[0] == "\\" else f"\\x{code & 0xFF:02x}"


def _plain(match: re.Match[str]) -> str:
    if match[0] == "\\\\":
        return "\\"
    code = int(match[1], 16)
    return chr(code if code < 128 else 0xDC00 + code)


def _lines(mark: str, text: str) -> list[str]:
    rows = text.split("\n")
    last = rows.pop()
    result = [f"{mark} {_ODD.sub(_escape, row)}" for row in rows]
    return [*result, f"{mark} {_ODD.sub(_escape, last)}\\c"] if last else result


def _text(rows: list[str]) -> str:
    whole = "".join(
        row[2:-2] if row.endswith("\\c") and not row.endswith("\\\\c") else row[2:] + "\n" for row in rows
    )
    return re.sub(r"\\\\|\\x([0-9a-f]{2})", _plain, whole)


def read(path: Path) -> list[Case]:
    """Return the cases of a file."""
    cases = []
    for block in path.read_bytes().decode("utf-8").split("#### ")[1:]:
        head, *rows = block.rstrip("\n").split("\n")
        repository, _, command = head.partition(": ")
        by_mark: dict[str, list[str]] = {"|": [], "!": [], "=": []}
        for row in rows:
            by_mark[row[:1]].append(row)
        status = int(by_mark["="][0][2:]) if by_mark["="] else 0
        cases.append(Case(repository, command, Outcome(_text(by_mark["|"]), _text(by_mark["!"]), status)))
    return cases


def write(path: Path, cases: list[Case]) -> None:
    """Write the cases of a file."""
    rows = []
    for repository, command, wanted in cases:
        rows += [f"#### {repository}: {command}", *_lines("|", wanted.stdout), *_lines("!", wanted.stderr)]
        rows += [f"= {wanted.status}"] if wanted.status else []
    path.write_bytes("".join(f"{row}\n" for row in rows).encode())


# --------------------------------------------------------------------------- runs


@functools.cache
def _files(name: str) -> MemoryFileSystem:
    """Return a repository in memory, which copies are made of."""
    fs = MemoryFileSystem(quota_bytes=64 << 20)
    data = (HERE / f"{name}.tar.xz").read_bytes()
    shell = Shell(fs=fs, files={"/tmp/r.tar.xz": data}, limits=LIMITS)
    result = shell.run("tar -xJf /tmp/r.tar.xz; rm /tmp/r.tar.xz")
    assert result.exit_status == 0, result.stderr
    return fs


def sandbox(name: str) -> Shell:
    """Return a shell in a copy of a repository, where git may write: a fork, whose look-ups cost half of an overlay's."""
    return Shell(fs=_files(name).fork(), env=ENVIRONMENT, git_writes=True, limits=LIMITS)


def ours(case: Case) -> Outcome:
    """Run a case in the sandbox."""
    result = sandbox(case.repository).run(case.command)
    assert result.defect is None and result.limit is None, (case.command, result.limit, result.defect)
    return Outcome(result.stdout, result.stderr, result.exit_status)


def real(case: Case) -> Outcome:
    """Run a case with the real git, whose directory is shown as /workspace."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = os.path.join(os.path.realpath(temporary), "workspace")
        unpack(case.repository, Path(directory))
        # `git config --global KEY VALUE` renames a new file over this one, which must therefore never be a device.
        settings = Path(temporary, "gitconfig")
        settings.touch()
        environment = {**ENVIRONMENT, "PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": str(settings)}
        for arguments in (["git", "update-index", "-q", "--refresh"], ["bash", "-c", case.command]):
            result = subprocess.run(
                arguments, cwd=directory, env=environment, capture_output=True, check=False
            )
        texts = [
            stream.decode("utf-8", "surrogateescape").replace(directory, "/workspace")
            for stream in (result.stdout, result.stderr)
        ]
    return Outcome(texts[0], texts[1], result.returncode)


if __name__ == "__main__":
    for each in [Path(name) for name in sys.argv[1:]] or sorted(CASES.glob("*.txt")):
        write(each, [case._replace(wanted=real(case)) for case in read(each)])
