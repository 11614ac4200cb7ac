from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("expression", "value", "status"),
    [
        ("1 + 2", "3", 0), ("1 + 2 * 3", "7", 0), ("( 1 + 2 ) * 3", "9", 0), ("7 / 2", "3", 0), ("-7 / 2", "-3", 0),
        ("-7 % 3", "-1", 0), ("5 - 5", "0", 1), ("0", "0", 1), ("00", "00", 1), ("-0", "-0", 1), ("a", "a", 0),
        ("3 < 10", "1", 0), ("a < b", "1", 0), ("b < a", "0", 1), ("10 = 10.0", "0", 1), ("abc = abc", "1", 0),
        ("1 == 1", "1", 0), ("1 != 1", "0", 1), ("2 >= 2", "1", 0), ("2 > 2", "0", 1), ("2 <= 1", "0", 1),
        ("0 | x", "x", 0), ("a | x", "a", 0), ("a & b", "a", 0), ("a & 0", "0", 1), ("0 & 1 / 0", "0", 1),
        ("1 | 1 / 0", "1", 0), ("abc : a.*", "3", 0), ("abc : b", "0", 1), ("abc : a\\(.\\)c", "b", 0),
        ("abc : x\\(.\\)", "", 1), ("match abc a.", "2", 0), ("length hello", "5", 0), ("index hello lo", "3", 0),
        ("index hello z", "0", 1), ("substr hello 2 3", "ell", 0), ("substr hello 0 3", "", 1),
        ("substr hello 4 9", "lo", 0), ("+ length", "length", 0), ("-- 1 + 1", "2", 0), ("1 + 1 = 2", "1", 0),
        ("a : a = 1", "1", 0), ("8 - 3 - 2", "3", 0), ("x=y", "x=y", 0), ("1 + -2", "-1", 0), ("é : .", "1", 0),
    ],
)  # fmt: skip
def test_values(utility, expression, value, status):
    assert utility("expr", *expression.split()) == (status, f"{value}\n", "")


def test_empty_arguments(utility):
    assert utility("expr", "") == (1, "\n", "")
    assert utility("expr", "", "|", "x") == (0, "x\n", "")
    assert utility("expr", "", "|", "") == (1, "0\n", "")
    assert utility("expr", "", "&", "x") == (1, "0\n", "")


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("1 / 0", "division by zero"),
        ("a + 1", "non-integer argument"),
        ("1 +", "syntax error: missing argument after '+'"),
        ("1 2", "syntax error: unexpected argument '2'"),
        ("( 1", "syntax error: expecting ')' after '1'"),
        ("( 1 2", "syntax error: expecting ')' instead of '2'"),
        (")", "syntax error: unexpected ')'"),
    ],
)
def test_fails(utility, expression, message):
    assert utility("expr", *expression.split()) == (2, "", f"expr: {message}\n")


def test_integers_are_exact_up_to_a_bound(utility):
    assert utility("expr", str(2**63 - 1), "+", "1") == (0, f"{2**63}\n", "")
    assert utility("expr", "9" * 40, "*", "-" + "9" * 40) == (0, f"{-((10**40 - 1) ** 2)}\n", "")
    assert utility("expr", "-" + "7" * 30, "/", "2") == (0, f"-{int('7' * 30) // 2}\n", "")
    assert utility("expr", "9" * 4000, "*", "9" * 4000, same=False)[0] == 3
    assert utility("expr", "9" * 5000, "+", "1", same=False)[0] == 3


def test_nesting_is_bounded(utility):
    deep = ["("] * 60 + ["1"] + [")"] * 60
    assert utility("expr", *deep, same=False) == (
        2,
        "",
        "expr: expressions nest over 50 levels (L-EXPR-002)\n",
    )


def test_needs_an_operand(utility):
    hint = "Try 'expr --help' for more information.\n"
    assert utility("expr") == (2, "", f"expr: missing operand\n{hint}")
