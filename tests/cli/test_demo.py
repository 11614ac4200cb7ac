"""The demonstration's text, as it is printed."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SNAPSHOT = Path(__file__).parent / "demo.txt"


def test_the_demonstration_prints_this(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "demo.py"), run_name="__main__")
    assert capsys.readouterr().out == SNAPSHOT.read_text(encoding="utf-8")
