from __future__ import annotations

import subprocess

import pytest

from sandhook.text.quoting import (
    at_quote,
    diff_quote,
    double_quote,
    in_single_quotes,
    key_quote,
    parallel_quote,
    quote_word,
    set_quote,
    shell_quote,
    single_quote,
    trace_quote,
)


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
        assert at_quote(text) == single


def test_double_quotes_are_those_of_declare():
    assert double_quote('a"b$c`d\\e') == '"a\\"b\\$c\\`d\\\\e"'
    assert double_quote("a\nb") == "$'a\\nb'"


#: Texts, and what each function of FORMS returns for them.
FORMS = (
    shell_quote,
    at_quote,
    single_quote,
    double_quote,
    set_quote,
    trace_quote,
    key_quote,
    quote_word,
    diff_quote,
    parallel_quote,
)
TABLE = [
    ("", "''", "''", "''", '""', "", "''", '""', "''", "''", "''"),
    ("a", "a", "'a'", "'a'", '"a"', "a", "a", "a", "a", "a", "a"),
    ("a b", "a\\ b", "'a b'", "'a b'", '"a b"', "'a b'", "'a b'", '"a b"', "'a b'", "'a b'", "'a b'"),
    (
        "it's",
        "it\\'s",
        "'it'\\''s'",
        "'it'\\''s'",
        '"it\'s"',
        "'it'\\''s'",
        "'it'\\''s'",
        '"it\'s"',
        "'it'\\''s'",
        "'it'\\''s'",
        "'it'\"'\"'s'",
    ),
    ("'", "\\'", "\\'", "\\'", '"\'"', "\\'", "\\'", '"\'"', "''\\'''", "''\\'''", "''\"'\"''"),
    (
        'a"b$c`d\\e!',
        'a\\"b\\$c\\`d\\\\e\\!',
        "'a\"b$c`d\\e!'",
        "'a\"b$c`d\\e!'",
        '"a\\"b\\$c\\`d\\\\e!"',
        "'a\"b$c`d\\e!'",
        "'a\"b$c`d\\e!'",
        '"a\\"b\\$c\\`d\\\\e!"',
        "'a\"b$c`d\\e!'",
        "'a\"b$c`d\\e!'",
        "'a\"b$c`d\\e!'",
    ),
    ("~", "\\~", "'~'", "'~'", '"~"', "'~'", "'~'", '"~"', "'~'", "'~'", "'~'"),
    (
        "x=~y:~z",
        "x=\\~y:\\~z",
        "'x=~y:~z'",
        "'x=~y:~z'",
        '"x=~y:~z"',
        "'x=~y:~z'",
        "'x=~y:~z'",
        '"x=~y:~z"',
        "'x=~y:~z'",
        "'x=~y:~z'",
        "'x=~y:~z'",
    ),
    ("#a#", "\\#a#", "'#a#'", "'#a#'", '"#a#"', "'#a#'", "'#a#'", '"#a#"', "'#a#'", "'#a#'", "'#a#'"),
    (
        "*?[x]{y}",
        "\\*\\?\\[x\\]\\{y\\}",
        "'*?[x]{y}'",
        "'*?[x]{y}'",
        '"*?[x]{y}"',
        "'*?[x]{y}'",
        "'*?[x]{y}'",
        '"*?[x]{y}"',
        "'*?[x]{y}'",
        "'*?[x]{y}'",
        "'*?[x]{y}'",
    ),
    (
        "%+=:,./-_^@",
        "%+=:\\,./-_\\^@",
        "'%+=:,./-_^@'",
        "'%+=:,./-_^@'",
        '"%+=:,./-_^@"',
        "'%+=:,./-_^@'",
        "'%+=:,./-_^@'",
        '"%+=:,./-_^@"',
        "'%+=:,./-_^@'",
        "'%+=:,./-_^@'",
        "'%+=:,./-_^@'",
    ),
    ("@", "@", "'@'", "'@'", '"@"', "@", "@", '"@"', "@", "@", "'@'"),
    (
        "a\nb\t",
        "$'a\\nb\\t'",
        "$'a\\nb\\t'",
        "'a\nb\t'",
        "$'a\\nb\\t'",
        "$'a\\nb\\t'",
        "'a\nb\t'",
        "$'a\\nb\\t'",
        "'a\nb\t'",
        "'a\nb\t'",
        "'a\nb\t'",
    ),
    (
        "\x01",
        "$'\\001'",
        "$'\\001'",
        "'\x01'",
        "$'\\001'",
        "$'\\001'",
        "$'\\001'",
        "$'\\001'",
        "'\x01'",
        "'\x01'",
        "'\x01'",
    ),
    (
        "\x01 b",
        "$'\\001 b'",
        "$'\\001 b'",
        "'\x01 b'",
        "$'\\001 b'",
        "$'\\001 b'",
        "'\x01 b'",
        "$'\\001 b'",
        "'\x01 b'",
        "'\x01 b'",
        "'\x01 b'",
    ),
    (
        "\x1b[0m'",
        "$'\\E[0m\\''",
        "$'\\E[0m\\''",
        "'\x1b[0m'\\'''",
        "$'\\E[0m\\''",
        "$'\\E[0m\\''",
        "'\x1b[0m'\\'''",
        "$'\\E[0m\\''",
        "'\x1b[0m'\\'''",
        "'\x1b[0m'\\'''",
        "'\x1b[0m'\"'\"''",
    ),
    ("\xe9", "\xe9", "'\xe9'", "'\xe9'", '"\xe9"', "\xe9", "\xe9", "\xe9", "\xe9", "'\xe9'", "'\xe9'"),
    ("\xa0", "\xa0", "'\xa0'", "'\xa0'", '"\xa0"', "\xa0", "\xa0", "\xa0", "'\xa0'", "'\xa0'", "'\xa0'"),
    (
        "\x85",
        "$'\\302\\205'",
        "$'\\302\\205'",
        "'\x85'",
        "$'\\302\\205'",
        "$'\\302\\205'",
        "$'\\302\\205'",
        "$'\\302\\205'",
        "'\x85'",
        "'\x85'",
        "'\x85'",
    ),
    (
        "\udcff",
        "$'\\377'",
        "$'\\377'",
        "'\udcff'",
        "$'\\377'",
        "$'\\377'",
        "$'\\377'",
        "$'\\377'",
        "'\udcff'",
        "'\udcff'",
        "'\udcff'",
    ),
    (
        "$'x'",
        "\\$\\'x\\'",
        "'$'\\''x'\\'''",
        "'$'\\''x'\\'''",
        "\"\\$'x'\"",
        "'$'\\''x'\\'''",
        "'$'\\''x'\\'''",
        "\"\\$'x'\"",
        "'$'\\''x'\\'''",
        "'$'\\''x'\\'''",
        "'$'\"'\"'x'\"'\"''",
    ),
    ("a=b", "a=b", "'a=b'", "'a=b'", '"a=b"', "a=b", "a=b", "a=b", "a=b", "'a=b'", "'a=b'"),
]


@pytest.mark.parametrize("row", TABLE, ids=[ascii(row[0]) for row in TABLE])
def test_every_form(row):
    text, *quoted = row
    assert [form(text) for form in FORMS] == quoted


def test_forms_are_bash_s(oracle):
    script = (
        'printf "%q\\n" "$1"; echo "${1@Q}"; a=("$1"); echo "${a[@]@K}"; x=$1; set | grep ^x=; set -x; : "$1"'
    )
    for text, *_ in TABLE if oracle else []:
        if "\x01" in text:
            continue  # some forms of bash 5.2 double this character
        bash = subprocess.run(
            ["bash", "-c", script, "bash", text.encode("utf-8", "surrogateescape")],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=True,
            env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
        )
        forms = [
            shell_quote(text),
            at_quote(text),
            f"0 {double_quote(text)}",
            f"x={set_quote(text)}",
            f"+ : {trace_quote(text)}",
        ]
        assert bash.stdout.decode("utf-8", "surrogateescape") == "".join(f"{form}\n" for form in forms), text


def test_single_quotes_protect_any_text():
    assert in_single_quotes("'") == "''\\'''"
    assert in_single_quotes("") == "''"
