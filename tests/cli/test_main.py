"""The command line as a whole: help, versions, errors in one line, and no traceback."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandhook import cli
from sandhook.version import __version__


def test_version(sandhook: Callable[..., Any]) -> None:
    for flag in ("--version", "-V"):
        assert sandhook(flag) == (0, f"sandhook {__version__}\n", "")


def test_help_has_an_example_for_every_command(sandhook: Callable[..., Any]) -> None:
    ran = sandhook("--help")
    assert ran.status == 0 and ran.stderr == ""
    for name, command in cli.COMMANDS.items():
        assert f"example: {command.example}" in ran.stdout
        own = sandhook(name, "--help")
        assert own.status == 0
        assert own.stdout.startswith(f"usage: sandhook {name} ")
        assert f"example: {command.example}" in own.stdout
        assert sandhook("help", name) == own


def test_names_and_summaries_are_two_columns() -> None:
    lines = cli.usage().splitlines()
    for name, command in cli.COMMANDS.items():
        (line,) = [each for each in lines if each.endswith(f" {command.summary}")]
        assert line.split()[0] == name
    assert len({line.index("example:") for line in lines if "example:" in line}) == 1


def test_without_a_command_the_help_is_shown_as_an_error(sandhook: Callable[..., Any]) -> None:
    ran = sandhook()
    assert (ran.status, ran.stdout) == (2, cli.usage())


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nosuch"], "unknown command 'nosuch'; known are fire, hook, exec"),
        (["help", "nosuch"], "unknown command 'nosuch'; known are fire, hook, exec"),
        (["lits"], "unknown command 'lits'; did you mean list?"),
        (["fire", "x"], "fire: needs --hooks FILE, or --contract NAME"),
        (["fire"], "fire: the following arguments are required: EVENT"),
        (["fire", "--hooks", "x"], "fire: the following arguments are required: EVENT"),
        (["fire", "x", "--hooks"], "fire: argument --hooks: expected one argument"),
        (["fire", "x", "--hooks", "y", "--nosuch"], "fire: unrecognized arguments: --nosuch"),
        (["fire", "x", "--hooks", "y", "--form", "json"], "fire: unrecognized arguments: --form json"),
        (
            ["init", "git-history"],
            "init: unrecognized arguments: git-history; usage: sandhook init [--agent ",
        ),
        (["fire", "x", "--hooks", "y", "--format", "xml"], "fire: argument --format: invalid choice: "),
        (["exec"], "exec: needs -c SCRIPT or FILE"),
        (["exec", "--timeout", "x", "-c", ":"], "exec: argument --timeout: invalid float value: 'x'"),
    ],
)
def test_a_usage_error_is_one_line(sandhook: Callable[..., Any], argv: list[str], message: str) -> None:
    ran = sandhook(*argv)
    assert (ran.status, ran.stdout) == (1 if argv[0] == "fire" else 2, "")
    assert ran.stderr.startswith(f"sandhook: {message}") and ran.stderr.count("\n") == 1


def test_a_defect_is_one_line_and_status_70(
    sandhook: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(arguments: list[str]) -> int:
        raise ZeroDivisionError("first line\nsecond line")

    monkeypatch.setattr("sandhook.cli.execute.run", broken)
    ran = sandhook("exec", "-c", ":")
    assert ran == (
        70,
        "",
        "sandhook: internal error: ZeroDivisionError: first line (SANDHOOK_DEBUG=1 shows more)\n",
    )
    monkeypatch.setenv("SANDHOOK_DEBUG", "1")
    assert "Traceback" in sandhook("exec", "-c", ":").stderr


def test_an_interrupt_is_status_130(sandhook: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(arguments: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("sandhook.cli.execute.run", interrupted)
    assert sandhook("exec", "-c", ":").status == 130


def test_only_what_a_command_needs_is_imported(tmp_path: Path) -> None:
    """Start-up time is part of every hook's time: heavy modules stay out."""
    hooks = tmp_path / "hooks.json"
    hooks.write_text(
        '{"hooks":[{"event":"pre_tool_use","executor":{"type":"bash","command":"echo \'{}\'"}}]}'
    )
    program = (
        "import sys; from sandhook.cli import main; "
        f"main(['fire', 'pre_tool_use', '--hooks', {str(hooks)!r}, '--tool', 'bash']); "
        "heavy = 'rich msgspec pyfakefs regex asyncio psutil subprocess pathlib importlib.metadata shutil'.split(); "
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr
