"""The arguments that are read with a command's name: the tree is the one that a token for each word makes."""

from __future__ import annotations

import random

import pytest

from sandhook.errors import ShellSyntaxError
from sandhook.syntax import ParseOptions, parse

#: With an alias, also one that no text has, each word has a token of its own.
BY_TOKENS = ParseOptions(aliases={"no-such-alias": "x"})

WORDS = (
    *("foo", "a", "in", "do", "esac", "-p", "--", "!", "time", "coproc", "function", "declare", "let", "}"),
    *("'q'", '"$x"', '"y z"', "'two\nlines'", "x=1", "2", "2>&1", ">f", "{fd}>g", "<<E", "E", "#c", "a#b"),
    *("(", ")", "((", "))", "[[", "]]", "{", ";", ";;", "&", "|", "&&", "\n", "\\\n", "\t", "\r", "$(", "`"),
    *("case", "for", "select", "if", "then", "fi", "while", "done", "a=(b)", "*", "~", "é", "$x"),
)


def outcome(text: str, options: ParseOptions) -> str:
    try:
        return repr(parse(text, options=options))
    except ShellSyntaxError as error:
        return repr(error)


@pytest.mark.parametrize("seed", range(20))
def test_the_tree_is_that_of_a_token_for_each_word(seed: int) -> None:
    random_ = random.Random(seed)
    for _ in range(100):
        text = " ".join(random_.choices(WORDS, k=random_.randrange(2, 12)))
        assert outcome(text, ParseOptions()) == outcome(text, BY_TOKENS), text


@pytest.mark.parametrize("text", ["foo a (", "foo a () { :; }", "foo 'a' \\\n(", "x=1 foo a ( b"])
def test_no_function_has_two_names(text: str) -> None:
    with pytest.raises(ShellSyntaxError, match=r"near unexpected token `\('"):
        parse(text)
