"""What ``Session.run`` has of ``Shell.run``: all arguments, also those that belong to one run alone."""

from __future__ import annotations

import asyncio
from inspect import signature
from typing import Any

import pytest

from sandhook import Shell
from sandhook.interp import beginning
from sandhook.interp.steps import Steps
from sandhook.shell import Session


def test_a_session_has_every_argument_of_a_shell() -> None:
    shell, session = signature(Shell.run).parameters, signature(Session.run).parameters
    assert list(shell) == list(session)
    differs = {name for name in shell if str(shell[name]) != str(session[name])}
    assert differs == {"args", "name"}, "None keeps those of the session"
    assert {name: session[name].default for name in differs} == {"args": None, "name": None}
    assert all(shell[name].kind == session[name].kind for name in shell)


def test_arun_and_stream_have_every_argument() -> None:
    source = beginning.__file__
    names = typed_dicts(source)
    arguments = [name for name in signature(Session.run).parameters if name not in ("self", "script")]
    for each in ("RunArguments", "SessionArguments"):
        assert sorted(names[each]) == sorted(arguments)
    for each in ("StreamArguments", "SessionStreamArguments"):
        assert sorted(names[each]) == sorted({*arguments} - {"stdout", "stderr"})


def typed_dicts(path: str) -> dict[str, set[str]]:
    """Return the keys of the TypedDicts of a module, which exist for type checkers alone."""
    import ast
    from pathlib import Path

    found: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef):
            bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
            own = {
                each.target.id
                for each in node.body
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
            }
            found[node.name] = own.union(*(found.get(base, set()) for base in bases))
    return found


def test_a_name_is_that_of_one_run() -> None:
    session = Shell().session()
    ran = session.run("echo $0; nosuch", name="guard.sh")
    assert (ran.stdout, ran.stderr) == ("guard.sh\n", "guard.sh: line 1: nosuch: command not found\n")
    ran = session.run("echo $0 $-; nosuch")
    assert (ran.stdout, ran.stderr) == ("bash hBc\n", "bash: line 1: nosuch: command not found\n")
    named = Shell().session(name="first")
    assert named.run("echo $0").stdout == "first\n"
    assert named.run("echo $0", name="second").stdout == "second\n"
    assert named.run("echo $0").stdout == "first\n"


def test_a_script_file() -> None:
    shell = Shell()
    script = 'echo "$0 $1 $- ${BASH_SOURCE[0]} ${BASH_EXECUTION_STRING-unset}"; f() { echo "${BASH_SOURCE[0]}"; }; x=1; if'
    alone = shell.run(script, name="a.sh", from_file=True, args=["1"])
    session = shell.session()
    ran = session.run(script, name="a.sh", from_file=True, args=["1"])
    assert (ran.stdout, ran.stderr, ran.exit_status) == (alone.stdout, alone.stderr, alone.exit_status)
    assert "a.sh: line" in ran.stderr and ran.exit_status == 2
    assert session.run("if").stderr == shell.run("if").stderr, "as text again"
    assert session.run('echo "$0 $1 $-"').stdout == "bash 1 hBc\n"


def test_variables_of_a_script_file_stay() -> None:
    session = Shell().session()
    session.run("f() { echo ${BASH_SOURCE[0]}; }; x=1", name="a.sh", from_file=True)
    assert session.run("f; echo $x").stdout == "a.sh\n1\n"


def test_steps_of_one_run() -> None:
    session = Shell().session()
    session.run("f() { local y=$1; echo $y; }; export e=1")
    steps = Steps()
    ran = session.run("x=2; f $x | cat; (echo sub)", steps=steps)
    assert ran.stdout == "2\nsub\n"
    assert [(step.text, step.words) for step in steps.steps if step.words and step.words[0] == "echo"] == [
        ("echo $y", ("echo", "2")), ("echo sub", ("echo", "sub")),
    ]  # fmt: skip
    assert ("x", "2") in steps.steps[0].variables
    later = Steps()
    assert session.run("echo $x$e", steps=later).stdout == "21\n"
    assert [step.text for step in later.steps] == ["echo $x$e"]
    assert len(steps.steps) == len(tuple(steps.steps)), "the first run has ended"


def test_a_run_after_steps_notes_nothing_and_goes_the_fast_way() -> None:
    session = Shell().session()
    steps = Steps()
    session.run("x=1", steps=steps)
    before = steps.steps
    assert session.run("y=2; echo $x$y").stdout == "12\n"
    assert steps.steps == before
    assert session._state is not None and session._state.instrumented is False
    session.run("set -x", steps=Steps())
    assert session.run("echo a").stderr == "+ echo a\n"


def test_a_session_with_steps_is_stored_and_forked() -> None:
    session = Shell().session()
    session.run("x=1; f() { echo $x; }; a=(1 2)", steps=Steps())
    assert Shell.restore(session.snapshot()).run("f; echo ${a[1]}").stdout == "1\n2\n"
    fork = session.fork()
    session.run("x=2")
    assert (fork.run("f").stdout, session.run("f").stdout) == ("1\n", "2\n")


def test_other_ways_to_run_pass_the_arguments() -> None:
    session, steps = Shell().session(), Steps()
    ran = asyncio.run(session.arun("echo $0", name="n", steps=steps))
    assert (ran.stdout, [step.text for step in steps.steps]) == ("n\n", ["echo $0"])


@pytest.mark.parametrize(
    ("argument", "value"), [("name", 1), ("name", b"x"), ("steps", []), ("from_file", "no")]
)
def test_wrong_arguments_are_named(argument: str, value: object) -> None:
    runs: tuple[Any, ...] = (Shell().run, Shell().session().run)
    for run in runs:
        with pytest.raises(TypeError, match=f"^{argument} must be "):
            run("true", **{argument: value})
