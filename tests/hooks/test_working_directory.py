"""The directory of an event, and approved scripts in it, exist in the sandbox, wherever they are on the machine."""

from __future__ import annotations

import json

import pytest

from sandhook.hooks import Decision, HookEngine, SandboxRunner, ToolPre
from sandhook.hooks.contracts import names
from sandhook.hooks.sources import Document
from sandhook.isolation.arguments import Isolation
from sandhook.vfs.base import FileSystem
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath
from tests.hooks.test_silencing import GUARD, GUARDS

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
        ran = decision.outcomes[0].run
        assert ran is not None and ran.failure is None
        assert (ran.exit_status, ran.stderr.decode()) == (2, f"{cwd}\n")


@pytest.mark.parametrize("name", [name for name in names() if name != "everruns"])  # which has one workspace
def test_hooks_of_every_contract_run_in_the_directory_of_the_event(name: str) -> None:
    value = json.loads(json.dumps(GUARDS[name]).replace(f'"{GUARD}"', '"pwd"'))
    engine = HookEngine.load(Document(value, contract=name), runner=SandboxRunner())
    ran = engine.fire(ToolPre("Bash", {"command": "ls"}, cwd="/home/me/project")).outcomes[0].run
    assert ran is not None
    assert ran.stdout == b"/home/me/project\n"


SCRIPT_FILE = b"#!/bin/sh\necho no >&2\nexit 2\n"


def fire_approved(
    path: str,
    fs: FileSystem | None = None,
    *,
    isolation: Isolation | None = None,
    content: bytes = SCRIPT_FILE,
) -> Decision:
    """Fire a project's guard that was approved with one script; the event is in the script's directory's parent."""
    hook = {"type": "command", "command": path}
    engine = HookEngine.load(
        [
            Document(
                {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [hook]}]}},
                layer="project",
                contract="claude_code",
            )
        ],
        trust=lambda spec: spec._replace(snapshot=((path, content),)),
        runner=SandboxRunner(fs=fs, isolation=isolation),
    )
    return engine.fire(ToolPre("Bash", {"command": "ls"}, cwd=path.rpartition("/lib/")[0] or "/"))


@pytest.mark.parametrize(
    "path", ["/srv/app/lib/g", "/home/me/p/lib/g", "/c/users/me/lib/g", "/usr/lib/g", "/g"]
)
@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_an_approved_script_runs_wherever_it_is(path: str, isolation: Isolation) -> None:
    for fs in (None, MemoryFileSystem(), OverlayFileSystem(MemoryFileSystem())):
        decision = fire_approved(path, fs, isolation=isolation)
        assert (decision.permission, decision.reason) == ("deny", "no")


@pytest.mark.parametrize("mode", [0o600, 0o444, 0o000])
def test_an_approved_script_replaces_a_file_of_another_user(mode: int) -> None:
    fs = MemoryFileSystem(uid=0)
    fs.write_bytes(VirtualPath("/srv/lib/g"), b"#!/bin/sh\nexit 0\n", parents=True)
    fs.chmod(VirtualPath("/srv/lib/g"), mode)
    assert fire_approved("/srv/lib/g", fs).permission == "deny"


@pytest.mark.parametrize("isolation", ["thread", "process"])
@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/srv/lib/directory", "Is a directory"),
        ("/srv/lib/file/g", "Not a directory"),
        ("/srv/lib/fifo", "Invalid argument"),
        ("/srv/lib/large", "No space left on device"),
        ("/srv/lib/nul\0", "Invalid argument"),
        ("/srv/lib/" + "g" * 300, "File name too long"),
    ],
)
def test_a_guard_whose_approved_script_cannot_be_written_refuses(
    path: str, reason: str, isolation: Isolation
) -> None:
    fs = MemoryFileSystem(uid=0, quota_bytes=4096)
    fs.write_bytes(VirtualPath("/srv/lib/directory/x"), b"", parents=True)
    fs.write_bytes(VirtualPath("/srv/lib/file"), b"")
    fs.mkfifo(VirtualPath("/srv/lib/fifo"))
    content = SCRIPT_FILE + b"#" * 5000 if path.endswith("large") else SCRIPT_FILE
    decision = fire_approved(path, fs, isolation=isolation, content=content)
    assert decision.permission == "deny"
    ran = decision.outcomes[0].run
    assert ran is not None and ran.failure == f"cannot write the approved {path}: {reason}"


def test_an_event_in_a_directory_that_cannot_exist_refuses() -> None:
    fs = MemoryFileSystem()
    fs.write_bytes(VirtualPath("/workspace/file"), b"")
    engine = HookEngine.load(
        [Document(CONFIGURATION, layer="user", contract="claude_code")], runner=SandboxRunner(fs=fs)
    )
    decision = engine.fire(ToolPre("Bash", {"command": "ls"}, cwd="/workspace/file/x"))
    ran = decision.outcomes[0].run
    assert decision.permission == "deny"
    assert ran is not None and ran.failure == "/workspace/file/x: Not a directory"
