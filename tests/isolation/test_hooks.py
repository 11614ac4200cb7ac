"""Which hooks run in worker processes, and what they and their failures look like to the agent."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

import pytest

from sandhook.command.own import utility
from sandhook.errors import IsolationError
from sandhook.hooks.contracts import Document
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.events import ToolPre
from sandhook.hooks.model import LayerName
from sandhook.hooks.runner import SandboxRunner
from sandhook.isolation import remote
from sandhook.isolation.arguments import Isolation
from sandhook.isolation.pool import pool_for
from sandhook.limits import Limits
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath

LAYERS: tuple[LayerName, ...] = ("user", "project")

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


def settings(command: str) -> dict[str, Any]:
    return {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}


@pytest.fixture
def isolated_runs(monkeypatch) -> list[str]:
    """Return the scripts that are sent to workers."""
    scripts: list[str] = []
    run = remote.run

    def note_and_run(fs, env, cwd, limits, request):
        scripts.append(request.script.text)
        return run(fs, env, cwd, limits, request)

    monkeypatch.setattr(remote, "run", note_and_run)
    return scripts


@pytest.mark.parametrize(
    ("layer", "isolation", "isolated"),
    [
        ("user", None, False),
        ("managed", None, False),
        ("", None, False),
        ("project", None, True),
        ("local", None, True),
        ("bundle", None, True),
        ("user", "process", True),
        ("project", "process", True),
        ("project", "thread", False),
    ],
)
def test_hooks_of_layers_that_anybody_may_write_run_in_a_worker(
    layer: LayerName, isolation: Isolation | None, isolated: bool, isolated_runs: list[str]
) -> None:
    document = Document(settings("echo no >&2; exit 2"), layer=layer)
    engine = HookEngine.load(document, "claude_code", trust=lambda spec: True, isolation=isolation)
    assert [engine.isolation_of(spec) for spec in engine.hooks] == ["process" if isolated else "thread"]
    decision = engine.fire(ToolPre("Bash", {"command": "ls"}))
    assert decision.refused and decision.reason == "no"
    assert bool(isolated_runs) is isolated
    assert engine.diagnostics == ()


def test_hooks_of_bundles_run_in_a_worker(isolated_runs: list[str]) -> None:
    def hook(name: str) -> dict[str, Any]:
        return {
            "id": name,
            "event": "pre_tool_use",
            "executor": {"type": "bash", "command": f"echo {name}"},
        }

    engine = HookEngine.load({"hooks": [hook("own")]}, "everruns", contributions={"pack": [hook("bundle")]})
    engine.fire(ToolPre("bash", {"command": "ls"}))
    assert isolated_runs == ["echo bundle"]


@pytest.mark.parametrize("isolation", ["thread", "process"])
@pytest.mark.parametrize("sources", [1, 2])
def test_hooks_see_what_the_caller_changed_meanwhile(isolation: Isolation, sources: int) -> None:
    script = "cat /workspace/a /workspace/own 2>/dev/null; echo x >> /workspace/own; exit 0"
    engine = HookEngine.load(
        [Document(settings(f": {layer}; {script}"), layer=layer) for layer in LAYERS[:sources]],
        "claude_code",
        trust=lambda spec: True,
        isolation=isolation,
    )
    seen = []
    for content in (b"1\n", b"2\n", None, b"3\n"):
        if content is None:
            engine.fs.unlink(VirtualPath("/workspace/a"))
        else:
            engine.fs.write_bytes(VirtualPath("/workspace/a"), content)
        decision = engine.fire(ToolPre("Bash", {"command": "ls"}))
        seen.append([outcome.run.stdout for outcome in decision.outcomes if outcome.run])
    expected = (b"1\n", b"2\nx\n", b"x\nx\n", b"3\nx\nx\nx\n")
    assert seen == [[each] * sources for each in expected]


@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_what_one_source_deleted_or_changed_stays_so_for_it_alone(isolation: Isolation) -> None:
    engine = HookEngine.load(
        [
            Document(settings("rm -rf /workspace/d; echo own > /workspace/a"), layer="user"),
            Document(settings("cat /workspace/a; ls /workspace/d"), layer="project"),
        ],
        "claude_code",
        trust=lambda spec: True,
        isolation=isolation,
    )
    engine.fs.write_bytes(VirtualPath("/workspace/d/x"), b"", parents=True)
    for content in (b"1", b"2"):
        engine.fs.write_bytes(VirtualPath("/workspace/a"), content)
        ran = engine.fire(ToolPre("Bash", {"command": "ls"})).outcomes[1].run
        assert ran is not None and ran.stdout == content + b"x\n"
    user, project = map(engine.files_of, engine.hooks)
    assert user.read_bytes(VirtualPath("/workspace/a")) == b"own\n"
    assert not user.exists(VirtualPath("/workspace/d"))
    assert project.exists(VirtualPath("/workspace/d/x"))
    assert engine.fs.exists(VirtualPath("/workspace/d/x"))


def test_the_files_of_a_request_exist_during_its_run_alone() -> None:
    script = 'cat "$EVERRUNS_HOOK_PAYLOAD_PATH"; echo x > /workspace/left; ls -a /workspace/.hooks'
    hook = {"id": "x", "event": "pre_tool_use", "executor": {"type": "bash", "command": script}}
    engine = HookEngine.load({"hooks": [hook]}, "everruns", isolation="process")
    for _ in range(2):
        ran = engine.fire(ToolPre("bash", {"command": "ls"})).outcomes[0].run
        assert ran is not None and ran.stdout.startswith(b'{"event":"pre_tool_use"'), ran
        assert ran.stdout.count(b"user_x") == 1, "those of earlier runs are gone"
        assert not engine.fs.is_dir(VirtualPath("/workspace/.hooks"))
        assert engine.fs.exists(VirtualPath("/workspace/left"))


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


@utility
def greet(name: str) -> int:
    """Print nothing."""
    return len(name)


def test_an_explicit_process_that_cannot_be_had_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(IsolationError, match="utilities"):
        SandboxRunner(utilities=[greet], isolation="process")
    with pytest.raises(IsolationError, match="utilities"):
        HookEngine.load(settings("exit 0"), "claude_code", utilities=[greet], isolation="process")
    with pytest.raises(ValueError, match="isolation"):
        HookEngine.load(settings("exit 0"), "claude_code", runner=SandboxRunner(), isolation="process")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(IsolationError, match="interpreter"):
        SandboxRunner(isolation="process")


def test_hooks_of_others_that_run_in_this_process_are_named(isolated_runs: list[str]) -> None:
    documents = [Document(settings("exit 2"), layer=layer, name=layer) for layer in LAYERS]
    engine = HookEngine.load(documents, "claude_code", trust=lambda spec: True, utilities=[greet])
    assert engine.fire(ToolPre("Bash", {"command": "ls"})).refused
    assert not isolated_runs
    (note,) = engine.diagnostics
    assert note == (
        "project: hooks.PreToolUse[0].hooks[0]: hook PreToolUse[1] is not the user's own and runs in this process: "
        "utilities cannot be used with isolation='process': Python functions of this process cannot run in a worker"
    )
    assert [engine.isolation_of(spec) for spec in engine.hooks] == ["thread", "thread"]
    asked = HookEngine.load(
        documents, "claude_code", trust=lambda spec: True, runner=SandboxRunner(isolation="thread")
    )
    assert asked.diagnostics == ()
    executors = {"bash": SandboxRunner(isolation="thread")}
    own = HookEngine.load(documents, "claude_code", trust=lambda spec: True, executors=executors)
    assert [str(note).rpartition(": ")[2] for note in own.diagnostics] == [
        "an executor of the caller runs the type bash"
    ]


def test_hooks_over_a_file_system_of_the_caller_run_in_a_worker(isolated_runs: list[str]) -> None:
    views = {}

    def view(source: str) -> OverlayFileSystem:
        views[source] = OverlayFileSystem(OverlayFileSystem(MemoryFileSystem()))
        return views[source]

    engine = HookEngine.load(
        [Document(settings(f": {layer}; echo x > /tmp/new; exit 2"), layer=layer) for layer in LAYERS],
        "claude_code",
        trust=lambda spec: True,
        runner=SandboxRunner(view=view),
    )
    assert engine.fire(ToolPre("Bash", {"command": "ls"})).refused
    assert len(isolated_runs) == 1 and len(views) == 2
    assert {fs.read_bytes(VirtualPath("/tmp/new")) for fs in views.values()} == {b"x\n"}


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
