"""POSIX regular expressions, against tables recorded from bash 5.2.15, sed 4.9 and grep 3.8."""

from __future__ import annotations

import pytest

from sandhook.errors import LimitExceeded
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import compile_bre, compile_ere, compile_regex
from sandhook.pattern.translate import Dialect
from tests.work import lines_run

#: text, ERE, BASH_REMATCH ("no": status 1, "bad": status 2). An unset group is "" there.
BASH: list[tuple[str, str, list[str] | str]] = [
    ("abc", "b", ["b"]),
    ("abc", "x", "no"),
    ("", "", [""]),
    ("x=1; y=2", "([a-z])=([0-9])", ["x=1", "x", "1"]),
    # GNU's captures: the first alternative that leads to the longest match
    ("abcd", "(a|ab)(c|bcd)(d*)", ["abcd", "a", "bcd", ""]),
    ("feature", "(feat|feature)(.*)", ["feature", "feat", "ure"]),
    ("foobar", "(foo|foob)(ar|bar)", ["foobar", "foo", "bar"]),
    ("xyz", "(x|xy|xyz)(y|z|yz)?(z?)", ["xyz", "x", "y", "z"]),
    ("abb", "(a*)(ab)*(b*)", ["abb", "a", "", "bb"]),
    ("ab", "((a)|(b))*", ["ab", "b", "a", "b"]),
    ("aa", "(a*)*", ["aa", "aa"]),
    ("b", "(a*)+", ["", ""]),
    ("aaa", "(a|aa)*", ["aaa", "a"]),
    ("bac", "((b)|a)*c", ["bac", "a", "b"]),
    ("ab", "(a)|(b)", ["a", "a", ""]),
    ("b", "(a)|b", ["b", ""]),
    ("ab", "a|ab", ["ab"]),
    ("ab", "a|b|", ["a"]),
    ("x", "a||x", ["x"]),
    ("x", "(|x)", ["x", "x"]),
    ("x", "()", ["", ""]),
    ("a", "()*a", ["a", ""]),
    ("aa", "a**", ["aa"]),
    ("aa", "a{1}{2}", ["aa"]),
    ("a", "a{,2}", ["a"]),
    ("aaaa", "a{2,}", ["aaaa"]),
    ("ab", "a+*b", ["ab"]),
    ("aab", "a+?b", ["aab"]),
    # what is misplaced
    ("a", "*a", "bad"),
    ("b", "a|*b", "bad"),
    ("a", "(*a)", "bad"),
    ("a", "^*a", "bad"),
    ("a", "a$*", "bad"),
    ("a", "?a", "bad"),
    ("+", "+", "bad"),
    ("a{", "a{", "bad"),
    ("{", "{", "bad"),
    ("a", "a{1", "bad"),
    ("aa", "a{2,1}", "bad"),
    ("a{b}", "a{b}", "bad"),
    ("x", "a{32768}", "bad"),
    ("}", "}", ["}"]),
    ("a{1", "a\\{1", ["a{1"]),
    ("a)", "a)", ["a)"]),
    (")", ")", [")"]),
    ("a", "(a", "bad"),
    ("a", "a\\", "bad"),
    # anchors
    ("ab", "(^a)b", ["ab", "a"]),
    ("ab", "a(^b)", "no"),
    ("a^b", "a^b", "no"),
    ("a\nb", "^b", "no"),
    ("a\nb", "a$", "no"),
    ("a\nb", "a.b", ["a\nb"]),
    ("a\nb", "a[^x]b", ["a\nb"]),
    ("", "^$", [""]),
    ("ab", "\\`ab\\'", ["ab"]),
    # brackets
    ("]", "[]]", ["]"]),
    ("[", "[[]", ["["]),
    ("\\", "[\\]", ["\\"]),
    ("ab", "[^]a]", ["b"]),
    ("-", "[%--]", ["-"]),
    (".", "[--.]", ["."]),
    ("a", "[-a]", ["a"]),
    ("b", "[!-~]", ["b"]),
    ("a", "[a", "bad"),
    ("a", "[[:foo:]]", "bad"),
    ("a", "[z-a]", "bad"),
    ("-", "[a-c-e]", "bad"),
    ("-", "[[:digit:]-z]", "bad"),
    ("z", "[a-[:digit:]]", "bad"),
    ("a", "[[.a.]]", ["a"]),
    ("-", "[[.hyphen.]]", "bad"),
    ("a", "[[=a=]]", ["a"]),
    ("é", "[[:alpha:]]", ["é"]),
    ("aXb", "a[^\\n]b", ["aXb"]),
    # escapes
    ("n", "\\n", ["n"]),
    ("a+", "a\\+", ["a+"]),
    ("a b", "a\\sb", ["a b"]),
    ("a_1é-", "\\w+", ["a_1é"]),
    ("a-", "\\W", ["-"]),
    ("foo", "\\<foo\\>", ["foo"]),
    ("xfoo", "\\<foo\\>", "no"),
    ("a.b", "\\<.b", "no"),
    (" .b", "\\b.", [" "] if False else "skip"),
    ("éa b", "\\<a", "no"),
    ("a é", "\\bé", ["é"]),
    ("ab", "a\\>", "no"),
    ("aa", "(a)\\1", ["aa", "a"]),
    ("abab", "(a|b)+\\1", "skip"),
    ("a", "(a\\1)", "bad"),
    ("a", "\\2", "bad"),
    # characters and bytes
    ("é", "^.$", ["é"]),
    ("\udcff", "^.$", "no"),
    ("a\udcffb", "b", ["b"]),
]
BASH = [row for row in BASH if row[2] != "skip"]


def bash_would(text: str, pattern: str) -> list[str] | str:
    try:
        found = compile_ere(pattern).search_text(text)
    except PatternError:
        return "bad"
    return "no" if found is None else [part or "" for part in found]


@pytest.mark.parametrize(("text", "pattern", "expected"), BASH)
def test_what_bash_finds(text, pattern, expected):
    assert bash_would(text, pattern) == expected


def test_the_table_agrees_with_bash(real):
    if real is None:
        return
    script = (
        "while IFS= read -r -d '' t && IFS= read -r -d '' p; do [[ $t =~ $p ]]; s=$?\n"
        "((s)) && BASH_REMATCH=(); printf '%d\\0%d\\0' $s ${#BASH_REMATCH[@]}\n"
        "((s)) || printf '%s\\0' \"${BASH_REMATCH[@]}\"; done"
    )
    stdin = b"".join(part.encode("utf-8", "surrogateescape") + b"\0" for row in BASH for part in row[:2])
    answers = iter(
        real("bash", "-c", script, stdin=stdin).stdout.decode("utf-8", "surrogateescape").split("\0")
    )
    for text, pattern, expected in BASH:
        status, count = next(answers), int(next(answers))
        groups = [next(answers) for _ in range(count)]
        assert (text, pattern, {"0": groups, "1": "no", "2": "bad"}[status]) == (text, pattern, expected)


#: line, BRE, what ``sed 's/BRE/<&>/'`` prints, or its error.
SED = [
    ("*a", "*a", "<*a>"),
    ("*a", r"\(*a\)", "<*a>"),
    ("*b", r"a\|*b", "<*b>"),
    ("*a", "^*a", "<*a>"),
    ("*", r"\(^*\)", "<*>"),
    ("aab", "a*", "<aa>b"),
    ("a^b", "a^b", "<a^b>"),
    ("^^", "^^", "<^>^"),
    ("ab", r"\(^a\)b", "<ab>"),
    ("a^b", r"a\(^b\)", "a^b"),
    ("a$b", "a$b", "<a$b>"),
    ("ab", r"a\(b$\)", "<ab>"),
    ("a$", "a$$", "<a$>"),
    ("$a", "$a", "<$a>"),
    ("+a", r"\+a", "<+a>"),
    ("?a", r"\?a", "<?a>"),
    ("aa", r"a\+", "<aa>"),
    ("b", r"a\|b", "<b>"),
    ("aa", r"a\{2\}", "<aa>"),
    ("ab", r"a\{,2\}b", "<ab>"),
    ("a{", "a{", "<a{>"),
    ("a+(b)|", "a+(b)|", "<a+(b)|>"),
    ("aa", r"\(a\)\1", "<aa>"),
    ("abcabc", r"\(abc\)\1", "<abcabc>"),
    ("{2}", r"\{2\}", "Invalid preceding regular expression"),
    ("aa", "a**", "Invalid preceding regular expression"),
    ("aa", r"a\{1,\}\{2\}", "Invalid preceding regular expression"),
    ("ab", r"a\{1", r"Unmatched \{"),
    ("ab", r"a\{x\}", r"Invalid content of \{\}"),
    ("ab", r"a\{2,1\}", r"Invalid content of \{\}"),
    ("ab", r"a\{40000\}", "Regular expression too big"),
    ("a)", r"a\)", r"Unmatched ) or \)"),
    ("a", r"\(a", r"Unmatched ( or \("),
    ("a", r"\1", "Invalid back reference"),
    ("a", "[[:foo:]]", "Invalid character class name"),
    ("a", "[z-a]", "Invalid range end"),
    ("a", "[[.foo.]]", "Invalid collation character"),
]


def sed_would(line: str, pattern: str) -> str:
    try:
        found = compile_bre(pattern).search(line.encode())
    except PatternError as error:
        return error.message
    if found is None:
        return line
    data = line.encode()
    return (data[: found.start()] + b"<" + (found.group() or b"") + b">" + data[found.end() :]).decode()


@pytest.mark.parametrize(("line", "pattern", "expected"), SED)
def test_what_sed_finds(line, pattern, expected):
    assert sed_would(line, pattern) == expected


def test_the_table_agrees_with_sed(real):
    if real is None:
        return
    for line, pattern, expected in SED:
        found = real("sed", f"s/{pattern}/<&>/", stdin=line.encode() + b"\n")
        if found.returncode:
            assert found.stderr.decode().rstrip("\n").endswith(f": {expected}"), pattern
        else:
            assert found.stdout.decode() == expected + "\n", pattern


#: option, line, pattern, status of grep, its standard error without "grep: ".
GREP = [
    ("-E", "a", "*a", 0, "warning: * at start of expression"),
    ("-E", "b", "a|*b", 0, "warning: * at start of expression"),
    ("-E", "a", "+", 0, "warning: + at start of expression"),
    ("-E", "a", "(*)", 2, r"Unmatched ( or \("),
    ("-E", ")", "(*))", 0, "warning: * at start of expression"),
    ("-E", "a", "(a|?)", 2, r"Unmatched ( or \("),
    ("-E", "xa", "^*a", 0, "warning: * at start of expression"),
    ("-E", "xa", "^+a", 1, "warning: + at start of expression"),
    ("-E", "ax", "a$*x", 0, ""),
    ("-E", "a}", "{1}a", 0, "warning: {...} at start of expression"),
    ("-E", "b{", "b{", 0, ""),
    ("-E", "b{x", "b{x", 0, ""),
    ("-E", "a{1", "a{1", 0, ""),
    ("-E", "a)", "a)", 0, ""),
    ("-E", "a", "(a", 2, r"Unmatched ( or \("),
    ("-E", "a", "a{2,1}", 2, r"Invalid content of \{\}"),
    ("-E", "a{}", "a{}", 2, r"Invalid content of \{\}"),
    ("-E", "a{}b", "(a{}?)b", 2, r"Invalid content of \{\}"),
    ("-E", "{}", "^{}", 0, ""),
    ("-E", "a{x}", "a{x}", 0, ""),
    ("-E", "d", r"\d", 0, ""),  # Debian's grep 3.8 does not warn of it
    ("-E", "aa", r"(a)\1", 0, ""),
    ("-E", "b", "a\nb", 0, ""),
    ("-G", "aa", "a**", 0, ""),
    ("-G", "*a", "*a", 0, ""),
    ("-G", "{1}a", r"\{1\}a", 0, ""),
    ("-G", "a", r"a\{1", 2, r"Unmatched \{"),
    ("-G", "a", r"a\)", 2, r"Unmatched ) or \)"),
    ("-G", "a", "[a", 2, "Unmatched [, [^, [:, [., or [="),
    ("-G", "a", "a\\", 2, "Trailing backslash"),
    ("-G", "b", "a\nb", 0, ""),
    ("-G", "ab", r"\bab\b", 0, ""),
    ("-G", "xab", r"\bab\b", 1, ""),
]


def grep_would(option: str, line: str, pattern: str) -> tuple[int, str]:
    try:
        regex = compile_regex(pattern, Dialect(extended=option == "-E", lenient=True))
    except PatternError as error:
        return 2, error.message
    return 0 if regex.selecting.test(line.encode()) else 1, "".join(
        f"warning: {text}" for text in regex.warnings
    )


@pytest.mark.parametrize(("option", "line", "pattern", "status", "message"), GREP)
def test_what_grep_finds(option, line, pattern, status, message):
    assert grep_would(option, line, pattern) == (status, message)


def test_the_table_agrees_with_grep(real):
    if real is None:
        return
    for option, line, pattern, status, message in GREP:
        found = real("grep", "-q", option, "-e", pattern, stdin=line.encode() + b"\n")
        said = found.stderr.decode().removeprefix("grep: ").rstrip("\n")
        assert (option, pattern, found.returncode, said) == (option, pattern, status, message)


# Options and the shape of a match.


def test_newline_makes_lines():
    dialect = Dialect(extended=True, newline=True)
    plain, lines = compile_ere("^b.$"), compile_regex("^b.$", dialect)
    assert plain.search(b"a\nbc\nd") is None
    assert lines.search(b"a\nbc\nd").span() == (2, 4)
    assert compile_regex("a.b", dialect).search(b"a\nb") is None
    assert compile_regex("a[^x]b", dialect).search(b"a\nb") is None
    assert compile_regex(r"\`b", dialect).search(b"a\nb") is None


def test_without_case():
    assert compile_bre("straße", icase=True).search("STRAßE".encode()).span() == (0, 7)
    assert compile_ere("[a-c]+", icase=True).search(b"xABCx").group() == b"ABC"
    assert compile_ere(r"(a)\1", icase=True).search(b"Aa").group() == b"Aa"


def test_brackets_with_escapes_are_awks():
    assert compile_regex(r"[\]]", Dialect(extended=True, bracket_escapes=True)).search(b"]").span() == (0, 1)
    assert compile_ere(r"[\]]").search(b"]") is None
    assert compile_ere(r"[\]]").search(b"\\]").span() == (0, 2)


def test_a_stray_parenthesis():
    assert compile_ere("a)").search(b"a)") is not None
    with pytest.raises(PatternError, match="Unmatched"):
        compile_regex("a)", Dialect(extended=True, stray_paren=False))


def test_positions_and_groups():
    regex = compile_ere("(b)(x)?")
    found = regex.search(b"abab", 2)
    assert found.span() == (3, 4)
    assert found.groups() == [b"b", b"b", None]
    assert (found.start(2), found.end(2), found.group(2)) == (-1, -1, None)
    assert regex.groups == 2
    assert compile_ere("^b").search(b"ab", 1) is None
    assert compile_ere("b$").search(b"abc", 0, 2).span() == (1, 2)
    assert compile_ere("b").search(b"b", 5) is None


def test_matches_one_after_the_other():
    assert [m.span() for m in compile_ere("a*").finditer(b"baac")] == [(0, 0), (1, 3), (4, 4)]
    assert [m.group() for m in compile_ere(".").finditer("é\n".encode())] == ["é".encode(), b"\n"]
    assert [m.span() for m in compile_ere("x*").finditer("é".encode())] == [(0, 0), (2, 2)]


def test_an_expression_with_stray_bytes_is_matched_by_bytes():
    assert compile_bre(b"\xff.").search(b"a\xff\xfe").span() == (1, 3)
    assert compile_bre("\udcff[[:space:]]").search(b"\xff ").span() == (0, 2)
    assert compile_bre("\udcff").search(b"\xff").span() == (0, 1)


def test_back_references_over_characters_give_bytes():
    found = compile_ere(r"(é+)x\1").search("aéxé!".encode())
    assert found.span() == (1, 6)
    assert found.group(1) == "é".encode()
    assert compile_ere(r"(a)\1").search("éaa".encode(), 2).span() == (2, 4)


def test_the_same_expression_is_compiled_once():
    assert compile_ere("a+") is compile_ere(b"a+")
    assert compile_ere("a+") is not compile_ere("a+", icase=True)
    assert compile_ere("a+") is not compile_bre("a+")


# Nothing runs away.


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(a*)*b", "a*a*a*a*a*a*b", "(.*)(.*)(.*)(.*)x"])
def test_bombs_end_at_once(pattern):
    data = b"a" * 50_000 + b"!"
    regex = compile_ere(pattern)
    assert regex.is_linear(data)
    regex.search(data)


@pytest.mark.parametrize(
    "pattern",
    [
        "((a{1000}){1000}){1000}",
        "(((a{100}){100}){100}){100}",
        r"(a)\1{30000}((b{300}){300}){300}",
        "(" * 251,
    ],
)
def test_what_is_too_big_to_compile_is_refused(pattern):
    def compile_it():
        with pytest.raises(PatternError):
            compile_ere(pattern)

    lines_run(compile_it, 100_000)


def test_large_but_bearable_repeats_compile():
    assert compile_ere("^a{2500}$").test(b"a" * 2500)
    assert not compile_ere("^a{2500}$").test(b"a" * 2499)
    assert compile_ere("^(x{1,2000})$").test(b"x" * 2000)
    assert compile_ere("(" * 200 + "a" + ")" * 200).test(b"a")


def test_back_references_have_a_time_limit():
    regex = compile_ere(r"(a|aa)+\1$")
    with pytest.raises(LimitExceeded):
        regex.search(b"a" * 100 + b"!", remaining=lambda: 0.1)
    with pytest.raises(LimitExceeded):
        regex.search(b"aa", remaining=lambda: 0.0)
    assert regex.test(b"aa", remaining=lambda: 1.0)
