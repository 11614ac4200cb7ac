"""The project of the first page with the real Claude Code in it, and a model server on the loopback address.

Only the model is not the real one: it calls what the script below says.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("claude_agent_sdk", reason="claude-agent-sdk is not installed: make test-bridges")

from tests import test_five_minutes
from tests.bridges.test_claude_agent_sdk import BUNDLED, texts
from tools.agents.recorder.model import ModelServer

pytestmark = [
    *(mark for mark in test_five_minutes.pytestmark if mark.name != "slow"),
    pytest.mark.skipif(
        not BUNDLED.exists() and shutil.which("claude") is None, reason="there is no CLI claude"
    ),
]

#: Refused by the guard; were it not, it would remove nothing, because nothing has this name.
REFUSED = "rm -rf /no-such-directory-of-sandhook/part"
REASON = "rm -r /no-such-directory-of-sandhook/part would remove more than a part of the project"
ALLOWED = "rm -rf build && echo removed"


def claude(project: Path, environment: dict[str, str], script: list[Any]) -> ModelServer:
    """Run Claude Code in a directory without a terminal; return the model server with its requests."""
    program = str(BUNDLED) if BUNDLED.exists() else "claude"
    with ModelServer(script, {}) as model:
        done = subprocess.run(
            [program, "-p", "tidy up", "--model", "claude-sonnet-4-5", "--allowedTools", "Bash"],
            cwd=project,
            env={
                **environment,
                "ANTHROPIC_BASE_URL": model.url,
                "ANTHROPIC_API_KEY": "sk-ant-made-up",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
                "DISABLE_TELEMETRY": "1",
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return model


@pytest.mark.parametrize("is_guarded", [True, False], ids=["guarded", "without the page"])
def test_the_guard_of_the_page_is_on_in_claude_code(is_guarded: bool, tmp_path: Path) -> None:
    environment = test_five_minutes.newcomer(tmp_path)
    project = tmp_path / "project"
    (project / "build").mkdir(parents=True)
    if is_guarded:
        test_five_minutes.follow(project, environment)
    calls = [
        {"tool": "Bash", "input": {"command": command, "description": "t"}} for command in (REFUSED, ALLOWED)
    ]
    said = texts(claude(project, environment, [*calls, {"text": "done"}]).requests[-1])
    assert (REASON in said) is is_guarded, said
    assert "removed" in said and not (project / "build").exists(), said
    assert not os.path.lexists("/no-such-directory-of-sandhook")
