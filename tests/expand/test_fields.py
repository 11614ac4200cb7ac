"""Field splitting at IFS, piece by piece.

Source: POSIX.1-2024 XCU 2.6.5. Oracle: bash 5.2, with ``IFS=...; set -- $v; printf '<%s>' "$@"``.
"""

from __future__ import annotations

import shlex
import subprocess

import pytest

from sandhook.expand.fields import DEFAULT_IFS, Fields, split_text
from sandhook.kernel.process import Kernel
from sandhook.limits import Limits
from sandhook.state.state import State
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
    if text:
        assert split_text(text, ifs) == fields


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
    assert split_text("a  b", None) == ["a", "b"]


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
