"""Records and hooks for the tests of replays."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

from sandhook.hooks.contracts import Document
from sandhook.hooks.event import JsonObject
from sandhook.journal.reading import plan
from sandhook.journal.schema import Decided, Entry, HookRun, encode
from sandhook.replay.engines import Engine
from sandhook.replay.engines.local import LocalEngine
from sandhook.replay.firing import Bundle
from sandhook.replay.job import Job
from sandhook.replay.run import replayed, result_json

GUARD = 'case "$(cat)" in *"rm -rf"*) echo "no rm" >&2; exit 2;; esac'


def settings(script: str, matcher: str = "Bash") -> JsonObject:
    """Return a configuration of Claude Code with one hook."""
    hook = {"type": "command", "command": script}
    return {"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [hook]}]}}


def bundle(script: str = GUARD, matcher: str = "Bash") -> Bundle:
    value = settings(script, matcher)
    return Bundle(
        (Document(value, "hooks.json", contract="claude_code", text=json.dumps(value)),), "claude_code"
    )


def payload(command: str, tool: str = "Bash") -> JsonObject:
    given: JsonObject = {"command": command} if tool == "Bash" else {"file_path": command}
    return {
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": given,
        "session_id": "s",
        "cwd": "/home/ann/project",
    }


def entry(
    number: int, command: str = "ls", *, tool: str = "Bash", decided: Decided | None = Decided(False)
) -> Entry:
    return Entry(
        time=f"2026-0{1 + number % 9}-0{1 + number % 7}T{number % 24:02}:00:00.000+00:00",
        id=f"{number:08x}",
        agent="claude_code",
        event="PreToolUse",
        kind="tool.pre",
        payload=payload(command, tool),
        tool=tool,
        session_id="s",
        cwd="/home/ann/project",
        decision=decided,
        hooks=() if decided is None else (HookRun("old", "00", duration_ms=1.0),),
        duration_ms=1.0,
        version="0.1.0",
    )


def entries(count: int, seed: int = 1) -> list[Entry]:
    """Return events of which some are refused, and some were."""
    chance = random.Random(seed)
    commands = ["ls -la", "rm -rf build", "git push --force origin", "cat a | grep b", "npm test"]
    return [
        entry(
            number,
            chance.choice(commands),
            tool=chance.choice(["Bash", "Bash", "Edit"]),
            decided=chance.choice(
                [Decided(False), Decided(False), Decided(True, "deny", reason="old"), None]
            ),
        )
        for number in range(count)
    ]


def write(path: Path, events: list[Entry]) -> Path:
    path.write_text("".join(f"{encode(each)}\n" for each in events), encoding="ascii")
    return path


def outcome(
    job: Job,
    *records: Path | str,
    engine: Engine | None = None,
    size: int = 4 << 20,
    state: Path | None = None,
) -> JsonObject:
    """Return the result of a replay without what depends on the machine."""
    whole = plan([str(each) for each in records], size)
    with replayed(
        job, whole, lambda: engine or LocalEngine(job), state=None if state is None else str(state)
    ) as result:
        value = result_json(result)
        value["rows"] = [
            {name: each for name, each in row.items() if name not in ("old_ms", "new_ms", "slower")}
            for row in result.rows.all()
            if row["changes"]
        ]
    del value["measured"]
    return value


@contextmanager
def killing(
    pids: Callable[[], list[int]], killed: list[int], chance: random.Random, most: int
) -> Iterator[None]:
    """Kill one of the processes at random times, until as many were killed; ``killed`` receives their ids."""
    ended = Event()

    def kill() -> None:
        while len(killed) < most and not ended.wait(chance.uniform(0.1, 2)):
            if found := pids():
                killed.append(chance.choice(found))
                with suppress(ProcessLookupError):
                    os.kill(killed[-1], signal.SIGKILL)

    thread = Thread(target=kill)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def canonical(value: JsonObject) -> str:
    return json.dumps(value, sort_keys=True)
