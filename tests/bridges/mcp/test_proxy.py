"""``sandhook mcp-proxy`` as a process: streams, ends, and what it refuses to start."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from sandhook.cli.mcp.proxy import name_of

#: Answers every request with its own line, and what it was asked to do.
SERVER = r"""
import json, sys, time
sys.stderr.write("server: ready\n"); sys.stderr.flush()
for line in sys.stdin.buffer:
    message = json.loads(line)
    arguments = (message.get("params") or {}).get("arguments") or {}
    if arguments.get("exit") is not None:
        sys.exit(arguments["exit"])
    if "hang" in arguments:
        time.sleep(60)
    if "id" not in message:
        continue
    result = {"content": [{"type": "text", "text": json.dumps(arguments)}]}
    result["seen"] = line.decode()
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
sys.stderr.write("server: the input ended\n"); sys.stderr.flush()
sys.exit(7)
"""

GUARD = """{"hooks": {"PreToolUse": [{"matcher": "mcp__demo__.*", "hooks": [{"type": "command",
  "command": "jq -e '.tool_input.path == \\"/etc\\"' >&2 && exit 2 || exit 0"}]}]}}"""

Start = Callable[..., "Client"]


class Client:
    """A client that writes and reads lines."""

    def __init__(self, directory: Path, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sandhook", "mcp-proxy", *words],
            cwd=directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def send(self, message: object) -> None:
        line = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.input.write(line)
        self.input.flush()

    def call(self, number: int, **arguments: object) -> Any:
        params = {"name": "do", "arguments": arguments}
        self.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})

    def read(self) -> Any:
        return json.loads(self.output.readline())

    @property
    def input(self) -> IO[bytes]:
        assert self.process.stdin is not None
        return self.process.stdin

    @property
    def output(self) -> IO[bytes]:
        assert self.process.stdout is not None
        return self.process.stdout

    def end(self) -> tuple[int, str]:
        """End the input; return the exit status and standard error."""
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors.decode()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "hooks.json").write_text(GUARD)
    clients: list[Client] = []

    def begin(*options: str, server: tuple[str, ...] = (sys.executable, "server.py")) -> Client:
        words = options or ("--hooks", "hooks.json", "--contract", "claude_code", "--name", "demo")
        clients.append(Client(tmp_path, *words, "--", *server))
        return clients[-1]

    yield begin
    for client in clients:
        client.process.kill()
        client.process.communicate()


def test_calls_pass_and_are_refused_and_both_ends_end(start: Start) -> None:
    client = start()
    client.call(1, path="/tmp")
    assert client.read()["result"]["content"][0]["text"] == '{"path": "/tmp"}'
    client.call(2, path="/etc")
    refused = client.read()
    assert refused["id"] == 2 and refused["result"]["isError"] is True
    large = "x" * 5_000_000
    client.call(3, path=large)
    assert client.read()["result"]["content"][0]["text"] == json.dumps({"path": large})
    line = b'{ "method":"ping",  "id":4, "\\u0061":[1.0e2]}\n'
    client.send(line)
    assert client.read()["result"]["seen"] == line.decode()
    status, errors = client.end()
    lines = errors.splitlines()
    assert status == 7 and "server: ready" in lines and lines[-1] == "server: the input ended"


def test_what_is_in_flight_is_answered_after_the_end_of_the_input(start: Start) -> None:
    client = start()
    for number in range(20):
        client.call(number, path=str(number))
    output, _ = client.process.communicate(timeout=60)
    assert sorted(json.loads(line)["id"] for line in output.splitlines()) == list(range(20))
    assert client.process.returncode == 7


def test_the_end_of_the_server_ends_the_proxy(start: Start) -> None:
    client = start()
    client.call(1, exit=5)
    assert client.output.read() == b""
    assert client.process.wait(30) == 5


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM that a process can handle")
def test_a_signal_ends_both(start: Start) -> None:
    client = start()
    client.call(1, path="a")
    client.read()
    client.call(2, hang=True)
    time.sleep(0.2)
    began = time.monotonic()
    client.process.terminate()
    assert client.process.wait(30) == 143
    assert client.output.read() == b"", "the server has ended, too"
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("options", "server", "status", "message"),
    [
        ((), ("/nosuch/server",), 127, "sandhook: mcp-proxy: /nosuch/server: "),
        (("--name", "x"), ("true",), 2, "mcp-proxy: needs --hooks FILE, or --contract NAME"),
        (("--hooks", "gone.json"), ("true",), 2, "gone.json: No such file or directory"),
        (("--contract", "crush"), ("true",), 2, "mcp-proxy: there are no hooks; --fail-open passes all calls then"),
    ],
)  # fmt: skip
def test_what_it_does_not_start(
    start: Start, options: tuple[str, ...], server: tuple[str, ...], status: int, message: str
) -> None:
    ended, errors = start(*options, server=server).end()
    assert ended == status and message in errors and "Traceback" not in errors


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("npx -y @modelcontextprotocol/server-filesystem /tmp", "filesystem"),
        ("uvx mcp-server-git --repository .", "git"),
        ("python3.12 -m mcp_server_time", "time"),
        ("/usr/bin/node build/index.js", "index"),
        ("uv run weather.py", "weather"),
        ("npx some-mcp@1.2", "some"),
        ("C:\\tools\\my server.exe", "my_server"),
        ("python", "python"),
    ],
)
def test_names_of_servers(command: str, name: str) -> None:
    words = [command] if "\\" in command else command.split()
    assert name_of(words) == name
