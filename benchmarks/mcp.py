"""What `sandhook mcp-proxy` adds to a call: the same server directly and through the proxy, in turn.

    python -m benchmarks.mcp [--calls N] [-- SERVER ARGUMENT...]

The last column is the processor time of the proxy's process for a call, which a loaded machine hardly moves. Without SERVER, the server is a loop that answers each line, so that the latency is that of pipes and of the proxy. With one,
its first tool is called without arguments.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any

import psutil

ECHO = """
import json, sys
for line in sys.stdin.buffer:
    message = json.loads(line)
    if "id" in message:
        result = {"content": [{"type": "text", "text": "ok"}], "tools": [{"name": "echo"}]}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\\n")
        sys.stdout.flush()
"""

#: Hooks of Claude Code before and after each call.
HOOKS = {
    "a hook for another tool": ("mcp__other__.*", "exit 2", None),
    "a guard of built-ins": (
        "",
        'read -r payload || true; case $payload in *"rm -rf"*) echo no >&2; exit 2 ;; esac',
        None,
    ),
    "a guard with jq": (
        "",
        "c=$(jq -r '.tool_input.command // empty'); case $c in *'rm -rf'*) exit 2 ;; esac",
        None,
    ),
    "guards before and after": ("", "read -r payload || true", "read -r payload || true"),
}


class Server:
    """A server, and calls of one of its tools."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input: IO[bytes] = self._process.stdin
        self._output: IO[bytes] = self._process.stdout
        self._number = 0
        client = {"name": "benchmark", "version": "1"}
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self._tool = self.ask("tools/list")["result"]["tools"][0]["name"]

    def _send(self, message: object) -> None:
        self._input.write(json.dumps(message).encode() + b"\n")
        self._input.flush()

    def ask(self, method: str, **params: object) -> Any:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            answer = json.loads(self._output.readline())
            if answer.get("id") == self._number and "method" not in answer:
                return answer

    def call(self) -> float:
        """Call the tool; return milliseconds."""
        began = time.perf_counter()
        self.ask("tools/call", name=self._tool, arguments={"command": "ls"})
        return (time.perf_counter() - began) * 1000

    def processor_ms(self) -> float:
        """Return the milliseconds of the processor that the process has had, without its children."""
        times = psutil.Process(self._process.pid).cpu_times()
        return float(times.user + times.system) * 1000

    def close(self) -> None:
        self._input.close()
        self._process.wait(30)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("server", nargs="*")
    chosen = parser.parse_args()
    server = chosen.server or [sys.executable, "-c", ECHO]
    print(
        f"{chosen.calls} calls each, milliseconds: p50 and p95 directly, through the proxy, and what it adds;"
        " processor time of the proxy"
    )
    with tempfile.TemporaryDirectory() as place:
        for name, (matcher, pre, post) in HOOKS.items():
            rows = {"PreToolUse": pre, "PostToolUse": post}
            hooks = {
                event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]
                for event, command in rows.items()
                if command
            }
            path = Path(place, "hooks.json")
            path.write_text(json.dumps({"hooks": hooks}), encoding="utf-8")
            print_row(name, server, path, chosen.calls)


def print_row(name: str, command: list[str], hooks: Path, calls: int) -> None:
    """Call both servers in turn, so that both meet the same machine."""
    proxy = [
        sys.executable,
        "-m",
        "sandhook",
        "mcp-proxy",
        "--contract",
        "claude_code",
        "--hooks",
        str(hooks),
    ]
    direct, through = Server(command), Server([*proxy, "--cwd", str(hooks.parent), "--", *command])
    try:
        for server in (direct, through):
            for _ in range(20):
                server.call()
        before = through.processor_ms()
        pairs = [(direct.call(), through.call()) for _ in range(calls)]
        used = (through.processor_ms() - before) / calls
    finally:
        direct.close()
        through.close()
    one, two = ([pair[index] for pair in pairs] for index in (0, 1))
    added = [through_ms - direct_ms for direct_ms, through_ms in pairs]
    cells = [f"{statistics.median(each):6.2f} {quantile(each):6.2f}" for each in (one, two, added)]
    print(f"{name:26} {'   '.join(cells)}   {used:6.2f}")


def quantile(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


if __name__ == "__main__":
    main()
