"""Field splitting at IFS, piece by piece.

Source: POSIX.1-2024 XCU 2.6.5. Oracle: bash 5.2, with ``IFS=...; set -- $v; printf '<%s>' "$@"``.
"""

from __future__ import annotations

import shlex
import subprocess

import pytest

from sandhook.expand.fields import Fields
from sandhook.kernel.process import Kernel
from sandhook.limits import Limits
from sandhook.state.state import State
from sandhook.text.fields import DEFAULT_IFS, split, split_for
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import ROOT

SPLIT = [
    (DEFAULT_IFS, "", []),
    (DEFAULT_IFS, "a", ["a"]),
    (DEFAULT_IFS, "a b", ["a", "b"]),
    (DEFAULT_IFS, "  a \t\n b  ", ["a", "b"]),
    (DEFAULT_IFS, " ", []),
    (DEFAULT_IFS, "a:b", ["a:b"]),
    (DEFAULT_IFS, "a\\ b", ["a\\", "b"]),
    ("", " a b ", [" a b "]),
    (" ", " a\tb ", ["a\tb"]),
    (":", "a:b", ["a", "b"]),
    (":", "a::b", ["a", "", "b"]),
    (":", ":a", ["", "a"]),
    (":", "a:", ["a"]),
    (":", "a::", ["a", ""]),
    (":", ":", [""]),
    (":", "::", ["", ""]),
    (":", " a : b ", [" a ", " b "]),
    (": ", " a : b ", ["a", "b"]),
    (": ", "a : : b", ["a", "", "b"]),
    (": ", "a  b", ["a", "b"]),
    (": ", " : a", ["", "a"]),
    (": ", "a : ", ["a"]),
    (":;", "a:;b", ["a", "", "b"]),
    (":;", "a;b:c", ["a", "b", "c"]),
    ("x", "axbxxc", ["a", "b", "", "c"]),
    ("]-[", "a]b-c[d", ["a", "b", "c", "d"]),
    ("^\\", "a^b\\c", ["a", "b", "c"]),
    ("\n", "a b\nc\n", ["a b", "c"]),
    ("ä", "aäbääc", ["a", "b", "", "c"]),
]


@pytest.fixture
def state() -> State:
    kernel = Kernel(MemoryFileSystem(), Limits())
    return State(kernel.new_process(1, {}, ROOT), object())


@pytest.mark.parametrize(("ifs", "text", "fields"), SPLIT)
def test_splits_an_expansion_that_is_a_word(state: State, ifs: str, text: str, fields: list[str]) -> None:
    state.values["IFS"] = ifs
    word = Fields(state)
    word.expansion(text)
    assert word.end() == fields
    assert split(text, ifs) == fields


def test_table_is_bash_s(oracle: bool) -> None:
    for ifs, text, fields in SPLIT if oracle else []:
        script = (
            f'IFS={shlex.quote(ifs)}; v={shlex.quote(text)}; set -f; set -- $v; printf \'<%s>\' "$#" "$@"'
        )
        bash = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, check=True, env={"LC_ALL": "C.UTF-8"}
        )
        assert bash.stdout == "".join(f"<{each}>" for each in [str(len(fields)), *fields]), (ifs, text)


def test_ifs_that_is_unset_is_white_space(state: State) -> None:
    word = Fields(state)
    word.expansion(" a\tb\n")
    assert word.end() == ["a", "b"]


@pytest.mark.parametrize(
    ("ifs", "pieces", "fields"),
    [
        (" ", [("literal", "x"), ("expansion", "a b"), ("literal", "y")], ["xa", "by"]),
        (" ", [("literal", "x"), ("expansion", " a "), ("literal", "y")], ["x", "a", "y"]),
        (" ", [("expansion", "a "), ("expansion", " b")], ["a", "b"]),
        (" ", [("expansion", "a"), ("expansion", "b")], ["ab"]),
        (" ", [("quoted", ""), ("expansion", " ")], [""]),
        (" ", [("expansion", " "), ("quoted", "")], [""]),
        (" ", [("quoted", "a b"), ("expansion", " c")], ["a b", "c"]),
        (" ", [("expansion", "")], []),
        (":", [("expansion", ":"), ("expansion", ":")], ["", ""]),
        (":", [("literal", "a"), ("expansion", ":"), ("literal", "b")], ["a", "b"]),
        (":", [("quoted", ""), ("expansion", ":a")], ["", "a"]),
    ],
)
def test_joins_a_field_with_its_neighbours(
    state: State, ifs: str, pieces: list[tuple[str, str]], fields: list[str]
) -> None:
    state.values["IFS"] = ifs
    word = Fields(state)
    for kind, text in pieces:
        getattr(word, kind)(text)
    assert word.end() == fields


def test_literal_text_is_never_split(state: State) -> None:
    word = Fields(state)
    word.literal("a b")
    word.quoted(" c ")
    assert word.end() == ["a b c "]


@pytest.mark.parametrize(
    ("count", "ifs", "text", "escaped", "values"),
    [
        (2, DEFAULT_IFS, " a b  c ", (), ["a", "b  c"]),
        (2, DEFAULT_IFS, "a", (), ["a", ""]),
        (2, DEFAULT_IFS, "a\tb ", (), ["a", "b"]),
        (1, ":", "a:", (), ["a"]),
        (1, ":", "a::", (), ["a::"]),
        (1, ": ", " a : ", (), ["a"]),
        (1, ": ", " :a", (), [":a"]),  # the white space before the rest is no part of it
        (2, ": ", "a : b : c ", (), ["a", "b : c"]),
        (2, "", " a b ", (), [" a b ", ""]),
        (2, DEFAULT_IFS, "a b c", (1,), ["a b", "c"]),
        (1, DEFAULT_IFS, " a ", (0, 2), [" a "]),
        (2, ":", "a:b:c", (1, 3), ["a:b:c", ""]),
        (3, " ä", "a äb", (), ["a", "", "b"]),
        (3, " \udcff", "a \udcffb", (), ["a", "b", ""]),
    ],
)
def test_the_last_variable_of_read_receives_the_rest(
    count: int, ifs: str, text: str, escaped: tuple[int, ...], values: list[str]
) -> None:
    assert split_for(count, text, ifs, escaped) == values


def test_escaped_characters_do_not_separate() -> None:
    assert split("a b:c:d", ": ", (1, 5)) == ["a b", "c:d"]
