"""Texts are parsed once, as far as they run; a text that changes how its own rest is read is read as bash reads it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

import pytest

from sandhook import Limits, Shell
from sandhook.interp import program
from sandhook.interp.program import Unavailable, load_program
from sandhook.syntax.options import DEFAULT_OPTIONS
from sandhook.syntax.parser import Parser


@pytest.fixture
def units_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts whose units were parsed, one item for each unit."""
    read: list[str] = []
    original = Parser.next_unit

    def next_unit(self: Parser) -> object:
        read.append(self._lexer.source)
        return original(self)

    monkeypatch.setattr(program, "_PROGRAMS", program._ProgramCache())
    monkeypatch.setattr(Parser, "next_unit", next_unit)
    return read


@pytest.mark.parametrize(
    "script",
    [
        "# an alias of it\n: b\necho a",
        "echo alias extglob posix\nset -- verbose",
        "alias x='echo y'\necho a",
        "shopt -s extglob; shopt -u extglob\necho a",
        "shopt -s expand_aliases\necho a",
        "set -o posix; set +o posix\necho a",
        "if false; then set -v; fi\necho a",
        ": " + "a" * 70_000 + "\necho a",
    ],
)
def test_a_script_is_parsed_once_whatever_words_it_has(script: str, units_read: list[str]) -> None:
    shell = Shell()
    results = [shell.run(script).stdout_bytes for _ in range(3)]
    assert results[0] == results[1] == results[2] != b""
    assert len(units_read) == 3  # two units and the end


def test_many_scripts_in_turn_are_parsed_once(units_read: list[str]) -> None:
    shell = Shell()
    for _ in range(2):
        for number in range(600):
            assert shell.run(f"echo {number}").stdout == f"{number}\n"
    assert len(units_read) == 1200


def test_what_does_not_run_is_not_parsed(units_read: list[str]) -> None:
    shell = Shell()
    assert shell.run("exit 3\necho )").exit_status == 3
    assert len(units_read) == 1
    assert shell.run("exit 3\necho )").exit_status == 3
    assert len(units_read) == 1


def test_another_run_reads_on_where_one_ended(units_read: list[str]) -> None:
    shell = Shell()
    script = '[ "$1" ] || exit 3\necho "$1"\nif'
    assert shell.run(script).exit_status == 3
    result = shell.run(script, args=["x"])
    assert (result.stdout, result.exit_status) == ("x\n", 2)
    assert result.syntax_error is not None and result.syntax_error.line == 4
    assert len(units_read) == 3
    assert shell.run(script, args=["y"]).stderr == result.stderr


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("shopt -s extglob\ncase abc in @(abc|d)) echo $LINENO;; esac", "2\n"),
        ("shopt -s expand_aliases\nalias e='echo $LINENO'\ne\ne", "3\n4\n"),
        ("shopt -s expand_aliases; alias e='echo 1'; e 2> /dev/null\ne", "1\n"),
        ("set -o posix\nshopt -q extglob || echo $LINENO", "2\n"),
        ("echo 1\nset -t\necho 2", "1\n2\n"),
        ("x=(1 ( 2)\necho $LINENO\nshopt -s extglob\necho @(x) $LINENO", "2\n@(x) 4\n"),
        ("cat << E; shopt -s extglob\na\nE\necho @(x) $LINENO", "a\n@(x) 4\n"),
    ],
)
def test_options_that_change_are_those_of_the_next_line(script: str, stdout: str) -> None:
    shell = Shell()
    for _ in range(3):
        assert shell.run(script).stdout == stdout


def test_lines_of_a_substitution_are_those_of_its_printed_form() -> None:
    """bash prints "if true; then" on one line before it parses that again."""
    assert Shell().run("echo $(\nif true\nthen\n  :\nfi\necho $LINENO\n)").stdout == "10\n"
    assert Shell().run("echo $(\n# a\n\necho $LINENO\n)").stdout == "5\n"  # here bash prints the same


def test_verbose_shows_the_rest_from_the_line_after(units_read: list[str]) -> None:
    shell = Shell()
    for _ in range(2):
        result = shell.run("echo 1\n# one\nset -v\n# two\necho 2\n", from_file=True, name="f")
        assert (result.stdout, result.stderr) == ("1\n2\n", "# two\necho 2\n")


def test_a_warning_is_written_at_each_run_before_its_command() -> None:
    shell = Shell()
    results = [shell.run("echo 1 >&2\ncat << E >&2\na").stderr for _ in range(2)]
    assert results[0] == results[1]
    assert results[0].startswith("1\nbash: line 3: warning: here-document at line 2 delimited by end-of-file")


def test_a_run_that_ends_while_it_reads_leaves_the_rest_to_others(units_read: list[str]) -> None:
    script = "echo 1\n: " + "$(" * 8 + ")" * 8 + "\necho 2"
    assert Shell(limits=Limits(nesting=5)).run(script).limit == "nesting"
    key = (script, DEFAULT_OPTIONS._replace(nesting=100), 1)
    shell = Shell()
    assert shell.run(script).stdout == "1\n2\n"
    assert program._PROGRAMS.get(key) is not None


def test_a_text_that_is_too_large_to_keep_runs_and_is_forgotten(
    units_read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_MAX_PROGRAM_WEIGHT", 50)
    script = "\n".join(f"echo {number} $LINENO" for number in range(1, 101))
    expected = "".join(f"{number} {number}\n" for number in range(1, 101))
    for _ in range(2):
        assert Shell().run(script).stdout == expected
    assert program._PROGRAMS._programs == {}
    assert program._PROGRAMS._weight == 0


def test_the_oldest_are_dropped_when_all_weigh_too_much(
    units_read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_MAX_WEIGHT", 60)
    shell = Shell()
    for number in range(20):
        shell.run(f"echo {number}\necho {number}")
    kept = program._PROGRAMS._programs
    assert 0 < len(kept) < 20
    assert program._PROGRAMS._weight == sum(one.weight for one in kept.values()) <= 60
    assert [key[0] for key in kept] == [
        f"echo {number}\necho {number}" for number in range(20 - len(kept), 20)
    ]


def test_a_thread_does_not_wait_for_another_that_parses(monkeypatch: pytest.MonkeyPatch) -> None:
    entered, leave = Event(), Event()
    original: Callable[[Parser], object] = Parser.next_unit

    def next_unit(self: Parser) -> object:
        if not entered.is_set():
            entered.set()
            leave.wait()
        return original(self)

    monkeypatch.setattr(program, "_PROGRAMS", program._ProgramCache())
    monkeypatch.setattr(Parser, "next_unit", next_unit)
    first: list[str] = []
    thread = Thread(target=lambda: first.append(Shell().run("echo a; echo b").stdout))
    thread.start()
    entered.wait()
    assert Shell().run("echo a; echo b").stdout == "a\nb\n"
    leave.set()
    thread.join()
    assert first == ["a\nb\n"]


def test_a_program_that_another_thread_reads_is_unavailable(units_read: list[str]) -> None:
    text = "echo a"
    loaded = load_program(text, DEFAULT_OPTIONS, None)
    with loaded._lock, pytest.raises(Unavailable):
        loaded.unit(0)
    assert loaded.unit(0) is not None
    assert loaded.end(0) == 0
    assert loaded.end(1) == len(text)
