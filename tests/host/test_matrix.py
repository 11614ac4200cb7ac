"""The matrix that a cross-platform hook runner has to pass, fired through the engine as an agent would.

Every row runs on Linux, macOS and Windows alike; the hooks are Crush's, whose contract this is. The programs
are Python, which is there because the tests are, and what the system itself has.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from sandhook import Host, HostRunner
from sandhook.hooks import HookEngine, ToolPre
from sandhook.hooks.model import Decision

WINDOWS = sys.platform == "win32"

#: Seconds in which an interpreter has surely started its child.
PATIENCE = 8 if WINDOWS else 2

Fire = Callable[..., Decision]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a workspace, with a directory ``tools`` next to it that is in PATH and holds the program ``tool``."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "work").mkdir()
    show = "import json, sys\nprint(json.dumps({'decision': 'deny', 'reason': ' '.join(sys.argv[1:])}))\n"
    (tmp_path / "tools" / "show.py").write_text(show)
    if WINDOWS:
        (tmp_path / "tools" / "tool.cmd").write_text(f'@"{sys.executable}" "%~dp0show.py" %*\n')
    else:
        tool = tmp_path / "tools" / "tool"
        tool.write_text(f"#!{sys.executable}\n{show}")
        tool.chmod(0o755)
    return tmp_path / "work"


@pytest.fixture
def fire(place: Path) -> Fire:
    def fire(
        *commands: str, host: Host | None = None, path: str | None = None, timeout: int = 60
    ) -> Decision:
        """Fire a call of the tool "bash" at hooks; their files lie in the workspace."""
        tools = [str(place.parent / "tools"), str(Path(sys.executable).parent)]
        environment = {
            **os.environ,
            "PATH": os.pathsep.join([*tools, os.environ["PATH"]] if path is None else [path]),
        }
        config = {"hooks": {"PreToolUse": [{"command": command, "timeout": timeout} for command in commands]}}
        runner = HostRunner(host, workspace=str(place), env=environment)
        engine = HookEngine.load(config, "crush", host=runner, env=environment)
        return engine.fire(ToolPre("bash", {"command": "make"}, cwd=place.as_posix(), session_id="s"))

    return fire


def write(place: Path, name: str, text: str | bytes) -> None:
    """Make a file without the executable bit: no hook needs it."""
    (place / name).write_bytes(text if isinstance(text, bytes) else text.encode())


def denied(decision: Decision) -> str | None:
    assert decision.refused, [(outcome.stdout, outcome.stderr, outcome.run) for outcome in decision.outcomes]
    return decision.reason


def failed(decision: Decision, status: int) -> str:
    """Return the only hook's message, when it failed with a status and nothing came of it."""
    (outcome,) = decision.outcomes
    assert outcome.run is not None
    assert (outcome.run.exit_status, decision.refused, decision.permission) == (status, False, "none"), (
        outcome
    )
    return outcome.stderr


# --------------------------------------------------------------------------- text in the configuration


def test_inline_echo(fire: Fire) -> None:
    assert denied(fire("""echo '{"decision": "deny", "reason": "said"}'""")) == "said"
    assert fire("""echo '{"decision": "allow"}'""").permission == "allow"


def test_inline_exit(fire: Fire) -> None:
    assert denied(fire("echo why >&2; exit 2")) == "why"
    assert fire("exit 49").halt
    assert not fire("exit 1").refused
    assert not fire("").outcomes


def test_inline_pipeline(fire: Fire) -> None:
    text = (
        """jq -r '.tool_name + " " + .tool_input.command' | tr a-z A-Z | { read -r all; tool "$all" two; }"""
    )
    assert denied(fire(text)) == "BASH MAKE two"


def test_inline_redirections(fire: Fire, place: Path) -> None:
    assert denied(fire("cat > payload; tool < payload > answer 2>&1; cat < answer")) is None
    assert json.loads((place / "payload").read_text())["tool_input"] == {"command": "make"}
    assert b"deny" in (place / "answer").read_bytes()


# --------------------------------------------------------------------------- files


def test_a_file_without_first_line(fire: Fire, place: Path) -> None:
    write(place, "hook", 'tool "$0" "$#" "$2" "$CRUSH_TOOL_NAME"\n')
    assert denied(fire("./hook one 'two words'")) == "./hook 2 two words bash"
    write(place, "hook", "cat >/dev/null\nexit 2\n")
    assert denied(fire("./hook | cat; exit ${PIPESTATUS[0]}")) == "blocked by hook"
    write(place, "hook", "")
    assert fire("./hook").outcomes[0].run.exit_status == 0  # type: ignore[union-attr]


def test_a_file_for_bash(fire: Fire, place: Path) -> None:
    found = shutil.which("bash")
    if found is None or "system32" in found.lower():
        pytest.skip("there is no bash; a test below says what happens then")
    write(
        place, "hook", '#!/bin/bash -u\n[[ $BASH_VERSION && $- == *u* ]] && echo "$0 $1 ${1^^}" >&2\nexit 2\n'
    )
    assert str(denied(fire("./hook one"))).endswith("hook one ONE")


def test_a_file_for_python_by_env(fire: Fire, place: Path) -> None:
    text = "#!/usr/bin/env python3\nimport json, sys\nevent = json.load(sys.stdin)\n"
    write(place, "hook.py", text + "print(event['tool_name'], sys.argv[1:], file=sys.stderr)\nsys.exit(2)\n")
    for name in (
        "./hook.py",
        "../work/hook.py",
        '"$CRUSH_CWD/hook.py"',
        '"$PWD/hook.py"',
        "cd ..; work/hook.py",
    ):
        assert denied(fire(f"{name} one 'two words'")) == "bash ['one', 'two words']"


def test_a_file_with_a_split_first_line(fire: Fire, place: Path) -> None:
    write(place, "hook", "#!/usr/bin/env -S tool --flag 'two words'\n")
    assert str(denied(fire("./hook one"))).startswith("--flag two words ")
    assert str(denied(fire("./hook one"))).endswith("hook one")


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_a_file_for_node_with_a_flag(fire: Fire, place: Path) -> None:
    text = "#!/usr/bin/env -S node --title=hook\nconsole.error(process.execArgv[0], process.argv[2]); process.exit(2)\n"
    write(place, "hook.js", text)
    assert denied(fire("./hook.js one")) == "--title=hook one"


def test_a_first_line_with_a_carriage_return(fire: Fire, place: Path) -> None:
    write(
        place,
        "hook",
        "#!/usr/bin/env python3\r\nimport sys\r\nprint('said', file=sys.stderr)\r\nsys.exit(2)\r\n",
    )
    decision = fire("./hook")
    assert denied(decision) == "said"
    (outcome,) = decision.outcomes
    assert outcome.run is not None
    assert "./hook: the '#!' line ends in a carriage return, which was dropped" in outcome.run.diagnostics


@pytest.mark.skipif(os.name == "nt", reason="Windows has no executable bit")
@pytest.mark.parametrize("first", ["#!/bin/sh\n", ""])
def test_a_file_that_is_not_executable_is_reported(fire: Fire, place: Path, first: str) -> None:
    (place / "d").mkdir()
    write(place / "d", "hook", f"{first}echo said >&2\nexit 2\n")
    note = "d/hook: is not executable: the system refuses to start it"
    for mode, command, notes in ((0o644, "d/hook", [note]), (0o644, "./d/hook", []), (0o755, "d/hook", [])):
        (place / "d" / "hook").chmod(mode)  # a file with "./" before it is read by Crush's own shell
        decision = fire(command)
        assert denied(decision) == "said"
        (outcome,) = decision.outcomes
        assert outcome.run is not None
        assert [each for each in outcome.run.diagnostics if "executable" in each] == notes


def test_a_file_that_is_missing_blocks_nothing(fire: Fire) -> None:
    assert "./hook: No such file or directory" in failed(fire("./hook"), 1)
    assert "nosuch: command not found" in failed(fire("nosuch"), 127)


def test_files_that_cannot_run_block_nothing(fire: Fire, place: Path) -> None:
    (place / "directory").mkdir()
    assert "./directory: Is a directory" in failed(fire("./directory"), 1)
    for text, status, message in (
        ("#!\n", 126, "empty shebang"),
        ("#!/usr/bin/env\n", 126, "env: missing program name"),
        ("#!/usr/bin/env -x bash\n", 126, "unsupported env flag: -x"),
        ("#!/usr/bin/env nosuch\n", 127, "nosuch: bad interpreter"),
        ("#!/opt/nosuch\n", 127, "/opt/nosuch: bad interpreter"),
    ):
        write(place, "hook", text)
        assert f"./hook: {message}" in failed(fire("./hook"), status)
    write(place, "hook.ps1", "Write-Output 1\n")
    assert "'#!/usr/bin/env -S pwsh -NoProfile -File'" in failed(fire("./hook.ps1"), 126)


def test_a_file_for_bash_where_there_is_none(fire: Fire, place: Path) -> None:
    write(place, "hook", "#!/opt/nowhere/bash\necho own >&2; exit 2\n")
    nothing = str(place.parent / "tools")
    message = failed(fire("./hook", path=nothing, host=Host(own_shell="never")), 127)
    assert "/opt/nowhere/bash: bad interpreter" in message and 'own_shell="missing"' in message
    assert "own" in str(denied(fire("./hook", path=nothing, host=Host(own_shell="missing"))))


def test_the_table_of_extensions(fire: Fire, place: Path) -> None:
    write(place, "hook.py", "import sys\nsys.exit('said')\n")
    failed(fire("./hook.py"), 126)
    assert "said" in failed(fire("./hook.py", host=Host(extensions={".py": ("python3", "-I")})), 1)


def test_a_program_as_it_is(fire: Fire, place: Path) -> None:
    if WINDOWS:
        shutil.copy(os.environ["COMSPEC"], place / "prog.exe")
        assert failed(fire("./prog.exe /d /c exit 7"), 7) == ""
        assert failed(fire(r"'.\prog' /d /c exit 7"), 7) == ""
        assert failed(fire(r'"$CRUSH_CWD\prog.exe" /d /c exit 7'), 7) == ""
    else:
        shutil.copy("/bin/sh", place / "prog.exe")
        assert failed(fire("./prog.exe -c 'exit 7'"), 7) == ""
        (place / "prog.exe").chmod(0o644)
        assert "./prog.exe: Permission denied" in failed(fire("./prog.exe -c 'exit 7'"), 126)


@pytest.mark.skipif(not WINDOWS, reason="batch files are of Windows")
def test_batch_files(fire: Fire, place: Path) -> None:
    write(place, "my hook.bat", "@echo off\r\necho %~1>&2\r\nexit /b 2\r\n")
    assert str(denied(fire("'./my hook.bat' 'two words'"))).strip() == "two words"
    assert str(denied(fire("'./my hook' x"))).strip() == "x"
    assert "cannot be quoted safely" in failed(fire("'./my hook.bat' 'a&echo b'"), 126)


# --------------------------------------------------------------------------- processes


@pytest.mark.slow
def test_a_timeout_ends_the_interpreter_and_its_children(fire: Fire, place: Path) -> None:
    write(
        place,
        "hook",
        "#!/usr/bin/env python3\nimport os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'])\n"
        "with open('pids', 'w') as file:\n    print(os.getpid(), child.pid, file=file)\n"
        "os.rename('pids', 'ready')\ntime.sleep(300)\n",
    )
    begin = time.monotonic()
    decision = fire("./hook & wait", timeout=PATIENCE)
    assert time.monotonic() - begin < PATIENCE + 60  # of the 300 that the processes would sleep
    (outcome,) = decision.outcomes
    assert outcome.run is not None and outcome.run.timed_out
    assert not decision.refused, "a timeout is no opinion"
    pids = list(map(int, (place / "ready").read_text().split()))
    assert len(pids) == 2 and not any(map(lives, pids))


def test_ten_hooks_at_once_leave_nothing(fire: Fire, place: Path) -> None:
    text = "#!/usr/bin/env python3\nimport sys\nprint('n' + sys.argv[1], file=sys.stderr)\nsys.exit(2)\n"
    write(place, "hook", text)
    fire("./hook 0 | cat")  # what is opened once and for all is open now
    before = used()
    decision = fire(
        *(
            f"x={number}; ./hook $x 2>&1 >/dev/null | {{ read -r y; echo $y >&2; }}; exit 2"
            for number in range(10)
        )
    )
    assert [outcome.stderr.split() for outcome in decision.outcomes] == [
        [f"n{number}"] for number in range(10)
    ]
    assert denied(decision) == "\n".join(f"n{number}" for number in range(10)), (
        "in the order of the configuration"
    )
    assert used() == before


def lives(pid: int) -> bool:
    """Whether a process runs, or is a zombie that we left; another's zombie is its own affair."""
    try:
        process = psutil.Process(pid)
        return process.status() != psutil.STATUS_ZOMBIE or process.ppid() == os.getpid()
    except psutil.NoSuchProcess:
        return False


def used() -> dict[str, Any]:
    """Return what this process holds: children, threads, descriptors."""
    me = psutil.Process()
    held = {"children": len(me.children(recursive=True)), "threads": threading.active_count()}
    return held if WINDOWS else {**held, "descriptors": me.num_fds()}
