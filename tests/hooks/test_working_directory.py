"""The directory of an event exists in the sandbox, wherever it is on the agent's machine."""

from __future__ import annotations

import pytest

from sandhook.hooks import HookEngine, SandboxRunner, ToolPre
from sandhook.hooks.sources import Document
from sandhook.isolation.arguments import Isolation
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.overlay import OverlayFileSystem

SCRIPT = "pwd >&2; echo x > made && [ -f made ]; exit 2"
CONFIGURATION = {
    "hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": SCRIPT}]}]}
}


@pytest.mark.parametrize("cwd", ["/workspace", "/home/me/project", "/srv/a/b", "/c/users/me", "/tmp/x"])
@pytest.mark.parametrize("layer", ["user", "project", "bundle"])
@pytest.mark.parametrize("isolation", [None, "thread"])
def test_a_hook_runs_in_the_directory_of_its_event(cwd: str, layer: str, isolation: Isolation | None) -> None:
    for fs in (None, MemoryFileSystem(), OverlayFileSystem(MemoryFileSystem())):
        engine = HookEngine.load(
            [Document(CONFIGURATION, layer=layer, contract="claude_code")],
            trust=lambda spec: spec,
            runner=SandboxRunner(fs=fs, isolation=isolation),
        )
        decision = engine.fire(ToolPre("Bash", {"command": "ls"}, cwd=cwd))
        ran = decision.outcomes[0].ran
        assert ran is not None and ran.failure is None
        assert (ran.exit_status, ran.stderr.decode()) == (2, f"{cwd}\n")
