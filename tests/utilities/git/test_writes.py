"""git add and commit: who may, where the changes are, and whether the real git reads them."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from sandhook import Shell
from sandhook.cli import main
from sandhook.hooks import HookEngine, ToolPost
from sandhook.hooks.runner import SandboxRunner
from sandhook.vfs.hostdir import HostDirectory
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.mounts import MountTable
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath
from tests import machine
from tests.sandbox import tripwire
from tests.utilities.git import recorded
from tests.utilities.git.repositories import HERE, unpack

REAL_GIT = shutil.which("git")
needs_git = pytest.mark.skipif(
    "REAL_GIT is None and not config.option.oracle", reason="compares with the real git"
)

#: Each command of git that changes a repository.
WRITES = (
    "add .", "stage .", "commit -m x", "reset", "restore --staged .", "rm --cached a", "update-index --add untracked",
    "write-tree", "hash-object -w untracked",
)  # fmt: skip


# --------------------------------------------------------------------------- who may


@pytest.mark.parametrize("command", WRITES)
def test_git_only_reads_unless_the_caller_allows_more(command: str) -> None:
    sandbox = Shell(fs=recorded.sandbox("project").fs, env=recorded.ENVIRONMENT)
    before = sandbox.run("find .git -type f | sort | xargs sha1sum").stdout
    result = sandbox.run(f"git {command}")
    assert result.exit_status == 1
    assert "Shell(git_writes=True) or sandhook --git-writes allows it (L-GIT-001)" in result.stderr
    assert sandbox.run("find .git -type f | sort | xargs sha1sum").stdout == before


def test_a_refresh_of_the_index_needs_no_permission() -> None:
    """Scripts refresh before they compare: ``git update-index -q --refresh``."""
    sandbox = Shell(fs=recorded.sandbox("project").fs, env=recorded.ENVIRONMENT)
    assert sandbox.run("git update-index -q --refresh").exit_status == 0
    assert "needs update" in sandbox.run("git update-index --refresh").stdout


def test_files_of_the_host_must_be_under_an_overlay(tmp_path: Path) -> None:
    table = MountTable(MemoryFileSystem())
    table.mount(VirtualPath("/project"), HostDirectory(str(tmp_path), True))
    with pytest.raises(ValueError, match=r"git_writes: .* is mounted for writing; wanted an overlay"):
        Shell(fs=table, git_writes=True)
    with pytest.raises(ValueError, match="git_writes"):
        SandboxRunner(table, git_writes=True)
    Shell(fs=table)


def test_the_command_line_allows_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    unpack("project", tmp_path)
    script = "git config --get user.name; git add -A && git commit -qm x && git log -1 --format=%s"
    arguments = ["exec", "--mount", f"{tmp_path}:/project", "--cwd", "/project", "-c", script]
    before = sorted(path.as_posix() for path in tmp_path.rglob("*"))
    assert main(arguments) == 1
    assert main([*arguments[:1], "--git-writes", *arguments[1:]]) == 0
    assert capfd.readouterr().out == "Ann Author\nAnn Author\nx\n"
    assert sorted(path.as_posix() for path in tmp_path.rglob("*")) == before
    writable = ["exec", "--git-writes", "--mount", f"{tmp_path}:/project:rw", "-c", ":"]
    assert main(writable) == 2
    assert "--git-writes is for files in memory" in capfd.readouterr().err


def test_a_hook_commits_what_it_formats() -> None:
    """A formatter after an edit: it stages the file again, and the engine's files have the commit."""
    hook = "sed -i 's/  *$//' src/main.c && git add src/main.c && git -c user.name=H -c user.email=h@example.com commit -qm format"
    configuration = {"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": hook}]}]}}
    for allowed in (False, True):
        runner = SandboxRunner(recorded.sandbox("project").fs, git_writes=allowed)
        engine = HookEngine.load(configuration, "claude_code", runner=runner)
        engine.fire(ToolPost("Edit", {"file_path": "src/main.c"}))
        log = Shell(fs=engine.files_of(engine.hooks[0])).run("git log -1 --format='%an %s'").stdout
        assert log == ("H format\n" if allowed else "Ann Author rename\n")


def test_the_engine_takes_the_permission() -> None:
    configuration = {"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "git add x"}]}]}}
    HookEngine.load(configuration, "claude_code", git_writes=True)
    with pytest.raises(ValueError, match="git_writes"):
        HookEngine.load(configuration, "claude_code", git_writes=True, runner=SandboxRunner())


def test_git_writes_in_a_confined_process() -> None:
    files = {"r.tar.xz": (HERE / "project.tar.xz").read_bytes()}
    script = "git add -A && git commit -qm x && git log -1 --format=%s"
    for allowed in (False, True):
        sandbox = Shell(files=files, isolation="process", git_writes=allowed, env=recorded.ENVIRONMENT)
        sandbox.run("tar -xJf r.tar.xz; rm r.tar.xz")
        result = sandbox.run(script)
        assert (result.stdout, result.exit_status) == (("x\n", 0) if allowed else ("", 1)), result.stderr


# --------------------------------------------------------------------------- programs


def test_no_program_of_a_setting_runs_when_git_writes() -> None:
    sandbox = recorded.sandbox("project")
    sandbox.run(
        "for h in pre-commit prepare-commit-msg commit-msg post-commit post-index-change reference-transaction; do\n"
        "mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch /workspace/ran\\nexit 1\\n' >.git/hooks/$h; chmod +x .git/hooks/$h; done\n"
        "printf '[commit]\\n gpgsign = true\\n[gpg]\\n program = touch ran\\n[core]\\n editor = touch ran\\n fsmonitor = touch ran\\n"
        '[filter "x"]\\n clean = touch ran\\n required = true\\n\' >>.git/config'
    )
    commands = (
        "git add staged && git commit -qm x && git log -1 --format=%s",
        "git commit --allow-empty",
        "git add src/main.c",
    )
    warm = recorded.sandbox("project")
    warm.run("; ".join(commands))  # imports of modules open files of the host
    tripwire.install()
    with tripwire.watch() as breaches:
        assert sandbox.run(commands[0]).stdout == "x\n"
        assert "needs an editor" in sandbox.run(commands[1]).stderr
        sandbox.run("echo '*.c filter=x' >.gitattributes")
        refused = sandbox.run(commands[2])
    assert breaches == [] and sandbox.run("ls ran").exit_status != 0
    assert refused.exit_status == 128
    assert "its filter 'x' is a program, which git in the sandbox never starts" in refused.stderr


def test_a_lock_of_another_process_is_respected() -> None:
    sandbox = recorded.sandbox("project")
    sandbox.run("touch .git/index.lock")
    assert "index.lock': File exists" in sandbox.run("git add .").stderr
    sandbox.run("rm .git/index.lock; touch .git/refs/heads/main.lock")
    result = sandbox.run("git commit -m x")
    assert result.exit_status == 128 and "main.lock': File exists" in result.stderr


def test_a_full_file_system_is_an_error_of_git() -> None:
    fs = OverlayFileSystem(recorded.sandbox("project").fs, quota_bytes=3000)
    result = Shell(fs=fs, env=recorded.ENVIRONMENT, git_writes=True).run("git add -A; git commit -m x")
    assert result.exit_status == 128 and result.defect is None
    assert "No space left on device" in result.stderr


# --------------------------------------------------------------------------- the real git

SCRIPTS = {
    "project": "git add -A; git commit -qm one; seq 30 >d/new; git add d; git commit -qm two; rm -r src; git commit -qam three; "
    "git commit -q --amend -m four; git reset -q HEAD~1; git add -N d/new; git update-index --chmod=+x moved",
    "conflict": "git add -A; git commit -q --no-edit",
    "empty": "git commit -qm first; git rm -q --cached x; git commit -qm second; git reset -q --soft HEAD~1",
    "index4": "git add -A; git commit -qm x; git rm -q t.txt",
}
FACTS = (
    "rev-parse HEAD",
    "rev-parse HEAD^{tree}",
    "ls-files -s",
    "for-each-ref",
    "log --format=raw",
    "status --porcelain=v2",
)


@needs_git
@pytest.mark.skipif(os.name == "nt", reason="Git for Windows makes other objects")
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_real_git_reads_what_was_written(name: str, tmp_path: Path) -> None:
    sandbox = recorded.sandbox(name)
    result = sandbox.run(f"{SCRIPTS[name]}; tar -cf /tmp/out.tar .")
    assert result.exit_status == 0, result.stderr
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    with tarfile.open(fileobj=io.BytesIO(sandbox.fs.read_bytes(VirtualPath("/tmp/out.tar")))) as tar:
        machine.unpack(tar, ours)  # without owners, which git would distrust
    unpack(name, theirs)
    environment = {**recorded.ENVIRONMENT, "PATH": os.environ["PATH"]}
    subprocess.run(
        ["bash", "-ec", SCRIPTS[name]], cwd=theirs, env=environment, check=True, capture_output=True
    )
    fsck = subprocess.run(
        [str(REAL_GIT), "fsck", "--strict", "--full", "--no-dangling"],
        cwd=ours,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert (fsck.returncode, b"error" in fsck.stderr) == (0, False), fsck
    for fact in FACTS:
        answers = [
            subprocess.run(
                [str(REAL_GIT), *fact.split()],
                cwd=directory,
                env=environment,
                capture_output=True,
                check=False,
            ).stdout
            for directory in (ours, theirs)
        ]
        assert answers[0] == answers[1], fact


def test_a_change_in_the_moment_of_the_write_is_seen() -> None:
    """The size and the times of a file can stay the same: only the contents differ."""
    sandbox = recorded.sandbox("empty")
    result = sandbox.run(
        "echo 1 >x; git add x; git commit -qm x; touch -d @1700000000 x; git add x; echo 2 >x; touch -d @1700000000 x\n"
        "touch -d @1700000000 .git/index; git add y; git status -s"
    )
    assert result.stdout == " M x\nA  y\n"
