"""Hooks of one configuration in the sandbox or on this machine, for tests of single facts of the contract pages."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import Decision, HookEngine, SandboxRunner, ToolPre
from sandhook.hooks.contracts import Document, get
from sandhook.hooks.host import HostRunner
from sandhook.vfs.initial import write_file
from sandhook.vfs.path import VirtualPath

PLACES = [
    "sandbox",
    pytest.param("host", marks=pytest.mark.skipif(os.name == "nt", reason="the scripts are those of POSIX")),
]
ENV = {"PATH": "/usr/bin:/bin", "HOME": "/home/me", "GREETING": "hello"}
CALL = ToolPre("bash", {"command": "x"}, call_id="c", session_id="s")


class Files:
    """Files of one hook, in the sandbox or in a directory of this machine."""

    def __init__(self, place: str, directory: Path, files: dict[str, str], mode: int = 0o644) -> None:
        self.place, self.directory = place, directory
        self.sandbox = SandboxRunner()
        for name, text in files.items():
            if place == "host":
                path = directory / name
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(text.encode())
                path.chmod(mode)
            else:
                write_file(self.sandbox.fs, VirtualPath(f"/workspace/{name}"), text.encode(), mode)

    def engine(self, config: Any, contract: str, **options: Any) -> HookEngine:
        if self.place == "host":
            env = options.pop("env", None)
            runner = HostRunner(
                workspace=str(self.directory),
                select=lambda spec: True,
                **({"env": env} if env is not None else {}),
            )
            return HookEngine.load(config, contract, host=runner, **options)
        return HookEngine.load(config, contract, runner=self.sandbox, **options)

    def fire(self, config: Any, contract: str, event: Any = CALL, **options: Any) -> Decision:
        where = str(self.directory) if self.place == "host" else "/workspace"
        return self.engine(config, contract, **options).fire(event.with_(cwd=where))


def printing(value: Any) -> str:
    return "printf '%s' '" + json.dumps(value) + "'"


def crush(*commands: str) -> dict[str, Any]:
    return {"hooks": {"PreToolUse": [{"command": command} for command in commands]}}


def ub(*hooks: dict[str, Any], event: str = "pre_tool_call") -> dict[str, Any]:
    return {"hooks": {event: list(hooks)}}


def shell(text: str, **more: Any) -> dict[str, Any]:
    return {"command": ["/bin/sh", "-c", text], "on_failure": "block", **more}


def claude(layers: dict[str, Any], compat: Any) -> HookEngine:
    contract = get("claude_code")
    paths = {"user": "/home/me/.claude/settings.json", "project": "/workspace/.claude/settings.json"}
    documents = [
        contract.parse(json.dumps(value), paths.get(name, f"/etc/{name}"), {})._replace(
            layer=name, contract="claude_code"
        )
        for name, value in layers.items()
    ]
    return HookEngine.load(documents, contract, compat=compat, trust=lambda spec: True)


def codex(layers: dict[str, Any], compat: Any, trusted: bool) -> HookEngine:
    contract = get("codex")
    documents: list[Document] = []
    for layer in contract.layers("/workspace", {"HOME": "/home/me"}, "linux"):
        name = layer.path.rpartition("/")[2]
        text = layers.get(f"{layer.name}:{name}")
        if text is not None:
            read = contract.parse(text, layer.path, {})
            documents.append(read._replace(layer=layer.name, contract="codex"))
    assert len(documents) == len(layers), list(contract.layers("/workspace", {}, "linux"))
    return HookEngine.load(documents, contract, compat=compat, trust=lambda spec: trusted)
