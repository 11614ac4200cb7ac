"""Expressions of JavaScript: what they find is what node 20 finds."""

from __future__ import annotations

import pytest

from sandhook.pattern.ecma import compile_ecma
from sandhook.pattern.errors import PatternError


@pytest.mark.parametrize(
    ("pattern", "found", "not_found"),
    [
        ("Edit.*", ["Edit", "NotebookEdit"], ["edit"]),  # not anchored
        ("^(Edit|Write)$", ["Edit", "Write"], ["MultiEdit", "Edit\n"]),
        (r"mcp__.*__write.*", ["mcp__x__write_a"], ["mcp__x__read"]),
        (r"\s", ["\u00a0", "\u2028", "\ufeff", "\v"], ["x", "\u200b"]),  # all of Unicode's
        (r"\S", ["x"], ["\u00a0"]),
        (r"[^\s]", ["x"], ["\u3000"]),
        (".", ["x", "\x85"], ["\n", "\r", "\u2028", "\u2029"]),
        ("[]", [], ["", "x"]),
        ("[^]", ["\n", "x"], [""]),
        ("]", ["]"], ["x"]),
        ("}", ["}"], ["x"]),
        ("x{a}", ["x{a}"], ["xa"]),
        ("a{,5}", ["a{,5}"], ["aaa"]),
        ("^a{2}$", ["aa"], ["a", "aaa"]),
        ("[[:alpha:]]", ["a]", ":]", "[]"], ["b]", "a"]),  # no POSIX class
        (r"\z", ["z"], [""]),
        (r"\A", ["A"], ["", "x"]),
        (r"\p{L}", ["p{L}"], ["a"]),
        (r"\Q.\E", ["QxE"], ["."]),
        (r"\-\_\/\ ", ["-_/ "], ["-_/"]),
        (r"\x41\u0042\103", ["ABC"], ["abc"]),
        (r"\cA", ["\x01"], ["cA"]),
        (r"\c1", ["\\c1"], ["c1"]),
        (r"[\c_]", ["\x1f"], ["\\", "c", "_"]),
        (r"[\b]", ["\x08"], ["b"]),
        (r"\bfoo\b", ["x foo y"], ["foobar"]),
        (r"[\d-z]", ["-", "z", "5"], ["y"]),
        (r"[a-\d]", ["-", "a", "5"], ["b"]),
        ("[a-z-9]", ["-", "m", "9"], ["5"]),
        (r"[\-a]", ["-", "a"], ["b"]),
        ("(?<n>a)b", ["ab"], ["b"]),
        ("(?i:bash)", ["Bash"], ["sh", "Ba\u017fh"]),
        ("(?i:k)", ["k", "K"], ["\u212a"]),
        ("(?i:\u017f)", ["\u017f"], ["s", "S"]),
        ("(?i:[a-t])", ["S", "k"], ["\u017f", "\u212a", "z"]),
        ("(?i:[^a-t])", ["\u017f", "\u212a", "z"], ["s", "K"]),
        (r"(?i:[+-s])", ["K", "-"], ["\u212a", "~"]),
        (r"(?i:\w)", ["k"], ["\u212a", "\u017f"]),
        (r"(?i:[\W])", ["\u212a"], ["k"]),
        ("(?i:(?-i:s)k)", ["sK"], ["SK"]),
        ("(?i:(a)s)s", ["ASs"], ["ASS"]),
        ("(?i:\u00e9)", ["\u00c9"], ["e"]),
        ("(?i:[^s\u00e9])", None, None),
        (r"\8", ["8"], ["\x08"]),
        ("a**|", None, None),
        ("a{2,1}", None, None),
        ("[b-a]", None, None),
        ("(?i)bash", None, None),
        ("(?<=[)])?a", None, None),
        ("(", None, None),
        ("[a", None, None),
        ("*", None, None),
        ("\\", None, None),
    ],
)
def test_finds(pattern: str, found: list[str] | None, not_found: list[str] | None) -> None:
    if found is None or not_found is None:
        with pytest.raises(PatternError):
            compile_ecma(pattern)
        return
    compiled = compile_ecma(pattern)
    assert [text for text in found if not compiled.search(text)] == []
    assert [text for text in not_found if compiled.search(text)] == []


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        ("(?=a)", "lookahead"),
        ("^(?!Bash)", "lookahead"),
        ("(?<=a)b", "lookbehind"),
        ("(?<!a)b", "lookbehind"),
        (r"(a)\1", "backreference"),
        (r"(?<n>a)\k<n>", "backreference"),
        (r"[\S]", r"\\S"),
    ],
)
def test_what_has_no_linear_equivalent_is_refused_by_name(pattern: str, what: str) -> None:
    with pytest.raises(PatternError, match=what + r".* is not supported \(L-CLAUDE-001\)"):
        compile_ecma(pattern)
