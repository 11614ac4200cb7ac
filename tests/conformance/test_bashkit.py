"""bashkit's case files: what they may say, and what is an error with file and line."""

from __future__ import annotations

import pytest

from sandhook.conformance.bashkit import is_bashkit, read_bashkit
from sandhook.conformance.oracle import RealShell, installed_shells
from sandhook.conformance.runner import run_file


def one(text):
    """Read a file with one case and return it."""
    file, errors = read_bashkit(text, "x.test.sh")
    assert errors == []
    (case,) = file.cases
    return case


def test_the_form_is_recognised():
    text = "# words\n### a\necho\n### expect\n\n### end\n"
    assert is_bashkit(text, "x.test.sh")
    assert is_bashkit(text, "x.sh")
    assert not is_bashkit(text, "x.test")  # this name has the project's own form
    assert not is_bashkit("#### a\n### expect\n", "x.test.sh")
    assert not is_bashkit("#### a\necho\n### a comment\n", "x.test.sh")


def test_a_case():
    case = one("### a_name\n# a comment\necho a\n\necho b\n### expect\na\n\nb\n### end\n")
    assert (case.name, case.line, case.script) == ("a_name", 1, "# a comment\necho a\n\necho b\n")
    expected = case.expectation_for("sandhook")
    assert (expected.status, expected.stdout, expected.stderr) == (None, "a\n\nb\n", None)


def test_the_exit_status_is_compared_where_it_is_stated():
    assert one("### a\n### exit_code: 2\nexit 2\n### expect\n### end\n").expectation_for("bash").status == 2
    assert one("### a\nexit 2\n### expect\n### end\n").expectation_for("bash").status is None
    case = one("### a\nexit 2\n### exit_code: 2\n### end\n")
    assert case.expectation_for("bash").stdout is None


SHELLS = [
    "sandhook",
    pytest.param(
        "bash", marks=pytest.mark.skipif("bash" not in installed_shells(), reason="bash is not installed")
    ),
]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("### a\necho a\n### expect\na\n### end\n", "pass"),
        ("### a\nprintf a\n### expect\na\n### end\n", "pass"),
        ("### a\nprintf 'a\\n\\n'\n### expect\na\n### end\n", "fail"),
        ("### a\necho a\n### expect\n### end\n", "fail"),
        ("### a\nprintf '\\n'\n### expect\n\n### end\n", "pass"),
        ("### a\n:\n### expect\n### end\n", "pass"),
        ("### a\n### exit_code: 1\nfalse\n### expect\n### end\n", "pass"),
        ("### a\n### exit_code: 0\nfalse\n### expect\n### end\n", "fail"),
        ("### a\n### bash_diff\necho a\n### expect\nb\n### end\n", "differs"),
        ("### a\n### paused_time\nsleep 0.01; echo a\n### expect\na\n### end\n", "pass"),
    ],
)
def test_results(shell, text, result):
    file, errors = read_bashkit(text, "x.test.sh")
    assert errors == []
    if shell == "sandhook":
        report = run_file(file)
    else:
        with RealShell(shell) as real:
            report = run_file(file, shell, real.run)
    assert [outcome.result for outcome in report.outcomes] == [result]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("echo\n", 1, "text outside of a case"),
        ("### expect\n", 1, "### expect outside of a case"),
        ("### a\necho\n### expect\n", 1, "a case without ### end: a"),
        (
            "### a\necho\n### expect\n### b\n:\n### expect\n### end\n",
            4,
            "### b: the case before it has no ### end",
        ),
        ("### a\n:\n### expect\n### expect\n### end\n", 4, "a second ### expect"),
        ("### a\n### expect\n### end\n", 1, "a case without a script: a"),
        ("### a\n:\n### end\n", 1, "a case without ### expect: a"),
        (
            "### a\n### exit_code: x\n:\n### expect\n### end\n",
            2,
            "exit_code is not a number from 0 to 255: x",
        ),
        ("### a\n### exit_status: 1\n:\n### expect\n### end\n", 2, "unknown directive: ### exit_status: 1"),
        (
            "### a\n:\n### expect\n### end\n### a\n:\n### expect\n### end\n",
            5,
            "a second case with the name of line 1",
        ),
        ("# nothing\n", 1, "no case"),
    ],
)
def test_errors_have_file_and_line(text, line, message):
    _, errors = read_bashkit(text, "t/x.test.sh")
    assert [error.line for error in errors] == [line]
    assert str(errors[0]).startswith(f"t/x.test.sh:{line}: {message}")
