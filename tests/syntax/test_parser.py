"""Scripts to trees: what stands where, line numbers, units, here-documents, CRLF, aliases."""

from __future__ import annotations

import pytest

from sandhook.errors import ShellSyntaxError
from sandhook.syntax import ParseOptions, Parser, parse, parse_heredoc, parse_word
from sandhook.syntax import nodes as n
from sandhook.syntax.nodes import strip_spans, walk
from sandhook.syntax.unparse import unparse
from tests.syntax.canonical import canonical
from tests.syntax.corpus import SCRIPTS


def commands(script: str, **options) -> list[n.Command]:
    return [item.command for unit in parse(script, options=ParseOptions(**options)) for item in unit.items]


def command(script: str, **options):
    (only,) = commands(script, **options)
    return strip_spans(only)


def word(*parts) -> n.Word:
    return n.Word(tuple(n.Literal(part) if isinstance(part, str) else part for part in parts))


def parameter(name: str, **fields) -> n.ParameterExpansion:
    return n.ParameterExpansion(name, **fields)


def first_part(text: str):
    return strip_spans(parse_word(text)).parts[0]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("$x", parameter("x", braces=False)),
        ("$1", parameter("1", braces=False)),
        ("${10}", parameter("10")),
        ("${#}", parameter("#")),
        ("${#x}", parameter("x", prefix="#")),
        ("${##}", parameter("#", prefix="#")),
        ("${#-x}", parameter("#", operator="-", word=word("x"))),
        ("${#a[@]}", parameter("a", prefix="#", subscript=word("@"))),
        ("${!x}", parameter("x", prefix="!")),
        ("${!x@}", parameter("x", prefix="!", operator="@")),
        ("${!x*}", parameter("x", prefix="!", operator="*")),
        ("${!a[*]}", parameter("a", prefix="!", subscript=word("*"))),
        ("${!}", parameter("!")),
        ("${!-x}", parameter("!", operator="-", word=word("x"))),
        ("${x:-a b}", parameter("x", operator=":-", word=word("a b"))),
        ("${x=}", parameter("x", operator="=", word=word())),
        ("${x##*/}", parameter("x", operator="##", word=word("*/"))),
        ("${x/a/b}", parameter("x", operator="/", word=word("a"), second=word("b"))),
        ("${x//a}", parameter("x", operator="//", word=word("a"))),
        ("${x////b}", parameter("x", operator="//", word=word("/"), second=word("b"))),
        ("${x/#a/}", parameter("x", operator="/#", word=word("a"), second=word())),
        ("${x:1}", parameter("x", operator=":", word=word("1"))),
        ("${x: -1:2}", parameter("x", operator=":", word=word(" -1"), second=word("2"))),
        ("${x:a?b:c:2}", parameter("x", operator=":", word=word("a?b:c"), second=word("2"))),
        ("${x:(a):2}", parameter("x", operator=":", word=word("(a)"), second=word("2"))),
        ("${x^^[a-z]}", parameter("x", operator="^^", word=word("[a-z]"))),
        ("${x@Q}", parameter("x", operator="@", word=word("Q"))),
        ("${x@Z}", n.BadSubstitution("${x@Z}")),
        ("${}", n.BadSubstitution("${}")),
        ("${ x}", n.BadSubstitution("${ x}")),
        ("${a[}", n.BadSubstitution("${a[}")),
        ("${x:-${y}}", parameter("x", operator=":-", word=word(parameter("y")))),
        ("$(", None),
        ("`a \\`b\\``", n.Backquoted("a `b`", raw="a \\`b\\`")),
        ('"`a \\"b\\"`"', n.DoubleQuoted((n.Backquoted('a "b"', raw='a \\"b\\"'),))),
        ("$'a\\n'", n.AnsiQuoted("a\\n", "a\n")),
        ("'a\\b'", n.SingleQuoted("a\\b")),
        ("\\a", n.Escaped("a")),
        ('"\\a\\$\\\n"', n.DoubleQuoted((n.Literal("\\a"), n.Escaped("$")))),
        ('$"a"', n.DoubleQuoted((n.Literal("a"),), True)),
        ("$((1+$x))", n.ArithmeticExpansion(word("1+", parameter("x", braces=False)))),
        ("$[1]", n.ArithmeticExpansion(word("1"), True)),
        ("$", n.Literal("$")),
        ("\"${x:-'a'}\"", n.DoubleQuoted((parameter("x", operator=":-", word=word("'a'")),))),
        ("\"${x#'a'}\"", n.DoubleQuoted((parameter("x", operator="#", word=word(n.SingleQuoted("a"))),))),
    ],
)
def test_word_parts(text: str, part) -> None:
    if part is None:
        with pytest.raises(ShellSyntaxError):
            parse_word(text)
    else:
        assert first_part(text) == part


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("\\x41\\101\\u00e9\\U0001F600", "AAé😀"),
        ("\\a\\b\\e\\E\\f\\n\\r\\t\\v\\\\\\'\\\"\\?", "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"),
        ("\\cA\\c?", "\x01\x7f"),
        ("\\q\\x", "\\q\\x"),
        ("a\\0b", "a"),
        ("\\xff", "\udcff"),
        ("\\xc3\\xa9", "é"),
        ("\\400", ""),
    ],
)
def test_ansi_quoting(raw: str, text: str) -> None:
    assert first_part(f"$'{raw}'") == n.AnsiQuoted(raw, text)


def test_heredoc_bodies_expand_dollar_backquote_and_backslash_alone() -> None:
    body = strip_spans(parse_heredoc('a "$x" \'y\' \\$ \\" \\\\ `b`\\\nc')).parts
    assert body == (
        n.Literal('a "'),
        parameter("x", braces=False),
        n.Literal("\" 'y' "),
        n.Escaped("$"),
        n.Literal(' \\" '),
        n.Escaped("\\"),
        n.Literal(" "),
        n.Backquoted("b"),
        n.Literal("c"),
    )


class TestCommands:
    def test_simple(self) -> None:
        assert command("x=1 echo a >f 2>&1") == n.SimpleCommand(
            (n.Assignment("x", word("1")),),
            (word("echo"), word("a")),
            (n.Redirection(">", word("f")), n.Redirection(">&", word("1"), 2)),
        )

    def test_words_of_a_declaration_are_assignments(self) -> None:
        array = n.ArrayLiteral((word("1"), n.ArrayElement(word("k"), word("v"), True)))
        assert command("declare -A x=(1 [k]+=v) y=$z a[1]=2 w").words == (
            word("declare"),
            word("-A"),
            n.Assignment("x", array),
            n.Assignment("y", word(parameter("z", braces=False))),
            n.Assignment("a", word("2"), word("1")),
            word("w"),
        )
        assert command("echo x=y").words[1] == word("x=y")

    def test_subscripts_before_a_command_may_hold_blanks(self) -> None:
        assert command("a[1 + 2]=3").assignments == (n.Assignment("a", word("3"), word("1 + 2")),)
        assert command("a[1 2] x").words == (word("a[1 2]"), word("x"))

    def test_redirection_variable_and_numbers(self) -> None:
        redirections = command("a {fd}>x 3<y 4 >z 99999999999>w").redirections
        assert [(r.fd, r.variable) for r in redirections] == [
            (None, "fd"),
            (3, None),
            (None, None),
            (None, None),
        ]

    def test_pipelines(self) -> None:
        a, b = command("a"), command("b")
        assert command("! a |& b") == n.Pipeline((a, b), (True,), True)
        assert command("time -p ! a") == n.Pipeline((a,), (), True, "time -p")
        assert command("! ! a") == a
        assert command("!") == n.Pipeline((), (), True)
        assert command("time") == n.Pipeline((), timed="time")

    def test_lists(self) -> None:
        (unit,) = strip_spans(parse("a && b || c & d; e"))
        assert [item.background for item in unit.items] == [True, False, False]
        assert unit.items[0].command == n.AndOr((command("a"), command("b"), command("c")), ("&&", "||"))

    def test_conditions_group_to_the_right(self) -> None:
        condition = command("[[ a && b && ! c || d == e* ]]").expression
        assert isinstance(condition, n.CondOr)
        assert isinstance(condition.left, n.CondAnd)
        assert isinstance(condition.left.right, n.CondAnd)
        assert condition.right == n.CondBinary("==", word("d"), word("e*"))
        assert command("[[ a ]]").expression == n.CondUnary("-n", word("a"), True)

    def test_patterns_right_of_equals_are_extended(self) -> None:
        pattern = command("[[ x == a@(b|'c'*) ]]").expression.right
        alternatives = (word("b"), word(n.SingleQuoted("c"), "*"))
        assert pattern == word("a", n.ExtendedPattern("@", alternatives))

    def test_regular_expressions_keep_parentheses(self) -> None:
        assert command('[[ x =~ ^(a|b "c")$ ]]').expression.right == word(
            "^(a|b ", n.DoubleQuoted((n.Literal("c"),)), ")$"
        )

    def test_functions(self) -> None:
        for script in ("f() { a; } >x", "function f { a; } >x", "function f () { a; } >x"):
            definition = command(script)
            assert (definition.name, definition.keyword) == ("f", script.startswith("function"))
            assert definition.body == command("{ a; } >x")

    def test_double_parentheses_that_are_two_subshells(self) -> None:
        assert isinstance(command("((a); b)"), n.Subshell)
        assert isinstance(command("echo $((a); b)").words[1].parts[0], n.CommandSubstitution)

    def test_reserved_words_elsewhere_are_words(self) -> None:
        assert [w.parts[0].text for w in command("echo if then } ! [[ time").words] == [
            *["echo", "if", "then", "}", "!", "[[", "time"]
        ]


def test_lines_are_what_bash_counts() -> None:
    script = "a\n\nb \\\n  c; d\nif e\nthen f\nfi\ng $(\nh)\n"
    lines = {
        unparse(node): node.line
        for unit in parse(script)
        for node in walk(unit)
        if isinstance(node, n.SimpleCommand)
    }
    assert lines == {"a": 1, "b c": 4, "d": 4, "e": 5, "f": 6, "g $(h)": 9, "h": 9}


@pytest.mark.parametrize("script", SCRIPTS)
def test_spans_are_true(script: str) -> None:
    """The source of a word, parsed alone, is the word; the source of a command is the command."""
    for unit in parse(script):
        for node in walk(unit):
            start, end = getattr(node, "span", (0, 0))
            source = script[start:end]
            if isinstance(
                node, n.ParameterExpansion | n.CommandSubstitution | n.ArithmeticExpansion | n.Backquoted
            ):
                assert source[0] in "$`" and source[-1] not in " ;\n"
            elif isinstance(node, n.If | n.While | n.Case | n.For | n.BraceGroup | n.Subshell):
                if "<<" not in source:
                    assert canonical(parse(source)) == canonical(_unit(node))
            elif isinstance(node, n.Assignment):
                assert source.startswith(node.name)


def _unit(node) -> tuple[n.CommandList, ...]:
    return (n.CommandList((n.ListItem(node),)),)


class TestUnits:
    def test_come_one_line_at_a_time(self) -> None:
        parser = Parser("a; b\n\n# c\nif d\nthen e; fi; f\nfi\n")
        first = parser.next_unit()
        assert (len(first.items), parser.offset, parser.line) == (2, 5, 2)
        assert len(parser.next_unit().items) == 2
        with pytest.raises(ShellSyntaxError, match="`fi'"):
            parser.next_unit()

    def test_end(self) -> None:
        parser = Parser("a")
        assert parser.next_unit() is not None
        assert parser.next_unit() is None
        assert parse("") == parse("\n# x") == ()

    def test_options_may_change_between(self) -> None:
        parser = Parser("shopt -s extglob\necho @(a|b)\n")
        parser.next_unit()
        parser.options = ParseOptions(extglob=True)
        pattern = parser.next_unit().items[0].command.words[1].parts[0]
        assert isinstance(pattern, n.ExtendedPattern)

    def test_aliases_may_change_between(self) -> None:
        parser = Parser("ll\nll\n")
        assert unparse(parser.next_unit()) == "ll"
        parser.options = parser.options.with_aliases({"ll": "ls -l"})
        assert unparse(parser.next_unit()) == "ls -l"


class TestHereDocuments:
    def test_bodies(self) -> None:
        (unit,) = parse("cat <<A <<-'B' | x; y\n1 $x\nA\n\t2\n\tB\n")
        documents = [node for node in walk(unit) if isinstance(node, n.HereDocument)]
        assert documents == [
            n.HereDocument("A", False, "1 $x\n", False, 2),
            n.HereDocument("B", True, "2\n", True, 4),
        ]

    def test_inside_compound_commands(self) -> None:
        (unit,) = parse("f() { cat <<E\nfor x in\nE\n}\n")
        (document,) = [node for node in walk(unit) if isinstance(node, n.HereDocument)]
        assert document.text == "for x in\n"

    def test_behind_the_line_of_a_substitution(self) -> None:
        parser = Parser("echo $(cat <<E)\nbody\nE\necho z\n")
        (document,) = [node for node in walk(parser.next_unit()) if isinstance(node, n.HereDocument)]
        assert document.text == "body\n"
        assert [(at.line, at.message(1)) for at in parser.warnings] == [
            (1, "command substitution: 1 unterminated here-document")
        ]
        assert unparse(parser.next_unit()) == "echo z"

    def test_unterminated(self) -> None:
        parser = Parser("cat <<E\nbody\n")
        parser.next_unit()
        assert [(at.line, at.message(1)) for at in parser.warnings] == [
            (2, "here-document at line 1 delimited by end-of-file (wanted `E')")
        ]

    def test_continued_lines_of_an_unquoted_body(self) -> None:
        for quote, text in (("", "ab\n"), ("'", "a\\\nb\n")):
            (unit,) = parse(f"cat <<{quote}E{quote}\na\\\nb\nE\n")
            assert unit.items[0].command.redirections[0].document.text == text


class TestCarriageReturns:
    SCRIPT = "if a\r\nthen b 'x\r\ny'; fi\r\ncat <<E\r\nbody\r\nE\r\nc \\\r\n d\r\n"

    def test_before_newlines_are_tolerated(self) -> None:
        units = parse(self.SCRIPT)
        assert canonical(units) == canonical(parse("if a\nthen b 'x\r\ny'; fi\ncat <<E\nbody\nE\nc \\\n d\n"))
        last = units[-1].items[0].command
        assert self.SCRIPT[slice(*last.span)] == "c \\\r\n d"
        assert last.line == 8

    def test_unless_told_otherwise(self) -> None:
        (unit,) = parse("a\r\n", options=ParseOptions(tolerate_cr=False))
        assert unit.items[0].command.words[0].parts == (n.Literal("a\r"),)

    def test_elsewhere_are_characters(self) -> None:
        assert command("a\rb").words == (word("a\rb"),)


class TestAliases:
    @pytest.mark.parametrize(
        ("aliases", "script", "text"),
        [
            ({"ll": "ls -l"}, "ll x; echo ll; ll", "ls -l x; echo ll; ls -l"),
            ({"a": "b", "b": "a"}, "a; b", "a; b"),
            ({"a": "a x"}, "a", "a x"),
            ({"sudo": "sudo ", "e": "echo x"}, "sudo e; env e", "sudo echo x; env e"),
            ({"i": "if true; then", "f": "fi"}, "i a; f", "if true; then\n    a;\nfi"),
            ({"q": 'echo "'}, 'q x" y', 'echo " x" y'),
            ({"x": "y=1"}, "x echo", "y=1 echo"),
            ({"e": "echo"}, "\\e 'e'; x=1 e; >f e; e=e e", "\\e 'e'; x=1 echo; echo > f; e=e echo"),
            ({"e": "echo"}, "case e in e) e;; esac", "case e in \n    e)\n        echo\n    ;;\nesac"),
            ({"c": "# x"}, "c a", ""),
            ({"l": "x"}, "l\\\n", "x"),
            ({"l": ""}, "l\\\n\\\n", ""),
            (
                {"l": "if"},
                "l a; then b; fi; l\\\n\\\n c; then d; fi",
                "if a; then\n    b;\nfi; if c; then\n    d;\nfi",
            ),
        ],
    )
    def test_expand_as_in_bash(self, aliases: dict[str, str], script: str, text: str) -> None:
        units = parse(script, options=ParseOptions(aliases=aliases))
        assert "\n".join(map(unparse, units)) == text

    def test_spans_point_at_the_name(self) -> None:
        script = "x\nll a; b\nc\n"
        units = parse(script, options=ParseOptions(aliases={"ll": "ls -l"}))
        words = [node for unit in units for node in walk(unit) if isinstance(node, n.Word)]
        assert [script[slice(*node.span)] for node in words] == ["x", "ll", "ll", "a", "b", "c"]
        assert [node.line for unit in units for node in walk(unit) if isinstance(node, n.SimpleCommand)] == [
            1,
            2,
            2,
            3,
        ]

    def test_values_may_hold_newlines(self) -> None:
        units = parse("n; c\n", options=ParseOptions(aliases={"n": "a\nb"}))
        assert [unparse(unit) for unit in units] == ["a", "b; c"]
