"""Shell patterns, against a table recorded from bash 5.2.15 in the C.UTF-8 locale."""

from __future__ import annotations

import pytest

from sandhook.errors import LimitExceeded
from sandhook.limits import Budget, Limits
from sandhook.pattern.glob import MAX_NESTING, compile_pattern, has_magic, quote
from tests.work import lines_run

#: text, pattern, whether they match in ``case`` (shopt extglob).
MATCHES = [
    ("", "", True),
    ("a", "", False),
    ("abc", "abc", True),
    ("abc", "a*", True),
    ("ba", "a*", False),
    ("abc", "*c", True),
    ("abcd", "*c", False),
    ("xaby", "*ab*", True),
    ("xay", "*ab*", False),
    ("", "*", True),
    ("aXbXc", "a*X*c", True),
    ("ab", "a*b*b", False),
    ("aa", "a*a", True),
    ("a", "a*a", False),
    ("a/b", "a*b", True),
    (".a", "*", True),
    ("é", "?", True),
    ("é", "??", False),
    ("\udcff", "?", True),
    ("\udcff\udcfe", "?", False),
    ("\udcff", "*", True),
    ("\udcff", "[!a]", True),
    ("a\nb", "a?b", True),
    ("*", "\\*", True),
    ("a", "\\*", False),
    ("\\", "\\", True),
    ("a\\", "a\\", True),
    ("ab", "a**b", True),
    # bracket expressions
    ("b", "[abc]", True),
    ("d", "[abc]", False),
    ("b", "[!abc]", False),
    ("d", "[!abc]", True),
    ("d", "[^abc]", True),
    ("", "[!a]", False),
    ("b", "[a-c]", True),
    ("b", "[z-a]", False),
    ("-", "[a-]", True),
    ("-", "[-a]", True),
    ("-", "[!-a]", False),
    ("-", "[--/]", True),
    (".", "[--/]", True),
    ("9", "[a-z-9]", True),
    ("-", "[a-z-9]", True),
    ("5", "[a-z-9]", False),
    ("]", "[]]", True),
    ("a]", "[a]]", True),
    ("]", "[!]a]", False),
    ("b", "[!]a]", True),
    ("[", "[", True),
    ("[a", "[a", True),
    ("a", "[a", False),
    ("[!", "[!", True),
    ("[]", "[]", True),
    ("[]a", "[]a", True),
    ("!", "[\\!a]", True),
    ("^", "[\\^a]", True),
    ("]", "[\\]]", True),
    ("a", "[a\\]b]", True),
    ("m", "[a\\-z]", False),
    ("-", "[a\\-z]", True),
    ("a/b", "a[/]b", True),
    ("é", "[é]", True),
    ("a", "[[:alpha:]]", True),
    ("é", "[[:alpha:]]", True),
    ("1", "[[:alpha:]]", False),
    ("1", "[[:digit:]]", True),
    ("\u0661", "[[:digit:]]", False),
    ("\u0661", "[[:alpha:]]", True),
    ("_", "[[:word:]]", True),
    ("a", "[[:ascii:]]", True),
    ("é", "[[:ascii:]]", False),
    ("a", "[[:ALPHA:]]", False),
    ("x", "[[:foo:]x]", True),
    ("f", "[[:foo:]]", False),
    ("a", "[[:alpha:][:digit:]]", True),
    ("a", "[:alpha:]", True),
    ("[:alpha:]", "[:alpha:]", False),
    ("[[:alpha:", "[[:alpha:", True),
    ("[a", "[[:alpha:]", True),
    ("a", "[[:alpha]", True),
    ("[", "[[:alpha]", False),
    ("a", "[[=a=]]", True),
    ("a", "[[=a=]b]", True),
    ("=", "[[=a]", True),
    ("-", "[[.-.]]", True),
    ("-", "[[.hyphen.]]", True),
    ("b", "[[.a.]-c]", True),
    # extended patterns
    ("ab", "@(ab|cd)", True),
    ("abcd", "@(ab|cd)", False),
    ("", "?(a)", True),
    ("aa", "?(a)", False),
    ("", "*(a|b)", True),
    ("abba", "*(a|b)", True),
    ("abca", "*(a|b)", False),
    ("", "+(a)", False),
    ("aaa", "+(a)", True),
    ("12345", "+([0-9])", True),
    ("123a5", "+([0-9])", False),
    ("", "!(a)", True),
    ("a", "!(a)", False),
    ("aa", "!(a)", True),
    ("", "!()", False),
    ("a", "!()", True),
    ("", "!(*)", False),
    ("abc", "!(abc|x*)", False),
    ("a.c", "!(*.txt)", True),
    ("a.txt", "!(*.txt)", False),
    ("ab", "a!()b", False),
    ("acb", "a!()b", True),
    ("|b", "@(a|[|])b", True),
    (")", "@([)])", True),
    ("a)", "@(a\\))", True),
    ("*(a)", "\\*\\(a\\)", True),
    ("ab", "a**(c)b", True),
    ("foobar", "@(foo|foob)@(bar|ar)", True),
    ("abcabc", "+(a?(b)c|ab*(c))", True),
    # what bash does with a group that has no end
    ("@(a", "@(a", True),
    ("@(a", "@(\\a", False),
    ("@(\\a", "@(\\a", True),
    ("+(a|b", "+(a|b", True),
    ("?(", "?(", True),
    ("xyz", "*?(a", True),
    # and with a "*" before a group that can be empty
    ("bc", "b*@(c)", True),
    ("bc", "b*@(|x)", False),
    ("bcx", "b*@(|x)", True),
    ("bc", "b*!(c)", False),
    ("bc", "b*?(x)", True),
]


@pytest.mark.parametrize(("text", "pattern", "expected"), MATCHES)
def test_matches(text, pattern, expected):
    assert compile_pattern(pattern).matches(text) is expected


NOCASE = [
    ("A", "a", True),
    ("a", "[A-Z]", True),
    ("A", "[a-z]", True),
    ("_", "[Z-a]", False),
    ("_", "[A-z]", False),
    ("a", "[[:upper:]]", False),
    ("A", "[[:lower:]]", False),
    ("É", "é", True),
    ("É", "[é]", True),
    ("A", "!(a)", False),
    ("B", "@(a|b)", True),
    ("README.md", "readme*", True),
]


@pytest.mark.parametrize(("text", "pattern", "expected"), NOCASE)
def test_without_case(text, pattern, expected):
    assert compile_pattern(pattern, nocase=True).matches(text) is expected


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [("ab", "@(ab)", False), ("@(ab)", "@(ab)", True), ("x(ab)", "?(ab)", True), ("xab", "?(ab)", False)],
)
def test_without_extended_patterns(text, pattern, expected):
    assert compile_pattern(pattern, extglob=False).matches(text) is expected


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        (".a", "*", False),
        (".a", ".*", True),
        (".a", "?a", False),
        (".a", "[.]a", False),
        (".a", "!(b)", False),
        (".a", "@(.a|b)", True),
        (".a", "?(.)a", True),
        ("a.b", "a?b", True),
        ("a.b", "*", True),
    ],
)
def test_a_leading_dot_may_be_special(text, pattern, expected):
    assert compile_pattern(pattern, dot_special=True).matches(text) is expected


#: text, pattern, what ${t#p} ${t##p} ${t%p} ${t%%p} ${t/p/<>} ${t//p/<>} give.
EXPANSIONS = [
    ("a/b/c", "*/", "b/c", "c", "a/b/c", "a/b/c", "<>c", "<>c"),
    ("a/b/c", "/*", "a/b/c", "a/b/c", "a/b", "a", "a<>", "a<>"),
    ("aaa", "a", "aa", "aa", "aa", "aa", "<>aa", "<><><>"),
    ("aaa", "+(a)", "aa", "", "aa", "", "<>", "<>"),
    ("aaaa", "aa", "aa", "aa", "aa", "aa", "<>aa", "<><>"),
    ("abc", "*(z)", "abc", "abc", "abc", "abc", "<>abc", "<>a<>b<>c"),
    ("abc", "?(b)", "abc", "abc", "abc", "abc", "<>abc", "<>a<><>c"),
    ("abc", "!(b)", "abc", "", "abc", "", "<>", "<>"),
    ("abc", "@(a|ab)", "bc", "c", "abc", "abc", "<>c", "<>c"),
    ("", "*", "", "", "", "", "<>", "<>"),
    ("", "?(a)", "", "", "", "", "", ""),
    ("a.b.c", ".*", "a.b.c", "a.b.c", "a.b", "a", "a<>", "a<>"),
    ("a1b22", "[0-9]", "a1b22", "a1b22", "a1b2", "a1b2", "a<>b22", "a<>b<><>"),
    ("éaé", "?", "aé", "aé", "éa", "éa", "<>aé", "<><><>"),
    ("xayaz", "a?", "xayaz", "xayaz", "xay", "xay", "x<>az", "x<><>"),
]


def expansions(text: str, pattern: str) -> tuple[str, ...]:
    compiled = compile_pattern(pattern)
    heads = [compiled.match_prefix(text, longest) for longest in (False, True)]
    tails = [compiled.match_suffix(text, longest) for longest in (False, True)]
    one = compiled.find(text)
    spans = compiled.find_all(text)
    every, at = "", 0
    for start, end in spans:
        every += text[at:start] + "<>"
        at = end
    return (
        *(text if end < 0 else text[end:] for end in heads),
        *(text if start < 0 else text[:start] for start in tails),
        text if one is None else f"{text[: one[0]]}<>{text[one[1] :]}",
        every + text[at:],
    )


@pytest.mark.parametrize(("text", "pattern", "expected"), [(row[0], row[1], row[2:]) for row in EXPANSIONS])
def test_expansions(text, pattern, expected):
    assert expansions(text, pattern) == expected


def test_find_begins_where_it_is_told():
    assert compile_pattern("a?").find("abaca", 1) == (2, 4)
    assert compile_pattern("a?").find("abaca", 3) is None
    assert compile_pattern("ab").find("abab", 1) == (2, 4)
    assert compile_pattern("a*").find("xabc", 0, longest=False) == (1, 2)


def test_the_tables_agree_with_bash(real):
    if real is None:
        return
    script = (
        "shopt -s extglob; [[ $0 == nocase ]] && shopt -s nocasematch\n"
        "while IFS= read -r -d '' t && IFS= read -r -d '' p; do\n"
        "case $t in $p) m=1;; *) m=0;; esac\n"
        'printf \'%s\\0\' "$m" "${t#$p}" "${t##$p}" "${t%$p}" "${t%%$p}" "${t/$p/<>}" "${t//$p/<>}"; done'
    )
    for mode, rows in (("", [*MATCHES, *EXPANSIONS]), ("nocase", NOCASE)):
        stdin = b"".join(part.encode("utf-8", "surrogateescape") + b"\0" for row in rows for part in row[:2])
        found = real("bash", "-c", script, mode, stdin=stdin).stdout.decode("utf-8", "surrogateescape")
        answers = found.split("\0")
        for index, row in enumerate(rows):
            answer = answers[index * 7 : index * 7 + 7]
            if len(row) == 3:
                assert (row[0], row[1], answer[0] == "1") == row
            else:
                assert (*row[:2], *answer[1:]) == row


# Quoting and shapes.


@pytest.mark.parametrize("text", ["a*b", "[a]", "\\", "!(x)", "@(a|b)", "a?", "", "é\udcff", "-", "^", "]"])
def test_what_is_quoted_matches_itself_only(text):
    pattern = compile_pattern(quote(text))
    assert pattern.matches(text)
    assert pattern.is_literal
    assert pattern.literal_text == text
    assert not pattern.matches(text + "x")
    assert compile_pattern(f"x{quote(text)}*").matches(f"x{text}yz")


def test_what_is_quoted_stays_quoted_in_brackets_and_groups():
    assert compile_pattern(f"[{quote('a-c')}]").matches("-")
    assert not compile_pattern(f"[{quote('a-c')}]").matches("b")
    assert compile_pattern(f"@({quote('a|b')}|c)").matches("a|b")
    assert not compile_pattern(f"@({quote('a|b')}|c)").matches("a")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a", False),
        ("a\\*", False),
        ("*", True),
        ("[", False),
        ("[a]", True),
        ("@(a)", True),
        ("a(b)", False),
    ],
)
def test_has_magic(pattern, expected):
    assert has_magic(pattern) is expected


def test_a_pattern_is_compiled_once():
    assert compile_pattern("a*[b]") is compile_pattern("a*[b]")
    assert compile_pattern("a*[b]") is not compile_pattern("a*[b]", nocase=True)


# Nothing goes exponential.


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("*a*a*a*a*a*a*a*b", "a" * 20_000),
        ("*[a]*[a]*[a]*[a]*[a]*b", "a" * 20_000),
        ("+(+(+(+(a))))b", "a" * 2_000),
        ("*(*(*(a)|b)|c)d", "abc" * 700),
        ("+(a|aa|aaa)b", "a" * 2_000),
        ("!(!(!(!(a*)b)c)d)", "a" * 300),
        ("!(*a)!(*b)!(*c)", "abc" * 80),
        ("*(a*)b", "a" * 1_000),
    ],
)
def test_bombs_end_at_once(pattern, text):
    def run():
        compiled = compile_pattern(pattern)
        compiled.matches(text)
        compiled.find(text[:500])

    lines_run(run, 500_000)  # 166,000 at most


@pytest.mark.parametrize(
    "pattern",
    [
        "[" * 60_000,
        "[" * 60_000 + "\\]",
        "[[:" * 20_000,
        "[a-" * 20_000,
        "+(" * 30_000,
        "x+([" * 15_000,
        "*?" * 30_000,
    ],
)
def test_long_patterns_compile_in_linear_time(pattern):
    def work(length):
        return lines_run(lambda: compile_pattern(pattern[-length:]).matches("x"), 1_000_000)

    assert work(6_000) < 2.5 * work(3_000), "four times as much would be quadratic"
    assert not compile_pattern(pattern).matches("x")


def test_long_matches_are_charged():
    budget = Budget(Limits(steps=2_000))
    with pytest.raises(LimitExceeded):
        compile_pattern("*(a|b)*(b|a)c").matches("ab" * 2_000, budget.charge)
    small = Budget(Limits(steps=2_000))
    before = small.slice_left
    assert not compile_pattern("*(a|b)*(b|a)c").matches("ab" * 20, small.charge)
    assert small.slice_left < before


def test_nesting_is_bounded():
    deep = "@(" * MAX_NESTING + "a" + ")" * MAX_NESTING
    assert compile_pattern(deep).matches("a")
    with pytest.raises(LimitExceeded):
        compile_pattern(f"@({deep})")


def test_case_guards_cost_little():
    for pattern in ("rm -rf", "git push*", "*.env", "*--force*"):
        matches = compile_pattern(pattern).matches
        lines_run(lambda: matches("git status --short"), 3)
