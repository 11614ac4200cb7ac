"""The demonstration's text, as it is printed."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SNAPSHOT = Path(__file__).parent / "demo.txt"


def test_the_demonstration_prints_this(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "demo.py"), run_name="__main__")
    assert capsys.readouterr().out == SNAPSHOT.read_text(encoding="utf-8")


@pytest.mark.skipif(
    sys.platform == "win32", reason="doctor starts the hook as Claude Code does: by a system's sh"
)
def test_the_guard_of_the_settings_holds(capsys: pytest.CaptureFixture[str]) -> None:
    """What `make demo` shows: each command ends as its scene says."""
    runpy.run_path(str(EXAMPLES / "guard_settings.py"), run_name="__main__")
    shown, errors = capsys.readouterr()
    assert errors == ""
    places = [
        shown.index(part)
        for part in (
            "wrote hooks/claude_code/hooks.json",
            "all as expected",
            "1 hook(s) installed in ",
            "unchanged  claude_code  project  installed",
            "1 hook(s) of claude_code approved",
            "decision: refused",
            "decision: proceed",
            "1 hook, 1 proven on",
            "4 faults: no action passed",
            "PreToolUse[0]  claude_code  linux",
            "== Next",
        )
    ]
    assert places == sorted(places)
    assert "internal error" not in shown
