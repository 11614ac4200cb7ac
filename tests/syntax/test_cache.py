"""The cache of parsed scripts, and how bashlex is imported."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sandhook.errors import ShellSyntaxError
from sandhook.syntax import DEFAULT_OPTIONS, ParseOptions, parse, parse_cached
from sandhook.syntax.cache import ScriptCache


def test_the_same_text_gives_the_same_tree() -> None:
    assert parse_cached("echo cached\n") is parse_cached("echo " + "cached\n")
    assert parse_cached("echo cached\n") == parse("echo cached\n")


def test_options_tell_trees_apart() -> None:
    aliased = ParseOptions(aliases={"e": "echo"})
    assert parse_cached("e x\n") != parse_cached("e x\n", options=aliased)
    assert parse_cached("e x\n", options=aliased) is parse_cached(
        "e x\n", options=ParseOptions(aliases={"e": "echo"})
    )
    assert ParseOptions(nesting=100) == DEFAULT_OPTIONS


def test_errors_are_not_kept() -> None:
    for name in ("first", "second"):
        with pytest.raises(ShellSyntaxError) as caught:
            parse_cached("fi\n", name)
        assert caught.value.name == name


def test_the_least_recently_used_goes_first() -> None:
    cache = ScriptCache(max_scripts=2)
    for text in ("a", "b"):
        cache.put(text, DEFAULT_OPTIONS, parse(text))
    cache.get("a", DEFAULT_OPTIONS)
    cache.put("c", DEFAULT_OPTIONS, parse("c"))
    assert [cache.get(text, DEFAULT_OPTIONS) is not None for text in "abc"] == [True, False, True]


def test_characters_are_bounded() -> None:
    cache = ScriptCache(max_characters=10)
    for text in ("aaaa", "bbbb", "cccc", "d" * 11):
        cache.put(text, DEFAULT_OPTIONS, ())
    assert len(cache) == 2
    assert cache.get("d" * 11, DEFAULT_OPTIONS) is None


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_parsing_does_not_build_bashlex_table() -> None:
    program = "import sys, sandhook.syntax as s; s.parse('a'); print('bashlex.parser' in sys.modules, 'bashlex.yacc' in sys.modules)"
    assert run(program) == "False False\n"


@pytest.mark.parametrize(
    "use",
    [
        "import bashlex; tree = bashlex.parse('a b')",
        "from bashlex import parse; tree = parse('a b')",
        "from bashlex import parser; tree = parser.parse('a b')",
        "import bashlex.parser; tree = bashlex.parser.parse('a b')",
    ],
)
def test_other_users_of_bashlex_find_it_whole(use: str) -> None:
    program = f"import sandhook.syntax as s; s.parse('a'); {use}; s.parse('b'); import bashlex; print(tree[0].kind, bashlex.split('c d') is not None, hasattr(bashlex, 'nothing'))"
    assert run(program) == "command True False\n"
