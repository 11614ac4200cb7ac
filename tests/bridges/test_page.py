"""The examples of docs/howto/bridges.md run, with a model that follows a script, where the framework is installed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.bridges.scenarios import Call, Script
from tests.source import ROOT
from tests.test_docs import Block, blocks, same_lines

PAGE = ROOT / "docs" / "howto" / "bridges.md"

EXAMPLES = {block.name: block for block in blocks(PAGE) if block.language == "py"}

pytestmark = pytest.mark.filterwarnings("default")  # what a framework warns of is not ours


def langchain(script: Script) -> Any:
    from tests.bridges.test_langchain import Model

    return Model(script=script)


def pydantic_ai(script: Script) -> Any:
    from tests.bridges.test_pydantic_ai import model

    return model(script)


def openai_agents(script: Script) -> Any:
    from tests.bridges.test_openai_agents import Scripted

    return Scripted(script)


def claude_agent_sdk(script: Script) -> Any:
    """Return nothing: the example makes options alone, and test_claude_agent_sdk.py runs the CLI."""


def google_adk(script: Script) -> Any:
    from tests.bridges.test_google_adk import Scripted

    return Scripted(model="script", script=script)


def agent_framework(script: Script) -> Any:
    from tests.bridges.test_agent_framework import Scripted

    return Scripted(script)


def smolagents(script: Script) -> Any:
    from tests.bridges.test_smolagents import Scripted

    return Scripted(script, code=False)


#: What makes a model of a framework, and the module without which its example is skipped.
FRAMEWORKS = {
    "langchain": (langchain, "langchain.agents.middleware"),
    "pydantic_ai": (pydantic_ai, "pydantic_ai.capabilities"),
    "openai_agents": (openai_agents, "agents"),
    "claude_agent_sdk": (claude_agent_sdk, "claude_agent_sdk"),
    "google_adk": (google_adk, "google.adk.plugins"),
    "agent_framework": (agent_framework, "agent_framework"),
    "smolagents": (smolagents, "smolagents"),
}


def test_every_framework_has_its_example() -> None:
    assert list(EXAMPLES) == [f"{name}_example.py" for name in FRAMEWORKS]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_example_runs(
    framework: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make, module = FRAMEWORKS[framework]
    pytest.importorskip(module, reason=f"{framework} is not installed: make test-bridges")
    monkeypatch.chdir(tmp_path)
    (hooks,) = [block for block in blocks(PAGE) if block.name == "hooks.json"]
    (tmp_path / "hooks.json").write_text(hooks.text, encoding="utf-8")
    script = Script([Call("bash", {"command": "rm -rf build"})])
    names: dict[str, Any] = {"model": make(script), "__name__": "example"}
    example: Block = EXAMPLES[f"{framework}_example.py"]
    exec(compile(example.text, example.name or "", "exec"), names)
    if framework == "google_adk":  # its example ends where the runner is ready
        asyncio.run(names["runner"].run_debug("Remove the build directory.", quiet=True))
    expected = [line.split("# -> ")[1] for line in example.text.splitlines() if "# -> " in line]
    if expected:
        same_lines(capsys.readouterr().out.splitlines(), expected, framework)
    if framework != "claude_agent_sdk":
        assert "rm -rf is not allowed here" in script.requests[-1]
