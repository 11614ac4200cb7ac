"""``$((`` and ``((`` that turn out not to be arithmetic: what an attempt has read is not read again."""

from __future__ import annotations

import pytest

from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.syntax import ParseOptions, parse
from sandhook.syntax.parser import Parser
from tests.syntax.canonical import canonical

#: One level: with "$((" or "((", and the same without an attempt.
LEVELS = [
    ("echo $((echo %s) | cat)", "echo $( (echo %s) | cat)"),
    ('echo "$((echo "%s") | cat)"', 'echo "$( (echo "%s") | cat)"'),
    ("((echo $(%s)) | cat)", "( (echo $(%s)) | cat)"),
    ("x=$((echo ${x:-%s}; echo b) | cat)", "x=$( (echo ${x:-%s}; echo b) | cat)"),
    ("a=($((echo %s; echo 1) | cat) $((1 + 2)))", "a=($( (echo %s; echo 1) | cat) $((1 + 2)))"),
    ("$((cat <<E; echo %s) | cat\nin $((echo 1) | cat)\nE\n)", "$( (cat <<E; echo %s) | cat\nin $((echo 1) | cat)\nE\n)"),
]  # fmt: skip


def nested(level: str, depth: int) -> str:
    text = "a"
    for _ in range(depth):
        text = level.replace("%s", f"$( {text})")
    return text


@pytest.mark.parametrize(("attempt", "plain"), LEVELS)
def test_the_tree_is_that_of_a_command_substitution(attempt: str, plain: str) -> None:
    for depth in range(1, 6):
        assert canonical(parse(nested(attempt, depth))) == canonical(parse(nested(plain, depth)))


@pytest.mark.parametrize("level", [attempt for attempt, _ in LEVELS])
def test_substitutions_are_read_once_for_a_level(level: str) -> None:
    def pieces(depth: int) -> int:
        parser = Parser(nested(level, depth))
        while parser.next_unit() is not None:
            pass
        return parser.pieces

    assert pieces(10) - pieces(9) == pieces(4) - pieces(3) > 0


@pytest.mark.parametrize(
    "level", ["$(({ { { { echo %s; }; }; }; }) | cat)", "((( ( (echo $(%s)) ) ) ) | cat)"]
)
def test_what_is_not_read_again_counts_as_nesting(level: str) -> None:
    parse(nested(level, 5), options=ParseOptions(nesting=100))
    with pytest.raises(LimitExceeded):
        parse(nested(level, 18), options=ParseOptions(nesting=100))


def test_a_new_alias_is_read_again() -> None:
    units = parse("$((echo $(a; b)) | cat)\n", options=ParseOptions(aliases=(("a", "echo long; echo"),)))
    assert canonical(units) == canonical(parse("$( (echo $(echo long; echo; b)) | cat)\n"))


def test_an_error_leaves_no_attempt_open() -> None:
    parser = Parser("$((echo $(;)) | cat)\necho $((echo a) | cat)\n")
    with pytest.raises(ShellSyntaxError):
        parser.next_unit()
    parser.skip_line()
    assert canonical((parser.next_unit(),)) == canonical(parse("echo $( (echo a) | cat)\n"))
