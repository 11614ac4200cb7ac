"""Scripts that bash ran in a small project: what they executed is evidence, or something is listed as unknown.

``tables/executed.json`` has a row for each script: its text, and the files of the project that it executed, as
recorded with bash 5.2 and the GNU tools. A row stands for a way to execute a file that a reader may overlook.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sandhook.hooks.evidence import Evidence, examine
from sandhook.hooks.model import Executor, HookSpec
from sandhook.hooks.trust import HostMachine
from tests.hooks.executedtools import build

BASH = shutil.which("bash")

ROWS: list[tuple[str, list[str]]] = [
    (text, executed)
    for text, executed in json.loads(
        (Path(__file__).parent / "tables" / "executed.json").read_text(encoding="utf-8")
    )
]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the paths and links of POSIX")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("executed") / "p"
    build(root)
    return root


def evidence(text: str, project: Path) -> Evidence:
    spec = HookSpec("h", "tool.pre", "PreToolUse", Executor("bash", text))
    return examine(spec, "crush", str(project), str(project.parent), HostMachine())


def test_what_bash_executed_is_evidence_or_something_is_unknown(project: Path) -> None:
    missed = []
    for text, executed in ROWS:
        found = evidence(text, project)
        known = {file.path for file in found.files} | {str(Path(file.path).resolve()) for file in found.files}
        if not found.unknown and not {str(project / name) for name in executed} <= known:
            missed.append(text)
    assert missed == []
    assert len(ROWS) > 900


@pytest.mark.skipif("BASH is None and not config.option.oracle", reason="bash is the oracle")
@pytest.mark.parametrize("row", range(7, len(ROWS), 97))
def test_the_table_is_what_bash_executes(row: int, tmp_path: Path) -> None:
    text, executed = ROWS[row]
    root = tmp_path / "p"
    build(root)
    log = tmp_path / "log"
    environment = {"PATH": "/usr/bin:/bin", "LOG": str(log), "HOME": str(tmp_path), "TERM": "dumb"}
    subprocess.run(
        ["bash", "-c", text],
        cwd=root,
        env=environment,
        capture_output=True,
        timeout=30,
        stdin=subprocess.DEVNULL,
    )
    assert {str(root / name) for name in executed} <= set(log.read_text().split())
