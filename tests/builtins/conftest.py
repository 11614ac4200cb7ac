"""Run a script in a fresh shell, and in the real bash with --oracle."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sandhook.limits import Limits
from sandhook.shell import Shell

WORKSPACE = "/workspace"
ENVIRONMENT = {"HOME": "/usr", "PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
LIMITS = Limits(wall_seconds=60.0)


class Outcome(NamedTuple):
    """What a script gave; the working directory is spelled /workspace."""

    status: int
    stdout: str
    stderr: str


class Case(NamedTuple):
    """One script with what bash 5.2 does with it."""

    script: str
    expected: Outcome


def run_ours(script: str) -> Outcome:
    """Run a script in the sandbox."""
    result = Shell(env=ENVIRONMENT, limits=LIMITS).run(script)
    return outcome(result.exit_status, result.stdout_bytes, result.stderr_bytes)


def run_bash(script: str) -> Outcome:
    """Run a script with the host's bash in an empty directory; fail when there is no bash."""
    bash = shutil.which("bash")
    assert bash, "--oracle: bash is not installed"
    with tempfile.TemporaryDirectory() as where:
        done = subprocess.run(
            ["bash", "-c", script],
            executable=bash,
            input=b"",
            capture_output=True,
            cwd=where,
            env=ENVIRONMENT,
            timeout=30,
            check=False,
        )
    status = 128 - done.returncode if done.returncode < 0 else done.returncode
    return outcome(status, done.stdout, done.stderr, where)


def outcome(status: int, stdout: bytes, stderr: bytes, cwd: str = WORKSPACE) -> Outcome:
    """Spell what may differ in one way: the directory, what -c calls the source of a function, and measured times."""
    texts = [data.decode("utf-8", "surrogateescape").replace(cwd, WORKSPACE) for data in (stdout, stderr)]
    errors = texts[1].replace("environment: line ", "bash: line ")
    errors = re.sub(r"^(real|user|sys)\t\d+m\d+\.\d{3}s$", r"\1\t0m0.000s", errors, flags=re.MULTILINE)
    errors = re.sub(r"^(real|user|sys) \d+\.\d\d$", r"\1 0.00", errors, flags=re.MULTILINE)
    return Outcome(status, texts[0], errors)


def read_cases(path: Path) -> Iterator[Case]:
    """Read a file of cases.

    A case is a script, then what differs from silence and success: ``## status N``,
    ``## stdout`` and ``## stderr`` followed by their lines. ``## stdout without newline`` says
    that the last line is not ended. ``####`` ends a case.
    """
    for text in path.read_text("utf-8").split("\n####\n"):
        if text.strip():
            yield _read_case(text)


def _read_case(text: str) -> Case:
    sections: dict[str, list[str]] = {"script": []}
    status = 0
    current = sections["script"]
    for line in text.split("\n"):
        if line.startswith("## status "):
            status = int(line[10:])
        elif line.startswith("## "):
            name = line[3:]
            assert name.removesuffix(" without newline") in ("stdout", "stderr"), f"unknown directive: {line}"
            current = sections[name] = []
        else:
            current.append(line)
    found = {"stdout": "", "stderr": ""}
    for name, lines in sections.items():
        if name != "script":
            stream = name.removesuffix(" without newline")
            found[stream] = "\n".join(lines) + ("\n" if stream == name else "")
    return Case("\n".join(sections["script"]), Outcome(status, found["stdout"], found["stderr"]))


def write_case(case: Case) -> str:
    """Return a case as ``read_cases`` reads it."""
    lines = [case.script]
    if case.expected.status:
        lines.append(f"## status {case.expected.status}")
    for name, text in (("stdout", case.expected.stdout), ("stderr", case.expected.stderr)):
        if text:
            ended = text.endswith("\n")
            lines.append(f"## {name}" + ("" if ended else " without newline"))
            lines.append(text[:-1] if ended else text)
    return "\n".join(lines) + "\n####\n"
