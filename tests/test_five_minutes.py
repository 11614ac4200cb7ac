"""The first page as a newcomer follows it: every command in a real shell, with the program that was installed.

tests/test_docs.py compares the same commands within this process, in each run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.source import ROOT
from tests.test_docs import blocks, same_lines

PAGE = ROOT / "docs" / "start" / "five-minutes.md"

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


def newcomer(directory: Path) -> dict[str, str]:
    """Return the environment of somebody who has a home and the scripts of this environment, and no settings."""
    home = directory / "home"
    home.mkdir()
    path = os.pathsep.join((sysconfig.get_path("scripts"), os.environ["PATH"]))
    # pip finds the package that is tested, and may ask no index
    pip = {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"}
    return {"PATH": path, "HOME": str(home), "USERPROFILE": str(home), "LANG": "C.UTF-8", **pip}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return newcomer(tmp_path)


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


def follow(project: Path, environment: dict[str, str]) -> None:
    """Run the commands of the page in a directory, one after the other in one shell, and compare what they print."""
    steps = commands()
    script = "".join(f"(exit $s)\n{command}\ns=$?; printf '\\1%d\\n' $s\n" for command, _ in steps)
    printed = re.split(r"\x01(\d+)\n", run(f"s=0\n{script}", project, environment))
    assert len(printed) == 2 * len(steps) + 1 and printed[-1] == "", printed
    for (command, wanted), output, status in zip(steps, printed[::2], printed[1::2], strict=False):
        if wanted is None:
            assert status == "0", f"{PAGE.name}: {command}: status {status}: {output}"
        else:
            same_lines(output.splitlines(), wanted, f"{PAGE.name}: {command}")


def test_the_page_begins_with_what_installs_it() -> None:
    first, *_ = commands()
    assert first == ("pip install sandhook", None)
    assert (Path(sysconfig.get_path("scripts")) / "sandhook").exists(), "the command that pip makes"


def test_the_page_leads_to_a_guarded_project(tmp_path: Path, environment: dict[str, str]) -> None:
    project = tmp_path / "project"
    (project / "build").mkdir(parents=True)
    follow(project, environment)
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
