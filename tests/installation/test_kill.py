"""A kill at any moment, and several processes at once: the file is the old one or the new one, and records agree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.installation.installtools import GUARD

#: Runs the command line, and ends the process without any clean-up at the n-th call that changes the disk.
KILLED = """
import os, sys
left = int(sys.argv.pop(1))

def counted(function):
    def call(*args, **kwargs):
        global left
        left -= 1
        if left == 0:
            os._exit(99)
        return function(*args, **kwargs)
    return call

def half(function):
    def call(descriptor, mode="r", *args, **kwargs):
        file = function(descriptor, mode, *args, **kwargs)
        if "w" not in mode:
            return file
        write = file.write
        class Half:
            def __enter__(self): return self
            def __exit__(self, *exc): return file.__exit__(*exc)
            def __getattr__(self, name): return getattr(file, name)
            def write(self, data):
                global left
                left -= 1
                if left == 0:
                    write(data[: len(data) // 2])
                    file.flush()
                    os._exit(99)
                return write(data)
        return Half()
    return call

import builtins
from sandhook.installation import disk
for name in ("open", "fsync", "replace", "unlink", "makedirs", "rmdir", "chmod"):
    setattr(os, name, counted(getattr(os, name)))
builtins.open = half(open)
from sandhook.cli import main
sys.exit(main(sys.argv[1:]))
"""

SETTINGS = b'{\n  "model": "x"\n}\n'


def environment(directory: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP") if name in os.environ}
    home = str(directory / "home")
    return {**kept, "HOME": home, "USERPROFILE": home, "SANDHOOK_NO_CACHE": "1"}


def prepare(directory: Path, data: bytes | None) -> Path:
    (directory / "home").mkdir(parents=True)
    project = directory / "project"
    project.mkdir()
    (directory / "guard.json").write_text(json.dumps(GUARD))
    path = project / ".claude" / "settings.json"
    if data is not None:
        path.parent.mkdir()
        path.write_bytes(data)
    return path


def run(directory: Path, *argv: str, kill_at: int = 0) -> int:
    return subprocess.run(
        [sys.executable, "-c", KILLED, str(kill_at), *argv],
        cwd=directory / "project",
        env=environment(directory),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=120,
    ).returncode


INSTALL = ("install", "../guard.json", "--agent", "claude_code")
UNINSTALL = ("uninstall", "../guard.json")


def new_bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def sweep(tmp_path: Path, data: bytes | None, command: tuple[str, ...], steps: range) -> int:
    """Kill a command at each of its steps, and repair; return how many steps were reached."""
    reference = prepare(tmp_path / "reference", data)
    assert run(tmp_path / "reference", *INSTALL) == 0
    installed = new_bytes(reference)
    reached = 0
    for step in steps:
        directory = tmp_path / str(step)
        path = prepare(directory, data)
        if command == UNINSTALL:
            assert run(directory, *INSTALL) == 0
        if run(directory, *command, kill_at=step) != 99:
            break
        reached += 1
        assert new_bytes(path) in (data, installed), step
        assert run(directory, "status") == 0, step
        assert run(directory, *INSTALL) == 0, step
        assert new_bytes(path) == installed, step
        assert run(directory, *UNINSTALL) == 0, step
        assert new_bytes(path) == data, step
        left = [each for each in (directory / "project").rglob("*") if each not in (path, path.parent)]
        assert left == [], step
        assert data is not None or not path.parent.exists(), step
        records = [each.name for each in (directory / "home").rglob("installed/*")]
        assert records == ["lock"], step
    return reached


@pytest.mark.parametrize("command", [INSTALL, UNINSTALL], ids=["install", "uninstall"])
def test_a_kill_while_the_file_is_replaced(tmp_path: Path, command: tuple[str, ...]) -> None:
    assert sweep(tmp_path, SETTINGS, command, range(13, 14)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("data", [SETTINGS, None], ids=["a file", "no file"])
@pytest.mark.parametrize("command", [INSTALL, UNINSTALL], ids=["install", "uninstall"])
def test_a_kill_at_every_step(tmp_path: Path, command: tuple[str, ...], data: bytes | None) -> None:
    assert sweep(tmp_path, data, command, range(1, 200)) >= 15


def test_processes_that_install_at_once(tmp_path: Path) -> None:
    path = prepare(tmp_path, SETTINGS)
    names = [f"g{number}.json" for number in range(2)]
    for name in names:
        hooks = {"Stop": [{"hooks": [{"type": "command", "command": f"echo {name}"}]}]}
        (tmp_path / name).write_text(json.dumps({"hooks": hooks}))
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "sandhook", "install", f"../{name}", "--agent", "claude_code"],
            cwd=tmp_path / "project",
            env=environment(tmp_path),
            stdout=subprocess.DEVNULL,
        )
        for name in names
    ]
    assert [process.wait(120) for process in processes] == [0] * len(names)
    hooks = json.loads(path.read_bytes())["hooks"]["Stop"]
    assert sorted(group["hooks"][0]["command"] for group in hooks) == [f"echo {name}" for name in names]
    assert run(tmp_path, "status") == 0
    for name in names:
        assert run(tmp_path, "uninstall", f"../{name}") == 0
    assert path.read_bytes() == SETTINGS
