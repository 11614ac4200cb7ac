"""A project with hooks, the studio's ASGI application over it, and requests without sockets."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

TOKEN = "a-token-for-the-studio-of-a-test"

HOST = "127.0.0.1:8000"

#: Refuses "rm -rf", after a function call in a script.
GUARD = """\
#!/bin/bash
command=$(jq -r .tool_input.command)
refuse() {
  echo "refused: $1" >&2
  exit 2
}
case $command in
  *"rm -rf"*) refuse "no rm -rf" ;;
esac
"""


def settings(*commands: str, matcher: str = "Bash", event: str = "PreToolUse") -> str:
    """Return a configuration of Claude Code."""
    hooks = [{"type": "command", "command": command} for command in commands]
    return json.dumps({"hooks": {event: [{"matcher": matcher, "hooks": hooks}]}}, indent=1)


def payload(command: str = "ls", tool: str = "Bash") -> str:
    """Return a PreToolUse payload of Claude Code as text."""
    return json.dumps(
        {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": {"command": command}}
    )


class Reply(NamedTuple):
    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Studio:
    """A project in ``top/project``, its user's home in ``top/home``, and a studio."""

    def __init__(
        self,
        top: Path,
        files: dict[str, str | bytes],
        home: dict[str, str],
        *,
        named: tuple[str, ...] = (),
        editable: bool = False,
        isolation: str = "thread",
    ) -> None:
        from sandhook.cli.serve.bench import CommandBench
        from sandhook.cli.serve.studio import parser
        from sandhook.hooks.engine import NopEngine
        from sandhook.serve.asgi import application
        from sandhook.serve.engines import FixedEngine
        from sandhook.serve.firing import Firing
        from sandhook.serve.gate import Gate
        from sandhook.serve.service import Service, ThreadBackend
        from sandhook.studio.routes import routes
        from sandhook.studio.workspaces import Desk, Workspaces

        self.project, self.home = top / "project", top / "home"
        for directory, contents in ((self.project, files), (self.home, home)):
            directory.mkdir(exist_ok=True)
            for name, content in contents.items():
                path = directory / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
        words = [str(self.project / name) for name in named]
        options = parser().parse_args([*words, *(["--isolation", isolation] if isolation else [])])
        self.bench = CommandBench(options, str(self.project))
        firing = Firing(FixedEngine(NopEngine()))
        self.service = Service(ThreadBackend(firing, 2), firing=firing)
        gate = Gate(TOKEN, frozenset({HOST}))
        self.app = application(
            self.service, gate, routes=routes(Desk(Workspaces(self.bench), self.service, editable))
        )

    def path(self, name: str) -> str:
        """Return the absolute path of a file of the project, as the studio has it."""
        return (self.project / name).as_posix()

    def ask(self, method: str, target: str, body: bytes = b"", **headers: str) -> Reply:
        """Send a request; headers that are "" are left out."""
        sent = {"host": HOST, "authorization": f"Bearer {TOKEN}", **headers}
        path, _, query = target.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "scheme": "http",
            "query_string": query.encode(),
            "headers": [
                (name.replace("_", "-").encode(), value.encode()) for name, value in sent.items() if value
            ],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8000),
        }
        return asyncio.run(self._answer(scope, body))

    async def _answer(self, scope: dict[str, Any], body: bytes) -> Reply:
        messages: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            messages.append(message)

        await self.app(scope, receive, send)  # type: ignore[arg-type]
        start = messages[0]
        headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
        return Reply(start["status"], b"".join(each.get("body", b"") for each in messages[1:]), headers)

    def get(self, path: str, /, **query: str) -> Any:
        """Return a JSON answer."""
        reply = self.ask("GET", f"{path}?{urlencode(query)}")
        assert reply.status == 200, reply.body
        return reply.json

    def post(self, path: str, /, **value: Any) -> Any:
        """Post a JSON object and return the answer."""
        reply = self.try_post(path, **value)
        assert reply.status == 200, reply.body
        return reply.json

    def try_post(self, path: str, /, **value: Any) -> Reply:
        """Post a JSON object."""
        return self.ask("POST", path, json.dumps(value).encode(), content_type="application/json")

    def fire(self, command: str = "ls", agent: str = "claude_code", **more: Any) -> Any:
        """Fire a payload of Claude Code."""
        return self.post("/v1/studio/fire", **{"agent": agent, "payload": payload(command), **more})

    def approve(self, name: str) -> None:
        """Approve all hooks of a file of the project."""
        from sandhook.cli.configuration import store_of

        setup = self.bench.setup("claude_code")
        withheld = self.bench.engine(setup).withheld
        specs = [each.spec for each in withheld if each.spec.file == self.path(name)]
        store = store_of(None)
        store.approve([store.examine(spec, "claude_code", self.bench.directory) for spec in specs])
