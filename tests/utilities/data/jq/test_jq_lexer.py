"""The lexer: what counts as a name, and what is only a word in a string, a comment or a key."""

from __future__ import annotations

import pytest

from sandhook.utilities.data.jq.lexer import UnbalancedError, definitions, keys, tokenize


def names(program: str) -> list[str]:
    tokens = tokenize(program)
    skipped = keys(tokens)
    return [token.text for token in tokens if token.kind == "name" and token.start not in skipped]


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("env", ["env"]),
        (".env", []),
        (". env", ["env"]),
        ("..env", ["env"]),
        ('"env"', []),
        ('"\\(env)"', ["env"]),
        ('"\\("\\(env) env")"', ["env"]),
        ('"\\"env"', []),
        ('"\\\\" | env', ["env"]),
        ("# env", []),
        ("# env\nenv", ["env"]),
        ("# \\\nenv", []),
        ("# \\\\\nenv", ["env"]),
        ("# \\\r\nenv", []),
        ("{env: env}", ["env"]),
        ("{env, a: 1, env}", []),
        ("{(env): env}", ["env", "env"]),
        ("{a: (1, env)}", ["env"]),
        ("[{a: 1}, env]", ["env"]),
        ("1.5e3 | env", ["env"]),
        ("$env", []),
        ("$ env", []),
        ("@env", []),
        ("a::b", ["a::b"]),
        (".a.env.b", []),
        ('."env"', []),
        (". as {env: $x} | $x", ["as"]),
    ],
)
def test_names(program, found):
    assert names(program) == found


@pytest.mark.parametrize("program", ["(", ")", "(]", '"', '"\\(', '"\\(1"', "{[}]", '"\\', ")("])
def test_unbalanced(program):
    with pytest.raises(UnbalancedError):
        tokenize(program)


def test_depth_costs_no_stack():
    deep = 20_000
    assert len(tokenize("(" * deep + ")" * deep)) == 2 * deep
    assert len(tokenize('"\\(' * deep + "1" + ')"' * deep)) == 3 * deep + 1


def test_a_long_program_takes_linear_time():
    assert len(tokenize("1 + " * 20_000 + "1")) == 40_001
    assert len(tokenize('"' + "x" * 1_000_000 + '"')) == 1


def test_definitions():
    program = "def f($a; g): def inner: 1; g; def h: 2; f(1; 2) | .def"
    assert definitions(tokenize(program)) >= {"f", "g", "inner", "h"}
    assert "input" not in definitions(tokenize("def f: input; f"))


def test_offsets_are_those_of_the_text():
    program = '.a | "x\\(input)" | inputs'
    for token in tokenize(program):
        if token.kind == "name":
            assert program[token.start : token.end] == token.text
