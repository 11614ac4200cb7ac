"""Branches and function bodies are compiled when a run first reaches them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandhook import Limits, Shell
from sandhook.interp.compile import simple
from sandhook.syntax.nodes import Literal, SimpleCommand, Word

BRANCHES = """
if reached1; then :; elif reached2; then reached3; elif missed; then missed; else missed; fi
case $X in no) missed;; *) reached4;; esac
false && missed; true || missed; true && reached5
f() { reached6; if missed_later; then missed; fi; }
g() { missed; }
f
"""


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the simple commands that were compiled, in their order."""
    names: list[str] = []
    plain: Callable[..., object] = simple.compile_simple

    def compile_simple(compiler: object, node: SimpleCommand, **options: bool) -> object:
        match node.words[:1]:
            case (Word((Literal(text), *_)),):
                names.append(text)
        return plain(compiler, node, **options)

    monkeypatch.setattr(simple, "compile_simple", compile_simple)
    return names


def test_only_what_is_reached_is_compiled(compiled: list[str]) -> None:
    script = "reached1() { return 1; }; reached2() { return 0; }\n" + BRANCHES
    result = Shell(env={"X": "x"}).run(script)
    assert "missed" not in compiled
    assert [name for name in compiled if name.startswith("reached")] == [f"reached{at}" for at in range(1, 7)]
    assert "command not found" in result.stderr


def test_nothing_is_compiled_twice(compiled: list[str]) -> None:
    shell = Shell()
    script = "f() { here=$1; unique_a; }; unique_a() { :; }; for i in 1 2 3; do f $i; (f); if f; then unique_b; fi; done"
    shell.run(script)
    shell.run(script)
    assert compiled.count("unique_a") == 1
    assert compiled.count("unique_b") == 1


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("f() { f() { echo new; }; echo old; }; f; f", "old\nnew\n"),
        ("f() { unset -f f; echo once; }; f; f 2>/dev/null || echo gone", "once\ngone\n"),
        ("f() { [ $1 -gt 0 ] && f $(($1 - 1)); echo $1; }; f 2", "0\n1\n2\n"),
        ("f() { echo $FUNCNAME; }; (f); f; f | cat", "f\nf\nf\n"),
        ("f() { return 3; }; f; echo $?; f; echo $?", "3\n3\n"),
        ("f() { echo a; }; readonly -f f; f; f; f() { :; } 2>/dev/null; echo $?", "a\na\n1\n"),
        ("f() (exit 4); f; echo $?; declare -f f", "4\nf () \n{ \n    ( exit 4 )\n}\n"),
        ("f() { echo $LINENO; }\nf\nf\n", "1\n1\n"),
        ("f() { echo $1; }; export -f f; bash -c 'f x; f y'", "x\ny\n"),
    ],
)
def test_a_function_whose_body_is_compiled_late(script: str, stdout: str) -> None:
    assert Shell().run(script).stdout == stdout


def test_deep_branches_in_a_deep_call_run() -> None:
    deep = "if :; then " * 60 + "echo deep" + "; fi" * 60
    script = f"f() {{ if [ $1 -gt 0 ]; then f $(($1 - 1)); else {deep}; fi; }}; f 300"
    result = Shell(limits=Limits(call_depth=400)).run(script)
    assert (result.stdout, result.limit) == ("deep\n", None)
