"""A real service in a process of its own, and requests to it over real sockets."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any, NamedTuple

HAS_UNIX = sys.platform != "win32"

#: Refuses commands with "rm -rf", by a jq of the sandbox.
GUARD = """\
command=$(jq -r .tool_input.command)
case $command in *"rm -rf"*) echo "no rm -rf" >&2; exit 2 ;; esac
"""


def claude(command: str = "ls", **more: Any) -> bytes:
    """Return a PreToolUse payload of Claude Code."""
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        **more,
    }
    return json.dumps(payload).encode()


def settings(*commands: str, matcher: str = "Bash") -> str:
    """Return a configuration of Claude Code with hooks for PreToolUse."""
    hooks = [{"type": "command", "command": command} for command in commands]
    return json.dumps({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": hooks}]}})


class Reply(NamedTuple):
    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Ran(NamedTuple):
    status: int
    stdout: str
    stderr: str


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout: float = 30) -> None:
        super().__init__("sandhook", timeout=timeout)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Running:
    """A service of an empty home, with a project; ends with ``close``."""

    def __init__(
        self,
        *options: str | Path,
        tcp: bool = not HAS_UNIX,
        files: dict[str, str] | None = None,
        env: dict[str, str] | None = None,
    ) -> None:
        # The path of a socket is short, and pytest's directories are deep.
        self.top = Path(tempfile.mkdtemp(prefix="sh-")).resolve()
        self.project = self.top / "project"
        self.home = self.top / "home"
        self.run = self.top / "run"
        for each in (self.project, self.home):
            each.mkdir()
        for name, text in (files or {}).items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, newline="\n")
        self.socket = str(self.run / "serve.sock")
        kept = {
            name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP", "TMP") if name in os.environ
        }
        self.env = {
            **kept,
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "SANDHOOK_SOCKET": self.socket,
            "SANDHOOK_CACHE_DIR": str(self.top / "cache"),
            **(env or {}),
        }
        self.tcp = tcp
        own = ["--no-socket", "--listen", "127.0.0.1:0"] if tcp else []
        self.options = [*own, *map(str, options)]
        self.process: subprocess.Popen[str] | None = None
        try:
            self.start()
        except BaseException:
            self.close()  # no fixture knows of it yet
            raise

    def start(self) -> None:
        """Start the process and wait until it answers."""
        with open(self.top / "log", "w") as log:
            self.process = self._started(log)
        until = time.monotonic() + 300  # three interpreters of Wine on a busy machine need more than a minute
        while "listening on" not in self.messages():
            assert self.process.poll() is None, self.messages()
            assert time.monotonic() < until, self.messages()
            time.sleep(0.02)

    def _started(self, log: IO[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "sandhook", "serve", *self.options],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            text=True,
        )

    def messages(self) -> str:
        """Return what the service printed to standard error."""
        return (self.top / "log").read_text(errors="replace")

    @property
    def address(self) -> tuple[str, int]:
        """The address on TCP."""
        text = self.messages().partition("http://")[2].split()[0]
        host, _, port = text.rpartition(":")
        return host, int(port)

    @property
    def token(self) -> str:
        return (self.run / "serve.token").read_text().strip()

    def connection(self, timeout: float = 30) -> http.client.HTTPConnection:
        if self.tcp:
            return http.client.HTTPConnection(*self.address, timeout=timeout)
        return UnixConnection(self.socket, timeout)

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Reply:
        """Send one request as the owner does."""
        connection = self.connection()
        try:
            sent = {"Authorization": f"Bearer {self.token}"} if self.tcp else {}
            connection.request(method, path, body, {**sent, **headers})
            answer = connection.getresponse()
            return Reply(answer.status, answer.read(), {k.lower(): v for k, v in answer.getheaders()})
        finally:
            connection.close()

    def fire(self, command: str = "ls", agent: str = "claude_code", **more: Any) -> Reply:
        """Post a payload of Claude Code."""
        return self.ask("POST", f"/v1/hooks/{agent}", claude(command, **{"cwd": str(self.project), **more}))

    def decisions(self) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = self.ask("GET", "/v1/decisions").json["decisions"]
        return listed

    def sandhook(
        self, *arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None, **env: str
    ) -> Ran:
        """Run the program as an agent does."""
        ran = subprocess.run(
            [sys.executable, "-m", "sandhook", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            cwd=cwd or self.project,
            env={**self.env, **env},
            timeout=120,
            check=False,
        )
        return Ran(
            ran.returncode,
            ran.stdout.decode("utf-8", "surrogateescape"),
            ran.stderr.decode("utf-8", "surrogateescape"),
        )

    def without(self, *arguments: str | Path, **more: Any) -> Ran:
        """Run the program without the service."""
        return self.sandhook(*arguments, SANDHOOK_SOCKET="", **more)

    def stop(self) -> int:
        """End the process as an administrator does, and return its status."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(30)

    def close(self) -> None:
        if self.process is not None:
            if self.process.poll() is None:
                self.process.kill()
            self.process.wait(30)
        shutil.rmtree(self.top, ignore_errors=True)
