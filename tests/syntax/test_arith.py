"""Arithmetic text to trees, and bash's words for what is no expression."""

from __future__ import annotations

import pytest

from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.syntax import nodes as n
from sandhook.syntax import parse_arithmetic
from sandhook.syntax.arith import parse_number


def show(node: n.Arith) -> str:
    """The tree with every grouping in parentheses."""
    match node:
        case n.ArithNumber(value):
            return str(value)
        case n.ArithVariable(name, subscript):
            return name if subscript is None else f"{name}[{subscript}]"
        case n.ArithParameter(name):
            return f"${name}"
        case n.ArithUnary(operator, operand):
            return f"({operator}{show(operand)})"
        case n.ArithStep(operator, target, prefix):
            return f"({operator}{show(target)})" if prefix else f"({show(target)}{operator})"
        case n.ArithConditional(test, then, otherwise):
            return f"({show(test)} ? {show(then)} : {show(otherwise)})"
        case n.ArithComma(left, right):
            return f"({show(left)} , {show(right)})"
        case n.ArithAssign(operator, target, value):
            return f"({show(target)} {operator} {show(value)})"
    return f"({show(node.left)} {node.operator} {show(node.right)})"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("", "0"),
        (" \n\t", "0"),
        ("1 + 2 * 3 - 4", "((1 + (2 * 3)) - 4)"),
        ("2 ** 3 ** 2", "(2 ** (3 ** 2))"),
        ("-2 ** 2", "((-2) ** 2)"),
        ("!x + ~-y", "((!x) + (~(-y)))"),
        ("1 << 2 + 3 < 4 == 5 & 6 ^ 7 | 8", "((((((1 << (2 + 3)) < 4) == 5) & 6) ^ 7) | 8)"),
        ("a && b || c && d", "((a && b) || (c && d))"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("a ? b, c : d", "(a ? (b , c) : d)"),
        ("x = y += 1, z <<= 2", "((x = (y += 1)) , (z <<= 2))"),
        ("x = a ? b = 1 : 2", "(x = (a ? (b = 1) : 2))"),
        ("++x + y-- - z", "(((++x) + (y--)) - z)"),
        ("x+++y", "((x++) + y)"),
        ("- -1", "(-(-1))"),
        ("--1", "(-(-1))"),
        ("5--1", "(5 - (-1))"),
        ("a[i+1] + b[c[0]]", "(a[i+1] + b[c[0]])"),
        ("a['x y'] = (1)", "(a['x y'] = 1)"),
        ("9223372036854775807 + 9223372036854775808", "(9223372036854775807 + -9223372036854775808)"),
    ],
)
def test_groups(text: str, tree: str) -> None:
    assert show(parse_arithmetic(text)) == tree


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("017", 15),
        ("0xfF", 255),
        ("2#101", 5),
        ("36#Zz", 1295),
        ("64#zZ@_", ((35 * 64 + 61) * 64 + 62) * 64 + 63),
        ("18446744073709551615", -1),
        ("0x8000000000000000", -(1 << 63)),
    ],
)
def test_numbers(text: str, value: int) -> None:
    assert parse_number(text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 +", '1 +: syntax error: operand expected (error token is "+")'),
        ("1 + ", '1 + : syntax error: operand expected (error token is "+ ")'),
        ("1 2", '1 2: syntax error in expression (error token is "2")'),
        ("(1", '(1: missing `)\' (error token is "1")'),
        ("1)", '1): syntax error in expression (error token is ")")'),
        ("x =", 'x =: syntax error: operand expected (error token is "=")'),
        ("1 = 2", '1 = 2: attempted assignment to non-variable (error token is "= 2")'),
        ("x + y = 3", 'x + y = 3: attempted assignment to non-variable (error token is "= 3")'),
        ("(x) = 3", '(x) = 3: attempted assignment to non-variable (error token is "= 3")'),
        ("1 ? 2", '1 ? 2: `:\' expected for conditional expression (error token is "2")'),
        ("1 ? : 2", '1 ? : 2: expression expected (error token is ": 2")'),
        ("08 + 1", '08: value too great for base (error token is "08")'),
        ("2#3", '2#3: value too great for base (error token is "2#3")'),
        ("1#1", '1#1: invalid arithmetic base (error token is "1#1")'),
        ("65#1", '65#1: invalid arithmetic base (error token is "65#1")'),
        ("2#", '2#: invalid integer constant (error token is "2#")'),
        ("1 @", '1 @: syntax error: invalid arithmetic operator (error token is "@")'),
        ("@", '@: syntax error: operand expected (error token is "@")'),
        ("1.5", '1.5: syntax error: invalid arithmetic operator (error token is ".5")'),
        ("a[1", 'a[1: bad array subscript (error token is "a[1")'),
        ("--x++", '--x++: ++: assignment requires lvalue (error token is "++")'),
    ],
)
class TestErrors:
    def test_reads_as_bash(self, text: str, message: str) -> None:
        with pytest.raises(ShellSyntaxError) as caught:
            parse_arithmetic(text)
        assert caught.value.message == message

    def test_oracle_says_so(self, bash, text: str, message: str) -> None:
        assert f"let: {message}\n" in bash.run(f"let '{text}'")


def test_division_shows_where_its_right_side_begins() -> None:
    text = "1 / 0 + 2"
    node = parse_arithmetic(text).left
    assert text[node.at :].lstrip() == "0 + 2"


class TestParameters:
    @pytest.mark.parametrize(
        ("text", "tree"),
        [("$x + ${y} * $1", "($x + ($y * $1))"), ("-$# - $?", "((-$#) - $?)"), ("$12 ", None)],
    )
    def test_are_operands(self, text: str, tree: str | None) -> None:
        if tree is None:  # $1 and a 2 that joins it
            with pytest.raises(ShellSyntaxError):
                parse_arithmetic(text, parameters=True)
        else:
            assert show(parse_arithmetic(text, parameters=True)) == tree

    @pytest.mark.parametrize(
        "text", ["1$x", "a$x", "$x$y", "${x}1", "$x = 1", "$x++", "++$x", "$x[1]", "2#$x"]
    )
    def test_are_refused_where_their_text_joins(self, text: str) -> None:
        with pytest.raises(ShellSyntaxError):
            parse_arithmetic(text, parameters=True)

    def test_are_refused_unless_asked_for(self) -> None:
        with pytest.raises(ShellSyntaxError):
            parse_arithmetic("$x")


@pytest.mark.parametrize("bracket", ["(", "- ", "!", "1 ? ", "x = ", "2 ** ", "1 && ", "1, ", "1 ? 1 : "])
def test_depth_is_limited(bracket: str) -> None:
    with pytest.raises((LimitExceeded, ShellSyntaxError)):
        parse_arithmetic(bracket * 5000 + "1" + ")" * (5000 if bracket == "(" else 0))
    parse_arithmetic(
        bracket * 60 + "1" + ")" * (60 if bracket == "(" else 0) + (" : 1" * 60 if bracket == "1 ? " else "")
    )


@pytest.mark.parametrize("operator", ["+", "*", "<<", "|"])
def test_a_long_row_is_no_depth(operator: str) -> None:
    tree = parse_arithmetic(f" {operator} ".join(["1"] * 5000))
    assert isinstance(tree, n.ArithChain)
    assert {step[:2] for step in tree.steps} == {(operator, n.ArithNumber(1))}


def test_a_row_ends_where_a_looser_operator_begins() -> None:
    row = " + ".join(["1"] * 60)
    tree = parse_arithmetic(f"{row} && {row}")
    assert isinstance(tree, n.ArithLogical)
    assert isinstance(tree.left, n.ArithChain)
    assert isinstance(tree.right, n.ArithChain)
