"""One convention of exit statuses holds for all commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sandhook.cli import COMMANDS, FINDINGS, INCOMPLETE, USAGE_ERROR
from sandhook.cli.commands import options_of, parser_of
from sandhook.cli.statuses import CONVENTION, OF_THE_PROGRAM, STATUSES

Sandhook = Callable[..., Any]

#: A command whose status is a decision has another status for usage errors.
USAGE = dict.fromkeys(COMMANDS, USAGE_ERROR) | {"fire": 1}

#: For every command, a command line with something that is not there.
UNUSABLE = {
    "fire": ["tool.pre", "--contract", "crush", "--hooks", "gone"],
    "hook": ["--contract", "crush", "--workspace", "gone", "--", "-c", ":"],
    "exec": ["gone"],
    "init": ["--cwd", "gone"],
    "list": ["--hooks", "gone"],
    "explain": ["tool.pre", "--hooks", "gone"],
    "check": ["gone"],
    "watch": ["gone", "--once"],
    "portability": ["gone"],
    "vet": ["gone"],
    "schema": ["gone"],
    "convert": ["--to", "crush", "gone"],
    "install": ["gone", "--agent", "crush"],
    "uninstall": ["--agent", "gone"],
    "status": ["--agent", "gone"],
    "restore": ["--agent", "crush", "--cwd", "gone"],
    "wrap": ["--agent", "crush", "--cwd", "gone"],
    "unwrap": ["--agent", "crush", "--cwd", "gone"],
    "serve": ["--workspace", "gone"],
    "studio": ["gone", "--no-browser"],
    "trust": ["gone"],
    "completion": ["gone"],
    "doctor": ["--cwd", "gone"],
    "chaos": ["gone"],
    "replay": ["gone", "--hooks", "gone"],
    "record": ["import", "gone", "-o", "record.jsonl"],
    "stats": ["gone"],
    "mcp-proxy": ["--hooks", "gone", "--", "server"],
    "mcp-shell": ["--mount", "gone:/workspace"],
    "test": ["gone"],
}

#: Commands that do something without an operand.
WITHOUT_OPERANDS = {
    "check", "doctor", "explain", "init", "list", "mcp-shell", "portability", "serve", "status", "studio", "vet", "watch",
}  # fmt: skip


def complaint(ran: Any, command: str) -> None:
    """Check that a command line was refused: by its status, and in words on standard error alone."""
    assert (ran.status, ran.stdout) == (USAGE[command], ""), ran
    assert ran.stderr and "Traceback" not in ran.stderr and "internal error" not in ran.stderr


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def test_every_command_has_its_statuses() -> None:
    assert list(STATUSES) == list(COMMANDS)
    assert {*UNUSABLE} == {*USAGE} == {*COMMANDS}
    for name, (meanings, others) in STATUSES.items():
        usage = [status for status, meaning in meanings.items() if meaning.startswith("usage error")]
        assert usage == [USAGE[name]], name
        assert set(meanings) <= {*CONVENTION, 127} and not set(meanings) & set(OF_THE_PROGRAM)
        assert bool(others) or 0 in meanings, name
        assert list(meanings) == sorted(meanings)
    assert list(CONVENTION) == [0, FINDINGS, USAGE_ERROR, INCOMPLETE] == [0, 1, 2, 3]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_has_the_statuses(command: str, sandhook: Sandhook) -> None:
    text = " ".join(sandhook(command, "--help").stdout.split())
    for status, meaning in STATUSES[command].meanings.items():
        assert f"{status} {meaning}" in text
    assert text.count("Exit status: ") == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_option_is_a_usage_error(command: str, sandhook: Sandhook) -> None:
    complaint(sandhook(command, "--nosuch-option"), command)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_is_not_there_is_a_usage_error(command: str, sandhook: Sandhook) -> None:
    ran = sandhook(command, *UNUSABLE[command])
    if command == "check":  # it reports this as it reports faults of other files
        assert (ran.status, "gone" in ran.stdout) == (USAGE_ERROR, True)
    else:
        complaint(ran, command)
        assert "gone" in ran.stderr


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - WITHOUT_OPERANDS))
def test_a_missing_operand_is_a_usage_error(command: str, sandhook: Sandhook) -> None:
    complaint(sandhook(command), command)


def wrong_values() -> Iterator[tuple[str, str, str]]:
    """Yield a wrong value for every option of every command that has a closed set of values, or a number."""
    for command in COMMANDS:
        for action in options_of(parser_of(command)):
            if (
                action.option_strings
                and action.nargs != 0
                and (action.choices is not None or action.type is not None)
            ):
                yield command, action.option_strings[-1], "no such value"


@pytest.mark.parametrize(("command", "option", "value"), list(wrong_values()))
def test_a_wrong_value_is_a_usage_error(command: str, option: str, value: str, sandhook: Sandhook) -> None:
    complaint(sandhook(command, f"{option}={value}"), command)


def test_wrong_values_are_found() -> None:
    options = {(command, option) for command, option, _ in wrong_values()}
    assert {(command, "--color") for command in COMMANDS} <= options
    assert {("doctor", "--tries"), ("vet", "--fail-on"), ("hook", "--timeout")} <= options
