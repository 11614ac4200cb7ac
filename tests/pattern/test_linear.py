"""Expressions of Go and Rust."""

from __future__ import annotations

import pytest

from sandhook.pattern.errors import PatternError, UnsupportedError
from sandhook.pattern.linear import compile_re2


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("^(Bash|Write)$", "Bash", True),
        ("^(Bash|Write)$", "Bash\n", False),  # "$" is the end of the text
        ("(?m)^b$", "a\nb\nc", True),
        ("[[:space:]]", "a b", True),
        ("(?i)bash", "BASH", True),
        (r"\brm\b", "sudo rm -rf", True),
        (r"\p{Greek}", "α", True),
        (r"a\Qb.c\E", "ab.c", True),
        ("mcp__.*__delete", "mcp__db__delete_all", True),
    ],
)
def test_go(pattern, text, expected):
    assert compile_re2(pattern).search(text) is expected


@pytest.mark.parametrize(
    ("pattern", "go", "rust", "text"),
    [
        (r"^\w$", False, True, "é"),
        (r"^\d$", False, True, "\u0661"),
        (r"^[\d]$", False, True, "\u0661"),
        (r"^\s$", False, True, "\u3000"),
        (r"^\W$", True, False, "é"),
        (r"^\w$", True, True, "a"),
    ],
)
def test_rusts_classes_are_unicodes(pattern, go, rust, text):
    assert compile_re2(pattern).search(text) is go
    assert compile_re2(pattern, flavor="rust").search(text) is rust


@pytest.mark.parametrize(
    "pattern", ["(", "[a", "a{2,1}", "*a", r"(a)\1", "(?=a)", "(?<=a)", r"\C", "a{1001}"]
)
def test_what_does_not_compile(pattern):
    with pytest.raises(PatternError) as caught:
        compile_re2(pattern)
    assert caught.value.message


@pytest.mark.parametrize("pattern", ["[a[bc]]", "[a-z&&[^x]]", "[a--b]", r"\Qa\E", r"[\W]"])
def test_what_rust_has_and_we_refuse_by_name(pattern):
    with pytest.raises(PatternError) as caught:
        compile_re2(pattern, flavor="rust")
    assert caught.value.message
    assert compile_re2(r"[a\[bc\]]", flavor="rust").search("[")


def test_groups_and_stray_bytes():
    assert compile_re2("(a)|(é)").match("xé") == ["é", None, "é"]
    assert compile_re2("z").match("a") is None
    assert compile_re2("b").search("\udcffb")
    assert compile_re2(r"\u{e9}", flavor="rust").search("é")


def test_an_unknown_flavor_is_an_error():
    with pytest.raises(ValueError, match="flavor"):
        compile_re2("a", flavor="perl")


@pytest.mark.parametrize(
    ("pattern", "found", "not_found"),
    [
        (r"^\u0042ash$", "Bash", "bash"),
        (r"^\U00000042ash$", "Bash", "bash"),
        ("^Bash**$", "Bas", "Ba"),
        ("^Bash++$", "Bashh", "Bas"),
        ("^Ba?+sh$", "Baash", "Bxsh"),
        ("^Ba??sh$", "Bsh", "Baash"),
        ("^Ba??*sh$", "Baash", "Bxsh"),
        (r"^[\s\S]$", "\u3000", ""),
        (r"^[\S-]+$", "a-", "a\u2028"),
    ],
)
def test_what_rust_alone_reads(pattern: str, found: str, not_found: str) -> None:
    compiled = compile_re2(pattern, flavor="rust")
    assert compiled.search(found)
    assert not compiled.search(not_found)


@pytest.mark.parametrize("pattern", [r"[\W]", "[a&&b]", "[[a]]"])
def test_what_rust_reads_and_re2_cannot(pattern: str) -> None:
    with pytest.raises(UnsupportedError):
        compile_re2(pattern, flavor="rust")
