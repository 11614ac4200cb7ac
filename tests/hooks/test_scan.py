"""What is known of a script that does not run."""

from __future__ import annotations

import pytest

from sandhook.hooks.scan import command_names


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("jq .", ["jq"]),
        ("timeout 5 jq .", ["timeout", "jq"]),
        ("timeout -k 5 10s jq .", ["timeout", "jq"]),
        ("nice -n 5 env -u X A=1 jq .", ["nice", "env", "jq"]),
        ("sudo -u root jq .", ["sudo", "jq"]),
        ("stdbuf -oL grep x", ["stdbuf", "grep"]),
        ("xargs -0 -I {} rm {}", ["xargs", "rm"]),
        ("command -v jq", ["command"]),
        ("env", ["env"]),
        ("timeout 5", ["timeout"]),
        ("", []),
    ],
)
def test_commands_of_wrappers_are_called(line: str, names: list[str]) -> None:
    assert list(command_names(line.split())) == names


def test_an_unknown_word_hides_the_command() -> None:
    assert list(command_names(("timeout", None, "jq"))) == ["timeout"]
    assert list(command_names((None,))) == []


def test_a_long_chain_of_wrappers_is_not_followed_to_its_end() -> None:
    assert set(command_names(("nice",) * 200_000)) == {"nice"}
