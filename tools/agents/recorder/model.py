"""A model server on the loopback address that answers by a script and keeps every request.

It speaks Anthropic's Messages, OpenAI's Responses and Chat Completions, and Gemini's generateContent, streamed or
not. A script is a list of replies: ``{"text": ...}``, ``{"tool": NAME, "input": {...}}``, ``{"status": 400}``, or a
list of the first two for one turn; ``"tokens"`` besides is how many the model says that it read. Only requests that offer tools use the script up; side requests (titles,
summaries) get a constant. After the script every reply is "done".

Hooks of the type http post to the same server, below ``/hook/``; the case has the answers, by path. Its answer of the path
"side" replaces the constant, for hooks that ask the model, and "side tokens" is how many it says that it read.
"""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

from tools.agents.recorder.wires import WIRES, Events
from tools.agents.records import Json, Object, listed, objects

SIDE, END = "a title", "done"


class ModelServer:
    """The server of one case."""

    def __init__(self, script: Json, endpoints: Object) -> None:
        self.script = [objects(each if isinstance(each, list) else [each]) for each in listed(script)]
        self.endpoints = endpoints
        self.requests: list[Object] = []
        self.others: list[tuple[str, str, Json]] = []
        self.posted: list[Object] = []
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"model": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def reply(self, path: str, body: Object) -> tuple[int, list[Object]]:
        """Return the number of the reply, and its parts."""
        with self._lock:
            if not body.get("tools") or _is_aside(body):
                self.others.append(("POST", path, body))
                read = self.endpoints.get("side tokens", 10)
                return 9000 + len(self.others), [{"text": self.endpoints.get("side", SIDE), "tokens": read}]
            number = len(self.requests)
            self.requests.append(body)
        return number, self.script[number] if number < len(self.script) else [{"text": END}]


#: Words of requests for a title or a suggestion, which offer tools and may come at any time.
_ASIDE = ("Generate a concise, single-line task title", "[SUGGESTION MODE")


def _is_aside(body: Object) -> bool:
    last = objects(body.get("input")) or objects(body.get("messages"))
    return bool(last) and any(words in json.dumps(last[-1]) for words in _ASIDE)


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Report an error, unless it is that the agent did not wait for an answer."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: ModelServer

    def log_message(self, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self._other()

    do_HEAD = do_PUT = do_DELETE = do_PATCH = do_GET

    def do_POST(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(size) if size else self._chunks()
        try:
            body = cast(Json, json.loads(raw))
        except ValueError:
            body = None
        path = self.path.split("?")[0]
        if path.startswith("/hook/"):
            return self._hook(path, body)
        for end, speak in WIRES.items():
            if path.endswith(end) and isinstance(body, dict):
                number, parts = self.model.reply(path, body)
                status = parts[0].get("status") if parts else None
                if isinstance(status, int):
                    error = {
                        "type": "error",
                        "error": {"type": "invalid_request_error", "message": "made up"},
                    }
                    return self._send(error, status)
                whole, events = speak(number, parts, body)
                stream = body.get("stream") or end == ":streamGenerateContent"
                return self._send_events(events) if stream else self._send(whole)
        if path.endswith(("count_tokens", ":countTokens")):
            return self._send({"input_tokens": 100, "totalTokens": 100})
        return self._other(body)

    def _hook(self, path: str, body: Json) -> None:
        """Answer a hook of the type http; an answer is [status, text]."""
        names = {name.lower(): value for name, value in self.headers.items()}
        kept = {
            name: value for name, value in names.items() if name == "content-type" or name.startswith("x-")
        }
        self.model.posted.append({"path": path, "headers": {**kept}, "body": body})
        status, text = listed(self.model.endpoints.get(path)) or [404, ""]
        data = str(text).encode()
        self.send_response(int(str(status)))
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _other(self, body: Json = None) -> None:
        self.model.others.append((self.command, self.path, body))
        if self.path.split("?")[0].endswith("/models"):
            model = {"id": "fake", "object": "model", "created": 1, "owned_by": "x"}
            return self._send({"object": "list", "data": [model], "models": []})
        return self._send({"error": {"message": "not here", "type": "not_found"}}, 404)

    def _chunks(self) -> bytes:
        if "chunked" not in (self.headers.get("transfer-encoding") or ""):
            return b""
        data = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def _send(self, value: object, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _send_events(self, events: Events) -> None:
        data = b""
        for name, value in events:
            head = f"event: {name}\n" if name else ""
            text = value if isinstance(value, str) else json.dumps(value)
            data += f"{head}data: {text}\n\n".encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
