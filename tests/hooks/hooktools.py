"""What the tests of the hook engine share: scripted answers, and raw configurations."""

from __future__ import annotations

from typing import Any

from sandhook.hooks import HookEngine, Request, RunResult
from sandhook.vfs.path import VirtualPath


class Scripted:
    """A runner that returns prepared answers, the last one repeatedly, and records the requests."""

    def __init__(self, *answers: RunResult) -> None:
        self.answers = list(answers)
        self.requests: list[Request] = []

    def __call__(self, request: Request) -> RunResult:
        self.requests.append(request)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def said(
    stdout: str | bytes = b"", exit_status: int = 0, stderr: str | bytes = b"", **more: Any
) -> RunResult:
    """Return the run of a hook that printed this."""
    out, err = (each.encode() if isinstance(each, str) else each for each in (stdout, stderr))
    return RunResult(exit_status=exit_status, stdout=out, stderr=err, **more)


def hook(event: str = "pre_tool_use", command: str = "true", **fields: Any) -> dict[str, Any]:
    """Return one raw hook of an Everruns configuration."""
    return {"event": event, "executor": {"type": "bash", "command": command}, **fields}


def config(*hooks: Any, **more: Any) -> dict[str, Any]:
    """Return an Everruns configuration."""
    return {"hooks": list(hooks), **more}


def engine(
    *hooks: Any, answers: tuple[RunResult, ...] = (RunResult(0),), **options: Any
) -> tuple[HookEngine, Scripted]:
    """Return an Everruns engine whose hooks return prepared answers, and its runner."""
    runner = Scripted(*answers)
    return HookEngine.load(config(*hooks), "everruns", runner=runner, **options), runner


def read(made: HookEngine, path: str) -> str:
    """Return the text of a file that hooks wrote."""
    return made.fs.read_bytes(VirtualPath(path)).decode()
