"""The tree of an awk program, and the functions that compile its nodes."""

from __future__ import annotations

from typing import get_args

import pytest

from sandhook.utilities.languages.awk.compile import compiler
from sandhook.utilities.languages.awk.nodes import (
    RECORD,
    And,
    Arithmetic,
    Assignment,
    Block,
    Comparison,
    Concatenation,
    Element,
    Ere,
    Evaluation,
    Expression,
    ExpressionList,
    Field,
    Grouping,
    Increment,
    Located,
    Match,
    Membership,
    Name,
    Number,
    Print,
    Rule,
    Statement,
    String,
)
from sandhook.utilities.languages.awk.parser import parse_program

X, Y = Name("x"), Name("y")


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("1", Number(1.0)),
        ("x y 1", Concatenation((X, Y, Number(1.0)))),
        ("(x y) 1", Concatenation((Grouping(Concatenation((X, Y))), Number(1.0)))),
        ("x ^ y ^ 1", Arithmetic("^", X, Arithmetic("^", Y, Number(1.0)))),
        ("x - y - 1", Arithmetic("-", Arithmetic("-", X, Y), Number(1.0))),
        ("x && y && 1", And((X, Y, Number(1.0)))),
        ("$x++", Increment(Field(X), 1.0, False)),
        ("--$1", Increment(Field(Number(1.0)), -1.0, True)),
        ('x += y = "a"', Assignment("+", X, Assignment("", Y, String("a")))),
        ("$0 !~ /a/", Match(RECORD, Ere("a"), True)),
        ("x < y", Comparison("<", X, Y)),
        ("(x, y) in a", Membership((X, Y), Name("a"))),
        ("a[x][y]", Element(Element(Name("a"), (X,)), (Y,))),
    ],
)
def test_expression(text: str, node: Expression) -> None:
    rules, _ = parse_program(f"BEGIN {{ {text} }}")
    assert rules == [Rule("BEGIN", None, None, Block((Located(1, Evaluation(node)),)), 1)]


def test_a_statement_carries_its_line() -> None:
    rules, _ = parse_program("/a/,\n/b/ {\n print x, y > 1\n}")
    action = Block((Located(3, Print((X, Y), ">", Number(1.0))),))
    assert rules == [Rule("", Ere("a"), Ere("b"), action, 1)]


def test_an_argument_is_an_array_when_the_function_uses_it_as_one() -> None:
    _, scope = parse_program("function f(p) { g(p) } function g(q) { q[1] = 1 } BEGIN { f(x); y = 1 }")
    assert scope.arrays == {"x"}
    assert scope.functions["f"].arrays == {"p"}


def test_every_expression_is_compiled() -> None:
    """The parser allows a list of expressions only where it is taken apart."""
    assert set(compiler._VALUES) == set(get_args(Expression)) - {ExpressionList}


def test_every_statement_is_compiled() -> None:
    assert set(compiler._STATEMENTS) == set(get_args(Statement))
