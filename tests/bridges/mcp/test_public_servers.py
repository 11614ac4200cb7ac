"""Public MCP servers and clients with the proxy between them: all traffic is unchanged but for what hooks change.

The servers are installed from PyPI and npm; SANDHOOK_MCP_SERVERS names a directory that keeps them.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import venv
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs sandhook[mcp]")

from mcp import ClientSession, StdioServerParameters, stdio_client

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("npm") is None, reason="npm installs two of the servers"),
    pytest.mark.filterwarnings("ignore"),  # those of the client's package
]

PYTHON = ("mcp-server-time", "mcp-server-git", "mcp-server-fetch")
EARLIER = ("mcp-server-sqlite", "mcp<2")  #: it does not start with version 2 of the package
NODE = (
    *("@modelcontextprotocol/server-everything", "@modelcontextprotocol/server-filesystem"),
    *("@modelcontextprotocol/server-memory", "@modelcontextprotocol/inspector"),
)
SCRIPTS = "Scripts" if sys.platform == "win32" else "bin"
TEE = Path(__file__).with_name("tee.py")

#: For each server its arguments and calls. DIR is the directory of the test, a repository.
CALLS: dict[str, tuple[list[str], list[tuple[str, dict[str, object]]]]] = {
    "mcp-server-time": (
        ["--local-timezone", "UTC"],
        [
            ("get_current_time", {"timezone": "UTC"}),
            ("convert_time", {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}),
            ("convert_time", {"source_timezone": "No/Where", "time": "x", "target_timezone": "UTC"}),
        ],
    ),
    "mcp-server-git": (
        ["--repository", "DIR"],
        [("git_status", {"repo_path": "DIR"}), ("git_log", {"repo_path": "DIR", "max_count": 1})],
    ),
    "mcp-server-fetch": ([], [("fetch", {"url": "http://127.0.0.1:9/"})]),
    "mcp-server-sqlite": (
        ["--db-path", "DIR/a.db"],
        [
            ("create_table", {"query": "CREATE TABLE t (a INTEGER, b TEXT)"}),
            ("write_query", {"query": "INSERT INTO t VALUES (1, 'ü'), (2, NULL)"}),
            ("read_query", {"query": "SELECT * FROM t"}),
            ("read_query", {"query": "SELECT * FROM nosuch"}),
            ("list_tables", {}),
        ],
    ),
    "mcp-server-memory": (
        [],
        [
            ("create_entities", {"entities": [{"name": "a", "entityType": "b", "observations": ["c"]}]}),
            ("read_graph", {}),
            ("delete_entities", {"entityNames": 5}),
        ],
    ),
    "mcp-server-everything": (
        ["stdio"],
        [
            ("echo", {"message": "grüße \U0001f600"}),
            ("get-sum", {"a": 1.5, "b": 2}),
            ("get-tiny-image", {}),
            ("trigger-long-running-operation", {"duration": 1, "steps": 3}),
            ("get-structured-content", {"location": "Chicago"}),
            ("nosuch", {}),
        ],
    ),
    "mcp-server-filesystem": (
        ["DIR"],
        [
            ("write_file", {"path": "DIR/large.txt", "content": "line\n" * 200_000}),
            ("read_text_file", {"path": "DIR/large.txt"}),
            ("list_directory", {"path": "DIR"}),
            ("read_text_file", {"path": "/etc/passwd"}),
        ],
    ),
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the servers."""
    kept = os.environ.get("SANDHOOK_MCP_SERVERS")
    place = Path(kept) if kept else tmp_path_factory.mktemp("servers")
    if not (place / "bin").exists():
        for name, packages in (("venv", PYTHON), ("earlier", EARLIER), ("client", ("fastmcp",))):
            venv.create(place / name, with_pip=True)
            python = place / name / SCRIPTS / "python"
            subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        subprocess.run(["npm", "install", "--silent", "--prefix", place, *NODE], check=True)
        (place / "bin").mkdir()
    return place


def program(place: Path, name: str) -> str:
    for directory in (place / "venv" / SCRIPTS, place / "earlier" / SCRIPTS, place / "node_modules" / ".bin"):
        found = shutil.which(name, path=str(directory))
        if found:
            return found
    raise AssertionError(f"{name} is not installed")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    (root / "a.txt").write_text("a\n")
    subprocess.run(["git", "add", "."], cwd=root, check=True)
    subprocess.run(["git", *identity, "commit", "-qm", "first"], cwd=root, check=True)
    return root


def commands(hooks: dict[str, Any], tmp_path: Path, server: list[str]) -> list[str]:
    """Return a server with the proxy before it, and a log of the traffic on each side."""
    config = tmp_path / "hooks.json"
    config.write_text(json.dumps({"hooks": hooks}))
    tee = [sys.executable, str(TEE)]
    proxy = [sys.executable, "-m", "sandhook", "mcp-proxy", "--hooks", str(config)]
    proxy += ["--contract", "claude_code", "--name", "demo", "--cwd", str(tmp_path)]
    inner = [*tee, str(tmp_path / "inner.log"), "--", *server]
    return [*tee, str(tmp_path / "outer.log"), "--", *proxy, "--", *inner]


def traffic(tmp_path: Path) -> tuple[Counter[bytes], Counter[bytes]]:
    """Return the lines on the side of the client, and on that of the server; order among answers is free."""
    logs = [(tmp_path / name).read_bytes().splitlines(keepends=True) for name in ("outer.log", "inner.log")]
    return Counter(logs[0]), Counter(logs[1])


async def use(command: list[str], calls: list[tuple[str, dict[str, object]]]) -> list[Any]:
    """Talk to a server with the official client; return the results of the calls as JSON."""
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    results = []
    async with stdio_client(parameters) as (reader, writer), ClientSession(reader, writer) as session:
        started = await session.initialize()
        await session.list_tools()
        if started.capabilities.prompts is not None:
            await session.list_prompts()
        if started.capabilities.resources is not None:
            await session.list_resources()
        for name, arguments in calls:
            try:
                result = await session.call_tool(name, arguments, progress_callback=_ignore)
                results.append(result.model_dump(mode="json", by_alias=True, exclude_none=True))
            except Exception as error:
                results.append(str(error))
    return results


async def _ignore(progress: float, total: float | None, message: str | None) -> None:
    return None


def hook(command: str, matcher: str = "") -> list[dict[str, Any]]:
    return [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]


def filled(value: Any, directory: Path) -> Any:
    return json.loads(json.dumps(value).replace("DIR", directory.as_posix()))


@pytest.mark.parametrize("name", CALLS)
def test_all_traffic_passes(
    name: str, programs: Path, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_FILE_PATH", str(tmp_path / "memory.jsonl"))
    arguments, calls = filled(CALLS[name], repository)
    hooks = {"PreToolUse": hook("cat > /dev/null"), "PostToolUse": hook("cat > /dev/null")}
    command = commands(hooks, tmp_path, [program(programs, name), *arguments])
    results = asyncio.run(use(command, calls))
    assert len(results) == len(calls)
    outer, inner = traffic(tmp_path)
    assert outer == inner
    assert sum(line.count(b'"tools/call"') for line in outer) == len(calls)


def test_hooks_change_what_they_change_alone(programs: Path, repository: Path, tmp_path: Path) -> None:
    changed = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"message": "changed"}}}  # fmt: skip
    redacted = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedMCPToolOutput": "redacted"}}
    hooks = {
        "PreToolUse": hook("echo not this tool >&2; exit 2", "mcp__demo__get-sum")
        + hook(f"echo '{json.dumps(changed)}'", "mcp__demo__echo"),
        "PostToolUse": hook(f"echo '{json.dumps(redacted)}'", "mcp__demo__get-tiny-image"),
    }
    calls: list[tuple[str, dict[str, object]]] = [
        ("echo", {"message": "first"}),
        ("get-sum", {"a": 1, "b": 2}),
        ("get-tiny-image", {}),
        ("get-structured-content", {"location": "Chicago"}),
    ]
    command = commands(hooks, tmp_path, [program(programs, "mcp-server-everything"), "stdio"])
    echo, refused, image, other = asyncio.run(use(command, calls))
    assert echo["content"] == [{"type": "text", "text": "Echo: changed"}]
    assert refused["isError"] is True and refused["content"][0]["text"] == "not this tool"
    assert image["content"] == [{"type": "text", "text": "redacted"}]
    assert other["structuredContent"]
    outer, inner = traffic(tmp_path)
    only_outer, only_inner = outer - inner, inner - outer
    assert sorted(line[:1] for line in only_outer) == [b"<", b"<", b">", b">"]  # refusal, image; echo, sum
    assert sorted(line[:1] for line in only_inner) == [b"<", b">"]  # image; echo


NODE_CLIENT = """
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
await client.listTools();
await client.ping();
const aborted = new AbortController();
const long = client.callTool({ name: "trigger-long-running-operation", arguments: { duration: 5, steps: 5 } },
  undefined, { signal: aborted.signal, onprogress: () => aborted.abort("enough") });
await long.catch(() => {});
const result = await client.callTool({ name: "echo", arguments: { message: "hello" } });
console.log(result.content[0].text);
await client.close();
"""


def test_the_client_of_npm_with_progress_and_cancellation(programs: Path, tmp_path: Path) -> None:
    script = programs / f"client-{os.getpid()}.mjs"
    script.write_text(NODE_CLIENT)
    hooks = {"PreToolUse": hook("exit 0"), "PostToolUse": hook("exit 0")}
    command = commands(hooks, tmp_path, [program(programs, "mcp-server-everything"), "stdio"])
    ran = subprocess.run(["node", script, *command], capture_output=True, text=True, timeout=120)
    script.unlink()
    assert ran.stdout == "Echo: hello\n", ran.stderr
    outer, inner = traffic(tmp_path)
    assert not outer - inner
    assert all(b"notifications/progress" in line for line in inner - outer)  # after the client has ended
    lines = b"".join(outer)
    assert b"notifications/progress" in lines and b"notifications/cancelled" in lines


NOTHING = {"PreToolUse": hook("cat > /dev/null"), "PostToolUse": hook("cat > /dev/null")}


def outputs(client: Callable[[list[str]], list[str]], server: list[str], tmp_path: Path) -> list[str]:
    """Return what a client prints with the server alone, and with the proxy before it."""
    printed = []
    for command in (server, commands(NOTHING, tmp_path, server)):
        ran = subprocess.run(client(command), capture_output=True, text=True, timeout=120)
        assert ran.returncode == 0, ran.stderr
        printed.append(ran.stdout)
    outer, inner = traffic(tmp_path)
    assert outer == inner
    return printed


@pytest.mark.parametrize(
    "words",
    [
        ["--method", "tools/list"],
        ["--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message=hello"],
        ["--method", "prompts/list"],
        ["--method", "resources/list"],
    ],
)
def test_the_inspector_prints_what_it_prints_without_the_proxy(
    programs: Path, tmp_path: Path, words: list[str]
) -> None:
    server = [program(programs, "mcp-server-everything"), "stdio"]

    def client(command: list[str]) -> list[str]:
        """The inspector ends its own options at a "--" of the server's arguments, so a script has those."""
        script = tmp_path / "server.py"
        script.write_text(f"import subprocess, sys\nsys.exit(subprocess.run({command!r}).returncode)\n")
        servers = {"demo": {"command": sys.executable, "args": [str(script)]}}
        (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
        options = ["--cli", "--config", str(tmp_path / "mcp.json"), "--server", "demo"]
        return [program(programs, "mcp-inspector"), *options, *words]

    direct, through = outputs(client, server, tmp_path)
    assert json.loads(direct) == json.loads(through)


FASTMCP = """
import asyncio, json, sys
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

async def main():
    async with Client(StdioTransport(sys.argv[1], sys.argv[2:])) as client:
        print(sorted(tool.name for tool in await client.list_tools()))
        print(sorted(str(each.uri) for each in await client.list_resources()))
        print(sorted(prompt.name for prompt in await client.list_prompts()))
        for name, arguments in (("echo", {"message": "hello"}), ("get-structured-content", {"location": "Chicago"})):
            result = await client.call_tool(name, arguments)
            print([block.model_dump(mode="json") for block in result.content], result.structured_content)
        many = await asyncio.gather(*(client.call_tool("get-sum", {"a": n, "b": 1}) for n in range(50)))
        print([result.content[0].text for result in many])

asyncio.run(main())
"""


def test_the_client_of_fastmcp(programs: Path, tmp_path: Path) -> None:
    (tmp_path / "client.py").write_text(FASTMCP)
    python = programs / "client" / SCRIPTS / "python"
    server = [program(programs, "mcp-server-everything"), "stdio"]
    script = str(tmp_path / "client.py")
    direct, through = outputs(lambda command: [str(python), script, *command], server, tmp_path)
    assert direct == through and direct.count("\n") == 6
