"""--write-back: what a hook of a stranger may leave on the host, and how it is listed."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandhook.cli.write_back import Review, agent_files
from sandhook.hooks import contracts
from sandhook.vfs.changes import CREATED, DELETED, Change
from sandhook.vfs.path import VirtualPath

Run = Callable[..., Any]
posix = pytest.mark.skipif(os.name != "posix", reason="links and modes of POSIX")


def change(path: str, mode: int = 0o100644, text: str = "x", kind: Any = CREATED) -> Change:
    return Change(kind, VirtualPath(path), mode, text.encode)


def refused(root: Path, each: Change, *named: str) -> str | None:
    _, refusals = Review(str(root), named).split([each])
    return refusals[0][1] if refusals else None


@pytest.fixture
def work(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    (work / "src").mkdir(parents=True)
    (work / "a.py").write_text("old")
    return work


def fire(sandhook: Run, work: Path, script: str, *more: str) -> Any:
    hooks = work.parent / "hooks.json"
    hook = {"id": "h", "event": "turn_end", "executor": {"type": "bash", "command": f"{script}; echo '{{}}'"}}
    hooks.write_text(json.dumps({"hooks": [hook]}))
    return sandhook("fire", "turn_end", "--hooks", hooks, "--workspace", work, "--write-back", *more)


@posix
def test_what_would_run_later_is_not_written(sandhook: Run, work: Path) -> None:
    script = (
        "mkdir -p .git/hooks .claude; echo 'touch /tmp/x' > .git/hooks/post-checkout; chmod 755 .git/hooks/post-checkout;"
        "echo '{}' > .claude/settings.json; ln -s /etc evil; ln -s ../../outside src/up; ln -s a.py good;"
        "echo 1 > .bashrc; echo new > a.py; echo 2 > run.sh; chmod +x run.sh"
    )
    ran = fire(sandhook, work, script)
    assert sorted(os.listdir(work)) == ["a.py", "good", "src"] and os.listdir(work / "src") == []
    assert (work / "a.py").read_text() == "new\n" and os.readlink(work / "good") == "a.py"
    lines = ran.stderr.splitlines()
    assert "created: /workspace/.git/hooks/post-checkout (-rwxr-xr-x)" in lines
    assert "created: /workspace/evil -> /etc" in lines
    assert "modified: /workspace/a.py (-rw-r--r--)" in lines
    assert (
        "not written: /workspace/.git/hooks/post-checkout: .git belongs to a tool, which may execute what is in it;"
        " --write-back-also .git/hooks/post-checkout writes it"
    ) in lines
    assert lines[-1] == f"2 change(s) written to {work}"


@posix
def test_each_is_written_when_it_is_named(sandhook: Run, work: Path) -> None:
    script = "mkdir -p .git/hooks; echo 1 > .git/hooks/a; echo 2 > .git/hooks/b; ln -s /etc evil; echo 3 > x; chmod +x x"
    also = [
        word for name in (".git/hooks/a", "evil", "./x", "nothing") for word in ("--write-back-also", name)
    ]
    ran = fire(sandhook, work, script, *also)
    assert os.listdir(work / ".git" / "hooks") == ["a"]
    assert os.readlink(work / "evil") == "/etc"
    assert stat.S_IMODE((work / "x").stat().st_mode) == 0o755
    assert "--write-back-also nothing: no hook changed it" in ran.stderr.splitlines()


def test_the_option_needs_the_other(sandhook: Run, work: Path) -> None:
    ran = sandhook("fire", "turn_end", "--contract", "everruns", "--write-back-also", "x")
    assert (ran.status, "--write-back-also needs --write-back" in ran.stderr) == (1, True)


@pytest.mark.parametrize("name", contracts.names())
def test_the_files_of_every_agent_are_refused(name: str, work: Path) -> None:
    layers = contracts.get(name).layers("/w", {}, "linux")
    own = [layer.path.replace("*", "x") for layer in layers if layer.path.startswith("/w/")]
    assert own or {layer.name for layer in layers} == {"user"}
    for path in own:
        below = path.removeprefix("/w")
        for place in (below, f"/deep/er{below}", below.upper()):
            assert refused(work, change(place)), place
            assert refused(work, change(place, kind=DELETED)), place
        assert refused(work, change(below), below) is None


@pytest.mark.parametrize(
    "path",
    [
        "/.git",
        "/.git/config",
        "/sub/.git/hooks/x",
        "/.GIT/config",
        "/.git./config",
        "/.git /config",
        "/.g\u200cit/config",
        "/.husky/pre-commit",
        "/.github/workflows/x.yml",
        "/.vscode/tasks.json",
        "/.envrc",
        "/.mcp.json",
        "/home/.bashrc",
        "/.ZSHRC",
        "/.config/fish/config.fish",
        "/.ssh/authorized_keys",
        "/GIT~1/config",
        "/sub/claude~1/settings.json",
        "/BASHRC~1",
        "/.env",
        "/.env.local",
        "/AGENTS.md",
        "/sub/CLAUDE.md",
        "/.cursorrules",
        "/.claude.json",
        "/.curlrc",
        "/.Rprofile",
        "/.envrc.local",
        "/.local.vimrc",
        "/.lefthook.yml",
        "/.huskyrc",
        "/.gitlab-ci.yml",
        "/.devcontainer.json",
        "/.prettierrc",
        "/.eslintrc.json",
        "/.unheard-of",
        "/.direnvrc",
        "/mise.toml",
        "/AGENTS.override.md",
        "/CRUSH.md",
        "/HERMES.md",
        "/skills/x/SKILL.md",
        "/Makefile",
        "/sub/GNUmakefile",
        "/package.json",
        "/conftest.py",
        "/sitecustomize.py",
        "/lib/x.pth",
        "/eslint.config.mjs",
        "/pyproject.toml",
        "/setup.cfg",
        "/Dockerfile",
        "/flake.nix",
    ],
)
def test_control_files_are_refused(path: str, work: Path) -> None:
    assert refused(work, change(path))


@pytest.mark.parametrize(
    "path",
    [
        "/src/a.py",
        "/README.md",
        "/.editorconfig",
        "/.gitignore",
        "/.prettierignore",
        "/.python-version",
        "/makefile.md",
        "/src/package.py",
        "/a.git/x",
        "/crush",
        "/.env.example",
        "/a~1.txt",
        "/notes~",
    ],
)
def test_ordinary_files_are_written(path: str, work: Path) -> None:
    assert refused(work, change(path)) is None


@posix
def test_no_directory_becomes_a_repository_of_git(sandhook: Run, work: Path) -> None:
    """git reads the settings of such a directory, and starts the programs that they name."""
    script = "mkdir -p sub/objects sub/refs; echo 'ref: refs/heads/m' > sub/HEAD; echo '[core]' > sub/config; echo 1 > sub/x"
    ran = fire(sandhook, work, script)
    assert sorted(os.listdir(work / "sub")) == ["objects", "refs", "x"]
    assert "not written: /workspace/sub/config: it makes its directory a repository of git" in ran.stderr
    again = fire(sandhook, work, "echo 'ref: refs/heads/m' > sub/HEAD; echo 1 > sub/config")
    assert sorted(os.listdir(work / "sub")) == ["objects", "refs", "x"], again.stderr
    (work / "sub" / "HEAD").write_text("x")
    fire(sandhook, work, "echo 1 > sub/config; echo 2 > sub/y; rm sub/HEAD")
    assert sorted(os.listdir(work / "sub")) == ["objects", "refs", "x", "y"]
    fire(sandhook, work, "echo 1 > config; echo 2 > HEAD")
    assert {"config", "HEAD"} <= set(os.listdir(work)), "these names alone are no repository"


@posix
@pytest.mark.parametrize(
    ("path", "target", "wanted"),
    [
        ("/l", "a.py", None),
        ("/src/l", "../a.py", None),
        ("/src/l", "..", None),
        ("/l", "src/x/y", None),
        ("/l", "/etc/passwd", "may lead out"),
        ("/l", "..", "may lead out"),
        ("/src/l", "../../x", "may lead out"),
        ("/l", "src/../..", "may lead out"),
        ("/l", "C:/x", "may lead out"),
        ("/l", "\\\\server\\x", "may lead out"),
        ("/l", "out/secret", "leads out"),
        ("/.claude", "src", "belongs to a tool"),
        ("/.git", "src", "belongs to a tool"),
        ("/sub/.vscode", "../src", "belongs to a tool"),
        ("/l", ".git/hooks", "belongs to a tool"),
        ("/src/l", "../.claude", "belongs to a tool"),
    ],
)
def test_links_that_lead_out_are_refused(path: str, target: str, wanted: str | None, work: Path) -> None:
    os.symlink("/etc", work / "out")
    why = refused(work, change(path, 0o120777, target))
    assert why is None if wanted is None else why is not None and wanted in why


@posix
def test_an_executable_file_may_be_edited_and_none_becomes_executable(work: Path) -> None:
    (work / "run.sh").write_text("1")
    (work / "run.sh").chmod(0o755)
    assert refused(work, change("/run.sh", 0o100755, kind="modified")) is None
    assert refused(work, change("/a.py", 0o100755, kind="chmod")) == "it becomes executable"
    assert refused(work, change("/new.sh", 0o100755)) == "it becomes executable"
    assert refused(work, change("/dir", 0o040755)) is None


@posix
@pytest.mark.parametrize("kind", [0o010644, 0o020644, 0o140644])
def test_what_is_no_file_is_refused_and_the_others_are_written(kind: int, work: Path, sandhook: Run) -> None:
    assert refused(work, change("/p", kind)) == "it is neither a file nor a directory nor a link"
    ran = fire(sandhook, work, "mkfifo p; echo 1 > z")
    assert ran.status == 0
    assert sorted(os.listdir(work)) == ["a.py", "src", "z"]


@posix
def test_a_file_becomes_a_directory_and_a_directory_a_file_or_a_link(sandhook: Run, work: Path) -> None:
    for name in ("d1", "d2"):
        (work / name).mkdir()
        (work / name / "x").write_text("x")
    script = "rm a.py; mkdir a.py; echo 1 > a.py/x; rm -r d1 d2; echo file > d1; ln -s src d2"
    assert fire(sandhook, work, script).status == 0
    assert (work / "a.py" / "x").read_text() == "1\n"
    assert (work / "d1").read_text() == "file\n"
    assert os.readlink(work / "d2") == "src"


def test_the_names_of_agents_files_come_from_the_contracts() -> None:
    assert {"crush.json", ".crushrc", "cagent.yaml"} <= agent_files()
    assert not {"settings.json", "hooks.json"} & agent_files()
