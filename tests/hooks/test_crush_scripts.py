"""Crush's shell is part of its process, and it reads the files that a hook names itself.

Each case runs in the sandbox and on this machine, in both modes.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import Decision, HookEngine, SandboxRunner, ToolPre
from sandhook.hooks.host import HostRunner
from sandhook.vfs.initial import write_file
from sandhook.vfs.path import VirtualPath

PLACES = [
    "sandbox",
    pytest.param("host", marks=pytest.mark.skipif(os.name == "nt", reason="the scripts name /bin/bash")),
]
REFUSE = "echo no >&2; exit 2\n"


def fire(
    place: str, tmp_path: Path, command: str, files: dict[str, str], *, mode: int = 0o644, **options: Any
) -> Decision:
    """Return the decision of one hook with this command; its files have this mode."""
    config = {"hooks": {"PreToolUse": [{"command": command}]}}
    if place == "host":
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode())
            path.chmod(mode)
        runner = HostRunner(workspace=str(tmp_path), select=lambda spec: True)
        engine = HookEngine.load(config, "crush", host=runner, **options)
        return engine.fire(ToolPre("bash", {"command": "x"}, cwd=str(tmp_path)))
    sandbox = SandboxRunner()
    for name, text in files.items():
        write_file(sandbox.fs, VirtualPath(f"/workspace/{name}"), text.encode(), mode)
    return HookEngine.load(config, "crush", runner=sandbox, **options).fire(ToolPre("bash", {"command": "x"}))


def run_of(decision: Decision) -> tuple[int | None, str, str]:
    """Return exit status, standard output and standard error of the only hook."""
    (outcome,) = decision.outcomes
    assert outcome.run is not None
    return outcome.run.exit_status, outcome.stdout, outcome.stderr


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("command", "text", "reason"),
    [
        ("./a.sh", "#!/bin/bash\n" + REFUSE, "no"),
        ("./a.sh", "#!/usr/bin/env bash\n" + REFUSE, "no"),
        ("./a.sh", "#! /usr/bin/env bash\n" + REFUSE, "no"),
        ("./a.sh", "#!env bash\n" + REFUSE, "no"),
        ("./a.sh", "#!/usr/bin/env -S bash -x\n" + REFUSE, "+ echo no\nno\n+ exit 2"),
        ("./a.sh", "#!/usr/bin/env bash -x\n" + REFUSE, "+ echo no\nno\n+ exit 2"),
        ("./a.sh", "#!/bin/bash -x\n" + REFUSE, "+ echo no\nno\n+ exit 2"),
        ("./a.sh", "#!/bin/bash\r\n" + REFUSE, "no"),
        ("./a.sh", "#!/nosuch/bash\n" + REFUSE, "no"),
        ("./a.sh", REFUSE, "no"),
        ("./a.sh one two", 'echo "$1+$2+$#" >&2; exit 2', "one+two+2"),
        ("./a.sh one two", '#!/bin/bash\necho "$1+$2+$#" >&2; exit 2', "one+two+2"),
        ('"$PWD"/a.sh', REFUSE, "no"),
        ("HOME=$PWD; ~/a.sh", REFUSE, "no"),
        ("mkdir -p d && cd d && ../a.sh", REFUSE, "no"),
        ("exec ./a.sh", REFUSE, "no"),
        ("X=1; Y=2 ./a.sh", 'echo "[$X][$Y]" >&2; exit 2', "[][2]"),
    ],
)
def test_a_script_needs_no_permission_to_be_executed(
    place: str, compat: str, command: str, text: str, reason: str, tmp_path: Path
) -> None:
    decision = fire(place, tmp_path, command, {"a.sh": text}, compat=compat)
    assert (decision.permission, decision.reason) == ("deny", reason)
    assert not any("not executable" in note for note in decision.diagnostics)


@pytest.mark.parametrize("place", PLACES)
def test_a_script_with_a_first_line_has_its_absolute_path_as_its_name(place: str, tmp_path: Path) -> None:
    decision = fire(place, tmp_path, "./a.sh", {"a.sh": '#!/bin/bash\necho "$0" >&2; exit 2\n'})
    assert decision.reason == ("/workspace/a.sh" if place == "sandbox" else f"{tmp_path}/a.sh")


@pytest.mark.parametrize("place", PLACES)
def test_a_script_reads_the_payload_in_a_pipeline(place: str, tmp_path: Path) -> None:
    decision = fire(place, tmp_path, "cat | ./a.sh", {"a.sh": "read -r x; case $x in *x*) exit 2;; esac"})
    assert decision.permission == "deny"


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ("#!\n" + REFUSE, 126, "empty shebang"),
        ("#!/usr/bin/env\n" + REFUSE, 126, "env: missing program name"),
        ("#!/usr/bin/env -S\n" + REFUSE, 126, "env -S requires a program"),
        ("#!/usr/bin/env -x bash\n" + REFUSE, 126, "unsupported env flag: -x"),
        ("#!/nosuch/frobnicate\n" + REFUSE, 127, "frobnicate"),
        ("a\0b", 126, ""),
        ("\x7fELF", 126, ""),
        ("if\n" + REFUSE, 1, "syntax error"),
        (REFUSE + "if\n", 1, "syntax error"),  # all of it is parsed before a line runs
        (None, 1, "No such file or directory"),
    ],
)
def test_a_script_that_cannot_run_is_no_opinion(
    place: str, compat: str, text: str | None, status: int, message: str, tmp_path: Path
) -> None:
    files = {} if text is None else {"a.sh": text}
    mode = 0o755 if text is not None and text[:1] == "\x7f" else 0o644
    decision = fire(place, tmp_path, "./a.sh", files, mode=mode, compat=compat)
    got, stdout, stderr = run_of(decision)
    assert (decision.permission, got, stdout) == ("none", status, "")
    assert message in stderr
    assert decision.could_not_run == ("PreToolUse[0]",)
    assert fire(place, tmp_path, "./a.sh", files, mode=mode, compat=compat, fail_closed=True).refused


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("command", "text"), [("./a.sh", ""), ("./a.sh", "# nothing")])
def test_an_empty_script_succeeds(place: str, command: str, text: str, tmp_path: Path) -> None:
    assert run_of(fire(place, tmp_path, command, {"a.sh": text})) == (0, "", "")


@pytest.mark.parametrize("place", PLACES)
def test_a_directory_has_the_status_1(place: str, tmp_path: Path) -> None:
    status, _, stderr = run_of(fire(place, tmp_path, "./d", {"d/a.sh": ""}))
    assert status == 1 and "Is a directory" in stderr


@pytest.mark.parametrize("place", PLACES)
def test_a_path_without_a_dot_is_a_word_of_the_path(place: str, tmp_path: Path) -> None:
    strict = fire(place, tmp_path, "d/a.sh", {"d/a.sh": REFUSE}, compat="strict")
    assert run_of(strict)[0] == 126 and not strict.refused
    better = fire(place, tmp_path, "d/a.sh", {"d/a.sh": REFUSE})
    assert better.refused is (place == "host")  # where no file needs the permission, and a note says so
    assert any("not executable" in note for note in better.diagnostics) is (place == "host")
    assert fire(place, tmp_path, "d/a.sh", {"d/a.sh": REFUSE}, mode=0o755, compat="strict").refused


@pytest.mark.parametrize("place", PLACES)
def test_a_text_that_does_not_parse_has_the_status_1(place: str, tmp_path: Path) -> None:
    text = REFUSE + "if"
    strict = fire(place, tmp_path, text, {}, compat="strict")
    assert run_of(strict)[0] == 1 and not strict.refused
    assert fire(place, tmp_path, text, {}).refused  # the lines before the error run, and refuse
    assert run_of(fire(place, tmp_path, "if", {}))[0] == 1


def test_other_agents_want_permission_to_execute(tmp_path: Path) -> None:
    sandbox = SandboxRunner()
    write_file(sandbox.fs, VirtualPath("/workspace/a.sh"), REFUSE.encode(), 0o644)
    config = {"hooks": {"PreToolUse": [{"hooks": [{"command": "./a.sh"}]}]}}
    decision = HookEngine.load(config, "jcode", runner=sandbox).fire(ToolPre("execute", {"command": "x"}))
    assert run_of(decision)[0] == 126


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permission")
@pytest.mark.parametrize(
    ("text", "mode", "status"),
    [(REFUSE, 0o644, 126), ("#!/bin/sh\n" + REFUSE, 0o644, 126), ("#!/bin/sh\r\n" + REFUSE, 0o755, 127)],
)
def test_in_strict_mode_files_start_on_the_host_as_the_system_starts_them(
    text: str, mode: int, status: int, tmp_path: Path
) -> None:
    script = tmp_path / "a.sh"
    script.write_bytes(text.encode())
    script.chmod(mode)
    config = {"hooks": {"PreToolUse": [{"hooks": [{"command": "./a.sh"}]}]}}
    for compat, expected in (("strict", status), ("better", 2)):
        runner = HostRunner(workspace=str(tmp_path), select=lambda spec: True)
        engine = HookEngine.load(config, "jcode", host=runner, compat=compat)  # type: ignore[arg-type]
        assert run_of(engine.fire(ToolPre("execute", {"command": "x"}, cwd=str(tmp_path))))[0] == expected


def test_a_worker_process_has_the_same_rules(tmp_path: Path) -> None:
    sandbox = SandboxRunner(isolation="process")
    write_file(sandbox.fs, VirtualPath("/workspace/a.sh"), REFUSE.encode(), 0o644)
    config = {"hooks": {"PreToolUse": [{"command": "./a.sh"}]}}
    assert HookEngine.load(config, "crush", runner=sandbox).fire(ToolPre("bash", {})).reason == "no"
