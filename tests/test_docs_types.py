"""The Python blocks of README and of the documentation pass ``mypy --strict``, in one run over all pages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.source import ROOT
from tests.test_docs import PAGES, Block, blocks

CONFIGURATION = "[mypy]\nstrict = true\npython_version = 3.11\n"


def program(several: list[Block]) -> str:
    """Return the Python blocks of a page as one program, whose lines have the numbers of the page."""
    lines: list[str] = []
    for block in several:
        lines += [""] * (block.line - 1 - len(lines)) + block.text.splitlines()
    return "\n".join(lines) + "\n"


def checked(programs: dict[str, str], directory: Path) -> list[str]:
    """Return what mypy reports, as ``NAME:LINE: error: ...``."""
    (directory / "mypy.ini").write_text(CONFIGURATION)
    for name, text in programs.items():
        (directory / name).write_text(text, encoding="utf-8")
    shared = ROOT / ".mypy_cache"
    cache = (shared if shared.is_dir() else directory) / "docs"
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", str(cache), *programs]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout.splitlines()


def test_examples_are_well_typed(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="the laboratory of Windows has no mypy")
    programs = {}
    for page in PAGES:
        python = [block for block in blocks(page) if block.language == "python"]
        if python:
            name = page.relative_to(ROOT).with_suffix("").as_posix()
            programs["".join(c if c.isalnum() else "_" for c in name) + ".py"] = program(python)
    assert len(programs) > 25
    programs["wrong.py"] = (
        'from sandhook import Shell\n\n\nShell(env={"A": 1})\n'  # the check itself is checked
    )
    reported = checked(programs, tmp_path)
    assert [line.partition(": error:")[0] for line in reported if ": error:" in line] == ["wrong.py:4"], (
        "\n".join(reported)
    )
