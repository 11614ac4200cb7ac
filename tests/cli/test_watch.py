"""sandhook watch: what runs once, and what runs again after a save, in a real terminal."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sandhook.cli.watching.subjects import expectation_files, subjects
from sandhook.cli.watching.watch import parser
from tests.cli.terminals import ATTRIBUTES, in_terminal
from tests.sandbox.tools import every

Sandhook = Callable[..., Any]

HOOKS = '{"hooks": {"PreToolUse": [{"matcher": "^bash$", "command": "./guard.sh"}]}}'
GUARD = "#!/bin/bash\ngrep -q rm && exit 2\nexit 0\n"
CASES = """version: 1
hooks: crush.json
event: tool.pre
tool: shell
cases:
  - {name: rm is refused, input: {command: rm x}, expect: deny}
  - {name: ls passes, input: {command: ls}, expect: proceed}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    (made / "crush.json").write_bytes(HOOKS.encode())
    (made / "guard.sh").write_bytes(GUARD.encode())
    (made / "guard.sh").chmod(0o755)
    (made / "guard.expect.yaml").write_bytes(CASES.encode())
    monkeypatch.chdir(made)
    return made


def lines(text: str) -> list[str]:
    """Return the results without the clock."""
    return [re.sub(r"^\d\d:\d\d:\d\d  ", "", line) for line in text.splitlines()]


@pytest.mark.parametrize("files", [(), ("crush.json",), ("crush.json", "guard.expect.yaml")])
def test_once_runs_everything(sandhook: Sandhook, project: Path, files: tuple[str, ...]) -> None:
    ran = sandhook("watch", "--once", "--store", project / "store", *files)
    assert (ran.status, ran.stderr) == (0, "")
    name = files[0] if files else "hooks of the agents"
    assert lines(ran.stdout) == [
        f"ok      {name}  nothing found in 1 hook",
        "ok      guard.expect.yaml  2 pass",
    ]


def test_once_reports_faults_and_fails(sandhook: Sandhook, project: Path) -> None:
    (project / "guard.sh").write_bytes(b"#!/bin/bash\nexit 0\n")
    ran = sandhook("watch", "--once", "guard.expect.yaml")
    assert (ran.status, lines(ran.stdout)) == (1, [
        "failed  guard.expect.yaml  1 pass, 1 fail",
        "  line 6: rm is refused",
        "    decision: expected deny, got proceed",
    ])  # fmt: skip
    (project / "guard.sh").unlink()
    ran = sandhook("watch", "--once", "crush.json", "--contract", "crush")
    assert ran.status == 1 and "E-FILE: ./guard.sh" in ran.stdout
    (project / "crush.json").write_bytes(b"{")
    ran = sandhook("watch", "--once", "crush.json", "--contract", "crush")
    assert ran.status == 1 and "E-CONFIG" in ran.stdout


def test_wrong_arguments(sandhook: Sandhook, project: Path) -> None:
    assert sandhook("watch", "--interval", "0").status == 2
    assert sandhook("watch", "--once", "--contract", "nosuch").status == 2


pytest_terminals = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind"
)


class Session:
    """A running ``sandhook watch`` in a terminal."""

    def __init__(self, project: Path, *arguments: str) -> None:
        import pty
        import termios

        self._ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (50, 120))
        variables = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "SANDHOOK_NO_CACHE": "1"}
        command = [sys.executable, "-msandhook", "watch", "--interval", "0.05", *arguments]
        self.child = subprocess.Popen(
            command,
            cwd=project,
            env=variables,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        os.set_blocking(self._ours, False)
        self.text = ""

    def read(self) -> str:
        try:
            data = os.read(self._ours, 65_536)
        except (BlockingIOError, OSError):
            return self.text
        self.text += ATTRIBUTES.sub("", data.decode("utf-8", "replace")).replace("\r\n", "\n")
        return self.text

    def wait_for(self, wanted: str) -> list[str]:
        """Return the new lines up to one with a text."""
        end = time.monotonic() + 120
        while wanted not in self.read():
            assert time.monotonic() < end and self.child.poll() is None, self.text
            time.sleep(0.02)
        text, self.text = self.text, ""
        return lines(text)

    def silence(self, seconds: float = 0.6) -> str:
        """Return what is printed in some time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read()
            time.sleep(0.02)
        return self.text

    def close(self) -> int:
        status = self.child.poll()
        if status is None:
            os.kill(self.child.pid, signal.SIGINT)
            status = self.child.wait(60)
        self.read()
        os.close(self._ours)
        return status


@pytest.fixture
def watch(project: Path, home: Path) -> Iterator[Callable[..., Session]]:
    sessions: list[Session] = []

    def start(*arguments: str) -> Session:
        sessions.append(Session(project, *arguments))
        sessions[-1].wait_for("Ctrl-C ends")
        return sessions[-1]

    yield start
    for session in sessions:
        if session.child.poll() is None:
            session.child.kill()
            session.child.wait()


def by_renaming(path: Path, text: str) -> None:
    """Save as vim and most editors do: a new file takes the name of the old one."""
    new = path.with_name(f".{path.name}.new")
    new.write_bytes(text.encode())
    new.chmod(path.stat().st_mode)
    new.replace(path)


def by_removing(path: Path, text: str) -> None:
    mode = path.stat().st_mode
    path.unlink()
    time.sleep(0.02)
    path.write_bytes(text.encode())
    path.chmod(mode)


def in_place(path: Path, text: str) -> None:
    path.write_bytes(text.encode())


@pytest_terminals
@pytest.mark.parametrize("save", every(3, [by_renaming, in_place, by_removing]))
def test_a_saved_script_runs_what_depends_on_it(
    watch: Callable[..., Session], project: Path, save: Callable[[Path, str], None]
) -> None:
    session = watch()
    save(project / "guard.sh", "#!/bin/bash\nexit 0\n")
    shown = session.wait_for("expected deny, got proceed")
    assert [line for line in shown if line.startswith(("ok", "failed"))] == [
        "ok      hooks of the agents  nothing found in 1 hook",
        "failed  guard.expect.yaml  1 pass, 1 fail",
    ]
    save(project / "guard.sh", GUARD)
    assert any(line.startswith("ok      guard.expect.yaml  2 pass") for line in session.wait_for("2 pass"))
    assert session.silence() == ""
    assert session.close() == 0 and "Traceback" not in session.text


@pytest_terminals
def test_saved_expectations_run_alone(watch: Callable[..., Session], project: Path) -> None:
    session = watch()
    in_place(project / "guard.expect.yaml", CASES.replace("expect: proceed", "expect: deny"))
    shown = session.wait_for("expected deny, got proceed")
    assert [line for line in shown if line.startswith(("ok", "failed"))] == [
        "failed  guard.expect.yaml  1 pass, 1 fail"
    ]
    assert session.close() == 0


def test_expectations_of_one_hook_depend_on_its_script_alone(project: Path) -> None:
    two = HOOKS.replace("]}}", ', {"command": "./other.sh"}]}}')
    (project / "crush.json").write_bytes(two.encode())
    (project / "other.sh").write_bytes(GUARD.encode())
    (project / "other.sh").chmod(0o755)
    (project / "guard.expect.yaml").write_bytes(CASES.replace("event:", "only: guard.sh\nevent:").encode())
    (project / "all.expect.yaml").write_bytes(CASES.encode())
    options = parser().parse_args(["--store", str(project / "store"), "crush.json"])
    scripts = {
        each.name: {Path(file).name for file in each.files if file.endswith(".sh")}
        for each in subjects(options, ["crush.json"])
    }
    assert scripts == {
        "crush.json": {"guard.sh", "other.sh"},
        "guard.expect.yaml": {"guard.sh"},
        "all.expect.yaml": {"guard.sh", "other.sh"},
    }


@pytest_terminals
def test_other_files_run_nothing_and_new_expectations_do(
    watch: Callable[..., Session], project: Path
) -> None:
    session = watch()
    (project / "notes.txt").write_bytes(b"x")
    assert session.silence() == ""
    (project / "more.expect.yaml").write_bytes(CASES.encode())
    assert any("ok      more.expect.yaml  2 pass" in line for line in session.wait_for("2 pass"))
    (project / "more.expect.yaml").unlink()
    assert "Traceback" not in session.silence()
    in_place(project / "crush.json", HOOKS.replace("guard.sh", "gone.sh"))
    assert any("E-FILE" in line for line in session.wait_for("E-FILE"))
    by_renaming(project / "crush.json", "{")
    session.wait_for("E-CONFIG")
    by_renaming(project / "crush.json", HOOKS)
    session.wait_for("2 pass")
    assert session.close() == 0


@pytest_terminals
def test_a_script_that_appears_is_noticed(watch: Callable[..., Session], project: Path) -> None:
    (project / "guard.sh").unlink()
    session = watch("crush.json", "guard.expect.yaml")
    assert session.silence(0.3) == ""
    (project / "guard.sh").write_bytes(GUARD.encode())
    (project / "guard.sh").chmod(0o755)
    session.wait_for("guard.expect.yaml  2 pass")
    assert session.close() == 0


@pytest_terminals
def test_ctrl_c_ends_quietly(watch: Callable[..., Session]) -> None:
    session = watch()
    assert (session.close(), session.text.replace("^C", "").strip()) == (0, "")


def test_a_drive_in_either_case_is_one_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if sys.platform != "win32":  # what Windows has as one directory
        (tmp_path / "C:").mkdir()
        (tmp_path / "c:").symlink_to("C:")
    drive = "C:" if sys.platform != "win32" else tmp_path.drive.upper()
    place = f"{drive}/p" if sys.platform != "win32" else f"{drive}{tmp_path.as_posix()[2:]}"
    Path(place).mkdir(exist_ok=True)
    for name in ("a.expect.yaml", "b.expect.json", "c.expect.yml"):
        Path(place, name).write_text("version: 1\n")
    found = expectation_files({place, place[:1].lower() + place[1:]})
    assert found == [f"{place}/{name}" for name in ("a.expect.yaml", "b.expect.json", "c.expect.yml")]


def test_a_deleted_configuration_is_no_silent_success(sandhook: Sandhook, project: Path) -> None:
    (project / "crush.json").unlink()
    (project / "guard.expect.yaml").unlink()
    ran = sandhook("watch", "--once", "--contract", "crush", "--store", project / "store")
    (first,) = lines(ran.stdout)
    assert re.fullmatch(r"ok      hooks of the agents  no hooks: none of the \d+ files has any", first)


def test_a_case_whose_hook_could_not_run_has_the_reason(sandhook: Sandhook, project: Path) -> None:
    (project / "guard.sh").write_bytes(b"#!/bin/bash\nfrobnicate\n")
    ran = sandhook("watch", "--once", "--store", project / "store", "guard.expect.yaml")
    assert ran.status == 1
    assert any(re.search("could not run: .*frobnicate", line) for line in lines(ran.stdout)), ran.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal")
def test_a_narrow_terminal_keeps_faults_below_their_file(project: Path) -> None:
    (project / "guard.sh").write_bytes(b"#!/bin/bash\nif fi\n")
    command = ("watch", "--once", "--store", project / "store", "crush.json")
    shown = in_terminal(*command, cwd=project, columns=40)
    found = shown.text.splitlines()
    assert "failed" in found[0] and len(found) > 4
    assert all(re.match(r"  |\d\d:\d\d:\d\d  ", each) for each in found), shown.text
