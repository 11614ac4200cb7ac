"""``sandhook mcp-shell`` with the official client."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs sandhook[mcp]")

from mcp import ClientSession, StdioServerParameters, stdio_client

from sandhook.cli import main

pytestmark = pytest.mark.filterwarnings("ignore")  # those of the client's package

SHELL = [sys.executable, "-m", "sandhook", "mcp-shell"]


async def use(options: list[str], *calls: tuple[str, dict[str, object]]) -> list[Any]:
    """Return the results of calls on one connection."""
    words = [*SHELL, *options]
    parameters = StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ))
    async with stdio_client(parameters) as (reader, writer), ClientSession(reader, writer) as session:
        await session.initialize()
        (tool,) = (await session.list_tools()).tools
        assert tool.name == "bash" and tool.input_schema["required"] == ["command"]
        return [await session.call_tool(name, arguments) for name, arguments in calls]


def bash(command: object) -> tuple[str, dict[str, object]]:
    return "bash", {"command": command}


def test_a_connection_is_a_session(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("b\na\n")
    results = asyncio.run(
        use(
            ["--mount", f"{tmp_path}:/data", "--env", "WHO=me", "--max-chars", "1000", "--timeout", "2"],
            bash("cd /data; x=1; sort in.txt | tee out.txt; echo $WHO"),
            bash("echo $x $PWD; cat out.txt; exit 3"),
            bash("seq 100000"),
            bash("while :; do :; done"),
            bash("curl -sS https://example.org; echo $x; uname"),
            bash(7),
            ("nosuch", {}),
        )
    )
    texts = [result.content[0].text for result in results]
    assert texts[:2] == ["a\nb\nme", "1 /data\na\nb\n[exit status 3]"]
    assert "characters cut" in texts[2] and len(texts[2]) < 1200
    assert texts[3] == "[the command timed out]"
    assert texts[4].startswith("1\nLinux\ncurl: (6) ")
    assert [result.is_error for result in results] == [False] * 5 + [True, True]
    assert not (tmp_path / "out.txt").exists(), "files of the machine are copied when they change"


def test_a_cancelled_call_ends_the_command() -> None:
    async def cancel() -> str:
        parameters = StdioServerParameters(
            command=SHELL[0], args=[*SHELL[1:], "--timeout", "600"], env=dict(os.environ)
        )
        async with stdio_client(parameters) as (reader, writer), ClientSession(reader, writer) as session:
            await session.initialize()
            call = asyncio.create_task(session.call_tool(*bash("x=1; while :; do :; done")))
            await asyncio.sleep(1)
            call.cancel()
            result = await session.call_tool(*bash("echo $x"))
            return str(result.content[0].text)

    assert asyncio.run(asyncio.wait_for(cancel(), 120)) == "1"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--timeout", "0"], "mcp-shell: --timeout must be more than 0"),
        (["--env", "1x=2"], "mcp-shell: --env 1x=2: wanted NAME=VALUE"),
        (["--mount", "/nosuch:/x"], "/nosuch"),
    ],
)
def test_usage_errors(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp-shell", *options]) == 2
    assert message in capsys.readouterr().err
