"""A user's program over the public interface passes ``mypy --strict``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

#: Lines that a type checker refuses end with ``# refused``.
PROGRAM = """\
import asyncio
from collections.abc import Mapping

from sandhook import Cancellation, Limits, Network, Result, Session, Shell, UtilityContext, utility
from sandhook.hooks import Decision, Event, HookEngine, PromptSubmit, SessionStart, Stop, ToolFail, ToolPost, ToolPre
from sandhook.hooks.continuation import Continuation

text = {"command": "ls"}
mixed = {"command": "ls", "timeout": 3}
lines: dict[str, list[str]] = {"files": ["a"]}
anything: Mapping[str, object] = mixed


@utility
def shout(ctx: UtilityContext) -> str:
    return " ".join(ctx.args).upper()


def events() -> list[Event]:
    return [
        ToolPre("Bash", {"command": "ls", "args": [1, None, {"a": True}]}),
        ToolPre("Bash", text, session_id="s", cwd="/w", extras={"model": "m", "n": 1}),
        ToolPre("Bash", mixed),
        ToolPre("Bash", lines),
        ToolPre(tool="Bash", input=anything, call_id="c"),
        ToolPre("Bash"),
        ToolPost("Bash", text, result=lines).with_(turn=1),
        ToolPost("Bash", text, result=[1, "a"]),
        ToolFail("Bash", text, error="e"),
        PromptSubmit("hello", turn_id="t"),
        SessionStart(is_sub_agent=True),
        Stop(True),
    ]


ToolPre("Bash", text, session="s")  # refused
ToolPre(3)  # refused
ToolPre("Bash", 1j)  # refused
PromptSubmit()  # refused

engine = HookEngine.load({"hooks": {"PreToolUse": []}}, "claude_code", compat="strict", fail_closed=True)
HookEngine.load({}, "claude_code", compat="loose")  # refused
decision: Decision = engine.fire(ToolPre("Bash", text))
refused: bool = decision.refused
why: str | None = decision.reason
turn = Continuation(lambda active: engine.fire(Stop(active)))
ended: str = turn.ended

shell = Shell(files={"a.txt": "b"}, limits=Limits(steps=1000), network=Network(["https://example.com"]), utilities=[shout])
session: Session = shell.session(env={"A": "b"})


def read(count: int, seconds: float) -> bytes:
    return b""


def write(data: bytes) -> None:
    return


result: Result = shell.run("cat", stdin=read, args=["a"], env={"X": "y"}, stdout=write, overflow="drop")
result = session.run("cat", stdin=read, args=("a",), env={"X": "y"}, stderr=write, cancel=Cancellation())
shell.run("cat", overflow="keep")  # refused
session.run("cat", fs=None)  # refused
kept: bytes = session.snapshot()
again: Session = Shell.restore(kept, limits=Limits(), network=None, crlf=False)
Shell.restore(kept, cwd="/")  # refused
Shell.restore("text")  # refused
names: list[str] = [path for path in shell.files if shell.files[path] != b""]
patch: str = again.fork().diff(kept).text


async def main() -> bytes:
    first = await shell.arun("cat", stdin="x", name="n", from_file=True)
    second = await session.arun("cat", stdin="x", args=["a"], limits=Limits())
    await shell.arun("cat", stdim="x")  # refused
    await session.arun("cat", args="a", overflow=1)  # refused
    async for piece in session.stream("cat", stdin="x", args=["a"]):
        first_bytes: bytes = piece.data
        piece.stream == "output"  # refused
    shell.stream("cat", stdout=write)  # refused
    third = await engine.afire(ToolPre("Bash", text))
    return first.stdout_bytes + second.stdout_bytes + str(third.refused).encode()


asyncio.run(main())
"""


@pytest.mark.slow
def test_a_program_over_the_public_interface_is_well_typed(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = true\npython_version = 3.11\n")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--no-error-summary",
        "--cache-dir",
        str(tmp_path / "cache"),
        program.name,
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    reported = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    wanted = {number for number, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# refused")}
    assert reported == wanted, done.stdout + done.stderr
