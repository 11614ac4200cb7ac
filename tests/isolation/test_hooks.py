"""Which hooks run in worker processes, and what they and their failures look like to the agent."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

import pytest

from sandhook.errors import IsolationError
from sandhook.hooks.contracts import Document
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.events import ToolPre
from sandhook.hooks.runner import SandboxRunner
from sandhook.isolation import remote
from sandhook.isolation.arguments import Isolation
from sandhook.isolation.pool import pool_for
from sandhook.limits import Limits
from sandhook.net.network import Network
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


def settings(command: str) -> dict[str, Any]:
    return {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}


@pytest.fixture
def isolated_runs(monkeypatch) -> list[str]:
    """Return the scripts that are sent to workers."""
    scripts: list[str] = []
    run = remote.run

    def note_and_run(fs, env, cwd, limits, request):
        scripts.append(request.script)
        return run(fs, env, cwd, limits, request)

    monkeypatch.setattr(remote, "run", note_and_run)
    return scripts


@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_hooks_run_where_the_engine_says(isolation: Isolation, isolated_runs: list[str]) -> None:
    document = Document(settings("echo no >&2; exit 2"), layer="project")
    engine = HookEngine.load(document, "claude_code", trust=lambda spec: True, isolation=isolation)
    decision = engine.fire(ToolPre("Bash", {"command": "ls"}))
    assert decision.refused and decision.reason == "no"
    assert bool(isolated_runs) is (isolation == "process")


def test_hooks_of_a_source_share_files_and_do_not_see_those_of_another() -> None:
    script = "echo {} >> /tmp/log; cat /tmp/log >&2; exit 2"
    engine = HookEngine.load(
        [
            Document(settings(script.format("user")), layer="user"),
            Document(settings(script.format("project")), layer="project"),
        ],
        "claude_code",
        trust=lambda spec: True,
        isolation="process",
    )
    for _ in range(2):
        engine.fire(ToolPre("Bash", {"command": "ls"}))
    logs = [engine.files_of(spec).read_bytes(VirtualPath("/tmp/log")) for spec in engine.hooks]
    assert logs == [b"user\nuser\n", b"project\nproject\n"]


def test_one_view_of_the_files_if_that_is_asked_for() -> None:
    engine = HookEngine.load(
        [Document(settings("echo x >> /tmp/log"), layer=layer) for layer in ("user", "project")],
        "claude_code",
        trust=lambda spec: True,
        isolation="process",
        shared_files=True,
    )
    engine.fire(ToolPre("Bash", {"command": "ls"}))
    assert engine.fs.read_bytes(VirtualPath("/tmp/log")) == b"x\n"  # hooks with the same text run once


def test_what_cannot_cross_is_an_error() -> None:
    network = Network(["https://example.com"])
    with pytest.raises(IsolationError, match="fs"):
        SandboxRunner(OverlayFileSystem(MemoryFileSystem()), isolation="process")
    with pytest.raises(IsolationError, match="view"):
        SandboxRunner(view=lambda source: MemoryFileSystem(), isolation="process")
    with pytest.raises(IsolationError, match="network"):
        HookEngine.load(settings("exit 0"), "claude_code", network=network, isolation="process")
    with pytest.raises(ValueError, match="isolation"):
        HookEngine.load(settings("exit 0"), "claude_code", runner=SandboxRunner(), isolation="process")


@posix
def test_a_crash_is_a_hook_that_could_not_run(monkeypatch):
    script = "case $(cat) in *loop*) while :; do :; done ;; esac; echo no >&2; exit 2"
    engine = HookEngine.load(settings(script), "claude_code", isolation="process")
    assert engine.fire(ToolPre("Bash", {"command": "ls"})).outcomes[0].verdict.could_not_run is None
    converse = remote._Remote._converse

    def kill_and_converse(self: remote._Remote) -> bytes:
        os.kill(self._worker.pid, 9)
        return converse(self)

    with monkeypatch.context() as patch:
        patch.setattr(remote._Remote, "_converse", kill_and_converse)
        decision = engine.fire(ToolPre("Bash", {"command": "loop"}))
    assert decision.outcomes[0].verdict.could_not_run == "the shell worker was ended by SIGKILL"
    assert decision.refused and decision.fail_closed, "although the engine was not loaded with fail_closed"
    assert engine.fire(ToolPre("Bash", {"command": "ls"})).outcomes[0].verdict.could_not_run is None


def test_one_hook_does_not_hold_up_another():
    limits = Limits(steps=10**12, wall_seconds=300.0)
    runner = SandboxRunner(isolation="process", limits=limits)
    slow = HookEngine.load(settings("while [ ! -e /tmp/go ]; do :; done"), "claude_code", runner=runner)
    quick = HookEngine.load(settings("exit 2"), "claude_code", runner=runner)
    thread = threading.Thread(target=slow.fire, args=(ToolPre("Bash", {"command": "ls"}),))
    thread.start()
    assert quick.fire(ToolPre("Bash", {"command": "ls"})).refused
    assert thread.is_alive()
    assert pool_for(limits)._busy, "the other one runs on"
    for worker in list(pool_for(limits)._busy):
        worker.terminate()
    thread.join()
