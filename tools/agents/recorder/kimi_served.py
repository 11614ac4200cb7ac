"""Kimi Code's server with prompts that come through it: python kimi_served.py PROGRAM DIRECTORY PROMPT...

The prompts are sent at once, so that all but the first wait in the server's queue. Ends when the model has nothing left to say,
which is when no session is busy.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.request
from typing import Any

#: Seconds until the server answers, and until all prompts are done.
PATIENCE = 60.0


def main(arguments: list[str]) -> int:
    """Run the server, send the prompts, and end the server."""
    program, directory, *prompts = arguments
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [program, "web", "--no-open", "--port", str(port), "--dangerous-bypass-auth"]
    server = subprocess.Popen(words, cwd=directory)
    base = f"http://127.0.0.1:{port}/api/v1"
    try:
        _wait(lambda: _asked(f"{base}/meta"))
        models = _asked(f"{base}/models").get("items") or [{}]
        session = _asked(f"{base}/sessions", {"metadata": {"cwd": directory}})["id"]
        for prompt in prompts:
            content = [{"type": "text", "text": prompt}]
            sent = {"content": content, "permission_mode": "auto", "model": models[0].get("model", "made-up")}
            _asked(f"{base}/sessions/{session}/prompts", sent)
        time.sleep(2)
        _wait(lambda: not _asked(f"{base}/sessions/{session}/status").get("busy"))
        time.sleep(2)
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
    return 0


def _asked(url: str, body: object = None) -> dict[str, Any]:
    """Return what the server answers."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as reply:
        answer = json.loads(reply.read())
    print(json.dumps({"url": url.partition("/api")[2], "answer": answer}), flush=True)
    if answer.get("code"):
        raise SystemExit(f"{url}: {answer}")
    found = answer.get("data", answer)
    return found if isinstance(found, dict) else {}


def _wait(ready: Any) -> None:
    """Wait until something is so; a server that does not listen yet is no error."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if ready():
                return
        except OSError:
            pass
        time.sleep(0.5)
    raise SystemExit("the server is not ready")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
