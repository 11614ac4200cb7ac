"""Plain command lines are read as argparse reads them, and no other is read without it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from sandhook.cli import COMMANDS, UsageError
from sandhook.cli.arguments import Parser
from sandhook.cli.arguments.plain import Argument, read_plain
from tests.sandbox.tools import every

LINES = [
    ["fire", "pre_tool_use", "--hooks", "hooks.json", "--tool", "bash", "--input", '{"command": "ls"}'],
    ["fire", "--hooks=hooks.json", "PreToolUse", "--env", "A=1", "--env", "B=2", "--fail-closed"],
    ["fire", "--as-hook", "claude_code"],
    ["exec", "-c", "echo $1", "name", "--", "-x", "--env"],
    ["exec", "--mount", ".:/w:ro", "--timeout", "1.5", "script.sh", "-c", "word"],
    ["hook", "--contract", "crush", "--timeout", "3"],
    ["check", "a.json", "b.json", "--format", "json"],
    ["test", "--shell", "bash", "--shell", "sandhook", "spec/"],
]


def parser_of(command: str) -> Parser:
    from importlib import import_module

    declared: Parser = import_module(COMMANDS[command].module).parser()
    return declared


def plain(parser: Parser, words: list[str]) -> dict[str, Any] | None:
    return read_plain(parser.declared, words)


def by_argparse(parser: Parser, words: list[str]) -> dict[str, Any] | None:
    try:
        return vars(parser.whole().parse_args(words))
    except (UsageError, SystemExit):
        return None


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_plain_lines_are_read_at_once(line: list[str]) -> None:
    parser = parser_of(line[0])
    options = plain(parser, line[1:])
    assert options is not None
    assert options == by_argparse(parser, line[1:])


@pytest.mark.parametrize(
    "words",
    [
        ["-h"],
        ["--help"],
        ["--no-such"],
        ["-ctrue"],
        ["-c"],
        ["-c", "-x"],
        ["-c", "--"],
        ["--", "file"],
        ["--timeout", "long", "file"],
        ["--timeout", "-1", "file"],
        ["--isolation", "none", "file"],
        ["--steps=yes", "file"],
        ["--moun", ".:/w", "file"],
        ["-c=true"],
    ],
    ids=" ".join,
)
def test_other_lines_are_left_to_argparse(words: list[str]) -> None:
    assert plain(parser_of("exec"), words) is None


def test_a_required_option_is_asked_for_by_argparse() -> None:
    assert plain(parser_of("hook"), []) is None
    with pytest.raises(UsageError, match="--contract"):
        parser_of("hook").parse_args([])


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("seed", every(10, range(200)))
def test_both_ways_have_the_same_values(command: str, seed: int) -> None:
    """Each line is random words of the command: read at once it has argparse's values, or it is left to argparse."""
    parser = parser_of(command)
    words = random_line(parser, random.Random(f"{command} {seed}"))
    options = plain(parser, words)
    if options is not None:
        assert options == by_argparse(parser, words), words


def test_random_lines_are_often_plain() -> None:
    parser = parser_of("fire")
    found = [plain(parser, random_line(parser, random.Random(seed))) for seed in range(100)]
    assert sum(each is not None for each in found) > 20


def random_line(parser: Parser, chance: random.Random) -> list[str]:
    words = []
    for _ in range(chance.randrange(5)):
        argument = chance.choice([each for each in parser.declared if isinstance(each, Argument)])
        values = [str(each) for each in argument.settings.get("choices") or ("a", "b c", "3", "1.5")]
        value = (
            chance.choice(values)
            if chance.random() < 0.9
            else chance.choice(["", "-", "--", "-1", "-x", "a=b"])
        )
        if not argument.is_option:
            words.append(value)
            continue
        flag = chance.choice(argument.flags)
        if argument.settings.get("action") == "store_true":
            words.append(flag)
        elif chance.random() < 0.2:
            words.append(f"{flag}={value}")
        else:
            words += [
                flag,
                value,
                *([chance.choice(values)] if argument.settings.get("nargs") == "+" else []),
            ]
    if chance.random() < 0.3:
        words.append(chance.choice(["word", "other word", "--", "-q"]))
    return words
