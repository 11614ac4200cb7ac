"""The shell tool: state, limits, cut output, streams, snapshots."""

from __future__ import annotations

import asyncio
import sys
from contextvars import ContextVar

import pytest

from sandhook import Limits, Shell, SnapshotError
from sandhook.bridges.shelltool import ShellOutput, ShellTool, shortened


def test_state_stays_between_commands() -> None:
    shell = ShellTool(files={"a.txt": "one\n"})
    shell.run("x=5; cd /tmp")
    assert shell.run("echo $x; pwd; cat /workspace/a.txt").text == "5\n/tmp\none"


def test_the_text_has_both_outputs_and_how_it_ended() -> None:
    output = ShellTool().run("echo out; echo err >&2; exit 3")
    assert output == ShellOutput("out\nerr\n[exit status 3]", "out\n", "err\n", 3)
    assert ShellTool().run("printf out; echo err >&2").text == "out\nerr"
    assert ShellTool().run("true").text == ""


def test_a_timeout_is_named_and_never_longer_than_the_limit() -> None:
    shell = ShellTool(limits=Limits(wall_seconds=0.3))
    for timeout in (None, 0.1, 100):
        output = shell.run("echo begun; while :; do :; done", timeout=timeout)
        assert (output.text, output.limit) == ("begun\n[the command timed out]", "wall_seconds")
    assert shell.run("echo again").text == "again"
    steps = ShellTool(limits=Limits(steps=1000)).run("while :; do :; done")
    assert steps.text == "[the command was ended: limit steps]"


def test_output_is_cut_in_the_middle() -> None:
    shell = ShellTool(max_chars=10)
    output = shell.run("seq 1 100 | tr '\\n' ' '")
    assert output.text == "1 2 3\n[... 282 characters cut ...]\n 100 "
    assert output.cut and len(output.stdout) == 292
    assert shell.run("echo hello", max_chars=4).text == "he\n[... 2 characters cut ...]\no"
    dropped = ShellTool(limits=Limits(output_bytes=100)).run("seq 1 1000; echo end >&2")
    assert dropped.text.endswith("[more output was dropped]") and dropped.cut and dropped.limit is None
    assert shortened("abc", 3) == ("abc", False)
    assert shortened("abcd", 1) == ("a\n[... 3 characters cut ...]\n", True)


def test_output_is_streamed() -> None:
    async def run() -> list[str | ShellOutput]:
        return [
            item async for item in ShellTool().stream("echo one; printf '\\303'; printf '\\251\\n'; exit 2")
        ]

    *pieces, last = asyncio.run(run())
    assert "".join(str(piece) for piece in pieces) == "one\né\n"
    assert last == ShellOutput("one\né\n[exit status 2]", "one\né\n", "", 2)


def test_output_is_written_while_the_command_runs() -> None:
    pieces: list[str] = []
    output = ShellTool().run(
        "printf '\\303'; printf '\\251\\n'; echo two >&2; printf '\\303'", write=pieces.append
    )
    assert "".join(pieces) == "é\ntwo\n\ufffd"
    assert (output.stdout, output.stderr) == ("é\n\ufffd", "two\n")


def test_what_writes_sees_the_context_of_the_caller() -> None:
    variable: ContextVar[str] = ContextVar("variable")
    variable.set("seen")
    pieces: list[str] = []
    ShellTool().run("echo x | cat", write=lambda text: pieces.append(variable.get("lost")))
    assert pieces == ["seen"]


def test_arun_is_cancelled() -> None:
    async def run() -> str:
        shell = ShellTool()
        task = asyncio.ensure_future(shell.arun("x=1; while :; do :; done"))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return (await shell.arun("echo alive")).text

    assert asyncio.run(asyncio.wait_for(run(), 20)) == "alive"


def test_a_tool_is_stored_restored_and_forked() -> None:
    shell = ShellTool(name="sh", max_chars=50)
    shell.run("x=1; echo data > f")
    restored = ShellTool.restore(shell.snapshot(), limits=Limits(wall_seconds=1.0), max_chars=7)
    fork = shell.fork()
    shell.run("x=2; rm f")
    assert restored.run("echo $x; cat f").text == "1\ndata" == fork.run("echo $x; cat f").text
    assert (fork.name, fork.max_chars, restored.max_chars) == ("sh", 50, 7)
    assert restored.shell.limits.wall_seconds == 1.0
    with pytest.raises(SnapshotError):
        ShellTool.restore(b"junk")


def test_commands_reach_nothing_of_the_machine() -> None:
    output = ShellTool().run("curl -s http://localhost/ ; cat /etc/shadow; python3 -c 1")
    assert output.exit_status == 127
    assert "no network" in ShellTool().description


def test_a_session_may_be_that_of_the_caller() -> None:
    session = Shell(files={"f": "x"}).session()
    assert ShellTool(session=session).run("cat f").text == "x"


def test_arguments_are_checked() -> None:
    for wrong in (0, -1, True, "9"):
        with pytest.raises(ValueError, match="max_chars must be a number above 0"):
            ShellTool(max_chars=wrong)  # type: ignore[arg-type]


def test_the_description_has_git_where_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dulwich", None)  # as if it were not installed
    assert "find). Variables" in ShellTool().description
    monkeypatch.setitem(sys.modules, "dulwich", sys)  # a module with a spec
    assert "find, git). Variables" in ShellTool().description
