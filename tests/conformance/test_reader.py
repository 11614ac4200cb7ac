from __future__ import annotations

import pytest

from sandhook.conformance.model import CaseError, Oracle
from sandhook.conformance.reader import read

HEAD = "## source: the manual\n## oracle: bash>=5.2 dash\n"


def one(text):
    """Read a file with one case and return it."""
    (case,) = read(HEAD + text, "x.test").cases
    return case


def test_a_whole_file():
    file = read(
        HEAD
        + "## expected_failures: 2\n\n#### one rule\necho a\n\necho b\n## status: 3\n## stdout: a\n\n"
        + '#### another\ncat <<E\n#x\nE\n## STDOUT:\na\n\n  b\n## END\n## stderr-json: "x\\ty"\n',
        "x.test",
    )
    assert (file.source, file.expected_failures) == ("the manual", 2)
    assert file.oracles == (Oracle("bash", (5, 2)), Oracle("dash"))
    first, second = file.cases
    assert (first.name, first.line, first.script) == ("one rule", 5, "echo a\n\necho b\n")
    assert (first.expectation_for("bash").status, first.expectation_for("bash").stdout) == (3, "a\n")
    assert first.expectation_for("bash").stderr is None
    assert second.expectation_for("dash").stdout == "a\n\n  b\n"
    assert second.expectation_for("dash").stderr == "x\ty"
    assert second.source == "the manual"


def test_what_is_not_said_is_success_without_output():
    expected = one("#### a\ntrue\n").expectation_for("sandhook")
    assert (expected.status, expected.stdout, expected.stderr) == (0, "", None)


def test_a_shell_has_its_own_way():
    case = one(
        "#### a\nx\n## status: 127\n## stdout: a\n## OK dash status: 2\n## BUG mksh STDOUT:\nb\n## END\n"
    )
    assert [
        (case.expectation_for(s).status, case.expectation_for(s).stdout) for s in ("bash", "dash", "mksh")
    ] == [
        (127, "a\n"),
        (2, "a\n"),
        (127, "b\n"),
    ]
    assert case.expectation_for("dash").kind == "OK"
    assert case.expectation_for("mksh").kind == "BUG"


def test_several_shells_at_once():
    case = one("#### a\nx\n## N-I dash mksh status: 1\n## N-I dash mksh stdout: z\n")
    assert case.expectation_for("mksh") == case.expectation_for("dash")
    assert case.expectation_for("dash").stdout == "z\n"
    assert one("#### a\nx\n## OK dash/mksh status: 1\n").expectation_for("mksh").status == 1


def test_a_divergence_says_what_sandhook_does():
    case = one("#### a\nx\n## divergence: L-X-001\n## OK sandhook status: 1\n## source: elsewhere\n")
    assert (case.divergence, case.source, case.expectation_for("sandhook").status) == (
        "L-X-001",
        "elsewhere",
        1,
    )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (HEAD + "#### a\nx\n## frob: 1\n", 5, "unknown directive: frob"),
        (HEAD + "#### a\nx\n## something else\n", 5, "unknown directive: ## something else"),
        (HEAD + "#### a\nx\n## Status: 1\n", 5, "unknown directive: Status"),
        (HEAD + "#### a\nx\n## status: x\n", 5, "status is not a number from 0 to 255: x"),
        (HEAD + "#### a\nx\n## status: 256\n", 5, "status is not a number from 0 to 255: 256"),
        (HEAD + "#### a\nx\n## status: 1\n## status: 2\n", 6, "said twice: status"),
        (HEAD + "#### a\nx\n## stdout: 1\n## STDOUT:\n## END\n", 6, "said twice: STDOUT"),
        (HEAD + "#### a\nx\n## OK csh status: 1\n", 5, "unknown shell: csh"),
        (HEAD + "#### a\nx\n## OK dash status: 1\n## BUG dash stdout: a\n", 6, "dash is both OK and BUG"),
        (HEAD + "#### a\nx\n## STDOUT:\na\n", 5, "STDOUT: without ## END"),
        (HEAD + "#### a\nx\n## STDOUT: a\n", 5, "text after STDOUT:"),
        (HEAD + "#### a\nx\n## stdout-json: a\n", 5, "not a JSON string: a"),
        (HEAD + "#### a\nx\n## stdout-json: 1\n", 5, "not a JSON string: 1"),
        (HEAD + "#### a\nx\n## status: 1\ny\n", 6, "script continues after its expectations"),
        (HEAD + "#### a\n## status: 1\n", 3, "a case without a script: a"),
        (HEAD + "#### a\nx\n#### a\ny\n", 5, "a second case with the name: a"),
        (HEAD + "#### \nx\n", 3, "a case without a name"),
        (HEAD + "echo a\n", 3, "text before the first case"),
        (HEAD + "## status: 1\n", 3, "unknown directive before the first case: status"),
        (HEAD + "## expected_failures: few\n", 3, "expected_failures is not a number: few"),
        (HEAD + "## source: \n", 3, "source without a value"),
        ("## source: a\n## oracle: csh\n", 2, "unknown oracle: csh"),
        ("## source: a\n## oracle: bash>5\n", 2, "unknown oracle: bash>5"),
        ("## source: a\n#### a\nx\n", 1, "no '## oracle:' before the first case"),
        ("## oracle: bash\n#### a\nx\n", 1, "no '## source:' before the first case"),
        (
            HEAD + "#### a\nx\n## divergence: L-X-001\n",
            3,
            "L-X-001 without what sandhook does (OK sandhook ...)",
        ),
        (HEAD + "#### a\nx\n## OK sandhook status: 1\n", 3, "OK sandhook without its divergence"),
        (HEAD + "#### a\nx\n## divergence:\n", 5, "divergence without a value"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, line, message):
    with pytest.raises(CaseError) as caught:
        read(text, "x.test")
    assert str(caught.value) == f"x.test:{line}: {message}"
    assert (caught.value.path, caught.value.line) == ("x.test", line)


def test_a_comment_of_the_script_is_no_directive():
    assert one("#### a\n# a: comment\necho a # b\n#c\n").script == "# a: comment\necho a # b\n#c\n"
