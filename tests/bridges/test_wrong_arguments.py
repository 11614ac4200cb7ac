"""Arguments that the bash tool does not have are an error for the model, in every framework, and the agent goes on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sandhook.bridges.shelltool import command_of
from tests.bridges.scenarios import Call, Script
from tests.bridges.test_page import EXAMPLES, FRAMEWORKS

pytestmark = pytest.mark.filterwarnings("default")  # what a framework warns of is not ours

#: Arguments of a model, and a text that it receives about them.
WRONG: list[tuple[Mapping[str, object], str]] = [
    ({}, "command"),
    ({"cmd": "echo ran"}, "cmd"),
    ({"command": ["echo", "ran"]}, "command"),
    ({"command": None}, "command"),
    ({"command": "echo ran", "timeout": 5}, "timeout"),
]


@pytest.mark.parametrize(("arguments", "named"), WRONG)
def test_the_error_has_what_is_wrong(arguments: Mapping[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=r'the arguments must be {"command": TEXT}') as error:
        command_of(arguments)
    assert named in str(error.value)
    assert command_of({"command": "ls"}) == "ls"


@pytest.mark.parametrize("arguments", ["ls", None, ["ls"]])
def test_arguments_are_an_object(arguments: object) -> None:
    with pytest.raises(ValueError, match=r'the arguments must be {"command": TEXT}'):
        command_of(arguments)


@pytest.mark.parametrize(("arguments", "named"), WRONG)
@pytest.mark.parametrize("framework", [name for name in FRAMEWORKS if name != "claude_agent_sdk"])
def test_the_model_reads_the_error(
    framework: str,
    arguments: Mapping[str, object],
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make, module = FRAMEWORKS[framework]
    pytest.importorskip(module, reason=f"{framework} is not installed: make test-bridges")
    monkeypatch.chdir(tmp_path)
    hooks = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}}
    (tmp_path / "hooks.json").write_text(json.dumps(hooks), encoding="utf-8")
    script = Script([Call("bash", arguments)])
    names: dict[str, Any] = {"model": make(script), "__name__": "example"}
    example = EXAMPLES[f"{framework}_example.py"]
    exec(compile(example.text, example.name or "", "exec"), names)
    if framework == "google_adk":
        asyncio.run(names["runner"].run_debug("Remove the build directory.", quiet=True))
    assert len(script.requests) == 2
    answer = script.requests[1].removeprefix(script.requests[0])
    # Agent Framework compares the arguments with the schema before the tool sees them, in words of its own
    assert (named if framework != "agent_framework" else "Argument parsing failed") in answer
    assert "ran\n" not in answer
