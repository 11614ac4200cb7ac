"""The proxy of HTTP between the official package's client and server, and between those of npm."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("mcp.server.mcpserver", reason="needs sandhook[mcp]")

from mcp import Client

from sandhook.bridges.core import Guard
from sandhook.bridges.mcp.http import HttpProxy
from tests.bridges.mcp.test_http_proxy import HOOKS
from tests.bridges.mcp.test_public_servers import NOTHING, program, programs
from tests.bridges.mcp.test_public_servers import use as use_stdio

__all__ = ["programs"]  # a fixture

pytestmark = pytest.mark.filterwarnings("ignore")  # those of the package

SERVER = """
import sys
from mcp.server.mcpserver import Context, MCPServer
server = MCPServer("demo")

@server.tool()
def change(a: str) -> str:
    return "got " + a

@server.tool()
def no(a: str) -> str:
    return "never"

@server.tool(structured_output=False)
async def secret(a: str, ctx: Context) -> str:
    await ctx.report_progress(1, 2)
    return "the secret"

server.run("streamable-http", port=int(sys.argv[1]), json_response=sys.argv[2] == "json", stateless_http=sys.argv[3] == "stateless")
"""


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def started(command: list[str], port: int, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a server, and wait until it answers."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **(env or {})}
    )
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/mcp", timeout=5)
        except urllib.error.HTTPError as answer:
            answer.close()
            return process
        except OSError:
            assert process.poll() is None, "the server has ended"
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


def proxy_of(port: int, name: str = "demo", hooks: Any = HOOKS) -> HttpProxy:
    proxy = HttpProxy(0, f"http://127.0.0.1:{port}/mcp", Guard(hooks), name, note=print)
    Thread(target=proxy.serve_forever, args=(0.02,), daemon=True).start()
    return proxy


@pytest.fixture(params=["json stateful", "json stateless", "sse stateful", "sse stateless"])
def proxy(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HttpProxy]:
    (tmp_path / "server.py").write_text(SERVER)
    port = free_port()
    process = started([sys.executable, str(tmp_path / "server.py"), str(port), *request.param.split()], port)
    proxy = proxy_of(port)
    yield proxy
    proxy.shutdown()
    proxy.server_close()
    process.kill()
    process.wait()


async def use(server: Any, mode: str) -> None:
    """Call the tools of the server, and check what hooks make of each."""
    async with Client(server, mode=mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["change", "no", "secret"]
        changed = await client.call_tool("change", {"a": "first"})
        assert changed.content[0].text == "got changed"
        refused = await client.call_tool("no", {"a": ""})
        assert refused.is_error and refused.content[0].text == "not this"
        seen: list[float] = []

        async def progress(done: float, total: float | None, text: str | None) -> None:
            seen.append(done)

        secret = await client.call_tool("secret", {"a": ""}, progress_callback=progress)
        assert secret.content[0].text == "redacted"
        many = await asyncio.gather(*(client.call_tool("change", {"a": str(each)}) for each in range(20)))
        assert {each.content[0].text for each in many} == {"got changed"}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_client_and_the_server_of_python(proxy: HttpProxy, mode: str) -> None:
    asyncio.run(asyncio.wait_for(use(proxy.address, mode), 120))


NODE_CLIENT = """
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
const transport = new StreamableHTTPClientTransport(new URL(process.argv[2]));
await client.connect(transport);
const tools = await client.listTools();
console.log(tools.tools.some((tool) => tool.name === "echo"));
let progress = 0;
const args = { name: "trigger-long-running-operation", arguments: { duration: 1, steps: 3 } };
await client.callTool(args, undefined, { onprogress: () => { progress += 1; } });
console.log(progress);
console.log((await client.callTool({ name: "echo", arguments: { message: "hello" } })).content[0].text);
const refused = await client.callTool({ name: "get-sum", arguments: { a: 1, b: 2 } });
console.log(refused.isError, refused.content[0].text);
await transport.terminateSession();
await client.close();
"""

EVERYTHING: Any = {
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "mcp__e__get-sum",
                "hooks": [{"type": "command", "command": "echo no sums >&2; exit 2"}],
            }
        ],
        "PostToolUse": [{"matcher": "", "hooks": [{"type": "command", "command": "cat > /dev/null"}]}],
    }
}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm installs the server")
def test_the_client_and_the_server_of_npm(programs: Path) -> None:
    port = free_port()
    command = [program(programs, "mcp-server-everything"), "streamableHttp"]
    process = started(command, port, {"PORT": str(port)})
    proxy = proxy_of(port, "e", EVERYTHING)
    script = programs / f"http-client-{os.getpid()}.mjs"
    script.write_text(NODE_CLIENT)
    try:
        ran = subprocess.run(["node", script, proxy.address], capture_output=True, text=True, timeout=120)
    finally:
        script.unlink()
        proxy.shutdown()
        proxy.server_close()
        process.kill()
        process.wait()
    lines = ran.stdout.splitlines()
    assert lines[:1] + lines[2:] == ["true", "Echo: hello", "true no sums"], ran.stdout + ran.stderr
    assert int(lines[1]) >= 3


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_on_standard_input(proxy: HttpProxy, mode: str, tmp_path: Path) -> None:
    """``mcp-proxy URL``; the server is the one of the package, without the proxy that listens."""
    from mcp import StdioServerParameters, stdio_client

    (tmp_path / "hooks.json").write_text(json.dumps(HOOKS))
    url = f"http://127.0.0.1:{proxy.endpoint.port}/mcp"
    options = ["--hooks", str(tmp_path / "hooks.json"), "--contract", "claude_code", "--name", "demo"]
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "sandhook", "mcp-proxy", *options, url], env=dict(os.environ)
    )
    asyncio.run(asyncio.wait_for(use(stdio_client(parameters), mode), 120))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm installs the server")
def test_a_server_of_npm_gives_the_same_results_by_its_url(programs: Path, tmp_path: Path) -> None:
    """The client of Python on standard input: the server itself, and ``mcp-proxy`` with the server's URL."""
    calls: list[tuple[str, dict[str, object]]] = [
        ("echo", {"message": "grüße"}),
        ("get-sum", {"a": 1.5, "b": 2}),
        ("get-tiny-image", {}),
        ("trigger-long-running-operation", {"duration": 1, "steps": 3}),
        ("get-structured-content", {"location": "Chicago"}),
        ("nosuch", {}),
    ]
    name = program(programs, "mcp-server-everything")
    port = free_port()
    process = started([name, "streamableHttp"], port, {"PORT": str(port)})
    (tmp_path / "hooks.json").write_text(json.dumps({"hooks": NOTHING}))
    options = ["--hooks", str(tmp_path / "hooks.json"), "--contract", "claude_code"]
    proxy = [sys.executable, "-m", "sandhook", "mcp-proxy", *options, f"http://127.0.0.1:{port}/mcp"]
    try:
        direct = asyncio.run(use_stdio([name, "stdio"], calls))
        through = asyncio.run(use_stdio(proxy, calls))
    finally:
        process.kill()
        process.wait()
    assert direct == through and len(direct) == len(calls)
