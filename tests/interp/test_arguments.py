"""Wrong arguments of a shell raise at once, with their name, and not in the depth of a run."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sandhook import Shell
from sandhook.hooks import HookEngine, ToolPre

RUN = [
    ({"script": b"echo x"}, "script must be a text, not b'echo x'"),
    ({"script": None}, "script must be a text, not None"),
    ({"stdin": 5}, "stdin must be bytes, a text or a callable, not 5"),
    ({"stdin": None}, "stdin must be bytes, a text or a callable, not None"),
    ({"args": "abc"}, "args must be a sequence of texts, not 'abc'"),
    ({"args": [1]}, r"args\[0\] must be a text, not 1"),
    ({"env": {"A": 1}}, r"env\['A'\] must be a text, not 1"),
    ({"env": {1: "A"}}, "env: a name must be a text, not 1"),
    ({"env": ["A=1"]}, "env must map names to texts, not"),
    ({"limits": {"wall_seconds": 1}}, r"limits must be a Limits\(...\), not"),
    ({"stdout": []}, r"stdout must be a callable that receives bytes, not \[\]"),
    ({"stderr": "x"}, "stderr must be a callable that receives bytes, not 'x'"),
    ({"overflow": "keep"}, "overflow must be 'fail' or 'drop', not 'keep'"),
    ({"cancel": True}, "cancel must be a Cancellation, not True"),
    ({"temporary_files": {"/a": b""}}, "temporary_files must be a sequence of pairs"),
    ({"temporary_files": [("/a", "x")]}, r"temporary_files\[0\] must be a path and bytes"),
]


@pytest.mark.parametrize(("arguments", "message"), RUN)
def test_of_a_run(arguments: dict[str, Any], message: str) -> None:
    arguments = {"script": ":", **arguments}
    shell = Shell()
    for run in (shell.run, shell.session().run):
        with pytest.raises((TypeError, ValueError), match=message):
            run(**arguments)
    with pytest.raises((TypeError, ValueError), match=message):
        asyncio.run(shell.arun(**arguments))
    assert shell.run("echo x").stdout == "x\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"env": {"A": 1}}, r"env\['A'\] must be a text, not 1"),
        ({"cwd": 5}, "cwd must be a text, not 5"),
        ({"files": [1]}, r"files must map paths to contents, not \[1\]"),
        ({"files": {1: "x"}}, "files: a path must be a text, not 1"),
        ({"limits": 5}, r"limits must be a Limits\(...\), not 5"),
        ({"isolation": "worker"}, "isolation must be 'thread' or 'process', not 'worker'"),
    ],
)
def test_of_a_shell(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        Shell(**arguments)


def test_a_signal_that_ended_a_run_has_its_name() -> None:
    assert Shell().run("kill -TERM $$").signal == "TERM"
    engine = HookEngine.load({"hooks": {"PreToolUse": [{"command": "kill -9 $$"}]}}, "crush", prestart=False)
    run = engine.fire(ToolPre("bash", {})).outcomes[0].run
    assert run is not None and (run.signal, run.exit_status) == ("KILL", 137)
