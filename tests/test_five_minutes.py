"""The first page as a newcomer follows it: every command in a real shell, with the program that was installed.

tests/test_docs.py compares the same commands within this process, in each run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.source import ROOT
from tests.test_docs import blocks, same_lines

PAGE = ROOT / "docs" / "start" / "five-minutes.md"

#: Ends the output of one command.
END = "\x01\n"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform == "win32" or not all(map(shutil.which, ("bash", "jq"))),
        reason="the page is followed with bash and jq of the machine",
    ),
]


def commands() -> list[tuple[str, list[str] | None]]:
    """Return the commands of the page, each with the lines that it prints; None if the page shows none."""
    found: list[tuple[str, list[str] | None]] = []
    for block in blocks(PAGE):
        assert block.name is None and block.language in ("console", "sh"), block.language
        if block.language == "sh":
            found += [(line, None) for line in block.text.splitlines()]
            continue
        for part in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
            command, *output = part.splitlines()
            found.append((command, output))
    return found


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return the environment of somebody who has just installed sandhook."""
    programs = tmp_path / "programs"
    programs.mkdir()
    installed = programs / "sandhook"
    installed.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m sandhook "$@"\n', encoding="utf-8", newline="\n"
    )
    installed.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    path = os.pathsep.join((str(programs), os.environ["PATH"]))
    return {"PATH": path, "HOME": str(home), "USERPROFILE": str(home), "LANG": "C.UTF-8"}


def run(script: str, project: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    return done.stdout


def test_the_page_leads_to_a_guarded_project(tmp_path: Path, environment: dict[str, str]) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "build").mkdir()
    steps = commands()
    script = "".join(f"(exit $s)\n{command}\ns=$?; printf '\\1\\n'\n" for command, _ in steps) + "exit $s\n"
    printed = run(f"s=0\n{script}", project, environment).split(END)
    assert len(printed) == len(steps) + 1 and printed[-1] == "", printed
    for (command, wanted), output in zip(steps, printed, strict=False):
        if wanted is not None:
            same_lines(output.splitlines(), wanted, f"{PAGE.name}: {command}")
    assert (project / "build").is_dir(), "nothing is removed"


def test_what_the_text_says_of_doctor_and_chaos(tmp_path: Path, environment: dict[str, str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    said = re.search(r"The last line is `([^`]+)`, and the exit status is (\d)\.", text)
    chaos = re.search(r"`(sandhook chaos [^`]+)`", text)
    assert said is not None and chaos is not None
    steps = [command for command, _ in commands() if "echo $?" not in command]
    assert steps[-1] == "sandhook doctor"
    run("\n".join(steps[:-1]), tmp_path, environment)
    doctor = run("sandhook doctor; echo $?", tmp_path, environment).splitlines()
    assert doctor[-2:] == [said[1], said[2]], doctor
    faults = run(f"{chaos[1]}; echo $?", tmp_path, environment).splitlines()
    assert faults[-1] == "0", faults
