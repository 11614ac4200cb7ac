"""Talk to Factory Droid as its desktop application does: droid_run.py PROGRAM LEVEL STEPS

``droid exec`` fires some events only for a client that speaks JSON-RPC. STEPS is a JSON list: a text is a message of the
user, an object has the ``method`` and ``params`` of another request. Questions for permission are answered with yes.
LEVEL is the autonomy of the session. Runs in the directory of the project, with nothing but the standard library.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

#: Seconds without a word after which an agent that does nothing has finished, and after which any agent has.
QUIET, SILENT = 3.0, 30.0


class Client:
    """One side of the conversation."""

    def __init__(self, stdin: IO[str], stdout: IO[str]) -> None:
        self._stdin = stdin
        self._heard: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._number, self._works = 0, False
        threading.Thread(target=self._listen, args=(stdout,), daemon=True).start()

    def _listen(self, stdout: IO[str]) -> None:
        for line in stdout:
            self._heard.put(json.loads(line))
        self._heard.put(None)

    def _say(self, **fields: Any) -> None:
        line = {"jsonrpc": "2.0", "factoryApiVersion": "1.0.0", **fields}
        self._stdin.write(json.dumps(line) + "\n")
        self._stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> None:
        """Send a request, and wait until it is answered and the agent is at rest."""
        self._number += 1
        number, answered, self._works = str(self._number), False, False
        self._say(type="request", id=number, method=method, params=params)
        while True:
            try:
                heard = self._heard.get(timeout=QUIET if answered and not self._works else SILENT)
            except queue.Empty:
                return
            if heard is None or self._completes(heard):
                return
            answered = answered or heard.get("id") == number
            if "error" in heard:
                print(json.dumps({"type": "error", "text": heard["error"]}), flush=True)

    def _completes(self, heard: dict[str, Any]) -> bool:
        """Return whether a turn ends; note whether the agent works, and answer what it asks."""
        if heard.get("method") == "droid.request_permission":
            self._say(type="response", id=heard["id"], result={"selectedOption": "proceed_once"})
        notice = heard.get("params", {}).get("notification", {})
        if notice.get("type") == "droid_working_state_changed":
            self._works = notice["newState"] != "idle"
        return notice.get("type") == "agent_turn_completed"


def main(arguments: list[str]) -> int:
    """Have the conversation; return the agent's status."""
    program, level, steps = arguments
    streams = ["--input-format", "stream-jsonrpc", "--output-format", "stream-jsonrpc"]
    with subprocess.Popen(
        [program, "exec", *streams],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as agent:
        assert agent.stdin is not None and agent.stdout is not None
        client = Client(agent.stdin, agent.stdout)
        session = {
            "machineId": "m",
            "cwd": str(Path.cwd()),
            "modelId": "custom:Made-Up-0",
            "autonomyLevel": level,
        }
        client.ask("droid.initialize_session", session)
        for step in json.loads(steps):
            if isinstance(step, str):
                client.ask("droid.add_user_message", {"text": step})
            else:
                client.ask(step["method"], step.get("params", {}))
        agent.stdin.close()
    return agent.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
