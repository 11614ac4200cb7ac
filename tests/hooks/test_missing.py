"""A command that was not found or cannot be executed is told from a hook that exits with 126 or 127 itself."""

from __future__ import annotations

import pytest

from sandhook import Shell
from sandhook.hooks.runner import as_ran
from sandhook.shell import Result
from tests.dispatch.test_plan import REFUSALS


@pytest.mark.parametrize(("status", "message"), [row[1:] for row in REFUSALS])
def test_what_dispatch_refuses_could_not_run(status: int, message: str) -> None:
    ran = as_ran(Result(b"", f"note\nbash: line 1: {message}\n".encode(), status))
    assert ran.missing == f"bash: line 1: {message}"
    assert as_ran(Result(b"", f"{message}\n".encode(), 1)).missing is None


@pytest.mark.parametrize(
    ("script", "files"),
    [
        ("nosuch", {}),
        ("./nosuch", {}),
        ("./x", {"x": "#!/usr/bin/nosuch\n"}),
        ("./x", {"x": "#!/workspace/y\n", "y": "echo\n"}),
        ("./x", {"x": b"\x7fELF"}),
        ("/workspace", {}),
        ("./x/y", {"x": "echo\n"}),
    ],
)
def test_what_the_sandbox_cannot_find_or_execute_could_not_run(
    script: str, files: dict[str, str | bytes]
) -> None:
    shell = Shell(files=files)
    shell.run("chmod +x x")
    ran = as_ran(shell.run(script))
    assert ran.exit_status in (126, 127)
    assert ran.missing is not None


@pytest.mark.parametrize(
    "script",
    ["exit 127", "echo no >&2; exit 126", "echo 'refused: bad interpreter' >&2; exit 127", "nosuch; exit 2"],
)
def test_a_hook_that_says_so_itself_ran(script: str) -> None:
    assert as_ran(Shell().run(script)).missing is None
