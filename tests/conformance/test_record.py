"""Recording: only what differs is directive_for, it reads back as it came, and a second time changes nothing."""

from __future__ import annotations

import random

import pytest

from sandhook.conformance.reader import read
from sandhook.conformance.record import directive_for, record
from sandhook.conformance.runner import Observation, compare

HEAD = "## source: a test\n## oracle: bash\n\n"


def recorded(text, *answers, path="x.test", **more):
    """Record answers, one for each case, as if bash had given them twice."""
    file = read(text, path)
    made = record(
        text,
        file,
        "bash",
        [(case, one, one) for case, one in zip(file.cases, answers, strict=True)],
        **more,
    )
    again = read(made.text, path)
    if not made.problems:
        for case, answer in zip(again.cases, answers, strict=True):
            assert compare(case.expectation_for("bash"), answer) == ()
    twice = record(
        made.text,
        again,
        "bash",
        [(case, one, one) for case, one in zip(again.cases, answers, strict=True)],
        **more,
    )
    assert (twice.text, twice.changes) == (made.text, ()), "recording again changes something"
    return made


def one(script_and_more, answer, **more):
    return recorded(HEAD + script_and_more, answer, **more).text.removeprefix(HEAD)


@pytest.mark.parametrize(
    ("before", "answer", "after"),
    [
        ("#### a\nx\n", Observation(0, b"", b""), "#### a\nx\n"),
        ("#### a\nx\n", Observation(0, b"hi\n", b"e\n"), "#### a\nx\n## stdout: hi\n"),
        (
            "#### a\nx\n\n\n#### b\ny\n## status: 1\n",
            Observation(0, b"hi\n", b""),
            "#### a\nx\n## stdout: hi\n\n\n#### b\ny\n## status: 1\n",
        ),
        (
            "#### a\nx\n",
            Observation(3, b"1\n\n 2 \n", b""),
            "#### a\nx\n## status: 3\n## STDOUT:\n1\n\n 2 \n## END\n",
        ),
        ("#### a\nx\n## status: 1\n", Observation(2, b"", b""), "#### a\nx\n## status: 2\n"),
        (
            "#### a\nx\n## status: 1\n",
            Observation(1, b"hi\n", b""),
            "#### a\nx\n## status: 1\n## stdout: hi\n",
        ),
        (
            "#### a\nx\n## stdout: hi\n",
            Observation(1, b"hi\n", b""),
            "#### a\nx\n## status: 1\n## stdout: hi\n",
        ),
        (
            "#### a\nx\n## STDOUT:\na\nb\n## END\n## BUG dash status: 2\n",
            Observation(1, b"c\n", b""),
            "#### a\nx\n## status: 1\n## stdout: c\n## BUG dash status: 2\n",
        ),
        (
            '#### a\nx\n## stdout-json: "a\\n"\n## stderr: e\n',
            Observation(0, b"a\n", b"f\n"),
            '#### a\nx\n## stdout-json: "a\\n"\n## stderr: f\n',
        ),
        ("#### a\nx\n## stdout: a\n", Observation(0, b"", b""), '#### a\nx\n## stdout-json: ""\n'),
        (
            "#### a\nx\n## OK dash STDOUT:\nz\n## END\n\n# note\n",
            Observation(0, b"q\n", b""),
            "#### a\nx\n## stdout: q\n## OK dash STDOUT:\nz\n## END\n\n# note\n",
        ),
    ],
)
def test_only_what_differs_is_written(before, answer, after):
    answers = [answer] + [Observation(1, b"", b"")] * (before.count("#### ") - 1)
    assert recorded(HEAD + before, *answers).text == HEAD + after


def test_a_foreign_file_gets_what_it_did_not_say():
    answers = Observation(0, b"", b"e\n"), Observation(1, b"## status: 1\na\n", b"")
    made = recorded("#### a\nx\n\n#### a\n## code: y\n", *answers, path="x.test.sh")
    assert made.text == (
        '#### a\nx\n## stdout-json: ""\n\n'
        '#### a\n## code: y\n## status: 1\n## stdout-json: "## status: 1\\na\\n"\n'
    )
    assert made.changes == ("x.test.sh:1: a: stdout added", "x.test.sh:4: a: status and stdout added")


def test_standard_error_is_written_when_asked_for():
    assert (
        one("#### a\nx\n## stdout: o\n", Observation(0, b"o\n", b"e\n"), stderr=True)
        == "#### a\nx\n## stdout: o\n## stderr: e\n"
    )


@pytest.mark.parametrize(
    ("first", "second", "problem"),
    [
        (Observation(0, b"1\n", b""), Observation(0, b"2\n", b""), "two runs differ in stdout"),
        (Observation(0, b"", b""), Observation(1, b"", b""), "two runs differ in status"),
        (
            Observation(0, b"", b""),
            Observation(137, b"", b"", "no end after 1 seconds"),
            "no end after 1 seconds",
        ),
    ],
)
def test_what_gives_no_one_answer_is_left_alone(first, second, problem):
    text = HEAD + "#### a\nx\n## stdout: 3\n"
    file = read(text, "x.test")
    made = record(text, file, "bash", [(file.cases[0], first, second)])
    assert tuple(made) == (text, (), (f"x.test:4: a: {problem}",))


def test_standard_error_must_be_the_same_twice_only_where_it_is_written():
    text = HEAD + "#### a\nx\n"
    file = read(text, "x.test")
    answers = [(file.cases[0], Observation(0, b"", b"1\n"), Observation(0, b"", b"2\n"))]
    assert tuple(record(text, file, "bash", answers)) == (text, (), ())
    refused = record(text, file, "bash", answers, stderr=True).problems
    assert refused == ("x.test:4: a: two runs differ in stderr",)


def test_what_is_said_of_the_shell_by_name_is_left_alone():
    text = HEAD + "#### a\nx\n## stdout: 3\n## BUG bash-5.2 stdout: 4\n"
    file = read(text, "x.test")
    answer = Observation(0, b"5\n", b"")
    made = record(text, file, "bash", [(file.cases[0], answer, answer)], version=(5, 2, 15))
    assert tuple(made) == (text, (), ("x.test:4: a: BUG bash says another stdout; left alone",))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\n", ["## stdout: a"]),
        ("a: ## b\n", ["## stdout: a: ## b"]),
        ("a\tb\n", ["## stdout: a\tb"]),
        ("é\n", ["## stdout: é"]),
        ("", ['## stdout-json: ""']),
        ("\n", ['## stdout-json: "\\n"']),
        ("a", ['## stdout-json: "a"']),
        (" a\n", ["## STDOUT:", " a", "## END"]),
        ("a \n", ["## STDOUT:", "a ", "## END"]),
        ("\n\n", ["## STDOUT:", "", "", "## END"]),
        ("a\n## END\n", ['## stdout-json: "a\\n## END\\n"']),
        ("a\n\x1b[1m\n", ['## stdout-json: "a\\n\\u001b[1m\\n"']),
        ("\udcff\n", ['## stdout-json: "\\udcff\\n"']),
        ("a\r\n", ['## stdout-json: "a\\r\\n"']),
        ("a\u2028b\n", ['## stdout-json: "a\\u2028b\\n"']),
        ("a\nb", ['## stdout-json: "a\\nb"']),
    ],
)
def test_the_plainest_form_that_holds_it_is_chosen(text, lines):
    assert directive_for("stdout", text) == lines


@pytest.mark.parametrize("own", [True, False])
def test_any_output_round_trips(own):
    pieces = [
        "a",
        " ",
        "\n",
        "## END",
        "## stdout:",
        "#### x",
        "##",
        "\t",
        "\x1b",
        "\udcff",
        '"',
        "\\",
        "é",
        "#",
    ]
    chosen = random.Random(7)
    for _ in range(400):
        text = "".join(chosen.choices([*pieces, "\n"], k=chosen.randrange(8)))
        data = text.encode("utf-8", "surrogateescape")
        whole = (HEAD if own else "") + "#### a\nx\n\n#### b\ny\n"
        answers = Observation(0, data, b""), Observation(0, data + b"\n", data)
        recorded(whole, *answers, path="x.test" if own else "x.test.sh", stderr=True)
