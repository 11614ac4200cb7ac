from __future__ import annotations

import pytest

from sandhook.text.quoting import double_quote, shell_quote, single_quote


@pytest.mark.parametrize(
    ("text", "backslashed", "single"),
    [
        ("", "''", "''"),
        ("plain-1.2/x:y@z", "plain-1.2/x:y@z", "'plain-1.2/x:y@z'"),
        ("a b", "a\\ b", "'a b'"),
        ("it's", "it\\'s", "'it'\\''s'"),
        ("'", "\\'", "\\'"),
        ("~", "\\~", "'~'"),
        ("a~b", "a~b", "'a~b'"),
        ("x=~y:~z", "x=\\~y:\\~z", "'x=~y:~z'"),
        ("#a#", "\\#a#", "'#a#'"),
        ("a\nb\t", "$'a\\nb\\t'", "$'a\\nb\\t'"),
        ("\x1b[0m'\\", "$'\\E[0m\\'\\\\'", "$'\\E[0m\\'\\\\'"),
        ("é\u00a0日", "é\u00a0日", "'é\u00a0日'"),
        ("\udcff", "$'\\377'", "$'\\377'"),
        ("\u0085", "$'\\302\\205'", "$'\\302\\205'"),
        ('$x`y`"!*?[]{},;&|<>()^', '\\$x\\`y\\`\\"\\!\\*\\?\\[\\]\\{\\}\\,\\;\\&\\|\\<\\>\\(\\)\\^', None),
    ],
)
def test_quotes_as_bash(line, text, backslashed, single):
    assert shell_quote(text) == backslashed
    if single is not None:
        assert single_quote(text) == single


def test_double_quotes_are_those_of_declare():
    assert double_quote('a"b$c`d\\e') == '"a\\"b\\$c\\`d\\\\e"'
    assert double_quote("a\nb") == "$'a\\nb'"
