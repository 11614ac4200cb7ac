"""Hooks that are a program with arguments: no shell is between, neither in the sandbox nor on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import Decision, HookEngine, SandboxRunner, ToolPre
from sandhook.hooks.contracts._reading.go import go_duration
from sandhook.hooks.host import HostRunner
from sandhook.vfs.initial import write_file
from sandhook.vfs.path import VirtualPath

PLACES = [
    "sandbox",
    pytest.param("host", marks=pytest.mark.skipif(os.name == "nt", reason="the programs are those of POSIX")),
]
ENV = {"PATH": "/usr/bin:/bin", "HOME": "/home/me", "SECRET": "s"}


def fire(
    place: str,
    tmp_path: Path,
    hook: dict[str, Any],
    files: dict[str, str] | None = None,
    *,
    mode: int = 0o755,
) -> Decision:
    config = {"hooks": {"pre_tool_call": [hook]}}
    event = ToolPre("bash", {"command": "x"}, call_id="c", session_id="s")
    if place == "host":
        for name, text in (files or {}).items():
            (tmp_path / name).write_text(text)
            (tmp_path / name).chmod(mode)
        runner = HostRunner(workspace=str(tmp_path), select=lambda spec: True, env=ENV)
        return HookEngine.load(config, "ub", host=runner).fire(event.with_(cwd=str(tmp_path)))
    sandbox = SandboxRunner()
    for name, text in (files or {}).items():
        write_file(sandbox.fs, VirtualPath(f"/workspace/{name}"), text.encode(), mode)
    return HookEngine.load(config, "ub", runner=sandbox, env=ENV).fire(event)


def block(*argv: str, **more: Any) -> dict[str, Any]:
    return {"command": list(argv), "on_failure": "block", **more}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("env", "inherited"),
    [(None, {"PATH"}), (["HOME"], {"HOME"}), (["HOME", "PATH"], {"HOME", "PATH"}), (["NOSUCH"], set())],
)
def test_a_program_inherits_only_what_its_hook_lists(
    place: str, env: list[str] | None, inherited: set[str], tmp_path: Path
) -> None:
    hook = {"command": ["env"]} if env is None else {"command": ["env"], "env": env}
    (outcome,) = fire(place, tmp_path, hook).outcomes
    names = {line.partition("=")[0] for line in outcome.stdout.splitlines()}
    own = {f"UB_HOOK_{name}" for name in ("EVENT", "SESSION_ID", "TURN", "TOOL_NAME", "TOOL_USE_ID")}
    assert names - {"SANDHOOK_RUN"} == own | inherited


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("argv", "files", "mode"),
    [
        (("nosuch",), {}, 0),
        (("/nosuch",), {}, 0),
        (("./nosuch",), {}, 0),
        (("cd", "/"), {}, 0),  # a built-in of a shell is no program
        (("./a.sh",), {"a.sh": "#!/bin/sh\nexit 0\n"}, 0o644),
        (("./a.sh",), {"a.sh": "#!/nosuch\nexit 0\n"}, 0o755),
        (("./a.sh",), {"a.sh": "exit 0\n"}, 0o755),  # the system starts no text without a "#!" line
        (("./a.sh",), {"a.sh": ""}, 0o755),
        ((".",), {}, 0),
    ],
)
def test_a_program_that_cannot_start_refuses_under_block(
    place: str, argv: tuple[str, ...], files: dict[str, str], mode: int, tmp_path: Path
) -> None:
    decision = fire(place, tmp_path, block(*argv), files, mode=mode)
    assert (decision.permission, decision.reason) == ("deny", f"hook {argv[0]} exit -1")
    (outcome,) = decision.outcomes
    assert outcome.could_not_run is not None
    assert not fire(place, tmp_path, {"command": list(argv)}, files, mode=mode).refused


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 3", "hook /bin/sh exit 3"),
        ("echo why >&2; exit 3", "why"),
        ("kill -9 $$", "hook /bin/sh exit -1"),
        ("kill -15 $$", "hook /bin/sh exit -1"),
        ("sleep 5", "hook /bin/sh timeout after 300ms (killed)"),
        ("echo half >&2; sleep 5", "hook /bin/sh timeout after 300ms (killed)"),
        ("exit 127", "hook /bin/sh exit 127"),
    ],
)
def test_the_reason_of_a_program_that_ran(place: str, script: str, reason: str, tmp_path: Path) -> None:
    decision = fire(place, tmp_path, block("/bin/sh", "-c", script, timeout="300ms"))
    assert (decision.permission, decision.reason) == ("deny", reason)
    assert decision.message == f"pre_tool_call hook blocked bash: {reason}"


@pytest.mark.parametrize("place", PLACES)
def test_a_missing_command_of_a_script_is_no_missing_program(place: str, tmp_path: Path) -> None:
    decision = fire(place, tmp_path, block("/bin/sh", "-c", "nosuch-command"))
    assert "nosuch-command" in (decision.reason or "")


@pytest.mark.parametrize("place", PLACES)
def test_arguments_arrive_unchanged(place: str, tmp_path: Path) -> None:
    words = ["a b", "$HOME", "'", '"', "*", "", "-n", "\\"]
    decision = fire(place, tmp_path, block("/usr/bin/printf", "<%s>", *words))
    assert decision.outcomes[0].stdout == "".join(f"<{word}>" for word in words)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"), (0.3, "300ms"), (0.05, "50ms"), (0.0015, "1.5ms"), (0.00025, "250\u00b5s"), (1e-9, "1ns"),
        (1, "1s"), (1.5, "1.5s"), (10, "10s"), (60, "1m0s"), (90, "1m30s"), (3600, "1h0m0s"), (3725.5, "1h2m5.5s"),
        (-0.3, "-300ms"),
    ],
)  # fmt: skip
def test_a_duration_is_printed_as_go_does(seconds: float, text: str) -> None:
    assert go_duration(seconds) == text
